// The fold of two elements, and of what a unit brings to one result.
#include "exec/reference/folding.hpp"

#include <algorithm>
#include <iterator>

#include "tcp/scalar/arithmetic.hpp"
#include "tcp/scalar/fixed_point.hpp"

namespace tcp::reference {
namespace {

/// An f32 element that is folded with nothing is an operand all the same, and canonical afterwards.
Element alone(ScalarType type, Element e, NumericModel model) {
  if (type == ScalarType::f32) e.bits = canonical_result(canonical_operand(f32::from_bits(e.bits), model), model).bits;
  return e;
}

}  // namespace

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

std::vector<Value::Axis> kept_axes(const Levels& in, const Levels& out) {
  std::vector<Value::Axis> axes = axes_of(out);
  std::erase_if(axes, [&in](const Value::Axis& axis) {
    return std::none_of(std::begin(in.at), std::end(in.at), [&axis](const Mapping& m) { return find_axis(m, axis.name) >= 0; });
  });
  return axes;
}

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

void Folding::take(const Index& to, const Element& e) {
  Element& sum = result.at(to);
  std::int64_t& begun = begun_by_[static_cast<std::size_t>(&sum - &result[0])];
  sum = begun == unit_ ? fold(op_, result.type, sum, e, model_) : alone(result.type, e, model_);
  begun = unit_;
}

}  // namespace tcp::reference
