// Two-group mode tells its groups apart by an axis of size 2 in Time, the one that `begin_interleaved` puts there: where its coordinate is 0 the
// packet belongs to group 0, where it is 1 to group 1.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(B = 4);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_unzip(B, Name("B"), one.pad(2), one))); }
#else
REFUSED_AT_RUN_TIME { return check_unzip(B, Name("B"), one.pad(2), one).refusal(); }
#endif
