// Attention of a prompt: every token to itself and all tokens before it, without ever holding the matrix of scores.
//
//   kernels::FlashAttention const attend(rngd, {.q_heads = 32, .kv_heads = 8, .head_dim = 128, .capacity = 4096}, tokens);
//   auto const out = launch(attend, ctx, q, k_cache, v_cache).get();
//
// The keys and values of all tokens are in the cache already (append_to_cache). Queries come, and results leave, as
// rows of bf16.
//
// Its layout on the chip. A query head has `across` slices, over which its tokens are dealt like cards, so that all
// slices have the same share of the triangle of scores and a block of keys is above the diagonal for all of them or for
// none. A slice holds `groups` groups of eight queries in the TRF, one query per Row. Keys and (transposed) values lie
// over rings of slices, and the Switch Engine passes them around; rings whose queries read the same keys share one copy
// of them. So for every block of `keys` keys:
//
//   scores    keys stream past the queries: sums of eight queries at a time. On the way to DM the Vector Engine keeps the running maximum of each
//             query in VRF: what a time step writes, the next one reads.
//   weights   exp((score - maximum) / sqrt(head_dim)), rounded to bf16, transposed to [query, key]
//   values    weights go to the other half of the TRF, values stream past them. One row more, of ones, gives the sums of the weights.
//   rescale   what earlier blocks gave is multiplied by exp((old - new maximum) / sqrt(head_dim)), and the block's part is added
//
// While one block's values are summed, the scores of the next are on their way. Blocks above the diagonal are left out;
// those that the diagonal crosses are cut into parts of `masked` keys, whose scores get -infinity by the execution ids
// of a branch log where a key comes after the query, or has left its window. Blocks that no window reaches are left
// out.
//
// A weight of zero is a factor like any other: a value that is infinite or NaN also reaches earlier queries that share
// its block. Keys and queries do not.
#pragma once

#include <string>

#include "kernels/attention/attention.hpp"
#include "kernels/work/work.hpp"

namespace tcp::kernels {

struct FlashTiling {
  std::int64_t across = 1;  // slices of a query head
  std::int64_t ring = 1;    // of them hold a block of values, and hand it to each other
  std::int64_t rings = 1;   // that share a block of keys: each slice has so much less of them
  std::int64_t groups = 4;  // of eight queries in a slice
  std::int64_t keys = 512;  // of a block
  std::int64_t masked = 128;
  std::int64_t kept_blocks = 0;  // of keys and values that stay in DM; others are loaded whenever they are needed

  // Rows of a slice; elements of bf16 that travel at once, and that are multiplied at once; lanes of the Vector Engine
  // when it computes with floating-point numbers.
  std::int64_t rows = 8, flit = 16, packet = 32, narrow_lanes = 4;
  // What the Transpose Engine takes at once, of bf16.
  std::int64_t transposed_rows = 4, transposed_columns = 8;

  /// Queries of one group in all slices of a head.
  std::int64_t group_tokens() const { return rows * across; }
  /// Tokens that are attended from at once.
  std::int64_t tokens() const { return groups * group_tokens(); }
};

/// The decisions, one per line.
std::string text_of(const FlashTiling& tiling);

/// Refused: no tokens, and more than the cache has room for.
Verdict check_tokens(const AttentionSizes& sizes, std::int64_t tokens, std::int64_t past, Where at = {});

class FlashAttention {
 public:
  /// `past`: tokens in the cache before the first one that is attended from. Refused, by throwing: what check_attention
  /// and check_tokens refuse.
  FlashAttention(const Device& device, const AttentionSizes& sizes, std::int64_t tokens, std::int64_t past = 0,
                 Where at = std::source_location::current());

  const AttentionSizes& sizes() const { return sizes_; }
  const FlashTiling& tiling() const { return tiling_; }
  std::int64_t tokens() const { return tokens_; }
  std::int64_t past() const { return past_; }
  const Device& device() const { return device_; }
  /// The layout of the queries and of the result.
  Mapping layout() const { return query_layout(device_, sizes_, tokens_); }

  /// The kernel.
  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& q, const dyn::Tensor& k_cache, const dyn::Tensor& v_cache,
                         std::int64_t sequence = 0) const;

  Work work() const;

 private:
  Device device_;
  AttentionSizes sizes_;
  std::int64_t tokens_, past_;
  FlashTiling tiling_;
};

}  // namespace tcp::kernels
