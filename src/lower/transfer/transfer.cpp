// The table of contents of DMA: each kind of transfer becomes a move, and a move descriptors. The files of this folder:
//
//   steps          the loops that both sides take together, and which of their rounds are meant
//   segments       these rounds as boxes
//   stream         packets, engines, limits of the sequencer
//   order          which loop is inside of which
//   ranges         the bytes that descriptors touch
//
// Needs: what the rules found, and placed tensors. Leaves: program::Dma. Law: executed literally, the descriptors put
// every element of the destination where its mapping says, and write nothing but elements and padding of its own.
// Refuses: what stream.cpp refuses.
#include "lower/transfer/transfer.hpp"

#include <algorithm>

#include "tcp/support/round.hpp"

namespace tcp::lower {

namespace {

using transfer::Move;
using transfer::Side;

using Lowered = Expected<program::Dma>;

class Transfers {
 public:
  Transfers(const ir::Module& module, const Device& device, const ir::Transfer& transfer, Where at)
      : module_(module),
        device_(device),
        transfer_(transfer),
        at_(at),
        from_(transfer::side_of(module, transfer.source)),
        to_(transfer::side_of(module, transfer.destination)) {}

  Lowered move(const DmaPlan& plan) const {
    Move move = transfer::move_of(plan.moves, from_, transfer::written_side_of(module_, transfer_.destination));
    if (transfer_.time && transfer_.packet) shape(move, module_.map(*transfer_.time), module_.map(*transfer_.packet));
    return descriptors(std::move(move));
  }

  Lowered rows(const Gathered& found) const {
    bool const scatter = transfer_.kind == ir::Transfer::Kind::scatter;
    Side const index = transfer::side_of(module_, transfer_.rows);
    return descriptors(transfer::rows_of(found, scatter ? to_ : from_, index, scatter ? from_ : to_, transfer_.row_axis, scatter));
  }

  /// Everything moves as if it stayed where it is, and is then written elsewhere: out[c] = in[p[c]].
  Lowered shuffle(const DmaPlan& plan) const {
    Side to = to_;
    to.levels = from_.levels;
    to.view |= has_foreign_padding(to_.levels);
    auto made = descriptors(transfer::move_of(plan.moves, from_, to));
    if (!made) return made;
    program::Dma dma = *std::move(made);
    std::vector<std::int32_t> goes_to(transfer_.permutation.size());
    for (std::size_t c = 0; c < goes_to.size(); ++c)
      goes_to[static_cast<std::size_t>(transfer_.permutation[c])] = static_cast<std::int32_t>(c);
    bool const chips = transfer_.kind == ir::Transfer::Kind::chip_shuffle;
    for (program::DmaDescriptor& d : dma.descriptors) {
      std::int32_t& unit = chips ? d.write.chip : d.write.cluster;
      unit = goes_to[static_cast<std::size_t>(unit)];
    }
    return dma;
  }

  /// Each chip copies its own part; one that is turned around its axis in two pieces.
  Lowered slice(const ChipSliced& found) const {
    program::Dma all;
    all.parallel_copy = true;
    std::int64_t const steps = module_.map(transfer_.dimension).size;
    for (std::size_t c = 0; c < transfer_.permutation.size(); ++c) {
      std::int64_t const start = transfer_.permutation[c], first = std::min(transfer_.length, steps - start);
      if (auto v = copy_piece(all, found, c, start, 0, first); !v) return v.refusal();
      if (first == transfer_.length) continue;
      if (auto v = copy_piece(all, found, c, 0, first, transfer_.length - first); !v) return v.refusal();
    }
    return all;
  }

 private:
  Lowered descriptors(Move move) const { return transfer::descriptors_of(device_, module_.chips, std::move(move), at_); }

  /// Padding of a result that must not be touched, though that of the source may.
  static bool has_foreign_padding(const Levels& levels) {
    for (const Mapping& m : levels.at)
      for (int k = 0; k < m.digits; ++k)
        if (m.digit[k].pad == Pad::bottom) return true;
    return false;
  }

  static void shape(Move& move, const Mapping& time, const Mapping& packet) {
    move.packet_elements = packet.size;
    for (const Mapping* m : {&time, &packet})
      for (int k = 0; k < m->digits; ++k) {
        const Digit& d = m->digit[k];
        if (d.axis == no_axis || d.in_window() || d.skewed_by != no_axis) continue;
        move.time_axes.push_back(m->axis[d.axis].name);
        move.time_steps.push_back({d.stride, d.size});
      }
  }

  /// `length` steps of the dimension, on one chip, from step `read` of the source to step `write` of the result.
  Verdict copy_piece(program::Dma& all, const ChipSliced& found, std::size_t chip, std::int64_t read, std::int64_t write,
                     std::int64_t length) const {
    Side from = from_, to = to_;
    const Mapping &dimension = module_.map(transfer_.dimension), &element = from_.levels[Level::element];
    auto const seen = tile(element, dimension, length, 0, at_);
    if (!seen) return seen.refusal();
    from.levels[Level::element] = seen->mapping;
    from.view = true;
    to.levels = from_.levels;
    Mapping const inner = split_at(element, found.stride).inner, outer = split_at(element, found.stride * dimension.size).outer;
    bool const whole = length == transfer_.length;
    Mapping const piece = whole ? resize_to(dimension, length) : pad_to(resize_to(dimension, length), transfer_.length, Pad::bottom);
    to.levels[Level::element] = pair(pair(outer, piece), inner);
    from.address += read * found.stride * from.bits / 8;
    to.address += write * found.stride * to.bits / 8;
    Move move = transfer::move_of(pair_levels(from.levels, to.levels), from, to);
    move.bounded_axes = false;
    auto made = descriptors(std::move(move));
    if (!made) return made.refusal();
    for (const program::DmaDescriptor& d : made->descriptors)
      if (d.read.chip == static_cast<std::int32_t>(chip)) all.descriptors.push_back(d);
    return accept();
  }

  const ir::Module& module_;
  const Device& device_;
  const ir::Transfer& transfer_;
  Where at_;
  Side from_, to_;
};

bool promises_zeros(const Levels& levels) {
  for (const Mapping& m : levels.at) {
    for (int k = 0; k < m.digits; ++k)
      if (m.digit[k].pad == Pad::zero) return true;
    for (int t = 0; t < m.tails; ++t)
      if (m.tail[t].pad == Pad::zero) return true;
  }
  return false;
}

/// The levels with promised zeros as padding that is never written: the host's own padding may hold anything, and must
/// not go over the zeros.
Levels with_zeros_left_alone(Levels levels) {
  for (Mapping& m : levels.at) {
    for (int k = 0; k < m.digits; ++k)
      if (m.digit[k].pad == Pad::zero) m.digit[k].pad = Pad::bottom;
    for (int t = 0; t < m.tails; ++t)
      if (m.tail[t].pad == Pad::zero) m.tail[t].pad = Pad::bottom;
    m = detail::normalise(m);
  }
  return levels;
}

/// An upload writes zeros where they are promised: all of the tensor first, from the zeros that every host has.
void fill_with_zeros(const Device& device, std::int64_t chips, const Side& to, program::Dma& dma) {
  std::int64_t const bytes = ceil_div(to.levels[Level::element].size * to.bits, 8), most = device.dma.packet_limit.value;
  for (std::int64_t c = 0; c < chips; ++c)
    for (bool rest : {false, true}) {
      program::DmaDescriptor d;
      d.packet_bytes = rest ? bytes % most : most;
      std::int64_t const begin = rest ? bytes - bytes % most : 0, packets = rest ? 1 : bytes / most;
      if (d.packet_bytes == 0 || packets == 0) continue;
      std::int64_t const limit = device.sequencer.iterations;
      for (std::int64_t done = 0; done < packets;) {
        std::int64_t const rounds = std::min(limit, packets - done);
        d.engine = static_cast<std::int32_t>(c * device.dma.engines_per_chip);
        d.read = {program::Memory::Host, 0, 0, 0, 0};
        d.write = {program::Memory::Hbm, static_cast<std::int32_t>(c), 0, 0, to.address + begin + done * most};
        d.loops.clear();
        if (rounds > 1) d.loops.push_back({rounds, 0, most, 0});
        dma.descriptors.push_back(d);
        done += rounds;
      }
    }
}

}  // namespace

Expected<program::Dma> lower_transfer(const ir::Module& module, const Device& device, const ir::Transfer& transfer,
                                      const ir::CommandFacts& facts, Where at) {
  Transfers const t(module, device, transfer, at);
  if (const auto* rows = facts.if_found<Gathered>()) return t.rows(*rows);
  if (const auto* sliced = facts.if_found<ChipSliced>()) return t.slice(*sliced);
  const auto& plan = facts.as<DmaPlan>();
  return transfer.kind == ir::Transfer::Kind::move ? t.move(plan) : t.shuffle(plan);
}

Expected<program::Dma> lower_host_transfer(const ir::Module& module, const Device& device, const ir::HostTransfer& transfer,
                                           const ir::CommandFacts& facts, Where at) {
  Side const from = transfer::side_of(module, transfer.source);
  Side to = transfer::side_of(module, transfer.destination);
  program::Dma all;
  all.pcie = true;
  bool const upload = from.memory == Memory::Host;
  bool const zeros = upload && promises_zeros(to.levels);
  if (zeros && !to.view) fill_with_zeros(device, module.chips, to, all);
  auto const moved = [&](const Pairing& moves, const Levels& levels) {
    to.levels = levels;
    Move move = transfer::move_of(moves, from, to);
    move.pcie = true;
    return transfer::descriptors_of(device, module.chips, std::move(move), at);
  };
  Levels const left_alone = zeros ? with_zeros_left_alone(to.levels) : to.levels;
  Levels const written = upload ? detail::without_promises(to.levels) : to.levels;
  auto made = zeros ? moved(pair_levels(from.levels, left_alone), left_alone) : moved(facts.as<DmaPlan>().moves, written);
  // A byte that an element shares with padding goes as a whole; the host has a zero beside the element, as images have.
  if (zeros && !made) made = moved(facts.as<DmaPlan>().moves, written);
  if (!made) return made;
  all.descriptors.insert(all.descriptors.end(), made->descriptors.begin(), made->descriptors.end());
  return all;
}

}  // namespace tcp::lower
