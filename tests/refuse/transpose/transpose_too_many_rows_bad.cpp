// The buffers of the Transpose Engine are 8 bytes high: 16 rows of 4-bit elements, 8 of 8 bits, 4 of 16 bits, 2 of 32 bits. Transpose so many rows at a
// time: keep the outer part of the axis outside in Time, `A / 8`, and let `A % 8` be the rows.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/transpose.hpp"

using namespace tcp;

TCP_AXES(A = 16, B = 8);

static constexpr auto checked() { return check_transpose(target, StreamStage::Collect, ScalarType::i8, A, B.pad(32), B, A.pad(32)); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
