// A tensor at an address takes the bytes from there on, and they must all lie in the memory. The tensor here is small enough for a slice of DM, but not at this
// address.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(B = 512);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(check_dm(target, ScalarType::bf16, m<B>{}, Bytes{524288 - 512})); }
#else
REFUSED_AT_RUN_TIME { return check_dm(target, ScalarType::bf16, m<B>{}, Bytes{524288 - 512}).refusal(); }
#endif
