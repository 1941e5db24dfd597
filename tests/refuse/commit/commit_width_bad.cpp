// Of each flit a commit keeps the leading 8, 16, 24 or 32 bytes, as much as Element has room for. Here rows of 13 bytes lie without a gap:
// 8 bytes are too few, and 16 would run into the next row.
//
// Pad the row in Element to the next of the widths. A write must never leave its own row, while a read may.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/commit.hpp"

using namespace tcp;

TCP_AXES(M = 4, W = 13);
constexpr Levels stream = Levels{}.set(Level::slice, one.pad(256)).set(Level::time, M).set(Level::packet, W.pad(32));

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_commit(rngd, {}, ScalarType::i8, stream, m<M, W>{}))); }
#else
REFUSED_AT_RUN_TIME { return check_commit(rngd, {}, ScalarType::i8, stream, m<M, W>{}).refusal(); }
#endif
