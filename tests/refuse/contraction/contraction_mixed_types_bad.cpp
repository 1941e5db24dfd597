// Stream and weights go through the same multipliers, and one type sets these for both sides. `i5` counts as `i4` here and `i9` as
// `i8`, so that a stream with a zero point meets weights without one; the two formats of `f8` do not mix.
//
// Fetch one side into the type of the other.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

static constexpr Verdict mistake() { return check_operand_types(ScalarType::i8, ScalarType::bf16); }

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
