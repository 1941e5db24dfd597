// The search for the mapping of a product. It makes legal mappings only, orders them by what they are expected to
// take, rules out by proven lower bounds, and lets the scheduler decide between those that are left: the cost of a
// mapping is its schedule. It is deterministic, and counts its work in plans, never in seconds.
//
// The choice is minimax, among the mappings that take at most 2 % more than the fastest in `book`: the one whose
// worse ratio to the best cycles seen, in the models `book` and `calibrated`, is the least; among the last few the
// model `detailed` has a say as well. Ties go to the mapping that was met first.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tcp/mapper/kernel.hpp"

namespace tcp::mapper {

struct SearchOptions {
  bool dual = true;                    // main.dual may be used
  Pin pin{};                           // decisions that are given
  std::int64_t plans = 64;             // mappings that are scheduled, at most
  bool reasons = false;                // also schedule, for every decision, the best mapping with another choice
  std::vector<KernelMapping> given{};  // mappings that are scheduled beside those that are found
};

/// A mapping that was scheduled.
struct Tried {
  KernelMapping mapping;
  std::int64_t bound = 0, expected = 0;                 // before it was scheduled
  std::int64_t book = 0, calibrated = 0, detailed = 0;  // 0: not in this model
  std::size_t commands = 0;
};

/// What the other choice of one decision costs.
struct Reason {
  std::string decision, chosen, other;
  Tried best_with_other;
  std::int64_t loses = 0;  // cycles of `book`; below 0: it is faster there, and lost by the worse of the models
  std::string why;
};

struct Found {
  Tried best;
  std::vector<Tried> tried;  // in the order in which they were scheduled
  std::int64_t placements = 0, ruled_out = 0;
  std::int64_t refused = 0;  // by the rules of the chip or for want of room, though check_mapping had accepted them
  Refusal first_refused{};
  /// No mapping of the space takes less than this in `book`. Equal to the best cycles seen: proven.
  std::int64_t space_bound = 0;
  bool proven = false;
  std::vector<Reason> reasons;
};

/// Refused: mapper-nothing-fits, if the pinned decisions leave no mapping.
Expected<Found> search(const Device& device, const Product& product, const SearchOptions& options = {});

/// Schedules one mapping. Refused: what check_mapping and the rules of the chip refuse.
Expected<Tried> try_mapping(const Device& device, const KernelMapping& mapping, bool with_detailed = false);

/// How often each operand is read from HBM.
struct Reads {
  double a = 0, b = 0;
};
Reads reads_of(const Device& device, const KernelMapping& mapping);

}  // namespace tcp::mapper
