// Source and destination of a transfer hold the same tensor. An axis that the source does not have at all is repeated in the destination; of an axis
// that it has, every step that the destination asks for must be there.
//
// Here the source has half of B, and nothing says what the other half of the destination should be.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/dma.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 512, B = 64);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A, B % 32>{})};
constexpr DmaTensor out{.memory = Memory::Dm,
                        .levels = Levels{}.set(Level::cluster, m<A / 256>{}).set(Level::slice, m<A % 256>{}).set(Level::element, m<B>{})};
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_transfer(target, ScalarType::i8, 1, in, out))); }
#else
REFUSED_AT_RUN_TIME { return check_transfer(target, ScalarType::i8, 1, in, out).refusal(); }
#endif
