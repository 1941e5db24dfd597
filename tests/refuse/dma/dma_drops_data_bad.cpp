// A destination holds the same tensor as the source, so every live element must find a place in it. Leaving some behind without a word is how data gets
// lost.
//
// To move a part, say so with a tile of the source: `in.tile<m<B>, 32>(0)`.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/dma.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 512, B = 64);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A, B>{})};
constexpr DmaTensor out{
    .memory = Memory::Dm,
    .levels = Levels{}.set(Level::cluster, m<A / 256>{}).set(Level::slice, m<A % 256>{}).set(Level::element, m<B % 32>{})};
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_transfer(target, ScalarType::i8, 1, in, out))); }
#else
REFUSED_AT_RUN_TIME { return check_transfer(target, ScalarType::i8, 1, in, out).refusal(); }
#endif
