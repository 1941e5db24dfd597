// The turn of interleaved tensors is a loop of the sequencer between packets: its axis is a whole factor of Time. As the innermost one,
// packets alternate; further out, so do rows or whole tensors.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/fetch.hpp"

using namespace tcp;

TCP_AXES(A = 4, B = 32, I = 2);
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, m<A, B>{});
constexpr FetchHow how{.interleaved = Name("I")};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_fetch(rngd, how, ScalarType::i8, tensor, ScalarType::i8, A, m<I, B>{}))); }
#else
REFUSED_AT_RUN_TIME { return check_fetch(rngd, how, ScalarType::i8, tensor, ScalarType::i8, A, m<I, B>{}).refusal(); }
#endif
