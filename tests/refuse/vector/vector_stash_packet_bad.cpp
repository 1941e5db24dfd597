// The stash delivers its packets lane by lane, as they were taken; upper lanes of padding do not matter.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(A = 512, B = 8);
constexpr Stream stashed{Mapping{}, A % 8}, now{Mapping{}, B};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_stash_read(rngd, stashed, now))); }
#else
REFUSED_AT_RUN_TIME { return check_stash_read(rngd, stashed, now).refusal(); }
#endif
