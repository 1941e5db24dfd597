// Lookup tables belong to the fetch adapter of the main context. The adapter of the sub context casts, subtracts zero points and joins
// fetches to packets.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/fetch.hpp"

using namespace tcp;

TCP_AXES(A = 32);
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, A);
constexpr FetchHow with_table{.context = Tu::Sub, .with_table = true};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_fetch(rngd, with_table, ScalarType::i8, tensor, ScalarType::i8, one, A))); }
#else
REFUSED_AT_RUN_TIME { return check_fetch(rngd, with_table, ScalarType::i8, tensor, ScalarType::i8, one, A).refusal(); }
#endif
