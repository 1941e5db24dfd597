// Two 4-bit values share a byte, so an odd number of `i4` or `f4e2m1` elements ends in the middle of one. Memories are addressed by bytes,
// and a neighbour that owned the other nibble could be overwritten.
//
// Sizes are counted in bits, and a total that is no whole number of bytes is refused. Pad the innermost axis to an even size: `A # 8` for 7
// elements.
#include "refuse_test.hpp"
#include "tcp/scalar/packing.hpp"
using namespace tcp;
#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(Verdict(packed_size(ScalarType::i4, Elements{7}).refusal())); }
#else
REFUSED_AT_RUN_TIME { return packed_size(ScalarType::i4, Elements{7}).refusal(); }
#endif
