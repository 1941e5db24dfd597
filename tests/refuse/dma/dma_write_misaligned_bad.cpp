// DM is written in rows of 8 bytes, at multiples of 8. The runs of this transfer are long enough, but from one to the next the destination moves on by
// another number of bytes. Pad the rows of the DM tensor to a multiple of 8 bytes.
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
    .levels = Levels{}.set(Level::cluster, m<one.pad(2)>{}).set(Level::slice, m<A / 2>{}).set(Level::element, m<A % 2, B.pad(68)>{})};
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_transfer(target, ScalarType::i8, 1, in, out))); }
#else
REFUSED_AT_RUN_TIME { return check_transfer(target, ScalarType::i8, 1, in, out).refusal(); }
#endif
