// The Commit Engine takes flits of 32 bytes. Collect, Cast and Transpose make them; a fetch that is committed directly, in the sub
// context, must have packets of that size.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/commit.hpp"

using namespace tcp;

TCP_AXES(M = 4, W = 16);
constexpr Levels stream = Levels{}.set(Level::slice, one.pad(256)).set(Level::time, M).set(Level::packet, W);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_commit(rngd, {}, ScalarType::i8, stream, m<M, W>{}))); }
#else
REFUSED_AT_RUN_TIME { return check_commit(rngd, {}, ScalarType::i8, stream, m<M, W>{}).refusal(); }
#endif
