// DM is written in rows of 8 bytes, so a packet into DM has a multiple of 8 bytes.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/dma.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 256, C = 16);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A, C>{})};
constexpr DmaTensor out{.memory = Memory::Dm,
                        .levels = Levels{}.set(Level::cluster, m<one.pad(2)>{}).set(Level::slice, m<A>{}).set(Level::element, m<C>{})};
constexpr Levels stream = Levels{}.set(Level::time, m<A, C / 4>{}).set(Level::packet, m<C % 4>{});
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_dma_stream(target, ScalarType::i8, in, out, stream))); }
#else
REFUSED_AT_RUN_TIME { return check_dma_stream(target, ScalarType::i8, in, out, stream).refusal(); }
#endif
