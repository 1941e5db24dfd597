// A table has 16 or 256 entries, and is indexed by the unsigned value of a 4-bit or 8-bit element. It must be made for the type that is
// stored.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/fetch.hpp"

using namespace tcp;

TCP_AXES(A = 32);
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, A);
constexpr FetchHow with_table{.with_table = true, .table = {ScalarType::i16, ScalarType::i16}};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_fetch(rngd, with_table, ScalarType::i16, tensor, ScalarType::i16, one, A))); }
#else
REFUSED_AT_RUN_TIME { return check_fetch(rngd, with_table, ScalarType::i16, tensor, ScalarType::i16, one, A).refusal(); }
#endif
