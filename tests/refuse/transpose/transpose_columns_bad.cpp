// A row of the matrix comes as one, two or four packets: 8, 16 or 32 columns (16 or 32 of 4-bit elements). With up to 16 columns the engine takes in the
// next matrix while it gives out this one; 32 columns need both buffers.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/transpose.hpp"

using namespace tcp;

TCP_AXES(A = 8, B = 8, D = 8);

static constexpr auto checked() {
  return check_transpose(target, StreamStage::Collect, ScalarType::i8, group(A, D), B.pad(32), group(D, B), A.pad(32));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
