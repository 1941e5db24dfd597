// DMA descriptors: a transfer becomes loops that read and write together, for each engine its part.
//
// Needs: the pairs of steps that rules/dma.hpp found, and placed tensors. Leaves: program::Dma. Steps along Element are loops; steps along Slice are loops inside
// a DMN, whose slices lie one behind the other for DMA, and different descriptors beyond it, as are clusters and chips.
// Refuses: what no even loop nest moves.
#include <algorithm>

#include "pass.hpp"
#include "tcp/scalar/packing.hpp"

namespace tcp::lower {

namespace {

/// One side of a transfer.
struct Side {
  const ir::Tensor& tensor;
  DmaTensor dma;
  std::int64_t address = 0;

  Side(const ir::Module& module, ir::TensorId id)
      : tensor(module.tensor(id)),
        dma{tensor.memory, module.levels(tensor), tensor.view.has_value()},
        address(module.address_of(id).value_or(0)) {}
};

/// Where a descriptor begins, beyond the first one.
struct Shift {
  std::int64_t chip = 0, cluster = 0, unit = 0, bytes = 0;

  void add(Level level, std::int64_t positions, std::int64_t bits) {
    if (level == Level::chip) chip += positions;
    else if (level == Level::cluster) cluster += positions;
    else if (level == Level::slice) unit += positions;
    else bytes += positions * bits / 8;
  }
};

class Descriptors {
 public:
  Descriptors(const Device& device, const DmaPlan& plan, const Side& from, const Side& to, Where at)
      : device_(device), plan_(plan), from_(from), to_(to), bits_(scalar_info(from.tensor.type).packet_bits), at_(at) {}

  Expected<program::Dma> make() {
    if (plan_.uneven) return not_yet("blocks of the source end inside the destination");
    bool inside[Pairing::max_pairs]{};
    detail::common_run(plan_.moves, from_.dma, to_.dma, inside);
    for (int i = 0; i < plan_.moves.pairs; ++i) {
      if (inside[i]) continue;
      if (plan_.moves.pair[i].ragged) return not_yet("blocks of the source end inside the destination");
      divide(plan_.moves.pair[i]);
    }
    if (std::int64_t const packets = plan_.run.value / plan_.packet.value; packets > 1)
      loops_.push_back({packets, plan_.packet.value, plan_.packet.value, false, false});
    if (static_cast<std::int64_t>(loops_.size()) > device_.sequencer.entries) return not_yet("there are more loops than a sequencer has");
    enumerate(0, {}, {});
    made_.pcie = plan_.link == DmaLink::pcie;
    return std::move(made_);
  }

 private:
  Refusal not_yet(const char* what) const {
    return refuse("lower-transfer-unsupported", at_)
        .what("this transfer does not lower yet: ", what)
        .why("one loop nest moves what both sides count evenly")
        .help("move in two steps, or use the same blocks on both sides");
  }

  /// A step of one side as bytes, where it stays in one address space; -1 elsewhere.
  std::int64_t bytes_of(const Side& side, Level level, std::int64_t stride) const {
    if (level == Level::element) return stride * bits_ / 8;
    if (level == Level::slice && side.tensor.memory == Memory::Dm) return stride * device_.dm.dma_slice_stride.value;
    return -1;
  }
  /// How many of a pair's steps, from the innermost on, stay in one address space.
  std::int64_t together(const Side& side, Level level, std::int64_t stride, std::int64_t size) const {
    if (level == Level::element || size == 1) return size;
    std::int64_t const dmn = device_.levels.slices_per_dmn;
    if (level != Level::slice || side.tensor.memory != Memory::Dm || stride == 0 || dmn % stride != 0) return 1;
    std::int64_t const room = dmn / stride;
    std::int64_t const inner = size <= room ? size : size % room == 0 ? room : 1;
    return inner == 1 || dmn % (stride * inner) == 0 ? inner : 1;
  }
  void divide(const PairedSteps& s) {
    std::int64_t const from_stride = s.broadcast ? 0 : s.from_stride;
    Level const from = s.broadcast ? Level::element : s.from;
    std::int64_t const read = together(from_, from, from_stride, s.size), write = together(to_, s.to, s.to_stride, s.size);
    std::int64_t const inner = s.size % std::min(read, write) == 0 ? std::min(read, write) : 1;
    if (inner > 1) loops_.push_back({inner, bytes_of(from_, from, from_stride), bytes_of(to_, s.to, s.to_stride), false, false});
    if (inner < s.size) apart_.push_back({s.size / inner, from, s.to, from_stride * inner, s.to_stride * inner});
  }

  struct Apart {
    std::int64_t rounds;
    Level from, to;
    std::int64_t from_stride, to_stride;
  };
  void enumerate(std::size_t k, Shift read, Shift write) {
    if (k == apart_.size()) return add(read, write);
    const Apart& a = apart_[k];
    for (std::int64_t i = 0; i < a.rounds; ++i) {
      Shift r = read, w = write;
      r.add(a.from, i * a.from_stride, bits_);
      w.add(a.to, i * a.to_stride, bits_);
      enumerate(k + 1, r, w);
    }
  }
  static program::DmaSide side(const Side& s, const Shift& by) {
    return {static_cast<program::Memory>(s.tensor.memory), static_cast<std::int32_t>(by.chip), static_cast<std::int32_t>(by.cluster),
            static_cast<std::int32_t>(by.unit), s.address + by.bytes};
  }
  void add(const Shift& read, const Shift& write) {
    program::DmaDescriptor d;
    d.read = side(from_, read);
    d.write = side(to_, write);
    const program::DmaSide& near = to_.tensor.memory == Memory::Hbm && from_.tensor.memory != Memory::Host ? d.read : d.write;
    std::int64_t const dmn = near.memory == program::Memory::Dm ? near.unit / device_.levels.slices_per_dmn : near.unit;
    d.engine = static_cast<std::int32_t>(near.cluster * device_.levels.dmns_per_cluster + dmn);
    d.loops = loops_;
    d.packet_bytes = plan_.packet.value;
    made_.descriptors.push_back(std::move(d));
  }

  const Device& device_;
  const DmaPlan& plan_;
  const Side &from_, &to_;
  std::int64_t bits_;
  Where at_;
  std::vector<program::DmaLoop> loops_;
  std::vector<Apart> apart_;
  program::Dma made_;
};

Expected<program::Dma> lower_move(const ir::Module& module, const Device& device, ir::TensorId source, ir::TensorId destination,
                                  const ir::CommandFacts& facts, Where at) {
  const auto* plan = std::get_if<DmaPlan>(&facts);
  if (plan == nullptr)
    return refuse("lower-transfer-unsupported", at)
        .what("gather, scatter, slices and shuffles of chips do not lower yet")
        .why("their descriptors have index tables or differ from chip to chip")
        .help("run the kernel on the interpreter");
  return Descriptors(device, *plan, Side(module, source), Side(module, destination), at).make();
}

}  // namespace

Expected<program::Dma> lower_transfer(const ir::Module& module, const Device& device, const ir::Transfer& transfer,
                                      const ir::CommandFacts& facts, Where at) {
  return lower_move(module, device, transfer.source, transfer.destination, facts, at);
}

Expected<program::Dma> lower_host_transfer(const ir::Module& module, const Device& device, const ir::HostTransfer& transfer,
                                           const ir::CommandFacts& facts, Where at) {
  return lower_move(module, device, transfer.source, transfer.destination, facts, at);
}

}  // namespace tcp::lower
