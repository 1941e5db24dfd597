// The routers of the Switch Engine: one per slice, in a ring.
//
// A router makes three choices, each for itself: where a packet of its own slice goes, where one goes that comes from
// the right, and where one goes that comes from the left. To the output only packets go that the slice's snoop bitmap
// names by their sender.
//
// In a ring of slices packets go left to the root, and from there to the right until the leaf, so that all slices see
// all packets, in one order. What the routers between root and leaf do with packets on their way left, the book leaves
// open: they hand them on.
#pragma once

#include <cstdint>
#include <vector>

#include "tcp/program/program.hpp"

namespace tcp::sim {

/// Where a packet goes: to any of the three.
struct Ways {
  bool output = false, right = false, left = false;

  bool operator==(const Ways&) const = default;
};

struct Router {
  Ways own, from_right, from_left;

  bool operator==(const Router&) const = default;
};

/// The router at a place of a ring, 0 the root. Needs: 0 <= place < ring_size.
Router router_of(std::int64_t place, std::int64_t ring_size);

/// The slices that put out a packet of slice `from`, in the order in which it comes by, in rings of `ring_size` slices.
/// `snoop` is by slice.
std::vector<std::int64_t> takers_of(std::int64_t from, std::int64_t ring_size, const std::vector<program::SliceSet>& snoop);

}  // namespace tcp::sim
