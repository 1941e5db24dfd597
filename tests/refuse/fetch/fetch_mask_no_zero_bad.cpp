// Masking is the adapter's first stage: what it puts into the padding goes through the table, the cast and the zero point like any
// element. For the result to be zero there must be a stored value that becomes zero: the zero point itself, or the index of a zero entry.
// Two tensors with different zero points have no such value in common.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/fetch.hpp"

using namespace tcp;

TCP_AXES(A = 30, I = 2);
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, A);
constexpr FetchHow how{.zero_points = 2, .zero_point = {100, -100}, .interleaved = Name("I")};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_fetch(rngd, how, ScalarType::i8, tensor, ScalarType::i32, I, A.pad_zero(32)))); }
#else
REFUSED_AT_RUN_TIME { return check_fetch(rngd, how, ScalarType::i8, tensor, ScalarType::i32, I, A.pad_zero(32)).refusal(); }
#endif
