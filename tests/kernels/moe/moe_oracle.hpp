// What the tests of the mixture of experts share: formats and an order of scores by hand, for the oracles share no code with the library.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "tcp/runtime/launch.hpp"
#include "tcp/support/random.hpp"

namespace tcp::moe_tests {

inline constexpr BackendKind every_backend[] = {BackendKind::reference, BackendKind::vector, BackendKind::device};

inline Context context_on(BackendKind backend) {
  ContextOptions options;
  options.backend = backend;
  return Context::acquire(options);
}

// bf16 by hand.

inline float of_bf16(std::uint32_t bits) {
  std::uint32_t const w = bits << 16;
  float f;
  std::memcpy(&f, &w, sizeof f);
  return f;
}
inline std::uint32_t to_bf16(float f) {
  std::uint32_t w;
  std::memcpy(&w, &f, sizeof w);
  return (w + 0x7fff + ((w >> 16) & 1)) >> 16;
}

inline dyn::HostTensor numbers_up_to(std::int64_t n) {
  dyn::HostTensor t(ScalarType::i32, dyn::axis("E", n));
  for (std::int64_t i = 0; i < n; ++i) t.data<i32>()[i] = i32::from_int(i);
  return t;
}
template <class Number>
dyn::HostTensor tensor_of(const Mapping& element, const std::vector<Number>& values) {
  dyn::HostTensor t(Number::type, element);
  std::copy(values.begin(), values.end(), t.data<Number>());
  return t;
}
inline std::vector<std::int32_t> integers(const dyn::HostTensor& t) {
  std::vector<std::int32_t> v;
  for (std::size_t i = 0; i < t.size(); ++i) v.push_back(t.data<i32>()[i].to_int());
  return v;
}

inline std::vector<bf16> scores_of(const std::vector<float>& numbers) {
  std::vector<bf16> v;
  for (float f : numbers) v.push_back(bf16::from_bits(to_bf16(f)));
  return v;
}
/// Many ties, zeros of both signs, large and small ones.
inline std::vector<bf16> random_scores(Random& random, std::int64_t count) {
  std::vector<bf16> v;
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint32_t const bits = random.below(3) == 0   ? static_cast<std::uint32_t>(random.below(2)) << 15  // +0 or -0
                               : random.below(2) == 0 ? to_bf16(static_cast<float>(random.between(-8, 8)) / 2)
                                                      : (static_cast<std::uint32_t>(random.next()) & 0x807f) |
                                                            static_cast<std::uint32_t>(random.between(1, 133)) << 7;
    v.push_back(bf16::from_bits(bits));
  }
  return v;
}
/// What comes first when scores are sorted: by the order of floating-point numbers, -0 below +0, then by the larger number of the expert.
inline std::vector<std::int32_t> best_of(const bf16* scores, std::int64_t experts, std::int64_t k) {
  std::vector<std::int32_t> order;
  for (std::int64_t e = 0; e < experts; ++e) order.push_back(static_cast<std::int32_t>(e));
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    float const x = of_bf16(scores[a].bits), y = of_bf16(scores[b].bits);
    if (x != y) return x > y;
    if (std::signbit(x) != std::signbit(y)) return !std::signbit(x);
    return a > b;
  });
  order.resize(static_cast<std::size_t>(k));
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace tcp::moe_tests
