// Commit: the stream becomes a tensor in DM, in all slices or in some.
#include "tcp/rules/commit.hpp"

#include "exec/reference/stages.hpp"

namespace tcp::reference {

Verdict apply(const ir::Commit& c, PassRun& run) {
  if (!c.slices) {
    run.memory.write(c.destination, run.stream);
    return accept();
  }
  // Slices that are left out keep what their part of the tensor held.
  Value merged = run.memory.read_to_change(c.destination);
  Levels const to = run.module.levels(run.module.tensor(c.destination));
  Value const mine = restrict_to(to, run.stream);
  for (std::int64_t i = 0; i < merged.size(); ++i) {
    Index const index = merged.index_of(i);
    if (!mine.holds(index)) continue;
    Place found;
    if (find_place(to, index, found) && c.slices->contains(static_cast<int>(found.slice))) merged[i] = mine.at(index);
  }
  run.memory.write(c.destination, merged);
  return accept();
}

}  // namespace tcp::reference
