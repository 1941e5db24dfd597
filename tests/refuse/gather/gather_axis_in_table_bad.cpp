// Every number of the index tensor may name any row of the whole table. An axis that both have would mean a different table for each of its positions,
// which the engine cannot do in one command; rename it, or gather one position after the other.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/gather.hpp"

using namespace tcp;

namespace {
TCP_AXES(V = 1000, D = 64, I = 16);
constexpr DmaTensor table{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<I, V, D>{})};
constexpr DmaTensor numbers{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<I>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<I, D>{})};
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_gather(target, ScalarType::bf16, 1, table, Name("V"), ScalarType::i32, numbers, out))); }
#else
REFUSED_AT_RUN_TIME { return check_gather(target, ScalarType::bf16, 1, table, Name("V"), ScalarType::i32, numbers, out).refusal(); }
#endif
