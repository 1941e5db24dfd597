// Each slice has 512 KiB of DM. What must fit is Element, the part of the tensor that one slice holds, padding included. Spread the tensor over more slices (a larger
// part of it in Slice, less in Element), use a smaller type, or work on one tile after the other.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(A = 1024, B = 512);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(check_dm(target, ScalarType::bf16, m<A, B>{}, Bytes{0})); }
#else
REFUSED_AT_RUN_TIME { return check_dm(target, ScalarType::bf16, m<A, B>{}, Bytes{0}).refusal(); }
#endif
