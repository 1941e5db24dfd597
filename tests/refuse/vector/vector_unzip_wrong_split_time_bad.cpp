// `vector_intra_slice_unzip<I, TileTime, SplitTime>`: TileTime is Time with the factor I replaced by `1 # 2` (what one group sees: every other
// step), SplitTime is Time without I (what is left when the groups go their ways).
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(B = 4, I = 2);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_unzip(group(B, I), Name("I"), group(B, one.pad(2)), group(B, I)))); }
#else
REFUSED_AT_RUN_TIME { return check_unzip(group(B, I), Name("I"), group(B, one.pad(2)), group(B, I)).refusal(); }
#endif
