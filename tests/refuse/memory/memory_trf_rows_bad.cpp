// The rows of the TRF feed the MAC rows of the Contraction Engine, which works with 1, 2, 4 or 8 of them. Other numbers of rows are padded to the next of these.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(J = 6, K = 64);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(check_trf(target, ScalarType::bf16, m<J>{}, m<K>{}, TrfAddress::Full)); }
#else
REFUSED_AT_RUN_TIME { return check_trf(target, ScalarType::bf16, m<J>{}, m<K>{}, TrfAddress::Full).refusal(); }
#endif
