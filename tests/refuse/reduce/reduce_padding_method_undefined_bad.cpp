// To leave padding out of a reduce the book names, beside valid counts and identity values, two more ways: NaN masking by execution id, and a
// per-slice override of special registers. It defines neither, so they cannot be used here.
#include "refuse_test.hpp"
#include "tcp/rules/valid_count.hpp"

using namespace tcp;

static constexpr auto checked() { return check_padding_method(UndefinedPaddingMethod::NanMasking); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
