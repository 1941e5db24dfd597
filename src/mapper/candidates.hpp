// The space of mappings: placements, and the tiles and orders of each.
#pragma once

#include <functional>
#include <vector>

#include "mapper/estimate.hpp"

namespace tcp::mapper {

/// Placements: what slices keep and stream, bands, parts. Their bands have one tile each, perhaps larger than DM.
std::vector<Decisions> placements_of(const Device& device, const Product& product, bool dual);

/// The ways to cut the streamed axis of a band into tiles.
std::vector<std::vector<std::int64_t>> tilings_of(const Device& device, const Product& product, const Decisions& d, const Band& band);

/// Calls with each mapping of a placement that is worth an estimate; all of them are legal.
void refine(const Device& device, const Product& product, const Decisions& placement,
            const std::function<void(const Decisions&, const Estimate&)>& each);

}  // namespace tcp::mapper
