// The operations of the two types are different types in C++ as well, so that a kernel says which arithmetic it means. The operation must be
// that of the stream's elements.
#include "refuse_test.hpp"
#include "tcp/rules/inter_slice.hpp"

using namespace tcp;

static constexpr auto checked() { return inter_slice_op(ScalarType::i32, InterSliceReduceOpF32::Mul); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
