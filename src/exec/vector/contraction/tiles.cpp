// The tile kernels for any processor: 4 rows and 32 columns, two rows and two vectors at a time, and what is done to
// finished accumulators.
//
// Maxima are found on keys: an f32 as the signed integer that orders like it, with -0 below +0 and NaN below
// everything, so that NaN is ignored.
#include "exec/vector/contraction/panels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exec/vector/contraction/tiles.cpp"
#include <hwy/foreach_target.h>
// Highway wants to come second.
#include <hwy/highway.h>

#include "exec/vector/kernels/lanes_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tcp::vector::kernels::HWY_NAMESPACE {
namespace {

constexpr int tile_rows = 4, tile_columns = 32;

/// Two rows and two vectors of columns: what the products of 2^depth k sum up to.
struct Two {
  VF v00, v01, v10, v11;
};

template <int depth, bool fused, class R>
HWY_INLINE Two tree(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b) {
  F const d;
  size_t const lanes = hn::Lanes(d);
  if constexpr (depth == 0) {
    VF const b0 = hn::Load(d, b), b1 = hn::Load(d, b + lanes), a0 = hn::Set(d, a[0]), a1 = hn::Set(d, a[1]);
    return {R::product(a0, b0), R::product(a0, b1), R::product(a1, b0), R::product(a1, b1)};
  } else if constexpr (depth == 1 && fused) {
    Two const left = tree<0, false, R>(a, b);
    VF const b0 = hn::Load(d, b + tile_columns), b1 = hn::Load(d, b + tile_columns + lanes);
    VF const a0 = hn::Set(d, a[tile_rows]), a1 = hn::Set(d, a[tile_rows + 1]);
    return {R::result(hn::MulAdd(a0, b0, left.v00)), R::result(hn::MulAdd(a0, b1, left.v01)), R::result(hn::MulAdd(a1, b0, left.v10)),
            R::result(hn::MulAdd(a1, b1, left.v11))};
  } else {
    constexpr int half = 1 << (depth - 1);
    Two const left = tree<depth - 1, fused, R>(a, b);
    Two const right = tree<depth - 1, fused, R>(a + half * tile_rows, b + half * tile_columns);
    return {R::sum(left.v00, right.v00), R::sum(left.v01, right.v01), R::sum(left.v10, right.v10), R::sum(left.v11, right.v11)};
  }
}

template <int depth, bool fused, class R>
void sum_steps(std::int64_t steps, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* accumulators) {
  F const d;
  auto const lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (int row = 0; row < tile_rows; row += 2)
    for (std::int64_t column = 0; column < tile_columns; column += 2 * lanes) {
      float* const upper = floats(accumulators) + row * tile_columns + column;
      float* const lower = upper + tile_columns;
      VF s00 = hn::Load(d, upper), s01 = hn::Load(d, upper + lanes), s10 = hn::Load(d, lower), s11 = hn::Load(d, lower + lanes);
      const float* at_a = floats(a) + row;
      const float* at_b = floats(b) + column;
      for (std::int64_t step = 0; step < steps; ++step) {
        Two const t = tree<depth, fused, R>(at_a, at_b);
        s00 = R::sum(s00, t.v00);
        s01 = R::sum(s01, t.v01);
        s10 = R::sum(s10, t.v10);
        s11 = R::sum(s11, t.v11);
        at_a += tile_rows << depth;
        at_b += tile_columns << depth;
      }
      hn::Store(s00, d, upper);
      hn::Store(s01, d, upper + lanes);
      hn::Store(s10, d, lower);
      hn::Store(s11, d, lower + lanes);
    }
}

/// One unit after the other into accumulators that no register holds for longer: for what is not worth more.
template <class JoinUnit>
HWY_INLINE void join_units(std::int64_t units, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* accumulators, JoinUnit join) {
  I const d;
  auto const lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (int row = 0; row < tile_rows; ++row)
    for (std::int64_t column = 0; column < tile_columns; column += 2 * lanes) {
      std::int32_t* const at = integers(accumulators) + row * tile_columns + column;
      VI s0 = hn::Load(d, at), s1 = hn::Load(d, at + lanes);
      const std::int32_t* at_b = integers(b) + column;
      for (std::int64_t unit = 0; unit < units; ++unit, at_b += tile_columns) {
        VI const x = hn::Set(d, integers(a)[unit * tile_rows + row]);
        s0 = join(s0, x, hn::Load(d, at_b));
        s1 = join(s1, x, hn::Load(d, at_b + lanes));
      }
      hn::Store(s0, d, at);
      hn::Store(s1, d, at + lanes);
    }
}

template <class R>
void greatest_floats(std::int64_t units, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* accumulators) {
  join_units(units, a, b, accumulators, [](VI greatest, VI x, VI y) HWY_ATTR {
    F const d;
    return hn::Max(greatest, key(R::product(hn::BitCast(d, x), hn::BitCast(d, y))));
  });
}

void greatest_integers(std::int64_t units, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* accumulators) {
  join_units(units, a, b, accumulators, [](VI greatest, VI x, VI y) HWY_ATTR { return hn::Max(greatest, hn::Mul(x, y)); });
}

/// x0 * y0 + x1 * y1 of the two i16 in each lane.
HWY_INLINE VI pair_sum(VI sum, VI x, VI y) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  hn::RepartitionToNarrow<I> const narrow;
  VI unused = sum;
  return hn::ReorderWidenMulAccumulate(I(), hn::BitCast(narrow, x), hn::BitCast(narrow, y), sum, unused);
#else
  VI const low = hn::Mul(hn::ShiftRight<16>(hn::ShiftLeft<16>(x)), hn::ShiftRight<16>(hn::ShiftLeft<16>(y)));
  return hn::Add(sum, hn::Add(low, hn::Mul(hn::ShiftRight<16>(x), hn::ShiftRight<16>(y))));
#endif
}

void sum_pairs(std::int64_t units, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* accumulators) {
  I const d;
  auto const lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (int row = 0; row < tile_rows; row += 2)
    for (std::int64_t column = 0; column < tile_columns; column += 2 * lanes) {
      std::int32_t* const upper = integers(accumulators) + row * tile_columns + column;
      std::int32_t* const lower = upper + tile_columns;
      VI s00 = hn::Load(d, upper), s01 = hn::Load(d, upper + lanes), s10 = hn::Load(d, lower), s11 = hn::Load(d, lower + lanes);
      const std::int32_t* at_a = integers(a) + row;
      const std::int32_t* at_b = integers(b) + column;
      for (std::int64_t unit = 0; unit < units; ++unit, at_a += tile_rows, at_b += tile_columns) {
        VI const a0 = hn::Set(d, at_a[0]), a1 = hn::Set(d, at_a[1]), b0 = hn::Load(d, at_b), b1 = hn::Load(d, at_b + lanes);
        s00 = pair_sum(s00, a0, b0);
        s01 = pair_sum(s01, a0, b1);
        s10 = pair_sum(s10, a1, b0);
        s11 = pair_sum(s11, a1, b1);
      }
      hn::Store(s00, d, upper);
      hn::Store(s01, d, upper + lanes);
      hn::Store(s10, d, lower);
      hn::Store(s11, d, lower + lanes);
    }
}

template <bool by_hand>
TileKernel sum_kernel(int depth, bool fused) {
  using R = Rounding<by_hand>;
  // Without an instruction for it, Highway's MulAdd rounds twice: the same as separate.
  if (fused) {
    constexpr TileKernel kernels[] = {sum_steps<0, false, R>, sum_steps<1, true, R>, sum_steps<2, true, R>, sum_steps<3, true, R>,
                                      sum_steps<4, true, R>,  sum_steps<5, true, R>, sum_steps<6, true, R>};
    return kernels[depth];
  }
  constexpr TileKernel kernels[] = {sum_steps<0, false, R>, sum_steps<1, false, R>, sum_steps<2, false, R>, sum_steps<3, false, R>,
                                    sum_steps<4, false, R>, sum_steps<5, false, R>, sum_steps<6, false, R>};
  return kernels[depth];
}

}  // namespace

TileKernel sum_kernel_of(int depth, bool fused, bool by_hand) {
#if HWY_ARCH_X86
  static_cast<void>(by_hand);
#else
  if (by_hand) return sum_kernel<true>(depth, fused);
#endif
  return sum_kernel<false>(depth, fused);
}

TileKernel greatest_kernel_of(bool floating, bool by_hand) {
  if (!floating) return greatest_integers;
#if HWY_ARCH_X86
  static_cast<void>(by_hand);
#else
  if (by_hand) return greatest_floats<Rounding<true>>;
#endif
  return greatest_floats<Rounding<false>>;
}

TileKernel pair_kernel_of() { return sum_pairs; }

void finish(TileKernels::Finish how, const std::uint32_t* accumulators, std::int32_t subtract, std::uint32_t* out, std::int64_t count) {
  I const d;
  auto const lanes = static_cast<std::int64_t>(hn::Lanes(d));
  VI const nan = hn::Set(d, 0x7fc00000), minus = hn::Set(d, subtract);
  auto const finished = [&](VI x) HWY_ATTR {
    if (how == TileKernels::Finish::nothing) return hn::Sub(x, minus);
    if (how == TileKernels::Finish::canonical_nan) return hn::IfThenElse(hn::RebindMask(d, hn::IsNaN(hn::BitCast(F(), x))), nan, x);
    VI const bits = hn::Xor(x, hn::And(hn::BroadcastSignBit(x), hn::Set(d, 0x7fffffff)));
    return hn::IfThenElse(hn::Eq(x, hn::Set(d, INT32_MIN)), nan, bits);
  };
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(finished(hn::LoadU(d, integers(accumulators) + i)), d, integers(out) + i);
  if (i < count) {
    HWY_ALIGN std::int32_t rest[16] = {};
    for (std::int64_t k = i; k < count; ++k) rest[k - i] = integers(accumulators)[k];
    hn::Store(finished(hn::Load(d, rest)), d, rest);
    for (std::int64_t k = i; k < count; ++k) integers(out)[k] = rest[k - i];
  }
}

}  // namespace tcp::vector::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include "exec/vector/kernels/target.hpp"
#include "tcp/support/bug.hpp"

namespace tcp::vector::kernels {

HWY_EXPORT(sum_kernel_of);
HWY_EXPORT(greatest_kernel_of);
HWY_EXPORT(pair_kernel_of);
HWY_EXPORT(finish);

TileKernels tile_kernels(ScalarType type, Join join, int depth, NumericModel model) {
  bool const by_hand = model == NumericModel::rngd && !RoundingScope::flushes();
  TileKernels k;
  if (join == Join::max) {
    bool const floating = is_floating(type);
    k.unit = floating ? Unit::f32 : Unit::i32;
    k.separate = k.fused = HWY_DYNAMIC_DISPATCH(greatest_kernel_of)(floating, by_hand);
    k.start = 0x80000000u;
    k.finish = floating ? TileKernels::Finish::from_key : TileKernels::Finish::nothing;
    return k;
  }
  if (is_integer(type)) {
    if (scalar_info(type).bits <= 8 && take_amx_quads(k)) return k;
    TileKernel const quads = scalar_info(type).bits <= 8 ? avx512_quads() : nullptr;
    k.unit = quads != nullptr ? Unit::quad : Unit::pair;
    if (quads != nullptr) {
      k.rows = 6;
      k.columns = 64;
      k.unsigned_columns = true;
    }
    k.separate = k.fused = quads != nullptr ? quads : HWY_DYNAMIC_DISPATCH(pair_kernel_of)();
    return k;
  }
  TCP_BUG_UNLESS(depth <= 6, "a tree of floating-point products is deeper than any engine's");
  k.start = 0x80000000u;  // -0: added to anything, it changes nothing
  k.finish = TileKernels::Finish::canonical_nan;
  k.fused = by_hand ? nullptr : avx512_tree(depth, true);
  k.separate = by_hand ? nullptr : avx512_tree(depth, false);
  if (k.fused == nullptr) k.fused = HWY_DYNAMIC_DISPATCH(sum_kernel_of)(depth, true, by_hand);
  if (k.separate == nullptr) k.separate = HWY_DYNAMIC_DISPATCH(sum_kernel_of)(depth, false, by_hand);
  return k;
}

void finish_line(TileKernels::Finish how, const std::uint32_t* accumulators, std::int32_t subtract, std::uint32_t* out,
                 std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(finish)(how, accumulators, subtract, out, count);
}

}  // namespace tcp::vector::kernels

#endif
