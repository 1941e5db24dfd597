// Shuffles exchange tensors between chips or clusters.
#include "tcp/rules/shuffle.hpp"
#include "helpers/asked.hpp"
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"

using namespace tcp;
using namespace tcp_refuse;

// # shuffle-count
// A shuffle names a source for each chip (or cluster): the c-th number is the one that chip c gets its data from. The machine has as many chips as Chip
// has positions.
namespace shuffle_count {
constexpr const char* before = R"(
module turn (chips: 4)
axes A = 4, E = 64
hbm x: i8 Chip[A] Element[E] at 0
hbm y: i8 Chip[A] Element[E] at 4096
chip_shuffle x -> y (permutation: (1, 2, 0))
)";
constexpr const char* after = R"(
module turn (chips: 4)
axes A = 4, E = 64
hbm x: i8 Chip[A] Element[E] at 0
hbm y: i8 Chip[A] Element[E] at 4096
chip_shuffle x -> y (permutation: (1, 2, 3, 0))
)";
// error[shuffle-count]: a shuffle of 4 chips names one source for each; 3 are given; help: write 4 numbers
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(A = 4, E = 64);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<E>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<E>{})};
constexpr std::int64_t from[] = {1, 2, 0};
REFUSED(check_chip_shuffle(target, ScalarType::i8, 4, in, from, 3, out));
}  // namespace shuffle_count

// # shuffle-memory
// Chips exchange data from HBM to HBM, or from DM to DM; clusters of a chip from DM to DM, or from SPM to SPM. HBM has no clusters, and a scratchpad is
// reached from its own chip only. A shuffle does not change the memory on the way.
namespace shuffle_memory {
constexpr const char* before = R"(
axes C = 2, E = 64
hbm x: i8 Element[C, E] at 0
hbm y: i8 Element[C, E] at 4096
cluster_shuffle x -> y (permutation: (1, 0))
)";
constexpr const char* after = R"(
axes C = 2, E = 64
dm x: i8 Cluster[C] Slice[1 # 256] Element[E] at 0
dm y: i8 Cluster[C] Slice[1 # 256] Element[E] at 4096
cluster_shuffle x -> y (permutation: (1, 0))
)";
// error[shuffle-memory]: clusters are shuffled from SPM to SPM or from DM to DM, not from HBM to HBM; help: move the tensor there first
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(A = 4, E = 64);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<E>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<E>{})};
constexpr std::int64_t from[] = {1, 0};
REFUSED(check_cluster_shuffle(target, ScalarType::i8, 4, in, from, 2, out));
}  // namespace shuffle_memory

// # shuffle-not-permutation
// Each chip (or cluster) is the source of exactly one: otherwise the data of another would be lost without a word. To give one chip's data to several,
// transfer it to a tensor with copies on Chip.
namespace shuffle_not_permutation {
constexpr const char* before = R"(
module turn (chips: 4)
axes A = 4, E = 64
hbm x: i8 Chip[A] Element[E] at 0
hbm y: i8 Chip[A] Element[E] at 4096
chip_shuffle x -> y (permutation: (1, 2, 2, 0))
)";
constexpr const char* after = R"(
module turn (chips: 4)
axes A = 4, E = 64
hbm x: i8 Chip[A] Element[E] at 0
hbm y: i8 Chip[A] Element[E] at 4096
chip_shuffle x -> y (permutation: (1, 2, 3, 0))
)";
// error[shuffle-not-permutation]: chips 1 and 2 are both to get what chip 2 holds, so that of some other chip is lost; help: name every chip once; to give one chip's data to all, transfer it to a tensor with copies on Chip
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(A = 4, E = 64);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<E>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<E>{})};
constexpr std::int64_t from[] = {1, 2, 2, 0};
REFUSED(check_chip_shuffle(target, ScalarType::i8, 4, in, from, 4, out));
}  // namespace shuffle_not_permutation

// # shuffle-out-of-range
// The c-th number of a shuffle is the chip (or cluster) that chip c gets its data from, counted from 0.
namespace shuffle_out_of_range {
constexpr const char* before = R"(
module turn (chips: 4)
axes A = 4, E = 64
hbm x: i8 Chip[A] Element[E] at 0
hbm y: i8 Chip[A] Element[E] at 4096
chip_shuffle x -> y (permutation: (1, 2, 3, 4))
)";
constexpr const char* after = R"(
module turn (chips: 4)
axes A = 4, E = 64
hbm x: i8 Chip[A] Element[E] at 0
hbm y: i8 Chip[A] Element[E] at 4096
chip_shuffle x -> y (permutation: (1, 2, 3, 0))
)";
// error[shuffle-out-of-range]: chip 3 is to get what chip 4 holds; there are 4; help: use numbers from 0 to 3
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(A = 4, E = 64);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<E>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<E>{})};
constexpr std::int64_t from[] = {1, 2, 3, 4};
REFUSED(check_chip_shuffle(target, ScalarType::i8, 4, in, from, 4, out));
}  // namespace shuffle_out_of_range

// # shuffle-wrong-result
// A shuffle goes by positions, and its result has the mapping that the author declares. That mapping must have the same places: the same sizes, an
// element wherever one arrives and padding where padding arrives.
namespace shuffle_wrong_result {
constexpr const char* before = R"(
module turn (chips: 4)
axes A = 4, E = 64, N = 32
hbm x: i8 Chip[A] Element[E] at 0
hbm y: i8 Chip[A] Element[N] at 4096
chip_shuffle x -> y (permutation: (1, 2, 3, 0))
)";
constexpr const char* after = R"(
module turn (chips: 4)
axes A = 4, E = 64, N = 32
hbm x: i8 Chip[A] Element[E] at 0
hbm y: i8 Chip[A] Element[E] at 4096
chip_shuffle x -> y (permutation: (1, 2, 3, 0))
)";
// error[shuffle-wrong-result]: the result is declared with Element m![N]; it has other places than m![E] brings; help: use a mapping of 64 positions with the same padding
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(A = 4, E = 64, N = 32);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<E>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<N>{})};
constexpr std::int64_t from[] = {1, 2, 3, 0};
REFUSED(check_chip_shuffle(target, ScalarType::i8, 4, in, from, 4, out));
}  // namespace shuffle_wrong_result
