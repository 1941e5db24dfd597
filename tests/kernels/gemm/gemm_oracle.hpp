// C = A B on the host, added in the chip's order. It shares no code with the library: formats are by hand, and of a kernel only its ranges and parts of K are asked.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/gemm/gemm.hpp"
#include "tcp/runtime/launch.hpp"
#include "tcp/support/random.hpp"

namespace tcp::gemm_tests {

inline float of_bf16(std::uint32_t bits) {
  std::uint32_t const w = bits << 16;
  float f;
  std::memcpy(&f, &w, sizeof f);
  return f;
}
/// The chip has no subnormals: zeros of their sign are in their place.
inline float flushed(float f) { return std::fpclassify(f) == FP_SUBNORMAL ? std::copysign(0.0f, f) : f; }
/// To the nearest, ties to even; one NaN.
inline std::uint32_t to_bf16(float f) {
  if (std::isnan(f)) return 0x7fc0;
  std::uint32_t w;
  std::memcpy(&w, &f, sizeof w);
  std::uint32_t const rounded = (w + 0x7fff + ((w >> 16) & 1)) >> 16;
  return (rounded & 0x7f80) == 0 ? rounded & 0x8000 : rounded;
}
/// No infinities; subnormals are numbers like others.
inline float of_f8e4m3(std::uint32_t bits) {
  if ((bits & 0x7f) == 0x7f) return NAN;
  int const exponent = static_cast<int>(bits >> 3 & 15), fraction = static_cast<int>(bits & 7);
  float const size =
      exponent == 0 ? std::ldexp(static_cast<float>(fraction), -9) : std::ldexp(static_cast<float>(8 + fraction), exponent - 10);
  return (bits & 0x80) != 0 ? -size : size;
}

/// How a product adds up: K falls into ranges, these into parts, and these into packets.
struct Order {
  explicit Order(const kernels::GemmTiling& tile)
      : range(tile.depth / tile.split), part(tile.k), packet(tile.type == ScalarType::bf16 ? 32 : 64) {}
  std::int64_t range, part, packet;
};

/// A range of K: packets by a tree of neighbours, these one after the other within a part, the parts one after the other.
inline float dot(const std::vector<float>& a, const std::vector<float>& b, std::int64_t i, std::int64_t j, std::int64_t k,
                 std::int64_t first, std::int64_t end, const Order& order) {
  float total = 0;
  std::vector<float> tree(static_cast<std::size_t>(order.packet));
  for (std::int64_t begin = first; begin < end; begin += order.part) {
    float sum = 0;
    for (std::int64_t p = begin; p < std::min(begin + order.part, end); p += order.packet) {
      for (std::int64_t x = 0; x < order.packet; ++x)
        tree[static_cast<std::size_t>(x)] =
            p + x < k ? flushed(flushed(a[static_cast<std::size_t>(i * k + p + x)]) * flushed(b[static_cast<std::size_t>(j * k + p + x)]))
                      : 0.0f;
      for (std::size_t width = tree.size(); width > 1; width /= 2)
        for (std::size_t x = 0; x < width / 2; ++x) tree[x] = flushed(tree[2 * x] + tree[2 * x + 1]);
      sum = p == begin ? tree[0] : flushed(sum + tree[0]);
    }
    total = begin == first ? sum : flushed(total + sum);
  }
  return total;
}
/// All of K, range after range.
inline float dot(const std::vector<float>& a, const std::vector<float>& b, std::int64_t i, std::int64_t j, std::int64_t k,
                 const Order& order) {
  float total = 0;
  for (std::int64_t first = 0; first < k; first += order.range) {
    float const sum = dot(a, b, i, j, k, first, std::min(first + order.range, k), order);
    total = first == 0 ? sum : flushed(total + sum);
  }
  return total;
}

enum class Numbers { near_one, at_the_edges };

/// A pattern of a type: near 1, or, a quarter of them, what arithmetic does not like.
inline std::uint32_t drawn_bits(Random& random, ScalarType type, Numbers numbers) {
  auto const bits = static_cast<std::uint32_t>(random.next());
  bool const edge = numbers == Numbers::at_the_edges && random.below(4) == 0;
  if (type == ScalarType::bf16) {
    std::uint32_t const sign = bits & 0x8000;
    if (!edge) return (bits & 0x807f) | (124 + (bits >> 16) % 7) << 7;  // of size 1/8 to 16
    switch (random.below(24)) {
      case 0: return sign | 0x7f80;                  // an infinity
      case 1: return sign | 0x7f81 | (bits & 0x7f);  // any NaN
      case 2: return sign | 0x7f7f;                  // the largest
      default:
        return random.below(2) == 0 ? sign : sign | (bits & (random.below(2) == 0 ? 0x7f : 0x87));  // zeros, subnormals, the smallest
    }
  }
  if (type == ScalarType::f8e4m3 && (bits & 0x7f) == 0x7f && !(edge && random.below(8) == 0)) return 0;  // not too many NaN
  return bits & 0xff;
}
/// Random bits of a type, and what they mean.
struct Drawn {
  Drawn(Random& random, ScalarType type, const Mapping& layout, Numbers numbers = Numbers::near_one) : tensor(type, layout) {
    for (std::size_t at = 0; at < tensor.size(); ++at) {
      std::uint32_t const bits = drawn_bits(random, type, numbers);
      if (type == ScalarType::bf16) {
        tensor.data<bf16>()[at] = bf16::from_bits(bits);
        value.push_back(of_bf16(bits));
      } else if (type == ScalarType::f8e4m3) {
        tensor.data<f8e4m3>()[at] = f8e4m3::from_bits(bits);
        value.push_back(of_f8e4m3(bits));
      } else {
        tensor.data<i8>()[at] = i8::from_bits(bits);
        value.push_back(static_cast<float>(static_cast<std::int8_t>(bits)));
      }
    }
  }
  dyn::HostTensor tensor;
  std::vector<float> value;
};

inline std::int64_t whole_dot(const std::vector<float>& a, const std::vector<float>& b, std::int64_t i, std::int64_t j, std::int64_t k) {
  std::int64_t sum = 0;
  for (std::int64_t x = 0; x < k; ++x)
    sum += static_cast<std::int64_t>(a[static_cast<std::size_t>(i * k + x)]) *
           static_cast<std::int64_t>(b[static_cast<std::size_t>(j * k + x)]);
  return sum;
}

struct Size {
  std::int64_t m, n, k;
};

inline Context context_on(BackendKind backend) {
  ContextOptions options;
  options.backend = backend;
  return Context::acquire(options);
}

/// The number of elements of one product that are not what the host computes; `place` is where they begin.
inline int wrong_of(const kernels::Gemm& gemm, const Size& s, const dyn::HostTensor& c, std::int64_t place, const std::vector<float>& a,
                    const std::vector<float>& b) {
  ScalarType const type = gemm.type();
  int bad = 0;
  for (std::int64_t j = 0; j < s.n; ++j) {
    Order const order(gemm.tile_at(j % gemm.n().size));  // of a chip, where several have columns
    for (std::int64_t i = 0; i < s.m; ++i) {
      std::int64_t const at = place + i * s.n + j;
      if (type == ScalarType::i8) bad += c.data<i32>()[at].to_int() != whole_dot(a, b, i, j, s.k);
      else bad += c.data<bf16>()[at].bits != to_bf16(dot(a, b, i, j, s.k, order));
    }
  }
  return bad;
}

}  // namespace tcp::gemm_tests
