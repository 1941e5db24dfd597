// A packet is read at one address and written at one address, so its elements lie next to each other in the source and in the destination. What lies
// apart on either side belongs to Time.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/dma.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 8, B = 8, C = 256);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A, B, C>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<B, A, C>{})};
constexpr Levels stream = Levels{}.set(Level::time, m<A>{}).set(Level::packet, m<B, C>{});
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_dma_stream(target, ScalarType::i8, in, out, stream))); }
#else
REFUSED_AT_RUN_TIME { return check_dma_stream(target, ScalarType::i8, in, out, stream).refusal(); }
#endif
