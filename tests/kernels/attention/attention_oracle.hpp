// Attention on the host: plain loops in double precision over bf16 numbers. It shares no code with the library but the bits of the tensors.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/attention/attention.hpp"
#include "tcp/dsl/dynamic.hpp"
#include "tcp/support/random.hpp"

namespace tcp::oracle {

/// As the chip takes it: a subnormal is a zero.
inline double of_bf16(std::uint32_t bits) {
  std::uint32_t const w = (bits & 0x7f80) == 0 ? (bits & 0x8000) << 16 : bits << 16;
  float f;
  std::memcpy(&f, &w, sizeof f);
  return f;
}
/// To the nearest, ties to even; of finite numbers.
inline std::uint32_t to_bf16(double x) {
  float const f = static_cast<float>(x);
  std::uint32_t w;
  std::memcpy(&w, &f, sizeof w);
  return (w + 0x7fff + ((w >> 16) & 1)) >> 16;
}

inline std::size_t at(std::int64_t n) { return static_cast<std::size_t>(n); }

/// Numbers of a sequence: [tokens, heads, dim].
struct Numbers {
  Numbers(std::int64_t tokens, std::int64_t heads, std::int64_t dim)
      : tokens_(tokens), heads_(heads), dim_(dim), bits(at(tokens * heads * dim)) {}

  std::uint32_t& bits_at(std::int64_t token, std::int64_t head, std::int64_t d) { return bits[at((token * heads_ + head) * dim_ + d)]; }
  std::uint32_t bits_of(std::int64_t token, std::int64_t head, std::int64_t d) const {
    return bits[at((token * heads_ + head) * dim_ + d)];
  }
  double operator()(std::int64_t token, std::int64_t head, std::int64_t d) const { return of_bf16(bits_of(token, head, d)); }
  std::int64_t tokens() const { return tokens_; }
  std::int64_t heads() const { return heads_; }
  std::int64_t dim() const { return dim_; }

 private:
  std::int64_t tokens_, heads_, dim_;

 public:
  std::vector<std::uint32_t> bits;
};

/// Random numbers of size at most `most`.
inline Numbers drawn(Random& random, std::int64_t tokens, std::int64_t heads, std::int64_t dim, double most = 2) {
  Numbers n(tokens, heads, dim);
  for (std::uint32_t& each : n.bits) each = to_bf16(most * static_cast<double>(random.between(-1000, 1000)) / 1000);
  return n;
}

/// What models do with scores; 0: what is usual.
struct Scoring {
  std::int64_t window = 0;
  double scale = 0, cap = 0;
};

/// What query `i` of a head, at position `past + i`, gets: a number for each d.
inline std::vector<double> attended(const Numbers& q, const Numbers& k, const Numbers& v, std::int64_t i, std::int64_t head,
                                    std::int64_t past, const Scoring& scoring = {}) {
  std::int64_t const kv = head / (q.heads() / k.heads()), n = past + i + 1;
  std::int64_t const first = scoring.window == 0 || n < scoring.window ? 0 : n - scoring.window;
  std::vector<double> weight(at(n)), sums(at(v.dim()));
  double most = -std::numeric_limits<double>::infinity(), total = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    if (j < first) {
      weight[at(j)] = -std::numeric_limits<double>::infinity();
      continue;
    }
    double score = 0;
    for (std::int64_t d = 0; d < q.dim(); ++d) score += q(i, head, d) * k(j, kv, d);
    weight[at(j)] = scoring.scale == 0 ? score / std::sqrt(static_cast<double>(q.dim())) : score * scoring.scale;
    if (scoring.cap != 0) weight[at(j)] = scoring.cap * std::tanh(weight[at(j)] / scoring.cap);
    most = std::max(most, weight[at(j)]);
  }
  for (double& each : weight) total += each = std::exp(each - most);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t d = 0; d < v.dim() && j >= first; ++d) sums[at(d)] += weight[at(j)] / total * v(j, kv, d);
  return sums;
}

/// Rows that are padded to whole units.
inline dyn::HostTensor rows_of(const Numbers& n, const Mapping& layout) {
  dyn::HostTensor t(ScalarType::bf16, layout);
  std::int64_t const columns = n.heads() * n.dim(), padded = layout.size / n.tokens();
  for (std::int64_t i = 0; i < n.tokens(); ++i)
    for (std::int64_t c = 0; c < columns; ++c) t.data<bf16>()[i * padded + c] = bf16::from_bits(n.bits[at(i * columns + c)]);
  return t;
}
inline Numbers numbers_of(const dyn::HostTensor& t, std::int64_t tokens, std::int64_t heads, std::int64_t dim) {
  Numbers n(tokens, heads, dim);
  std::int64_t const columns = heads * dim, padded = static_cast<std::int64_t>(t.size()) / tokens;
  for (std::int64_t i = 0; i < tokens; ++i)
    for (std::int64_t c = 0; c < columns; ++c) n.bits[at(i * columns + c)] = t.data<bf16>()[i * padded + c].bits;
  return n;
}

/// A cache [sequence, head, position, dim] full of NaN: a read of what was never written shows in the result.
inline dyn::HostTensor empty_cache(const kernels::AttentionSizes& s) {
  dyn::HostTensor t(ScalarType::bf16, kernels::cache_layout(s));
  for (std::size_t i = 0; i < t.size(); ++i) t.data<bf16>()[i] = bf16::from_bits(0x7fc0);
  return t;
}
inline std::uint32_t cached(const dyn::HostTensor& cache, const kernels::AttentionSizes& s, std::int64_t sequence, std::int64_t head,
                            std::int64_t position, std::int64_t d) {
  std::int64_t const positions = static_cast<std::int64_t>(cache.size()) / (s.sequences * s.kv_heads * s.head_dim);
  return cache.data<bf16>()[((sequence * s.kv_heads + head) * positions + position) * s.head_dim + d].bits;
}
/// The first tokens of n.
inline void put(dyn::HostTensor& cache, const kernels::AttentionSizes& s, std::int64_t sequence, const Numbers& n, std::int64_t tokens) {
  std::int64_t const positions = static_cast<std::int64_t>(cache.size()) / (s.sequences * s.kv_heads * s.head_dim);
  for (std::int64_t p = 0; p < tokens; ++p)
    for (std::int64_t h = 0; h < s.kv_heads; ++h)
      for (std::int64_t d = 0; d < s.head_dim; ++d)
        cache.data<bf16>()[((sequence * s.kv_heads + h) * positions + p) * s.head_dim + d] =
            bf16::from_bits(n.bits[at((p * s.kv_heads + h) * s.head_dim + d)]);
}

/// Within a tolerance; where there is no number, none.
inline bool near(double found, double right, double tolerance) {
  return std::isnan(right) ? std::isnan(found) : std::fabs(found - right) <= tolerance;
}

/// What arithmetic does not like, here and there: zeros of both signs, subnormals, and an infinity in one place.
inline void to_the_edges(Random& random, Numbers& n) {
  for (std::uint32_t& bits : n.bits)
    if (random.below(3) == 0) bits = static_cast<std::uint32_t>(random.below(2)) << 15 | static_cast<std::uint32_t>(random.below(3) * 0x3f);
  n.bits[random.below(n.bits.size())] = random.below(2) == 0 ? 0x7f80 : 0xff80;
}

/// What bf16 allows. Weights are rounded to 8 bits, each by at most 2^-9 of itself, which moves a mean of values by at most 2^-9 of the largest; the same again
/// when the result is rounded, and, for the decode's sums of unrounded weights, once more. What f32 adds is far below.
inline double tolerance(double largest_value) { return 3 * std::ldexp(largest_value, -9); }

}  // namespace tcp::oracle
