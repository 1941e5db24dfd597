// Addresses are 64-bit numbers. The end of this tensor is none.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(B = 512);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(extent_at(ScalarType::i8, m<B>{}, Bytes{INT64_MAX - 511}))); }
#else
REFUSED_AT_RUN_TIME { return verdict(extent_at(ScalarType::i8, m<B>{}, Bytes{INT64_MAX - 511})).refusal(); }
#endif
