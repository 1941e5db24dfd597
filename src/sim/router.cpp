// The choices of a router by its place in the ring, and the slices at which a packet leaves the ring.
#include "tcp/sim/router.hpp"

namespace tcp::sim {

Router router_of(std::int64_t place, std::int64_t ring_size) {
  Router r;
  bool const root = place == 0, leaf = place == ring_size - 1;
  Ways const onwards{.output = true, .right = !leaf};
  if (root) {
    r.own = r.from_right = onwards;
  } else {
    r.own = r.from_right = Ways{.left = true};
    r.from_left = onwards;
  }
  return r;
}

std::vector<std::int64_t> takers_of(std::int64_t from, std::int64_t ring_size, const std::vector<program::SliceSet>& snoop) {
  std::int64_t const root = from / ring_size * ring_size;
  std::vector<std::int64_t> takers;
  std::int64_t slice = from;
  for (Ways ways = router_of(from - root, ring_size).own;;) {
    if (ways.output && static_cast<std::size_t>(slice) < snoop.size() && snoop[static_cast<std::size_t>(slice)].contains(from))
      takers.push_back(slice);
    if (!ways.left && !ways.right) return takers;
    slice += ways.left ? -1 : 1;
    Router const next = router_of(slice - root, ring_size);
    ways = ways.left ? next.from_right : next.from_left;
  }
}

}  // namespace tcp::sim
