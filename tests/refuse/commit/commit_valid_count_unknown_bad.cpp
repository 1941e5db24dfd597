// Valid-count packing writes only the leading elements of each packet, as many as a run-time count says. The manual names the feature and
// not where its count comes from: no operand, no register and no field of a command holds it. A program that asks for it would write
// whole packets, so it is refused. What can be said beforehand is said by the mapping, and a filter compacts by value.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/commit.hpp"

using namespace tcp;

TCP_AXES(M = 4, W = 32);
constexpr Levels stream = Levels{}.set(Level::slice, one.pad(256)).set(Level::time, M).set(Level::packet, W);
constexpr CommitHow counted{.context = Tu::Sub, .after = StreamStage::Fetch, .valid_count = true};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_commit(rngd, counted, ScalarType::i8, stream, m<M, W>{}))); }
#else
REFUSED_AT_RUN_TIME { return check_commit(rngd, counted, ScalarType::i8, stream, m<M, W>{}).refusal(); }
#endif
