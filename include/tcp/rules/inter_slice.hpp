// What the inter-slice block accepts: it folds the innermost factors of Slice, over the ring of a cluster, and the
// places that become free are filled.
//
//     Slice = [A, R], Time = [C]      ->      dummy:      Slice = [A, 1 # n], Time = [C]      the result stays in the first slice of each group
//                                             broadcast:  Slice = [A, X],     Time = [C]      every slice of the group gets it; X is a new axis
//                                             promotion:  Slice = [A, C],     Time = [1]      slice c gets the result of time step c
//
// The three can be mixed. Chip, Cluster and Packet stay as they are. Slices that hold no element take no part.
#pragma once

#include "tcp/mapping/steps.hpp"
#include "tcp/rules/reduce.hpp"

namespace tcp {

using InterSliceReduceOp = ReduceOp;

/// The operations as kernels name them.
enum class InterSliceReduceOpI32 : std::uint8_t { Add, AddSat, Max, Min };
enum class InterSliceReduceOpF32 : std::uint8_t { Add, Max, Min, Mul };

constexpr ReduceOp common(InterSliceReduceOpI32 op) {
  constexpr ReduceOp ops[] = {ReduceOp::Add, ReduceOp::AddSat, ReduceOp::Max, ReduceOp::Min};
  return ops[static_cast<int>(op)];
}
constexpr ReduceOp common(InterSliceReduceOpF32 op) {
  constexpr ReduceOp ops[] = {ReduceOp::Add, ReduceOp::Max, ReduceOp::Min, ReduceOp::Mul};
  return ops[static_cast<int>(op)];
}

constexpr bool has_inter_slice_op(ScalarType type, ReduceOp op) {
  if (type == ScalarType::i32) return op != ReduceOp::Mul;
  return type == ScalarType::f32 && op != ReduceOp::AddSat;
}

/// The operation for a stream of this type. Refused: the operation of the other type.
constexpr Expected<ReduceOp> inter_slice_op(ScalarType stream, InterSliceReduceOpI32 op, Where at = {}) {
  if (stream == ScalarType::i32) return common(op);
  return refuse("inter-slice-op-of-other-type", at)
      .what("InterSliceReduceOpI32::", common(op), " works on i32; the stream is ", stream)
      .why("the two types have operations of their own")
      .help("use InterSliceReduceOpF32::", op == InterSliceReduceOpI32::AddSat ? ReduceOp::Add : common(op));
}
constexpr Expected<ReduceOp> inter_slice_op(ScalarType stream, InterSliceReduceOpF32 op, Where at = {}) {
  if (stream == ScalarType::f32) return common(op);
  Refusal r = refuse("inter-slice-op-of-other-type", at);
  r.why("the two types have operations of their own");
  r.what("InterSliceReduceOpF32::", common(op), " works on f32; the stream is ", stream);
  if (op == InterSliceReduceOpF32::Mul) return r.help("convert to f32 first: i32 has no Mul");
  return r.help("use InterSliceReduceOpI32::", common(op));
}

struct InterSliceResult {
  Mapping slice{}, time{}, packet{};
  Mapping reduced{};           // the factors of Slice that are folded
  std::int64_t group = 1;      // slices that are folded into one result
  std::int64_t broadcast = 1;  // slices of a group that get the same result
  std::int64_t promoted = 1;   // steps of Time that went to Slice
};

namespace detail::ring {

/// The part of a mapping outside a cut. A start belongs to the digits of its axis: it goes inside if they all do.
constexpr Mapping outside_of(const Mapping& m, const Halves& h) {
  Mapping out = h.outer;
  for (int a = 0; a < out.axes; ++a) {
    Name const name = out.axis[a].name;
    if (coarsest_digit(out, a) < 0 && fold::digits_of_axis(m, name).count > 0) out.axis[a].start = 0;
  }
  return out.ok() ? normalise(out) : out;
}

/// The innermost border up to which two mappings agree from the outside: positions inside of it, 0 if there is none but
/// their ends.
constexpr std::int64_t border(const Mapping& a, const Mapping& b) {
  std::int64_t best = a.size;
  for (const Mapping* m : {&a, &b}) {
    Footprints const foot = footprints(*m);
    for (int k = 0; k < 2 * m->digits; ++k) {
      std::int64_t const n = foot.inside[k / 2] * (k % 2 == 0 ? 1 : m->digit[k / 2].size);
      if (n >= best || a.size % n != 0) continue;
      Halves const x = split_at(a, n), y = split_at(b, n);
      if (x.outer.ok() && y.outer.ok() && equivalent(outside_of(a, x), outside_of(b, y))) best = n;
    }
  }
  return best;
}

/// Takes steps of an axis out of Time, with the padding after them if they are the last. `taken` is what they were;
/// false if Time does not have them.
constexpr bool take_steps(Mapping& time, Name axis, Steps wanted, Mapping& taken) {
  int const a = find_axis(time, axis);
  for (int k = 0; k < time.digits && a >= 0; ++k) {
    Digit const& d = time.digit[k];
    if (d.axis != a || d.in_window() || wanted.stride < d.stride || wanted.stride % d.stride != 0 || wanted.stride / d.stride >= d.size)
      continue;
    std::int64_t const skip = wanted.stride / d.stride;
    bool const last = skip * wanted.size >= d.size;
    std::int64_t const inside = footprints(time).inside[k] * skip, slot = last ? d.slot / skip : wanted.size;
    Halves const inner = split_at(time, inside);
    Halves const outer = split_at(inner.outer, slot);
    if (!inner.inner.ok() || !outer.outer.ok() || time.axis[a].start != 0) return false;
    taken = outer.inner;
    time = pair(outer.outer, inner.inner);
    return time.ok();
  }
  return false;
}

}  // namespace detail::ring

/// Refused: a type without this operation, a Slice of another size, factors that are not the innermost, places filled
/// with what is neither a dummy, a new axis nor a factor of Time, and a Time declared wrongly. `stream` has Chip,
/// Cluster, Slice, Time and Packet. Gives what comes out.
///
/// Law: the element of the result at a place is the fold of the elements of all slices of its group, at the time step
/// that the promoted factors name.
constexpr Expected<InterSliceResult> check_inter_slice_reduce(const Device&, ScalarType type, ReduceOp op, const Levels& stream,
                                                              const Mapping& slice2, const Mapping& time2, Where at = {}) {
  Mapping const& slice = stream[Level::slice];
  Mapping const& time = stream[Level::time];
  for (Mapping const* m : {&slice, &time, &slice2, &time2})
    if (!m->ok()) return refusal_of(*m, at);
  if (auto v = detail::fold::check_reduce_type(refuse("inter-slice-type", at), type); !v) return v.refusal();
  if (!has_inter_slice_op(type, op))
    return refuse("inter-slice-no-such-op", at)
        .what("the inter-slice reduce has no ", op, " of ", type)
        .why("the ring has these operations only")
        .help(type == ScalarType::i32 ? "use Add, AddSat, Max or Min" : "use Add, Max, Min or Mul");
  if (slice2.size != slice.size)
    return refuse("inter-slice-size", at)
        .what("Slice ", slice2, " has ", slice2.size, " positions, Slice ", slice, " before the reduce ", slice.size)
        .why("the slices stay; only what they hold changes")
        .help("fill the places of the reduced factors: 1 # n, a new axis, or a factor of Time");
  if (equivalent(slice, slice2))
    return refuse("inter-slice-nothing-reduced", at)
        .what("Slice ", slice2, " is the same as before, so nothing would be reduced")
        .why("the ring adds up what is in the innermost factors of Slice")
        .help("leave the inter-slice reduce out, or fill the places of the reduced factor: 1 # n");

  InterSliceResult r;
  r.group = detail::ring::border(slice, slice2);
  Halves const before = split_at(slice, r.group), after = split_at(slice2, r.group);
  Mapping const kept = detail::ring::outside_of(slice, before);
  r.reduced = before.inner;
  Mapping const& fill = after.inner;
  for (int k = 0; k < r.reduced.digits; ++k)
    if (r.reduced.digit[k].axis == no_axis && r.reduced.digit[k].size > 1)
      return refuse("inter-slice-reduces-copies", at)
          .what("the reduce over ", r.reduced, " in Slice ", slice, " would fold ", r.reduced.digit[k].size, " copies of the same elements")
          .why("a number is no axis: its positions hold one and the same element")
          .help("give the copies an axis of their own if they are to be folded");

  for (int a = 0; a < slice.axes; ++a) {
    Name const axis = slice.axis[a].name;
    if (slice.axis[a].start == 0 || detail::fold::digits_of_axis(r.reduced, axis).count == 0) continue;
    for (Level l : {Level::chip, Level::cluster, Level::time, Level::packet})
      if (detail::fold::digits_of_axis(stream[l], axis).count > 0)
        return refuse("inter-slice-axis-start", at)
            .what("axis ", axis, " starts at ", slice.axis[a].start, " in Slice, where it is folded, and ", name_of(l), " ", stream[l],
                  " counts it too")
            .why("with the start gone, places that hold no element could not be told from those that do")
            .help("put the start into ", name_of(l), ", or reduce a tile of the tensor");
  }

  r.packet = stream[Level::packet];
  r.time = time;
  Mapping filled;
  bool plain = r.reduced.ok() && fill.ok() && fill.tails == 0;
  for (int k = 0; k < fill.digits; ++k) plain &= !fill.digit[k].in_window() && fill.digit[k].skewed_by == no_axis;
  for (int k = 0; k < fill.digits && plain; ++k) {
    Digit const& d = fill.digit[k];
    if (d.axis == no_axis) {
      filled = pair(filled, pad_to(copies(d.size), d.slot, Pad::top));
      r.broadcast *= d.size;
      continue;
    }
    Name const axis = fill.axis[d.axis].name;
    if (detail::fold::digits_of_axis(slice, axis).count > 0)
      return refuse("inter-slice-outer-changed", at)
          .what("Slice ", slice2, " has ", axis, " at another place than Slice ", slice, " before the reduce")
          .why("the ring folds neighbouring slices, so the factors that stay are the outer ones, and they stay where they are")
          .help("bring the factors to be reduced to the inside of Slice first, by the switch");
    bool known = false;
    for (Level l : {Level::chip, Level::cluster, Level::packet}) known |= detail::fold::digits_of_axis(stream[l], axis).count > 0;
    if (detail::fold::digits_of_axis(time, axis).count > 0) {
      // A factor of Slice may be several of Time, taken one by one from the inside; more padding than Time has is
      // dummies.
      Mapping promoted;
      Steps left{d.stride, d.size};
      while (plain && left.size > 1) {
        Found const f = find_steps(r.time, axis, left);
        std::int64_t const take = f.digit < 0 || f.have >= left.size ? left.size : f.have;
        Mapping part;
        plain = left.size % take == 0 && detail::ring::take_steps(r.time, axis, {left.stride, take}, part);
        promoted = pair(part, promoted);
        left = {left.stride * take, left.size / take};
      }
      r.promoted *= promoted.size;
      promoted = pad_to(promoted, d.slot, Pad::top);
      filled = pair(filled, promoted);
    } else if (!known) {
      Mapping fresh = detail::part(fill, k, k + 1);
      fresh.size = d.slot;
      filled = pair(filled, without_kinds(detail::normalise(fresh)));
      r.broadcast *= d.size;
    } else {
      plain = false;
    }
  }
  r.slice = pair(kept, filled);
  if (!plain || !equivalent(r.slice, slice2))
    return refuse("inter-slice-wrong-fill", at)
        .what("the places of ", r.reduced, " in Slice ", slice, " cannot be filled with ", fill)
        .why("they hold the result once (1 # n), in every slice (a new axis), or one time step each (a whole factor of Time)")
        .help("write ", pair(kept, pad_to(Mapping{}, r.group, Pad::top)), " to keep the result in the first slice of each group");
  if (!equivalent(time2, r.time))
    return refuse("inter-slice-wrong-time", at)
        .what("Time ", time2, " is not what is left of Time ", time, " when Slice becomes ", slice2)
        .why("factors that go to Slice leave Time; the others keep their order")
        .help("write Time = ", r.time);
  return r;
}

}  // namespace tcp
