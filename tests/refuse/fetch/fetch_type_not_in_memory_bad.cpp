// `i5` and `i9` hold the difference of two quantised values. They exist between the fetch adapter, which subtracts the zero point, and the
// contraction; memory holds `i4` and `i8`.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/fetch.hpp"

using namespace tcp;

TCP_AXES(A = 32);
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, A);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_fetch(rngd, {}, ScalarType::i9, tensor, ScalarType::i9, one, A))); }
#else
REFUSED_AT_RUN_TIME { return check_fetch(rngd, {}, ScalarType::i9, tensor, ScalarType::i9, one, A).refusal(); }
#endif
