// The Commit Engine and the stores into the register files: where a stream ends.
//
// Needs: placed destinations. Leaves: the write sequencer, or the rows and bytes of a register file. Refuses nothing.
#include "pass.hpp"

namespace tcp::lower {

program::Commit lower_commit(const TensorUnitPass& p, std::size_t i) {
  const Committed& c = std::get<Committed>(p.found(i).found);
  const ir::Commit& asked = std::get<ir::Commit>(p.stage(i).what);
  program::Commit out;
  out.type = c.type;
  out.write = sequencer_of(c.sequence.loops, c.type, c.sequence.access, c.sequence.accesses_a_packet, c.sequence.packets,
                           *p.module.address_of(asked.destination));
  out.commit_in_size = c.commit_in_size.value;
  out.pack_valid = asked.pack_valid;
  return out;
}

program::TrfStore lower_trf_store(const TensorUnitPass& p, std::size_t i) {
  const TrfStored& s = std::get<TrfStored>(p.found(i).found);
  const ir::Tensor& to = p.module.tensor(std::get<ir::ToTrf>(p.stage(i).what).destination);
  TrfLayout const layout = trf_layout(p.device, to.type, s.row.size, to.trf);
  program::TrfStore out;
  out.rows = static_cast<std::int32_t>(s.row.size);
  out.row_base = layout.row_base.value;
  out.row_bytes = s.row_bytes.value;
  // Fetch and collect alone, without a cast: the short command does it.
  bool plain = p.pass.context == Tu::Sub;
  for (std::size_t k = 0; k < i; ++k)
    plain &= std::holds_alternative<ir::Collect>(p.stage(k).what) ||
             (std::holds_alternative<ir::Fetch>(p.stage(k).what) && p.type_in(k) == p.found(k).type);
  out.short_command = plain;
  return out;
}

program::VrfStore lower_vrf_store(const TensorUnitPass& p, std::size_t i) {
  const VrfStored& s = std::get<VrfStored>(p.found(i).found);
  std::int64_t const address = *p.module.address_of(std::get<ir::ToVrf>(p.stage(i).what).destination);
  return {address, s.extent.end.value - s.extent.begin.value};
}

}  // namespace tcp::lower
