// Gather and scatter move rows of a table in the order that an index tensor says. Shuffles exchange tensors between chips or clusters, and `chip_slice` copies to each
// chip a slice of its own, in the order that the call says.
#include "tcp/rules/gather.hpp"
#include "helpers/asked.hpp"
#include "helpers/kernels.hpp"
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/shuffle.hpp"

using namespace tcp;
using namespace tcp_refuse;

// # gather-axis-in-table
// Every number of the index tensor may name any row of the whole table. An axis that both have would mean a different table for each of its positions,
// which the engine cannot do in one command; rename it, or gather one position after the other.
namespace gather_axis_in_table {
TCP_AXES(V = 1000, D = 64, I = 16, J = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<bf16, Chip, m<I, V, D>>& table, const HbmTensor<i32, Chip, m<I>>& rows) {
  // error[gather-axis-in-table]: axis I counts the picked rows, and the table has it as well: HBM Element m![I, V, D]; help: rename the axis in the index tensor
  return table.gather_to_hbm<V, m<I, D>>(ctx.tdma, rows, 1 << 24);
}

auto after(Context& ctx, const HbmTensor<bf16, Chip, m<I, V, D>>& table, const HbmTensor<i32, Chip, m<J>>& rows) {
  return table.gather_to_hbm<V, m<J, I, D>>(ctx.tdma, rows, 1 << 24);
}
#endif
constexpr DmaTensor table{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<I, V, D>{})};
constexpr DmaTensor numbers{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<I>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<I, D>{})};
REFUSED(check_gather(target, ScalarType::bf16, 1, table, Name("V"), ScalarType::i32, numbers, out));
}  // namespace gather_axis_in_table

// # gather-byte-offsets
// An offset in bytes is added to the address of the table in its memory. So the rows begin at whole bytes, and all of them are in one memory: rows that are spread over slices have positions and no offsets.
namespace gather_byte_offsets {
TCP_AXES(V = 256, D = 64, I = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, m<V>, m<D>>& table, const HbmTensor<i32, Chip, m<I>>& rows) {
  // error[gather-byte-offsets]: byte offsets name rows of axis V, which do not begin at bytes of one memory: DM Cluster m![1 # 2] Slice m![V] Element m![D]; help: keep the rows in Element, or name them by their positions
  return table.gather_to_hbm<V, m<I, D>>(ctx.tdma, by_byte_offsets(rows), 1 << 24);
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, m<V>, m<D>>& table, const HbmTensor<i32, Chip, m<I>>& rows) {
  return table.gather_to_hbm<V, m<I, D>>(ctx.tdma, by_positions(rows), 1 << 24);
}
#endif
constexpr DmaTensor table{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<V>{})};
constexpr DmaTensor numbers{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<I>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<I>{})};
// error[gather-byte-offsets]: byte offsets name rows of axis V, which do not begin at bytes of one memory: HBM Element m![V]; help: pad the rows to whole bytes, or name them by their positions
REFUSED(check_gather(target, ScalarType::i4, 1, table, Name("V"), ScalarType::i32, numbers, out, {}, RowKeys::byte_offsets));
}  // namespace gather_byte_offsets

// # gather-count-axes
// `.first(n)` means the first n numbers of an index tensor. Numbers that are counted by several axes have no first ones: which comes after which is a matter of the layout.
// run time only: the count comes with the launch
namespace gather_count_axes {
TCP_AXES(V = 1000, D = 64, I = 16, J = 4);
using Table = HbmTensor<bf16, m<1>, m<V, D>>;
auto before(Context& ctx, const Table& table, const HbmTensor<i32, m<1>, m<I, J>>& rows) {
  return table.gather_to_hbm<V, m<I, J, D>>(ctx.tdma, by_positions(rows).first(3));
}
auto after(Context& ctx, const Table& table, const HbmTensor<i32, m<1>, m<I>>& rows) {
  return table.gather_to_hbm<V, m<I, D>>(ctx.tdma, by_positions(rows).first(16));
}
template <class Index>
Verdict launched(auto kernel) {
  return outcome([&] {
    auto ctx = Context::acquire();
    auto const table = HostTensor<bf16, m<V, D>>().to_hbm<m<1>, m<V, D>>(ctx.pdma);
    auto const rows = HostTensor<i32, Index>().template to_hbm<m<1>, Index>(ctx.pdma);
    (void)launch(kernel, ctx, table, rows).get();
  });
}
// error[gather-count-axes]: the first rows of an index tensor that counts 2 axes: m![I, J]; help: count the numbers of the index tensor by one axis
REFUSED_AT_RUN_TIME { return launched<m<I, J>>(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return launched<m<I>>(after); }
}  // namespace gather_count_axes

// # gather-from-host
// Rows are picked by the DMA engines of the device, which reach HBM, DM and SPM. Copy the index tensor, the table and the rows to HBM first.
namespace gather_from_host {
constexpr const char* before = R"(
axes V = 1000, D = 64, I = 16
hbm table: bf16 Element[V, D] at 0
host rows: i32 Element[I]
hbm out: bf16 Element[I, D] at 524288
gather table -> out (rows: rows, axis: V)
)";
constexpr const char* after = R"(
axes V = 1000, D = 64, I = 16
hbm table: bf16 Element[V, D] at 0
hbm rows: i32 Element[I] at 262144
hbm out: bf16 Element[I, D] at 524288
gather table -> out (rows: rows, axis: V)
)";
// error[gather-from-host]: rows are picked on the device; the index tensor is in host memory; help: copy it to HBM first
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(V = 1000, D = 64, I = 16);
constexpr DmaTensor table{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<V, D>{})};
constexpr DmaTensor numbers{.memory = Memory::Host, .levels = Levels{}.set(Level::element, m<I>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<I, D>{})};
REFUSED(check_gather(target, ScalarType::bf16, 1, table, Name("V"), ScalarType::i32, numbers, out));
}  // namespace gather_from_host

// # gather-index-axes
// There is one row number for each row that is moved: the other tensor has all the axes of the index tensor, with all their steps, and the index tensor
// has all the steps that the other tensor asks for.
namespace gather_index_axes {
TCP_AXES(V = 1000, D = 64, I = 16, J = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<bf16, Chip, m<V, D>>& table, const HbmTensor<i32, Chip, m<I>>& rows) {
  // error[gather-index-axes]: the index tensor has HBM Element m![I]; the destination does not have the same steps of I: HBM Element m![J, D]; help: give both the same axes
  return table.gather_to_hbm<V, m<J, D>>(ctx.tdma, rows, 1 << 24);
}

auto after(Context& ctx, const HbmTensor<bf16, Chip, m<V, D>>& table, const HbmTensor<i32, Chip, m<I>>& rows) {
  return table.gather_to_hbm<V, m<I, D>>(ctx.tdma, rows, 1 << 24);
}
#endif
constexpr DmaTensor table{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<V, D>{})};
constexpr DmaTensor numbers{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<I>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<J, D>{})};
REFUSED(check_gather(target, ScalarType::bf16, 1, table, Name("V"), ScalarType::i32, numbers, out));
}  // namespace gather_index_axes

// # gather-index-type
// The engine reads row numbers as 32-bit integers.
namespace gather_index_type {
TCP_AXES(V = 1000, D = 64, I = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<bf16, Chip, m<V, D>>& table, const HbmTensor<i16, Chip, m<I>>& rows) {
  // error[gather-index-type]: row numbers are i32; the index tensor is i16; help: use an index tensor of i32
  return table.gather_to_hbm<V, m<I, D>>(ctx.tdma, rows, 1 << 24);
}

auto after(Context& ctx, const HbmTensor<bf16, Chip, m<V, D>>& table, const HbmTensor<i32, Chip, m<I>>& rows) {
  return table.gather_to_hbm<V, m<I, D>>(ctx.tdma, rows, 1 << 24);
}
#endif
constexpr DmaTensor table{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<V, D>{})};
constexpr DmaTensor numbers{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<I>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<I, D>{})};
REFUSED(check_gather(target, ScalarType::bf16, 1, table, Name("V"), ScalarType::i16, numbers, out));
}  // namespace gather_index_type

// # gather-row-misaligned
// Into DM, and from HBM to DM, DMA goes at multiples of 8 bytes. Any row may be picked, so the rows of the table are a multiple of 8 bytes apart.
namespace gather_row_misaligned {
TCP_AXES(V = 1000, D = 64, I = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<bf16, Chip, m<V, D.pad(66)>>& table, const HbmTensor<i32, Chip, m<I>>& rows) {
  // error[gather-row-misaligned]: a row of the table is 132 bytes further on than the one before: HBM Element m![V, D # 66]; help: pad the rows to a multiple of 8 bytes
  return table.gather_to_dm<V, Cluster, m<I.pad(256)>, m<D>>(ctx.tdma, rows, 0);
}

auto after(Context& ctx, const HbmTensor<bf16, Chip, m<V, D.pad(68)>>& table, const HbmTensor<i32, Chip, m<I>>& rows) {
  return table.gather_to_dm<V, Cluster, m<I.pad(256)>, m<D>>(ctx.tdma, rows, 0);
}
#endif
constexpr DmaTensor table{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<V, D.pad(66)>{})};
constexpr DmaTensor numbers{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<I>{})};
constexpr DmaTensor out{
    .memory = Memory::Dm,
    .levels = Levels{}.set(Level::cluster, m<one.pad(2)>{}).set(Level::slice, m<I.pad(256)>{}).set(Level::element, m<D>{})};
REFUSED(check_gather(target, ScalarType::bf16, 1, table, Name("V"), ScalarType::i32, numbers, out));
}  // namespace gather_row_misaligned

// # gather-rows-kept
// Gather puts the axes of the index tensor in the place of the table's row axis: `out[I, D] = table[V = index[I], D]`. If the other tensor had the row
// axis too, it would be said twice which row an element belongs to.
namespace gather_rows_kept {
TCP_AXES(V = 1000, D = 64, I = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<bf16, Chip, m<V, D>>& table, const HbmTensor<i32, Chip, m<I>>& rows) {
  // error[gather-rows-kept]: axis V counts the table's rows; the destination has it as well: HBM Element m![I, V, D]; help: use the axes of the index tensor there
  return table.gather_to_hbm<V, m<I, V, D>>(ctx.tdma, rows, 1 << 24);
}

auto after(Context& ctx, const HbmTensor<bf16, Chip, m<V, D>>& table, const HbmTensor<i32, Chip, m<I>>& rows) {
  return table.gather_to_hbm<V, m<I, D>>(ctx.tdma, rows, 1 << 24);
}
#endif
constexpr DmaTensor table{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<V, D>{})};
constexpr DmaTensor numbers{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<I>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<I, V, D>{})};
REFUSED(check_gather(target, ScalarType::bf16, 1, table, Name("V"), ScalarType::i32, numbers, out));
}  // namespace gather_rows_kept

// # gather-rows-not-whole
// A row of the table is found at its number times one stride, so the row axis is one whole factor of the table: not cut into blocks, and not spread over
// chips or clusters.
namespace gather_rows_not_whole {
TCP_AXES(V = 1000, D = 64, I = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const HbmTensor<bf16, Chip, m<V / 8, D, V % 8>>& table, const HbmTensor<i32, Chip, m<I>>& rows) {
  // error[gather-rows-not-whole]: rows are counted by axis V, which the table does not hold as one whole factor of Slice or Element: HBM Element m![V / 8, D, V % 8]; help: keep the axis whole, on one level of the table
  return table.gather_to_hbm<V, m<I, D>>(ctx.tdma, rows, 1 << 24);
}

auto after(Context& ctx, const HbmTensor<bf16, Chip, m<V, D>>& table, const HbmTensor<i32, Chip, m<I>>& rows) {
  return table.gather_to_hbm<V, m<I, D>>(ctx.tdma, rows, 1 << 24);
}
#endif
constexpr DmaTensor table{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<V / 8, D, V % 8>{})};
constexpr DmaTensor numbers{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<I>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<I, D>{})};
REFUSED(check_gather(target, ScalarType::bf16, 1, table, Name("V"), ScalarType::i32, numbers, out));
}  // namespace gather_rows_not_whole

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
