// A pass that only moves: from a DM tensor through fetch, switch, collect, cast and transpose into another, written in the book's notation, and lowered.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

#include "lower_module.hpp"
#include "module_builder.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/support/render.hpp"

namespace tcp::lower {

inline program::Program lowered(const ir::Module& module, const Device& device = logical) {
  auto program = build::lower_module(module, device);
  if (!program) throw std::runtime_error(render(program.refusal()));
  return *std::move(program);
}
inline const program::Exec& exec_at(const program::Program& p, std::size_t i) { return std::get<program::Exec>(p.commands.at(i).what); }

/// What is empty is as it was.
struct Mover {
  std::string axes, element, time, packet;  // of the fetch
  std::string collected_time = {}, collected_packet = {};
  std::string to = {};  // Element of the result; else what is collected
  ScalarType stored = ScalarType::i8, type = stored;
  std::string slice = "1 # 256";
  std::int64_t address = 0, to_address = 1 << 18;
  std::string chip = "1", cluster = "1 # 2";
  std::vector<std::int64_t> zero_points = {};
  Tu context = Tu::Main;
  // Of the switch, if there is one.
  std::optional<SwitchConfig> config = {};
  std::string switched_slice = {}, switched_time = {};
  // Of the Transpose Engine.
  std::string transposed_time = {}, transposed_packet = {};
  // Of the Cast Engine.
  std::optional<ScalarType> cast = {};
  std::string cast_packet = {};
  std::optional<SliceMask> writers = {};

  build::ModuleBuilder module() const {
    build::ModuleBuilder b(axes);
    b.chip = chip;
    b.cluster = cluster;
    ir::TensorId const from = b.dm("from", stored, slice, element, address);
    std::string last_slice = slice, last_time = time, last_packet = packet;
    auto pass = context == Tu::Main ? b.main(from) : b.sub(from);
    pass.type(type).time(time).packet(packet).stage(ir::Fetch{-1, zero_points});
    auto const next = [&](const std::string& new_time, const std::string& new_packet) {
      if (!new_time.empty()) last_time = new_time;
      if (!new_packet.empty()) last_packet = new_packet;
      pass.time(last_time).packet(last_packet);
    };
    if (config) {
      last_slice = switched_slice;
      next(switched_time, "");
      pass.slice(last_slice).stage(ir::Switch{*config});
    }
    next(collected_time, collected_packet);
    pass.stage(ir::Collect{});
    if (cast) {
      next("", cast_packet);
      pass.type(*cast).stage(ir::Cast{});
    }
    if (!transposed_packet.empty()) {
      next(transposed_time, transposed_packet);
      pass.stage(ir::Transpose{});
    }
    ir::TensorId const end = b.dm("to", cast.value_or(type), last_slice, to.empty() ? last_time + ", " + last_packet : to, to_address);
    pass.into(ir::Commit{end, writers, false});
    return b;
  }
  program::Program program(const Device& device = logical) const { return lowered(module().module, device); }
  program::Exec exec() const { return exec_at(program(), 0); }
  program::Commit commit() const { return std::get<program::Commit>(exec().sink); }
};

}  // namespace tcp::lower
