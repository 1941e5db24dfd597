// Time after a transpose is fixed: the outer steps as before, then the packets of a row, then the elements of a packet. The declared mapping is compared
// with that; the help line has the mapping to write.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/transpose.hpp"

using namespace tcp;

TCP_AXES(A = 8, B = 2, D = 4, E = 8);

static constexpr auto checked() {
  return check_transpose(target, StreamStage::Collect, ScalarType::i8, group(B, A, D), E.pad(32), group(D, B, E), A.pad(32));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
