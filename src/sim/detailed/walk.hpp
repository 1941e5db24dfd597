// The addresses of a walk, one after the other, without a multiplication each.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "tcp/program/program.hpp"

namespace tcp::sim {

/// The cycle of what does not come.
inline constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// Nested loops with a sum of strides for each of `Sides`. After the last round it begins again.
template <int Sides>
class LoopWalk {
 public:
  struct Step {
    std::int64_t size = 1;
    std::int64_t stride[Sides]{};
  };

  LoopWalk() = default;
  /// Outermost first. Rounds that are one are dropped.
  explicit LoopWalk(const std::vector<Step>& loops) {
    for (const Step& l : loops)
      if (l.size > 1) loops_.push_back({l, 0});
  }

  std::int64_t at(int side) const { return at_[side]; }
  void next() {
    for (std::size_t k = loops_.size(); k-- > 0;) {
      Loop& l = loops_[k];
      if (++l.round < l.step.size) {
        for (int s = 0; s < Sides; ++s) at_[s] += l.step.stride[s];
        return;
      }
      for (int s = 0; s < Sides; ++s) at_[s] -= l.step.stride[s] * (l.step.size - 1);
      l.round = 0;
    }
  }

 private:
  struct Loop {
    Step step;
    std::int64_t round = 0;
  };
  std::vector<Loop> loops_;
  std::int64_t at_[Sides]{};
};

}  // namespace tcp::sim
