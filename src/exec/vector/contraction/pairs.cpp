// Contraction of pairs: both factors have their own k for every output, so that there is nothing to share and both are
// packed side by side.
#include <algorithm>

#include "exec/vector/contraction/panels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exec/vector/contraction/pairs.cpp"
#include <hwy/foreach_target.h>
// Highway wants to come second.
#include <hwy/highway.h>

#include "exec/vector/kernels/lanes_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tcp::vector::kernels::HWY_NAMESPACE {
namespace {

constexpr int pair_columns = 32;

template <int depth, class R>
HWY_INLINE VF pair_tree(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b) {
  F const d;
  if constexpr (depth == 0) {
    return R::product(hn::Load(d, a), hn::Load(d, b));
  } else {
    constexpr int half = pair_columns << (depth - 1);
    VF const left = pair_tree<depth - 1, R>(a, b);
    return R::sum(left, pair_tree<depth - 1, R>(a + half, b + half));
  }
}

template <int depth, class R>
void sum_pair_steps(std::int64_t steps, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* accumulators) {
  F const d;
  for (std::size_t column = 0; column < pair_columns; column += hn::Lanes(d)) {
    VF sum = hn::Load(d, floats(accumulators) + column);
    for (std::int64_t step = 0; step < steps; ++step) {
      std::int64_t const at = static_cast<std::int64_t>(column) + step * (pair_columns << depth);
      sum = R::sum(sum, pair_tree<depth, R>(floats(a) + at, floats(b) + at));
    }
    hn::Store(sum, d, floats(accumulators) + column);
  }
}

template <class JoinUnit>
HWY_INLINE void join_pair_units(std::int64_t units, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* accumulators,
                                JoinUnit join) {
  I const d;
  for (std::size_t column = 0; column < pair_columns; column += hn::Lanes(d)) {
    VI sum = hn::Load(d, integers(accumulators) + column);
    for (std::int64_t unit = 0; unit < units; ++unit) {
      std::int64_t const at = static_cast<std::int64_t>(column) + unit * pair_columns;
      sum = join(sum, hn::Load(d, integers(a) + at), hn::Load(d, integers(b) + at));
    }
    hn::Store(sum, d, integers(accumulators) + column);
  }
}

void sum_pair_integers(std::int64_t units, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* accumulators) {
  join_pair_units(units, a, b, accumulators, [](VI sum, VI x, VI y) HWY_ATTR { return hn::Add(sum, hn::Mul(x, y)); });
}
void greatest_pair_integers(std::int64_t units, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* accumulators) {
  join_pair_units(units, a, b, accumulators, [](VI sum, VI x, VI y) HWY_ATTR { return hn::Max(sum, hn::Mul(x, y)); });
}
template <class R>
void greatest_pair_floats(std::int64_t units, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* accumulators) {
  join_pair_units(units, a, b, accumulators, [](VI sum, VI x, VI y) HWY_ATTR {
    F const d;
    return hn::Max(sum, key(R::product(hn::BitCast(d, x), hn::BitCast(d, y))));
  });
}

template <class R>
TileKernel float_pair_kernel(Join join, int depth) {
  if (join == Join::max) return greatest_pair_floats<R>;
  constexpr TileKernel kernels[] = {sum_pair_steps<0, R>, sum_pair_steps<1, R>, sum_pair_steps<2, R>, sum_pair_steps<3, R>,
                                    sum_pair_steps<4, R>, sum_pair_steps<5, R>, sum_pair_steps<6, R>};
  return kernels[depth];
}

}  // namespace

TileKernel kernel_of_pairs(bool floating, Join join, int depth, bool by_hand) {
  if (!floating) return join == Join::add ? sum_pair_integers : greatest_pair_integers;
#if HWY_ARCH_X86
  static_cast<void>(by_hand);
#else
  if (by_hand) return float_pair_kernel<Rounding<true>>(join, depth);
#endif
  return float_pair_kernel<Rounding<false>>(join, depth);
}

}  // namespace tcp::vector::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include "exec/vector/kernels/target.hpp"
#include "tcp/support/bug.hpp"

namespace tcp::vector::kernels {

HWY_EXPORT(kernel_of_pairs);

void contract_pairs(const Contraction& c, Workspace& workspace) {
  constexpr int width = 32;
  constexpr std::int64_t most_ks = 1024;  // two panels of this length stay in the second-level cache
  TCP_BUG_UNLESS(c.steps >= 1, "a contraction without a step");
  bool const floating = is_floating(c.a.type), tree = floating && c.join == Join::add;
  TCP_BUG_UNLESS(!tree || c.depth <= 6, "a tree of floating-point products is deeper than any engine's");
  RoundingScope const rounding(c.model, Flushing::operands_and_results);
  TileKernel const kernel =
      HWY_DYNAMIC_DISPATCH(kernel_of_pairs)(floating, c.join, c.depth, c.model == NumericModel::rngd && !RoundingScope::flushes());
  bool const minus_zero_or_least = floating || c.join == Join::max;
  auto const finish = !floating             ? TileKernels::Finish::nothing
                      : c.join == Join::add ? TileKernels::Finish::canonical_nan
                                            : TileKernels::Finish::from_key;
  std::int64_t const ks = c.steps << c.depth, block_ks = std::min(ks, most_ks), ks_of_a_count = tree ? std::int64_t{1} << c.depth : 1;
  std::size_t const panel_bytes = static_cast<std::size_t>(block_ks) * width * 4;
  auto* const a = reinterpret_cast<std::uint32_t*>(workspace.buffer(0, panel_bytes));
  auto* const b = reinterpret_cast<std::uint32_t*>(workspace.buffer(1, panel_bytes));
  auto* const accumulators = reinterpret_cast<std::uint32_t*>(workspace.buffer(2, width * 4));
  for (std::int64_t first = 0; first < c.rows; first += width) {
    std::int64_t const here = std::min<std::int64_t>(width, c.rows - first);
    std::fill(accumulators, accumulators + width, minus_zero_or_least ? 0x80000000u : 0u);
    for (std::int64_t k = 0; k < ks; k += block_ks) {
      PackedBlock block;
      block.leaves = c.leaves;
      block.join = c.join;
      block.model = c.model;
      block.unit = floating ? Unit::f32 : Unit::i32;
      block.first = first;
      block.count = here;
      block.first_k = k;
      block.ks = std::min(block_ks, ks - k);
      block.width = width;
      block.panel_units = block.ks;
      block.scratch = workspace.buffer(3, pack_scratch(width, block_ks));
      block.factor = &c.a;
      block.panels = a;
      pack(block);
      block.factor = &c.b;
      block.second = true;
      block.panels = b;
      pack(block);
      kernel(block.ks / ks_of_a_count, a, b, accumulators);
    }
    finish_line(finish, accumulators, 0, accumulators, here);
    for (std::int64_t i = 0; i < here; ++i) c.out[c.out_row[first + i]] = accumulators[i];
  }
}

}  // namespace tcp::vector::kernels

#endif
