// Into DM, and from HBM to DM, DMA goes at multiples of 8 bytes. Any row may be picked, so the rows of the table lie a multiple of 8 bytes apart.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/gather.hpp"

using namespace tcp;

namespace {
TCP_AXES(V = 1000, D = 64, I = 16);
constexpr DmaTensor table{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<V, D.pad(66)>{})};
constexpr DmaTensor numbers{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<I>{})};
constexpr DmaTensor out{
    .memory = Memory::Dm,
    .levels = Levels{}.set(Level::cluster, m<one.pad(2)>{}).set(Level::slice, m<I.pad(256)>{}).set(Level::element, m<D>{})};
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_gather(target, ScalarType::bf16, 1, table, Name("V"), ScalarType::i32, numbers, out))); }
#else
REFUSED_AT_RUN_TIME { return check_gather(target, ScalarType::bf16, 1, table, Name("V"), ScalarType::i32, numbers, out).refusal(); }
#endif
