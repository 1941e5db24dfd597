// Which steps after the sum share a pass of the Vector Engine: each ALU works once in a pass, and the clip ALUs come
// after all others.
#pragma once

#include <vector>

#include "tcp/mapper/mapping.hpp"

namespace tcp::mapper {

/// A step, and whether the pass does it at its end, eight lanes at a time, where it has limits and a last sum.
struct PassStep {
  EpilogueStep step;
  bool at_end = false;
};
using EpiloguePass = std::vector<PassStep>;

/// The steps by passes; the first pass is the one that makes the sums, or adds up those of the parts, and may be
/// empty.
std::vector<EpiloguePass> passes_of(const Product& product, bool several_parts);

}  // namespace tcp::mapper
