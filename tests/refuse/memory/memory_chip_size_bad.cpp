// All chips of a kernel run the same commands. A tensor's Chip mapping says which part of it each chip holds, so it has one position for each chip, padded if the
// tensor does not need all of them: `m<one.pad(4)>`.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(A = 8);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(check_chip_size(target, 4, m<A>{})); }
#else
REFUSED_AT_RUN_TIME { return check_chip_size(target, 4, m<A>{}).refusal(); }
#endif
