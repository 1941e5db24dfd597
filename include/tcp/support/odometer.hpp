// Nested loops as a number with a digit per loop, that turns without a division.
//
//   for (Odometer<2> o(loops); !o.done(); o.next()) copy(from + o.at(0), to + o.at(1));
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tcp {

/// One loop: its rounds, and how far a round moves each of `Sides` offsets.
template <int Sides>
struct OdometerLoop {
  std::int64_t size = 1;
  std::int64_t stride[Sides]{};
};

/// Law: at round r of each loop, at(side) is the sum of r times the loop's stride of that side.
template <int Sides = 1>
class Odometer {
 public:
  using Loop = OdometerLoop<Sides>;

  Odometer() = default;
  /// Outermost first.
  explicit Odometer(const std::vector<Loop>& loops) {
    wheels_.reserve(loops.size());
    for (const Loop& l : loops) {
      wheels_.push_back({l, 0});
      done_ |= l.size < 1;
    }
  }

  std::int64_t at(int side = 0) const { return at_[side]; }
  std::int64_t round(std::size_t loop) const { return wheels_[loop].round; }
  /// Whether all rounds are over, or there are none. It may go on: it begins again.
  bool done() const { return done_; }

  void next() {
    for (std::size_t k = wheels_.size(); k-- > 0;) {
      Wheel& w = wheels_[k];
      if (++w.round < w.loop.size) {
        for (int s = 0; s < Sides; ++s) at_[s] += w.loop.stride[s];
        return;
      }
      for (int s = 0; s < Sides; ++s) at_[s] -= w.loop.stride[s] * (w.loop.size - 1);
      w.round = 0;
    }
    done_ = true;
  }

 private:
  struct Wheel {
    Loop loop;
    std::int64_t round = 0;
  };
  std::vector<Wheel> wheels_;
  std::int64_t at_[Sides]{};
  bool done_ = false;
};

}  // namespace tcp
