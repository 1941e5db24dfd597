// Attention of one new token of each of several sequences to all tokens of its sequence, whose keys and values lie in
// the cache.
//
//   kernels::DecodeAttention const attend(rngd, sizes, {1025, 77});   // tokens of each sequence, the new one included
//   auto const out = launch(attend, ctx, q, k_new, v_new, k_cache, v_cache).get();
//
// The new keys and values are written into the cache first, each at the last position of its sequence. Queries, new
// keys and new values come, and results leave, as rows of bf16, a sequence each. All tokens that are there are attended
// to, or with a window the last ones: there is no mask.
//
// How it is laid out on the chip. What takes the time is reading the cache, so every slice gets the same share of it: a
// head of keys and values has `across` slices, over which the positions are dealt like cards, and whose TRF holds the
// queries of all heads that read it, one query per Row. Keys stream past the queries; the slices agree on the maximum
// of each query, make weights of their scores, and put them into the TRF in the place of the queries: there, each
// weight is a number for all columns, so values need no transposing. Sums of slices are added last. Long caches come in
// parts of `positions`, and while one is computed with, the next one is on its way.
//
// The length of a sequence may come with the launch: then one recording serves all lengths that give a slice the same
// positions. The new position is a number in HBM, and which slices have a last position, and a first one of a
// window, is
// said by words that scores and values are joined with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/attention/attention.hpp"
#include "kernels/work/work.hpp"

namespace tcp::kernels {

struct DecodeTiling {
  std::int64_t across = 1;  // slices of a head of keys and values
  std::int64_t at_once =
      1;  // sequences of the same length; over clusters only where there is one head: several take the clusters themselves
  std::int64_t beside = 1;       // of them in a cluster
  std::int64_t rows = 1;         // query heads side by side in the TRF
  std::int64_t groups = 1;       // of so many
  std::int64_t positions = 256;  // of a slice that are loaded at once
};

/// The decisions, one per line.
std::string text_of(const DecodeTiling& tiling);

/// Refused: lengths of other than sizes.sequences sequences, and lengths that the cache does not have.
Verdict check_lengths(const AttentionSizes& sizes, const std::vector<std::int64_t>& lengths, Where at = {});

/// What a launch brings along to say how many tokens there are: in HBM, as `DecodeAttention::said` has it.
struct LengthAtLaunch {
  dyn::Tensor position;  // of the new token
  dyn::Tensor limit;     // for each slice of a head the greatest score of its last position, or minus infinity
  dyn::Tensor keep;      // and the bits of its values that are kept: all, or none
  dyn::Tensor from;      // with a window, as `limit`, of its first position
};
struct LengthOnHost {
  dyn::HostTensor position, limit, keep;
  std::optional<dyn::HostTensor> from{};  // with a window
};

class DecodeAttention {
 public:
  /// Refused, by throwing: what check_attention and check_lengths refuse.
  DecodeAttention(const Device& device, const AttentionSizes& sizes, std::vector<std::int64_t> lengths,
                  Where at = std::source_location::current());

  /// For one of the sequences, of any length that this one serves: to be called with a LengthAtLaunch.
  static DecodeAttention with_length_at_launch(const Device& device, const AttentionSizes& sizes, std::int64_t length,
                                               std::int64_t sequence = 0, Where at = std::source_location::current());
  /// Whether the recording serves a sequence of this length: slices have as many positions, from the same one on.
  bool serves(std::int64_t length) const;
  /// A length in words.
  LengthOnHost said(std::int64_t length) const;
  /// The layouts of `limit` and `from`, and of `keep`, on the host and in HBM.
  Mapping limit_layout() const;
  Mapping keep_layout() const;

  const AttentionSizes& sizes() const { return sizes_; }
  /// What the cache is for, if it is for others as well, and the first of its sequences that are attended to.
  const AttentionSizes& cache() const { return cache_; }
  std::int64_t sequence() const { return sequence_; }
  const DecodeTiling& tiling() const { return tiling_; }
  const std::vector<std::int64_t>& lengths() const { return lengths_; }
  const Device& device() const { return device_; }
  /// The layout of the queries and of the result.
  Mapping layout() const { return query_layout(device_, sizes_, sizes_.sequences); }

  /// The kernel.
  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& q, const dyn::Tensor& k_new, const dyn::Tensor& v_new, const dyn::Tensor& k_cache,
                         const dyn::Tensor& v_cache) const;
  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& q, const dyn::Tensor& k_new, const dyn::Tensor& v_new, const dyn::Tensor& k_cache,
                         const dyn::Tensor& v_cache, const LengthAtLaunch& length) const;

  Work work() const;

 private:
  dyn::Tensor attend(Context& ctx, const dyn::Tensor& q, const dyn::Tensor& k_cache, const dyn::Tensor& v_cache,
                     const LengthAtLaunch* length) const;

  Device device_;
  AttentionSizes sizes_, cache_;
  std::int64_t sequence_ = 0;
  std::vector<std::int64_t> lengths_;
  DecodeTiling tiling_;
};

}  // namespace tcp::kernels
