// The operations with a few instructions each. Operands are flushed by the processor where it can, results always by
// hand: it would judge them before rounding.
#include "exec/vector/kernels/elementwise.hpp"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exec/vector/kernels/elementwise.cpp"
#include <hwy/foreach_target.h>
// Highway wants to come second.
#include <hwy/highway.h>

#include "exec/vector/kernels/lanes_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tcp::vector::kernels::HWY_NAMESPACE {
namespace {

using U = hn::CappedTag<std::uint32_t, 16>;
using VU = hn::Vec<U>;
constexpr std::size_t most_lanes = 16;

HWY_INLINE VI signed_lanes(VU x) { return hn::BitCast(I(), x); }
HWY_INLINE VF float_lanes(VU x) { return hn::BitCast(F(), x); }
HWY_INLINE VU raw(VI x) { return hn::BitCast(U(), x); }
HWY_INLINE VU raw(VF x) { return hn::BitCast(U(), x); }

/// Calls fn(a, b, c) on vectors of raw lanes.
template <class Fn>
HWY_INLINE void each_vector(const Lanes& l, const Fn& fn) {
  U const d;
  std::size_t const lanes = hn::Lanes(d);
  VU const b = hn::Set(d, l.b.value), c = hn::Set(d, l.c.value);
  std::size_t i = 0;
  for (; i + lanes <= l.count; i += lanes)
    hn::StoreU(fn(hn::LoadU(d, l.a + i), l.b.lanes != nullptr ? hn::LoadU(d, l.b.lanes + i) : b,
                  l.c.lanes != nullptr ? hn::LoadU(d, l.c.lanes + i) : c),
               d, l.out + i);
  if (i == l.count) return;
  HWY_ALIGN std::uint32_t rest[3][most_lanes] = {};
  std::size_t const bytes = (l.count - i) * sizeof(std::uint32_t);
  std::memcpy(rest[0], l.a + i, bytes);
  hn::Store(b, d, rest[1]);
  hn::Store(c, d, rest[2]);
  if (l.b.lanes != nullptr) std::memcpy(rest[1], l.b.lanes + i, bytes);
  if (l.c.lanes != nullptr) std::memcpy(rest[2], l.c.lanes + i, bytes);
  hn::Store(fn(hn::Load(d, rest[0]), hn::Load(d, rest[1]), hn::Load(d, rest[2])), d, rest[0]);
  std::memcpy(l.out + i, rest[0], bytes);
}

/// Lane by lane on a copy that cannot overlap anything, so that the compiler vectorises what Highway has no operation
/// for.
template <class Fn>
HWY_INLINE VU each_lane(VU a, VU b, VU c, const Fn& fn) {
  U const d;
  HWY_ALIGN std::uint32_t x[most_lanes], y[most_lanes], z[most_lanes], out[most_lanes];
  hn::Store(a, d, x);
  hn::Store(b, d, y);
  hn::Store(c, d, z);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) out[i] = fn(x[i], y[i], z[i]);
  return hn::Load(d, out);
}

constexpr std::uint32_t sign_bit = 0x80000000, infinity = 0x7f800000, canonical_nan = 0x7fc00000, least_normal = 0x00800000;

HWY_INLINE VU flushed(VU x) {
  U const d;
  VU const sign = hn::And(x, hn::Set(d, sign_bit));
  return hn::IfThenElse(hn::Lt(hn::Xor(x, sign), hn::Set(d, least_normal)), sign, x);
}
HWY_INLINE VU with_one_nan(VU x) {
  U const d;
  return hn::IfThenElse(hn::Gt(hn::AndNot(hn::Set(d, sign_bit), x), hn::Set(d, infinity)), hn::Set(d, canonical_nan), x);
}

template <NumericModel model>
struct Model {
  static constexpr bool flush = model == NumericModel::rngd;

  /// For the processor's own arithmetic, which may see to it.
  static HWY_INLINE VF operand(VU x) {
    if constexpr (flush && !HWY_ARCH_X86) return float_lanes(flushed(x));
    return float_lanes(x);
  }
  /// For integer operations on the pattern.
  static HWY_INLINE VU operand_bits(VU x) {
    if constexpr (flush) return flushed(x);
    return x;
  }
  static HWY_INLINE VU result(VU x) {
    if constexpr (flush) x = flushed(x);
    return with_one_nan(x);
  }
  static HWY_INLINE VU result(VF x) { return result(raw(x)); }
};

HWY_INLINE VF fused(VF a, VF b, VF c) {
#if defined(HWY_NATIVE_FMA) && HWY_NATIVE_FMA
  return hn::MulAdd(a, b, c);
#else
  return float_lanes(each_lane(raw(a), raw(b), raw(c), [](std::uint32_t x, std::uint32_t y, std::uint32_t z) HWY_ATTR {
    float p, q, r;
    std::memcpy(&p, &x, 4);
    std::memcpy(&q, &y, 4);
    std::memcpy(&r, &z, 4);
    r = __builtin_fmaf(p, q, r);
    std::memcpy(&z, &r, 4);
    return z;
  }));
#endif
}

/// The smaller (or larger) by rank; of NaN the key is beyond every other, so that it loses.
template <bool greatest, class M>
HWY_INLINE VU extreme(VU a, VU b) {
  I const d;
  auto const ranked = [&](VU x) HWY_ATTR {
    VI const bits = signed_lanes(M::operand_bits(x));
    VI const ordered = hn::Xor(bits, hn::And(hn::BroadcastSignBit(bits), hn::Set(d, INT32_MAX)));
    auto const nan = hn::Gt(hn::And(bits, hn::Set(d, INT32_MAX)), hn::Set(d, static_cast<std::int32_t>(infinity)));
    return hn::IfThenElse(nan, hn::Set(d, greatest ? INT32_MIN : INT32_MAX), ordered);
  };
  VI const chosen = greatest ? hn::Max(ranked(a), ranked(b)) : hn::Min(ranked(a), ranked(b));
  return with_one_nan(raw(hn::Xor(chosen, hn::And(hn::BroadcastSignBit(chosen), hn::Set(d, INT32_MAX)))));
}

template <bool greatest, class M>
HWY_INLINE VU extreme_magnitude(VU a, VU b) {
  I const d;
  a = M::operand_bits(a);
  b = M::operand_bits(b);
  auto const size = [&](VU x) HWY_ATTR {
    VI const magnitude = hn::And(signed_lanes(x), hn::Set(d, INT32_MAX));
    return hn::IfThenElse(hn::Gt(magnitude, hn::Set(d, static_cast<std::int32_t>(infinity))), hn::Set(d, greatest ? -1 : INT32_MAX),
                          magnitude);
  };
  auto const second = greatest ? hn::Gt(size(b), size(a)) : hn::Lt(size(b), size(a));
  return with_one_nan(raw(hn::IfThenElse(second, signed_lanes(b), signed_lanes(a))));
}

HWY_INLINE VI saturated_to_sign_of(VI a) { return hn::Xor(hn::BroadcastSignBit(a), hn::Set(I(), INT32_MAX)); }

HWY_INLINE VU amount(VU n) { return hn::And(n, hn::Set(U(), 31u)); }

HWY_INLINE VI rounded_shift(VI a, VU n) {
  I const d;
  VI const by = signed_lanes(amount(n)), one = hn::Set(d, 1);
  auto const none = hn::Eq(by, hn::Zero(d));
  VI const half = hn::And(hn::Shr(a, hn::IfThenElse(none, hn::Zero(d), hn::Sub(by, one))), one);
  return hn::IfThenElse(none, a, hn::Add(hn::Shr(a, by), half));
}

HWY_INLINE VI saturated_left_shift(VI a, VU n) {
  VI const by = signed_lanes(amount(n)), shifted = hn::Shl(a, by);
  return hn::IfThenElse(hn::Eq(hn::Shr(shifted, by), a), shifted, saturated_to_sign_of(a));
}

template <bool greatest>
HWY_INLINE VI extreme_magnitude_i32(VI a, VI b) {
  // As unsigned numbers even the least value has its magnitude.
  VU const x = raw(hn::Abs(a)), y = raw(hn::Abs(b));
  auto const second = greatest ? hn::Gt(y, x) : hn::Lt(y, x);
  return hn::IfThenElse(hn::RebindMask(I(), second), b, a);
}

HWY_INLINE VU product_of_fractions(VU a, VU b) {
  return each_lane(a, b, b, [](std::uint32_t x, std::uint32_t y, std::uint32_t) HWY_ATTR {
    std::int64_t const p = static_cast<std::int64_t>(static_cast<std::int32_t>(x)) * static_cast<std::int32_t>(y);
    std::int64_t const r = ((p >> 30) + 1) >> 1;
    return static_cast<std::uint32_t>(r > INT32_MAX ? INT32_MAX : r);
  });
}

void fixed_to_float(const Lanes& l, int int_width) {
  VF const scale = hn::Set(F(), 1.0f / static_cast<float>(std::uint32_t{1} << (31 - int_width)));
  each_vector(l, [&](VU a, VU, VU) HWY_ATTR { return raw(hn::Mul(hn::ConvertTo(F(), signed_lanes(a)), scale)); });
}

/// Half away from zero, saturated.
template <class M>
void float_to_fixed(const Lanes& l, int int_width) {
  F const d;
  I const di;
  VF const scale = hn::Set(d, static_cast<float>(std::uint32_t{1} << (31 - int_width))), limit = hn::Set(d, 0x1p31f);
  each_vector(l, [&](VU a, VU, VU) HWY_ATTR {
    VF const x = hn::Mul(M::operand(a), scale), size = hn::Abs(x);
    auto const inside = hn::Lt(size, limit);
    VI const whole = hn::ConvertTo(di, hn::IfThenElseZero(inside, size));
    VF const rest = hn::Sub(hn::IfThenElseZero(inside, size), hn::ConvertTo(d, whole));
    VI const up = hn::And(hn::VecFromMask(di, hn::RebindMask(di, hn::Ge(rest, hn::Set(d, 0.5f)))), hn::Set(di, 1));
    VI const magnitude = hn::Add(whole, up);
    VI sign = hn::BroadcastSignBit(signed_lanes(a));
    if constexpr (M::flush) sign = hn::IfThenZeroElse(hn::RebindMask(di, hn::IsNaN(float_lanes(a))), sign);
    VI const finite = hn::Sub(hn::Xor(magnitude, sign), sign);
    return raw(hn::IfThenElse(hn::RebindMask(di, inside), finite, hn::Xor(sign, hn::Set(di, INT32_MAX))));
  });
}

template <NumericModel model>
bool float_operation(Op op, const Lanes& l, int int_width) {
  using M = Model<model>;
  switch (op) {
    case Op::add: each_vector(l, [](VU a, VU b, VU) HWY_ATTR { return M::result(hn::Add(M::operand(a), M::operand(b))); }); break;
    case Op::sub: each_vector(l, [](VU a, VU b, VU) HWY_ATTR { return M::result(hn::Sub(M::operand(a), M::operand(b))); }); break;
    case Op::mul: each_vector(l, [](VU a, VU b, VU) HWY_ATTR { return M::result(hn::Mul(M::operand(a), M::operand(b))); }); break;
    case Op::div: each_vector(l, [](VU a, VU b, VU) HWY_ATTR { return M::result(hn::Div(M::operand(a), M::operand(b))); }); break;
    case Op::fma:
      each_vector(l, [](VU a, VU b, VU c) HWY_ATTR { return M::result(fused(M::operand(a), M::operand(b), M::operand(c))); });
      break;
    case Op::min: each_vector(l, [](VU a, VU b, VU) HWY_ATTR { return extreme<false, M>(a, b); }); break;
    case Op::max: each_vector(l, [](VU a, VU b, VU) HWY_ATTR { return extreme<true, M>(a, b); }); break;
    case Op::abs_min: each_vector(l, [](VU a, VU b, VU) HWY_ATTR { return extreme_magnitude<false, M>(a, b); }); break;
    case Op::abs_max: each_vector(l, [](VU a, VU b, VU) HWY_ATTR { return extreme_magnitude<true, M>(a, b); }); break;
    case Op::sqrt: each_vector(l, [](VU a, VU, VU) HWY_ATTR { return M::result(hn::Sqrt(M::operand(a))); }); break;
    case Op::canonical: each_vector(l, [](VU a, VU, VU) HWY_ATTR { return M::result(a); }); break;
    case Op::fp_to_fxp: float_to_fixed<M>(l, int_width); break;
    default: return false;
  }
  return true;
}

bool integer_operation(Op op, const Lanes& l, int int_width) {
  switch (op) {
    case Op::add_fxp: each_vector(l, [](VU a, VU b, VU) HWY_ATTR { return hn::Add(a, b); }); break;
    case Op::sub_fxp: each_vector(l, [](VU a, VU b, VU) HWY_ATTR { return hn::Sub(a, b); }); break;
    case Op::mul_int: each_vector(l, [](VU a, VU b, VU) HWY_ATTR { return hn::Mul(a, b); }); break;
    case Op::mul_fxp: each_vector(l, [](VU a, VU b, VU) HWY_ATTR { return product_of_fractions(a, b); }); break;
    case Op::add_fxp_sat:
      each_vector(l, [](VU a, VU b, VU) HWY_ATTR {
        VI const x = signed_lanes(a), sum = hn::Add(x, signed_lanes(b));
        auto const beyond = hn::Lt(hn::And(hn::Xor(x, sum), hn::Xor(signed_lanes(b), sum)), hn::Zero(I()));
        return raw(hn::IfThenElse(beyond, saturated_to_sign_of(x), sum));
      });
      break;
    case Op::sub_fxp_sat:
      each_vector(l, [](VU a, VU b, VU) HWY_ATTR {
        VI const x = signed_lanes(a), difference = hn::Sub(x, signed_lanes(b));
        auto const beyond = hn::Lt(hn::And(hn::Xor(x, signed_lanes(b)), hn::Xor(x, difference)), hn::Zero(I()));
        return raw(hn::IfThenElse(beyond, saturated_to_sign_of(x), difference));
      });
      break;
    case Op::left_shift: each_vector(l, [](VU a, VU b, VU) HWY_ATTR { return hn::Shl(a, amount(b)); }); break;
    case Op::left_shift_sat: each_vector(l, [](VU a, VU b, VU) HWY_ATTR { return raw(saturated_left_shift(signed_lanes(a), b)); }); break;
    case Op::logic_right_shift: each_vector(l, [](VU a, VU b, VU) HWY_ATTR { return hn::Shr(a, amount(b)); }); break;
    case Op::arith_right_shift:
      each_vector(l, [](VU a, VU b, VU) HWY_ATTR { return raw(hn::Shr(signed_lanes(a), signed_lanes(amount(b)))); });
      break;
    case Op::arith_right_shift_round: each_vector(l, [](VU a, VU b, VU) HWY_ATTR { return raw(rounded_shift(signed_lanes(a), b)); }); break;
    case Op::min_i32: each_vector(l, [](VU a, VU b, VU) HWY_ATTR { return raw(hn::Min(signed_lanes(a), signed_lanes(b))); }); break;
    case Op::max_i32: each_vector(l, [](VU a, VU b, VU) HWY_ATTR { return raw(hn::Max(signed_lanes(a), signed_lanes(b))); }); break;
    case Op::abs_min_i32:
      each_vector(l, [](VU a, VU b, VU) HWY_ATTR { return raw(extreme_magnitude_i32<false>(signed_lanes(a), signed_lanes(b))); });
      break;
    case Op::abs_max_i32:
      each_vector(l, [](VU a, VU b, VU) HWY_ATTR { return raw(extreme_magnitude_i32<true>(signed_lanes(a), signed_lanes(b))); });
      break;
    case Op::relu:
      each_vector(l, [](VU a, VU, VU) HWY_ATTR {
        VI const x = signed_lanes(a), magnitude = hn::And(x, hn::Set(I(), 0x7fffffff));
        auto const number = hn::Lt(magnitude, hn::Set(I(), 0x7f800001));
        return raw(hn::IfThenZeroElse(hn::And(hn::Lt(x, hn::Zero(I())), number), x));
      });
      break;
    case Op::bit_and: each_vector(l, [](VU a, VU b, VU) HWY_ATTR { return hn::And(a, b); }); break;
    case Op::bit_or: each_vector(l, [](VU a, VU b, VU) HWY_ATTR { return hn::Or(a, b); }); break;
    case Op::bit_xor: each_vector(l, [](VU a, VU b, VU) HWY_ATTR { return hn::Xor(a, b); }); break;
    case Op::fxp_to_fp: fixed_to_float(l, int_width); break;
    default: return false;
  }
  return true;
}

}  // namespace

/// False for the elementary functions, which are elsewhere.
bool compute_lanes(Op op, const Lanes& l, NumericModel model, int int_width) {
  if (integer_operation(op, l, int_width)) return true;
  return model == NumericModel::rngd ? float_operation<NumericModel::rngd>(op, l, int_width)
                                     : float_operation<NumericModel::ieee>(op, l, int_width);
}

}  // namespace tcp::vector::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include "exec/vector/kernels/elementary_lanes.hpp"
#include "exec/vector/kernels/target.hpp"

namespace tcp::vector::kernels {

HWY_EXPORT(compute_lanes);

void compute(Op op, const Lanes& lanes, NumericModel model, int int_width) {
  RoundingScope const rounding(model, Flushing::operands);
  if (HWY_DYNAMIC_DISPATCH(compute_lanes)(op, lanes, model, int_width)) return;
  elementary_lanes(op, lanes, model);
}

}  // namespace tcp::vector::kernels

#endif
