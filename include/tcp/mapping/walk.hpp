// Every cell of a mapping in order, without a division and without an allocation.
//
//   for (Walk w(m); !w.done(); w.next())
//     if (w.live()) sum += buffer[w.position()] * weight[w.coordinate(0)];     // axis 0 of m.axis
//
//   Walk(m).each([&](const Walk& w) { … });                                    // the same, with the inner loop unrolled for speed
//
// Law: at each position, live() and the coordinates are those of cell(m, position()). Not for windows, whose places
// hold several elements.
#pragma once

#include "tcp/mapping/cell.hpp"
#include "tcp/support/bug.hpp"

namespace tcp {

class Walk {
 public:
  constexpr explicit Walk(const Mapping& m) : size_(m.size) {
    for (int a = 0; a < m.axes; ++a) {
      coordinate_[a] = m.axis[a].start;
      extent_[a] = m.axis[a].extent;
      outside_ += out(a);
    }
    Footprints const foot = footprints(m);
    int t = m.tails - 1;
    for (int k = m.digits - 1; k >= 0; --k) {  // innermost first, as they turn
      Digit const& d = m.digit[k];
      TCP_BUG_UNLESS(!d.in_window() && d.skewed_by == no_axis, "a window or a skewed digit was walked");
      Wheel& w = wheel_[wheels_++];
      w.slot = d.slot;
      w.size = d.size;
      w.stride = d.stride;
      w.axis = d.axis == no_axis ? nowhere : d.axis;
      w.may_leave = d.axis != no_axis && may_leave(m, d.axis);
      for (; t >= 0 && m.tail[t].first == k; --t) wheel_[wheels_++].tail = (m.tail[t].slot - foot.tail_live[t]) * foot.tail_unit[t];
    }
  }

  constexpr bool done() const { return position_ == size_; }
  constexpr std::int64_t position() const { return position_; }
  constexpr bool live() const { return (padded_ | outside_) == 0; }
  /// Along m.axis[axis]; means something only where live().
  constexpr std::int64_t coordinate(int axis) const { return coordinate_[axis]; }

  constexpr void next() {
    ++position_;
    if (tail_left_ > 0) {
      if (--tail_left_ > 0) return;
      --padded_;
      turn(after_tail_);
    } else {
      turn(0);
    }
  }

  /// Calls visit(walk) at every position from here on; the innermost factor, where nearly all steps happen, is walked
  /// in a loop of its own.
  template <class Visit>
  constexpr void each(Visit&& visit) {
    while (!done()) {
      Wheel& w = wheel_[0];
      if (tail_left_ > 0 || wheels_ == 0 || w.at != 0 || w.tail > 0 || w.may_leave) {
        visit(*this);
        next();
        continue;
      }
      std::int64_t& coordinate = coordinate_[w.axis];
      std::int64_t const begin = coordinate, first = position_;
      std::int64_t const stride = w.stride, size = w.size;
      for (std::int64_t i = 0; i < size; ++i) {
        position_ = first + i;
        coordinate = begin + i * stride;
        visit(*this);
      }
      if (w.slot > w.size) {
        ++padded_;
        for (std::int64_t i = w.size; i < w.slot; ++i) {
          position_ = first + i;
          visit(*this);
        }
        --padded_;
      }
      coordinate = begin;
      position_ = first + w.slot;
      turn(1);
    }
  }

 private:
  static constexpr std::int8_t nowhere = Mapping::max_axes;  // where digits without an axis count

  /// Moves wheel k on by one step, and those outside of it as far as it carries.
  constexpr void turn(int k) {
    for (; k < wheels_; ++k) {
      Wheel& w = wheel_[k];
      if (++w.at < w.slot) {
        if (w.at < w.size) move(w, w.stride);
        else if (w.at == w.size) ++padded_;
        return;
      }
      if (w.tail > 0) {  // the group is through; now comes its padding
        w.at = 0;
        tail_left_ = w.tail;
        after_tail_ = k + 1;
        ++padded_;
        return;
      }
      if (w.slot > w.size) --padded_;
      move(w, -w.stride * (w.size - 1));
      w.at = 0;
    }
  }

  struct Wheel {
    std::int64_t at = 0, slot = 0, size = 1, stride = 0;
    std::int64_t tail = 0;  // positions of padding after the wheels before it; 0 in a digit's wheel
    std::int8_t axis = nowhere;
    bool may_leave = false;
  };

  /// Whether some position's coordinate is outside the axis; if none does, it need not be watched.
  static constexpr bool may_leave(const Mapping& m, int axis) {
    std::int64_t furthest = m.axis[axis].start;
    for (int k = 0; k < m.digits; ++k)
      if (m.digit[k].axis == axis) furthest += (m.digit[k].size - 1) * m.digit[k].stride;
    return m.axis[axis].start < 0 || furthest >= m.axis[axis].extent;
  }
  constexpr bool out(int a) const { return static_cast<std::uint64_t>(coordinate_[a]) >= static_cast<std::uint64_t>(extent_[a]); }
  constexpr void move(const Wheel& w, std::int64_t by) {
    if (!w.may_leave) {
      coordinate_[w.axis] += by;
      return;
    }
    outside_ -= out(w.axis);
    coordinate_[w.axis] += by;
    outside_ += out(w.axis);
  }

  Wheel wheel_[Mapping::max_digits + Mapping::max_tails]{};
  int wheels_ = 0;
  int after_tail_ = 0;
  std::int64_t tail_left_ = 0;
  std::int64_t position_ = 0, size_;
  std::int64_t coordinate_[Mapping::max_axes + 1]{};
  std::int64_t extent_[Mapping::max_axes]{};
  int padded_ = 0, outside_ = 0;
};

}  // namespace tcp
