// One transfer for tests: two tensors in the book's notation, lowered.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "lower_module.hpp"
#include "module_builder.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/device/derived.hpp"
#include "tcp/ir/module.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/program/program.hpp"
#include "tcp/support/render.hpp"

// A literal executor of DMA descriptors, and the question whether a transfer arrived: what the tests of lowering hold descriptors against.
//
// The machine knows addresses and bytes only. It is filled from the source's mapping, cell by cell, with a number that says which element it is; afterwards the
// destination is read cell by cell as its own mapping says. What lies elsewhere is garbage, and must not have been written.

namespace tcp::lower {

/// One byte of the machine: memory, chip, cluster, slice or DMN, address.
struct ByteAt {
  program::Memory memory = program::Memory::Hbm;
  std::int64_t chip = 0, cluster = 0, unit = 0, address = 0;
  auto operator<=>(const ByteAt&) const = default;
};

class TransferMachine {
 public:
  explicit TransferMachine(const Device& device) : device_(device) {}

  std::map<ByteAt, std::uint8_t> bytes;
  std::set<ByteAt> read, written;
  std::string trouble;

  void run(const program::Dma& dma) {
    for (const program::DmaDescriptor& d : dma.descriptors) run(d);
  }

 private:
  ByteAt at(const program::DmaSide& side, std::int64_t moved, std::int64_t byte) const {
    ByteAt b{side.memory, side.chip, side.cluster, 0, side.address + moved};
    std::int64_t const unit = side.memory == program::Memory::Dm    ? device_.dm.dma_slice_stride.value
                              : side.memory == program::Memory::Spm ? device_.dm.dma_slice_stride.value * 64
                                                                    : 0;
    if (unit > 0) {
      b.unit = side.unit + b.address / unit;
      b.address %= unit;
    }
    b.address += byte;
    return b;
  }
  std::uint8_t load(const ByteAt& b) {
    read.insert(b);
    auto const found = bytes.find(b);
    bool const zeros = b.memory == program::Memory::Host && b.address < device_.dma.packet_limit.value;
    return found != bytes.end() ? found->second : zeros ? std::uint8_t{0} : std::uint8_t{0xa5};
  }
  void fail(const char* what) {
    if (trouble.empty()) trouble = what;
  }

  void run(const program::DmaDescriptor& d) {
    if (static_cast<std::int64_t>(d.loops.size()) > device_.sequencer.entries) fail("too many loops");
    if (d.packet_bytes < 1 || d.packet_bytes > device_.dma.packet_limit.value) fail("no such packet");
    for (const program::DmaLoop& l : d.loops)
      if (l.size < 1 || l.size > device_.sequencer.iterations) fail("too many rounds");
    std::vector<std::int64_t> round(d.loops.size(), 0);
    while (true) {
      std::int64_t from = 0, to = 0, row = 0;
      for (std::size_t i = 0; i < round.size(); ++i) {
        from += round[i] * d.loops[i].read_stride;
        to += round[i] * d.loops[i].write_stride;
        row += round[i] * d.loops[i].index_stride;
      }
      if (d.index) {
        const program::DmaIndex& index = *d.index;
        std::uint32_t number = 0;
        for (int i = 0; i < 4; ++i) number |= static_cast<std::uint32_t>(load(at(index.table, row, i))) << (8 * i);
        std::int64_t const named = static_cast<std::int64_t>(number) / index.key_step;
        if (named >= index.rows || named * index.key_step != static_cast<std::int64_t>(number)) return fail("no such row");
        (index.scatter ? to : from) += named * index.row_stride;
      }
      packet(d, from, to);
      std::size_t i = round.size();
      while (i > 0 && ++round[i - 1] == d.loops[i - 1].size) round[--i] = 0;
      if (i == 0) return;
    }
  }
  void packet(const program::DmaDescriptor& d, std::int64_t from, std::int64_t to) {
    bool const into_dm = d.write.memory == program::Memory::Dm && device_.checks.dma_alignment;
    std::int64_t const row = device_.dm.write_alignment.value;
    if (into_dm && (d.packet_bytes % row != 0 || at(d.write, to, 0).address % row != 0)) fail("a part of a row of DM");
    if (into_dm && d.read.memory == program::Memory::Hbm && at(d.read, from, 0).address % row != 0) fail("HBM is read between words");
    std::vector<std::uint8_t> moved;
    for (std::int64_t i = 0; i < d.packet_bytes; ++i) moved.push_back(load(at(d.read, from, i)));
    for (std::int64_t i = 0; i < d.packet_bytes; ++i) {
      ByteAt const place = at(d.write, to, i);
      bytes[place] = moved[static_cast<std::size_t>(i)];
      written.insert(place);
    }
  }

  const Device& device_;
};

/// A tensor in the machine, place by place.
class PlacedTensor {
 public:
  PlacedTensor(const ir::Module& module, ir::TensorId id)
      : levels(module.levels(module.tensor(id))),
        view(module.tensor(id).view.has_value()),
        bits(scalar_info(module.tensor(id).type).packet_bits),
        memory_(static_cast<program::Memory>(module.tensor(id).memory)),
        address_(module.address_of(id).value_or(0)) {}

  Levels levels;
  bool view;
  std::int64_t bits;

  /// visit(place, cell) for all places; of a window's place with several elements the first.
  template <class Visit>
  void each(Visit visit) const {
    Place p;
    for (p.chip = 0; p.chip < levels[Level::chip].size; ++p.chip)
      for (p.cluster = 0; p.cluster < levels[Level::cluster].size; ++p.cluster)
        for (p.slice = 0; p.slice < levels[Level::slice].size; ++p.slice)
          for (p.element = 0; p.element < levels[Level::element].size; ++p.element) visit(p, at(p));
  }
  Cell at(const Place& p) const {
    detail::Sum sum;
    for (int l = 0; l < level_count; ++l) detail::add_position(sum, levels.at[l], p.on(l), 0);
    return sum.conclude();
  }
  /// The byte in which a place begins, and which bit of it.
  ByteAt byte(const Place& p) const {
    bool const sram = memory_ == program::Memory::Dm || memory_ == program::Memory::Spm;
    return {memory_, p.chip, sram ? p.cluster : 0, sram ? p.slice : 0, address_ + p.element * bits / 8};
  }
  std::uint32_t get(const TransferMachine& m, const Place& p) const {
    std::uint32_t v = 0;
    ByteAt b = byte(p);
    for (std::int64_t i = 0; i * 8 < bits; ++i, ++b.address) {
      auto const found = m.bytes.find(b);
      v |= (found == m.bytes.end() ? 0xa5u : found->second) << (8 * i);
    }
    return bits < 8 ? (v >> (p.element * bits % 8)) & ((1u << bits) - 1) : v;
  }
  void put(TransferMachine& m, const Place& p, std::uint32_t v) const {
    ByteAt b = byte(p);
    if (bits < 8) {
      std::int64_t const shift = p.element * bits % 8;
      std::uint8_t& there = m.bytes[b];
      std::uint32_t const mask = ((1u << bits) - 1) << shift;
      there = static_cast<std::uint8_t>((there & ~mask) | ((v << shift) & mask));
      return;
    }
    for (std::int64_t i = 0; i * 8 < bits; ++i, ++b.address) m.bytes[b] = static_cast<std::uint8_t>(v >> (8 * i));
  }
  /// What element `index` holds: a number of its coordinates along the axes that this tensor counts.
  std::uint32_t value(const Index& index) const {
    std::uint64_t h = 1469598103934665603u;
    for (const Mapping& m : levels.at)
      for (int a = 0; a < m.axes; ++a) {
        bool first = coarsest_digit(m, a) >= 0;
        for (const Mapping& before : levels.at) {
          if (&before == &m) break;
          int const b = find_axis(before, m.axis[a].name);
          first &= b < 0 || coarsest_digit(before, b) < 0;
        }
        if (first) sum(h, m.axis[a].name, index);
      }
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9u;
    return static_cast<std::uint32_t>(h >> 32) & (bits >= 32 ? ~0u : (1u << bits) - 1);
  }
  /// True if writes may go there.
  bool may_write(const Cell& c) const { return c.live() || (!view && c.pad != Pad::bottom); }

 private:
  static void sum(std::uint64_t& h, const Name& axis, const Index& index) {  // in whichever order
    h += (axis.head * 0x9e3779b97f4a7c15u + axis.tail) * static_cast<std::uint64_t>(index.get(axis) * 2 + 1);
  }

  program::Memory memory_;
  std::int64_t address_;
};

/// Empty if every element of the destination arrived, promised zeros as well, and nothing else was touched. `source_of(place, index)` is the index that the
/// source has for what is stored at a place of the destination. `whole` is the tensor that the destination is a view of: its padding may be written.
template <class SourceOf>
std::string arrival(TransferMachine& m, const PlacedTensor& from, const PlacedTensor& to, const PlacedTensor& whole, SourceOf source_of) {
  if (!m.trouble.empty()) return m.trouble;
  std::ostringstream says;
  std::set<ByteAt> own;
  auto const owns = [&](const PlacedTensor& t, const Place& p) {
    for (std::int64_t i = 0; i < std::max<std::int64_t>(1, t.bits / 8); ++i) {
      ByteAt b = t.byte(p);
      b.address += i;
      if (m.written.contains(b)) own.insert(b);
    }
  };
  if (to.view)
    whole.each([&](const Place& p, const Cell& c) {
      if (!c.live() && c.pad != Pad::bottom && c.pad != Pad::zero) owns(whole, p);
    });
  to.each([&](const Place& p, const Cell& c) {
    if (to.may_write(c)) owns(to, p);
    if (!says.str().empty()) return;
    bool const zero = !c.live() && c.pad == Pad::zero && !to.view;
    if (!c.live() && !zero) return;
    std::uint32_t const want = zero ? 0 : from.value(source_of(p, c.index)), have = to.get(m, p);
    if (want == have) return;
    says << "chip " << p.chip << " cluster " << p.cluster << " slice " << p.slice << " element " << p.element << " holds " << have
         << ", not " << want << (zero ? " (zero padding)" : "");
  });
  for (const ByteAt& b : m.written)
    if (!own.contains(b) && says.str().empty())
      says << "byte " << b.address << " of unit " << b.unit << ", cluster " << b.cluster << ", chip " << b.chip << " was written";
  return says.str();
}

/// Puts every element where the mapping says, and zeros where they are promised; what is not filled holds garbage.
inline void fill(TransferMachine& m, const PlacedTensor& t) {
  t.each([&](const Place& p, const Cell& c) {
    if (c.live() || c.pad == Pad::zero) t.put(m, p, c.live() ? t.value(c.index) : 0);
  });
}

struct InMemory {
  Memory memory = Memory::Hbm;
  std::string slice = "1", element = "1";
  std::string cluster = "1 # 2", chip = "1";
  std::int64_t address = 0;
};
inline InMemory in_hbm(std::string element, std::int64_t address = 0, std::string chip = "1") {
  return {Memory::Hbm, "1", std::move(element), "1", std::move(chip), address};
}
inline InMemory in_dm(std::string slice, std::string element, std::int64_t address = 0, std::string cluster = "1 # 2",
                      std::string chip = "1") {
  return {Memory::Dm, std::move(slice), std::move(element), std::move(cluster), std::move(chip), address};
}
inline InMemory in_spm(std::string pe, std::string element, std::int64_t address = 0, std::string cluster = "1 # 2") {
  return {Memory::Spm, std::move(pe), std::move(element), std::move(cluster), "1", address};
}

class TransferCase {
 public:
  explicit TransferCase(const std::string& axes, std::int64_t chips = 1) : builder(axes, chips) {}

  build::ModuleBuilder builder;
  Device device = rngd;

  ir::TensorId add(const InMemory& where, ScalarType type, ir::Role role = ir::Role::from_addr) {
    ir::Tensor t;
    t.name = "t" + std::to_string(builder.module.tensors.size());
    t.memory = where.memory;
    t.type = type;
    t.chip = builder.map(where.memory == Memory::Host ? "1" : where.chip);
    bool const sram = where.memory == Memory::Dm || where.memory == Memory::Spm;
    t.cluster = builder.map(sram ? where.cluster : "1");
    t.slice = builder.map(sram ? where.slice : "1");
    t.element = builder.map(where.element);
    t.address = where.address;
    t.role = role;
    builder.module.tensors.push_back(std::move(t));
    return ir::TensorId(builder.module.tensors.size() - 1);
  }
  ir::TensorId tile(ir::TensorId of, const char* dimension, std::int64_t length, std::int64_t start) {
    ir::Tensor t = builder.module.tensor(of);
    t.view = ir::ViewOf{of, ir::ViewOf::Kind::tile, builder.map(dimension), length, start};
    t.address.reset();
    t.role = ir::Role::temporary;
    auto const seen = tcp::tile(builder.module.map(t.element), builder.module.map(t.view->dimension), length, start);
    if (!seen) throw std::invalid_argument(std::string(seen.refusal().sentence().view()));
    t.element = builder.module.intern(seen->mapping);
    builder.module.tensors.push_back(std::move(t));
    return ir::TensorId(builder.module.tensors.size() - 1);
  }
  void move(ir::TensorId from, ir::TensorId to) {
    transfer.source = from;
    transfer.destination = to;
  }

  ir::Transfer transfer;

  Expected<program::Program> lowered() {
    if (builder.module.commands.empty()) builder.module.commands.push_back({transfer, {}, ir::none});
    return build::lower_module(builder.module, device);
  }
  program::Command command() {
    auto const program = lowered();
    if (!program) throw std::invalid_argument(render(program.refusal()));
    return program->commands.at(0);
  }
  program::Dma dma() { return std::get<program::Dma>(command().what); }

  /// Lowers and runs it; empty if everything arrived.
  std::string moved() {
    program::Dma const made = dma();
    TransferMachine machine(device);
    PlacedTensor const from(builder.module, transfer.source), to(builder.module, transfer.destination),
        whole(builder.module, builder.module.root_of(transfer.destination));
    fill(machine, from);
    machine.run(made);
    // An element of the source's window has what the first one at its place has.
    return arrival(machine, from, to, whole, [&from](const Place&, const Index& index) {
      Place place;
      return find_place(from.levels, index, place) ? from.at(place).index : index;
    });
  }
};

inline std::string moved(const std::string& axes, const InMemory& from, const InMemory& to, ScalarType type = ScalarType::i8) {
  TransferCase c(axes);
  auto const source = c.add(from, type);
  c.move(source, c.add(to, type));
  return c.moved();
}

}  // namespace tcp::lower
