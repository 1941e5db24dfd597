// `begin_interleaved` reads two tensors in turn, and an axis of two steps says whose turn it is. The sequencer has two base addresses and
// no more.
//
// Combine the third tensor with the result in another pass, or stack the tensors in one.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/fetch.hpp"

using namespace tcp;

TCP_AXES(A = 4);
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, A);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_begin_interleaved(rngd, Name("I"), 3, ScalarType::i8, tensor, ScalarType::i8, tensor))); }
#else
REFUSED_AT_RUN_TIME { return check_begin_interleaved(rngd, Name("I"), 3, ScalarType::i8, tensor, ScalarType::i8, tensor).refusal(); }
#endif
