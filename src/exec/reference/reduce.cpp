// Folds the elements of a slice over Time and Packet, or those of several slices, in the order that the numeric model
// fixes.
#include "tcp/exec/reference/reduce.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "spots.hpp"
#include "tcp/scalar/arithmetic.hpp"
#include "tcp/scalar/fixed_point.hpp"

namespace tcp::reference {
namespace {

Element fold(ReduceOp op, ScalarType type, const Element& a, const Element& b, NumericModel model) {
  Origin const undefined = a.undefined != 0 ? a.undefined : b.undefined;
  if (type == ScalarType::f32) {
    f32 const x = f32::from_bits(a.bits), y = f32::from_bits(b.bits);
    switch (op) {
      case ReduceOp::Max: return {arithmetic::max(x, y, model).bits, undefined};
      case ReduceOp::Min: return {arithmetic::min(x, y, model).bits, undefined};
      case ReduceOp::Mul: return {arithmetic::mul(x, y, model).bits, undefined};
      default: return {arithmetic::add(x, y, model).bits, undefined};
    }
  }
  i32 const x = i32::from_bits(a.bits), y = i32::from_bits(b.bits);
  switch (op) {
    case ReduceOp::Max: return {arithmetic::max(x, y).bits, undefined};
    case ReduceOp::Min: return {arithmetic::min(x, y).bits, undefined};
    case ReduceOp::AddSat: return {arithmetic::add_fxp_sat(x, y).bits, undefined};
    default: return {arithmetic::add_fxp(x, y).bits, undefined};
  }
}
std::optional<Element> fold(ReduceOp op, ScalarType type, const std::optional<Element>& a, const std::optional<Element>& b,
                            NumericModel model) {
  return a && b ? fold(op, type, *a, *b, model) : a ? a : b;
}

/// An f32 element that is folded with nothing is an operand all the same, and canonical afterwards.
Element alone(ScalarType type, Element e, NumericModel model) {
  if (type == ScalarType::f32) e.bits = canonical_result(canonical_operand(f32::from_bits(e.bits), model), model).bits;
  return e;
}

/// The axes of the result. Along a new one (a broadcast over slices) all elements are the same, so the result lacks it.
std::vector<Value::Axis> kept_axes(const Levels& in, const Levels& out) {
  std::vector<Value::Axis> axes = axes_of(out);
  std::erase_if(axes, [&in](const Value::Axis& axis) {
    return std::none_of(std::begin(in.at), std::end(in.at), [&axis](const Mapping& m) { return find_axis(m, axis.name) >= 0; });
  });
  return axes;
}

/// The positions without those that repeat others: a bare number in a mapping is copies, and a copy is not folded with
/// its original.
std::vector<Spot> without_copies(std::vector<Spot> all, const Mapping& m) {
  Footprints const foot = footprints(m);
  for (Spot& spot : all)
    for (int k = 0; k < m.digits; ++k)
      if (m.digit[k].axis == no_axis && m.digit[k].size > 1 && spot.position / foot.inside[k] % m.digit[k].slot > 0) spot.pad = Pad::top;
  return all;
}
std::vector<Spot> each_once(const Mapping& m) {
  std::vector<Spot> all = without_copies(live_spots(m), m);
  std::erase_if(all, [](const Spot& s) { return s.pad != Pad::none; });
  return all;
}

/// Results that are being folded. Each unit folds for itself; copies of it come to the same.
class Folding {
 public:
  Folding(ScalarType type, std::vector<Value::Axis> axes, ReduceOp op, NumericModel model)
      : result(type, std::move(axes)), begun_by_(static_cast<std::size_t>(result.size()), 0), op_(op), model_(model) {}

  void next_unit() { ++unit_; }
  void take(const Index& to, const Element& e) {
    Element& sum = result.at(to);
    std::int64_t& begun = begun_by_[static_cast<std::size_t>(&sum - &result[0])];
    sum = begun == unit_ ? fold(op_, result.type, sum, e, model_) : alone(result.type, e, model_);
    begun = unit_;
  }

  Value result;

 private:
  std::vector<std::int64_t> begun_by_;
  std::int64_t unit_ = 0;
  ReduceOp op_;
  NumericModel model_;
};

}  // namespace

Value intra_slice_reduce(const Value& stream, Name axis, ReduceOp op, const Levels& in, const Levels& out, NumericModel model) {
  Folding folding(stream.type, kept_axes(in, out), op, model);
  Extents const extents(in);
  std::vector<Spot> const time = each_once(in[Level::time]), packet = without_copies(spots(in[Level::packet]), in[Level::packet]);
  int const in_packet = find_axis(in[Level::packet], axis);
  bool const tree = in_packet >= 0 && coarsest_digit(in[Level::packet], in_packet) >= 0;
  for (const Spot& chip : live_spots(in[Level::chip]))
    for (const Spot& cluster : live_spots(in[Level::cluster]))
      for (const Spot& slice : live_spots(in[Level::slice])) {
        folding.next_unit();
        Index here;
        for (const Spot* s : {&chip, &cluster, &slice}) add(here, s->sums);
        for (const Spot& step : time) {
          std::array<std::optional<Element>, 4> lane;
          std::array<Index, 4> to;
          for (std::size_t p = 0; p < packet.size() && p < 4; ++p) {
            Index from = here;
            add(from, step.sums);
            add(from, packet[p].sums);
            if (packet[p].pad != Pad::none || !extents.hold(from)) continue;
            lane[p] = stream.at(from);
            to[p] = from;
            to[p].add(axis, -(step.sums.get(axis) + packet[p].sums.get(axis)));
          }
          if (tree) {
            auto const all = fold(op, stream.type, fold(op, stream.type, lane[0], lane[1], model),
                                  fold(op, stream.type, lane[2], lane[3], model), model);
            for (std::size_t p = 0; p < 4; ++p)
              if (lane[p]) {
                folding.take(to[p], *all);
                break;
              }
          } else {
            for (std::size_t p = 0; p < 4; ++p)
              if (lane[p]) folding.take(to[p], *lane[p]);
          }
        }
      }
  return folding.result;
}

Value inter_slice_reduce(const Value& stream, const Mapping& reduced, ReduceOp op, const Levels& in, const Levels& out,
                         NumericModel model) {
  Folding folding(stream.type, kept_axes(in, out), op, model);
  Extents const extents(in);
  std::vector<Spot> const time = each_once(in[Level::time]), packet = each_once(in[Level::packet]), slices = live_spots(in[Level::slice]);
  std::vector<Spot> const folded = spots(reduced);
  // Groups that are copies of one another must not be added together, so each group is a unit of its own.
  for (const Spot& chip : live_spots(in[Level::chip]))
    for (const Spot& cluster : live_spots(in[Level::cluster])) {
      std::int64_t group = -1;
      for (const Spot& slice : slices) {
        if (slice.position / reduced.size != group) folding.next_unit();
        group = slice.position / reduced.size;
        const Index& gone = folded[static_cast<std::size_t>(slice.position % reduced.size)].sums;
        Index here;
        for (const Spot* s : {&chip, &cluster, &slice}) add(here, s->sums);
        for (const Spot& step : time)
          for (const Spot& lane : packet) {
            Index from = here;
            add(from, step.sums);
            add(from, lane.sums);
            if (!extents.hold(from)) continue;
            Index to = from;
            for (int a = 0; a < gone.n; ++a) to.add(gone.axis[a], -gone.at[a]);
            folding.take(to, stream.at(from));
          }
      }
    }
  return folding.result;
}

}  // namespace tcp::reference
