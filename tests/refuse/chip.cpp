// `chip_slice` copies to each chip a slice of its own, from DM to DM.
#include "helpers/asked.hpp"
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/shuffle.hpp"

using namespace tcp;
using namespace tcp_refuse;

// # chip-slice-count
// `chip_slice` takes one number for each chip: where the slice of that chip begins.
namespace chip_slice_count {
constexpr const char* before = R"(
module parts (chips: 4)
axes A = 4, B = 4, E = 64
dm x: i8 Chip[A] Cluster[1 # 2] Slice[1 # 256] Element[B, E] at 0
dm y: i8 Chip[A] Cluster[1 # 2] Slice[1 # 256] Element[E] at 4096
chip_slice x -> y (permutation: (0, 1, 2), dimension: [B], length: 1)
)";
constexpr const char* after = R"(
module parts (chips: 4)
axes A = 4, B = 4, E = 64
dm x: i8 Chip[A] Cluster[1 # 2] Slice[1 # 256] Element[B, E] at 0
dm y: i8 Chip[A] Cluster[1 # 2] Slice[1 # 256] Element[E] at 4096
chip_slice x -> y (permutation: (0, 1, 2, 3), dimension: [B], length: 1)
)";
// error[chip-slice-count]: each of 4 chips begins its slice somewhere; 3 beginnings are given; help: write 4 numbers
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(A = 4, B = 4, E = 64);
constexpr DmaTensor in{.memory = Memory::Dm,
                       .levels = Levels{}
                                     .set(Level::chip, m<A>{})
                                     .set(Level::cluster, m<one.pad(2)>{})
                                     .set(Level::slice, m<one.pad(256)>{})
                                     .set(Level::element, m<B, E>{})};
constexpr DmaTensor out{.memory = Memory::Dm,
                        .levels = Levels{}
                                      .set(Level::chip, m<A>{})
                                      .set(Level::cluster, m<one.pad(2)>{})
                                      .set(Level::slice, m<one.pad(256)>{})
                                      .set(Level::element, m<E>{})};
constexpr std::int64_t begin[] = {0, 1, 2};
REFUSED(check_chip_slice(target, ScalarType::i8, 4, in, m<B>{}, 1, begin, 3, out));
}  // namespace chip_slice_count

// # chip-slice-memory
// `chip_slice` is a copy by the sub context, which reads and writes DM. Move the tensor to DM first.
namespace chip_slice_memory {
constexpr const char* before = R"(
module parts (chips: 4)
axes A = 4, B = 4, E = 64
hbm x: i8 Chip[A] Element[B, E] at 0
hbm y: i8 Chip[A] Element[E] at 4096
chip_slice x -> y (permutation: (0, 1, 2, 3), dimension: [B], length: 1)
)";
constexpr const char* after = R"(
module parts (chips: 4)
axes A = 4, B = 4, E = 64
dm x: i8 Chip[A] Cluster[1 # 2] Slice[1 # 256] Element[B, E] at 0
dm y: i8 Chip[A] Cluster[1 # 2] Slice[1 # 256] Element[E] at 4096
chip_slice x -> y (permutation: (0, 1, 2, 3), dimension: [B], length: 1)
)";
// error[chip-slice-memory]: a chip's own slice is copied from DM to DM, not from HBM to HBM; help: move the tensor to DM first
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(A = 4, B = 4, E = 64);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<B, E>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<E>{})};
constexpr std::int64_t begin[] = {0, 1, 2, 3};
REFUSED(check_chip_slice(target, ScalarType::i8, 4, in, m<B>{}, 1, begin, 4, out));
}  // namespace chip_slice_memory

// # chip-slice-not-skewed
// A slice of the whole dimension that begins elsewhere on every chip is a rotation, and has a mapping: `skew(B, A)` begins at B = a on the chip where A
// = a. The numbers given must be just these. Otherwise declare the result with another axis, by position.
namespace chip_slice_not_skewed {
constexpr const char* before = R"(
module parts (chips: 4)
axes A = 4, B = 4, E = 64
dm x: i8 Chip[A] Cluster[1 # 2] Slice[1 # 256] Element[B, E] at 0
dm y: i8 Chip[A] Cluster[1 # 2] Slice[1 # 256] Element[skew(B, A), E] at 4096
chip_slice x -> y (permutation: (3, 0, 1, 2), dimension: [B], length: 4)
)";
constexpr const char* after = R"(
module parts (chips: 4)
axes A = 4, B = 4, E = 64
dm x: i8 Chip[A] Cluster[1 # 2] Slice[1 # 256] Element[B, E] at 0
dm y: i8 Chip[A] Cluster[1 # 2] Slice[1 # 256] Element[skew(B, A), E] at 4096
chip_slice x -> y (permutation: (0, 1, 2, 3), dimension: [B], length: 4)
)";
// error[chip-slice-not-skewed]: the result is declared with m![skew(B, A)], which begins at 0 on chip 0; the slice begins at 3; help: begin on each chip at its own coordinate of A, or declare an axis of another name
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(A = 4, B = 4, E = 64);
constexpr DmaTensor in{.memory = Memory::Dm,
                       .levels = Levels{}
                                     .set(Level::chip, m<A>{})
                                     .set(Level::cluster, m<one.pad(2)>{})
                                     .set(Level::slice, m<one.pad(256)>{})
                                     .set(Level::element, m<B, E>{})};
constexpr Mapping turned = pair(skew(m<B>{}, m<A>{}), m<E>{});
constexpr DmaTensor out{.memory = Memory::Dm,
                        .levels = Levels{}
                                      .set(Level::chip, m<A>{})
                                      .set(Level::cluster, m<one.pad(2)>{})
                                      .set(Level::slice, m<one.pad(256)>{})
                                      .set(Level::element, turned)};
constexpr std::int64_t begin[] = {3, 0, 1, 2};
REFUSED(check_chip_slice(target, ScalarType::i8, 4, in, m<B>{}, 4, begin, 4, out));
}  // namespace chip_slice_not_skewed

// # chip-slice-out-of-range
// The slice of every chip is within the dimension: it begins at 0 or later and ends at the dimension's end or before.
namespace chip_slice_out_of_range {
constexpr const char* before = R"(
module parts (chips: 4)
axes A = 4, B = 4, E = 64
dm x: i8 Chip[A] Cluster[1 # 2] Slice[1 # 256] Element[B, E] at 0
dm y: i8 Chip[A] Cluster[1 # 2] Slice[1 # 256] Element[2, E] at 4096
chip_slice x -> y (permutation: (0, 1, 2, 3), dimension: [B], length: 2)
)";
constexpr const char* after = R"(
module parts (chips: 4)
axes A = 4, B = 4, E = 64
dm x: i8 Chip[A] Cluster[1 # 2] Slice[1 # 256] Element[B, E] at 0
dm y: i8 Chip[A] Cluster[1 # 2] Slice[1 # 256] Element[2, E] at 4096
chip_slice x -> y (permutation: (0, 1, 2, 2), dimension: [B], length: 2)
)";
// error[chip-slice-out-of-range]: chip 3 is to keep 2 steps of m![B] from 3 on; there are 4; help: begin at 0 to 2
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(A = 4, B = 4, E = 64);
constexpr DmaTensor in{.memory = Memory::Dm,
                       .levels = Levels{}
                                     .set(Level::chip, m<A>{})
                                     .set(Level::cluster, m<one.pad(2)>{})
                                     .set(Level::slice, m<one.pad(256)>{})
                                     .set(Level::element, m<B, E>{})};
constexpr DmaTensor out{.memory = Memory::Dm,
                        .levels = Levels{}
                                      .set(Level::chip, m<A>{})
                                      .set(Level::cluster, m<one.pad(2)>{})
                                      .set(Level::slice, m<one.pad(256)>{})
                                      .set(Level::element, m<2, E>{})};
constexpr std::int64_t begin[] = {0, 1, 2, 3};
REFUSED(check_chip_slice(target, ScalarType::i8, 4, in, m<B>{}, 2, begin, 4, out));
}  // namespace chip_slice_out_of_range

// # chip-slice-wrong-level
// Each chip keeps a part of its own Element, and everything stays where it is: Cluster and Slice are those of the input. Chip may be named again, with as
// many positions and the same padding, since after a diagonal slice both axes count the chips.
namespace chip_slice_wrong_level {
constexpr const char* before = R"(
module parts (chips: 4)
axes A = 4, B = 4, E = 64, X = 256
dm x: i8 Chip[A] Cluster[1 # 2] Slice[1 # 256] Element[B, E] at 0
dm y: i8 Chip[A] Cluster[1 # 2] Slice[X] Element[E] at 4096
chip_slice x -> y (permutation: (0, 1, 2, 3), dimension: [B], length: 1)
)";
constexpr const char* after = R"(
module parts (chips: 4)
axes A = 4, B = 4, E = 64, X = 256
dm x: i8 Chip[A] Cluster[1 # 2] Slice[1 # 256] Element[B, E] at 0
dm y: i8 Chip[A] Cluster[1 # 2] Slice[1 # 256] Element[E] at 4096
chip_slice x -> y (permutation: (0, 1, 2, 3), dimension: [B], length: 1)
)";
// error[chip-slice-wrong-level]: the result is declared with Slice m![X] where m![1 # 256] arrives; help: keep the level as it is
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(A = 4, B = 4, E = 64, X = 256);
constexpr DmaTensor in{.memory = Memory::Dm,
                       .levels = Levels{}
                                     .set(Level::chip, m<A>{})
                                     .set(Level::cluster, m<one.pad(2)>{})
                                     .set(Level::slice, m<one.pad(256)>{})
                                     .set(Level::element, m<B, E>{})};
constexpr DmaTensor out{
    .memory = Memory::Dm,
    .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::cluster, m<one.pad(2)>{}).set(Level::slice, m<X>{}).set(Level::element, m<E>{})};
constexpr std::int64_t begin[] = {0, 1, 2, 3};
REFUSED(check_chip_slice(target, ScalarType::i8, 4, in, m<B>{}, 1, begin, 4, out));
}  // namespace chip_slice_wrong_level

// # chip-slice-wrong-result
// `chip_slice` keeps Element as it is, but for the dimension, of which `length` steps are left. They may have any name in the result (a bare number,
// another axis), because on every chip they are other elements; what is outside and inside of them stays.
namespace chip_slice_wrong_result {
constexpr const char* before = R"(
module parts (chips: 4)
axes A = 4, B = 4, E = 64
dm x: i8 Chip[A] Cluster[1 # 2] Slice[1 # 256] Element[B, E] at 0
dm y: i8 Chip[A] Cluster[1 # 2] Slice[1 # 256] Element[E % 32, E / 32] at 4096
chip_slice x -> y (permutation: (0, 1, 2, 3), dimension: [B], length: 1)
)";
constexpr const char* after = R"(
module parts (chips: 4)
axes A = 4, B = 4, E = 64
dm x: i8 Chip[A] Cluster[1 # 2] Slice[1 # 256] Element[B, E] at 0
dm y: i8 Chip[A] Cluster[1 # 2] Slice[1 # 256] Element[E] at 4096
chip_slice x -> y (permutation: (0, 1, 2, 3), dimension: [B], length: 1)
)";
// error[chip-slice-wrong-result]: the result is declared with Element m![E % 32, E / 32]; a slice of length 1 of m![B] leaves m![B, E] otherwise as it is; help: replace m![B] in Element by a factor of size 1
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(A = 4, B = 4, E = 64);
constexpr DmaTensor in{.memory = Memory::Dm,
                       .levels = Levels{}
                                     .set(Level::chip, m<A>{})
                                     .set(Level::cluster, m<one.pad(2)>{})
                                     .set(Level::slice, m<one.pad(256)>{})
                                     .set(Level::element, m<B, E>{})};
constexpr DmaTensor out{.memory = Memory::Dm,
                        .levels = Levels{}
                                      .set(Level::chip, m<A>{})
                                      .set(Level::cluster, m<one.pad(2)>{})
                                      .set(Level::slice, m<one.pad(256)>{})
                                      .set(Level::element, m<E % 32, E / 32>{})};
constexpr std::int64_t begin[] = {0, 1, 2, 3};
REFUSED(check_chip_slice(target, ScalarType::i8, 4, in, m<B>{}, 1, begin, 4, out));
}  // namespace chip_slice_wrong_result
