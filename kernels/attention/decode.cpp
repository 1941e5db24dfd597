// The passes of a turn: scores, the maximum over slices, weights, weighted values and their sums. decode.hpp explains
// the method.
#include "kernels/attention/decode.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/parts/counts.hpp"
#include "kernels/parts/views.hpp"
#include "kernels/rows/rows.hpp"
#include "tcp/device/derived.hpp"
#include "tcp/support/refused.hpp"
#include "tcp/support/round.hpp"

namespace tcp::kernels {
namespace {

using dyn::map;

constexpr std::int64_t lanes = vector_lanes, flit = bf16_flit, packet = bf16_packet;
/// What a turn must have at least: cycles of its transfers, in start-ups of DMA; turns; and slices per head, because
/// heads of fewer slices are so far apart in HBM that DMNs cannot take turns.
constexpr std::int64_t start_ups = 10, fewest_turns = 4, fewest_slices = 16;
constexpr ScalarType bf16_type = ScalarType::bf16, f32_type = ScalarType::f32;

/// Heads of keys and values alone over clusters and slices.
AttentionSizes kv_only(AttentionSizes s) {
  s.q_heads = s.kv_heads;
  return s;
}

/// Query heads of a kv head are [GO, GR], filled up to whole groups of Rows. B sequences are [BO, U], of which U are
/// attended at once: some beside each other in a cluster, and where there is one head, in each cluster.
struct Axes {
  Axes(const Device& device, const AttentionSizes& s, const DecodeTiling& t)
      : grid(device, kv_only(s)),
        some(dyn::axis("GQ", s.heads_per_kv())),
        all(dyn::axis("GP", t.groups * t.rows)),
        group(dyn::axis("GO", t.groups)),
        row(dyn::axis("GR", t.rows)),
        lane(row.pad(lanes)),
        d(grid.dim),
        padded_d(d.pad(round_up(s.head_dim, packet))),
        zeroed_d(d.pad_zero(round_up(s.head_dim, packet))),
        turns(dyn::axis("BO", s.sequences / t.at_once)),
        at_once(dyn::axis("U", t.at_once)),
        w(dyn::axis("W", t.across)),
        cluster(t.at_once > t.beside ? at_once / t.beside : grid.cluster),
        heads(map(at_once % t.beside, grid.heads)),
        slice(map(heads, w)),
        first(map(heads, dyn::one.pad(t.across))) {}

  attention::HeadGrid grid;
  Mapping some, all, group, row, lane, d, padded_d, zeroed_d, turns, at_once, w;
  Mapping cluster, heads, slice, first;  // heads of a cluster; all slices; the first of each head
};

/// Positions of one slice: `rows` of them, of which the last is there only in the first `last` slices of a head. With a
/// window, rows before it are left out, and of the first one the first `before` slices.
struct Share {
  Share(std::int64_t length, std::int64_t across, std::int64_t window)
      : windowed(window > 0 && length > window),
        skipped(windowed ? (length - window) / across : 0),
        before(windowed ? (length - window) % across : 0),
        rows(ceil_div(length, across) - skipped),
        last(length - (skipped + rows - 1) * across),
        room(round_up(rows, flit)) {}

  /// Whether a recording for one serves the other, if slices are told at the launch what is there.
  bool serves(const Share& other) const { return windowed == other.windowed && skipped == other.skipped && rows == other.rows; }

  bool windowed;
  std::int64_t skipped, before, rows, last;
  std::int64_t room;  // rows that are computed with
};

class Decode {
 public:
  /// `length`: what the launch says of it; null: it is the kernel's.
  Decode(const DecodeAttention& kernel, Context& ctx, const dyn::Tensor& k, const dyn::Tensor& v, const LengthAtLaunch* length)
      : ctx_(ctx),
        chip_(k.levels()[Level::chip]),
        sizes_(kernel.sizes()),
        cache_(kernel.cache()),
        sequence_(kernel.sequence()),
        tiling_(kernel.tiling()),
        axes_(kernel.device(), sizes_, tiling_),
        columns_(padded_columns(kernel.device(), bf16_type, sizes_.q_heads * sizes_.head_dim)),
        k_(k),
        v_(v),
        scale_(sizes_.cap > 0 ? 1.0f : sizes_.scaled_by()) {
    zeros_ = filled(bf16_type, dyn::axis("DI", lanes), 0);
    minus_infinity_ = filled(f32_type, axes_.lane, -std::numeric_limits<double>::infinity());
    results_ = dyn::Tensor::dm(ctx, bf16_type, chip_, axes_.cluster, axes_.first, map(axes_.turns, axes_.all, axes_.d));
    if (length == nullptr) return;
    limit_ = words_of(length->limit, axes_.lane);
    keep_ = words_of(length->keep, eight());
    Share const share(kernel.lengths().front(), tiling_.across, sizes_.window);
    if (share.windowed && share.rows > 1) from_ = words_of(length->from, axes_.lane);
  }

  /// Loaded once for each head, and given to all of its slices by the inter-slice block: copies made by DMA would be
  /// slow. The maximum of one number is that number.
  void load_queries(const dyn::Tensor& q) {
    Mapping const &d = axes_.padded_d, all = map(axes_.turns, axes_.all), time = map(all, d / lanes), lane = d % lanes;
    dyn::Tensor const once = dyn::Tensor::dm(ctx_, bf16_type, chip_, axes_.cluster, axes_.first, map(all, d));
    dyn::dma(ctx_.tdma, q.reshape(rows_of_heads()), first_heads(once, axes_.turns, d).view_mut());
    q_ = dyn::main(ctx_)
             .begin(once)
             .fetch(f32_type, time, lane)
             .collect(time, lane)
             .vector_init()
             .vector_inter_slice_reduce(ReduceOp::Max, axes_.slice, time)
             .vector_final()
             .cast(bf16_type, lane.pad(flit))
             .commit(map(all, d));
  }
  /// The sequences of one turn, all of this length.
  void attend(std::int64_t turn, std::int64_t length) {
    Share const share(length, tiling_.across, sizes_.window);
    dyn::Tensor const scores = scores_of(turn, share);
    dyn::Tensor const maximum = to_vrf(maximum_of(scores, share));
    dyn::Tensor const weights = weights_of(scores, maximum, share);
    dyn::Tensor const sum = to_vrf(sum_of(scores, maximum, share));
    std::vector<dyn::Tensor> const values = values_of(turn, weights, share);
    for (std::int64_t g = 0; g < tiling_.groups; ++g) store(turn, g, values[static_cast<std::size_t>(g)], sum);
  }
  void store_results(const dyn::Tensor& out) {
    dyn::dma(ctx_.tdma, first_heads(results_, axes_.turns, axes_.d), out.reshape(rows_of_heads()).view_mut());
  }

 private:
  Mapping rows_of_heads() const { return map(axes_.turns, axes_.at_once, map(axes_.grid.kv, axes_.some, axes_.d).pad(columns_)); }
  /// The heads that there are, of a tensor [outer, GP, inner].
  dyn::Tensor first_heads(const dyn::Tensor& t, const Mapping& outer, const Mapping& inner) const {
    return some_of(t, axes_.all, axes_.some.size, 0).reshape(map(outer, axes_.some.pad(axes_.all.size), inner));
  }
  dyn::Tensor dm(ScalarType type, const Mapping& element) {
    return dyn::Tensor::dm(ctx_, type, chip_, axes_.cluster, axes_.slice, element);
  }
  dyn::Tensor filled(ScalarType type, const Mapping& element, double value) {
    dyn::Tensor const t = dm(type, element);
    dyn::memset(ctx_, t, value);
    return t;
  }
  Mapping eight() const { return dyn::axis("DI", lanes); }
  /// A packet of words for each slice of a head, the same for all heads, in VRF.
  dyn::Tensor words_of(const dyn::Tensor& in_hbm, const Mapping& packet_of) {
    auto const in_dm = in_hbm.reshape(map(axes_.w, packet_of)).to_dm(ctx_.tdma, axes_.cluster, axes_.slice, packet_of);
    return dyn::sub(ctx_).begin(in_dm).fetch(f32_type, dyn::one, packet_of).collect(dyn::one, packet_of).to_vrf(packet_of);
  }
  dyn::Tensor to_vrf(const dyn::Tensor& t) {
    Mapping const &group = axes_.group, &lane = axes_.lane;
    return dyn::sub(ctx_).begin(t).fetch(f32_type, group, lane).collect(group, lane).to_vrf(map(group, lane));
  }
  /// The slices of each head from the given one on.
  SliceMask from(std::int64_t first) const { return among(first, tiling_.across); }
  /// The slices of each head from one number to another.
  SliceMask among(std::int64_t first, std::int64_t end) const {
    SliceMask mask;
    for (std::int64_t slice = 0; slice < axes_.slice.size; ++slice)
      if (slice % tiling_.across >= first && slice % tiling_.across < end) mask = mask.with(static_cast<int>(slice));
    return mask;
  }
  /// Rows of the slices' shares.
  dyn::Tensor part_of(const dyn::Tensor& cache, std::int64_t turn, std::int64_t e0, std::int64_t n) const {
    return attention::part_of_cache(
        cache_, cache,
        {sequence_ + turn * tiling_.at_once, e0 * tiling_.across, n * tiling_.across, axes_.at_once, map(dyn::axis("E", n), axes_.w)});
  }

  /// [GO, E, GR]: minus infinity where there is no position.
  dyn::Tensor scores_of(std::int64_t turn, const Share& share) {
    Mapping const all = dyn::axis("E", share.room);
    dyn::Tensor const scores = dm(f32_type, map(axes_.group, all, axes_.lane));
    dyn::Tensor const q = queries_in_trf(turn);
    // What only the launch knows to be there goes by itself: the last row, and the first one of a window.
    std::int64_t const sure = share.rows - (limit_ ? 1 : 0);
    for (std::int64_t e0 = 0, n = 0; e0 < share.rows; e0 += n) {
      bool const begins = from_ && e0 == 0;
      n = e0 < sure && !begins ? std::min(tiling_.positions, sure - e0) : 1;
      Mapping const e = dyn::axis("E", n), &d = axes_.zeroed_d;
      dyn::Tensor const keys =
          part_of(k_, turn, share.skipped + e0, n).to_dm(ctx_.tdma, axes_.cluster, axes_.slice, map(e, axes_.padded_d));
      auto stream = dyn::main(ctx_)
                        .begin(keys)
                        .fetch(bf16_type, map(e, d / packet), d % packet)
                        .collect(map(e, d / flit), d % flit)
                        .align(q, map(e, d / packet, axes_.group), d % packet)
                        .contract(dyn::one)
                        .accumulate(AccumulationKind::Interleaved, map(e, axes_.group), axes_.lane);
      if (sizes_.cap > 0) stream = capped(std::move(stream), map(e, axes_.group));
      if (begins || e0 == sure) {
        auto scored = sizes_.cap > 0 ? again(std::move(stream), map(e, axes_.group)) : std::move(stream);
        stream = std::move(scored)
                     .vector_init()
                     .vector_intra_slice_branch(BranchMode::Unconditional)
                     .vector_clip(ClipBinaryOpF32::Min, begins ? from_ : limit_)
                     .vector_final();
      }
      std::move(stream).commit_view(rows_of(scores, all, n, e0).view_mut());
    }
    if (share.rows < share.room) hide(scores, all, share.room - share.rows, share.rows, SliceMask::all());
    if (!limit_ && share.last < tiling_.across) hide(scores, all, 1, share.rows - 1, from(share.last));
    if (!limit_ && share.before > 0) hide(scores, all, 1, 0, among(0, share.before));
    return scores;
  }
  dyn::Stream capped(dyn::Stream scores, const Mapping& time) const {
    auto narrow = std::move(scores).vector_init().vector_intra_slice_branch(BranchMode::Unconditional);
    return attention::capped(std::move(narrow).vector_split(map(time, axes_.lane / 4), axes_.lane % 4), sizes_)
        .vector_concat(time, axes_.lane)
        .vector_final();
  }
  /// A stream that has been through the Vector Engine, and goes through it once more.
  dyn::Stream again(dyn::Stream scores, const Mapping& time) {
    dyn::Tensor const kept = std::move(scores).commit(map(time, axes_.lane));
    return dyn::main(ctx_).begin(kept).fetch(f32_type, time, axes_.lane).collect(time, axes_.lane);
  }
  dyn::Tensor rows_of(const dyn::Tensor& scores, const Mapping& all, std::int64_t n, std::int64_t e0) const {
    return some_of(scores, all, n, e0).reshape(map(axes_.group, dyn::axis("E", n).pad(all.size), axes_.lane));
  }
  void hide(const dyn::Tensor& scores, const Mapping& all, std::int64_t n, std::int64_t e0, const SliceMask& slices) {
    Mapping const time = map(axes_.group, dyn::axis("E", n));
    dyn::main(ctx_)
        .begin(minus_infinity_)
        .fetch(f32_type, time, axes_.lane)
        .collect(time, axes_.lane)
        .commit_view(rows_of(scores, all, n, e0).view_mut(), slices);
  }
  dyn::Tensor queries_in_trf(std::int64_t turn) {
    Mapping const &row = axes_.row, &group = axes_.group, &d = axes_.padded_d;
    dyn::Tensor const q = some_of(q_, axes_.turns, 1, turn).reshape(map(dyn::one.pad(axes_.turns.size), group, row, d));
    return dyn::sub(ctx_)
        .begin(q)
        .fetch(bf16_type, map(row, group, d / flit), d % flit)
        .collect(map(row, group, d / flit), d % flit)
        .to_trf(row, map(group, d), TrfAddress::FirstHalf);
  }
  dyn::Stream narrow(const dyn::Tensor& scores, const Mapping& time) {
    Mapping const& lane = axes_.lane;
    return dyn::main(ctx_)
        .begin(scores)
        .fetch(f32_type, time, lane)
        .collect(time, lane)
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_split(map(time, lane / 4), lane % 4);
  }
  dyn::Stream exponentials(const dyn::Tensor& scores, const dyn::Tensor& maximum, const Mapping& time) {
    return narrow(scores, time)
        .vector_fp_binary(FpBinaryOp::SubF, maximum)
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), scale_)
        .vector_fp_unary(FpUnaryOp::Exp);
  }
  /// The maximum over all slices of a head, in each of them.
  dyn::Tensor maximum_of(const dyn::Tensor& scores, const Share& share) {
    Mapping const e = dyn::axis("E", share.room), &group = axes_.group, &lane = axes_.lane;
    return narrow(scores, map(group, e))
        .vector_intra_slice_reduce("E", ReduceOp::Max, map(group, lane / 4), lane % 4)
        .vector_concat(group, lane)
        .vector_inter_slice_reduce(ReduceOp::Max, map(axes_.heads, tiling_.across), group)
        .vector_final()
        .commit(map(group, lane));
  }
  dyn::Tensor sum_of(const dyn::Tensor& scores, const dyn::Tensor& maximum, const Share& share) {
    Mapping const e = dyn::axis("E", share.room), &group = axes_.group, &lane = axes_.lane;
    return exponentials(scores, maximum, map(group, e))
        .vector_intra_slice_reduce("E", ReduceOp::Add, map(group, lane / 4), lane % 4)
        .vector_concat(group, lane)
        .vector_inter_slice_reduce(ReduceOp::Add, axes_.first, group)
        .vector_final()
        .commit(map(group, lane));
  }
  /// [GR, GO, E], of bf16.
  dyn::Tensor weights_of(const dyn::Tensor& scores, const dyn::Tensor& maximum, const Share& share) {
    Mapping const e = dyn::axis("E", share.room), &group = axes_.group, time = map(group, e);
    return exponentials(scores, maximum, time)
        .vector_concat(time, axes_.lane)
        .vector_final()
        .cast(bf16_type, axes_.lane.pad(flit))
        .transpose(map(group, e / 4, axes_.row), (e % 4).pad(flit))
        .commit(map(axes_.row, group, e));
  }

  /// For each group [GR, D] of each slice, f32.
  std::vector<dyn::Tensor> values_of(std::int64_t turn, const dyn::Tensor& weights, const Share& share) {
    std::vector<dyn::Tensor> sums(static_cast<std::size_t>(tiling_.groups));
    Mapping const all = dyn::axis("E", share.room), &row = axes_.row, &group = axes_.group;
    for (std::int64_t e0 = 0; e0 < share.rows; e0 += tiling_.positions) {
      std::int64_t const n = std::min(tiling_.positions, share.rows - e0);
      dyn::Tensor const values = values_in_dm(turn, e0, n, share);
      Mapping const e = dyn::axis("E", round_up(n, flit));
      dyn::Tensor const trf = dyn::sub(ctx_)
                                  .begin(some_of(weights, all, e.size, e0).reshape(map(row, group, e.pad(all.size))))
                                  .fetch(bf16_type, map(row, group, e / flit), e % flit)
                                  .collect(map(row, group, e / flit), e % flit)
                                  .to_trf(row, map(group, e), TrfAddress::SecondHalf);
      for (std::int64_t g = 0; g < tiling_.groups; ++g) {
        dyn::Tensor& sum = sums[static_cast<std::size_t>(g)];
        dyn::Tensor const part = products(values, some_of(trf, group, 1, g).reshape(map(dyn::one.pad(group.size), e)), e);
        sum = e0 == 0 ? part : added(sum, part);
      }
    }
    return sums;
  }
  /// What lies after the last position is made zero: a weight of zero times just anything need not be zero.
  dyn::Tensor values_in_dm(std::int64_t turn, std::int64_t e0, std::int64_t n, const Share& share) {
    std::int64_t const room = round_up(n, flit);
    Mapping const all = dyn::axis("E", room), &d = axes_.padded_d;
    dyn::Tensor const values = dm(bf16_type, map(all, d));
    bool const in_doubt = keep_ && e0 + n == share.rows;
    std::int64_t const sure = in_doubt ? n - 1 : n;
    Mapping const e_sure = dyn::axis("E", sure);
    if (sure > 0)
      dyn::dma(ctx_.tdma, part_of(v_, turn, share.skipped + e0, sure),
               some_of(values, all, sure, 0).reshape(map(e_sure.pad(room), d)).view_mut());
    if (in_doubt) keep_some(values, all, sure, part_of(v_, turn, share.skipped + e0 + sure, 1));
    if (n < room) clear(values, all, n, room - n, SliceMask::all());
    if (!keep_ && e0 + n == share.rows && share.last < tiling_.across) clear(values, all, n - 1, 1, from(share.last));
    return values;
  }
  /// One position of each slice, as far as the launch says that it is there.
  void keep_some(const dyn::Tensor& values, const Mapping& all, std::int64_t e0, const dyn::Tensor& position) {
    Mapping const outer = dyn::axis("DO", axes_.d.size / lanes), row = map(outer.pad(axes_.padded_d.size / lanes), eight());
    dyn::Tensor const held = position.to_dm(ctx_.tdma, axes_.cluster, axes_.slice, axes_.padded_d);
    dyn::main(ctx_)
        .begin(held.reshape(row))
        .fetch(f32_type, outer, eight())
        .collect(outer, eight())
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_logic(LogicBinaryOpF32::BitAnd, keep_)
        .vector_final()
        .cast(bf16_type, eight().pad(flit))
        .commit_view(some_of(values, all, 1, e0).reshape(map(dyn::one.pad(all.size), row)).view_mut());
  }
  void clear(const dyn::Tensor& values, const Mapping& all, std::int64_t e0, std::int64_t n, const SliceMask& slices) {
    Mapping const e = dyn::axis("E", n), eight = dyn::axis("DI", lanes), outer = dyn::axis("DO", axes_.d.size / lanes);
    Mapping const time = map(e, outer), row = map(outer.pad(axes_.padded_d.size / lanes), eight);
    dyn::main(ctx_)
        .begin(zeros_)
        .fetch(bf16_type, time, eight)
        .collect(time, eight.pad(flit))
        .commit_view(some_of(values, all, n, e0).reshape(map(e.pad(all.size), row)).view_mut(), slices);
  }
  /// Columns are kept apart to the end, so that the accumulator needs a place for each column of each Row.
  dyn::Tensor products(const dyn::Tensor& values, const dyn::Tensor& weights, const Mapping& e) {
    Mapping const &row = axes_.row, &d = axes_.padded_d;
    return dyn::main(ctx_)
        .begin(values)
        .fetch(bf16_type, map(e, d / packet), d % packet)
        .collect(map(e, d / flit), d % flit)
        .align(weights, map(e, d / packet), d % packet)
        .contract(d % packet)
        .accumulate(AccumulationKind::Sequential, map(d / packet, row, d % packet / lanes), d % lanes)
        .commit(map(row, d));
  }
  dyn::Tensor added(const dyn::Tensor& sums, const dyn::Tensor& part) {
    Mapping const both = dyn::axis("X", 2), time = map(axes_.row, axes_.padded_d / lanes), lane = axes_.padded_d % lanes;
    return dyn::main(ctx_)
        .begin_interleaved("X", sums, part)
        .fetch(f32_type, map(time, both), lane)
        .collect(map(time, both), lane)
        .vector_init()
        .vector_intra_slice_unzip("X", map(time, dyn::one.pad(2)), time)
        .vector_clip_zip(ClipBinaryOpF32::Add)
        .vector_final()
        .commit(map(axes_.row, axes_.padded_d));
  }
  /// The sums of all slices, divided by those of the weights.
  void store(std::int64_t turn, std::int64_t g, const dyn::Tensor& sums, const dyn::Tensor& weights) {
    Mapping const &d = axes_.d, &row = axes_.row, &group = axes_.group, time = map(row, d / lanes), lane = d % lanes;
    dyn::Tensor const weight = some_of(weights, group, 1, g).reshape(map(dyn::one.pad(group.size), axes_.lane));
    dyn::Tensor const to = some_of(some_of(results_.reshape(map(axes_.turns, group, row, d)), axes_.turns, 1, turn), group, 1, g);
    dyn::main(ctx_)
        .begin(sums)
        .fetch(f32_type, time, lane)
        .collect(time, lane)
        .vector_init()
        .vector_inter_slice_reduce(ReduceOp::Add, axes_.first, time)
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_split(map(time, lane / 4), lane % 4)
        .vector_fp_div(FpDivBinaryOp::DivF, weight)
        .vector_concat(time, lane)
        .vector_final()
        .cast(bf16_type, lane.pad(flit))
        .commit_view(to.reshape(map(dyn::one.pad(axes_.turns.size), dyn::one.pad(group.size), row, d)).view_mut());
  }

  Context& ctx_;
  Mapping chip_;  // each computes its own heads
  AttentionSizes sizes_, cache_;
  std::int64_t sequence_;
  DecodeTiling tiling_;
  Axes axes_;
  std::int64_t columns_;
  dyn::Tensor k_, v_, q_, results_, zeros_, minus_infinity_;
  dyn::Tensor limit_{}, keep_{}, from_{};  // in VRF; none: the length is the kernel's, or nothing comes before the window
  float scale_;
};

}  // namespace

Verdict check_lengths(const AttentionSizes& s, const std::vector<std::int64_t>& lengths, Where at) {
  bool fits = static_cast<std::int64_t>(lengths.size()) == s.sequences;
  std::int64_t worst = fits ? s.capacity : static_cast<std::int64_t>(lengths.size());
  for (std::int64_t n : lengths)
    if (n < 1 || n > s.capacity) fits = false, worst = n;
  if (fits) return accept();
  return refuse("kernel-attention-lengths", at)
      .what(lengths.size(), " sequences, one of ", worst, " tokens, in a cache for ", s.sequences, " of 1 to ", s.capacity)
      .why("a length counts the new token, whose key and value go to the last position")
      .help("give a length from 1 to ", s.capacity, " for each of ", s.sequences, " sequences");
}

std::string text_of(const DecodeTiling& t) {
  auto const number = [](std::int64_t n) { return std::to_string(n); };
  std::string const beside = t.beside > 1 ? ", " + number(t.beside) + " of them in a cluster" : "";
  return "slices of a head of keys " + number(t.across) + ", sequences at once " + number(t.at_once) + beside + "\n" +  //
         "queries of a slice " + number(t.rows) + ", groups of them " + number(t.groups) + "\n" +                       //
         "positions of a slice that are loaded at once " + number(t.positions) + "\n";
}

DecodeAttention::DecodeAttention(const Device& device, const AttentionSizes& sizes, std::vector<std::int64_t> lengths, Where at)
    : device_(device), sizes_(sizes), cache_(sizes), lengths_(std::move(lengths)) {
  throw_if_refused(check_attention(device, sizes, at));
  throw_if_refused(check_lengths(sizes, lengths_, at));
  DecodeTiling& t = tiling_;
  attention::HeadGrid const grid(device, kv_only(sizes));
  std::int64_t const heads = sizes.heads_per_kv(), clusters = device.levels.clusters_per_chip;
  t.across = grid.across;
  // Two Rows at least: a lane alone in its packet would be all padding to the commit. At most what the accumulator
  // holds.
  std::int64_t const most = power_of_two_up_to(device.contraction.accumulator_slots / round_up(sizes.head_dim, packet));
  t.rows = std::clamp<std::int64_t>(power_of_two_from(heads), 2, std::min(most, device.levels.rows_per_slice));
  t.groups = ceil_div(heads, t.rows);
  bool const alike = std::all_of(lengths_.begin(), lengths_.end(), [&](std::int64_t n) { return n == lengths_.front(); });
  if (sizes.kv_heads == 1 && alike && sizes.sequences % clusters == 0) t.at_once = clusters;
  // Every turn starts transfers and passes anew, so short ones are joined; a few are enough for loading and computing
  // to overlap.
  std::int64_t const keys = lengths_.front() * sizes.kv_heads * sizes.head_dim * 2;
  std::int64_t const enough = start_ups * device.dma.startup.value * hbm_mb_per_s(device) / device.clocks.core_mhz;
  while (alike && t.at_once * keys < enough && sizes.sequences % (2 * t.at_once) == 0 &&
         sizes.sequences / (2 * t.at_once) >= fewest_turns && t.across % 2 == 0 && t.across / 2 >= fewest_slices &&
         lengths_.front() <= t.across / 2 * t.positions) {
    t.at_once *= 2;
    t.beside *= 2;
    t.across /= 2;
  }
}

DecodeAttention DecodeAttention::with_length_at_launch(const Device& device, const AttentionSizes& sizes, std::int64_t length,
                                                       std::int64_t sequence, Where at) {
  if (sequence < 0 || sequence >= sizes.sequences)
    throw Refused(refuse("kernel-attention-lengths", at)
                      .what("sequence ", sequence, " of a cache for ", sizes.sequences)
                      .why("sequences are counted from 0")
                      .help("take one from 0 to ", sizes.sequences - 1));
  AttentionSizes one = sizes;
  one.sequences = 1;
  DecodeAttention made{device, one, {length}, at};
  made.cache_ = sizes;
  made.sequence_ = sequence;
  return made;
}
bool DecodeAttention::serves(std::int64_t length) const {
  return Share(lengths_.front(), tiling_.across, sizes_.window).serves(Share(length, tiling_.across, sizes_.window));
}
Mapping DecodeAttention::limit_layout() const { return map(dyn::axis("W", tiling_.across), dyn::axis("GR", tiling_.rows).pad(lanes)); }
Mapping DecodeAttention::keep_layout() const { return map(dyn::axis("W", tiling_.across), dyn::axis("DI", lanes)); }
LengthOnHost DecodeAttention::said(std::int64_t length) const {
  LengthOnHost out{dyn::HostTensor(ScalarType::i32, dyn::one), dyn::HostTensor(f32_type, limit_layout()),
                   dyn::HostTensor(f32_type, keep_layout())};
  if (sizes_.window > 0) out.from.emplace(f32_type, limit_layout());
  out.position.data<i32>()[0] = i32::from_int(length - 1);
  Share const share(length, tiling_.across, sizes_.window);
  auto const infinity = f32::from_float(std::numeric_limits<float>::infinity()),
             below = f32::from_float(-std::numeric_limits<float>::infinity());
  for (std::int64_t i = 0; i < tiling_.across * lanes; ++i) {
    bool const there = i / lanes < share.last, in_window = i / lanes >= share.before;
    // A single row is the first and the last.
    out.limit.data<f32>()[i] = there && (in_window || share.rows > 1) ? infinity : below;
    out.keep.data<f32>()[i] = f32::from_bits(there ? ~0u : 0u);
    if (out.from) out.from->data<f32>()[i] = in_window ? infinity : below;
  }
  return out;
}

dyn::Tensor DecodeAttention::operator()(Context& ctx, const dyn::Tensor& q, const dyn::Tensor& k_new, const dyn::Tensor& v_new,
                                        const dyn::Tensor& k_cache, const dyn::Tensor& v_cache) const {
  append_tokens(ctx, sizes_, k_new, k_cache, lengths_);
  append_tokens(ctx, sizes_, v_new, v_cache, lengths_);
  return attend(ctx, q, k_cache, v_cache, nullptr);
}
dyn::Tensor DecodeAttention::operator()(Context& ctx, const dyn::Tensor& q, const dyn::Tensor& k_new, const dyn::Tensor& v_new,
                                        const dyn::Tensor& k_cache, const dyn::Tensor& v_cache, const LengthAtLaunch& length) const {
  append_token_at(ctx, cache_, k_new, k_cache, sequence_, length.position);
  append_token_at(ctx, cache_, v_new, v_cache, sequence_, length.position);
  return attend(ctx, q, k_cache, v_cache, &length);
}
dyn::Tensor DecodeAttention::attend(Context& ctx, const dyn::Tensor& q, const dyn::Tensor& k_cache, const dyn::Tensor& v_cache,
                                    const LengthAtLaunch* length) const {
  dyn::Tensor const out = dyn::Tensor::hbm(ctx, bf16_type, q.levels()[Level::chip], layout());
  Decode decode(*this, ctx, k_cache, v_cache, length);
  decode.load_queries(q);
  for (std::int64_t turn = 0; turn < sizes_.sequences / tiling_.at_once; ++turn)
    decode.attend(turn, lengths_[static_cast<std::size_t>(turn * tiling_.at_once)]);
  decode.store_results(out);
  return out;
}

Work DecodeAttention::work() const {
  Work w;
  std::int64_t tokens = 0;
  for (std::int64_t n : lengths_) tokens += sizes_.window > 0 ? std::min(n, sizes_.window) : n;
  w.multiply_adds = 2 * tokens * sizes_.q_heads * sizes_.head_dim;
  w.hbm_bytes = 2 * sizes_.head_dim * (2 * tokens * sizes_.kv_heads + 2 * sizes_.sequences * sizes_.q_heads);
  w.dm_bytes = w.hbm_bytes;
  return w;
}

}  // namespace tcp::kernels
