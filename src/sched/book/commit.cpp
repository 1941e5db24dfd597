// The Commit Engine: one write per cycle. What is cut off costs nothing.
#include "sched/book/saturating.hpp"

namespace tcp::sched::book {

Cycles commit_cycles(const program::Commit& c) { return Cycles{times(c.write.packets, c.write.accesses_per_packet)}; }

}  // namespace tcp::sched::book
