// How the vector engine is told which elements are there: by the registers of the Valid Count Generator, or by identity
// values from the fetch.
#pragma once

#include <optional>

#include "lower/pass.hpp"
#include "lower/presence.hpp"

namespace tcp::lower {

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
