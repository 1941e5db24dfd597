// `vector_trim_way4` turns `P # 8` into `P # 4`: four lanes, the padding among them included.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(R = 3);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_trim_way4(rngd, R.pad(8), R))); }
#else
REFUSED_AT_RUN_TIME { return check_trim_way4(rngd, R.pad(8), R).refusal(); }
#endif
