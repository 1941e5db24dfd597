// DM is written at multiples of 8 bytes, and on the way from HBM to DM the source is read at such addresses. Every stride of the stream's walk, beyond
// the packet itself, must be a multiple of 8 bytes on these sides; pad the rows that are not.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/dma.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 256, C = 16);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A, C.pad(20)>{})};
constexpr DmaTensor out{.memory = Memory::Dm,
                        .levels = Levels{}.set(Level::cluster, m<one.pad(2)>{}).set(Level::slice, m<A>{}).set(Level::element, m<C>{})};
constexpr Levels stream = Levels{}.set(Level::time, m<A>{}).set(Level::packet, m<C>{});
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_dma_stream(target, ScalarType::i8, in, out, stream))); }
#else
REFUSED_AT_RUN_TIME { return check_dma_stream(target, ScalarType::i8, in, out, stream).refusal(); }
#endif
