// Gather and scatter move rows of a table in the order that an index tensor says.
#include "tcp/rules/gather.hpp"
#include "helpers/asked.hpp"
#include "helpers/kernels.hpp"
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"

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
