// The Fetch Engine: the read sequencer, the masking registers, and the adapter's table, cast and zero points.
//
// Needs: a placed source. Leaves: program::Fetch. Refuses nothing: that a walk with padding in front stays in memory is
// a rule (E-53).
#include "lower/pass.hpp"

namespace tcp::lower {

namespace {

program::Mask mask_of(const Mask& m, const Loops& loops, ScalarType stored) {
  program::Mask out;
  for (int k = 0; k < loops.entries; ++k) out.loops.push_back(loops.entry[k].size);
  out.last_dim = m.last_dim;
  out.left_pad = m.left_pad;
  out.valid_count_dim = m.valid_count_dim;
  out.valid_count.assign(m.valid_count, m.valid_count + m.counts);
  out.pad_value = static_cast<std::uint32_t>(m.pad_value) & scalar_mask(stored);
  return out;
}

}  // namespace

program::Fetch lower_fetch(const TensorUnitPass& p, std::size_t i) { return fetch_record(p, i, p.found(i).as<Fetched>()); }

program::Fetch fetch_record(const TensorUnitPass& p, std::size_t i, const Fetched& f) {
  const ir::Fetch& asked = std::get<ir::Fetch>(p.stage(i).what);
  program::Fetch out;
  out.stored = p.type_in(i);
  out.type = f.type;
  std::int64_t const first = *p.module.address_of(p.pass.source[0]);
  out.read = sequencer_of(f.sequence.loops, out.stored, f.sequence.access, f.sequence.accesses_a_packet, f.sequence.packets, first);
  if (f.interleave_entry >= 0) {
    out.turn_loop = f.interleave_entry;
    out.read.loops[static_cast<std::size_t>(f.interleave_entry)].stride = *p.module.address_of(p.pass.source[1]) - first;
  }
  TCP_BUG_UNLESS(out.read.base >= 0, "the verifier let a fetch begin below its memory");
  for (int k = 0; k < f.lifts.count; ++k) {
    LiftStep const& s = f.lifts.step[k];
    auto const of = s.level == Level::chip      ? program::UnitOffset::Of::Chip
                    : s.level == Level::cluster ? program::UnitOffset::Of::Cluster
                                                : program::UnitOffset::Of::Slice;
    out.offsets.push_back({of, s.inside, s.size, s.stride * scalar_info(out.stored).packet_bits / 8});
  }
  if (f.mask.on) out.mask = mask_of(f.mask, f.sequence.loops, out.stored);
  out.table = asked.table;
  out.zero_points = asked.zero_points;
  out.packet_elements = f.stream.packet.size;
  return out;
}

}  // namespace tcp::lower
