// A row of the table is found at its number times one stride, so the row axis is one whole factor of the table: not cut into blocks, and not spread over
// chips or clusters.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/gather.hpp"

using namespace tcp;

namespace {
TCP_AXES(V = 1000, D = 64, I = 16);
constexpr DmaTensor table{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<V / 8, D, V % 8>{})};
constexpr DmaTensor numbers{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<I>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<I, D>{})};
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_gather(target, ScalarType::bf16, 1, table, Name("V"), ScalarType::i32, numbers, out))); }
#else
REFUSED_AT_RUN_TIME { return check_gather(target, ScalarType::bf16, 1, table, Name("V"), ScalarType::i32, numbers, out).refusal(); }
#endif
