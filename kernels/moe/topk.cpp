// The K largest of a row: a rank for each number, by comparing it with all others.
#include "kernels/moe/topk.hpp"

#include <algorithm>

#include "tcp/support/refused.hpp"

// Tokens, one per slice, in rounds of as many as the chip has slices; and how streams of eight lanes begin and end.

namespace tcp::kernels::moe {

std::vector<Round> rounds_of(const Device& device, const Mapping& tokens) {
  std::int64_t const slices = device.levels.slices_per_cluster, most = device.levels.clusters_per_chip * slices;
  std::vector<Round> made;
  for (std::int64_t start = 0; start < tokens.size; start += most) {
    Round r{tokens, start, std::min(most, tokens.size - start), {}, {}, {}};
    r.token = dyn::axis("Tok", r.length);
    r.cluster = r.token.pad(most) / slices;
    r.slice = r.token.pad(most) % slices;
    made.push_back(r);
  }
  return made;
}

dyn::Stream entering(Context& ctx, const dyn::Tensor& x, const Mapping& steps, const Mapping& eight) {
  ScalarType const wide = is_integer(x.type()) ? ScalarType::i32 : ScalarType::f32;
  return dyn::main(ctx).begin(x).fetch(wide, steps, eight).collect(steps, eight).vector_init();
}
dyn::Stream plain(Context& ctx, const dyn::Tensor& x, const Mapping& steps, const Mapping& eight) {
  return entering(ctx, x, steps, eight).vector_intra_slice_branch(BranchMode::Unconditional);
}
dyn::Tensor first_of(const dyn::Tensor& numbers, const Mapping& axis) {
  Mapping const n = dyn::axis("N", numbers.levels()[Level::element].size);
  dyn::Tensor const all = numbers.reshape(n);
  return (axis.size == n.size ? all : all.tile(n, axis.size, 0)).reshape(axis.pad(n.size));
}
dyn::Tensor in_vrf(Context& ctx, const dyn::Tensor& x, const Mapping& element) {
  Mapping const steps = element / lanes, eight = element % lanes;
  return dyn::sub(ctx).begin(x).fetch(x.type(), steps, eight).collect(steps, eight).to_vrf(element);
}

}  // namespace tcp::kernels::moe

namespace tcp::kernels {
namespace {

using namespace moe;
using dyn::map;

constexpr int index_bits = 0xffff, flipped = 0x7fff0000;
constexpr std::int64_t most_tokens = 1 << 20, most_experts = 128;

}  // namespace

TopK::TopK(const Device& device, std::int64_t tokens, std::int64_t experts, std::int64_t k, Where at) : device_(device) {
  bool const chooses = experts >= lanes && experts <= most_experts && experts % lanes == 0 && k >= 1 && k <= lanes;
  if (tokens < 1 || tokens > most_tokens || !chooses)
    throw Refused(
        refuse("kernel-topk-size", at)
            .what("the best ", k, " of ", experts, " experts for ", tokens, " tokens")
            .why("a token's experts are compared eight at a time, and what it chose is one flit; a rank is counted against at "
                 "most ",
                 most_experts, "; tokens are at most 2^20")
            .help("take ", lanes, " to ", most_experts, " experts, a multiple of ", lanes, ", of which each token has 1 to ", lanes));
  token_ = dyn::axis("T", tokens);
  expert_ = dyn::axis("E", experts);
  choice_ = dyn::axis("K", k);
}

dyn::Tensor TopK::packed(Context& ctx, const moe::Round& round, const dyn::Tensor& scores, const dyn::Tensor& numbers) const {
  dyn::Tensor const all = scores.reshape(scores_layout()).reinterpret(ScalarType::i16);
  Mapping const padded = expert_.pad(padded_columns(device_, ScalarType::bf16, expert_.size));
  dyn::Tensor const bits = round.of(all, padded).to_dm(ctx.tdma, round.cluster, round.slice, expert_);
  dyn::Tensor const number = in_vrf(ctx, first_of(numbers, expert_).to_dm(ctx.tdma, round.cluster, round.slice, expert_), expert_);
  return plain(ctx, bits, expert_ / lanes, expert_ % lanes)
      .vector_fxp(FxpBinaryOp::LeftShift, 16)
      .vector_fxp(FxpBinaryOp::AddFxp, number)
      .vector_final()
      .commit(expert_);
}

dyn::Tensor TopK::compared(Context& ctx, const dyn::Tensor& packed) const {
  return entering(ctx, packed, expert_ / lanes, expert_ % lanes)
      .vector_intra_slice_branch(BranchMode::comparing(InputCmp::Less(0)))
      .vector_logic(LogicBinaryOpI32::BitXor, VeBranchOperand::when(flipped, OperandGuard::bit(0)))
      .vector_final()
      .commit(expert_);
}

/// Eight experts in the lanes, one after the other all that they are compared with.
dyn::Tensor TopK::ranked(Context& ctx, const dyn::Tensor& compared) const {
  Mapping const other = dyn::axis("Other", expert_.size), steps = expert_ / lanes, eight = expert_ % lanes;
  dyn::Tensor const others = in_vrf(ctx, compared.reshape(other), other);
  return plain(ctx, compared, map(steps, other), eight)
      .vector_fxp(FxpBinaryOp::SubFxpSat, others)
      .vector_fxp(FxpBinaryOp::LogicRightShift, 31)
      .vector_split(map(steps, other, eight / 4), eight % 4)
      .vector_intra_slice_reduce("Other", ReduceOp::AddSat, map(steps, eight / 4), eight % 4)
      .vector_concat(steps, eight)
      .vector_final()
      .commit(expert_);
}

dyn::Tensor TopK::selected(Context& ctx, const dyn::Tensor& packed, const dyn::Tensor& rank) const {
  auto const k = static_cast<int>(choice_.size);
  Mapping const kept = dyn::axis("Kept", lanes);
  dyn::Tensor log;
  dyn::Tensor const unused = entering(ctx, rank, expert_ / lanes, expert_ % lanes)
                                 .vector_intra_slice_branch(BranchMode::comparing(InputCmp::Less(k)))
                                 .vector_branch_log(expert_, {}, log)
                                 .vector_final()
                                 .commit(expert_);
  dyn::Tensor const all = entering(ctx, packed, expert_ / lanes, expert_ % lanes)
                              .vector_intra_slice_branch(BranchMode::Vrf, log)
                              .vector_filter(OperandGuard::bit(0), dyn::one, kept)
                              .vector_final()
                              .commit(kept);
  return (k == lanes ? all : all.tile(kept, k, 0)).reshape(choice_.pad(lanes));
}

dyn::Tensor TopK::experts(Context& ctx, const dyn::Tensor& selected) const {
  Mapping const own = choice_.pad(lanes);
  return plain(ctx, selected, dyn::one, own).vector_logic(LogicBinaryOpI32::BitAnd, index_bits).vector_final().commit(own);
}

dyn::Tensor TopK::scores(Context& ctx, const dyn::Tensor& selected) const {
  Mapping const own = choice_.pad(lanes);
  auto const bits = plain(ctx, selected, dyn::one, own).vector_logic(LogicBinaryOpI32::BitAnd, ~index_bits).vector_final().commit(own);
  return bits.reinterpret(ScalarType::f32);
}

dyn::Tensor TopK::weights(Context& ctx, const dyn::Tensor& scores) const {
  Mapping const own = choice_.pad(lanes), halves = own / 4, four = own % 4, number = dyn::one.pad(lanes);
  auto const narrow = [&](const dyn::Tensor& x) { return plain(ctx, x, dyn::one, own).vector_split(halves, four); };
  auto const folded = [&](const dyn::Tensor& x, ReduceOp op) {
    return narrow(x).vector_intra_slice_reduce("K", op, dyn::one, dyn::one.pad(4)).vector_pad_way8(number).vector_final().commit(number);
  };
  bool const alone = choice_.size == 1;
  dyn::Tensor const largest = in_vrf(ctx, alone ? scores : folded(scores, ReduceOp::Max), number);
  dyn::Tensor const exp = narrow(scores)
                              .vector_fp_binary(FpBinaryOp::SubF, largest)
                              .vector_fp_unary(FpUnaryOp::Exp)
                              .vector_concat(dyn::one, own)
                              .vector_final()
                              .commit(own);
  if (alone) return exp;  // of 0, unless the score is infinite or NaN
  dyn::Tensor const sum = in_vrf(ctx, folded(exp, ReduceOp::Add), number);
  return narrow(exp).vector_fp_div(FpDivBinaryOp::DivF, sum).vector_concat(dyn::one, own).vector_final().commit(own);
}

Routing TopK::operator()(Context& ctx, const dyn::Tensor& all_scores, const dyn::Tensor& numbers) const {
  Routing out{dyn::Tensor::hbm(ctx, ScalarType::i32, chips_of(all_scores), choices_layout()),
              dyn::Tensor::hbm(ctx, ScalarType::f32, chips_of(all_scores), choices_layout())};
  for (const Round& round : rounds_of(device_, token_)) {
    dyn::Tensor const pack = packed(ctx, round, all_scores, numbers);
    dyn::Tensor const best = selected(ctx, pack, ranked(ctx, compared(ctx, pack)));
    Mapping const own = choice_.pad(lanes);
    dyn::dma(ctx.tdma, experts(ctx, best), round.of(out.expert, own));
    dyn::dma(ctx.tdma, weights(ctx, scores(ctx, best)), round.of(out.weight, own));
  }
  return out;
}

}  // namespace tcp::kernels
