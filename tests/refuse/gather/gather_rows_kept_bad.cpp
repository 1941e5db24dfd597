// Gather puts the axes of the index tensor in the place of the table's row axis: `out[I, D] = table[V = index[I], D]`. If the other tensor had the row
// axis too, it would be said twice which row an element belongs to.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/gather.hpp"

using namespace tcp;

namespace {
TCP_AXES(V = 1000, D = 64, I = 16);
constexpr DmaTensor table{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<V, D>{})};
constexpr DmaTensor numbers{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<I>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<I, V, D>{})};
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_gather(target, ScalarType::bf16, 1, table, Name("V"), ScalarType::i32, numbers, out))); }
#else
REFUSED_AT_RUN_TIME { return check_gather(target, ScalarType::bf16, 1, table, Name("V"), ScalarType::i32, numbers, out).refusal(); }
#endif
