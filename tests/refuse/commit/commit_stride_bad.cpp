// Whole rows of 8 bytes are written, at multiples of 8 bytes. So every stride of a commit's sequencer is a multiple of 8 bytes; the steps
// inside of one write do not count.
//
// Pad the inner factors of Element so that rows begin at multiples of 8 bytes.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/commit.hpp"

using namespace tcp;

TCP_AXES(M = 4, W = 8);
constexpr Levels stream = Levels{}.set(Level::slice, one.pad(256)).set(Level::time, M).set(Level::packet, W.pad(32));

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_commit(rngd, {}, ScalarType::i8, stream, m<M, W.pad(12)>{}))); }
#else
REFUSED_AT_RUN_TIME { return check_commit(rngd, {}, ScalarType::i8, stream, m<M, W.pad(12)>{}).refusal(); }
#endif
