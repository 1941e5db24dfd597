// Products and the tree of sums as vectors of the Rows: compiled twice, and chosen by what the processor has.
#include "sim/plain_steps.hpp"

#include <bit>
#include <cstring>

namespace tcp::sim {

namespace {

constexpr int rows_together = 8;

#if defined(__GNUC__) || defined(__clang__)
#define TCP_ALWAYS_INLINE __attribute__((always_inline)) inline
typedef float Eight __attribute__((vector_size(rows_together * sizeof(float))));
#else
#define TCP_ALWAYS_INLINE inline
struct Eight {
  float of[rows_together];
  Eight& operator+=(const Eight& o) {
    for (int r = 0; r < rows_together; ++r) of[r] += o.of[r];
    return *this;
  }
  friend Eight operator*(Eight a, float b) {
    for (float& each : a.of) each *= b;
    return a;
  }
};
#endif

/// Products of neighbours, their sums, and so on, until one sum is left for each Row.
template <int leaves>
TCP_ALWAYS_INLINE void tree_of(const std::uint32_t* data, const std::uint32_t* weights, Eight& sum) {
  if constexpr (leaves == 1) {
    std::memcpy(&sum, weights, sizeof sum);
    sum = sum * std::bit_cast<float>(*data);
  } else {
    Eight right;
    tree_of<leaves / 2>(data, weights, sum);
    tree_of<leaves / 2>(data + leaves / 2, weights + leaves / 2 * rows_together, right);
    sum += right;
  }
}
template <int lanes>
TCP_ALWAYS_INLINE void add_steps(std::int64_t steps, const ContractionWalk& walk, const std::uint32_t* data, const std::uint32_t* weights,
                                 std::uint32_t* sums) {
  const std::uint32_t* const packets = walk.packets().data();
  for (std::int64_t step = 0; step < steps; ++step) {
    Eight sum, all;
    tree_of<lanes>(data + packets[step], weights + walk.weights(step) * rows_together, sum);
    std::uint32_t* const to = sums + walk.kept(step) * rows_together;
    std::memcpy(&all, to, sizeof all);
    all += sum;
    std::memcpy(to, &all, sizeof all);
  }
}

void add_on_any(int lanes, std::int64_t steps, const ContractionWalk& walk, const std::uint32_t* data, const std::uint32_t* weights,
                std::uint32_t* sums) {
  if (lanes == 32) add_steps<32>(steps, walk, data, weights, sums);
  else add_steps<64>(steps, walk, data, weights, sums);
}

TCP_ALWAYS_INLINE bool widen(const std::uint32_t* __restrict from, std::size_t count, bool flushes, std::uint32_t* __restrict to) {
  std::uint32_t const smallest = flushes ? 0x00800000 : 0;
  std::uint32_t moderate = 1;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t const wide = from[i] << 16, magnitude = wide & 0x7fffffff;
    std::uint32_t const number = magnitude < smallest ? wide & 0x80000000 : wide;
    to[i] = magnitude > 0x7f800000 ? 0x7fc00000 : number;
    moderate &= is_moderate(to[i]);
  }
  return moderate != 0;
}
TCP_ALWAYS_INLINE bool all_moderate(const std::uint32_t* bits, std::size_t count) {
  std::uint32_t moderate = 1;
  for (std::size_t i = 0; i < count; ++i) moderate &= is_moderate(bits[i]);
  return moderate != 0;
}
bool widen_on_any(const std::uint32_t* from, std::size_t count, bool flushes, std::uint32_t* to) { return widen(from, count, flushes, to); }
bool moderate_on_any(const std::uint32_t* bits, std::size_t count) { return all_moderate(bits, count); }

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
__attribute__((target("avx2"))) bool widen_on_avx2(const std::uint32_t* from, std::size_t count, bool flushes, std::uint32_t* to) {
  return widen(from, count, flushes, to);
}
__attribute__((target("avx2"))) bool moderate_on_avx2(const std::uint32_t* bits, std::size_t count) { return all_moderate(bits, count); }
/// Without fused multiply-adds, which round once.
__attribute__((target("avx2"))) void add_on_avx2(int lanes, std::int64_t steps, const ContractionWalk& walk, const std::uint32_t* data,
                                                 const std::uint32_t* weights, std::uint32_t* sums) {
  if (lanes == 32) add_steps<32>(steps, walk, data, weights, sums);
  else add_steps<64>(steps, walk, data, weights, sums);
}
bool has_avx2() {
  static bool const has = __builtin_cpu_supports("avx2") != 0;
  return has;
}
#else
constexpr auto add_on_avx2 = add_on_any;
constexpr auto widen_on_avx2 = widen_on_any;
constexpr auto moderate_on_avx2 = moderate_on_any;
constexpr bool has_avx2() { return false; }
#endif

}  // namespace

bool suits_plain_steps(std::int64_t in_use, std::int64_t lanes) { return in_use == rows_together && (lanes == 32 || lanes == 64); }

bool widen_bf16(const std::uint32_t* from, std::size_t count, bool flushes, std::uint32_t* to) {
  return (has_avx2() ? widen_on_avx2 : widen_on_any)(from, count, flushes, to);
}
bool are_moderate(const std::uint32_t* bits, std::size_t count) { return (has_avx2() ? moderate_on_avx2 : moderate_on_any)(bits, count); }

void add_plain_steps(int lanes, std::int64_t steps, const ContractionWalk& walk, const std::uint32_t* data, const std::uint32_t* weights,
                     std::uint32_t* sums) {
  (has_avx2() ? add_on_avx2 : add_on_any)(lanes, steps, walk, data, weights, sums);
}

}  // namespace tcp::sim
