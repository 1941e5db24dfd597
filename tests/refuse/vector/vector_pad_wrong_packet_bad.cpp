// `vector_pad_way8` turns `P` of four lanes into `P # 8`; the new lanes hold nothing.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(A = 512);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_pad_way8(rngd, (A % 2).pad(4), A % 8))); }
#else
REFUSED_AT_RUN_TIME { return check_pad_way8(rngd, (A % 2).pad(4), A % 8).refusal(); }
#endif
