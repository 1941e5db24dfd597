// Every row that comes out of the Transpose Engine is padded to a flit of 32 bytes: the declared packet is the rows of the matrix, `# 32` for 8-bit
// elements, `# 16` for 16-bit and `# 8` for 32-bit ones.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/transpose.hpp"

using namespace tcp;

TCP_AXES(A = 8, B = 8);

static constexpr auto checked() { return check_transpose(target, StreamStage::Collect, ScalarType::i8, A, B.pad(32), B, A); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
