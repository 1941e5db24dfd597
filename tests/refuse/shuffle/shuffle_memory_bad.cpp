// Chips exchange data from HBM to HBM, or from DM to DM; clusters of a chip from DM to DM, or from SPM to SPM. HBM has no clusters, and a scratchpad is
// reached from its own chip only. A shuffle does not change the memory on the way.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/shuffle.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 4, E = 64);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<E>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<E>{})};
constexpr std::int64_t from[] = {1, 0};
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_cluster_shuffle(target, ScalarType::i8, 4, in, from, 2, out))); }
#else
REFUSED_AT_RUN_TIME { return check_cluster_shuffle(target, ScalarType::i8, 4, in, from, 2, out).refusal(); }
#endif
