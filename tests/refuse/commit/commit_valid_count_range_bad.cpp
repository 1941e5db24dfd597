// The valid count says how many of a packet's leading elements are written: none, all, or some.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/commit.hpp"

using namespace tcp;

TCP_AXES(M = 4, W = 32);
constexpr Levels stream = Levels{}.set(Level::slice, one.pad(256)).set(Level::time, M).set(Level::packet, W);
constexpr CommitHow counted{.context = Tu::Sub, .after = StreamStage::Fetch, .valid_count = true};
constexpr Committed packed = *check_commit(rngd, counted, ScalarType::i8, stream, m<M, W>{});

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_valid_count(packed, 33))); }
#else
REFUSED_AT_RUN_TIME { return check_valid_count(packed, 33).refusal(); }
#endif
