// Rows by an index tensor: gather takes rows of a table in the order that the index tensor says, scatter puts them
// there.
//
//   gather    out[I, D] = table[V = index[I], D]         scatter    table[V = index[I], D] = in[I, D]
//
// The engine's loop over I moves by a number that it reads instead of a fixed stride. So the row axis must be one loop
// in the table: a single whole factor. The number is that of the row, or the offset of the row in bytes. The axes of
// the index tensor take its place on the other side; everything else moves as in any transfer.
#pragma once

#include "tcp/rules/dma.hpp"
#include "tcp/support/round.hpp"

namespace tcp {

struct Gathered {
  DmaPlan row{};  // axes of the index tensor are broadcasts here: their steps are taken from the index
  Level row_level = Level::element;
  std::int64_t row_stride = 1;  // positions of that level from one row to the next
  std::int64_t rows = 1;        // of the table; an index beyond it is refused when the program runs
  std::int64_t key_step = 1;    // what the numbers of the index grow by from one row to the next
};

/// Which numbers of an index tensor name a row: 0, step, 2 step, … below rows times step.
struct RowNumbers {
  std::int64_t rows = 1, step = 1;

  static constexpr RowNumbers of(const Gathered& g) { return {g.rows, g.key_step}; }
};
inline Refusal no_such_row(std::int64_t key, const RowNumbers& numbers, Where at) {
  if (numbers.step == 1)
    return refuse("exec-no-such-row", at)
        .what("the index tensor names row ", key, " of a table of ", numbers.rows, " rows")
        .why("the engine adds the number to an address without looking")
        .help("keep the numbers between 0 and ", numbers.rows - 1);
  return refuse("exec-no-such-row", at)
      .what("the index tensor names byte ", key, " of a table of ", numbers.rows, " rows of ", numbers.step, " bytes")
      .why("the engine adds the number to an address without looking")
      .help("keep the numbers multiples of ", numbers.step, " between 0 and ", (numbers.rows - 1) * numbers.step);
}
inline Refusal row_twice(std::int64_t row, Where at) {
  return refuse("exec-row-twice", at)
      .what("the index tensor of a scatter names row ", row, " twice")
      .why("which of the two is written last is unspecified")
      .help("scatter each row once");
}

namespace detail {

/// The levels with an axis hidden: its positions stay, as padding.
constexpr Levels without_axis(Levels levels, Name axis) {
  for (Mapping& m : levels.at) {
    for (int k = 0; k < m.digits; ++k) {
      Digit& d = m.digit[k];
      if (d.axis == no_axis || !(m.axis[d.axis].name == axis)) continue;
      d = Digit{.pad = Pad::bottom, .stride = 0, .size = 1, .slot = d.slot};
    }
    for (int a = 0; a < m.axes; ++a)
      if (m.axis[a].name == axis) m.axis[a].name = Name{};
  }
  return levels;
}

constexpr bool counts_axis(const Levels& levels, Name axis) {
  for (const Mapping& m : levels.at) {
    int const a = find_axis(m, axis);
    if (a >= 0 && coarsest_digit(m, a) >= 0) return true;
  }
  return false;
}

constexpr Expected<Gathered> check_rows(const Device& device, ScalarType type, std::int64_t chips, const DmaTensor& table, Name rows,
                                        ScalarType index_type, const DmaTensor& index, RowKeys keys, const DmaTensor& picked, bool scatter,
                                        Where at) {
  for (const DmaTensor* t : {&table, &index, &picked}) {
    auto const link = link_between(t->memory, Memory::Hbm, at);
    if (!link) return link.refusal();
    if (*link == DmaLink::pcie)
      return refuse("gather-from-host", at)
          .what("rows are picked on the device; ",
                t == &table   ? "the table"
                : t == &index ? "the index tensor"
                              : "the other tensor",
                " is in host memory")
          .why("the DMA engines reach HBM, DM and SPM")
          .help("copy it to HBM first");
    if (auto v = check_dma_tensor(device, t == &index ? index_type : type, chips, *t, at); !v) return v.refusal();
  }
  if (index_type != ScalarType::i32)
    return refuse("gather-index-type", at)
        .what("row numbers are i32; the index tensor is ", index_type)
        .why("the engine reads them as 32-bit integers")
        .help("use an index tensor of i32");

  Gathered g;
  int found = 0;
  bool whole = false;
  for (int l = 0; l < level_count; ++l) {
    Mapping const& m = table.levels.at[l];
    for (int k = 0; k < m.digits; ++k) {
      Digit const& d = m.digit[k];
      if (d.axis == no_axis || !(m.axis[d.axis].name == rows)) continue;
      ++found;
      g.row_level = static_cast<Level>(l);
      g.row_stride = footprints(m).inside[k];
      g.rows = d.size;
      whole = d.stride == 1 && d.size == m.axis[d.axis].extent && m.axis[d.axis].start == 0 && !d.in_window() && d.skewed_by == no_axis;
    }
  }
  bool const one_loop = found == 1 && whole && (g.row_level == Level::element || g.row_level == Level::slice);
  if (!one_loop)
    return refuse("gather-rows-not-whole", at)
        .what("rows are counted by axis ", rows, ", which the table does not hold as one whole factor of Slice or Element: ", SideOf{table})
        .why("a row is found at its number times one stride")
        .help(found == 0 ? "name an axis of the table; a table of one row has no axis for it, and its row is moved by a plain transfer"
                         : "keep the axis whole, on one level of the table");
  std::int64_t const row_bits = g.row_stride * scalar_info(type).packet_bits;
  if (keys == RowKeys::byte_offsets) {
    if (g.row_level != Level::element || row_bits % 8 != 0)
      return refuse("gather-byte-offsets", at)
          .what("byte offsets name rows of axis ", rows, ", which do not begin at bytes of one memory: ", SideOf{table})
          .why("an offset is added to the address of the table in its unit")
          .help(g.row_level != Level::element ? "keep the rows in Element, or name them by their positions"
                                              : "pad the rows to whole bytes, or name them by their positions");
    g.key_step = row_bits / 8;
  }
  if (counts_axis(picked.levels, rows))
    return refuse("gather-rows-kept", at)
        .what("axis ", rows, " counts the table's rows; the ", scatter ? "source" : "destination", " has it as well: ", SideOf{picked})
        .why("which row an element belongs to is what the index tensor says")
        .help("use the axes of the index tensor there");

  Levels others = picked.levels;
  for (const Mapping& m : index.levels.at) {
    for (int a = 0; a < m.axes; ++a) {
      Name const over = m.axis[a].name;
      if (coarsest_digit(m, a) < 0) continue;
      if (counts_axis(table.levels, over))
        return refuse("gather-axis-in-table", at)
            .what("axis ", over, " counts the picked rows, and the table has it as well: ", SideOf{table})
            .why("every picked row may be any row of the whole table")
            .help("rename the axis in the index tensor");
      others = without_axis(others, over);
    }
  }
  Pairing const numbers = pair_levels(index.levels, picked.levels);
  if (!numbers.ok() || numbers.drops)
    return refuse("gather-index-axes", at)
        .what("the index tensor has ", SideOf{index}, "; the ", scatter ? "source" : "destination", " does not have the same steps of ",
              numbers.ok() ? numbers.dropped_axis : numbers.axis, ": ", SideOf{picked})
        .why("there is one row number for each row that is moved")
        .help("give both the same axes");

  DmaTensor hidden = table, rest = picked;
  hidden.levels = without_axis(table.levels, rows);
  if (scatter) rest.levels = others;
  DmaTensor const &from = scatter ? rest : hidden, &to = scatter ? hidden : rest;
  Pairing const moves = pair_levels(from.levels, to.levels);
  if (!moves.ok()) return dma_fault(moves, scatter ? picked : table, scatter ? table : picked, at);
  if (moves.drops) return dma_loss(moves, scatter ? picked : table, scatter ? table : picked, at);
  auto const plan = dma_packets(device, type, moves, from, to, at);
  if (!plan) return plan.refusal();
  std::int64_t const bits = scalar_info(type).packet_bits, unit = device.dm.write_alignment.value;
  bool const aligned = g.row_stride * bits % (8 * unit) == 0 || g.row_level != Level::element;
  bool const matters = to.memory == Memory::Dm && (scatter || from.memory == Memory::Hbm);
  if (device.checks.dma_alignment && matters && !aligned)
    return refuse("gather-row-misaligned", at)
        .what("a row of the table is ", ceil_div(g.row_stride * bits, 8), " bytes further on than the one before: ", SideOf{table})
        .why("into DM, and from HBM to DM, DMA goes at multiples of ", Bytes{unit})
        .help("pad the rows to a multiple of ", Bytes{unit});
  g.row = *plan;
  g.row.crosses_chips = !equivalent(from.levels[Level::chip], to.levels[Level::chip]);
  return g;
}

}  // namespace detail

constexpr Expected<Gathered> check_gather(const Device& device, ScalarType type, std::int64_t chips, const DmaTensor& table, Name rows,
                                          ScalarType index_type, const DmaTensor& index, const DmaTensor& out, Where at = {},
                                          RowKeys keys = RowKeys::positions) {
  return detail::check_rows(device, type, chips, table, rows, index_type, index, keys, out, false, at);
}
/// Rows that the index tensor does not name stay as they are; naming one twice is refused when the program runs.
constexpr Expected<Gathered> check_scatter(const Device& device, ScalarType type, std::int64_t chips, const DmaTensor& in,
                                           ScalarType index_type, const DmaTensor& index, const DmaTensor& table, Name rows, Where at = {},
                                           RowKeys keys = RowKeys::positions) {
  return detail::check_rows(device, type, chips, table, rows, index_type, index, keys, in, true, at);
}

}  // namespace tcp
