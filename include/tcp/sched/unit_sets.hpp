// Sets of chips, clusters and slices, each kept once: a program has few of them, however many commands it has.
// Addresses count within a unit, so two ranges of bytes meet only if their sets do.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tcp/program/program.hpp"

namespace tcp::sched {

class UnitSets {
 public:
  /// The number of a memory's set. What the memory has only once is left out of account: HBM has no slices, the host
  /// has no chips.
  std::size_t number(program::Memory memory, const program::Units& units);
  /// Those of the same memory that have a unit in common with it, itself among them.
  const std::vector<std::size_t>& meeting(std::size_t set) const { return sets_[set].meeting; }
  bool meet(std::size_t a, std::size_t b) const;
  /// Whether every unit of `b` is one of `a`.
  bool covers(std::size_t a, std::size_t b) const;
  std::size_t size() const { return sets_.size(); }

 private:
  struct Set {
    program::Memory memory;
    program::Units units;
    std::vector<std::size_t> meeting;
  };
  std::vector<Set> sets_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_hash_;
};

}  // namespace tcp::sched
