// Interleaved tensors are read by one sequencer, which changes its base address and nothing else. So they have one type and one mapping on
// every level, kinds of padding included.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/fetch.hpp"

using namespace tcp;

TCP_AXES(A = 4, B = 32);
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, m<A, B>{});
constexpr Levels other = Levels{tensor}.set(Level::element, m<B, A>{});

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_begin_interleaved(rngd, Name("I"), 2, ScalarType::i8, tensor, ScalarType::i8, other))); }
#else
REFUSED_AT_RUN_TIME { return check_begin_interleaved(rngd, Name("I"), 2, ScalarType::i8, tensor, ScalarType::i8, other).refusal(); }
#endif
