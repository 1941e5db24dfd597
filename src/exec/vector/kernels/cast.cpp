// Casts and the other operations from cells to cells, as loops without branches that the compiler vectorises once for
// each target.
//
// What comes from 8 bits, and the rare floating-point pairs that come from 16, goes through a table of all patterns,
// made by the scalar cast.
#include <array>
#include <bit>
#include <cstring>

#include "exec/vector/contraction/products.hpp"
#include "exec/vector/kernels/elementwise.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exec/vector/kernels/cast.cpp"
#include <hwy/foreach_target.h>
// Highway wants to come second.
#include <hwy/highway.h>

#ifndef TCP_CAST_ONCE
#define TCP_CAST_ONCE

namespace tcp::vector::kernels {
namespace {

/// A floating-point format below f32, as its encoder sees it.
struct Encoding {
  int drop;                 // digits of the fraction that are lost
  std::uint32_t rebias;     // what the exponent and fraction of a normal number are too large by, after the drop
  std::uint32_t least;      // the f32 of its smallest normal number
  std::uint32_t magic;      // the f32 whose last digit is worth its smallest subnormal number
  std::uint32_t overflow;   // what stands for everything at or beyond it
  std::uint32_t beyond;     // the first pattern that is no finite number
  std::uint32_t nan, sign;  // the NaN; the sign bit
};

}  // namespace
}  // namespace tcp::vector::kernels

#endif

HWY_BEFORE_NAMESPACE();
namespace tcp::vector::kernels::HWY_NAMESPACE {
namespace {

HWY_INLINE std::uint32_t select(bool condition, std::uint32_t a, std::uint32_t b) { return condition ? a : b; }

HWY_INLINE std::uint32_t flushed(std::uint32_t x) { return select((x & 0x7fffffffu) < 0x00800000u, x & 0x80000000u, x); }
HWY_INLINE std::uint32_t with_one_nan(std::uint32_t x) { return select((x & 0x7fffffffu) > 0x7f800000u, 0x7fc00000u, x); }

template <class To>
void encode(const Encoding& encoding, const std::uint32_t* HWY_RESTRICT in, To* HWY_RESTRICT out, std::size_t count) {
  Encoding const e = encoding;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t const size = in[i] & 0x7fffffffu, sign = in[i] >> 31 != 0 ? e.sign : 0;
    // To nearest even: half of what is dropped, less one, and one more if the digit that stays is odd. Subnormals are
    // rounded by the adder.
    std::uint32_t const normal = ((size + (1u << (e.drop - 1)) - 1 + (size >> e.drop & 1)) >> e.drop) - e.rebias;
    std::uint32_t const small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + std::bit_cast<float>(e.magic)) - e.magic;
    std::uint32_t const code = select(size < e.least, small, normal);
    std::uint32_t const finite = select(code >= e.beyond, e.overflow, code) | sign;
    out[i] = static_cast<To>(select(size > 0x7f800000u, e.nan, finite));
  }
}

template <bool flush>
void to_bf16(const std::uint32_t* HWY_RESTRICT in, std::uint16_t* HWY_RESTRICT out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t const x = flush ? flushed(in[i]) : in[i];
    out[i] = static_cast<std::uint16_t>(select((x & 0x7fffffffu) > 0x7f800000u, 0x7fc0u, (x + 0x7fff + (x >> 16 & 1)) >> 16));
  }
}
template <bool flush>
void from_bf16(const std::uint16_t* HWY_RESTRICT in, std::uint32_t* HWY_RESTRICT out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t const x = static_cast<std::uint32_t>(in[i]) << 16;
    out[i] = with_one_nan(flush ? flushed(x) : x);
  }
}

template <class From, class To>
void resize_integers(int bits, std::uint32_t mask, std::int32_t minus, const std::byte* in, std::byte* out, std::size_t count) {
  const From* HWY_RESTRICT const from = reinterpret_cast<const From*>(in);
  To* HWY_RESTRICT const to = reinterpret_cast<To*>(out);
  int const shift = 32 - bits;
  auto const less = static_cast<std::uint32_t>(minus);
  for (std::size_t i = 0; i < count; ++i) {
    std::int32_t const value = static_cast<std::int32_t>(static_cast<std::uint32_t>(from[i]) << shift) >> shift;
    to[i] = static_cast<To>((static_cast<std::uint32_t>(value) - less) & mask);
  }
}
template <class From>
void resize_to(int to_bytes, int bits, std::uint32_t mask, std::int32_t minus, const std::byte* in, std::byte* out, std::size_t count) {
  if (to_bytes == 1) resize_integers<From, std::uint8_t>(bits, mask, minus, in, out, count);
  else if (to_bytes == 2) resize_integers<From, std::uint16_t>(bits, mask, minus, in, out, count);
  else resize_integers<From, std::uint32_t>(bits, mask, minus, in, out, count);
}

template <class From, class To>
void look_up_in(const std::uint32_t* HWY_RESTRICT table, const std::byte* in, std::byte* out, std::size_t count) {
  const From* HWY_RESTRICT const from = reinterpret_cast<const From*>(in);
  To* HWY_RESTRICT const to = reinterpret_cast<To*>(out);
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<To>(table[from[i]]);
}

/// An f32 as a number that orders like it; both zeros are 0. NaN is the caller's.
HWY_INLINE std::int32_t rank(std::uint32_t x) {
  auto const size = static_cast<std::int32_t>(x & 0x7fffffffu);
  return x >> 31 != 0 ? -size : size;
}

template <class Holds>
HWY_INLINE void set_bits(const std::uint32_t* HWY_RESTRICT a, std::uint8_t bit, std::uint8_t* HWY_RESTRICT ids, std::size_t count,
                         const Holds& holds) {
  for (std::size_t i = 0; i < count; ++i) ids[i] = static_cast<std::uint8_t>(ids[i] | (holds(a[i]) ? bit : 0));
}

}  // namespace

void encode_floats(const Encoding& encoding, int to_bytes, const std::byte* in, std::byte* out, std::size_t count) {
  auto const* const from = reinterpret_cast<const std::uint32_t*>(in);
  if (to_bytes == 1) encode(encoding, from, reinterpret_cast<std::uint8_t*>(out), count);
  else encode(encoding, from, reinterpret_cast<std::uint16_t*>(out), count);
}

void cast_bf16(bool narrow, bool flush, const std::byte* in, std::byte* out, std::size_t count) {
  if (narrow) {
    auto const* const from = reinterpret_cast<const std::uint32_t*>(in);
    auto* const to = reinterpret_cast<std::uint16_t*>(out);
    return flush ? to_bf16<true>(from, to, count) : to_bf16<false>(from, to, count);
  }
  auto const* const from = reinterpret_cast<const std::uint16_t*>(in);
  auto* const to = reinterpret_cast<std::uint32_t*>(out);
  flush ? from_bf16<true>(from, to, count) : from_bf16<false>(from, to, count);
}

void resize(int from_bytes, int to_bytes, int bits, std::uint32_t mask, std::int32_t minus, const std::byte* in, std::byte* out,
            std::size_t count) {
  if (from_bytes == 1) resize_to<std::uint8_t>(to_bytes, bits, mask, minus, in, out, count);
  else if (from_bytes == 2) resize_to<std::uint16_t>(to_bytes, bits, mask, minus, in, out, count);
  else resize_to<std::uint32_t>(to_bytes, bits, mask, minus, in, out, count);
}

void look_up_cells(const std::uint32_t* table, int from_bytes, int to_bytes, const std::byte* in, std::byte* out, std::size_t count) {
  if (from_bytes == 2) {
    if (to_bytes == 1) return look_up_in<std::uint16_t, std::uint8_t>(table, in, out, count);
    if (to_bytes == 2) return look_up_in<std::uint16_t, std::uint16_t>(table, in, out, count);
    return look_up_in<std::uint16_t, std::uint32_t>(table, in, out, count);
  }
  if (to_bytes == 1) return look_up_in<std::uint8_t, std::uint8_t>(table, in, out, count);
  if (to_bytes == 2) return look_up_in<std::uint8_t, std::uint16_t>(table, in, out, count);
  return look_up_in<std::uint8_t, std::uint32_t>(table, in, out, count);
}

/// `boundary` is canonical, and no NaN if the lanes are f32 and compared as such.
void compare_lanes(Compare how, bool floating, bool flush, const std::uint32_t* a, std::uint32_t boundary, std::uint8_t bit,
                   std::uint8_t* ids, std::size_t count) {
  switch (how) {
    case Compare::LessUnsigned: return set_bits(a, bit, ids, count, [=](std::uint32_t x) HWY_ATTR { return x < boundary; });
    case Compare::GreaterUnsigned: return set_bits(a, bit, ids, count, [=](std::uint32_t x) HWY_ATTR { return x > boundary; });
    default: break;
  }
  if (!floating) {
    auto const limit = static_cast<std::int32_t>(boundary);
    if (how == Compare::Equal) return set_bits(a, bit, ids, count, [=](std::uint32_t x) HWY_ATTR { return x == boundary; });
    if (how == Compare::Less)
      return set_bits(a, bit, ids, count, [=](std::uint32_t x) HWY_ATTR { return static_cast<std::int32_t>(x) < limit; });
    return set_bits(a, bit, ids, count, [=](std::uint32_t x) HWY_ATTR { return static_cast<std::int32_t>(x) > limit; });
  }
  std::int32_t const limit = rank(boundary);
  std::uint32_t const smallest = flush ? 0x00800000u : 0u;
  // A NaN is beyond both ends: it lies neither below nor above nor at the boundary.
  auto const place = [=](std::uint32_t x, std::int32_t nan) HWY_ATTR {
    std::uint32_t const size = x & 0x7fffffffu;
    std::int32_t const ranked = size < smallest ? 0 : rank(x);
    return size > 0x7f800000u ? nan : ranked;
  };
  if (how == Compare::Equal) return set_bits(a, bit, ids, count, [=](std::uint32_t x) HWY_ATTR { return place(x, INT32_MIN) == limit; });
  if (how == Compare::Less) return set_bits(a, bit, ids, count, [=](std::uint32_t x) HWY_ATTR { return place(x, INT32_MAX) < limit; });
  set_bits(a, bit, ids, count, [=](std::uint32_t x) HWY_ATTR { return place(x, INT32_MIN) > limit; });
}

void choose_lanes(std::uint16_t guard, const std::uint8_t* ids, const std::uint32_t* then, const std::uint32_t* otherwise,
                  std::uint32_t* out, std::size_t count) {
  // Blocks on the stack overlap nothing, whatever `out` is.
  constexpr std::size_t block = 64;
  std::uint32_t a[block] = {}, b[block] = {}, chosen[block];
  std::uint8_t id[block] = {};
  for (std::size_t first = 0; first < count; first += block) {
    std::size_t const here = count - first < block ? count - first : block;
    std::memcpy(a, then + first, here * 4);
    std::memcpy(b, otherwise + first, here * 4);
    std::memcpy(id, ids + first, here);
    std::uint32_t const holding = guard;
    for (std::size_t i = 0; i < block; ++i) chosen[i] = select((holding >> (id[i] & 15u) & 1) != 0, a[i], b[i]);
    std::memcpy(out + first, chosen, here * 4);
  }
}

}  // namespace tcp::vector::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include <memory>
#include <mutex>
#include <vector>

#include "exec/vector/kernels/target.hpp"
#include "tcp/scalar/arithmetic.hpp"
#include "tcp/scalar/cast.hpp"
#include "tcp/support/bug.hpp"

namespace tcp::vector::kernels {
namespace {

Encoding encoding_of(ScalarType type) {
  detail::FloatFormat const& f = detail::float_format(type);
  Encoding e;
  e.drop = 23 - f.fraction_bits;
  e.rebias = static_cast<std::uint32_t>(127 - f.bias()) << f.fraction_bits;
  e.least = static_cast<std::uint32_t>(127 + f.least_exponent()) << 23;
  e.magic = static_cast<std::uint32_t>(127 + f.least_exponent() - f.fraction_bits + 23) << 23;
  e.beyond = static_cast<std::uint32_t>(f.beyond());
  e.overflow = f.specials == detail::Specials::infinity_and_nan ? e.beyond : e.beyond - 1;
  e.nan = static_cast<std::uint32_t>(f.canonical_nan);
  e.sign = static_cast<std::uint32_t>(f.sign_bit());
  return e;
}

constexpr int types = static_cast<int>(std::size(scalar_types));

/// The cast of every pattern of a format of at most 16 bits; made when it is first asked for, and kept.
const std::uint32_t* table_of(ScalarType from, ScalarType to, NumericModel model) {
  static std::array<std::once_flag, types * types * 2> made;
  static std::array<std::vector<std::uint32_t>, types * types * 2> tables;
  auto const which =
      static_cast<std::size_t>((static_cast<int>(from) * types + static_cast<int>(to)) * 2 + (model == NumericModel::ieee ? 1 : 0));
  std::call_once(made[which], [&] {
    tables[which].resize(std::size_t{1} << (8 * cell_bytes(from)));
    for (std::size_t i = 0; i < tables[which].size(); ++i)
      tables[which][i] = scalar_cast_bits(from, to, static_cast<std::uint32_t>(i), model);
  });
  return tables[which].data();
}

}  // namespace

HWY_EXPORT(encode_floats);
HWY_EXPORT(cast_bf16);
HWY_EXPORT(resize);
HWY_EXPORT(look_up_cells);
HWY_EXPORT(compare_lanes);
HWY_EXPORT(choose_lanes);

void cast(ScalarType from, ScalarType to, const std::byte* in, std::byte* out, std::size_t count, NumericModel model) {
  TCP_BUG_UNLESS(has_scalar_cast(from, to), "a cast that has no meaning was not refused");
  int const from_bytes = cell_bytes(from), to_bytes = cell_bytes(to);
  if (from == to) {
    std::memcpy(out, in, count * static_cast<std::size_t>(from_bytes));
    return;
  }
  if (is_integer(from))
    return HWY_DYNAMIC_DISPATCH(resize)(from_bytes, to_bytes, scalar_info(from).bits, scalar_mask(to), 0, in, out, count);
  bool const bf16_and_f32 = (from == ScalarType::bf16 && to == ScalarType::f32) || (from == ScalarType::f32 && to == ScalarType::bf16);
  if (bf16_and_f32) return HWY_DYNAMIC_DISPATCH(cast_bf16)(from == ScalarType::f32, model == NumericModel::rngd, in, out, count);
  if (from != ScalarType::f32) return HWY_DYNAMIC_DISPATCH(look_up_cells)(table_of(from, to, model), from_bytes, to_bytes, in, out, count);
  // Flushed or not, a subnormal f32 rounds to a zero in the formats that are left.
  RoundingScope const rounding(NumericModel::ieee, Flushing::operands);
  HWY_DYNAMIC_DISPATCH(encode_floats)(encoding_of(to), to_bytes, in, out, count);
}

void subtract_zero_point(ScalarType from, ScalarType to, std::int32_t zero_point, const std::byte* in, std::byte* out, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(resize)(cell_bytes(from), cell_bytes(to), scalar_info(from).bits, scalar_mask(to), zero_point, in, out, count);
}

void look_up(const std::uint32_t* table, const std::byte* in, std::byte* out, int out_bytes, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(look_up_cells)(table, 1, out_bytes, in, out, count);
}

void compare(Compare how, ScalarType type, const std::uint32_t* a, std::uint32_t boundary, NumericModel model, std::uint8_t bit,
             std::uint8_t* ids, std::size_t count) {
  bool const floating = type == ScalarType::f32;
  bool const raw = how == Compare::LessUnsigned || how == Compare::GreaterUnsigned;
  if (floating && !raw) {
    f32 const limit = canonical_operand(f32::from_bits(boundary), model);
    if (limit.is_nan()) return;
    boundary = limit.bits;
  }
  HWY_DYNAMIC_DISPATCH(compare_lanes)(how, floating, model == NumericModel::rngd, a, boundary, bit, ids, count);
}

void choose(std::uint16_t guard, const std::uint8_t* ids, const std::uint32_t* then, const std::uint32_t* otherwise, std::uint32_t* out,
            std::size_t count) {
  HWY_DYNAMIC_DISPATCH(choose_lanes)(guard, ids, then, otherwise, out, count);
}

}  // namespace tcp::vector::kernels

#endif
