// The reduce inside a slice: pairs of a packet, then time step after time step.
#include <array>

#include "exec/reference/folding.hpp"
#include "exec/reference/stages.hpp"
#include "tcp/exec/reference/operations.hpp"

namespace tcp::reference {

Value intra_slice_reduce(const Value& stream, Name axis, ReduceOp op, const Levels& in, const Levels& out, NumericModel model) {
  Folding folding(stream.type, kept_axes(in, out), op, model);
  Extents const extents(in);
  std::vector<Spot> const time = each_once(in[Level::time]), packet = without_copies(spots(in[Level::packet]), in[Level::packet]);
  int const in_packet = find_axis(in[Level::packet], axis);
  bool const tree = in_packet >= 0 && coarsest_digit(in[Level::packet], in_packet) >= 0;
  for (const Spot& chip : live_spots(in[Level::chip]))
    for (const Spot& cluster : live_spots(in[Level::cluster]))
      for (const Spot& slice : live_spots(in[Level::slice])) {
        folding.next_unit();
        Index here;
        for (const Spot* s : {&chip, &cluster, &slice}) add(here, s->sums);
        for (const Spot& step : time) {
          std::array<std::optional<Element>, 4> lane;
          std::array<Index, 4> to;
          for (std::size_t p = 0; p < packet.size() && p < 4; ++p) {
            Index from = here;
            add(from, step.sums);
            add(from, packet[p].sums);
            if (packet[p].pad != Pad::none || !extents.hold(from)) continue;
            lane[p] = stream.at(from);
            to[p] = from;
            to[p].add(axis, -(step.sums.get(axis) + packet[p].sums.get(axis)));
          }
          if (tree) {
            auto const all = fold(op, stream.type, fold(op, stream.type, lane[0], lane[1], model),
                                  fold(op, stream.type, lane[2], lane[3], model), model);
            for (std::size_t p = 0; p < 4; ++p)
              if (lane[p]) {
                folding.take(to[p], *all);
                break;
              }
          } else {
            for (std::size_t p = 0; p < 4; ++p)
              if (lane[p]) folding.take(to[p], *lane[p]);
          }
        }
      }
  return folding.result;
}

Verdict apply(const ir::IntraSliceReduce& r, PassRun& run) {
  run.stream = intra_slice_reduce(run.stream, r.axis, r.op, run.levels, run.out, run.module.numeric);
  run.restart_ids();
  return accept();
}

}  // namespace tcp::reference
