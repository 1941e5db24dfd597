// The masking registers know the innermost loop of the sequencer and two others. They mask its first elements in the first round of one
// loop and its last elements in the last round of that loop, by one count, or by eight counts for the steps of another loop.
//
// One axis padded at its end can be masked nearly always; two at once rarely. Zero padding that the tensor holds itself (`#z` in Element)
// needs no masking, and padding on which nothing depends is written `#`.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/fetch.hpp"

using namespace tcp;

TCP_AXES(A = 29, B = 5, C = 30);
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, m<A, B, C>{});

#if TCP_AT_COMPILE_TIME
void mistake() {
  TCP_REFUSE(verdict(check_fetch(rngd, {}, ScalarType::i8, tensor, ScalarType::i8, m<A.pad_zero(32), B.pad_zero(8)>{}, C.pad_zero(32))));
}
#else
REFUSED_AT_RUN_TIME {
  return check_fetch(rngd, {}, ScalarType::i8, tensor, ScalarType::i8, m<A.pad_zero(32), B.pad_zero(8)>{}, C.pad_zero(32)).refusal();
}
#endif
