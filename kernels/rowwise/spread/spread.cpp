// Decides how rows are divided among slices, and records the parts of a pass that row-wise kernels have in common.
#include "kernels/rowwise/spread/spread.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "kernels/parts/counts.hpp"
#include "tcp/device/derived.hpp"
#include "tcp/support/bug.hpp"
#include "tcp/support/refused.hpp"
#include "tcp/support/round.hpp"

namespace tcp::kernels {

using dyn::map;

namespace {

constexpr std::int64_t lanes = vector_lanes, narrow_lanes = narrow_vector_lanes;
/// Columns that a slice holds of all rows of a step. More of them gain nothing: a transfer is then long enough.
constexpr std::int64_t most_at_once = 16'384;

struct Grid {
  std::int64_t slices, clusters;
};
Grid grid_of(const Device& device) { return {device.levels.slices_per_cluster, device.levels.clusters_per_chip}; }

/// A way to lay out rows, and about how many cycles it takes.
class Candidate {
 public:
  Candidate(const Device& device, const RowNeeds& needs, const RowSpread& spread) : device_(device), needs_(needs), s(spread) {}

  bool fits() const {
    std::int64_t const held = s.share * s.per_slice, vrf = s.share * needs_.vrf_column_bytes + s.per_slice * needs_.vrf_row_bytes;
    std::int64_t const small = scalar_info(ScalarType::f32).packet_bits / 8 * lanes * s.per_slice * 4;  // numbers of rows
    return s.across <= device_.levels.slices_per_cluster && vrf <= device_.vrf.slice_capacity.value &&
           s.per_slice <= needs_.most_per_slice && held * needs_.dm_column_bytes + small <= device_.dm.slice_capacity.value &&
           (s.per_slice == 1 || held <= most_at_once);
  }
  /// Transfers use one queue; what is computed runs beside them, but for one step.
  double cycles() const {
    auto const steps = static_cast<double>(s.steps());
    double const moving = static_cast<double>(needs_.matrices) * moving_a_step();
    return std::max(steps * moving + computing_a_step(), steps * computing_a_step() + moving) + moving_columns();
  }

 private:
  std::int64_t live_slices() const { return ceil_div(s.columns, s.share); }  // of a row
  std::int64_t groups() const { return ceil_div(s.step_rows, s.per_slice); }
  double hbm_rate() const { return static_cast<double>(hbm_mb_per_s(device_)) / static_cast<double>(device_.clocks.core_mhz); }

  /// The two DMNs of an engine take turns, unless a row ends somewhere in the second.
  double moving_a_step() const {
    std::int64_t const dmn = device_.levels.slices_per_dmn, busy = groups() * live_slices();
    bool const in_turns = s.across <= dmn || live_slices() % dmn == 0;
    double const dmns = static_cast<double>(ceil_div(busy, in_turns ? dmn : slices_per_pe(device_)));
    double const rate = std::min(hbm_rate(), dmns * static_cast<double>(device_.dm.dmn_bytes_per_cycle.value));
    return static_cast<double>(device_.dma.startup.value) + static_cast<double>(s.step_rows * s.columns * 2) / rate;
  }
  /// What belongs to columns goes to every group of slices, each time from the same few channels of HBM.
  double moving_columns() const {
    std::int64_t const vectors = needs_.vrf_column_bytes / 4;
    std::int64_t const units = ceil_div(s.columns * 2, device_.hbm.access_bytes.value), channels = hbm_channels_per_chip(device_);
    Ratio const access = hbm_access_cycles(device_);
    double const waiting = static_cast<double>(groups() * units * access.num) / static_cast<double>(std::min(units, channels) * access.den);
    return static_cast<double>(vectors) * (static_cast<double>(device_.dma.startup.value) + waiting);
  }
  double computing_a_step() const {
    auto const columns = static_cast<double>(s.per_slice * s.share);
    double const fine = columns / static_cast<double>(std::min(s.packet(), narrow_lanes)),
                 plain = columns / static_cast<double>(narrow_lanes);
    auto const passes = static_cast<double>(needs_.passes);
    return needs_.reduces ? (passes - 1) * (fine + static_cast<double>(s.across)) + plain : passes * plain;
  }

  const Device& device_;
  const RowNeeds& needs_;

 public:
  RowSpread s;
};

/// Steps of rows that fill slices alike.
RowSpread in_steps(const Device& device, RowSpread s) {
  auto const [slices, clusters] = grid_of(device);
  std::int64_t const groups = clusters * (slices / s.across);
  std::int64_t const steps = ceil_div(s.rows, groups * s.per_slice);
  s.step_rows = std::min(s.rows, round_up(ceil_div(s.rows, steps), clusters * s.per_slice));
  return s;
}

}  // namespace

std::int64_t RowSpread::packet() const {
  if (across == 1) return columns <= lanes / 2 ? lanes / 2 : lanes;
  return std::min(columns & -columns, lanes);
}

Expected<RowSpread> spread_rows(const Device& device, std::int64_t rows, std::int64_t columns, const RowNeeds& needs, Where at) {
  if (rows < 1 || rows > most_rows || columns < 1 || columns > longest_row)
    return refuse("kernel-rows-size", at)
        .what(rows, " rows of ", columns, " columns")
        .why("what is computed row by row takes 1 to ", most_rows, " rows of 1 to ", longest_row, " columns")
        .help("cut the matrix into parts, or leave out the kernel where there is nothing to do");
  std::int64_t const padded = padded_columns(device, ScalarType::bf16, columns), unit = padded_columns(device, ScalarType::bf16, 1);
  RowSpread best;
  double least = 0;
  auto const consider_with = [&](std::int64_t across, std::int64_t share, std::int64_t per_slice) {
    Candidate const c(device, needs, in_steps(device, {rows, columns, across, share, per_slice, 0}));
    if (!c.fits() || (best.rows > 0 && c.cycles() >= least)) return;
    best = c.s;
    least = c.cycles();
  };
  // Powers of two make even transfers; all rows at once make one.
  auto const consider = [&](std::int64_t across, std::int64_t share) {
    for (std::int64_t per_slice = 1; per_slice == 1 || per_slice * share <= most_at_once; per_slice *= 2)
      consider_with(across, share, per_slice);
    consider_with(across, share, ceil_div(rows, device.levels.clusters_per_chip * (device.levels.slices_per_cluster / across)));
  };
  consider(1, padded);
  for (std::int64_t share = std::lcm(unit, needs.column_unit); share < padded; share *= 2) {
    auto const across = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(ceil_div(columns, share))));
    if (across <= device.levels.slices_per_cluster) consider(across, share);
  }
  TCP_BUG_UNLESS(best.rows > 0, "no way to lay out rows");
  return best;
}

std::string text_of(const RowSpread& s) {
  auto const n = [](std::int64_t v) { return std::to_string(v); };
  return n(s.rows) + " x " + n(s.columns) + ": steps " + n(s.steps()) + ", rows of a step " + n(s.step_rows) + "\n" +  //
         "slices of a row " + n(s.across) + ", columns of a slice " + n(s.share) + "\n" +                              //
         "rows of a slice " + n(s.per_slice) + ", columns reduced at once " + n(s.packet()) + "\n";
}

Work work_on_rows(const RowSpread& s, std::int64_t matrices) {
  std::int64_t const bytes = matrices * s.rows * s.columns * scalar_info(ScalarType::bf16).packet_bits / 8;
  return {.hbm_bytes = bytes, .dm_bytes = bytes};
}

RowStep::RowStep(const Device& device, const RowSpread& s, const Mapping& columns)
    : device_(device),
      spread_(s),
      padded_(padded_columns(device, ScalarType::bf16, s.columns)),
      row_(dyn::axis("I", s.step_rows)),
      column_(columns) {
  auto const [slices, clusters] = grid_of(device);
  std::int64_t const groups = slices / s.across;
  std::int64_t const in_cluster = round_up(ceil_div(s.step_rows, clusters), s.per_slice);
  Mapping const rows = row_.pad(clusters * in_cluster), all = column_.pad(s.across * s.share);
  cluster_ = rows / in_cluster;
  Mapping const group = (rows % in_cluster / s.per_slice).pad(groups);
  slice_ = map(group, all / s.share);
  mine_ = rows % s.per_slice;
  held_ = all % s.share;
  own_ = s.across == 1 ? column_.pad(round_up(s.columns, lanes)) : held_;
  reduced_ = s.across == 1 ? slice_ : map(group, s.across);
  all_clusters_ = map(ceil_div(s.step_rows, in_cluster)).pad(clusters);
  all_slices_ =
      map(map(std::min(in_cluster, s.step_rows) / s.per_slice + (s.step_rows < in_cluster && s.step_rows % s.per_slice != 0)).pad(groups),
          all / s.share);
}

dyn::Tensor RowStep::part_of(const dyn::Tensor& matrix, std::int64_t step) const {
  Mapping const ours = map(row_.pad(spread_.rows), column_.pad(padded_));
  if (spread_.steps() == 1) return matrix.reshape(ours);
  Mapping const theirs = matrix.levels()[Level::element] / padded_;
  bool const one_axis = theirs.ok() && theirs.digits == 1;
  Mapping const rows = one_axis ? theirs : dyn::axis("R", spread_.rows);
  dyn::Tensor const all = one_axis ? matrix : matrix.reshape(map(rows, column_.pad(padded_)));
  return all.tile(rows, spread_.step_rows, spread_.first_row(step)).reshape(ours);
}

dyn::Tensor RowStep::result(Context& ctx, const dyn::Tensor& like) const {
  Mapping const rows = dyn::axis("R", spread_.rows), columns = dyn::axis("C", spread_.columns);
  return dyn::Tensor::hbm(ctx, ScalarType::bf16, like.levels()[Level::chip], rows_layout(device_, ScalarType::bf16, rows, columns));
}
dyn::Tensor RowStep::load(Context& ctx, const dyn::Tensor& matrix, std::int64_t step) const {
  return part_of(matrix, step).to_dm(ctx.tdma, cluster_, slice_, map(mine_, held_));
}
void RowStep::store(Context& ctx, const dyn::Tensor& from, const dyn::Tensor& matrix, std::int64_t step) const {
  dyn::dma(ctx.tdma, from, part_of(matrix, step));
}
dyn::Tensor RowStep::keep_columns(Context& ctx, const dyn::Tensor& vector) const {
  dyn::Tensor const dm = vector.reshape(column_.pad(padded_)).to_dm(ctx.tdma, all_clusters_, all_slices_, held_);
  return dyn::sub(ctx).begin(dm).fetch(ScalarType::f32, own_ / lanes, own_ % lanes).collect(own_ / lanes, own_ % lanes).to_vrf(own_);
}

dyn::Stream RowStep::begin(Context& ctx, const dyn::Tensor& rows) const {
  Mapping const time = map(mine_, own_ / lanes), eight = own_ % lanes;
  return dyn::main(ctx)
      .begin(rows)
      .fetch(ScalarType::f32, time, eight)
      .collect(time, eight)
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_split(map(mine_, own_ / 4), own_ % 4);
}
dyn::Stream RowStep::begin_both(Context& ctx, const dyn::Tensor& first, const dyn::Tensor& second) const {
  Mapping const both = dyn::axis("X", 2), time = map(mine_, own_ / lanes), eight = own_ % lanes;
  return dyn::main(ctx)
      .begin_interleaved("X", first, second)
      .fetch(ScalarType::f32, map(time, both), eight)
      .collect(map(time, both), eight)
      .vector_init()
      .vector_intra_slice_unzip("X", map(time, dyn::one.pad(2)), time)
      .vector_split(map(mine_, own_ / 4), own_ % 4);
}
dyn::Tensor RowStep::as_f32(Context& ctx, const dyn::Tensor& rows) const {
  Mapping const time = map(mine_, own_ / lanes), eight = own_ % lanes;
  return dyn::sub(ctx).begin(rows).fetch(ScalarType::f32, time, eight).commit(map(mine_, held_));
}
dyn::Stream RowStep::widen(dyn::Stream stream) const { return std::move(stream).vector_concat(map(mine_, own_ / lanes), own_ % lanes); }
dyn::Tensor RowStep::finish(dyn::Stream widened, ScalarType type) const {
  auto stream = std::move(widened).vector_final();
  if (type != ScalarType::f32) stream = std::move(stream).cast(type, (own_ % lanes).pad(2 * lanes));
  return std::move(stream).commit(map(mine_, held_));
}

dyn::Stream RowStep::begin_reduce(Context& ctx, const dyn::Tensor& rows) const {
  std::int64_t const packet = spread_.packet();
  if (packet == lanes) return begin(ctx, rows);
  bool const short_row = spread_.across == 1;
  Mapping const time = short_row ? mine_ : map(mine_, own_ / packet), some = short_row ? own_ : own_ % packet;
  return dyn::main(ctx)
      .begin(rows)
      .fetch(ScalarType::f32, time, some.pad(std::max<std::int64_t>(some.size, 2)))
      .collect(time, some.pad(lanes))
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4(short_row ? column_.pad(4) : some.pad(4));
}
dyn::Tensor RowStep::reduce(dyn::Stream stream, ReduceOp op) const {
  if (spread_.columns > 1) stream = std::move(stream).vector_intra_slice_reduce("C", op, mine_, dyn::one.pad(4));
  stream = std::move(stream).vector_pad_way8(dyn::one.pad(lanes));
  if (spread_.across > 1) stream = std::move(stream).vector_inter_slice_reduce(op, reduced_, mine_);
  return std::move(stream).vector_final().commit(map(mine_, dyn::one.pad(lanes)));
}
dyn::Stream RowStep::begin_numbers(Context& ctx, const dyn::Tensor& numbers) const {
  return dyn::main(ctx)
      .begin(numbers)
      .fetch(ScalarType::f32, mine_, dyn::one.pad(lanes))
      .collect(mine_, dyn::one.pad(lanes))
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4(dyn::one.pad(4));
}
dyn::Tensor RowStep::finish_numbers(dyn::Stream stream) const {
  return std::move(stream).vector_pad_way8(dyn::one.pad(lanes)).vector_final().commit(map(mine_, dyn::one.pad(lanes)));
}
dyn::Tensor RowStep::keep_numbers(Context& ctx, const dyn::Tensor& numbers) const {
  Mapping const number = dyn::one.pad(lanes);
  return dyn::sub(ctx).begin(numbers).fetch(ScalarType::f32, mine_, number).collect(mine_, number).to_vrf(map(mine_, number));
}

dyn::Stream squared(dyn::Stream x) {
  return std::move(x).vector_fp_binary_with_mode(FpBinaryOp::MulF(FpMulAlu::Mul0), BinaryArgMode::Mode00);
}

RowKernel::RowKernel(const Device& device, std::int64_t rows, std::int64_t columns, const RowNeeds& needs, Where at)
    : device_(device), spread_(value_or_throw(spread_rows(device, rows, columns, needs, at))) {}

dyn::Tensor for_each_step(Context& ctx, const RowStep& rows, const std::vector<dyn::Tensor>& matrices, const RowBody& body) {
  dyn::Tensor const y = rows.result(ctx, matrices.front());
  auto const load = [&](std::int64_t step) {
    std::vector<dyn::Tensor> loaded;
    for (const dyn::Tensor& each : matrices) loaded.push_back(rows.load(ctx, each, step));
    return loaded;
  };
  std::vector<dyn::Tensor> now, next = load(0);
  std::int64_t const steps = rows.spread().steps();
  for (std::int64_t step = 0; step < steps; ++step) {
    now = std::exchange(next, {});
    if (step + 1 < steps) next = load(step + 1);  // queued ahead of what this step stores
    rows.store(ctx, body(now), y, step);
  }
  return y;
}

}  // namespace tcp::kernels
