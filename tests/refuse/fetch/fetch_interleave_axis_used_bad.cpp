// The axis that tells two interleaved tensors apart is new: neither of them may count it already.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/fetch.hpp"

using namespace tcp;

TCP_AXES(I = 2, B = 32);
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, m<I, B>{});

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_begin_interleaved(rngd, Name("I"), 2, ScalarType::i8, tensor, ScalarType::i8, tensor))); }
#else
REFUSED_AT_RUN_TIME { return check_begin_interleaved(rngd, Name("I"), 2, ScalarType::i8, tensor, ScalarType::i8, tensor).refusal(); }
#endif
