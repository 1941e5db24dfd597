// The adapter looks up first and subtracts afterwards, so a zero point would be subtracted from the table's output, and no longer from the
// stored value that it was measured for. The table can do both: put `f(x - zero point)` into its entries.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/fetch.hpp"

using namespace tcp;

TCP_AXES(A = 32);
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, A);
constexpr FetchHow both{.with_table = true, .zero_points = 1, .zero_point = {10}};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_fetch(rngd, both, ScalarType::i8, tensor, ScalarType::i32, one, A))); }
#else
REFUSED_AT_RUN_TIME { return check_fetch(rngd, both, ScalarType::i8, tensor, ScalarType::i32, one, A).refusal(); }
#endif
