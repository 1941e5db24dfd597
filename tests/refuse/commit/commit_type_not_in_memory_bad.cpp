// `i5` and `i9` hold the difference of two quantised values. They exist between the fetch adapter and the contraction, and have no form in
// memory.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/commit.hpp"

using namespace tcp;

TCP_AXES(M = 4, W = 32);
constexpr Levels stream = Levels{}.set(Level::slice, one.pad(256)).set(Level::time, M).set(Level::packet, W);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_commit(rngd, {}, ScalarType::i9, stream, m<M, W>{}))); }
#else
REFUSED_AT_RUN_TIME { return check_commit(rngd, {}, ScalarType::i9, stream, m<M, W>{}).refusal(); }
#endif
