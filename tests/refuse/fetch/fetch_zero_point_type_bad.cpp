// The zero point is subtracted while the element becomes wider: `i4` to `i5` or `i32`, `i8` to `i9` or `i32`, `i16` to `i32`. In the
// stored type the difference would not fit.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/fetch.hpp"

using namespace tcp;

TCP_AXES(A = 32);
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, A);
constexpr FetchHow how{.zero_points = 1, .zero_point = {10}};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_fetch(rngd, how, ScalarType::i8, tensor, ScalarType::i8, one, A))); }
#else
REFUSED_AT_RUN_TIME { return check_fetch(rngd, how, ScalarType::i8, tensor, ScalarType::i8, one, A).refusal(); }
#endif
