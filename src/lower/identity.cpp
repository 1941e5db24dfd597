// Identity values in the place of padding that the Valid Count Generator cannot count.
//
// Needs: a reduce with nothing but fetch, collect and narrowing in front of it. Leaves: the fetch with a mask that puts
// the identity wherever the reduce meets nothing; zeros that the stream holds there anyway are good for a sum of
// integers. Every place is looked at before this is believed. Refuses: padding that the masking registers do not reach,
// and an identity that no stored value becomes.
#include "lower/counting.hpp"
#include "tcp/rules/collect.hpp"
#include "tcp/scalar/cast.hpp"

namespace tcp::lower {

namespace {

/// What is reduced at a stage: which axes, and the value that changes nothing.
struct Reduced {
  std::vector<Name> axes;
  std::uint32_t identity = 0;
};
Reduced reduced_at(const TensorUnitPass& p, std::size_t i) {
  Reduced r;
  if (const auto* intra = std::get_if<ir::IntraSliceReduce>(&p.stage(i).what)) {
    r.axes = {intra->axis};
    r.identity = identity_bits(p.type_in(i), intra->op);
    return r;
  }
  const Mapping& folded = p.found(i).as<InterSliceResult>().reduced;
  for (int a = 0; a < folded.axes; ++a) r.axes.push_back(folded.axis[a].name);
  r.identity = identity_bits(p.type_in(i), std::get<ir::InterSliceReduce>(p.stage(i).what).op);
  return r;
}

bool is_of(const Mapping& m, const Digit& d, const std::vector<Name>& axes) {
  if (d.axis == no_axis) return false;
  for (Name axis : axes)
    if (m.axis[d.axis].name == axis) return true;
  return false;
}
/// The mapping with another kind of padding along these axes.
Mapping with_kind(Mapping m, const std::vector<Name>& axes, Pad from, Pad to) {
  for (int k = 0; k < m.digits; ++k)
    if (m.digit[k].pad != Pad::none && (from == Pad::none || m.digit[k].pad == from) && is_of(m, m.digit[k], axes)) m.digit[k].pad = to;
  return detail::normalise(m);
}
bool promises_other_zeros(const Mapping& m, const std::vector<Name>& axes) {
  for (int k = 0; k < m.digits; ++k)
    if (m.digit[k].pad == Pad::zero && !is_of(m, m.digit[k], axes)) return true;
  for (int t = 0; t < m.tails; ++t)
    if (m.tail[t].pad == Pad::zero) return true;
  return false;
}

/// Where a lane at stage i comes from: an element of a packet of the fetch; -1 where collect has added it.
class Origin {
 public:
  Origin(const TensorUnitPass& p, std::size_t i) : p_(p), stage_(i), fetched_(p.out(0, Level::packet).size) {}

  struct Place {
    std::int64_t step = 0, element = 0;
  };
  Place of(std::int64_t step, std::int64_t lane) const {
    for (std::size_t k = stage_; k-- > 1;) {
      const auto& what = p_.stage(k).what;
      if (std::holds_alternative<ir::Collect>(what)) {
        std::int64_t const flits = p_.out(k, Level::time).size / p_.in(k, Level::time).size;
        lane += step % flits * p_.out(k, Level::packet).size;
        step /= flits;
      }
      const auto* o = std::get_if<ir::VectorOperation>(&what);
      if (o != nullptr && o->step.method == VectorMethod::split) {
        lane += step % 2 * p_.out(k, Level::packet).size;
        step /= 2;
      }
    }
    return {step, lane < fetched_ ? lane : -1};
  }

 private:
  const TensorUnitPass& p_;
  std::size_t stage_;
  std::int64_t fetched_;
};

/// Why padding can be neither counted nor filled: the first part is what the author can change.
Refusal not_masked(Refusal not_counted, const char* limit) {
  return not_counted.why("; and identity values cannot stand in for the padding: ", limit);
}

/// The stored value that the adapter turns into these bits.
std::optional<std::uint32_t> stored_as(const TensorUnitPass& p, const Mask& zero, std::uint32_t bits) {
  const ir::Fetch& asked = std::get<ir::Fetch>(p.stage(0).what);
  ScalarType const from = p.type_in(0), to = p.found(0).out.type;
  if (bits == 0) return static_cast<std::uint32_t>(zero.pad_value) & scalar_mask(from);
  if (asked.table != ir::none || !asked.zero_points.empty() || !has_scalar_cast(to, from) || !has_scalar_cast(from, to))
    return std::nullopt;
  std::uint32_t const stored = scalar_cast_bits(to, from, bits, p.module.numeric);
  if (scalar_cast_bits(from, to, stored, p.module.numeric) != bits) return std::nullopt;
  return stored;
}

}  // namespace

bool only_moved(const TensorUnitPass& p, std::size_t i) {
  for (std::size_t k = 0; k < i; ++k) {
    const auto& what = p.stage(k).what;
    const auto* o = std::get_if<ir::VectorOperation>(&what);
    bool const narrows = o != nullptr && (o->step.method == VectorMethod::split || o->step.method == VectorMethod::trim_way4);
    bool const looks_on = info_of(ir::kind_of(what)).changes == 0 && !std::holds_alternative<ir::WriteOperand>(what);
    if (!narrows && !looks_on && !std::holds_alternative<ir::Fetch>(what) && !std::holds_alternative<ir::Collect>(what)) return false;
  }
  return true;
}

Expected<program::Fetch> masked_with_identity(const TensorUnitPass& p, std::size_t i, const Presence& there, const Refusal& not_counted) {
  Reduced const reduced = reduced_at(p, i);
  Origin const origin(p, i);
  Levels const stream = p.out(0);
  std::int64_t const slices = stream[Level::slice].size, clusters = stream[Level::cluster].size;
  const Fetched& original = p.found(0).as<Fetched>();
  auto const is_zero = [&](std::int64_t unit, Origin::Place from) {
    Place const place{.chip = unit / slices / clusters,
                      .cluster = unit / slices % clusters,
                      .slice = unit % slices,
                      .time = from.step,
                      .packet = from.element};
    return from.element < 0 || cell(stream, place).pad == Pad::zero;
  };
  auto const meets = [&](auto good) {
    for (std::int64_t u = 0; u < there.units(); ++u)
      for (std::int64_t t = 0; t < there.steps(); ++t)
        for (std::int64_t lane = 0; lane < there.lanes(); ++lane)
          if (Holds const is = there.at(u, t, lane); is != Holds::whatever && !good(u, origin.of(t, lane), is == Holds::absent))
            return false;
    return true;
  };
  if (reduced.identity == 0 && meets([&](std::int64_t u, Origin::Place from, bool absent) { return !absent || is_zero(u, from); }))
    return fetch_record(p, 0, original);

  Levels const read = p.in(0);
  auto const apart = lifted(read, &stream[Level::chip], &stream[Level::cluster], &stream[Level::slice], p.where(0));
  TCP_BUG_UNLESS(apart.ok(), "the verifier accepted a lift");
  Levels source = apart->at;
  source.set(Level::element, with_kind(source[Level::element], reduced.axes, Pad::zero, Pad::top));
  auto const masked = check_fetch(p.device, ir::fetch_how(p.module, p.pass, std::get<ir::Fetch>(p.stage(0).what)), p.type_in(0), source,
                                  p.found(0).out.type, with_kind(original.stream.time, reduced.axes, Pad::none, Pad::zero),
                                  with_kind(original.stream.packet, reduced.axes, Pad::none, Pad::zero), p.where(0), apart->lifts);
  if (!masked || !masked->mask.on)
    return not_masked(not_counted, "the fetch masks the ends of its innermost loop, alike in all slices, and that does not reach it");
  std::int64_t const packet = stream[Level::packet].size;
  bool const reached = meets([&](std::int64_t, Origin::Place from, bool absent) {
    if (from.element < 0) return !absent || reduced.identity == 0;
    return masked->mask.masks(masked->sequence.loops, from.step * packet + from.element) == absent;
  });
  if (!reached) return not_masked(not_counted, "which elements are missing depends on the slice, or they are added after the fetch");
  auto const pad = stored_as(p, masked->mask, reduced.identity);
  if (!pad) return not_masked(not_counted, "no stored value becomes the identity in the fetch's adapter");
  bool const zeros_too = original.mask.on && (promises_other_zeros(original.stream.time, reduced.axes) ||
                                              promises_other_zeros(original.stream.packet, reduced.axes));
  if (reduced.identity != 0 && zeros_too) return not_masked(not_counted, "the mask makes zeros for another axis");
  Fetched with_identity = *masked;
  with_identity.mask.pad_value = *pad;
  return fetch_record(p, 0, with_identity);
}

}  // namespace tcp::lower
