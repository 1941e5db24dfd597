// A fetch makes packets of 8, 16, 24, … bytes, measured in the type of the stream: rows of DM are 8 bytes wide, and the sequencer reads
// whole rows.
//
// Pad the packet. The padding is read along with the data, from whatever lies behind it, and means nothing: `#` marks it as undefined.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/fetch.hpp"

using namespace tcp;

TCP_AXES(A = 3, C = 2);
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, m<A, C>{});

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_fetch(rngd, {}, ScalarType::i8, tensor, ScalarType::i8, A, C))); }
#else
REFUSED_AT_RUN_TIME { return check_fetch(rngd, {}, ScalarType::i8, tensor, ScalarType::i8, A, C).refusal(); }
#endif
