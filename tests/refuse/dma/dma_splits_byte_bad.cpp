// Two elements of a 4-bit type share a byte, and a byte is the smallest thing that DMA moves. A layout change that tears such pairs apart has to go
// through the Tensor Unit.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/dma.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 512, B = 64);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A, B>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<B, A>{})};
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_transfer(target, ScalarType::i4, 1, in, out))); }
#else
REFUSED_AT_RUN_TIME { return check_transfer(target, ScalarType::i4, 1, in, out).refusal(); }
#endif
