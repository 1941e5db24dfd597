// Zero padding promises zeros. A zero point, or a table whose entry 0 is not zero, would turn them into something else. In Time and Packet
// the fetch masks them anew; in Slice, Cluster and Chip it cannot.
//
// Padding of whole slices is idle anyway: declare it with `#`, which promises nothing.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/fetch.hpp"

using namespace tcp;

TCP_AXES(A = 32, P = 61);
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, P.pad_zero(256)).set(Level::element, A);
constexpr FetchHow how{.zero_points = 1, .zero_point = {10}};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_fetch(rngd, how, ScalarType::i8, tensor, ScalarType::i32, one, A))); }
#else
REFUSED_AT_RUN_TIME { return check_fetch(rngd, how, ScalarType::i8, tensor, ScalarType::i32, one, A).refusal(); }
#endif
