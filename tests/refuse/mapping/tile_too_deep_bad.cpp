// The view of a tile may need two factors more than the tensor: the blocks outside of the tile's dimension and those inside. A mapping has
// room for 16 factors.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/mapping/view.hpp"
using namespace tcp;
namespace {
TCP_AXES(A = 64);
/// A, and fifteen rows of two copies with a gap behind them.
constexpr Mapping wide() {
  Mapping all = A;
  for (int i = 0; i < 15; ++i) all = pair(all, copies(2).pad(3));
  return all;
}
}  // namespace
#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(tile(wide(), A / 2 % 4, 2, 0))); }
#else
REFUSED_AT_RUN_TIME { return tile(wide(), A / 2 % 4, 2, 0).refusal(); }
#endif
