// The Commit Engine and the stores into the register files: where a stream ends.
//
// Needs: placed destinations. Leaves: the write sequencer, or the rows and bytes of a register file. Refuses nothing.
#include "lower/pass.hpp"

namespace tcp::lower {

namespace {

/// Whether a walk reads one byte after the other.
bool contiguous(const program::Sequencer& s) {
  std::int64_t next = s.access_bytes;
  for (std::size_t k = s.loops.size(); k-- > 0;) {
    if (s.loops[k].size > 1 && s.loops[k].stride != next) return false;
    next *= s.loops[k].size;
  }
  return s.repeat_bits == 0;
}

/// StoTRF copies bytes as they lie: a fetch without gaps, order, cast, mask or lift of its own, and flits that need no
/// filling up.
bool fits_short_command(const TensorUnitPass& p, std::size_t store) {
  if (p.pass.context != Tu::Sub || p.pass.source.size() != 1) return false;
  for (std::size_t k = 0; k < store; ++k)
    if (!std::holds_alternative<ir::Fetch>(p.stage(k).what) && !std::holds_alternative<ir::Collect>(p.stage(k).what)) return false;
  const Fetched& f = p.found(0).as<Fetched>();
  bool const as_stored =
      p.type_in(0) == f.type && !f.mask.on && f.lifts.count == 0 && std::get<ir::Fetch>(p.stage(0).what).table == ir::none;
  bool const whole_flits = f.stream.packet.size * scalar_info(f.type).packet_bits % (p.device.flit.bytes.value * 8) == 0;
  return as_stored && whole_flits &&
         contiguous(sequencer_of(f.sequence.loops, f.type, f.sequence.access, f.sequence.accesses_a_packet, f.sequence.packets, 0));
}

}  // namespace

program::Commit lower_commit(const TensorUnitPass& p, std::size_t i) {
  const Committed& c = p.found(i).as<Committed>();
  const ir::Commit& asked = std::get<ir::Commit>(p.stage(i).what);
  program::Commit out;
  out.type = c.type;
  bool const relu = i > 0 && std::holds_alternative<ir::CommitCastRelu>(p.stage(i - 1).what);
  if (relu || (i > 0 && std::holds_alternative<ir::CommitCast>(p.stage(i - 1).what)))
    out.cast = program::CommitCast{p.type_in(i - 1), c.type, relu};
  out.write = sequencer_of(c.sequence.loops, c.type, c.sequence.access, c.sequence.accesses_a_packet, c.sequence.packets,
                           *p.module.address_of(asked.destination));
  out.commit_in_size = c.commit_in_size.value;
  out.pack_valid = asked.pack_valid;
  return out;
}

program::TrfStore lower_trf_store(const TensorUnitPass& p, std::size_t i) {
  const TrfStored& s = p.found(i).as<TrfStored>();
  const ir::Tensor& to = p.module.tensor(std::get<ir::ToTrf>(p.stage(i).what).destination);
  TrfLayout const layout = trf_layout(p.device, to.type, s.row.size, to.trf);
  program::TrfStore out;
  out.rows = static_cast<std::int32_t>(s.row.size);
  out.row_base = layout.row_base.value;
  out.row_bytes = s.row_bytes.value;
  out.short_command = fits_short_command(p, i);
  return out;
}

program::VrfStore lower_vrf_store(const TensorUnitPass& p, std::size_t i) {
  const VrfStored& s = p.found(i).as<VrfStored>();
  std::int64_t const address = *p.module.address_of(std::get<ir::ToVrf>(p.stage(i).what).destination);
  return {address, s.extent.end.value - s.extent.begin.value};
}

}  // namespace tcp::lower
