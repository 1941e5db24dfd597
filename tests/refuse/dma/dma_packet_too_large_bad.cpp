// A packet is one transaction on the bus: at most 256 beats of 16 bytes, 4,096 bytes. Without a stream of your own the engine chooses the packet, and
// cuts longer runs by itself.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/dma.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 8, C = 8192);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A, C>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A, C>{})};
constexpr Levels stream = Levels{}.set(Level::time, m<A>{}).set(Level::packet, m<C>{});
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_dma_stream(target, ScalarType::i8, in, out, stream))); }
#else
REFUSED_AT_RUN_TIME { return check_dma_stream(target, ScalarType::i8, in, out, stream).refusal(); }
#endif
