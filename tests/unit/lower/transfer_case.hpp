// One transfer for tests: two tensors in the book's notation, lowered.
#pragma once

#include <stdexcept>
#include <string>

#include "lower_module.hpp"
#include "module_builder.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/support/render.hpp"
#include "unit/lower/transfer_machine.hpp"

namespace tcp::lower {

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
