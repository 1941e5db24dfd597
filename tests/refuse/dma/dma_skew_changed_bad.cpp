// A skewed factor, the result of `chip_slice`, begins at another element on every chip. One transfer is the same command for all chips, so it can move
// such a factor, and cannot turn it back into an ordinary one.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/dma.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 4, B = 4, E = 64);
constexpr Mapping turned = pair(skew(m<B>{}, m<A>{}), m<E>{});
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, turned)};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<B, E>{})};
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_transfer(target, ScalarType::i8, 4, in, out))); }
#else
REFUSED_AT_RUN_TIME { return check_transfer(target, ScalarType::i8, 4, in, out).refusal(); }
#endif
