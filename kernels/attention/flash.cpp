// The kernel while it is recorded: `steps` says which block of keys meets which groups of queries, `run` in which order
// the passes of a step are recorded, and one function each records a pass. flash.hpp explains the method.
#include "kernels/attention/flash.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "kernels/parts/counts.hpp"
#include "kernels/parts/sums.hpp"
#include "kernels/parts/views.hpp"
#include "kernels/rows/rows.hpp"
#include "tcp/support/refused.hpp"
#include "tcp/support/round.hpp"

namespace tcp::kernels {
namespace {

using dyn::map;

constexpr ScalarType bf16_type = ScalarType::bf16, f32_type = ScalarType::f32, i32_type = ScalarType::i32;
constexpr auto after_query = OperandGuard::bit(0), not_seen = OperandGuard::bit(0) | OperandGuard::bit(1);
/// What is below every score, and finite: a query whose window does not reach a block keeps it as its maximum.
constexpr double below_all = -1e30;

/// The axes. Tokens of a tile are [G, R, C, I], keys of a block [E, J], or [EK, EQ, J].
struct Axes {
  Axes(const Device& device, const AttentionSizes& s, const FlashTiling& t)
      : grid(device, s),
        d(grid.dim),
        with_sum(dyn::axis("D1", s.head_dim + 1)),
        padded_d(d.pad(round_up(s.head_dim, t.packet))),
        zeroed_d(d.pad_zero(round_up(s.head_dim, t.packet))),
        r(dyn::axis("R", t.rows)),
        c(dyn::axis("C", t.across / t.ring)),
        i(dyn::axis("I", t.ring)),
        j(dyn::axis("J", t.ring)),
        e(dyn::axis("E", t.keys / t.ring)),
        share(dyn::axis("EQ", t.rings)),
        queries(map(grid.heads, c, i)),
        keys(map(grid.heads, c, j)) {
    std::int64_t const of_head = t.across / t.ring;
    if (t.rings == 1) shared = keys;
    else if (t.rings == of_head) shared = map(grid.heads, share, j);
    else shared = map(grid.kv_part, share, j);
  }
  /// Keys of a slice, n of each ring, as the shares count them.
  Mapping in_shares(std::int64_t n) const { return map(dyn::axis("EK", n / share.size), share); }

  attention::HeadGrid grid;
  Mapping d, with_sum, padded_d, zeroed_d, r, c, i, j, e, share;
  Mapping queries, keys, shared{};  // slices, by what they hold
};

/// A part of the scores of a tile and a block: some groups of queries, some keys of each slice.
struct KeyPart {
  std::int64_t g0, groups, e0, e;  // g0: among the groups of the step
  std::int64_t ahead;              // masked: keys from this many positions before the first query on come after queries; else `never`

  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  bool masked() const { return ahead != never; }
};

/// A block of keys, and the groups of a tile that attend to it: those from g0 on.
struct Step {
  std::size_t tile;  // its number
  std::int64_t q0, tile_groups;
  std::int64_t k0, g0, groups;
  bool first;                 // of the tile
  std::int64_t finished = 0;  // groups that attend to no block after this one
  std::vector<KeyPart> parts;
  bool whole = false;  // one part is all
};

/// A block of keys and values in DM.
struct Block {
  dyn::Tensor keys, values;  // [E, D]
  dyn::Tensor transposed;    // values as [D1, E], the last row ones
};

/// In DM: [D1, G, R], of the groups of a tile from g0 on.
struct Sums {
  dyn::Tensor all;
  std::int64_t g0 = 0, groups = 0;
};

/// What a tile of queries carries from block to block.
struct Tile {
  dyn::Tensor q;        // TRF
  dyn::Tensor maximum;  // VRF
  Sums sums;
};

/// exp(scores) of a tile and a block.
struct Weights {
  dyn::Tensor dm, trf;  // [R, G, J, E]
  dyn::Tensor factor;   // VRF: by which the sums so far are multiplied; none for the first block
};

class Flash {
 public:
  Flash(const FlashAttention& kernel, Context& ctx, dyn::Tensor q, dyn::Tensor k, dyn::Tensor v, std::int64_t sequence)
      : ctx_(ctx),
        device_(kernel.device()),
        chip_(q.levels()[Level::chip]),
        sizes_(kernel.sizes()),
        tiling_(kernel.tiling()),
        axes_(kernel.device(), sizes_, tiling_),
        tokens_(kernel.tokens()),
        past_(kernel.past()),
        sequence_(sequence),
        columns_(padded_columns(kernel.device(), bf16_type, sizes_.q_heads * sizes_.head_dim)),
        q_(std::move(q)),
        k_(std::move(k)),
        v_(std::move(v)),
        scale_(sizes_.cap > 0 ? 1.0f : sizes_.scaled_by()) {
    out_ = dyn::Tensor::hbm(ctx, bf16_type, chip_, kernel.layout());
  }

  /// Scores of a step come before the values of the one before it: meanwhile the sub context loads that one's weights.
  dyn::Tensor run() {
    std::vector<Step> const all = steps();
    make_constants();
    load(all.front());
    begin_tile(all.front());
    Weights now, before;
    for (std::size_t at = 0; at <= all.size(); ++at) {
      bool const more = at + 1 < all.size();
      before = std::exchange(now, {});
      if (more) load(all[at + 1]);
      if (at < all.size()) now = weights_of(all[at]);
      if (more && all[at + 1].first) begin_tile(all[at + 1]);  // ahead of the weights, which take longer to load
      if (at > 0) sum_values(all[at - 1], before);
      if (at > 0 && all[at - 1].finished > 0) finish(all[at - 1]);
      if (at < all.size()) now.trf = to_trf(all[at], now.dm);
      if (at > 0) release(all[at - 1].k0, all, at);
    }
    return out_;
  }

 private:
  Tile& tile_of(const Step& s) {
    if (tiles_.size() <= s.tile) tiles_.resize(s.tile + 1);
    return tiles_[s.tile];
  }
  Mapping groups(std::int64_t n) const { return dyn::axis("G", n); }
  Mapping tokens_of(std::int64_t n) const { return map(groups(n), axes_.r, axes_.c, axes_.i); }
  Mapping columns() const { return map(axes_.grid.kv, axes_.grid.group, axes_.d).pad(columns_); }
  dyn::Tensor dm(ScalarType type, const Mapping& slice, const Mapping& element) {
    return dyn::Tensor::dm(ctx_, type, chip_, axes_.grid.cluster, slice, element);
  }
  dyn::Tensor filled(ScalarType type, const Mapping& slice, const Mapping& element, double value) {
    dyn::Tensor const t = dm(type, slice, element);
    dyn::memset(ctx_, t, value);
    return t;
  }
  /// One lane in one slice.
  dyn::Tensor lone(double value) {
    Mapping const cluster = dyn::one.pad(axes_.grid.cluster.size), slice = dyn::one.pad(axes_.queries.size);
    dyn::Tensor const t = dyn::Tensor::dm(ctx_, i32_type, chip_, cluster, slice, dyn::one.pad(device_.vector.lanes));
    dyn::memset(ctx_, t, value);
    return t;
  }
  dyn::Tensor to_vrf(const dyn::Tensor& t, ScalarType type, const Mapping& time, const Mapping& lanes) {
    return dyn::sub(ctx_).begin(t).fetch(type, time, lanes).collect(time, lanes).to_vrf(map(time, lanes));
  }

  // What to do, and in which order.

  std::int64_t group_tokens() const { return tiling_.group_tokens(); }
  std::vector<Step> steps() const {
    std::vector<Step> all;
    for (std::int64_t q0 = 0; q0 < tokens_; q0 += tiling_.tokens()) {
      std::int64_t const n = std::min(tiling_.groups, ceil_div(tokens_ - q0, group_tokens()));
      std::int64_t const end = past_ + std::min(q0 + n * group_tokens(), tokens_);  // of the keys that the tile's tokens attend to
      for (std::int64_t k0 = first_block(q0); k0 < end; k0 += tiling_.keys) {
        all.push_back(step_at(q0, n, k0, end));
        std::int64_t const next = k0 + tiling_.keys;
        all.back().finished = (next < end ? first_group(q0, next) : n) - all.back().g0;
      }
    }
    return all;
  }
  /// The block that the window of a tile's first token begins in.
  std::int64_t first_block(std::int64_t q0) const {
    if (sizes_.window == 0) return 0;
    return std::max<std::int64_t>(past_ + q0 + 1 - sizes_.window, 0) / tiling_.keys * tiling_.keys;
  }
  /// The first group of a tile with a token that is not before the key.
  std::int64_t first_group(std::int64_t q0, std::int64_t key) const { return std::max<std::int64_t>(key - past_ - q0, 0) / group_tokens(); }
  Step step_at(std::int64_t q0, std::int64_t n, std::int64_t k0, std::int64_t end) const {
    std::int64_t const g0 = first_group(q0, k0);
    Step s{static_cast<std::size_t>(q0 / tiling_.tokens()), q0, n, k0, g0, n - g0, k0 == first_block(q0), 0, {}};
    s.whole = k0 + tiling_.keys <= past_ + q0 + 1 && !leaves_window(k0 - past_ - q0, n * group_tokens());
    if (s.whole) s.parts.push_back({0, n, 0, axes_.e.size, KeyPart::never});
    for (std::int64_t k = 0; !s.whole && k < tiling_.keys && k0 + k < end; k += tiling_.masked) add_parts(s, k);
    return s;
  }
  /// Whether some of so many queries see no more of the first of some keys, which begin so far ahead of the queries.
  bool leaves_window(std::int64_t ahead, std::int64_t queries) const { return sizes_.window > 0 && queries - 1 >= ahead + sizes_.window; }
  /// The diagonal or the end of a window crosses the block: for these keys of it, the groups that see all of them, and
  /// those that see some.
  void add_parts(Step& s, std::int64_t k) const {
    std::int64_t const e0 = k / tiling_.ring, e = tiling_.masked / tiling_.ring;
    for (std::int64_t g = 0; g < s.groups; ++g) {
      std::int64_t const ahead = s.k0 + k - (past_ + s.q0 + (s.g0 + g) * group_tokens());  // of the first key
      bool const none = ahead >= group_tokens() || (sizes_.window > 0 && 1 - tiling_.masked >= ahead + sizes_.window);
      if (none) continue;
      if (ahead + tiling_.masked > 1 || leaves_window(ahead, group_tokens())) s.parts.push_back({g, 1, e0, e, ahead});
      else if (!s.parts.empty() && s.parts.back().e0 == e0 && !s.parts.back().masked()) ++s.parts.back().groups;
      else s.parts.push_back({g, 1, e0, e, KeyPart::never});
    }
  }

  // Loading.

  /// Rows of HBM that are there only in part are completed by copies of the first one: what they give is never looked
  /// at, but it is a number.
  dyn::Tensor block_of(const dyn::Tensor& cache, std::int64_t k0) {
    Mapping const e = axes_.in_shares(axes_.e.size), key = map(e, axes_.j), &kv = axes_.grid.kv;
    std::int64_t const there = std::min(tiling_.keys, past_ + tokens_ - k0);
    if (there == tiling_.keys)
      return attention::part_of_cache(sizes_, cache, {sequence_, k0, there, dyn::one, key})
          .to_dm(ctx_.tdma, axes_.grid.cluster, axes_.shared, map(own_keys(axes_.e.size), axes_.padded_d));
    Mapping const x = dyn::axis("X", tiling_.keys), some = dyn::axis("Y", there), rest = dyn::axis("Z", tiling_.keys - there);
    dyn::Tensor const whole = dyn::Tensor::hbm(ctx_, bf16_type, chip_, map(kv, x, axes_.d));
    dyn::dma(ctx_.tdma, attention::part_of_cache(sizes_, cache, {sequence_, k0, there, dyn::one, some}),
             whole.tile(x, there, 0).reshape(map(kv, some.pad(x.size), axes_.d)).view_mut());
    dyn::dma(ctx_.tdma, attention::part_of_cache(sizes_, cache, {sequence_, 0, 1, dyn::one, dyn::one}),
             whole.tile(x, rest.size, there).reshape(map(kv, rest.pad(x.size), axes_.d)).view_mut());
    return whole.reshape(map(kv, key, axes_.d))
        .to_dm(ctx_.tdma, axes_.grid.cluster, axes_.shared, map(own_keys(axes_.e.size), axes_.padded_d));
  }
  /// What a slice has of n keys of a ring.
  Mapping own_keys(std::int64_t n) const { return dyn::axis("EK", n / tiling_.rings); }
  /// Values of all rings to each of them: copies made by DMA would be slow.
  dyn::Tensor spread(const dyn::Tensor& v) {
    Mapping const own = own_keys(axes_.e.size), all = axes_.in_shares(axes_.e.size), &d = axes_.padded_d;
    if (tiling_.rings == 1) return v.reshape(map(axes_.e, d));
    return dyn::main(ctx_)
        .begin(v)
        .fetch(bf16_type, own, d)
        .switch_to(SwitchConfig::Broadcast1{.slice1 = tiling_.rings, .slice0 = tiling_.ring}, axes_.keys, all)
        .collect(map(all, d / tiling_.flit), d % tiling_.flit)
        .commit(map(all, d))
        .reshape(map(axes_.e, d));
  }
  /// What a step needs of HBM.
  void load(const Step& s) {
    if (s.first)
      next_queries_ =
          queries_of(s).to_dm(ctx_.tdma, axes_.grid.cluster, axes_.queries, map(groups(s.tile_groups), axes_.r, axes_.padded_d));
    Block& block = kept_[s.k0];
    if (!block.keys) block = {block_of(k_, s.k0), block_of(v_, s.k0), {}};
  }
  /// Blocks for which there is no room are loaded again when they are needed again.
  void release(std::int64_t k0, const std::vector<Step>& all, std::size_t at) {
    if (k0 / tiling_.keys < tiling_.kept_blocks) return;
    for (std::size_t next = at; next < std::min(at + 2, all.size()); ++next)
      if (all[next].k0 == k0) return;
    kept_.erase(k0);
  }
  dyn::Tensor transposed_values(const Step& s) {
    Block& block = kept_[s.k0];
    if (!block.transposed) block.transposed = transposed(spread(block.values));
    block.values = {};
    return block.transposed;
  }
  /// [E, D] to [D1, E]: four keys of eight columns at a time.
  dyn::Tensor transposed(const dyn::Tensor& v) {
    Mapping const &d = axes_.d, &e = axes_.e, both = axes_.with_sum;
    std::int64_t const some_keys = tiling_.transposed_rows, some_columns = tiling_.transposed_columns;
    Mapping const outer = d / some_columns, inner = d % some_columns;
    dyn::Tensor const made = dm(bf16_type, axes_.keys, map(both, e));
    dyn::main(ctx_)
        .begin(v)
        .fetch(bf16_type, map(outer, e), inner)
        .collect(map(outer, e), inner.pad(tiling_.flit))
        .transpose(map(outer, e / some_keys, inner), (e % some_keys).pad(tiling_.flit))
        .commit_view(made.tile(both, d.size, 0).reshape(map(d.pad(both.size), e)).view_mut());
    dyn::sub(ctx_)
        .begin(ones_)
        .fetch(bf16_type, e / tiling_.flit, e % tiling_.flit)
        .commit_view(made.tile(both, 1, d.size).reshape(map(dyn::one.pad(both.size), e)).view_mut());
    return made;
  }
  void begin_tile(const Step& s) {
    Mapping const g = groups(s.tile_groups), &r = axes_.r, &d = axes_.padded_d;
    Tile& t = tile_of(s);
    t.q = dyn::sub(ctx_)
              .begin(next_queries_)
              .fetch(bf16_type, map(r, g, d / tiling_.flit), d % tiling_.flit)
              .collect(map(r, g, d / tiling_.flit), d % tiling_.flit)
              .to_trf(r, map(g, d), TrfAddress::FirstHalf);
    t.maximum = to_vrf(minus_infinity(s.tile_groups), f32_type, g, r);
  }
  dyn::Tensor queries_of(const Step& s) {
    Mapping const tile = tokens_of(s.tile_groups), token = dyn::axis("S", tokens_);
    std::int64_t const all = tile.size, there = std::min(all, tokens_ - s.q0);
    dyn::Tensor const q = q_.reshape(map(token, columns()));
    if (there == all) return some_of(q, token, all, s.q0).reshape(map(tile.pad(tokens_), columns()));
    Mapping const x = dyn::axis("X", all), some = dyn::axis("Y", there), rest = dyn::axis("Z", all - there);
    dyn::Tensor const whole = dyn::Tensor::hbm(ctx_, bf16_type, chip_, map(x, columns()));
    dyn::dma(ctx_.tdma, some_of(q, token, there, s.q0).reshape(map(some.pad(tokens_), columns())),
             whole.tile(x, there, 0).reshape(map(some.pad(all), columns())).view_mut());
    dyn::dma(ctx_.tdma, some_of(q, token, 1, 0).reshape(map(dyn::one.pad(tokens_), columns())),
             whole.tile(x, rest.size, there).reshape(map(rest.pad(all), columns())).view_mut());
    return whole.reshape(map(tile, columns()));
  }

  // Constants that the chip makes itself.

  void make_constants() {
    Mapping const both = map(groups(tiling_.groups), axes_.r);
    ones_ = filled(bf16_type, axes_.keys, axes_.e, 1);
    zeros_ = filled(bf16_type, axes_.queries, axes_.e, 0);
    minus_infinity_ = filled(f32_type, axes_.queries, both, sizes_.window > 0 ? below_all : -std::numeric_limits<double>::infinity());
    make_distances();
  }
  dyn::Tensor minus_infinity(std::int64_t n) const {
    return some_of(minus_infinity_, groups(tiling_.groups), n, 0).reshape(map(groups(n).pad(tiling_.groups), axes_.r));
  }
  /// For every slice how far each query of a group lies after each key of a part that begins where the group begins.
  void make_distances() {
    Mapping const key = map(dyn::axis("E", tiling_.masked / tiling_.ring), axes_.j), &r = axes_.r;
    // Behind each other: -1, once for each key.
    dyn::Tensor const begin = first_distances();
    dyn::Tensor const running = to_vrf(begin, i32_type, dyn::one, r);
    distances_ = dyn::main(ctx_)
                     .begin(filled(i32_type, axes_.queries, r, -1))
                     .fetch(i32_type, key, r)
                     .collect(key, r)
                     .vector_init()
                     .vector_intra_slice_branch(BranchMode::Unconditional)
                     .vector_fxp(FxpBinaryOp::AddFxp, running)
                     .vector_write_operand(running)
                     .vector_final()
                     .commit(map(key, r));
  }
  /// Token of a group plus 1, for each query of a slice: Row * across + slice. Rows are counted by an axis per bit, of
  /// which a toggle finds the lanes where it is set.
  dyn::Tensor first_distances() {
    Mapping lanes = dyn::one;
    for (std::int64_t bit = tiling_.rows / 2; bit > 0; bit /= 2) lanes = map(lanes, dyn::axis("R" + std::to_string(bit), 2));
    dyn::Tensor sum = filled(i32_type, axes_.queries, lanes, 1);
    for (std::int64_t bit = tiling_.rows / 2; bit > 0; bit /= 2)
      sum = dyn::main(ctx_)
                .begin(sum)
                .fetch(i32_type, dyn::one, lanes)
                .collect(dyn::one, lanes)
                .vector_init()
                .vector_intra_slice_branch(BranchMode::toggle(Name("R" + std::to_string(bit))))
                .vector_fxp(FxpBinaryOp::AddFxp, VeBranchOperand::group(static_cast<int>(bit * tiling_.across), GroupId::One))
                .vector_final()
                .commit(lanes);
    if (tiling_.across == 1) return sum.reshape(axes_.r);
    dyn::Tensor const slice = slice_numbers();
    return dyn::main(ctx_)
        .begin(sum)
        .fetch(i32_type, dyn::one, lanes)
        .collect(dyn::one, lanes)
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_fxp(FxpBinaryOp::AddFxp, slice)
        .vector_final()
        .commit(lanes)
        .reshape(axes_.r);
  }
  /// In VRF: the number of a slice among those of its head. Counted in time, dealt out by DMA.
  dyn::Tensor slice_numbers() {
    Mapping const n = dyn::axis("N", tiling_.across), lane = dyn::one.pad(device_.vector.lanes), word = dyn::one.pad(2);
    dyn::Tensor const running = to_vrf(lone(-1), i32_type, dyn::one, lane);
    dyn::Tensor const counted = dyn::main(ctx_)
                                    .begin(lone(1))
                                    .fetch(i32_type, n, lane)
                                    .collect(n, lane)
                                    .vector_init()
                                    .vector_intra_slice_branch(BranchMode::Unconditional)
                                    .vector_fxp(FxpBinaryOp::AddFxp, running)
                                    .vector_write_operand(running)
                                    .vector_final()
                                    .commit(map(n, word));
    dyn::Tensor const dealt = counted.reshape(map(axes_.c, axes_.i, word)).to_dm(ctx_.tdma, axes_.grid.cluster, axes_.queries, word);
    return dyn::sub(ctx_).begin(dealt).fetch(i32_type, dyn::one, word).collect(dyn::one, lane).to_vrf(lane);
  }

  // The passes.

  Weights weights_of(const Step& s) {
    Tile const& t = tile_of(s);
    dyn::Tensor const before = s.first ? dyn::Tensor{} : kept_maximum(s, t);
    scores_ = dm(f32_type, axes_.queries, map(groups(s.groups), axes_.e, axes_.j, axes_.r));
    for (const KeyPart& p : s.parts) score_part(s, t, kept_[s.k0], p);
    Weights w;
    if (!s.first) w.factor = rescale_factor(s, t, before);
    w.dm = exponentials(s, t);
    return w;
  }
  /// The scores of a part into DM, and the running maximum.
  void score_part(const Step& s, const Tile& t, const Block& block, const KeyPart& p) {
    Mapping const g = groups(p.groups), e = axes_.in_shares(p.e), &j = axes_.j, &d = axes_.zeroed_d, &r = axes_.r;
    Mapping const own = own_keys(p.e), all_own = own_keys(axes_.e.size);
    std::int64_t const from = p.e0 / tiling_.rings, ring = tiling_.ring * tiling_.rings;
    dyn::Tensor const keys = some_of(block.keys, all_own, own.size, from).reshape(map(own.pad(all_own.size), axes_.padded_d));
    dyn::Tensor const q = groups_of(t.q, s, p.g0, p.groups, axes_.padded_d), maximum = groups_of(t.maximum, s, p.g0, p.groups, r);
    dyn::Tensor const log = p.masked() ? mask(p) : dyn::Tensor{};
    auto stream = dyn::main(ctx_).begin(keys).fetch(bf16_type, map(own, d / tiling_.packet), d % tiling_.packet);
    if (ring > 1)
      stream = std::move(stream).switch_to(SwitchConfig::Broadcast01{.slice1 = ring, .slice0 = 1, .time0 = d.size / tiling_.packet},
                                           axes_.queries, map(e, j, d / tiling_.packet));
    stream = std::move(stream)
                 .collect(map(e, j, d / tiling_.flit), d % tiling_.flit)
                 .align(q, map(e, j, d / tiling_.packet, g), d % tiling_.packet)
                 .contract(dyn::one)
                 .accumulate(AccumulationKind::Interleaved, map(e, j, g), r);
    if (sizes_.cap > 0) stream = capped(std::move(stream), map(e, j, g));
    stream = std::move(stream).vector_init();
    auto const hidden = sizes_.window > 0 ? not_seen : after_query;
    if (p.masked())
      stream = std::move(stream)
                   .vector_intra_slice_branch(BranchMode::Vrf, log.reshape(map(e, j, r)))
                   .vector_logic(LogicBinaryOpF32::BitAnd, VeBranchOperand::when(0.0f, hidden))
                   .vector_logic(LogicBinaryOpF32::BitOr, VeBranchOperand::when(-std::numeric_limits<float>::infinity(), hidden));
    else stream = std::move(stream).vector_intra_slice_branch(BranchMode::Unconditional);
    std::move(stream)
        .vector_stash()
        .vector_clip(ClipBinaryOpF32::Max, maximum)
        .vector_write_operand(maximum)
        .vector_clip_with_mode(ClipBinaryOpF32::Min, BinaryArgMode::Mode11, Stash)  // the score itself again
        .vector_final()
        .commit_view(part_of(scores_, s, p, e.pad(axes_.e.size)).view_mut());
  }
  /// Capped before they are masked, which the Vector Engine can do in this order only in two passes.
  dyn::Stream capped(dyn::Stream scores, const Mapping& time) {
    Mapping const& r = axes_.r;
    auto narrow = std::move(scores).vector_init().vector_intra_slice_branch(BranchMode::Unconditional);
    dyn::Tensor const done =
        attention::capped(std::move(narrow).vector_split(map(time, r / tiling_.narrow_lanes), r % tiling_.narrow_lanes), sizes_)
            .vector_concat(time, r)
            .vector_final()
            .commit(map(time, r));
    return dyn::main(ctx_).begin(done).fetch(f32_type, time, r).collect(time, r);
  }
  /// Some of the step's groups, of a tile's tensor [G, inner].
  dyn::Tensor groups_of(const dyn::Tensor& of_tile, const Step& s, std::int64_t g0, std::int64_t n, const Mapping& inner) const {
    return some_of(of_tile, groups(s.tile_groups), n, s.g0 + g0).reshape(map(groups(n).pad(s.tile_groups), inner));
  }
  /// The scores of the part's keys and groups.
  dyn::Tensor part_of(const dyn::Tensor& scores, const Step& s, const KeyPart& p, const Mapping& e) const {
    Mapping const g = groups(p.groups);
    return some_of(some_of(scores, axes_.e, p.e, p.e0), groups(s.groups), p.groups, p.g0)
        .reshape(map(g.pad(s.groups), e, axes_.j, axes_.r));
  }
  /// The branch log of a part: bit 0 where the key comes after the query, bit 1 where it has left the query's window.
  dyn::Tensor mask(const KeyPart& p) {
    Mapping const key = map(dyn::axis("E", p.e), axes_.j), &r = axes_.r;
    dyn::Tensor log;
    auto const unused = dyn::main(ctx_)
                            .begin(distances_)
                            .fetch(i32_type, key, r)
                            .collect(key, r)
                            .vector_init()
                            .vector_intra_slice_branch(seen(p))
                            .vector_branch_log(map(key, r), {}, log)
                            .vector_final()
                            .commit(map(key, r));
    return log;
  }
  BranchMode seen(const KeyPart& p) const {
    auto const after = InputCmp::Less(static_cast<std::int32_t>(p.ahead));
    if (sizes_.window == 0) return BranchMode::Comparison{after};
    return BranchMode::Comparison{after, InputCmp::Greater(static_cast<std::int32_t>(p.ahead + sizes_.window - 1))};
  }
  /// The running maximum in DM: VRF has no way out but through an operation.
  dyn::Tensor kept_maximum(const Step& s, const Tile& t) {
    Mapping const g = groups(s.groups), &r = axes_.r;
    return dyn::main(ctx_)
        .begin(minus_infinity(s.groups))
        .fetch(f32_type, g, r)
        .collect(g, r)
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_clip(ClipBinaryOpF32::Max, groups_of(t.maximum, s, 0, s.groups, r))
        .vector_final()
        .commit(map(g, r));
  }
  /// In VRF: exp((maximum before - maximum) * scale).
  dyn::Tensor rescale_factor(const Step& s, const Tile& t, const dyn::Tensor& before) {
    Mapping const g = groups(s.groups), &r = axes_.r;
    auto const factor = dyn::main(ctx_)
                            .begin(before)
                            .fetch(f32_type, g, r)
                            .collect(g, r)
                            .vector_init()
                            .vector_intra_slice_branch(BranchMode::Unconditional)
                            .vector_split(map(g, r / tiling_.narrow_lanes), r % tiling_.narrow_lanes)
                            .vector_fp_binary(FpBinaryOp::SubF, groups_of(t.maximum, s, 0, s.groups, r))
                            .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), scale_)
                            .vector_fp_unary(FpUnaryOp::Exp)
                            .vector_concat(g, r)
                            .vector_final()
                            .commit(map(g, r));
    return to_vrf(factor, f32_type, g, r);
  }
  /// The weights of a block, [R, G, J, E], of bf16. Where no score was computed they are zero.
  dyn::Tensor exponentials(const Step& s, const Tile& t) {
    dyn::Tensor const weights = s.whole ? dm(bf16_type, axes_.queries, weights_layout(s)) : zeros(s);
    for (const KeyPart& p : joined(s)) exponentials_of(s, t, p, weights);
    return weights;
  }
  Mapping weights_layout(const Step& s) const { return map(axes_.r, groups(s.groups), axes_.j, axes_.e); }
  dyn::Tensor zeros(const Step& s) {
    Mapping const &e = axes_.e, time = map(axes_.r, groups(s.groups), axes_.j, e / tiling_.flit);
    return dyn::main(ctx_).begin(zeros_).fetch(bf16_type, time, e % tiling_.flit).collect(time, e % tiling_.flit).commit(weights_layout(s));
  }
  /// Parts of the same keys: masked and unmasked scores are treated alike from now on.
  static std::vector<KeyPart> joined(const Step& s) {
    std::vector<KeyPart> all;
    for (const KeyPart& p : s.parts) {
      if (!all.empty() && all.back().e0 == p.e0) all.back().groups += p.groups;
      else all.push_back(p);
    }
    return all;
  }
  void exponentials_of(const Step& s, const Tile& t, const KeyPart& p, const dyn::Tensor& weights) {
    Mapping const g = groups(p.groups), e = dyn::axis("E", p.e), &j = axes_.j, &r = axes_.r, all = groups(s.groups);
    std::int64_t const some_keys = tiling_.transposed_rows;
    Mapping const time = map(e / some_keys, j, g, e % some_keys);
    dyn::Tensor const maximum = groups_of(t.maximum, s, p.g0, p.groups, r);
    dyn::main(ctx_)
        .begin(part_of(scores_, s, p, e.pad(axes_.e.size)))
        .fetch(f32_type, time, r)
        .collect(time, r)
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_split(map(time, r / tiling_.narrow_lanes), r % tiling_.narrow_lanes)
        .vector_fp_binary(FpBinaryOp::SubF, maximum)
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), scale_)
        .vector_fp_unary(FpUnaryOp::Exp)
        .vector_concat(time, r)
        .vector_final()
        .cast(bf16_type, r.pad(tiling_.flit))
        .transpose(map(e / some_keys, j, g, r), (e % some_keys).pad(tiling_.flit))
        .commit_view(some_of(some_of(weights, axes_.e, p.e, p.e0), all, p.groups, p.g0)
                         .reshape(map(r, g.pad(s.groups), j, e.pad(axes_.e.size)))
                         .view_mut());
  }
  dyn::Tensor to_trf(const Step& s, const dyn::Tensor& weights) {
    Mapping const g = groups(s.groups), &r = axes_.r, &j = axes_.j, &e = axes_.e;
    return dyn::sub(ctx_)
        .begin(weights)
        .fetch(bf16_type, map(r, g, j, e / tiling_.flit), e % tiling_.flit)
        .collect(map(r, g, j, e / tiling_.flit), e % tiling_.flit)
        .to_trf(r, map(g, j, e), TrfAddress::SecondHalf);
  }
  /// The weighted sums of the block's values, and of its weights, added to those so far.
  void sum_values(const Step& s, const Weights& weights) {
    Mapping const g = groups(s.groups), &d = axes_.with_sum, &j = axes_.j, &e = axes_.e, &r = axes_.r;
    auto stream = dyn::main(ctx_).begin(transposed_values(s)).fetch(bf16_type, map(d, e / tiling_.packet), e % tiling_.packet);
    if (tiling_.ring > 1)
      stream = std::move(stream).switch_to(SwitchConfig::Broadcast01{.slice1 = tiling_.ring, .slice0 = 1, .time0 = e.size / tiling_.packet},
                                           axes_.queries, map(d, j, e / tiling_.packet));
    Tile& t = tile_of(s);
    Sums const before = s.first ? Sums{{}, s.g0, s.groups} : t.sums;
    Sums const part{dm(f32_type, axes_.queries, map(d, groups(before.groups), r)), before.g0,
                    before.groups};  // alike, so that they can take turns
    std::move(stream)
        .collect(map(d, j, e / tiling_.flit), e % tiling_.flit)
        .align(weights.trf, map(d, j, e / tiling_.packet, g), e % tiling_.packet)
        .contract(dyn::one)
        .accumulate(AccumulationKind::Interleaved, map(d, g), r)
        .commit_view(of_sums(part, s.g0, s.groups, d, 0).view_mut());
    if (s.first) t.sums = part;
    else
      t.sums = {
          added(ctx_, device_, of_sums(before, s.g0, s.groups, d, 0), of_sums(part, s.g0, s.groups, d, 0), map(d, g), r, weights.factor)
              .commit(map(d, g, r)),
          s.g0, s.groups};
  }
  /// Some groups and some columns.
  dyn::Tensor of_sums(const Sums& sums, std::int64_t g0, std::int64_t n, const Mapping& columns, std::int64_t from) const {
    Mapping const& all = axes_.with_sum;
    return some_of(some_of(sums.all, all, columns.size, from), groups(sums.groups), n, g0 - sums.g0)
        .reshape(map(columns.pad(all.size), groups(n).pad(sums.groups), axes_.r));
  }
  /// Divides the finished groups by the sums of the weights, and stores rows.
  void finish(const Step& s) {
    std::int64_t const some_columns = tiling_.transposed_rows;
    Mapping const g = groups(s.finished), &d = axes_.d, &r = axes_.r, time = map(d / some_columns, g, d % some_columns);
    Sums const& sums = tile_of(s).sums;
    dyn::Tensor const weight = to_vrf(of_sums(sums, s.g0, g.size, dyn::one, d.size), f32_type, g, r);
    dyn::Tensor const done = dyn::main(ctx_)
                                 .begin(of_sums(sums, s.g0, g.size, d, 0))
                                 .fetch(f32_type, time, r)
                                 .collect(time, r)
                                 .vector_init()
                                 .vector_intra_slice_branch(BranchMode::Unconditional)
                                 .vector_split(map(time, r / tiling_.narrow_lanes), r % tiling_.narrow_lanes)
                                 .vector_fp_div(FpDivBinaryOp::DivF, weight)
                                 .vector_concat(time, r)
                                 .vector_final()
                                 .cast(bf16_type, r.pad(tiling_.flit))
                                 .transpose(map(d / some_columns, g, r), (d % some_columns).pad(tiling_.flit))
                                 .commit(map(g, r, d));
    store(beside_each_other(done, g), s.q0 + s.g0 * group_tokens(), tokens_of(g.size));
  }
  /// HBM is written in whole units, and less is slow: slices of neighbouring heads exchange rows until each has so many
  /// columns of fewer tokens. Neighbours are the innermost heads of `heads`: the heads of queries that share a head of
  /// keys, or where these do not share any, heads of keys. So one mapping serves both.
  dyn::Tensor beside_each_other(const dyn::Tensor& done, const Mapping& g) {
    Mapping const &d = axes_.d, &r = axes_.r, &heads = axes_.grid.heads;
    std::int64_t const n = neighbours(), rows = tiling_.rows / n, in_flit = std::min(d.size, tiling_.flit);
    if (n == 1) return done;
    Mapping const mine = r % rows, others = r / rows, beside = heads % n;
    return dyn::main(ctx_)
        .begin(done)
        .fetch(bf16_type, map(g, mine, others), d)
        .switch_to(SwitchConfig::InterTranspose{.slice1 = n, .slice0 = tiling_.across, .time0 = 1},
                   map(heads / n, others, axes_.c, axes_.i), map(g, mine, beside))
        .collect(map(g, mine, beside, d / in_flit), (d % in_flit).pad(tiling_.flit))
        .commit(map(g, mine, beside, d));
  }
  /// Heads whose columns fill a unit, if they are in neighbouring slices.
  std::int64_t neighbours() const {
    std::int64_t const unit = elements_of_unit(device_, bf16_type), d = sizes_.head_dim, n = unit / d, in_cluster = axes_.grid.heads.size;
    std::int64_t const heads = axes_.grid.group.size > 1 ? sizes_.heads_per_kv() : sizes_.kv_heads;
    bool const fits = d < unit && unit % d == 0 && n <= tiling_.rows && heads % n == 0 && in_cluster % n == 0 && (heads & (heads - 1)) == 0;
    return fits ? n : 1;
  }
  void store(const dyn::Tensor& done, std::int64_t first, const Mapping& tokens) {
    std::int64_t const there = std::min(tokens.size, tokens_ - first);
    Mapping const token = dyn::axis("S", tokens_);
    dyn::Tensor const out = some_of(out_.reshape(map(token, columns())), token, there, first);
    if (there == tokens.size) {
      dyn::dma(ctx_.tdma, done, out.reshape(map(tokens.pad(tokens_), columns())).view_mut());
      return;
    }
    Mapping const x = dyn::axis("X", tokens.size), some = dyn::axis("Y", there);
    dyn::Tensor const whole = dyn::Tensor::hbm(ctx_, bf16_type, chip_, map(x, columns()));
    dyn::dma(ctx_.tdma, done, whole.reshape(map(tokens, columns())).view_mut());
    dyn::dma(ctx_.tdma, whole.tile(x, there, 0).reshape(map(some.pad(x.size), columns())),
             out.reshape(map(some.pad(tokens_), columns())).view_mut());
  }

  Context& ctx_;
  const Device& device_;
  Mapping chip_;  // each computes its own heads
  AttentionSizes sizes_;
  FlashTiling tiling_;
  Axes axes_;
  std::int64_t tokens_, past_, sequence_, columns_;
  dyn::Tensor q_, k_, v_, out_;
  float scale_;
  dyn::Tensor ones_, zeros_, minus_infinity_, distances_, scores_;
  dyn::Tensor next_queries_;
  std::vector<Tile> tiles_;
  std::map<std::int64_t, Block> kept_;  // by their first key
};

/// All rings of a head of keys where they are few enough to have a share of a part that is masked, else those of a head
/// of queries.
std::int64_t rings_of(const attention::HeadGrid& grid, const FlashTiling& t) {
  std::int64_t const most = t.masked / t.ring, of_head = t.across / t.ring, all = grid.group_part.size * of_head;
  bool const whole = (grid.group.size & (grid.group.size - 1)) == 0;  // no slice without a head
  if (whole && all <= most) return all;
  return of_head <= most ? of_head : 1;
}

}  // namespace

Verdict check_tokens(const AttentionSizes& s, std::int64_t tokens, std::int64_t past, Where at) {
  if (tokens >= 1 && past >= 0 && past <= s.capacity && tokens <= s.capacity - past) return accept();
  return refuse("kernel-attention-tokens", at)
      .what(tokens, " tokens after ", past, " others, in a cache of ", s.capacity, " positions")
      .why("there is one token at least, and the keys of all of them are in the cache")
      .help("attend from 1 to ", std::max<std::int64_t>(s.capacity - std::max<std::int64_t>(past, 0), 0),
            " tokens, or make the cache larger");
}

std::string text_of(const FlashTiling& t) {
  auto const number = [](std::int64_t n) { return std::to_string(n); };
  return "slices of a query head " + number(t.across) + ", of a ring " + number(t.ring) + "\n" +                              //
         "queries of a slice " + number(t.groups * t.rows) + ", tokens attended from at once " + number(t.tokens()) + "\n" +  //
         "keys of a block " + number(t.keys) + ", of a part that is masked " + number(t.masked) + "\n";
}

FlashAttention::FlashAttention(const Device& device, const AttentionSizes& sizes, std::int64_t tokens, std::int64_t past, Where at)
    : device_(device), sizes_(sizes), tokens_(tokens), past_(past) {
  throw_if_refused(check_attention(device, sizes, at));
  throw_if_refused(check_tokens(sizes, tokens, past, at));
  FlashTiling& t = tiling_;
  t.rows = device.levels.rows_per_slice;
  t.flit = elements_of_flit(device, bf16_type);
  t.packet = elements_of_packet(device, bf16_type);
  t.narrow_lanes = device.vector.narrow_lanes;
  t.transposed_rows = device.transpose.rows_16bit;
  t.transposed_columns = device.transpose.packet_elements_16bit;
  attention::HeadGrid const grid(device, sizes);
  t.across = grid.across;
  std::int64_t const all = power_of_two_from(past + tokens);
  t.keys = std::clamp<std::int64_t>(all, 2 * t.packet, t.keys);
  t.ring = std::min<std::int64_t>(t.across, t.keys / t.packet);
  t.keys = std::min<std::int64_t>(t.keys, 2 * t.packet * t.ring);
  t.masked = std::min(t.masked, t.keys);
  t.rings = rings_of(grid, t);
  std::int64_t const of_block = 2 * (t.keys / t.ring) * (round_up(sizes.head_dim, t.packet) + sizes.head_dim + 1);
  // Half of DM is for blocks, one of them on its way: until they are transposed, its values lie beside its keys.
  std::int64_t const on_its_way = 2 * 2 * (t.keys / t.ring / t.rings) * round_up(sizes.head_dim, t.packet);
  t.kept_blocks = std::max<std::int64_t>(device.dm.slice_capacity.value / 2 - on_its_way, 0) / of_block;
}

dyn::Tensor FlashAttention::operator()(Context& ctx, const dyn::Tensor& q, const dyn::Tensor& k_cache, const dyn::Tensor& v_cache,
                                       std::int64_t sequence) const {
  return Flash(*this, ctx, q, k_cache, v_cache, sequence).run();
}

Work FlashAttention::work() const {
  Work w;
  std::int64_t pairs = tokens_ * past_ + tokens_ * (tokens_ + 1) / 2;
  if (sizes_.window > 0) {
    pairs = 0;
    for (std::int64_t t = 0; t < tokens_; ++t) pairs += std::min(past_ + t + 1, sizes_.window);
  }
  w.multiply_adds = 2 * pairs * sizes_.q_heads * sizes_.head_dim;
  w.hbm_bytes = 2 * sizes_.head_dim * (2 * tokens_ * sizes_.q_heads + 2 * (past_ + tokens_) * sizes_.kv_heads);
  w.dm_bytes = w.hbm_bytes;
  return w;
}

}  // namespace tcp::kernels
