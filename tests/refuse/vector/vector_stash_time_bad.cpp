// The stash delivers its packets step by step, as they were taken. It can be read where Time is what it was: in Way8 and, after
// `vector_trim_way4`, in Way4; between `vector_split` and `vector_concat` there are two steps for each that was stashed.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(A = 512);
constexpr Stream stashed{Mapping{}, A % 8}, now{A / 4 % 2, A % 4};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_stash_read(rngd, stashed, now))); }
#else
REFUSED_AT_RUN_TIME { return check_stash_read(rngd, stashed, now).refusal(); }
#endif
