// The frequencies of RoPE, stretched as Llama 3.1 asks.
#include "kernels/llama/rotation.hpp"

#include <cmath>
#include <numbers>

namespace tcp::kernels {
namespace {

/// Waves that fit often into the first training's context stay, those that do not fit are slowed by the factor, and
/// those between are mixed.
double stretched(double frequency, const RopeScaling& s) {
  double const original = static_cast<double>(s.original_positions), waves = original * frequency / (2 * std::numbers::pi);
  if (waves > s.high_freq_factor) return frequency;
  if (waves < s.low_freq_factor) return frequency / s.factor;
  double const share = (waves - s.low_freq_factor) / (s.high_freq_factor - s.low_freq_factor);
  return (1 - share) * frequency / s.factor + share * frequency;
}

}  // namespace

std::vector<double> rope_frequencies(const LlamaConfig& c, bool local) {
  std::vector<double> out;
  bool const own = local && c.local_rope_theta > 0;
  double const theta = own ? c.local_rope_theta : c.rope_theta, factor = own ? 1 : c.rope_factor;
  for (std::int64_t i = 0; i < c.pairs(); ++i) {
    double const plain = std::pow(theta, -2.0 * static_cast<double>(i) / static_cast<double>(c.head_dim)) / factor;
    out.push_back(c.scaling ? stretched(plain, *c.scaling) : plain);
  }
  return out;
}

}  // namespace tcp::kernels
