// `E #< n` puts n positions of padding in front of an axis. In front of a factor that counts inside blocks there is no room: before the
// first position of a block lies the last one of the block before.
//
// Pad the axis first and cut it afterwards, as the fetch does for a convolution: `B #< 2 #z 96 / 32` and `B #< 2 #z 96 % 32`. In C++:
// `B.pad_left(2).pad_zero(96)`.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
TCP_AXES(B = 90);
}
#if TCP_AT_COMPILE_TIME
using Layout = m<(B % 10).pad_left(2)>;
#else
REFUSED_AT_RUN_TIME { return group((B % 10).pad_left(2)).mapping().refusal(); }
#endif
