// `vector_concat` turns `[T, P / 4], [P % 4]` into `[T], [P]`: the innermost two steps of Time become the outer factor of the packet.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(A = 512);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_concat(rngd, A / 4 % 2, A % 4, Mapping{}, (A % 4).pad(8)))); }
#else
REFUSED_AT_RUN_TIME { return check_concat(rngd, A / 4 % 2, A % 4, Mapping{}, (A % 4).pad(8)).refusal(); }
#endif
