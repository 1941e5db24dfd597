// Addresses count bytes from the beginning of a memory.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(B = 512);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(check_dm(target, ScalarType::i8, m<B>{}, Bytes{-8})); }
#else
REFUSED_AT_RUN_TIME { return check_dm(target, ScalarType::i8, m<B>{}, Bytes{-8}).refusal(); }
#endif
