// Products and the tree of sums as vectors of the Rows: compiled three times, and chosen by what the processor has.
#include "sim/plain_steps.hpp"

#include <bit>
#include <cstring>
#include <memory>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tcp::sim {

namespace {

/// What the steps of a block read and write.
struct ChainOperands {
  const std::uint32_t *packets, *elements, *data, *weights;
  std::uint32_t* sums;
};

/// The functions of this file for one kind of processor.
struct Kernels {
  void (*add)(int lanes, const std::vector<PlainChains::Block>& blocks, const ChainOperands& of);
  bool (*widen)(const std::uint32_t* from, std::size_t count, bool flushes, std::uint32_t* to);
  bool (*widen_stored)(const std::byte* from, std::size_t count, std::uint32_t* to);
  bool (*moderate)(const std::uint32_t* bits, std::size_t count);
  void (*spread)(const std::uint32_t* bits, std::int64_t count, int slot_bits, std::uint8_t* to);
  bool (*turn)(const std::uint8_t* const (&rows)[plain_rows], std::int64_t count, int slot_bits, std::uint32_t* to, bool& marked);
};

#if defined(__GNUC__) || defined(__clang__)
#define TCP_ALWAYS_INLINE __attribute__((always_inline)) inline
#else
#define TCP_ALWAYS_INLINE inline
#endif

namespace on_any {
constexpr int chains_at_once = 2;
#include "sim/plain_kernels.inc"
}  // namespace on_any

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define TCP_SIM_FUSED

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
namespace on_avx2 {
constexpr int chains_at_once = 2;
#include "sim/plain_kernels.inc"
}  // namespace on_avx2
#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx2,fma,avx512f,avx512vl"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512vl")
#endif
namespace on_avx512 {
constexpr int chains_at_once = 4;
#include "sim/plain_kernels.inc"
}  // namespace on_avx512
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#undef TCP_SIM_FUSED

const Kernels& kernels() {
  static bool const fused = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  static const Kernels& chosen = fused && __builtin_cpu_supports("avx512vl") != 0 ? on_avx512::kernels
                                 : fused                                          ? on_avx2::kernels
                                                                                  : on_any::kernels;
  return chosen;
}
#else
const Kernels& kernels() { return on_any::kernels; }
#endif
#undef TCP_ALWAYS_INLINE

}  // namespace

bool suits_plain_steps(std::int64_t in_use, std::int64_t lanes) { return in_use == plain_rows && (lanes == 32 || lanes == 64); }

bool widen_bf16(const std::uint32_t* from, std::size_t count, bool flushes, std::uint32_t* to) {
  return kernels().widen(from, count, flushes, to);
}
bool widen_stored_bf16(const std::byte* from, std::size_t count, std::uint32_t* to) { return kernels().widen_stored(from, count, to); }
bool are_moderate(const std::uint32_t* bits, std::size_t count) { return kernels().moderate(bits, count); }
void spread_slots(const std::uint32_t* bits, std::int64_t count, int slot_bits, std::uint8_t* to) {
  kernels().spread(bits, count, slot_bits, to);
}
bool turn_bf16_slots(const std::uint8_t* const (&rows)[plain_rows], std::int64_t count, int slot_bits, std::uint32_t* to, bool& marked) {
  return kernels().turn(rows, count, slot_bits, to, marked);
}

PlainChains::PlainChains(const program::Contraction& c, const ContractionWalk& walk, const std::vector<std::uint32_t>& packets)
    : packets_(packets) {
  struct Chain {
    std::uint32_t first, steps, kept;
  };
  std::vector<Chain> chains;
  elements_.reserve(static_cast<std::size_t>(c.steps));
  for (std::int64_t step = 0; step < c.steps; ++step) {
    elements_.push_back(static_cast<std::uint32_t>(walk.weights(step)));
    auto const kept = static_cast<std::uint32_t>(walk.kept(step));
    if (chains.empty() || chains.back().kept != kept) chains.push_back({static_cast<std::uint32_t>(step), 0, kept});
    ++chains.back().steps;
  }
  auto const same = [&](const std::vector<std::uint32_t>& of, const Chain& a, const Chain& b) {
    return a.steps == b.steps && std::equal(of.begin() + a.first, of.begin() + a.first + a.steps, of.begin() + b.first);
  };
  for (std::size_t i = 0; i < chains.size();) {
    Chain const& here = chains[i];
    Block block;
    block.steps = here.steps;
    block.packets[0] = block.elements[0] = here.first;
    block.kept[0][0] = here.kept;
    std::size_t const left = chains.size() - i;
    if (left >= 2 && same(packets_, here, chains[i + 1])) {
      block.weights = 2;
      block.elements[1] = chains[i + 1].first;
      block.kept[0][1] = chains[i + 1].kept;
    }
    std::size_t const w = block.weights;
    if (left >= 2 * w && same(elements_, here, chains[i + w]) &&
        (w == 1 || (same(elements_, chains[i + 1], chains[i + 3]) && same(packets_, chains[i + 2], chains[i + 3])))) {
      bool apart = true;  // sums of a kept step are never worked on side by side
      for (std::size_t a = 0; a < 2 * w; ++a)
        for (std::size_t b = 0; b < a; ++b) apart &= chains[i + a].kept != chains[i + b].kept;
      if (apart) {
        block.data = 2;
        block.packets[1] = chains[i + w].first;
        for (std::size_t k = 0; k < w; ++k) block.kept[1][k] = chains[i + w + k].kept;
      }
    }
    blocks_.push_back(block);
    i += block.data * block.weights;
  }
}

void PlainChains::mark(std::int64_t lanes, const std::uint8_t* data, const std::uint8_t* weights, std::uint8_t* sums) const {
  if (data == nullptr && weights == nullptr) return;
  for (const Block& b : blocks_)
    for (std::uint32_t step = 0; step < b.steps; ++step) {
      std::uint8_t of_data[2] = {}, of_weights[2][plain_rows] = {};
      for (std::uint32_t d = 0; data != nullptr && d < b.data; ++d) {
        const std::uint8_t* const packet = data + packets_[b.packets[d] + step];
        for (std::int64_t lane = 0; lane < lanes; ++lane) of_data[d] |= packet[lane];
      }
      for (std::uint32_t w = 0; weights != nullptr && w < b.weights; ++w) {
        const std::uint8_t* const read = weights + std::size_t{elements_[b.elements[w] + step]} * plain_rows;
        for (std::int64_t lane = 0; lane < lanes; ++lane)
          for (std::int64_t row = 0; row < plain_rows; ++row) of_weights[w][row] |= read[lane * plain_rows + row];
      }
      for (std::uint32_t d = 0; d < b.data; ++d)
        for (std::uint32_t w = 0; w < b.weights; ++w)
          for (std::int64_t row = 0; row < plain_rows; ++row) sums[b.kept[d][w] * plain_rows + row] |= of_data[d] | of_weights[w][row];
    }
}

void PlainChains::add(int lanes, const std::uint32_t* data, const std::uint32_t* weights, std::uint32_t* sums) const {
  kernels().add(lanes, blocks_, {packets_.data(), elements_.data(), data, weights, sums});
}

}  // namespace tcp::sim
