// Router, Top-K, blocks, experts and combine, one after the other.
#include "kernels/moe/moe.hpp"

#include <algorithm>

#include "kernels/rowwise/elementwise.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::kernels {
namespace {

using namespace moe;
using dyn::map;

/// Blocks that are tried: a flit of numbers of rows at least, since these are made flit by flit; beyond the largest,
/// products of one expert gain nothing more.
constexpr std::int64_t smallest_block = lanes, largest_block = 256;

/// The block with which all products are expected to take the least: large ones are few, and the weights of an expert
/// are read again for each; small ones have fewer rows that stay empty. Sizes that are impossible are rejected by the
/// kernels that need them.
std::int64_t block_for(const Device& device, std::int64_t tokens, std::int64_t d, std::int64_t f, std::int64_t experts, std::int64_t k,
                       std::int64_t asked) {
  if (asked != 0) return asked;
  std::int64_t best = smallest_block, least = 0;
  for (std::int64_t size = smallest_block; size <= largest_block && (size == smallest_block || size < 2 * tokens); size *= 2) {
    std::int64_t const grid = std::clamp<std::int64_t>(blocks_needed(tokens, experts, k, size), 1, largest_batch);
    auto const up = tile_gemm(device, ScalarType::bf16, size, f, d, {}, grid),
               down = tile_gemm(device, ScalarType::bf16, size, d, f, {}, grid);
    if (!up || !down) return size;
    if (least != 0 && up->cycles + down->cycles >= least) continue;
    best = size;
    least = up->cycles + down->cycles;
  }
  return best;
}

}  // namespace

MoeFfn::MoeFfn(const Device& device, std::int64_t tokens, std::int64_t d, std::int64_t f, std::int64_t experts, std::int64_t k,
               std::int64_t block, Where at)
    : device_(device),
      topk_(device, tokens, experts, k, at),
      indices_(device, tokens, experts, k, block_for(device, tokens, d, f, experts, k, block), at),
      router_(device, ScalarType::bf16, tokens, experts, d, at),
      up_(Gemm::batched(device, ScalarType::bf16, indices_.grid(), indices_.block(), f, d, at)),
      down_(Gemm::batched(device, ScalarType::bf16, indices_.grid(), indices_.block(), d, f, at)),
      expert_(dyn::axis("Of", experts)),
      column_(dyn::axis("D", d)) {}

Mapping MoeFfn::blocked_layout() const { return rows_layout(device_, ScalarType::bf16, row_axis(), column_); }

dyn::HostTensor MoeFfn::numbers() const {
  dyn::HostTensor all(ScalarType::i32, numbers_layout());
  for (std::size_t i = 0; i < all.size(); ++i) all.data<i32>()[i] = i32::from_int(static_cast<std::int64_t>(i));
  return all;
}

dyn::Tensor MoeFfn::operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& router, const dyn::Tensor& up,
                               const dyn::Tensor& down, const dyn::Tensor& numbers, const dyn::Tensor& gate) const {
  Routing const routing = topk_(ctx, router_(ctx, x, router), numbers);
  Blocks const blocks = indices_(ctx, routing.expert, numbers);
  dyn::Tensor const y = computed(ctx, dispatched(ctx, x, blocks.row), blocks.expert, up, down, gate);
  return combined(ctx, y, blocks.row, routing.weight);
}

/// A scatter for every k: they never name a row twice.
dyn::Tensor MoeFfn::dispatched(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& row) const {
  dyn::Tensor const blocked = dyn::Tensor::hbm(ctx, ScalarType::bf16, chips_of(x), blocked_layout());
  dyn::Tensor const rows_of_x = x.reshape(rows());
  Mapping const token = topk_.token(), k = topk_.choice();
  for (std::int64_t c = 0; c < k.size; ++c) {
    dyn::Tensor const to = (k.size == 1 ? row : row.tile(k, 1, c)).reshape(map(token, dyn::one.pad(lanes)));
    rows_of_x.scatter(ctx.tdma, "Row", to, blocked.view_mut());
  }
  return blocked;
}

/// All products in one go, each with the weights of its block's expert.
dyn::Tensor MoeFfn::computed(Context& ctx, const dyn::Tensor& blocked, const dyn::Tensor& expert, const dyn::Tensor& up,
                             const dyn::Tensor& down, const dyn::Tensor& gate) const {
  dyn::Tensor const rows = over_chips_of(up, blocked);
  dyn::Tensor h = up_.chosen(ctx, rows, up, expert);
  if (gate) {
    SwiGlu const swiglu(device_, grid() * block(), up_.n().size);
    h = swiglu(ctx, up_.chosen(ctx, rows, gate, expert), h);
  }
  return down_.chosen(ctx, h, down, expert);
}

dyn::Tensor MoeFfn::combined(Context& ctx, const dyn::Tensor& y, const dyn::Tensor& row, const dyn::Tensor& weight) const {
  dyn::Tensor const out = dyn::Tensor::hbm(ctx, ScalarType::bf16, chips_of(y), rows()), share = over_chips_of(y, weight);
  Mapping const k = topk_.choice(), padded = column_.pad(padded_columns(device_, ScalarType::bf16, column_.size));
  Mapping const d = column_.pad(whole_flits(column_.size)), steps = d / lanes, eight = d % lanes;
  for (const Round& round : rounds_of(device_, topk_.token())) {
    dyn::Tensor const restored =
        y.reshape(blocked_layout()).gather_to_dm(ctx.tdma, "Row", round.of(row, k.pad(lanes)), round.cluster, round.slice, map(k, padded));
    dyn::Tensor const factor =
        in_vrf(ctx, round.of(share, k.pad(lanes)).to_dm(ctx.tdma, round.cluster, round.slice, k.pad(lanes)), k.pad(lanes));
    auto sum = plain(ctx, restored, map(steps, k), eight)
                   .vector_split(map(steps, k, eight / narrow_vector_lanes), eight % narrow_vector_lanes)
                   .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), factor);
    if (k.size > 1)
      sum = std::move(sum).vector_intra_slice_reduce("K", ReduceOp::Add, map(steps, eight / narrow_vector_lanes),
                                                     eight % narrow_vector_lanes);
    dyn::dma(ctx.tdma,
             std::move(sum).vector_concat(steps, eight).vector_final().cast(ScalarType::bf16, eight.pad(bf16_flit)).commit(padded),
             round.of(out, padded));
  }
  return out;
}

Work MoeFfn::work() const {
  std::int64_t const pairs = topk_.token().size * topk_.choice().size, d = column_.size, f = up_.n().size;
  std::int64_t const used = std::min(pairs, expert_.size);
  Work w = router_.work();
  w.multiply_adds += 2 * pairs * d * f;
  w.hbm_bytes += 2 * (2 * used * d * f + 2 * topk_.token().size * d);
  return w;
}

}  // namespace tcp::kernels
