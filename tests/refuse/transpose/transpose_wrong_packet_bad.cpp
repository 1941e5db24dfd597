// The packet that comes out holds the rows in the order in which they came in, padded at the end to a flit.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/transpose.hpp"

using namespace tcp;

TCP_AXES(A = 4, B = 2, E = 8);

static constexpr auto checked() {
  return check_transpose(target, StreamStage::Collect, ScalarType::i8, group(A, B), E.pad(32), E, group(B, A).pad(32));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
