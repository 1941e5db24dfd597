// A pass through the vector engine for tests: written in the book's notation, lowered, run by the literal machine, and what comes out by index.
//
// The source has an element for every index, value(index); what is padding holds garbage, unless the fetch's mask replaces it.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "lower_module.hpp"
#include "module_builder.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/support/render.hpp"
#include "unit/lower/vector_machine.hpp"

namespace tcp::lower {

/// A stage with the stream behind it; what is empty stays as it was.
struct Then {
  std::function<void(build::ModuleBuilder::PassBuilder&)> add;
  std::string slice, time, packet;
};

template <class What>
Then then(What what, std::string time = "", std::string packet = "", std::string slice = "") {
  return {[what](build::ModuleBuilder::PassBuilder& p) { p.stage(what); }, std::move(slice), std::move(time), std::move(packet)};
}
inline Then then(VectorMethod method, std::string time = "", std::string packet = "") {
  ir::VectorOperation o;
  o.step = step_of(method);
  return then(o, std::move(time), std::move(packet));
}
inline Then add_constant(std::int32_t n) {
  ir::VectorOperation o;
  o.step = step_of(FxpBinaryOp::AddFxp);
  o.operands.push_back({{OperandKind::immediate, ScalarType::i32, OperandGuard::always(), true, static_cast<std::uint32_t>(n)}, ir::none});
  return then(o);
}
inline Then branch() { return then(ir::Branch{BranchMode::Unconditional, ir::none}); }
inline Then reduce(const char* axis, ReduceOp op, std::string time, std::string packet) {
  return then(ir::IntraSliceReduce{Name(axis), op}, std::move(time), std::move(packet));
}

struct Register {
  std::string slice, element;
  std::int64_t address = 0;
};

struct VectorPass {
  std::string axes, slice, time, packet;  // as the stream enters the vector engine
  std::vector<Then> stages = {};
  ScalarType type = ScalarType::i32, stored = ScalarType::i32;
  std::string fetch_time = {}, fetch_packet = {};  // where they differ
  std::string element = {};                        // of the source; else [Time, Packet]
  Device device = logical;
  std::string cluster = "1";
  std::vector<Register> registers = {};  // their tensors are 0, 1, ...

  build::ModuleBuilder module() const {
    build::ModuleBuilder b(axes);
    b.cluster = cluster;
    for (const Register& r : registers) b.module.tensors[b.vrf("vrf", type, r.slice, r.element, r.address)].role = ir::Role::from_addr;
    std::string const ft = fetch_time.empty() ? time : fetch_time, fp = fetch_packet.empty() ? packet : fetch_packet;
    auto const source = b.dm("in", stored, slice, element.empty() ? ft + ", " + fp : element, 0);
    b.module.tensors[source].role = ir::Role::from_addr;
    auto p = b.main(source);
    p.type(type).time(ft).packet(fp).stage(ir::Fetch{}).time(time).packet(packet).stage(ir::Collect{}).stage(ir::VectorInit{});
    std::string s = slice, t = time, l = packet;
    for (const Then& each : stages) {
      if (!each.slice.empty()) p.slice(s = each.slice);
      if (!each.time.empty()) p.time(t = each.time);
      if (!each.packet.empty()) p.packet(l = each.packet);
      each.add(p);
    }
    p.stage(ir::VectorFinal{});
    auto const to = b.dm("out", type, s, t + ", " + l, 1 << 16);
    p.into(ir::Commit{to, {}, false});
    return b;
  }
  Expected<program::Program> lowered() const { return build::lower_module(module().module, device); }
};

inline const program::Exec& exec_of(const program::Program& p) { return std::get<program::Exec>(p.commands.at(0).what); }
inline const program::Vector& vector_of(const program::Program& p) { return exec_of(p).vector.value(); }
inline std::string code_of(const Expected<program::Program>& p) { return p ? "accepted" : p.refusal().code; }

using ValueOf = std::function<std::uint32_t(const Index&)>;

/// What the stream holds as it enters the engine, with garbage in its padding.
inline machine::Stream entering(const ir::Module& module, const program::Exec& exec, const ValueOf& value, std::uint32_t garbage) {
  const ir::Pass& pass = std::get<ir::Pass>(module.commands[0].what);
  Levels const fetched = module.levels(pass.stages[0].out), flits = module.levels(pass.stages[1].out);
  std::int64_t const packet = fetched[Level::packet].size, flits_per_packet = flits[Level::time].size / fetched[Level::time].size;
  machine::Stream s(static_cast<std::size_t>(flits[Level::slice].size));
  for (std::size_t slice = 0; slice < s.size(); ++slice)
    for (std::int64_t t = 0; t < flits[Level::time].size; ++t) {
      machine::Flit f;
      for (std::int64_t lane = 0; lane < 8; ++lane) {
        std::int64_t const step = t / flits_per_packet, element = t % flits_per_packet * 8 + lane;
        std::uint32_t bits = 0;  // what collect adds
        if (element < packet) {
          Cell const c = cell(fetched, {.slice = static_cast<std::int64_t>(slice), .time = step, .packet = element});
          bits = c.live() ? value(c.index) : garbage;
          if (exec.fetch.mask && machine::masked(*exec.fetch.mask, step * packet + element)) bits = exec.fetch.mask->pad_value;
        }
        f.lane.push_back({bits, 0});
      }
      s[slice].push_back(f);
    }
  return s;
}

/// Runs the pass and asks `expected` for every element that comes out. Returns how many there are; throws where one differs.
inline std::int64_t agrees(const VectorPass& pass, const ValueOf& value, const ValueOf& expected,
                           const std::function<void(machine::VectorEngine&)>& prepare = {}) {
  ir::Module const module = pass.module().module;
  auto const program = build::lower_module(module, pass.device);
  if (!program) throw std::runtime_error(render(program.refusal()));
  const program::Exec& exec = exec_of(*program);
  const ir::Pass& recorded = std::get<ir::Pass>(module.commands[0].what);
  Levels const out = module.levels(recorded.stages.back().out);
  std::int64_t compared = 0;
  for (std::uint32_t garbage : {0x3fffffffu, 0xc0000001u, 0x12345u}) {
    machine::VectorEngine engine;
    if (prepare) prepare(engine);
    machine::Stream const made = engine.run(vector_of(*program), entering(module, exec, value, garbage));
    if (engine.trimmed_more_than_four) throw std::runtime_error("a flit with more than four valid lanes was trimmed");
    for (std::int64_t s = 0; s < out[Level::slice].size; ++s)
      for (std::int64_t t = 0; t < out[Level::time].size; ++t)
        for (std::int64_t l = 0; l < out[Level::packet].size; ++l) {
          Cell const c = cell(out, {.slice = s, .time = t, .packet = l});
          if (!c.live()) continue;
          ++compared;
          if (!exec.writing.contains(s)) throw std::runtime_error("slice " + std::to_string(s) + " does not write");
          std::uint32_t const got =
              made.at(static_cast<std::size_t>(s)).at(static_cast<std::size_t>(t)).lane.at(static_cast<std::size_t>(l)).bits;
          std::uint32_t const wanted = expected(c.index);
          if (got != wanted)
            throw std::runtime_error("slice " + std::to_string(s) + ", step " + std::to_string(t) + ", lane " + std::to_string(l) + ": " +
                                     std::to_string(static_cast<std::int32_t>(got)) + ", not " +
                                     std::to_string(static_cast<std::int32_t>(wanted)));
        }
  }
  return compared;
}

}  // namespace tcp::lower
