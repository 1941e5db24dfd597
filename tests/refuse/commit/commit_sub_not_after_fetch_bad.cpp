// The sub context copies: what it commits comes straight from the fetch, in packets of 32 bytes. Streams that went through Collect, Cast
// or Transpose are committed by the main context.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/commit.hpp"

using namespace tcp;

TCP_AXES(M = 4, W = 32);
constexpr Levels stream = Levels{}.set(Level::slice, one.pad(256)).set(Level::time, M).set(Level::packet, W);
constexpr CommitHow after_cast{.context = Tu::Sub, .after = StreamStage::Cast};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_commit(rngd, after_cast, ScalarType::i8, stream, m<M, W>{}))); }
#else
REFUSED_AT_RUN_TIME { return check_commit(rngd, after_cast, ScalarType::i8, stream, m<M, W>{}).refusal(); }
#endif
