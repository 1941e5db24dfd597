// What the reference interpreter computes with: whole tensors.
//
// Between two stages that only move data nothing happens to a tensor: the stages hold the same elements in other
// places. So the interpreter keeps a tensor as what it is, a function of named coordinates, and asks mappings only two
// things: which elements they hold, and, where an order matters (sums, packets, filters), in which order they bring
// them.
//
// An element is its bits in the tensor's type, and a note that says whether it is defined. An axis that a value does
// not have is one along which all elements are the same.
#pragma once

#include <cstdint>
#include <vector>

#include "tcp/mapping/levels.hpp"
#include "tcp/scalar/format.hpp"

namespace tcp::reference {

/// Where an undefined element comes from: 0 means defined, else 1 + the number of the note in the run's log.
using Origin = std::uint32_t;

struct Element {
  std::uint32_t bits = 0;
  Origin undefined = 0;
};

class Value {
 public:
  struct Axis {
    Name name{};
    std::int64_t size = 1;  // coordinates 0 … size − 1

    bool operator==(const Axis&) const = default;
  };

  Value() = default;
  Value(ScalarType element_type, std::vector<Axis> all_axes);

  ScalarType type = ScalarType::i32;
  const std::vector<Axis>& axes() const { return axes_; }
  std::int64_t size() const { return static_cast<std::int64_t>(elements_.size()); }

  /// The element at an index; coordinates of axes that the value does not have are left out of account.
  const Element& at(const Index& index) const { return elements_[offset(index)]; }
  Element& at(const Index& index) { return elements_[offset(index)]; }
  bool holds(const Index& index) const;

  const Element& operator[](std::int64_t i) const { return elements_[static_cast<std::size_t>(i)]; }
  Element& operator[](std::int64_t i) { return elements_[static_cast<std::size_t>(i)]; }
  /// The index of the i-th element, last axis fastest.
  Index index_of(std::int64_t i) const;

  /// Marks every element undefined, from one origin.
  void undefine(Origin origin);

 private:
  std::size_t offset(const Index& index) const;

  std::vector<Axis> axes_;
  std::vector<Element> elements_;
};

/// The axes that mappings count, each as far as its live coordinates go.
std::vector<Value::Axis> axes_of(const Levels& levels);

/// The coordinates of one axis that the levels hold live.
std::vector<bool> live_coordinates(const Levels& levels, Name axis);

/// What `levels` hold of a tensor: the same elements, as far as they are among its live coordinates. An axis that the
/// value lacks is not added.
Value restrict_to(const Levels& levels, const Value& value);

/// The tensor with every axis that the levels count: elements along an axis that it lacked are copies. For elements
/// that are to change one by one.
Value spread_over(const Levels& levels, const Value& value);

/// A value that is in `held`, seen by `shown`, which may count steps of an axis that `held` does not: Slice[N / 128],
/// and N % 128 in Time. Every such step finds again what is there, the element of the steps that `held` counts.
Value repeated(const Levels& held, const Levels& shown, const Value& value);

/// The values that lie at every position of one flat memory or packet, in order: live elements by their index, padding
/// by its kind.
struct Position {
  CellKind kind = CellKind::padding;
  Pad pad = Pad::none;
  Index index{};
};
std::vector<Position> positions(const Mapping& m);

}  // namespace tcp::reference
