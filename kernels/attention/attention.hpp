// What attention kernels have in common: the numbers of tokens and heads, and how queries and the cache of keys and
// values lie in HBM.
//
// `q_heads` heads of queries share `kv_heads` heads of keys and values: query head h reads head h / (q_heads /
// kv_heads). Queries and results are rows (rows_layout), a token each, head after head. Keys and values are kept from
// step to step: the cache is [sequence, kv head, position, head_dim], has room for `capacity` positions, and says
// nothing about how many of them are filled.
#pragma once

#include <cstdint>
#include <vector>

#include "tcp/device/device.hpp"
#include "tcp/dsl/dynamic.hpp"
#include "tcp/support/expected.hpp"
#include "tcp/support/round.hpp"

namespace tcp::kernels {

struct AttentionSizes {
  std::int64_t q_heads = 1, kv_heads = 1, head_dim = 128;
  std::int64_t capacity = 1;   // positions of the cache
  std::int64_t sequences = 1;  // that the cache is for
  std::int64_t window = 0;     // the last so many tokens are attended to, oneself included; 0: all
  float scale = 0;             // of scores; 0: 1 / sqrt(head_dim)
  float cap = 0;               // scores become cap * tanh(score / cap), after scaling; 0: they stay as they are

  float scaled_by() const;
  std::int64_t heads_per_kv() const { return q_heads / kv_heads; }
  /// Positions of a sequence in HBM: rounded up so that all slices of a cluster read equally many.
  std::int64_t positions() const { return round_up(capacity, 512); }
};

/// Refused: heads that do not share evenly or are more than slices, a head_dim that is no multiple of 8 from 16 to 256,
/// a cache without room, a window, scale or cap that is negative.
Verdict check_attention(const Device& device, const AttentionSizes& sizes, Where at = {});

/// [rows, [kv head, query head of it, head_dim] # whole units of HBM]
Mapping query_layout(const Device& device, const AttentionSizes& sizes, std::int64_t rows);
/// The layout of what is to be written into the cache.
Mapping new_keys_layout(const Device& device, const AttentionSizes& sizes, std::int64_t rows);
Mapping cache_layout(const AttentionSizes& sizes);

/// Writes the keys, or the values, of some tokens of one sequence (new_keys_layout) into its cache, from a position on.
/// The order of heads and tokens changes on the way: rows are [token, head], the cache is [head, token].
void append_to_cache(Context& ctx, const AttentionSizes& sizes, const dyn::Tensor& rows, std::int64_t tokens, const dyn::Tensor& cache,
                     std::int64_t sequence, std::int64_t position);
/// Writes one token of each sequence, at the last position of each.
void append_tokens(Context& ctx, const AttentionSizes& sizes, const dyn::Tensor& rows, const dyn::Tensor& cache,
                   const std::vector<std::int64_t>& lengths);
/// Writes one token of a sequence, at a position that the launch brings along: one i32 in HBM.
void append_token_at(Context& ctx, const AttentionSizes& sizes, const dyn::Tensor& row, const dyn::Tensor& cache, std::int64_t sequence,
                     const dyn::Tensor& position);

namespace attention {

/// How heads lie over clusters and slices: kv heads first, then the query heads of each, both padded to powers of two;
/// `across` slices for each query head.
struct HeadGrid {
  HeadGrid(const Device& device, const AttentionSizes& sizes);

  Mapping kv, group, dim;  // axes HK, GQ and D
  Mapping cluster{}, heads{};
  Mapping kv_part{}, group_part{};  // `heads` is both
  std::int64_t across = 1;
};

/// `length` positions of some sequences from `start` on, as [sequences, HK, positions, D].
struct CachePart {
  std::int64_t sequence = 0, start = 0, length = 1;
  Mapping sequences{}, positions{};
};
dyn::Tensor part_of_cache(const AttentionSizes& sizes, const dyn::Tensor& cache, const CachePart& part);

/// Scores on their way through the Vector Engine, four lanes at a time: cap * tanh(score * scale / cap).
dyn::Stream capped(dyn::Stream scores, const AttentionSizes& sizes);

}  // namespace attention
}  // namespace tcp::kernels
