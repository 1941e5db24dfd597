// What the two reduces of the Vector Engine share: the fold of two elements, and results that are being folded.
#pragma once

#include <optional>
#include <vector>

#include "exec/reference/spots.hpp"
#include "tcp/rules/reduce.hpp"
#include "tcp/scalar/numeric_model.hpp"

namespace tcp::reference {

Element fold(ReduceOp op, ScalarType type, const Element& a, const Element& b, NumericModel model);
/// An element that does not exist is skipped.
std::optional<Element> fold(ReduceOp op, ScalarType type, const std::optional<Element>& a, const std::optional<Element>& b,
                            NumericModel model);

/// The axes of the result. Along a new one (a broadcast over slices) all elements are the same, so the result lacks it.
std::vector<Value::Axis> kept_axes(const Levels& in, const Levels& out);

/// The positions without those that repeat others: a bare number in a mapping is copies, and a copy is not folded with
/// its original.
std::vector<Spot> without_copies(std::vector<Spot> all, const Mapping& m);
/// The live positions of a level without copies.
std::vector<Spot> each_once(const Mapping& m);

/// Results that are being folded. Each unit folds for itself; copies of it come to the same.
class Folding {
 public:
  Folding(ScalarType type, std::vector<Value::Axis> axes, ReduceOp op, NumericModel model)
      : result(type, std::move(axes)), begun_by_(static_cast<std::size_t>(result.size()), 0), op_(op), model_(model) {}

  void next_unit() { ++unit_; }
  void take(const Index& to, const Element& e);

  Value result;

 private:
  std::vector<std::int64_t> begun_by_;
  std::int64_t unit_ = 0;
  ReduceOp op_;
  NumericModel model_;
};

}  // namespace tcp::reference
