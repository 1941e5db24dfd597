// What the DMA engines accept: a tensor goes from one memory to another and may change its layout on the way.
//
// A transfer is one source tensor and one destination tensor that hold the same elements. What the destination has and
// the source lacks altogether is repeated (a vector into all slices); what the source has and the destination lacks
// would be lost, and is refused. All pairs of HBM, DM and SPM are possible, across slices, clusters and chips; the host
// reaches HBM only, over PCIe, and TRF and VRF are filled by the Tensor Unit alone.
//
// The engine moves packets: bytes that lie next to each other on both sides, at most 4,096 of them. DM is written in
// whole rows of 8 bytes, so packets into DM are multiples of 8 at multiples of 8, and from HBM they are read at such
// addresses too. That is an error of the program, not a slower way: nothing here falls back to single bytes. Where the
// runs of a load end in padding of the destination, a whole row is written there all the same.
#pragma once

#include "tcp/device/memory.hpp"
#include "tcp/rules/memory.hpp"
#include "tcp/rules/pairing.hpp"
#include "tcp/rules/sequence.hpp"
#include "tcp/support/round.hpp"

namespace tcp {

/// One side of a transfer. SPM has its Pe in the place of Slice; HBM has Chip and Element, the host Element alone.
struct DmaTensor {
  Memory memory = Memory::Hbm;
  Levels levels{};
  bool view = false;  // of a larger tensor: what looks like padding belongs to the rest of that tensor, and is not written
};

/// Which queue a transfer goes to.
enum class DmaLink : std::uint8_t {
  tensor,  // ctx.tdma: HBM, DM and SPM of a chip
  pcie,    // ctx.pdma: host and HBM
};

constexpr Expected<DmaLink> link_between(Memory from, Memory to, Where at = {}) {
  bool const from_register = from == Memory::Trf || from == Memory::Vrf, to_register = to == Memory::Trf || to == Memory::Vrf;
  if (!from_register && !to_register) {
    if (from != Memory::Host && to != Memory::Host) return DmaLink::tensor;
    if ((from == Memory::Host && to == Memory::Hbm) || (from == Memory::Hbm && to == Memory::Host)) return DmaLink::pcie;
  }
  return refuse("dma-no-link", at)
      .what("no DMA goes from ", from, " to ", to)
      .why("PCIe leads from the host to HBM and back; register files are filled by the Tensor Unit, after the collect stage")
      .help(to_register                                  ? "stream from DM and end with to_trf or to_vrf"
            : from_register                              ? "commit what was computed to DM first"
            : from == Memory::Host && to == Memory::Host ? "copy on the host"
                                                         : "go by way of HBM");
}

/// What a transfer comes to.
struct DmaPlan {
  Pairing moves{};  // steps of the destination, and where each comes from
  DmaLink link = DmaLink::tensor;
  Bytes run{};                // that lie next to each other on both sides
  Bytes packet{};             // moved at once
  std::int64_t requests = 1;  // that the engine makes of a packet
  bool broadcasts = false;
  bool crosses_clusters = false;
  bool crosses_chips = false;  // over PCIe
  bool uneven = false;         // blocks of the source end inside the destination: no single command can do it
};

/// The packet for a run of bytes: the largest divisor up to the limit, and a multiple of `unit`; 0 if there is none.
constexpr Bytes largest_packet(Bytes run, Bytes limit, Bytes unit) {
  std::int64_t p = run < limit ? run.value : limit.value;
  for (p -= p % unit.value; p >= unit.value; p -= unit.value)
    if (run.value % p == 0) return Bytes{p};
  return Bytes{0};
}
constexpr std::int64_t dma_requests(const Device& device, Bytes packet) { return ceil_div(packet.value, device.dma.request_bytes.value); }

namespace detail {

constexpr Verdict check_dma_tensor(const Device& device, ScalarType type, std::int64_t chips, const DmaTensor& t, Where at) {
  for (const Mapping& m : t.levels.at)
    if (!m.ok()) return refusal_of(m, at);
  if (auto const bytes = element_bytes(type, t.levels[Level::element], at); !bytes) return bytes.refusal();
  switch (t.memory) {
    case Memory::Dm: return check_geometry(device, chips, t.levels, at);
    case Memory::Spm: return check_spm_geometry(device, chips, t.levels, at);
    case Memory::Hbm:
      if (auto v = check_chip_size(device, chips, t.levels[Level::chip], at); !v) return v;
      return check_levels(t.levels, at);
    case Memory::Host:
    case Memory::Trf:
    case Memory::Vrf: break;
  }
  return check_levels(t.levels, at);
}

/// A factor in a sentence: `B / 4`.
struct FactorOf {
  Name axis{};
  Steps steps;
  friend constexpr Text& operator<<(Text& out, const FactorOf& f) {
    out << f.axis;
    return f.steps.stride > 1 ? out << " / " << f.steps.stride : out;
  }
};

/// The mappings of one side in a sentence, levels that are m![1] left out.
struct SideOf {
  const DmaTensor& t;
  friend constexpr Text& operator<<(Text& out, const SideOf& s) {
    out << s.t.memory;
    for (int l = 0; l < level_count; ++l) {
      if (s.t.levels.at[l].digits == 0) continue;
      bool const pe = s.t.memory == Memory::Spm && static_cast<Level>(l) == Level::slice;
      out << " " << (pe ? "Pe" : name_of(static_cast<Level>(l))) << " " << s.t.levels.at[l];
    }
    return out;
  }
};

constexpr Refusal dma_fault(const Pairing& p, const DmaTensor& from, const DmaTensor& to, Where at) {
  FactorOf const wanted{p.axis, p.asked};
  SideOf const source{from}, destination{to};
  switch (p.fault) {
    case PairFault::insufficient:
      return refuse("dma-insufficient-source", at)
          .what("the destination has ", wanted, " in ", p.asked.size, " steps on ", name_of(p.level), "; the source lacks them: ", source)
          .why("an axis that the source does not have at all is repeated; one that it has in part is not enough")
          .help("move more of axis ", p.axis, " into the source, or leave it out of the destination");
    case PairFault::incompatible:
      return refuse("dma-incompatible-blocks", at)
          .what("the destination has ", wanted, " in ", p.asked.size, " steps on ", name_of(p.level), "; the source is ", source)
          .why("the two cut axis ", p.axis, " into blocks of which neither divides the other, so no loop steps through both")
          .help("use the same blocks of ", p.axis, " on both sides, or move in two steps");
    case PairFault::window:
      return refuse("dma-window-changed", at)
          .what("the destination slides a window over ", p.axis, " that the source does not have: source ", source, ", destination ",
                destination)
          .why("a position of a window belongs to several elements, and a transfer could write only one of them there")
          .help("write the same window on both sides, or move a plain axis and reshape the destination to read it as a window");
    case PairFault::skew:
      return refuse("dma-skew-changed", at)
          .what("axis ", p.axis, " is skewed on one side only: source ", source, ", destination ", destination)
          .why("a skewed factor begins at another element on every chip; one transfer for all chips cannot turn it back")
          .help("use chip_slice to take the elements that each chip needs");
    case PairFault::start:
      return refuse("dma-start-differs", at)
          .what("axis ", p.axis, " begins at ", p.asked.stride, " in the destination, and elsewhere in the source: ", source)
          .why("a transfer moves a tensor as a whole")
          .help("move a tile of the source, or give both sides the same start");
    case PairFault::zero: {
      Refusal r = refuse("dma-zero-padding", at);
      r.what(name_of(p.level), " of the destination promises zero padding");
      if (!(p.axis == Name{})) r.what(" of ", p.axis);
      return r.what(", and the source has no zeros there: ", source)
          .why("a transfer moves what is stored in the source; it makes no zeros")
          .help("write # instead of #z, or pad the source with zeros");
    }
    case PairFault::too_many:
    case PairFault::none: break;
  }
  return refuse("dma-too-many-factors", at)
      .what("the two mappings have more than ", Pairing::max_pairs, " runs of steps in common")
      .why("the plan of a transfer is kept in a fixed room")
      .help("move in two steps, or choose layouts with fewer factors");
}

/// How long an axis is, as the levels have it; 0: they do not have it.
constexpr std::int64_t extent_in(const Levels& levels, Name axis) {
  for (const Mapping& m : levels.at)
    if (int const a = find_axis(m, axis); a >= 0) return m.axis[a].extent;
  return 0;
}

constexpr Refusal dma_loss(const Pairing& p, const DmaTensor& from, const DmaTensor& to, Where at) {
  Refusal r = refuse("dma-drops-data", at).why("live elements would be lost without a word");
  std::int64_t const had = extent_in(from.levels, p.dropped_axis), left = extent_in(to.levels, p.dropped_axis);
  if (left != 0 && left != had)
    return r.what("axis ", p.dropped_axis, " has ", had, " steps in the source and ", left, " in the destination: ", SideOf{to})
        .help("declare the axis once; to move a part of it, take a tile of the source and write ", p.dropped_axis, " = ", left);
  return r
      .what("the source has ", FactorOf{p.dropped_axis, p.dropped}, " on ", name_of(p.dropped_level),
            ", and the destination does not hold all of it: ", SideOf{to})
      .help("give axis ", p.dropped_axis, " a place in the destination, or move a tile of the source");
}

/// Where the padded group of a mapping ends whose elements are just the first `run` positions; `run` itself if there is
/// none, or its padding is not ours.
constexpr std::int64_t end_of_group(const Mapping& m, std::int64_t run) {
  Footprints const foot = footprints(m);
  for (int t = m.tails - 1; t >= 0; --t)
    if (foot.tail_unit[t] * foot.tail_live[t] == run && m.tail[t].pad != Pad::bottom) return foot.tail_unit[t] * m.tail[t].slot;
  return run;
}

/// Bytes that lie next to each other on both sides, in elements. Marks the pairs that make them up.
constexpr std::int64_t common_run(const Pairing& p, const DmaTensor& from, const DmaTensor& to, bool (&inside)[Pairing::max_pairs]) {
  std::int64_t run = 1;
  while (true) {
    int next = -1;
    for (int i = 0; i < p.pairs; ++i) {
      PairedSteps const& s = p.pair[i];
      bool const must_be_cut = s.ragged && (s.overruns || to.view);
      bool const element = !s.broadcast && s.from == Level::element && s.to == Level::element;
      if (element && !inside[i] && !must_be_cut && s.from_stride == run && s.to_stride == run) next = i;
    }
    if (next < 0) {
      // A group that both pad alike is moved with its padding.
      std::int64_t const group = end_of_group(to.levels[Level::element], run);
      if (group == run || to.view || from.view || group != end_of_group(from.levels[Level::element], run)) return run;
      run = group;
      continue;
    }
    PairedSteps const& s = p.pair[next];
    inside[next] = true;
    // Padding that both own may be moved along, and closes the gap to the next row.
    bool const may_touch = !to.view && s.to_pad != Pad::bottom && (from.view || s.from_pad != Pad::bottom);
    run *= may_touch ? s.reach : s.size;
  }
}

/// Lets the runs of a load that end in padding of the destination end with a whole row of DM, if that padding has room
/// for it: the rest of the row is written with whatever comes after the source.
constexpr void fill_last_row(const Device& device, ScalarType type, const DmaTensor& from, const DmaTensor& to, Pairing& moves) {
  if (from.memory != Memory::Hbm || to.memory != Memory::Dm || to.view || !device.checks.dma_alignment) return;
  bool inside[Pairing::max_pairs]{};
  std::int64_t const run = common_run(moves, from, to, inside);
  std::int64_t const row = device.dma.hbm_to_dm_alignment.value * 8, bits = scalar_info(type).packet_bits;
  if (run * bits % row == 0) return;
  int last = -1;
  for (int i = 0; i < moves.pairs; ++i)
    if (inside[i] && (last < 0 || moves.pair[i].to_stride > moves.pair[last].to_stride)) last = i;
  if (last < 0) return;
  PairedSteps& s = moves.pair[last];
  Mapping const& element = to.levels[Level::element];
  Digit const& d = element.digit[s.to_digit];
  // The pair has the outermost steps of its digit, and padding after them.
  std::int64_t const slots = d.slot * footprints(element).inside[s.to_digit] / s.to_stride;
  if (s.ragged || s.to_pad != Pad::top || s.size * s.to_stride != d.size * footprints(element).inside[s.to_digit]) return;
  std::int64_t reach = s.reach;
  while (reach <= slots && reach * s.to_stride * bits % row != 0) ++reach;
  if (reach <= slots) s.reach = reach;
}

/// What to do about runs of so many elements, where multiples of `unit` could be written.
constexpr Text run_help(std::int64_t elements, std::int64_t unit) {
  if (elements < unit) return text("keep at least ", unit, " neighbouring elements together on both sides");
  return text("pad the rows of ", elements, " elements to ", round_up(elements, unit), " on both sides");
}

/// Packets and alignment, from the pairs.
constexpr Expected<DmaPlan> dma_packets(const Device& device, ScalarType type, const Pairing& moves, const DmaTensor& from,
                                        const DmaTensor& to, Where at) {
  DmaPlan plan;
  plan.moves = moves;
  bool inside[Pairing::max_pairs]{};
  bool const into_dm = to.memory == Memory::Dm;
  bool const out_of_hbm = from.memory == Memory::Hbm;
  std::int64_t const bits = scalar_info(type).packet_bits;
  std::int64_t elements = common_run(moves, from, to, inside);
  if (out_of_hbm && into_dm && !to.view && device.checks.dma_alignment) {  // a group may end a run as a factor does
    std::int64_t const row = round_up(elements * bits, device.dma.hbm_to_dm_alignment.value * 8) / bits;
    if (row <= end_of_group(to.levels[Level::element], elements)) elements = row;
  }
  std::int64_t const run_bits = elements * bits;
  if (device.checks.dma_alignment) {
    bool whole = run_bits % 8 == 0;
    for (int i = 0; i < moves.pairs; ++i) {
      PairedSteps const& s = moves.pair[i];
      if (inside[i]) continue;
      whole &= s.to != Level::element || s.to_stride * bits % 8 == 0;
      whole &= s.broadcast || s.from != Level::element || s.from_stride * bits % 8 == 0;
    }
    if (!whole)
      return refuse("dma-splits-byte", at)
          .what("from ", SideOf{from}, " to ", SideOf{to}, " single elements of ", type, " would move, of which several share a byte")
          .why("the smallest thing that DMA moves is a byte")
          .help("keep pairs of elements together on both sides");
  }
  plan.run = Bytes{ceil_div(run_bits, 8)};
  Bytes const unit = out_of_hbm && into_dm ? device.dma.hbm_to_dm_alignment : device.dm.write_alignment;
  if (into_dm && device.checks.dma_alignment) {
    if (plan.run.value % unit.value != 0)
      return refuse("dma-packet-misaligned", at)
          .what("from ", SideOf{from}, " to ", SideOf{to}, " runs of ", plan.run, " of ", type, " would be written; DM takes multiples of ",
                unit)
          .why("a row of a DM bank is written as a whole")
          .help(run_help(elements, ceil_div(unit.value * 8, bits)).view());
    for (int i = 0; i < moves.pairs; ++i) {
      PairedSteps const& s = moves.pair[i];
      if (inside[i]) continue;
      if (s.to == Level::element && s.to_stride * bits % (8 * unit.value) != 0)
        return refuse("dma-write-misaligned", at)
            .what("a step along ", s.axis, " moves ", Bytes{s.to_stride * bits / 8}, " in DM Element ", to.levels[Level::element],
                  "; writes begin at multiples of ", unit)
            .why("a row of a DM bank is written as a whole")
            .help("pad the inner axes to a multiple of ", unit);
      if (out_of_hbm && !s.broadcast && s.from == Level::element && s.from_stride * bits % (8 * unit.value) != 0)
        return refuse("dma-read-misaligned", at)
            .what("a step along ", s.axis, " moves ", Bytes{s.from_stride * bits / 8}, " in HBM Element ", from.levels[Level::element],
                  "; from HBM to DM reads begin at multiples of ", unit)
            .why("from HBM to DM the engine moves whole words of ", unit, " on both sides")
            .help("pad the inner axes in HBM to a multiple of ", unit);
    }
  }
  bool const dm = into_dm || from.memory == Memory::Dm;
  if (dm) plan.packet = largest_packet(plan.run, device.dma.packet_limit, unit);
  if (plan.packet.value == 0) plan.packet = largest_packet(plan.run, device.dma.packet_limit, Bytes{1});
  plan.requests = dma_requests(device, plan.packet);
  for (int i = 0; i < moves.pairs; ++i) plan.broadcasts |= moves.pair[i].broadcast;
  plan.uneven = moves.beyond_slot || (to.view && moves.beyond_live);
  return plan;
}

}  // namespace detail

namespace detail {

/// The levels with zero padding as any other. An upload writes the padding, too, and writes zeros: it keeps every
/// promise.
constexpr Levels without_promises(Levels levels) {
  for (Mapping& m : levels.at) {
    for (int k = 0; k < m.digits; ++k)
      if (m.digit[k].pad == Pad::zero) m.digit[k].pad = Pad::top;
    for (int t = 0; t < m.tails; ++t)
      if (m.tail[t].pad == Pad::zero) m.tail[t].pad = Pad::top;
    if (m.ok()) m = normalise(m);
  }
  return levels;
}

}  // namespace detail

/// A transfer by its types: to_dm, to_hbm, to_spm, to_host and every other pair. Where the tensors lie is asked by
/// check_transfer_at.
constexpr Expected<DmaPlan> check_transfer(const Device& device, ScalarType type, std::int64_t chips, const DmaTensor& from,
                                           const DmaTensor& to, Where at = {}) {
  auto const link = link_between(from.memory, to.memory, at);
  if (!link) return link.refusal();
  if (!scalar_info(type).in_memory)
    return refuse("dma-type-not-in-memory", at)
        .what(type, " has no form in memory")
        .why("it exists between the fetch and the contraction only")
        .help("move ", type == ScalarType::i5 ? "i4" : "i8", ", and subtract the zero point in the fetch");
  if (auto v = detail::check_dma_tensor(device, type, chips, from, at); !v) return v.refusal();
  if (auto v = detail::check_dma_tensor(device, type, chips, to, at); !v) return v.refusal();
  Pairing moves = pair_levels(from.levels, from.memory == Memory::Host ? detail::without_promises(to.levels) : to.levels);
  if (!moves.ok()) return detail::dma_fault(moves, from, to, at);
  if (moves.drops) return detail::dma_loss(moves, from, to, at);
  detail::fill_last_row(device, type, from, to, moves);
  auto plan = detail::dma_packets(device, type, moves, from, to, at);
  if (!plan) return plan;
  DmaPlan p = *plan;
  p.link = *link;
  p.crosses_chips = *link == DmaLink::tensor && !equivalent(from.levels[Level::chip], to.levels[Level::chip]);
  bool const clusters = from.memory != Memory::Hbm && to.memory != Memory::Hbm && *link == DmaLink::tensor;
  p.crosses_clusters = clusters && !equivalent(from.levels[Level::cluster], to.levels[Level::cluster]);
  if (p.crosses_chips && (from.memory == Memory::Spm || to.memory == Memory::Spm))
    return refuse("spm-other-chip", at)
        .what("Chip changes from ", from.levels[Level::chip], " to ", to.levels[Level::chip],
              "; a scratchpad is reached from its own chip only")
        .why("scratchpads hang on the network of their own chip")
        .help("go by way of HBM or DM");
  return p;
}

namespace detail {

/// Where one side is. A view's mapping has the size of all of its tensor, which was placed as a whole: of the view
/// only the alignment is asked.
constexpr Verdict check_side_at(const Device& device, ScalarType type, const DmaTensor& t, Bytes address, bool written, Where at) {
  Mapping const& element = t.levels[Level::element];
  Bytes const unit = t.memory == Memory::Dm && written && device.checks.dma_alignment ? device.dm.write_alignment : Bytes{0};
  if (t.view && t.memory != Memory::Host) return check_alignment(type, address, unit, at);
  if (t.memory == Memory::Hbm) return check_hbm(device, type, element, address, at);
  if (t.memory == Memory::Dm)
    return written ? check_dm_write(device, type, element, address, at) : check_dm(device, type, element, address, at);
  if (t.memory == Memory::Spm) return check_spm(device, type, element, address, at);
  return accept();
}

}  // namespace detail

/// The addresses of a transfer, in bytes; the host's is not ours to check.
constexpr Verdict check_transfer_at(const Device& device, ScalarType type, const DmaTensor& from, Bytes from_address, const DmaTensor& to,
                                    Bytes to_address, Where at = {}) {
  if (auto v = detail::check_side_at(device, type, from, from_address, false, at); !v) return v;
  if (device.checks.dma_alignment && from.memory == Memory::Hbm && to.memory == Memory::Dm &&
      from_address.value % device.dma.hbm_to_dm_alignment.value != 0)
    return refuse("dma-source-address-misaligned", at)
        .what("from HBM to DM reads begin at multiples of ", device.dma.hbm_to_dm_alignment, "; the source is at ", from_address.value)
        .why("from HBM to DM the engine moves whole words of ", device.dma.hbm_to_dm_alignment, " on both sides")
        .help("place it at ", round_up(from_address.value, device.dma.hbm_to_dm_alignment.value));
  return detail::check_side_at(device, type, to, to_address, true, at);
}

/// A transfer whose stream the author shapes: Time, Packet, and over which chips, clusters and slices the engines
/// divide it.
struct DmaStream {
  Loops read{}, write{};  // over all engines; strides in elements, a slice's those of the addresses that DMA sees
  Bytes packet{};
  std::int64_t requests = 1;
};

namespace detail {

/// The levels of one side as memories that one loop nest steps through.
constexpr int dma_buffers(const Device& device, ScalarType type, const DmaTensor& t, Buffer (&buffer)[4]) {
  std::int64_t const bits = scalar_info(type).packet_bits;
  bool const sram = t.memory == Memory::Dm || t.memory == Memory::Spm;
  std::int64_t const per_unit = (t.memory == Memory::Spm ? dma_pe_stride(device) : device.dm.dma_slice_stride).value * 8 / bits;
  std::int64_t const units = t.memory == Memory::Spm ? device.levels.pes_per_cluster : device.levels.slices_per_cluster;
  std::int64_t const chip = sram ? per_unit * units * device.levels.clusters_per_chip : device.hbm.capacity.value * 8 / bits;
  int n = 0;
  buffer[n++] = {t.levels[Level::chip], chip};
  if (sram) {
    buffer[n++] = {t.levels[Level::cluster], per_unit * units};
    buffer[n++] = {t.levels[Level::slice], per_unit};
  }
  buffer[n++] = {t.levels[Level::element], 1};
  return n;
}

/// True if packets of n elements are n neighbours wherever the loops go.
constexpr bool packets_contiguous(const Loops& loops, std::int64_t n) {
  if (n == 1) return true;
  if (loops.entries == 0 || loops.entry[loops.entries - 1].stride != 1) return false;
  return loops.contiguous() % n == 0;
}

}  // namespace detail

namespace detail {

/// A level without the padding after its last element: idle units have no part in a stream.
constexpr Mapping busy_units(const Mapping& m) {
  if (!m.ok() || m.digits == 0 || m.tails > 0) return m;
  return resize_to(m, footprints(m).inside[0] * live_slots(m, 0));
}

}  // namespace detail

/// The levels of a stream of which the author shapes Time and Packet: engines divide it over the chips, clusters and
/// slices of the memory that has them.
constexpr Levels dma_stream_levels(const DmaTensor& from, const DmaTensor& to, const Mapping& time, const Mapping& packet) {
  const Levels& spread = to.memory == Memory::Hbm ? from.levels : to.levels;
  Levels stream;
  stream.set(Level::chip, detail::busy_units(to.levels[Level::chip])).set(Level::cluster, detail::busy_units(spread[Level::cluster]));
  stream.set(Level::slice, detail::busy_units(spread[Level::slice]));
  return stream.set(Level::time, time).set(Level::packet, packet);
}

/// Law: read and write walk the source and the destination in the order of the stream, so that packets of both meet the
/// same elements.
constexpr Expected<DmaStream> check_dma_stream(const Device& device, ScalarType type, const DmaTensor& from, const DmaTensor& to,
                                               const Levels& stream, Where at = {}) {
  auto const link = link_between(from.memory, to.memory, at);
  if (!link) return link.refusal();
  if (auto v = check_levels(stream, at); !v) return v.refusal();
  Mapping const& packet = stream[Level::packet];
  auto const bytes = packed_size(type, Elements{packet.size}, at);
  if (!bytes) return bytes.refusal();
  if (*bytes > device.dma.packet_limit)
    return refuse("dma-packet-too-large", at)
        .what("Packet ", packet, " of ", type, " is ", *bytes, "; a packet has at most ", device.dma.packet_limit)
        .why("a packet is one transaction of the bus")
        .help("move the outer part of Packet to Time");
  Mapping const terms[] = {stream[Level::chip], stream[Level::cluster], stream[Level::slice], stream[Level::time], packet};
  Buffer source[4], destination[4];
  int const sources = detail::dma_buffers(device, type, from, source), destinations = detail::dma_buffers(device, type, to, destination);
  auto const read = derive_loops(source, sources, terms, 5, 4, {.access = Access::read}, at);
  if (!read) return read.refusal();
  auto const write = derive_loops(destination, destinations, terms, 5, 4, {.access = Access::write}, at);
  if (!write) return write.refusal();
  if (!detail::packets_contiguous(*read, packet.size) || !detail::packets_contiguous(*write, packet.size))
    return refuse("dma-packet-not-contiguous", at)
        .what("Packet ", packet, " is not in one piece ",
              detail::packets_contiguous(*read, packet.size) ? "in the destination" : "in the source")
        .why("a packet is read at one address and written at one address")
        .help("move the outer part of Packet to Time");
  std::int64_t const bits = scalar_info(type).packet_bits, unit = device.dm.write_alignment.value;
  if (device.checks.dma_alignment && to.memory == Memory::Dm) {
    if (bytes->value % unit != 0)
      return refuse("dma-stream-packet-misaligned", at)
          .what("Packet ", packet, " of ", type, " is ", *bytes, "; DM takes multiples of ", Bytes{unit})
          .why("a row of a DM bank is written as a whole")
          .help("use a packet of a multiple of ", unit, " bytes");
    for (int side = 0; side < (from.memory == Memory::Hbm ? 2 : 1); ++side) {
      Loops const& loops = side == 0 ? *write : *read;
      bool aligned = loops.base * bits % (8 * unit) == 0;
      for (int k = 0; k < loops.entries; ++k)
        aligned &= loops.entry[k].stride < packet.size || loops.entry[k].stride * bits % (8 * unit) == 0;
      if (!aligned)
        return refuse("dma-stream-misaligned", at)
            .what("the walk ", loops, " through ", side == 0 ? to.memory : from.memory, " leaves multiples of ", Bytes{unit})
            .why("a row of a DM bank is written as a whole")
            .help("pad the inner axes to a multiple of ", unit, " bytes");
    }
  }
  DmaStream s;
  s.read = *read;
  s.write = *write;
  s.packet = *bytes;
  s.requests = dma_requests(device, *bytes);
  return s;
}

}  // namespace tcp
