// The reduce between slices, in ascending order of slices.
#include "exec/reference/folding.hpp"
#include "exec/reference/stages.hpp"
#include "tcp/exec/reference/operations.hpp"

namespace tcp::reference {

Value inter_slice_reduce(const Value& stream, const Mapping& reduced, ReduceOp op, const Levels& in, const Levels& out,
                         NumericModel model) {
  Folding folding(stream.type, kept_axes(in, out), op, model);
  Extents const extents(in);
  std::vector<Spot> const time = each_once(in[Level::time]), packet = each_once(in[Level::packet]), slices = live_spots(in[Level::slice]);
  std::vector<Spot> const folded = spots(reduced);
  // Groups that are copies of one another must not be added together, so each group is a unit of its own.
  for (const Spot& chip : live_spots(in[Level::chip]))
    for (const Spot& cluster : live_spots(in[Level::cluster])) {
      std::int64_t group = -1;
      for (const Spot& slice : slices) {
        if (slice.position / reduced.size != group) folding.next_unit();
        group = slice.position / reduced.size;
        const Index& gone = folded[static_cast<std::size_t>(slice.position % reduced.size)].sums;
        Index here;
        for (const Spot* s : {&chip, &cluster, &slice}) add(here, s->sums);
        for (const Spot& step : time)
          for (const Spot& lane : packet) {
            Index from = here;
            add(from, step.sums);
            add(from, lane.sums);
            if (!extents.hold(from)) continue;
            Index to = from;
            for (int a = 0; a < gone.n; ++a) to.add(gone.axis[a], -gone.at[a]);
            folding.take(to, stream.at(from));
          }
      }
    }
  return folding.result;
}

Verdict apply(const ir::InterSliceReduce& r, PassRun& run) {
  run.stream = inter_slice_reduce(run.stream, run.found->as<InterSliceResult>().reduced, r.op, run.levels, run.out, run.module.numeric);
  run.restart_ids();
  return accept();
}

}  // namespace tcp::reference
