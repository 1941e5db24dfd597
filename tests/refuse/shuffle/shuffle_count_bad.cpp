// A shuffle names a source for each chip (or cluster): the c-th number is the one that chip c gets its data from. The machine has as many chips as Chip
// has positions.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/shuffle.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 4, E = 64);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<E>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<E>{})};
constexpr std::int64_t from[] = {1, 2, 0};
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_chip_shuffle(target, ScalarType::i8, 4, in, from, 3, out))); }
#else
REFUSED_AT_RUN_TIME { return check_chip_shuffle(target, ScalarType::i8, 4, in, from, 3, out).refusal(); }
#endif
