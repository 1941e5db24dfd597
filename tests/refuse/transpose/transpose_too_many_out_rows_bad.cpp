// A matrix of 8 columns gives 8 rows. Rows of padding can be left out, but none can be added.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/transpose.hpp"

using namespace tcp;

TCP_AXES(A = 8, B = 8);

static constexpr auto checked() {
  return check_transpose(target, StreamStage::Collect, ScalarType::i8, A, B.pad(32), B.pad(16), A.pad(32));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
