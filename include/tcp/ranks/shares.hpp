// Which rank has which chips: neighbours, and as many as any other rank, give or take one.
#pragma once

#include <cstdint>

namespace tcp::ranks {

struct Shares {
  std::int64_t chips = 1;  // of the machine
  int ranks = 1;           // at most as many as chips

  constexpr int rank_of(std::int64_t chip) const { return static_cast<int>(chip * ranks / chips); }
  /// The chips of a rank: from first(rank) to first(rank + 1).
  constexpr std::int64_t first(int rank) const { return (rank * chips + ranks - 1) / ranks; }
  constexpr std::int64_t count(int rank) const { return first(rank + 1) - first(rank); }
};

}  // namespace tcp::ranks
