// What the vector interpreter computes with: tensors as strided views of shared storage.
//
// Stages that only move data hold the same tensor under other mappings, so to the interpreter nothing happens: the
// tensor is a function of named coordinates, and a view of it says how far one step along each axis goes in memory. A
// tile is an offset, a window two axes over the same bytes, a broadcast an axis of stride 0 or none at all: an axis
// that a tensor lacks is one along which all elements are the same.
//
// An element takes one, two or four bytes here; 4-bit types take one. Undefined elements are rare, so they are kept
// aside: a second plane of one 32-bit word an element that says where it comes from, 0 for defined. A tensor that is
// defined everywhere, as nearly all are, has no such plane and pays nothing for it.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "tcp/mapping/levels.hpp"
#include "tcp/mapping/steps.hpp"
#include "tcp/scalar/format.hpp"
#include "tcp/support/image.hpp"

// Bytes that tensors share. A tensor is a view of a storage, so a move costs nothing; who writes into a storage that
// others see takes a copy first.

namespace tcp::vector {

class Storage {
 public:
  /// A storage of so many bytes, not initialised.
  static std::shared_ptr<Storage> make(std::int64_t bytes);
  /// A storage of shared bytes, which are only read.
  static std::shared_ptr<Storage> of(std::shared_ptr<const Image> bytes);
  /// Bytes that can be handed out as they are: what `held_image` asks for at the end.
  static std::shared_ptr<Storage> of(Image own);

  const std::byte* data() const { return theirs_ ? theirs_->data() : own_.data(); }
  /// Needs: writable().
  std::byte* writable_data() { return own_.data(); }
  bool writable() const { return !theirs_; }
  std::int64_t size() const { return static_cast<std::int64_t>(theirs_ ? theirs_->size() : own_.size()); }
  /// The bytes that were made to be handed out, which leaves the storage empty; null for others.
  Image* held_image() { return is_image_ ? &own_ : nullptr; }
  /// The bytes if another owns them; null for others.
  const std::shared_ptr<const Image>& argument() const { return theirs_; }

 private:
  Storage() = default;

  Image own_;
  std::shared_ptr<const Image> theirs_;
  bool is_image_ = false;
};

/// Where an undefined element comes from: 0 means defined, else 1 + the number of the note in the run's log.
using Origin = std::uint32_t;

struct AxisSize {
  Name name{};
  std::int64_t size = 1;  // coordinates 0 … size − 1
};

struct Axis {
  Name name{};
  std::int64_t size = 1;
  std::int64_t stride = 0;         // elements
  std::int64_t origin_stride = 0;  // of the plane of origins
};

/// Bytes that an element takes in a storage. i9 has no place in memory, but in ours.
constexpr int width_of(ScalarType type) {
  if (type == ScalarType::i9) return 2;
  return scalar_info(type).packet_bits <= 8 ? 1 : scalar_info(type).packet_bits / 8;
}

struct Tensor {
  ScalarType type = ScalarType::i32;
  std::vector<Axis> axes;
  std::int64_t offset = 0;  // elements
  std::shared_ptr<Storage> storage;
  std::int64_t origin_offset = 0;
  std::shared_ptr<Storage> origins;  // null: defined everywhere

  int width() const { return width_of(type); }
  std::int64_t size() const;
  const Axis* find(Name name) const;
  bool has_undefined() const { return origins != nullptr; }

  const std::byte* data() const { return storage->data() + offset * width(); }
  std::byte* writable_data() const { return storage->writable_data() + offset * width(); }
  const Origin* origin_data() const { return reinterpret_cast<const Origin*>(origins->data()) + origin_offset; }
  Origin* writable_origins() const { return reinterpret_cast<Origin*>(origins->writable_data()) + origin_offset; }
};

/// One element's bits, and those of one to be written.
inline std::uint32_t load_bits(const std::byte* at, int width) {
  if (width == 4) {
    std::uint32_t word;
    std::memcpy(&word, at, 4);
    return word;
  }
  if (width == 2) {
    std::uint16_t half;
    std::memcpy(&half, at, 2);
    return half;
  }
  return std::to_integer<std::uint32_t>(*at);
}
inline void store_bits(std::byte* at, int width, std::uint32_t bits) {
  if (width == 4) {
    std::memcpy(at, &bits, 4);
  } else if (width == 2) {
    auto const half = static_cast<std::uint16_t>(bits);
    std::memcpy(at, &half, 2);
  } else {
    *at = static_cast<std::byte>(bits);
  }
}

/// The axes that mappings count, each as far as its live coordinates go.
std::vector<AxisSize> axes_of(const Levels& levels);

/// The coordinates of one axis that the levels hold live, as runs of neighbours in ascending order.
struct Stretch {
  std::int64_t begin = 0, size = 0;
};
std::vector<Stretch> live_runs(const Levels& levels, Name axis);

/// A fresh tensor with these axes, the last innermost; its contents are not set.
Tensor fresh(ScalarType type, const std::vector<AxisSize>& axes);
/// A tensor all of whose elements are the same.
Tensor uniform(ScalarType type, const std::vector<AxisSize>& axes, std::uint32_t bits, Origin origin = 0);

/// What `axes` hold of a tensor. Those that it lacks are not added; of those that `axes` lack there is coordinate 0.
Tensor restricted(const Tensor& t, const std::vector<AxisSize>& axes);
/// The tensor with all these axes; along new ones all elements are the same.
Tensor spread(Tensor t, const std::vector<AxisSize>& axes);
/// A tensor that lies in `held`, seen by `shown`, which may count steps of an axis that `held` does not: Slice[N /
/// 128], and N % 128 in Time. Every such step finds again what lies there, the element of the steps that `held` counts.
/// Nothing is copied if there are none.
Tensor repeated(const Tensor& t, const Levels& held, const Levels& shown);
/// Coordinates begin … begin + size − 1 of one axis, counted from 0. A tensor without the axis stays as it is.
Tensor cut(Tensor t, Name axis, std::int64_t begin, std::int64_t size);
/// One coordinate of an axis, which goes.
Tensor fixed_at(Tensor t, Name axis, std::int64_t coordinate);

/// The tensor without the axes along which all its elements are the same.
Tensor without_repeats(Tensor t);
/// The tensor without a plane of origins, if that says "defined" everywhere in it.
Tensor without_idle_origins(Tensor t);
/// A copy of its own, every element at a place of its own: to be written in part.
Tensor own_copy(const Tensor& t);
/// Gives a tensor that is all its own a plane of origins, if it has none.
void track(Tensor& t);

/// to[x] = from[x] at every coordinate of `to`, along whose axes `from` is as long or lacking. Origins follow.
void copy_into(Tensor& to, const Tensor& from);
/// Copies the elements at some coordinates only: `at` has runs for each axis of `to`, in its order.
void copy_into(Tensor& to, const Tensor& from, const std::vector<std::vector<Stretch>>& at);

}  // namespace tcp::vector
