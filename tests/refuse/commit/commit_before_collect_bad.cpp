// In the main context, Collect stands between Fetch or Switch and everything else: it makes flits of packets. Only the sub context commits
// what it has fetched without it.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/commit.hpp"

using namespace tcp;

TCP_AXES(M = 4, W = 32);
constexpr Levels stream = Levels{}.set(Level::slice, one.pad(256)).set(Level::time, M).set(Level::packet, W);
constexpr CommitHow after_fetch{.after = StreamStage::Fetch};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_commit(rngd, after_fetch, ScalarType::i8, stream, m<M, W>{}))); }
#else
REFUSED_AT_RUN_TIME { return check_commit(rngd, after_fetch, ScalarType::i8, stream, m<M, W>{}).refusal(); }
#endif
