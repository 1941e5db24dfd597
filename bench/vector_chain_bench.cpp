// A chain of the Vector Engine, operation by operation on blocks, against one hand-written loop that does the same to
// each vector: AddF, MulF, Exp, Max, Min on 16 M f32. Both have the exact exponential.
#include <bit>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "../bench/vector_chain_bench.cpp"
#include <hwy/foreach_target.h>
// Highway wants to come second.
#include <hwy/highway.h>

#include "exec/vector/kernels/elementary_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tcp::vector::kernels::HWY_NAMESPACE {
namespace {

/// A result of the chip: no subnormal, one NaN.
HWY_INLINE VN made_result(VN x) {
  Narrow const d;
  return hn::IfThenElse(hn::IsNaN(x), hn::Set(d, std::bit_cast<float>(0x7fc00000u)), flushed(x));
}

}  // namespace

/// Needs: a whole number of vectors, and a mode in which operands are flushed.
void written_by_hand(const float* in, float* out, std::size_t count) {
  Narrow const d;
  VN const add = hn::Set(d, 0.25f), mul = hn::Set(d, 0.5f), least = hn::Set(d, 0.01f), greatest = hn::Set(d, 100.0f);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    VN x = made_result(hn::Add(hn::LoadU(d, in + i), add));
    x = made_result(hn::Mul(x, mul));
    x = results<exp_value>(Elementary::exp, x, NumericModel::rngd);
    // A NaN loses against a number, as Max and Min of the processor have it in their first argument.
    x = hn::Min(hn::Max(x, least), greatest);
    hn::StoreU(x, d, out + i);
  }
}

}  // namespace tcp::vector::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "exec/vector/kernels/elementwise.hpp"
#include "exec/vector/kernels/target.hpp"
#include "pairs.hpp"

namespace tcp::vector::kernels {

HWY_EXPORT(written_by_hand);

namespace {

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

void by_blocks(const std::uint32_t* in, std::uint32_t* out, std::size_t count) {
  constexpr std::size_t block = 2048;
  for (std::size_t i = 0; i < count; i += block) {
    std::size_t const here = std::min(block, count - i);
    compute(Op::add, {out + i, in + i, {nullptr, bits(0.25f)}, {}, here}, NumericModel::rngd);
    compute(Op::mul, {out + i, out + i, {nullptr, bits(0.5f)}, {}, here}, NumericModel::rngd);
    compute(Op::exp, {out + i, out + i, {}, {}, here}, NumericModel::rngd);
    compute(Op::max, {out + i, out + i, {nullptr, bits(0.01f)}, {}, here}, NumericModel::rngd);
    compute(Op::min, {out + i, out + i, {nullptr, bits(100.0f)}, {}, here}, NumericModel::rngd);
  }
}

}  // namespace
}  // namespace tcp::vector::kernels

int main() {
  using namespace tcp;
  using namespace tcp::vector::kernels;
  constexpr std::size_t count = std::size_t{16} << 20;
  std::mt19937 random(1);
  std::vector<float> in(count), theirs(count);
  std::vector<std::uint32_t> in_bits(count), ours(count);
  for (std::size_t i = 0; i < count; ++i) in[i] = static_cast<float>(static_cast<int>(random() % 40001) - 20000) / 1000;
  std::memcpy(in_bits.data(), in.data(), count * 4);
  auto const by_hand = [&] {
    RoundingScope const rounding(NumericModel::rngd, Flushing::operands);
    HWY_DYNAMIC_DISPATCH(written_by_hand)(in.data(), theirs.data(), count);
  };
  auto const chain = [&] { by_blocks(in_bits.data(), ours.data(), count); };
  by_hand();
  chain();
  bool const equal = std::memcmp(ours.data(), theirs.data(), count * 4) == 0;
  double const ratio = bench::speed_ratio(9, chain, by_hand);
  if (!equal) std::printf("# the two differ\n");
  bench::print_ratio("vector_chain_vs_handwritten", equal ? ratio : 0);
}

#endif
