// `vector_trim_way4` keeps the lower four lanes of each packet. That is for packets whose upper four lanes are padding; it never drops an element.
// `vector_split` keeps both halves, in twice as many time steps.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(R = 19);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_trim_way4(rngd, R.pad(24) % 8, R.pad(24) % 4))); }
#else
REFUSED_AT_RUN_TIME { return check_trim_way4(rngd, R.pad(24) % 8, R.pad(24) % 4).refusal(); }
#endif
