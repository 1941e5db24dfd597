// Two 4-bit elements share a byte, and a fetch begins at a whole byte. Rows of an odd number of 4-bit elements begin, every second time,
// in the middle of one.
//
// Pad the rows in memory to an even number of elements.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/fetch.hpp"

using namespace tcp;

TCP_AXES(A = 4, C = 3);
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, m<A, C>{});

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_fetch(rngd, {}, ScalarType::i4, tensor, ScalarType::i4, A, C.pad(16)))); }
#else
REFUSED_AT_RUN_TIME { return check_fetch(rngd, {}, ScalarType::i4, tensor, ScalarType::i4, A, C.pad(16)).refusal(); }
#endif
