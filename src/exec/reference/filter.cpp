// A filter: in each slice, the lanes whose execution id is kept, one behind the other through all lanes of all time
// steps.
#include "tcp/exec/reference/vector.hpp"

#include "exec/reference/stages.hpp"

namespace tcp::reference {

Expected<Filtered> filter(const Value& stream, const Value& execution_ids, OperandGuard keep, const Levels& in, const Levels& out,
                          Origin origin, Where at) {
  Levels units = in;  // Chip, Cluster and Slice alone
  units.set(Level::time, Mapping{}).set(Level::packet, Mapping{});
  Filtered made{Value(stream.type, axes_of(out)), Value(ScalarType::i32, axes_of(units))};
  made.kept.undefine(origin);
  std::int64_t const lanes = in[Level::packet].size, room = out[Level::time].size * out[Level::packet].size;

  for (std::int64_t unit = 0; unit < in[Level::chip].size * in[Level::cluster].size * in[Level::slice].size; ++unit) {
    Place place;
    place.slice = unit % in[Level::slice].size;
    place.cluster = unit / in[Level::slice].size % in[Level::cluster].size;
    place.chip = unit / in[Level::slice].size / in[Level::cluster].size;
    Cell const here = cell(units, place);
    if (!here.live()) continue;
    std::int64_t kept = 0;
    Origin doubt = 0;  // once it is not known whether a lane stays, nothing is known of what follows
    for (std::int64_t i = 0; i < in[Level::time].size * lanes; ++i) {
      place.time = i / lanes;
      place.packet = i % lanes;
      Cell const lane = cell(in, place);
      if (!lane.live()) continue;
      Element const id = execution_ids.at(lane.index);
      if (doubt == 0) doubt = id.undefined;
      if (doubt != 0 || !keep.holds(static_cast<int>(id.bits))) continue;
      if (kept == room) return filter_overflow(room, out[Level::time], place.slice, at);
      Place to = place;
      to.time = kept / out[Level::packet].size;
      to.packet = kept % out[Level::packet].size;
      if (Cell const target = cell(out, to); target.live()) made.kept.at(target.index) = stream.at(lane.index);
      ++kept;
    }
    made.count.at(here.index) = {static_cast<std::uint32_t>(kept), doubt};
  }
  return made;
}

Verdict apply(const ir::Filter& f, PassRun& run) {
  Origin const unfilled = run.memory.note("a place that the filter did not fill");
  auto const filtered = filter(run.stream, run.ids, f.keep, run.levels, run.out, unfilled, run.memory.at);
  if (!filtered) return filtered.refusal();
  run.stream = filtered->kept;
  if (f.count != ir::none) run.memory.write(f.count, filtered->count);
  return accept();
}

}  // namespace tcp::reference
