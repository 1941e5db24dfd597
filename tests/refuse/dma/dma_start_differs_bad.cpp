// A mapping with a start, `B @ 16`, holds the axis from there on. A transfer moves a tensor as it is; if the destination began elsewhere, elements would
// be missing at one end and invented at the other. To move a part, take a tile of the source.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/dma.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 512, B = 64);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A, B.from(16).resize(32)>{})};
constexpr DmaTensor out{
    .memory = Memory::Dm,
    .levels = Levels{}.set(Level::cluster, m<A / 256>{}).set(Level::slice, m<A % 256>{}).set(Level::element, m<B % 32>{})};
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_transfer(target, ScalarType::i8, 1, in, out))); }
#else
REFUSED_AT_RUN_TIME { return check_transfer(target, ScalarType::i8, 1, in, out).refusal(); }
#endif
