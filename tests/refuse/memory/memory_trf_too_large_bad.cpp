// The TRF of a slice holds 64 KiB over all its rows, or 32 KiB in each half when it is used as a double buffer. What counts is Row times Element. Hold fewer elements
// at a time, or spread the tensor over more slices.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(J = 64, K = 8192);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(check_trf(target, ScalarType::bf16, m<J % 8>{}, m<K>{}, TrfAddress::Full)); }
#else
REFUSED_AT_RUN_TIME { return check_trf(target, ScalarType::bf16, m<J % 8>{}, m<K>{}, TrfAddress::Full).refusal(); }
#endif
