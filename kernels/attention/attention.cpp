// Layouts of queries and caches, and which slice has which head.
#include "kernels/attention/attention.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/parts/counts.hpp"
#include "kernels/parts/views.hpp"
#include "kernels/rows/rows.hpp"
#include "tcp/support/round.hpp"

namespace tcp::kernels {

using dyn::map;

namespace {

Mapping kv_axis(const AttentionSizes& s) { return dyn::axis("HK", s.kv_heads); }
Mapping group_axis(const AttentionSizes& s) { return dyn::axis("GQ", s.heads_per_kv()); }
Mapping dim_axis(const AttentionSizes& s) { return dyn::axis("D", s.head_dim); }

}  // namespace

float AttentionSizes::scaled_by() const { return scale != 0 ? scale : 1.0f / std::sqrt(static_cast<float>(head_dim)); }

Verdict check_attention(const Device& device, const AttentionSizes& s, Where at) {
  std::int64_t const slices = device.levels.clusters_per_chip * device.levels.slices_per_cluster;
  if (s.kv_heads < 1 || s.q_heads < s.kv_heads || s.q_heads % s.kv_heads != 0)
    return refuse("kernel-attention-heads", at)
        .what(s.q_heads, " heads of queries for ", s.kv_heads, " heads of keys and values")
        .why("each head of keys and values is read by equally many heads of queries")
        .help("give a multiple of ", std::max<std::int64_t>(s.kv_heads, 1), " heads of queries");
  if (s.q_heads > slices || power_of_two_from(s.kv_heads) * power_of_two_from(s.heads_per_kv()) > slices)
    return refuse("kernel-attention-many-heads", at)
        .what(s.kv_heads, " heads of keys and values with ", s.heads_per_kv(), " heads of queries each")
        .why("each head of queries has slices of its own, both numbers are rounded up to powers of two, and there are ", slices, " slices")
        .help("attend to some heads at a time, or split them over several chips");
  constexpr std::int64_t least = bf16_flit, most = 256;  // columns of a head
  if (s.head_dim < least || s.head_dim > most || s.head_dim % vector_lanes != 0)
    return refuse("kernel-attention-head-dim", at)
        .what("heads of ", s.head_dim, " numbers")
        .why("columns are treated by eights, and the queries of a slice must fit its registers: multiples of ", vector_lanes, " from ",
             least, " to ", most)
        .help("pad the heads with zeros to ", std::clamp<std::int64_t>(round_up(s.head_dim, vector_lanes), least, most));
  if (s.capacity < 1 || s.sequences < 1)
    return refuse("kernel-attention-cache", at)
        .what("a cache for ", s.sequences, " sequences of ", s.capacity, " positions")
        .why("every token attends at least to itself, whose key must be somewhere")
        .help("give one sequence of one position at least");
  if (s.window < 0 || !(s.scale >= 0) || !(s.cap >= 0) || !std::isfinite(s.scale) || !std::isfinite(s.cap))
    return refuse("kernel-attention-scores", at)
        .what("a window of ", s.window, " tokens, scores scaled by ", std::to_string(s.scale), " and capped at ", std::to_string(s.cap))
        .why("each of them is a positive number, or 0 for what is usual: all tokens, 1 / sqrt(head_dim), no cap")
        .help("give 0, or a positive number");
  return accept();
}

Mapping query_layout(const Device& device, const AttentionSizes& s, std::int64_t rows) {
  return rows_layout(device, ScalarType::bf16, dyn::axis("S", rows), map(kv_axis(s), group_axis(s), dim_axis(s)));
}
Mapping new_keys_layout(const Device& device, const AttentionSizes& s, std::int64_t rows) {
  return rows_layout(device, ScalarType::bf16, dyn::axis("S", rows), map(kv_axis(s), dim_axis(s)));
}
Mapping cache_layout(const AttentionSizes& s) {
  return map(dyn::axis("B", s.sequences), kv_axis(s), dyn::axis("P", s.positions()), dim_axis(s));
}

void append_to_cache(Context& ctx, const AttentionSizes& s, const dyn::Tensor& rows, std::int64_t tokens, const dyn::Tensor& cache,
                     std::int64_t sequence, std::int64_t position) {
  Mapping const token = dyn::axis("S", tokens), columns = map(kv_axis(s), dim_axis(s));
  std::int64_t const padded = rows.levels()[Level::element].size / tokens;
  dyn::dma(ctx.tdma, rows.reshape(map(token, columns.pad(padded))),
           attention::part_of_cache(s, cache, {sequence, position, tokens, dyn::one, token}).view_mut());
}

void append_tokens(Context& ctx, const AttentionSizes& s, const dyn::Tensor& rows, const dyn::Tensor& cache,
                   const std::vector<std::int64_t>& lengths) {
  std::int64_t const padded = rows.levels()[Level::element].size / s.sequences;
  Mapping const b = dyn::axis("B", s.sequences), p = dyn::axis("P", s.positions()), columns = map(kv_axis(s), dim_axis(s));
  dyn::Tensor const all = rows.reshape(map(b, columns.pad(padded)));
  bool const alike = std::all_of(lengths.begin(), lengths.end(), [&](std::int64_t n) { return n == lengths.front(); });
  if (alike) {
    dyn::Tensor const place = cache.reshape(cache_layout(s)).tile(p, 1, lengths.front() - 1);
    dyn::dma(ctx.tdma, all, place.reshape(map(b, kv_axis(s), dyn::one.pad(p.size), dim_axis(s))).view_mut());
    return;
  }
  for (std::int64_t i = 0; i < s.sequences; ++i)
    dyn::dma(ctx.tdma, some_of(all, b, 1, i).reshape(map(dyn::one.pad(s.sequences), columns.pad(padded))),
             attention::part_of_cache(s, cache, {i, lengths[static_cast<std::size_t>(i)] - 1, 1, dyn::one, dyn::one}).view_mut());
}

void append_token_at(Context& ctx, const AttentionSizes& s, const dyn::Tensor& row, const dyn::Tensor& cache, std::int64_t sequence,
                     const dyn::Tensor& position) {
  std::int64_t const padded = row.levels()[Level::element].size;
  Mapping const token = dyn::axis("T", 1), columns = map(kv_axis(s), dim_axis(s));
  row.reshape(map(token, columns.pad(padded)))
      .scatter(ctx.tdma, "P", position.reshape(token),
               attention::part_of_cache(s, cache, {sequence, 0, s.positions(), dyn::one, dyn::axis("P", s.positions())}).view_mut());
}

namespace attention {

HeadGrid::HeadGrid(const Device& device, const AttentionSizes& s) : kv(kv_axis(s)), group(group_axis(s)), dim(dim_axis(s)) {
  std::int64_t const clusters = device.levels.clusters_per_chip, kvs = power_of_two_from(kv.size), groups = power_of_two_from(group.size);
  Mapping const kv_heads = kv.pad(kvs), q_heads = group.pad(groups);
  if (kvs >= clusters) {
    cluster = kv_heads / (kvs / clusters);
    kv_part = kv_heads % (kvs / clusters);
    group_part = q_heads;
  } else if (groups >= clusters) {
    cluster = q_heads / (groups / clusters);
    group_part = q_heads % (groups / clusters);
  } else {
    cluster = dyn::one.pad(clusters);  // one head: the other cluster rests
  }
  heads = map(kv_part, group_part);
  across = device.levels.slices_per_cluster / heads.size;
}

dyn::Tensor part_of_cache(const AttentionSizes& s, const dyn::Tensor& cache, const CachePart& part) {
  Mapping const b = dyn::axis("B", s.sequences), p = dyn::axis("P", s.positions());
  dyn::Tensor const all = cache.reshape(cache_layout(s));
  return some_of(some_of(all, b, part.sequences.size, part.sequence), p, part.length, part.start)
      .reshape(map(part.sequences.pad(b.size), kv_axis(s), part.positions.pad(p.size), dim_axis(s)));
}

dyn::Stream capped(dyn::Stream scores, const AttentionSizes& s) {
  return std::move(scores)
      .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), s.scaled_by() / s.cap)
      .vector_fp_unary(FpUnaryOp::Tanh)
      .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), s.cap);
}

}  // namespace attention
}  // namespace tcp::kernels
