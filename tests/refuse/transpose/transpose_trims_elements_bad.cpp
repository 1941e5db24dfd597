// After the transpose, padding elements of the packets are whole rows of padding, and the engine can leave them out. Rows that hold elements cannot be
// left out: nothing is dropped unless a commit says so.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/transpose.hpp"

using namespace tcp;

TCP_AXES(A = 8, B = 8);

static constexpr auto checked() {
  return check_transpose(target, StreamStage::Collect, ScalarType::i8, A, B.pad(32), B.resize(6), A.pad(32));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
