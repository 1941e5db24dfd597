// Parts and tiles of a matrix over chips, the exchanges between them, and the sums: by DMA over PCIe, or by the
// rotations of the book.
#include "kernels/collectives/collectives.hpp"

#include <algorithm>

#include "kernels/parts/counts.hpp"
#include "tcp/support/checked.hpp"
#include "tcp/support/refused.hpp"
#include "tcp/support/round.hpp"

namespace tcp::kernels {
namespace {

using dyn::map;

void check(const Device& device, ScalarType type, std::int64_t chips, std::int64_t rows, std::int64_t columns, Where at) {
  if (chips != 2 && chips != 4 && chips != 8)
    throw Refused(refuse("kernel-collective-chips", at)
                      .what("a collective over ", chips, " chips")
                      .why("it is written for 2, 4 and 8 chips, each with a part of the same size")
                      .help("take 2, 4 or 8 chips"));
  if (type != ScalarType::bf16 && type != ScalarType::f32 && type != ScalarType::i32)
    throw Refused(refuse("kernel-collective-type", at)
                      .what("a collective of ", type)
                      .why("sums are of f32 and i32, and of bf16, which widens to f32")
                      .help("convert the matrix to bf16, f32 or i32"));
  Checked const bytes = Checked(rows) * columns * (2 * element_bytes(type));
  if (rows < 1 || columns < 1 || !bytes.fits || bytes.value > device.hbm.capacity.value)
    throw Refused(refuse("kernel-collective-size", at)
                      .what("a collective of ", rows, " x ", columns, " ", type)
                      .why("the matrix and the sum are stored in the HBM of a chip, which has ", device.hbm.capacity)
                      .help("take at least one row and column, and cut what is too large"));
}

/// How many of `places` neighbours share n, so that each has equally many; each has at most twice as many as it would
/// need to.
std::int64_t shared_by(std::int64_t n, std::int64_t places) {
  std::int64_t const least = ceil_div(n, places);
  for (std::int64_t each = least; each <= 2 * least; ++each)
    if (n % each == 0) return n / each;
  return 0;
}

/// Rows or columns of a part. It lies on up to 256 slices, each with as much of it: where no divisor says how, the part
/// is made a little larger.
std::int64_t part_size(const Device& device, ScalarType type, std::int64_t chips, std::int64_t rows, std::int64_t columns, Split split) {
  std::int64_t const most = device.levels.slices_per_cluster, step = split == Split::rows ? 1 : padded_columns(device, type, 1);
  std::int64_t size = ceil_div(split == Split::rows ? rows : ceil_div(columns, step), chips);
  if (shared_by(size, most) == 0) size = ceil_div(size, ceil_div(size, most)) * ceil_div(size, most);
  return size * step;
}
/// Parts of the axis of which the largest part is the smaller share; of columns, if both are alike.
Split better_split(const Device& device, ScalarType type, std::int64_t chips, std::int64_t rows, std::int64_t columns, Where at) {
  check(device, type, chips, rows, columns, at);
  auto const share = [&](Split split) {
    std::int64_t const all = split == Split::rows ? rows : columns;
    return static_cast<double>(std::min(part_size(device, type, chips, rows, columns, split), all)) / static_cast<double>(all);
  };
  return share(Split::rows) < share(Split::columns) ? Split::rows : Split::columns;
}

}  // namespace

Parts::Parts(const Device& device, ScalarType type, std::int64_t chips, std::int64_t rows, std::int64_t columns, Split split, Where at)
    : device_(device), type_(type), chips_(chips), split_(split) {
  check(device, type, chips, rows, columns, at);
  row_ = dyn::axis("Row", rows);
  column_ = dyn::axis("Col", columns);
  part_size_ = part_size(device, type, chips, rows, columns, split);
  if (step_bytes() > device.dm.slice_capacity.value / 2)
    throw Refused(
        refuse("kernel-collective-size", at)
            .what("a collective of ", rows, " x ", columns, " ", type, " over ", chips, " chips: ", Bytes{step_bytes()},
                  " of a slice for a single step along ", split == Split::rows ? "the columns" : "the rows")
            .why("parts are cut into tiles along the other axis only, and two tiles share the ", device.dm.slice_capacity, " of a slice")
            .help("cut the matrix, or give it a shape with shorter parts"));
}

Mapping Parts::part_chip() const {
  Mapping const& axis = split_ == Split::rows ? row_ : column_;
  return axis.pad(chips_ * part_size_) / part_size_;
}
Mapping Parts::part() const {
  if (split_ == Split::columns) return map(row_, column_.pad(chips_ * part_size_) % part_size_);
  return rows_layout(device_, type_, row_.pad(chips_ * part_size_) % part_size_, column_);
}
bool Parts::divides() const { return chips_ * part_size_ == (split_ == Split::rows ? row_.size : column_.size); }
std::int64_t Parts::bytes() const { return row_.size * column_.size * element_bytes(type_); }

/// Bytes that a slice needs for one step of a tile: what arrives from all chips, and the sum, which may be wide for a
/// while.
std::int64_t Parts::step_bytes() const {
  std::int64_t const steps = split_ == Split::rows ? part_size_ : part_size_ / unit(), word = 4;
  return steps / shared_by(steps, device_.levels.slices_per_cluster) * unit() * ((chips_ + 1) * element_bytes(type_) + word);
}
/// Steps of the axis that is not split, such that a slice has room for two tiles.
std::int64_t Parts::tile_length() const {
  bool const by_rows = split_ == Split::rows;
  std::int64_t const most = device_.levels.slices_per_cluster, clusters = device_.levels.clusters_per_chip;
  std::int64_t const steps = by_rows ? part_size_ : part_size_ / unit(), across = shared_by(steps, most);
  std::int64_t const room = device_.dm.slice_capacity.value / 4;
  std::int64_t const others = std::max<std::int64_t>(most / across, 1) * clusters;
  std::int64_t const fits = std::max<std::int64_t>(room / step_bytes(), 1) * others;
  std::int64_t const all = by_rows ? ceil_div(column_.size, unit()) : row_.size;
  return std::min(fits, all) * (by_rows ? unit() : 1);
}
std::vector<Parts::Tile> Parts::tiles() const {
  std::vector<Tile> made;
  std::int64_t const all = split_ == Split::rows ? column_.size : row_.size, length = tile_length();
  for (std::int64_t start = 0; start < all; start += length) made.push_back(tile(start, std::min(length, all - start)));
  return made;
}
/// The split axis over neighbouring slices, the other one over the clusters and the rest of them.
Parts::Tile Parts::tile(std::int64_t start, std::int64_t length) const {
  bool const by_rows = split_ == Split::rows;
  std::int64_t const most = device_.levels.slices_per_cluster, clusters = device_.levels.clusters_per_chip;
  std::int64_t const step = by_rows ? 1 : unit(), across = shared_by(part_size_ / step, most), each = part_size_ / across;
  std::int64_t const free_step = by_rows ? unit() : 1, free = ceil_div(length, free_step);
  std::int64_t const per_slice = ceil_div(free, std::min(clusters * std::max<std::int64_t>(most / across, 1), free));
  std::int64_t const per_cluster = ceil_div(ceil_div(free, per_slice), clusters);

  Tile t;
  t.start = start, t.length = length;
  Mapping const tiled = dyn::axis(by_rows ? "J" : "I", length), split = by_rows ? row_ : column_;
  Mapping const other = tiled.pad(clusters * per_cluster * per_slice * free_step), own = split.pad(chips_ * part_size_);
  t.row = by_rows ? row_ : tiled;
  t.column = by_rows ? tiled : column_;
  t.chip = own / part_size_;
  t.cluster = (other / (per_cluster * per_slice * free_step)).pad(clusters);
  t.slice = map(other / (per_slice * free_step) % per_cluster, own / each % across);
  t.slice = t.slice.pad(most);
  Mapping const in_part = own % part_size_, padded = tiled.pad(free * free_step);
  t.part_row = by_rows ? in_part : padded;
  t.part_column = by_rows ? padded : in_part;
  Mapping const of_split = own % each, of_other = other % (per_slice * free_step);
  t.in_slice_row = by_rows ? of_split : of_other;
  t.in_slice_column = by_rows ? of_other : of_split;
  t.live_column = t.column.size <= vector_lanes ? t.column.pad(vector_lanes) : t.in_slice_column;
  return t;
}

dyn::Tensor Parts::tile_of_whole(const dyn::Tensor& matrix, const Tile& t) const {
  std::int64_t const padded = padded_columns(device_, type_, column_.size);
  dyn::Tensor const all = matrix.reshape(whole());
  if (split_ == Split::columns)
    return (t.length == row_.size ? all : all.tile(row_, t.length, t.start)).reshape(map(t.row.pad(row_.size), column_.pad(padded)));
  return (t.length == column_.size ? all : all.tile(column_, t.length, t.start)).reshape(map(row_, t.column.pad(padded)));
}
dyn::Tensor Parts::tile_of_parts(const dyn::Tensor& parts, const Tile& t) const {
  if (split_ == Split::columns)
    return (t.length == row_.size ? parts : parts.tile(row_, t.length, t.start))
        .reshape(map(t.row.pad(row_.size), column_.pad(chips_ * part_size_) % part_size_));
  std::int64_t const padded = padded_columns(device_, type_, column_.size);
  return (t.length == column_.size ? parts : parts.tile(column_, t.length, t.start))
      .reshape(map(row_.pad(chips_ * part_size_) % part_size_, t.column.pad(padded)));
}

namespace {

/// All chips' part b on chip b, one after the other, and from there into DM: [Of, rows, columns].
dyn::Tensor exchanged(Context& ctx, const Parts& parts, const Parts::Tile& t, const dyn::Tensor& x) {
  dyn::Tensor const matrix = parts.tile_of_whole(x, t);
  Mapping const source = matrix.levels()[Level::chip], of = dyn::axis("Of", parts.chips());
  return matrix.to_hbm_chips(ctx.tdma, t.chip, map(source, t.part_row, t.part_column))
      .reshape(map(of, t.part_row, t.part_column))
      .to_dm(ctx.tdma, t.cluster, t.slice, map(of, t.in_slice_row, t.in_slice_column));
}

/// The Vector Engine folds any number of floating-point summands in one pass.
dyn::Stream folded(Context& ctx, const Parts::Tile& t, std::int64_t chips, const dyn::Tensor& all) {
  Mapping const of = dyn::axis("Of", chips), steps = map(t.in_slice_row, t.live_column / vector_lanes),
                lanes = t.live_column % vector_lanes;
  return dyn::main(ctx)
      .begin(all)
      .fetch(ScalarType::f32, map(steps, of), lanes)
      .collect(map(steps, of), lanes)
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_split(map(steps, of, lanes / narrow_vector_lanes), lanes % narrow_vector_lanes)
      .vector_intra_slice_reduce("Of", ReduceOp::Add, map(steps, lanes / narrow_vector_lanes), lanes % narrow_vector_lanes)
      .vector_concat(steps, lanes)
      .vector_final();
}
/// Two at a time: integers, which it would fold with saturation only, and what arrives as tensors of its own. The sum
/// is f32 or i32. `several`: of both there are several, one after the other.
dyn::Tensor pair_added(Context& ctx, const Parts::Tile& t, const Mapping& several, const dyn::Tensor& a, const dyn::Tensor& b) {
  Mapping const both = dyn::axis("X", 2), steps = map(several, t.in_slice_row, t.live_column / vector_lanes),
                lanes = t.live_column % vector_lanes;
  auto pairs = dyn::main(ctx)
                   .begin_interleaved("X", a, b)
                   .fetch(wide_type(a.type()), map(steps, both), lanes)
                   .collect(map(steps, both), lanes)
                   .vector_init()
                   .vector_intra_slice_unzip("X", map(steps, dyn::one.pad(2)), steps);
  Mapping const own = map(several, t.in_slice_row, t.in_slice_column);
  if (is_integer(a.type())) return std::move(pairs).vector_fxp_zip(FxpBinaryOp::AddFxp).vector_final().commit(own);
  return std::move(pairs)
      .vector_split(map(steps, lanes / narrow_vector_lanes), lanes % narrow_vector_lanes)
      .vector_fp_zip(FpBinaryOp::AddF)
      .vector_concat(steps, lanes)
      .vector_final()
      .commit(own);
}
/// Another type for the same numbers.
dyn::Tensor converted(Context& ctx, const Parts::Tile& t, const dyn::Tensor& x, ScalarType type) {
  if (x.type() == type) return x;
  Mapping const steps = map(t.in_slice_row, t.live_column / vector_lanes), lanes = t.live_column % vector_lanes,
                own = map(t.in_slice_row, t.in_slice_column);
  auto stream = dyn::main(ctx).begin(x).fetch(ScalarType::f32, steps, lanes).collect(steps, lanes);
  if (type == ScalarType::f32) return std::move(stream).commit(own);
  return std::move(stream).cast(type, lanes.pad(bf16_flit)).commit(own);
}

/// The sum of what was exchanged, as it is stored.
dyn::Tensor added(Context& ctx, const Parts& parts, const Parts::Tile& t, const dyn::Tensor& all) {
  Mapping const own = map(t.in_slice_row, t.in_slice_column);
  if (parts.type() == ScalarType::bf16)
    return folded(ctx, t, parts.chips(), all).cast(ScalarType::bf16, (t.live_column % vector_lanes).pad(bf16_flit)).commit(own);
  if (parts.type() == ScalarType::f32) return folded(ctx, t, parts.chips(), all).commit(own);
  dyn::Tensor sum = all;  // of integers: half of them to the other half, for their order does not matter
  Mapping const of = dyn::axis("Of", parts.chips());
  for (std::int64_t half = parts.chips() / 2; half > 0; half /= 2) {
    Mapping const both = of.resize(2 * half);
    sum = pair_added(ctx, t, of.resize(half), sum.tile(both, half, 0), sum.tile(both, half, half));
  }
  return sum;
}

/// The book's tables. In turn k chip c cuts off part c - k and passes it on to that chip, and gets its own part of chip
/// c + k.
dyn::Tensor rotated(Context& ctx, const Parts& parts, const Parts::Tile& t, const dyn::Tensor& x) {
  dyn::Tensor const matrix = parts.tile_of_whole(x, t);
  Mapping const chip = matrix.levels()[Level::chip], own = map(t.in_slice_row, t.in_slice_column), part = t.chip;
  dyn::Tensor const mine = matrix.to_dm(ctx.tdma, t.cluster, t.slice, map(part, own));
  ScalarType const wide = wide_type(parts.type());
  std::int64_t const n = parts.chips();
  dyn::Tensor sum;
  for (std::int64_t k = 0; k < n; ++k) {
    std::vector<std::int64_t> keeps, from;
    for (std::int64_t c = 0; c < n; ++c) {
      keeps.push_back((c + n - k) % n);
      from.push_back((c + k) % n);
    }
    dyn::Tensor turn = mine.chip_slice(ctx.tdma, part, 1, keeps, k == 0 ? t.chip : chip, own);
    if (k > 0) turn = turn.chip_shuffle(ctx.tdma, from, t.chip);
    turn = converted(ctx, t, turn, wide);
    sum = k == 0 ? turn : pair_added(ctx, t, dyn::one, sum, turn);
  }
  return converted(ctx, t, sum, parts.type());
}

dyn::Tensor reduced_in_rotations(Context& ctx, const Parts& parts, const dyn::Tensor& x) {
  dyn::Tensor const sum = dyn::Tensor::hbm(ctx, parts.type(), parts.part_chip(), parts.part());
  for (const Parts::Tile& tile : parts.tiles()) dyn::dma(ctx.tdma, rotated(ctx, parts, tile, x), parts.tile_of_parts(sum, tile));
  return sum;
}
/// Tile by tile: while one is added, the next one is on its way.
dyn::Tensor reduced_at_once(Context& ctx, const Parts& parts, const dyn::Tensor& x) {
  dyn::Tensor const sum = dyn::Tensor::hbm(ctx, parts.type(), parts.part_chip(), parts.part());
  std::vector<Parts::Tile> const tiles = parts.tiles();
  dyn::Tensor next = exchanged(ctx, parts, tiles.front(), x);
  for (std::size_t at = 0; at < tiles.size(); ++at) {
    dyn::Tensor const now = std::move(next);
    if (at + 1 < tiles.size()) next = exchanged(ctx, parts, tiles[at + 1], x);
    dyn::dma(ctx.tdma, added(ctx, parts, tiles[at], now), parts.tile_of_parts(sum, tiles[at]));
  }
  return sum;
}
dyn::Tensor reduced(Context& ctx, const Parts& parts, Moves moves, const dyn::Tensor& x) {
  return moves == Moves::rotations ? reduced_in_rotations(ctx, parts, x) : reduced_at_once(ctx, parts, x);
}
dyn::Tensor gathered(Context& ctx, const Parts& parts, const dyn::Tensor& of_chips) {
  return of_chips.to_hbm_chips(ctx.tdma, map(parts.chips()), parts.whole());
}

void check_moves(const Parts& parts, Moves moves, Where at) {
  if (moves == Moves::at_once || parts.divides()) return;
  throw Refused(refuse("kernel-collective-rotations", at)
                    .what("rotations over ", parts.chips(), " chips of ", parts.whole(), ", which has no ", parts.chips(),
                          " equal parts of ", parts.split() == Split::rows ? "rows" : "columns in whole units of HBM")
                    .why("each chip cuts another part off, and the sub context, which does that, takes equal ones")
                    .help("use Moves::at_once, or pad the matrix"));
}

/// What one chip sends: `times` all parts but one. And what it reads and writes of its own memory.
Work sent(const Parts& parts, std::int64_t times, std::int64_t read, std::int64_t written) {
  std::int64_t const n = parts.chips();
  return {.type = parts.type(), .hbm_bytes = read + written, .pcie_bytes = times * parts.bytes() * (n - 1) / n};
}

}  // namespace

ReduceScatter::ReduceScatter(const Device& device, ScalarType type, std::int64_t chips, std::int64_t rows, std::int64_t columns,
                             Split split, Moves moves, Where at)
    : parts_(device, type, chips, rows, columns, split, at), moves_(moves) {
  check_moves(parts_, moves, at);
}

dyn::Tensor ReduceScatter::operator()(Context& ctx, const dyn::Tensor& x) const { return reduced(ctx, parts_, moves_, x); }
Work ReduceScatter::work() const { return sent(parts_, 1, parts_.bytes(), parts_.bytes() / parts_.chips()); }

AllGather::AllGather(const Device& device, ScalarType type, std::int64_t chips, std::int64_t rows, std::int64_t columns, Split split,
                     Where at)
    : parts_(device, type, chips, rows, columns, split, at) {}

dyn::Tensor AllGather::operator()(Context& ctx, const dyn::Tensor& parts) const {
  return gathered(ctx, parts_, parts.reshape(parts_.part()));
}
Work AllGather::work() const { return sent(parts_, 1, parts_.bytes() / parts_.chips(), parts_.bytes()); }

AllReduce::AllReduce(const Device& device, ScalarType type, std::int64_t chips, std::int64_t rows, std::int64_t columns, Moves moves,
                     Where at)
    : parts_(device, type, chips, rows, columns, better_split(device, type, chips, rows, columns, at), at), moves_(moves) {
  check_moves(parts_, moves, at);
}

dyn::Tensor AllReduce::operator()(Context& ctx, const dyn::Tensor& x) const {
  return gathered(ctx, parts_, reduced(ctx, parts_, moves_, x));
}
Work AllReduce::work() const { return sent(parts_, 2, parts_.bytes(), parts_.bytes()); }

}  // namespace tcp::kernels
