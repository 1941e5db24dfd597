// The mapping of a tile is determined by the tensor and the dimension: the steps that the tile leaves out stay in their place as padding,
// so that all strides remain. A tile of two elements of B out of 512 is `B = 2 # 512`: two live positions in the room of 512. With `# 4`
// the rows would lie 4 apart instead of 512.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/mapping/view.hpp"
using namespace tcp;
namespace {
TCP_AXES(A = 8, B = 512);
}
#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(tile_as(m<A, B>::mapping, B, 2, 0, m<A, B.resize(2).pad(4)>::mapping))); }
#else
REFUSED_AT_RUN_TIME { return tile_as(m<A, B>::mapping, B, 2, 0, m<A, B.resize(2).pad(4)>::mapping).refusal(); }
#endif
