// What the register files accept: `to_trf` and `to_vrf` put a collected stream away, flit after flit, as the operand of
// later passes.
//
// The TRF holds weights for the Contraction Engine, each MAC Row in a bank of its own: the outermost part of Time
// becomes Row, the rest, with the packet, the Element of a Row. The VRF holds 32-bit operands for the Vector Engine:
// all of Time and Packet is Element.
#pragma once

#include "tcp/rules/memory.hpp"
#include "tcp/rules/padding.hpp"

namespace tcp {

/// Only these types have multipliers. (i5 and i9 are what the fetch makes of i4 and i8 less a zero point.)
constexpr Verdict check_operand_type(ScalarType type, Where at = {}) {
  switch (type) {
    case ScalarType::i4:
    case ScalarType::i5:
    case ScalarType::i8:
    case ScalarType::i9:
    case ScalarType::f8e4m3:
    case ScalarType::f8e5m2:
    case ScalarType::bf16: return accept();
    default:
      return refuse("contraction-operand-type", at)
          .what(type, " cannot be multiplied in a contraction; i4, i5, i8, i9, f8e4m3, f8e5m2 and bf16 can")
          .why("the results are wide: i32 or f32")
          .help(is_floating(type) ? "cast to bf16 when it is committed or fetched" : "use i8, or multiply in the Vector Engine");
  }
}

/// The numbers of Rows that can work together.
constexpr Verdict check_row_count(const Device& device, const Mapping& row, Where at = {}) {
  if (device.contraction.row_counts.contains(row.size)) return accept();
  Refusal r = refuse("contraction-rows", at);
  r.what("Row ", row, " has ", row.size, " positions; the Reducer works with ");
  int n = 0;
  for (std::int64_t each : device.contraction.row_counts) r.what(n++ > 0 ? ", " : "", each);
  return r.what(" Rows")
      .why("each Row reads a bank of the TRF of its own, and the banks are joined by twos")
      .help("pad Row to the next of these, or move a part of it to Element");
}

/// True if the two places of the TRF share bytes.
constexpr bool overlaps(TrfAddress a, TrfAddress b) { return a == b || a == TrfAddress::Full || b == TrfAddress::Full; }

/// How elements of a type lie in the TRF, with `rows` Rows in use.
struct TrfLayout {
  std::int64_t slots_per_element = 1;  // of 5 bits: room for i5, i9 and the wider forms of f8 and bf16
  std::int64_t elements_per_line = 1;
  std::int64_t lines_per_bank = 1;  // of the part in use; banks of Rows that are not in use lengthen those that are
  std::int64_t first_line = 0;
  Bytes row_capacity{};
  Bytes row_base{};

  constexpr bool operator==(const TrfLayout&) const = default;
};
constexpr TrfLayout trf_layout(const Device& device, ScalarType type, std::int64_t rows, TrfAddress where) {
  chip::Trf const& trf = device.trf;
  TrfLayout l;
  l.elements_per_line = trf.line_bytes.value * 8 / scalar_info(type).packet_bits;
  l.slots_per_element = trf.slots_per_line / l.elements_per_line;
  std::int64_t const lines = trf.lines_per_bank * (device.levels.rows_per_slice / rows);
  l.lines_per_bank = where == TrfAddress::Full ? lines : lines / trf.halves;
  l.first_line = where == TrfAddress::SecondHalf ? lines - l.lines_per_bank : 0;
  l.row_capacity = trf.line_bytes * (trf.bank_columns * l.lines_per_bank);
  l.row_base = trf.line_bytes * (trf.bank_columns * l.first_line);
  return l;
}

namespace detail {

/// True if `declared` has zero padding where `real`, its equivalent, has padding of another kind.
constexpr bool promises_more(const Mapping& declared, const Mapping& real) {
  if (declared.digits == real.digits && declared.tails == real.tails) {  // then they differ in kinds only
    bool more = false;
    for (int k = 0; k < real.digits; ++k) more |= declared.digit[k].pad == Pad::zero && real.digit[k].pad != Pad::zero;
    for (int t = 0; t < real.tails; ++t) more |= declared.tail[t].pad == Pad::zero && real.tail[t].pad != Pad::zero;
    return more;
  }
  PaddingRuns const promised = padding_runs(declared, Pad::zero, Pad::zero);
  for (int i = 0; i < promised.count; ++i)
    if (!has_zeros_at(real, declared, promised.run[i])) return true;
  return promised.more;
}

}  // namespace detail

/// A TRF tensor. Kinds of padding are as declared: a memory's type says what may be relied on.
struct TrfStored {
  Mapping row{}, element{};
  Bytes row_bytes{};  // of one Row
};

/// Law: [Row, Element] is [Time, Packet], and Row is in Time.
constexpr Expected<TrfStored> check_to_trf(const Device& device, ScalarType type, const Mapping& time, const Mapping& packet,
                                           const Mapping& row, const Mapping& element, TrfAddress where, Where at = {}) {
  for (const Mapping* m : {&time, &packet, &row, &element})
    if (!m->ok()) return refusal_of(*m, at);
  if (auto v = check_operand_type(type, at); !v) return v.refusal();
  if (auto v = check_trf(device, type, row, element, where, at); !v) return v.refusal();
  Mapping const all = pair(time, packet);
  if (!all.ok()) return refusal_of(all, at);
  Halves const h = time.size % row.size == 0 ? split_at(all, all.size / row.size) : Halves{};
  if (time.size % row.size != 0 || !h.outer.ok() || !equivalent(row, h.outer))
    return refuse("trf-row-not-outermost", at)
        .what("Row ", row, " is not the outermost part of Time ", time)
        .why("the stream fills one Row after the other")
        .help("fetch with Row as the outermost factor of Time");
  if (!equivalent(element, h.inner))
    return refuse("trf-element-wrong", at)
        .what("Element ", element, " is not what Row ", row, " leaves of Time ", time, ", Packet ", packet)
        .why("flits are stored as they come")
        .help("write Element = ", h.inner);
  if (detail::promises_more(row, h.outer) || detail::promises_more(element, h.inner))
    return refuse("trf-padding-not-zero", at)
        .what("Row ", row, ", Element ", element, " promise zeros that Time ", time, ", Packet ", packet, " do not bring")
        .why("contractions rely on the zeros of a TRF tensor's type")
        .help("pad with zeros in the fetch, or declare # instead of #z");
  auto const bytes = element_bytes(type, element, at);
  if (!bytes) return bytes.refusal();
  return TrfStored{row, element, *bytes};
}

/// A VRF tensor at an address.
struct VrfStored {
  Mapping element{};
  Interval extent{};
};

/// The VRF holds 32-bit operands only.
constexpr Verdict check_vrf_type(ScalarType type, Where at = {}) {
  if (type == ScalarType::i32 || type == ScalarType::f32) return accept();
  return refuse("vrf-type", at)
      .what("the VRF holds operands of the Vector Engine, i32 or f32, not ", type)
      .why("the Vector Engine computes with 32-bit numbers only")
      .help("fetch into ", is_integer(type) ? "i32" : "f32");
}

/// Law: Element is [Time, Packet].
constexpr Expected<VrfStored> check_to_vrf(const Device& device, ScalarType type, const Mapping& time, const Mapping& packet,
                                           const Mapping& element, Bytes address, Where at = {}) {
  for (const Mapping* m : {&time, &packet, &element})
    if (!m->ok()) return refusal_of(*m, at);
  if (auto v = check_vrf_type(type, at); !v) return v.refusal();
  if (auto v = check_vrf(device, type, element, address, at); !v) return v.refusal();
  Mapping const all = pair(time, packet);
  if (!all.ok()) return refusal_of(all, at);
  if (!equivalent(element, all))
    return refuse("vrf-element-wrong", at)
        .what("Element ", element, " is not Time ", time, " and Packet ", packet)
        .why("the VRF takes a stream as it comes")
        .help("write Element = ", all);
  if (detail::promises_more(element, all))
    return refuse("vrf-padding-not-zero", at)
        .what("Element ", element, " promises zeros that Time ", time, ", Packet ", packet, " do not bring")
        .why("a later pass may rely on the zeros of a VRF tensor's type")
        .help("pad with zeros in the fetch, or declare # instead of #z");
  auto const extent = extent_at(type, element, address, at);
  if (!extent) return extent.refusal();
  return VrfStored{element, *extent};
}

}  // namespace tcp
