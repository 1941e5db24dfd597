// Coordinates of a view count from the begin of its tile. Where an axis of 61 is counted by two factors, in blocks of 16, the last block
// ends beyond the axis; seen from 0 on it would look whole, and three places of padding would be taken for elements. An axis in one
// factor, `D # 64`, has tiles of blocks: the last is `D = 13 # 64`.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/mapping/view.hpp"
using namespace tcp;
namespace {
TCP_AXES(A = 2, D = 61);
}
#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(tile(m<D.pad(64) / 16, A, D.pad(64) % 16>::mapping, D.pad(64) / 16, 1, 3))); }
#else
REFUSED_AT_RUN_TIME { return tile(m<D.pad(64) / 16, A, D.pad(64) % 16>::mapping, D.pad(64) / 16, 1, 3).refusal(); }
#endif
