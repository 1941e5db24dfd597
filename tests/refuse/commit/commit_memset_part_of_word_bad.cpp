// `memset` writes whole 32-bit words. In a tile, what shares a word with its elements belongs to the rest of the tensor: three elements of
// i8 cannot be set without a fourth.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/mapping/view.hpp"
#include "tcp/rules/commit.hpp"

using namespace tcp;

TCP_AXES(A = 4, B = 16);
constexpr Mapping row = tile(m<A, B>::mapping, B, 3, 0)->mapping;

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_memset(rngd, Tu::Sub, ScalarType::i8, row, Bytes{0}, MemsetOf::tile))); }
#else
REFUSED_AT_RUN_TIME { return check_memset(rngd, Tu::Sub, ScalarType::i8, row, Bytes{0}, MemsetOf::tile).refusal(); }
#endif
