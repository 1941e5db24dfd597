// The next token, from the logits of a model: on the host, as the book has it.
//
//   Sampler sampler({.temperature = 0.7, .top_p = 0.9, .seed = 1});
//   std::int64_t const id = sampler(logits);
//
// With temperature 0 the largest logit wins, the smallest id among equals. Otherwise logits are divided by the
// temperature; top_k keeps the largest so many; top_p keeps the fewest of those whose probabilities add up to at least
// so much; and one is drawn from what is left, by its probability. The same seed draws the same tokens on every
// machine. A NaN is never chosen. Run time only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tcp/support/expected.hpp"
#include "tcp/support/random.hpp"

namespace tcp::kernels {

struct SamplingOptions {
  double temperature = 0;  // 0: greedy
  std::int64_t top_k = 0;  // 0: all
  double top_p = 1;
  std::uint64_t seed = 0;
};

/// Refused: numbers that mean nothing.
Verdict check_sampling(const SamplingOptions& options);

class Sampler {
 public:
  /// The options must have been checked.
  explicit Sampler(const SamplingOptions& options) : options_(options), random_(options.seed) {}

  /// None: no logit is a number.
  std::optional<std::int64_t> operator()(std::span<const float> logits);

 private:
  SamplingOptions options_;
  Random random_;
};

/// A token that may come next.
struct Candidate {
  std::int64_t id;
  double probability;
};
/// Those that temperature, top_k and top_p leave, the likeliest first, the smaller id first among equals. Their
/// probabilities add up to 1.
std::vector<Candidate> candidates(std::span<const float> logits, const SamplingOptions& options);

}  // namespace tcp::kernels
