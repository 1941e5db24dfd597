// An element lies at a multiple of its own size, so that it never spreads over two rows of a bank. A tensor's first element is its address.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(B = 512);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(check_dm(target, ScalarType::f32, m<B>{}, Bytes{4098})); }
#else
REFUSED_AT_RUN_TIME { return check_dm(target, ScalarType::f32, m<B>{}, Bytes{4098}).refusal(); }
#endif
