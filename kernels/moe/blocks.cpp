// Counts the tokens of every expert, and gives each a place in blocks that belong to one expert: prefix sums by the
// Vector Engine.
#include "kernels/moe/blocks.hpp"

#include <algorithm>

#include "tcp/support/refused.hpp"
#include "tcp/support/round.hpp"

namespace tcp::kernels {
namespace {

using namespace moe;
using dyn::map;

constexpr std::int64_t pairs_at_once = 4096;  // choices of a tile: 32 bytes of a slice's DM each, twice

/// Zeros in VRF, one flit.
dyn::Tensor zeros(Context& ctx, const Mapping& chip, const Mapping& slice, const Mapping& eight) {
  dyn::Tensor const dm = dyn::Tensor::dm(ctx, ScalarType::i32, chip, dyn::one.pad(2), slice, eight);
  dyn::memset(ctx, dm, 0);
  return in_vrf(ctx, dm, eight);
}

}  // namespace

std::int64_t most_blocks(std::int64_t pairs, std::int64_t experts, std::int64_t block) {
  return pairs < experts ? pairs : (pairs - experts) / block + experts;
}

std::int64_t blocks_needed(std::int64_t tokens, std::int64_t experts, std::int64_t k, std::int64_t block) {
  return std::min(most_blocks(tokens * k, experts, block), experts * ceil_div(tokens, block));
}

BlockIndices::BlockIndices(const Device& device, std::int64_t tokens, std::int64_t experts, std::int64_t k, std::int64_t block, Where at)
    : device_(device), topk_(device, tokens, experts, k, at), block_(block) {
  while ((std::int64_t{1} << shift_) < block && shift_ < 10) ++shift_;
  if (block < 2 || block != std::int64_t{1} << shift_)
    throw Refused(refuse("kernel-moe-block", at)
                      .what("blocks of ", block, " rows")
                      .why("rows are counted in blocks by shifting, and a block is one product")
                      .help("take a power of two from 2 to 1024"));
  std::int64_t const grid = blocks_needed(tokens, experts, k, block), of_one = whole_flits(ceil_div(tokens, block));
  grid_ = dyn::axis("G", grid);
  range_ = dyn::axis("Range", of_one);
  all_ = dyn::axis("X", experts + whole_flits(ceil_div(grid, of_one)));
}

std::int64_t BlockIndices::numbers() const { return std::max(all_.size, range_.size); }
BlockIndices::Counted BlockIndices::counted(Context& ctx, const dyn::Tensor& choices, const dyn::Tensor& numbers) const {
  Mapping const alone = dyn::one.pad(2), slice = (all_ / lanes).pad(device_.levels.slices_per_cluster), eight = all_ % lanes;
  Mapping const token = topk_.token(), choice = topk_.choice();
  Counted out{dyn::Tensor::hbm(ctx, ScalarType::i32, chips_of(choices), choices_layout()), {}};
  dyn::Tensor const own = in_vrf(ctx, first_of(numbers, all_).to_dm(ctx.tdma, alone, slice, eight), eight);
  dyn::Tensor const sum = zeros(ctx, chips_of(choices), slice, eight);
  std::int64_t const most = std::max<std::int64_t>(pairs_at_once / choice.size, 1);
  for (std::int64_t start = 0; start < token.size; start += most) {
    std::int64_t const length = std::min(most, token.size - start);
    Mapping const some = dyn::axis("Some", length), pairs = map(some, choice);
    auto const tile = [&](const dyn::Tensor& t) {
      return (length == token.size ? t : t.tile(token, length, start)).reshape(map(some.pad(token.size), choice.pad(lanes)));
    };
    dyn::Tensor const chosen = tile(choices.reshape(choices_layout())).to_dm(ctx.tdma, alone, slice, map(some, choice.pad(lanes)));
    dyn::Tensor const differ =
        plain(ctx, chosen, pairs, eight).vector_logic(LogicBinaryOpI32::BitXor, own).vector_final().commit(map(pairs, eight));
    auto const mine = OperandGuard::bit(0), others = OperandGuard::bit(0, false);
    dyn::Tensor const running = entering(ctx, differ, pairs, eight)
                                    .vector_intra_slice_branch(BranchMode::comparing(InputCmp::Equal(0)))
                                    .vector_logic(LogicBinaryOpI32::BitAnd, 0)
                                    .vector_logic(LogicBinaryOpI32::BitOr, VeBranchOperand::when(1, mine))
                                    .vector_fxp(FxpBinaryOp::AddFxp, sum)
                                    .vector_write_operand(sum)
                                    .vector_clip(ClipBinaryOpI32::Min, VeBranchOperand::when(0, others))
                                    .vector_final()
                                    .commit(map(pairs, eight));
    Mapping const single = dyn::one.pad(lanes), cell = dyn::one.pad(2);
    dyn::Tensor const rank = plain(ctx, running, pairs, eight)
                                 .vector_split(map(pairs, eight / 4), eight % 4)
                                 .vector_intra_slice_reduce("X", ReduceOp::AddSat, pairs, dyn::one.pad(4))
                                 .vector_pad_way8(single)
                                 .vector_inter_slice_reduce(ReduceOp::Add, dyn::one.pad(slice.size), pairs)
                                 .vector_final()
                                 .commit(map(pairs, cell));
    dyn::Tensor const before =
        plain(ctx, rank, some, choice.pad(lanes)).vector_fxp(FxpBinaryOp::AddFxp, -1).vector_final().commit(map(some, choice.pad(lanes)));
    dyn::dma(ctx.tdma, before, tile(out.place));
  }
  dyn::Tensor const nothing = dyn::Tensor::dm(ctx, ScalarType::i32, chips_of(choices), alone, slice, eight);
  dyn::memset(ctx, nothing, 0);
  out.count = plain(ctx, nothing, dyn::one, eight).vector_fxp(FxpBinaryOp::AddFxp, sum).vector_final().commit(eight).to_hbm(ctx.tdma, all_);
  return out;
}

/// The blocks of each expert; the spare experts get all that they have room for.
dyn::Tensor BlockIndices::blocks_of(Context& ctx, const dyn::Tensor& count, const dyn::Tensor& numbers) const {
  Mapping const alone = dyn::one.pad(2), slice = dyn::one.pad(device_.levels.slices_per_cluster), steps = all_ / lanes,
                eight = all_ % lanes;
  auto const real = static_cast<int>(topk_.expert().size);
  dyn::Tensor const number = first_of(numbers, all_).to_dm(ctx.tdma, alone, slice, all_);
  dyn::Tensor const spare = plain(ctx, number, steps, eight)
                                .vector_fxp_with_mode(FxpBinaryOp::SubFxp, BinaryArgMode::Mode10, real - 1)
                                .vector_fxp(FxpBinaryOp::LogicRightShift, 31)
                                .vector_fxp(FxpBinaryOp::MulInt, static_cast<int>(range_.size))
                                .vector_final()
                                .commit(all_);
  dyn::Tensor const more = in_vrf(ctx, spare, all_);
  return plain(ctx, count.reshape(all_).to_dm(ctx.tdma, alone, slice, all_), steps, eight)
      .vector_fxp(FxpBinaryOp::AddFxp, static_cast<int>(block_) - 1)
      .vector_fxp(FxpBinaryOp::ArithRightShift, static_cast<int>(shift_))
      .vector_clip(ClipBinaryOpI32::AddFxp, more)
      .vector_final()
      .commit(all_)
      .to_hbm(ctx.tdma, all_);
}

dyn::Tensor BlockIndices::first_blocks_of(Context& ctx, const dyn::Tensor& blocks) const {
  Mapping const alone = dyn::one.pad(2), slice = dyn::one.pad(device_.levels.slices_per_cluster), single = dyn::one.pad(lanes);
  dyn::Tensor const dm = blocks.reshape(all_).to_dm(ctx.tdma, alone, slice, all_);
  dyn::Tensor const own = in_vrf(ctx, dm, all_), sum = zeros(ctx, chips_of(blocks), slice, single);
  dyn::Tensor const through = plain(ctx, dm, all_, single)
                                  .vector_fxp(FxpBinaryOp::AddFxp, sum)
                                  .vector_write_operand(sum)
                                  .vector_final()
                                  .commit(map(all_, dyn::one.pad(2)));
  return plain(ctx, through, all_, single)
      .vector_fxp(FxpBinaryOp::SubFxp, own)
      .vector_final()
      .commit(map(all_, dyn::one.pad(2)))
      .to_hbm(ctx.tdma, map(all_, dyn::one.pad(2)));
}

dyn::Tensor BlockIndices::rows_of(Context& ctx, const dyn::Tensor& choices, const dyn::Tensor& first, const dyn::Tensor& place) const {
  dyn::Tensor const of_choice = first.gather_to_hbm(ctx.tdma, "X", choices.reshape(choices_layout()), choices_layout());
  dyn::Tensor const out = dyn::Tensor::hbm(ctx, ScalarType::i32, chips_of(choices), choices_layout());
  Mapping const own = topk_.choice().pad(lanes);
  for (const Round& round : rounds_of(device_, topk_.token())) {
    dyn::Tensor const begins = round.of(of_choice, own).to_dm(ctx.tdma, round.cluster, round.slice, own);
    dyn::Tensor const behind = in_vrf(ctx, round.of(place, own).to_dm(ctx.tdma, round.cluster, round.slice, own), own);
    dyn::Tensor const row = plain(ctx, begins, dyn::one, own)
                                .vector_fxp(FxpBinaryOp::LeftShift, static_cast<int>(shift_))
                                .vector_fxp(FxpBinaryOp::AddFxp, behind)
                                .vector_final()
                                .commit(own);
    dyn::dma(ctx.tdma, row, round.of(out, own));
  }
  return out;
}

dyn::Tensor BlockIndices::experts_of(Context& ctx, const dyn::Tensor& blocks, const dyn::Tensor& numbers) const {
  Mapping const alone = dyn::one.pad(2), slice = dyn::one.pad(device_.levels.slices_per_cluster), steps = map(all_, range_ / lanes);
  Mapping const eight = range_ % lanes, kept = dyn::axis("Kept", all_.size * range_.size);
  dyn::Tensor const has = in_vrf(ctx, blocks.reshape(all_).to_dm(ctx.tdma, alone, slice, all_), all_);
  dyn::Tensor const differ = plain(ctx, first_of(numbers, range_).to_dm(ctx.tdma, alone, slice, range_), steps, eight)
                                 .vector_fxp_with_mode(FxpBinaryOp::SubFxp, BinaryArgMode::Mode10, has)
                                 .vector_final()
                                 .commit(map(all_, range_));
  dyn::Tensor const number = in_vrf(ctx, first_of(numbers, all_).to_dm(ctx.tdma, alone, slice, all_), all_);
  dyn::Tensor const all = entering(ctx, differ, steps, eight)
                              .vector_intra_slice_branch(BranchMode::comparing(InputCmp::Greater(0)))
                              .vector_logic(LogicBinaryOpI32::BitAnd, 0)
                              .vector_fxp(FxpBinaryOp::AddFxp, number)
                              .vector_clip(ClipBinaryOpI32::Min, static_cast<int>(topk_.expert().size) - 1)
                              .vector_filter(OperandGuard::bit(0), kept / lanes, kept % lanes)
                              .vector_final()
                              .commit(kept);
  dyn::Tensor const out = dyn::Tensor::hbm(ctx, ScalarType::i32, chips_of(blocks), grid_);
  dyn::dma(ctx.tdma, all.tile(kept, grid_.size, 0).reshape(grid_.pad(kept.size)), out);
  return out;
}

Blocks BlockIndices::operator()(Context& ctx, const dyn::Tensor& choices, const dyn::Tensor& numbers) const {
  Counted const count = counted(ctx, choices, numbers);
  dyn::Tensor const blocks = blocks_of(ctx, count.count, numbers), first = first_blocks_of(ctx, blocks);
  return {rows_of(ctx, choices, first, count.place), experts_of(ctx, blocks, numbers)};
}

}  // namespace tcp::kernels
