// How the vector engine is told which elements are there: by the registers of the Valid Count Generator, or by identity
// values from the fetch.
#pragma once

#include <optional>
#include <vector>

#include "lower/pass.hpp"
#include "tcp/mapping/levels.hpp"

// Which places of a stream hold an element, as a stage that folds or drops some of its factors sees it: of a place
// whose result exists, the element is there or it is absent; of any other place it does not matter.
//
// This is decided place by place, from the digits of the mappings, without asking the rules: what the Valid Count
// Generator was told is held against it.

namespace tcp::lower {

/// A level of the stream, or a part of it, and which of its digits the stage takes away.
struct Factors {
  Mapping mapping{};
  bool gone[Mapping::max_digits]{};

  void take_all() {
    for (bool& g : gone) g = true;
  }
};

enum class Holds : std::uint8_t { element, absent, whatever };

class Presence {
 public:
  /// `units`: Chip, Cluster and Slice, outermost first, Slice in one part or several.
  Presence(const std::vector<Factors>& units, const Factors& time, const Factors& packet);

  std::int64_t units() const { return units_.count; }
  std::int64_t steps() const { return time_.count; }
  std::int64_t lanes() const { return packet_.count; }
  Holds at(std::int64_t unit, std::int64_t step, std::int64_t lane) const;
  /// What of a unit, or of a time step, the answer depends on.
  void add_unit(std::vector<std::int64_t>& to, std::int64_t unit) const { add(to, units_, unit); }
  void add_step(std::vector<std::int64_t>& to, std::int64_t step) const { add(to, time_, step); }

 private:
  struct Axis {
    Name name{};
    std::int64_t extent = 0;
  };
  /// What each position adds: to the coordinates of the result, and of the element beyond that.
  struct Positions {
    std::int64_t count = 1;
    std::vector<std::uint8_t> pad, gone_pad;
    std::vector<std::int64_t> kept, gone;  // axis by axis
  };

  void add(std::vector<std::int64_t>& to, const Positions& of, std::int64_t position) const;
  void find_axes(const std::vector<const Factors*>& all);
  Positions positions(const Factors& f) const;
  Positions combined(const Positions& outer, const Positions& inner) const;

  std::vector<Axis> axes_;  // those that some place leaves
  Positions units_, time_, packet_;
};

struct Counting {
  std::optional<program::ValidCount> registers;
  std::size_t before = 0;           // the stage before which flits get their counts
  std::vector<std::size_t> filled;  // reduces whose padding holds `identity` instead of being counted out
  std::uint32_t identity = 0;
};

/// Plans for the stages from vector_init at `first` to vector_final at `last`. Identity values go into the mask of
/// `fetch`.
Expected<Counting> plan_counting(const TensorUnitPass& p, std::size_t first, std::size_t last, program::Fetch& fetch);

/// The rounds over time steps that an intra-slice reduce sees, outermost first.
std::vector<program::TimeLoop> reduce_loops(const TensorUnitPass& p, std::size_t i);

// identity.cpp
/// A fetch whose mask puts the identity of the reduce at stage i wherever it meets nothing; `there` says where. Where
/// the registers cannot, `not_counted` is returned with the reason.
Expected<program::Fetch> masked_with_identity(const TensorUnitPass& p, std::size_t i, const Presence& there, const Refusal& not_counted);
/// Whether nothing but fetch, collect and narrowing lies in front of stage i.
bool only_moved(const TensorUnitPass& p, std::size_t i);

}  // namespace tcp::lower
