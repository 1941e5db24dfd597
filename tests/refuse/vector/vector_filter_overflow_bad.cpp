// How many lanes a filter keeps is known only when it runs. The author declares an upper bound: Time after the filter, in packets of eight. Where
// more is kept than fits, lanes would be lost without a word.
//
// Declare as many steps as can be kept, or as come in.
// run time only: what a filter keeps depends on the data
#include "refuse_test.hpp"
#include "tcp/exec/reference/vector.hpp"

using namespace tcp;

TCP_AXES(A = 32, K = 8);

REFUSED_AT_RUN_TIME {
  Levels const in = Levels{}.set(Level::time, A / 8).set(Level::packet, A % 8);
  Levels const out = Levels{}.set(Level::packet, K);
  reference::Value const stream(ScalarType::i32, reference::axes_of(in));
  return reference::filter(stream, stream, OperandGuard::id(0), in, out, 1, {}).refusal();
}
