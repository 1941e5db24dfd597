// The contraction's blocks: what is packed when, and which tile kernel runs where.
//
// Columns are taken some hundred at a time, packed over all k; rows some hundred at a time, packed for a block of k
// that leaves a panel of columns in the first-level cache and the rows and the accumulators in the second. Where one
// block has all k, a tile is written as soon as it is summed, and there are no accumulators but its own.
#include "exec/vector/contraction/products.hpp"

#include <tbb/blocked_range2d.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "exec/vector/contraction/panels.hpp"
#include "exec/vector/kernels/hand_over.hpp"
#include "exec/vector/kernels/in_parallel.hpp"
#include "exec/vector/kernels/target.hpp"
#include "tcp/support/bug.hpp"
#include "tcp/support/round.hpp"

namespace tcp::vector::kernels {
namespace {

constexpr std::int64_t rows_at_once = 256, packed_columns_at_once = 512;
/// Blocks of quads, which are so quick that everything that is not a product counts.
constexpr std::int64_t quad_ks = 2048, quad_rows = 128, quad_columns = 2048;
constexpr std::size_t packed_columns_bytes = std::size_t{16} << 20;
enum WorkspaceUse { packed_rows, packed_columns, accumulators, scratch };

bool neighbours(const std::int64_t* offsets, std::int64_t count) {
  for (std::int64_t i = 1; i < count; ++i)
    if (offsets[i] != offsets[i - 1] + 1) return false;
  return true;
}

/// The contraction with rows and columns exchanged: products commute.
Contraction turned(const Contraction& c) {
  Contraction t = c;
  std::swap(t.a, t.b);
  std::swap(t.rows, t.columns);
  std::swap(t.out_row, t.out_column);
  return t;
}

/// The way round that wastes less of the tiles; if they are alike, the one that writes neighbours.
Contraction best_way_round(const Contraction& c, const TileKernels& k) {
  std::int64_t const as_is = round_up(c.rows, k.rows) * round_up(c.columns, k.columns);
  std::int64_t const other = round_up(c.columns, k.rows) * round_up(c.rows, k.columns);
  if (as_is != other) return as_is < other ? c : turned(c);
  return neighbours(c.out_column, c.columns) ? c : turned(c);
}

class Blocks {
 public:
  Blocks(const Contraction& c, const TileKernels& k, Workspace& workspace) : c_(c), k_(k), workspace_(workspace) {
    bool const tree = k.unit == Unit::f32 && c.join == Join::add;
    ks_ = c.steps << c.depth;
    products_ = products_of(k.unit);
    bool const quads = k.unit == Unit::quad, all_k = quads && ks_ <= quad_ks;
    block_ks_ = all_k ? quad_ks : quads ? quad_ks / 2 : 256;  // a panel of 32 columns of f32 fills the first-level cache
    if (tree) block_ks_ = std::max(block_ks_, std::int64_t{1} << c.depth);
    block_ks_ = std::min(block_ks_, ks_);
    ks_of_a_count_ = tree ? std::int64_t{1} << c.depth : products_;
    units_ = round_up(ceil_div(ks_, products_), std::int64_t{k.run});
    k_blocks_ = ceil_div(ks_, block_ks_);
    std::int64_t const fitting = static_cast<std::int64_t>(packed_columns_bytes) / (4 * units_) / k.columns * k.columns;
    columns_ = std::clamp<std::int64_t>(std::min(all_k ? quad_columns : packed_columns_at_once, fitting), k.columns,
                                        round_up(c.columns, k.columns));
    rows_ = std::min((all_k ? quad_rows : rows_at_once) / k.rows * k.rows, round_up(c.rows, k.rows));
    guarded_ = tree && k.fused != k.separate && c.a.type == ScalarType::bf16;
    row_ranges_.resize(static_cast<std::size_t>(rows_ / k.rows));
    column_ranges_.resize(static_cast<std::size_t>(columns_ / k.columns * k_blocks_));
    sums_.resize(k.unsigned_columns ? static_cast<std::size_t>(c.rows) : 0);
    rows_in_ = words(packed_rows, rows_ * round_up(ceil_div(block_ks_, products_), std::int64_t{k.run}));
    columns_in_ = words(packed_columns, columns_ * units_);
    sum_ = words(accumulators, k_blocks_ == 1 ? 2 * tile() : rows_ * columns_);
    scratch_ = workspace.buffer(scratch, pack_scratch(k.columns, block_ks_));
  }

  void run() {
    if (k_.begin != nullptr) k_.begin();
    for (std::int64_t column = 0; column < c_.columns; column += columns_) {
      std::int64_t const columns = std::min(columns_, c_.columns - column);
      pack_columns(column, columns);
      for (std::int64_t row = 0; row < c_.rows; row += rows_) {
        std::int64_t const rows = std::min(rows_, c_.rows - row);
        sum(row, rows, column, columns);
        if (k_blocks_ > 1) write(row, rows, column, columns);
      }
    }
    if (k_.end != nullptr) k_.end();
  }

 private:
  std::uint32_t* words(int which, std::int64_t count) {
    return reinterpret_cast<std::uint32_t*>(workspace_.buffer(which, static_cast<std::size_t>(count) * 4));
  }

  PackedBlock block(const Factor& factor, bool second, std::int64_t first, std::int64_t count, std::int64_t first_k) const {
    PackedBlock b;
    b.factor = &factor;
    b.second = second;
    b.leaves = c_.leaves;
    b.join = c_.join;
    b.model = c_.model;
    b.unit = k_.unit;
    b.first = first;
    b.count = count;
    b.first_k = first_k;
    b.ks = std::min(block_ks_, ks_ - first_k);
    b.scratch = scratch_;
    return b;
  }

  void pack_columns(std::int64_t column, std::int64_t columns) {
    for (std::int64_t k = 0, k_block = 0; k < ks_; k += block_ks_, ++k_block) {
      PackedBlock b = block(c_.b, true, column, columns, k);
      b.unsigned_bytes = k_.unsigned_columns;
      b.width = k_.columns;
      b.panel_units = units_;
      b.panels = columns_in_ + k / products_ * k_.columns;
      b.range_stride = k_blocks_;
      b.ranges = guarded_ ? column_ranges_.data() + k_block : nullptr;
      pack(b);
    }
  }

  std::int64_t tile() const { return std::int64_t{k_.rows} * k_.columns; }

  void sum(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) {
    std::int64_t const row_panels = ceil_div(rows, k_.rows), column_panels = ceil_div(columns, k_.columns);
    std::uint32_t* const start = sum_ + tile();  // where there is one tile only: what it begins with
    if (k_blocks_ > 1) std::fill(sum_, sum_ + row_panels * column_panels * tile(), k_.start);
    else std::fill(start, start + tile(), k_.start);
    if (!sums_.empty()) std::fill(sums_.begin() + row, sums_.begin() + row + rows, 0);
    for (std::int64_t k = 0, k_block = 0; k < ks_; k += block_ks_, ++k_block) {
      PackedBlock b = block(c_.a, false, row, rows, k);
      std::int64_t const units = round_up(ceil_div(b.ks, products_), std::int64_t{k_.run});
      b.width = k_.rows;
      b.run = k_.run;
      b.panel_units = units;
      b.panels = rows_in_;
      b.ranges = guarded_ ? row_ranges_.data() : nullptr;
      b.sums = sums_.empty() ? nullptr : sums_.data();
      pack(b);
      std::int64_t const count = ceil_div(b.ks, ks_of_a_count_);
      for (std::int64_t j = 0; j < column_panels; ++j) {
        const std::uint32_t* const columns_at = columns_in_ + j * k_.columns * units_ + k / products_ * k_.columns;
        std::int64_t const first = column + j * k_.columns, here = std::min<std::int64_t>(k_.columns, column + columns - first);
        bool const side_by_side = neighbours(c_.out_column + first, here);
        for (std::int64_t i = 0; i < row_panels; ++i) {
          std::uint32_t* const at = k_blocks_ > 1 ? sum_ + (j * row_panels + i) * tile() : sum_;
          if (k_blocks_ > 1) __builtin_prefetch(at + tile());
          else begin_tile(at, start, row + i * k_.rows, std::min<std::int64_t>(k_.rows, rows - i * k_.rows), first, here, side_by_side);
          bool const fuse = !guarded_ || may_fuse(row_ranges_[static_cast<std::size_t>(i)],
                                                  column_ranges_[static_cast<std::size_t>(j * k_blocks_ + k_block)]);
          (fuse ? k_.fused : k_.separate)(count, rows_in_ + i * k_.rows * units, columns_at, at);
          if (k_blocks_ > 1) continue;
          for (std::int64_t r = 0; r < std::min<std::int64_t>(k_.rows, rows - i * k_.rows); ++r)
            write_line(row + i * k_.rows + r, first, here, side_by_side, at + r * k_.columns);
        }
      }
    }
  }

  /// Asks for what it will be written to, which takes longer to come than a tile to be summed.
  void begin_tile(std::uint32_t* at, const std::uint32_t* start, std::int64_t row, std::int64_t rows, std::int64_t column,
                  std::int64_t columns, bool side_by_side) const {
    std::memcpy(at, start, static_cast<std::size_t>(tile()) * 4);
    if (!side_by_side) return;
    constexpr std::int64_t line = 16;
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t n = 0; n < columns; n += line) __builtin_prefetch(c_.out + c_.out_row[row + r] + c_.out_column[column] + n, 1);
  }

  void write(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) {
    std::int64_t const row_panels = ceil_div(rows, k_.rows);
    bool const side_by_side = neighbours(c_.out_column + column, columns);
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t j = 0; j * k_.columns < columns; ++j)
        write_line(row + r, column + j * k_.columns, std::min<std::int64_t>(k_.columns, columns - j * k_.columns), side_by_side,
                   sum_ + (j * row_panels + r / k_.rows) * tile() + r % k_.rows * k_.columns);
  }
  /// Results of a row from a column on. `side_by_side`: as they lie in the output.
  void write_line(std::int64_t row, std::int64_t column, std::int64_t count, bool side_by_side, std::uint32_t* line) const {
    std::uint32_t* const out = c_.out + c_.out_row[row];
    const std::int64_t* const to = c_.out_column + column;
    // Bytes of columns are 128 too large.
    std::int32_t const subtract =
        sums_.empty() ? 0 : static_cast<std::int32_t>(static_cast<std::uint32_t>(sums_[static_cast<std::size_t>(row)]) * 128u);
    finish_line(k_.finish, line, subtract, side_by_side ? out + to[0] : line, count);
    if (!side_by_side)
      for (std::int64_t n = 0; n < count; ++n) out[to[n]] = line[n];
  }

  const Contraction& c_;
  const TileKernels& k_;
  Workspace& workspace_;
  std::int64_t ks_ = 0, products_ = 1, block_ks_ = 0, ks_of_a_count_ = 1, units_ = 0, k_blocks_ = 0, columns_ = 0, rows_ = 0;
  bool guarded_ = false;
  std::vector<ExponentRange> row_ranges_, column_ranges_;  // one a panel of rows; one a panel of columns and block of k
  std::vector<std::int32_t> sums_;
  std::uint32_t *rows_in_ = nullptr, *columns_in_ = nullptr, *sum_ = nullptr;
  std::byte* scratch_ = nullptr;
};

Workspace& own_workspace() {
  thread_local Workspace workspace;
  return workspace;
}

/// Rows and columns of the parts that threads take one after the other. Columns are cut first: a part packs its rows
/// anew for each block of columns anyway.
struct Cut {
  std::int64_t rows, columns;
};
Cut cut_for(const Contraction& c, int threads) {
  constexpr std::int64_t grain = 64;
  std::int64_t const columns = std::min(packed_columns_at_once, round_up(ceil_div(c.columns, threads), grain));
  std::int64_t const stripes = ceil_div(c.columns, columns), shares = ceil_div(threads, stripes);
  return {round_up(ceil_div(c.rows, shares), grain), columns};
}

/// A contraction whose rows are few enough, as it is or with rows and columns exchanged.
struct FewRowsWay {
  Contraction c;
  bool exchanged = false;
};
/// Needs, and checks: rounding that is left to the processor.
std::optional<FewRowsWay> as_few_rows(const Contraction& c) {
  if (c.model == NumericModel::rngd && !RoundingScope::flushes()) return {};
  if (suits_few_rows(c)) return FewRowsWay{c};
  Contraction const other = turned(c);
  if (suits_few_rows(other)) return FewRowsWay{other, true};
  return {};
}

/// Whether products lie closer to one another than columns do, so that a column is better read for all of them.
bool share_columns(const Contraction& c, std::span<const Apart> products) {
  if (products.size() < 2 || c.columns < 2) return false;
  return std::abs(products[1].b - products[0].b) < std::abs(c.b.outer[1] - c.b.outer[0]);
}

Contraction moved(const Contraction& whole, const Apart& by) {
  Contraction c = whole;
  c.a.cells += by.a * cell_bytes(c.a.type);
  c.b.cells += by.b * cell_bytes(c.b.type);
  c.out += by.out;
  return c;
}

/// Columns are shared out among threads.
void contract_few_rows(const Contraction& c, std::span<const Apart> products, int threads) {
  constexpr std::int64_t grain = 64;
  std::int64_t const macs = std::ssize(products) * c.rows * c.columns * (c.steps << c.depth);
  auto const some = [&](const Contraction& columns) {
    RoundingScope const rounding(c.model, Flushing::operands_and_results);
    contract_few_rows(columns, products, own_workspace());
  };
  if (threads <= 1 || macs < (1 << 20)) return some(c);
  std::int64_t const each = round_up(ceil_div(c.columns, 4 * std::int64_t{threads}), grain);
  tbb::task_arena(threads).execute([&] {
    in_parallel(ceil_div(c.columns, each),
                [&](std::int64_t i) { some(part(c, 0, c.rows, i * each, std::min(each, c.columns - i * each))); });
  });
}

}  // namespace

void contract(const Contraction& contraction, Workspace& workspace) {
  TCP_BUG_UNLESS(contraction.steps >= 1, "a contraction without a step");
  if (contraction.rows == 0 || contraction.columns == 0) return;
  RoundingScope const rounding(contraction.model, Flushing::operands_and_results);
  if (auto const few = as_few_rows(contraction)) return contract_few_rows(few->c, std::array{Apart{}}, workspace);
  int const wider = cell_bytes(contraction.a.type) >= cell_bytes(contraction.b.type) ? 0 : 1;  // of i8 and i9: i9
  TileKernels const kernels =
      tile_kernels(wider == 0 ? contraction.a.type : contraction.b.type, contraction.join, contraction.depth, contraction.model);
  Contraction const c = best_way_round(contraction, kernels);
  Blocks(c, kernels, workspace).run();
}

void contract(const Contraction& contraction, int threads) {
  if (threads > 1) threads = std::min(threads, tbb::info::default_concurrency());
  if (threads <= 1 || contraction.rows * contraction.columns * (contraction.steps << contraction.depth) < (1 << 20))
    return contract(contraction, own_workspace());
  Cut const cut = cut_for(contraction, threads);
  std::int64_t const rows = ceil_div(contraction.rows, cut.rows), columns = ceil_div(contraction.columns, cut.columns);
  HandOver hand_over;
  tbb::task_arena(threads).execute([&] {
    tbb::parallel_for(tbb::blocked_range2d<std::int64_t>(0, rows, 1, 0, columns, 1), [&](const tbb::blocked_range2d<std::int64_t>& range) {
      HandOver::Part const taken(hand_over);
      for (std::int64_t i = range.rows().begin(); i < range.rows().end(); ++i)
        for (std::int64_t j = range.cols().begin(); j < range.cols().end(); ++j)
          contract(part(contraction, i * cut.rows, std::min(cut.rows, contraction.rows - i * cut.rows), j * cut.columns,
                        std::min(cut.columns, contraction.columns - j * cut.columns)),
                   own_workspace());
    });
  });
}

void contract(const Contraction& contraction, std::span<const Apart> products, int threads) {
  TCP_BUG_UNLESS(contraction.steps >= 1, "a contraction without a step");
  if (contraction.rows == 0 || contraction.columns == 0 || products.empty()) return;
  if (threads > 1) threads = std::min(threads, tbb::info::default_concurrency());
  if (auto const few = as_few_rows(contraction)) {
    std::vector<Apart> apart(products.begin(), products.end());
    if (few->exchanged)
      for (Apart& p : apart) std::swap(p.a, p.b);
    if (share_columns(few->c, apart)) return contract_few_rows(few->c, apart, threads);
  }
  auto const one = [&](std::int64_t i) { return moved(contraction, products[static_cast<std::size_t>(i)]); };
  if (threads > 1 && std::ssize(products) >= threads) {
    in_parallel(std::ssize(products), [&](std::int64_t i) { contract(one(i), own_workspace()); });
    return;
  }
  for (std::int64_t i = 0; i < std::ssize(products); ++i) contract(one(i), threads);
}

Contraction part(const Contraction& whole, std::int64_t first_row, std::int64_t rows, std::int64_t first_column, std::int64_t columns) {
  Contraction p = whole;
  p.rows = rows;
  p.columns = columns;
  p.a.outer += first_row;
  p.b.outer += first_column;
  p.out_row += first_row;
  p.out_column += first_column;
  return p;
}

}  // namespace tcp::vector::kernels
