// Shuffles exchange tensors between chips or clusters.
#include "tcp/rules/shuffle.hpp"
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"

using namespace tcp;

// # shuffle-count
// A shuffle names a source for each chip (or cluster): the c-th number is the one that chip c gets its data from. The machine has as many chips as Chip
// has positions.
namespace shuffle_count {
TCP_AXES(A = 4, E = 64);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<E>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<E>{})};
constexpr std::int64_t from[] = {1, 2, 0};
// error[shuffle-count]: a shuffle of 4 chips names one source for each; 3 are given; help: write 4 numbers
REFUSED(check_chip_shuffle(target, ScalarType::i8, 4, in, from, 3, out));
}  // namespace shuffle_count

// # shuffle-memory
// Chips exchange data from HBM to HBM, or from DM to DM; clusters of a chip from DM to DM, or from SPM to SPM. HBM has no clusters, and a scratchpad is
// reached from its own chip only. A shuffle does not change the memory on the way.
namespace shuffle_memory {
TCP_AXES(A = 4, E = 64);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<E>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<E>{})};
constexpr std::int64_t from[] = {1, 0};
// error[shuffle-memory]: clusters are shuffled from SPM to SPM or from DM to DM, not from HBM to HBM; help: move the tensor there first
REFUSED(check_cluster_shuffle(target, ScalarType::i8, 4, in, from, 2, out));
}  // namespace shuffle_memory

// # shuffle-not-permutation
// Each chip (or cluster) is the source of exactly one: otherwise the data of another would be lost without a word. To give one chip's data to several,
// transfer it to a tensor with copies on Chip.
namespace shuffle_not_permutation {
TCP_AXES(A = 4, E = 64);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<E>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<E>{})};
constexpr std::int64_t from[] = {1, 2, 2, 0};
// error[shuffle-not-permutation]: chips 1 and 2 are both to get what chip 2 holds, so that of some other chip is lost; help: name every chip once; to give one chip's data to all, transfer it to a tensor with copies on Chip
REFUSED(check_chip_shuffle(target, ScalarType::i8, 4, in, from, 4, out));
}  // namespace shuffle_not_permutation

// # shuffle-out-of-range
// The c-th number of a shuffle is the chip (or cluster) that chip c gets its data from, counted from 0.
namespace shuffle_out_of_range {
TCP_AXES(A = 4, E = 64);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<E>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<E>{})};
constexpr std::int64_t from[] = {1, 2, 3, 4};
// error[shuffle-out-of-range]: chip 3 is to get what chip 4 holds; there are 4; help: use numbers from 0 to 3
REFUSED(check_chip_shuffle(target, ScalarType::i8, 4, in, from, 4, out));
}  // namespace shuffle_out_of_range

// # shuffle-wrong-result
// A shuffle goes by positions, and its result has the mapping that the author declares. That mapping must have the same places: the same sizes, an
// element wherever one arrives and padding where padding arrives.
namespace shuffle_wrong_result {
TCP_AXES(A = 4, E = 64, N = 32);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<E>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<N>{})};
constexpr std::int64_t from[] = {1, 2, 3, 0};
// error[shuffle-wrong-result]: the result is declared with Element m![N]; it has other places than m![E] brings; help: use a mapping of 64 positions with the same padding
REFUSED(check_chip_shuffle(target, ScalarType::i8, 4, in, from, 4, out));
}  // namespace shuffle_wrong_result
