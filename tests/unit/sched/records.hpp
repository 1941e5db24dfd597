// Small program records for tests of times, written by hand.
#pragma once

#include <utility>

#include "tcp/device/chips.hpp"
#include "tcp/program/schedule.hpp"
#include "tcp/sched/book.hpp"
#include "tcp/sched/schedule.hpp"

namespace tcp::sched {

using program::Engine;
using program::Memory;
using program::Resource;

inline program::Units all_slices(std::int64_t slices = 256, std::uint32_t clusters = 1) {
  program::Units u{{true}, clusters, {}};
  for (std::int64_t s = 0; s < slices; ++s) u.slices.insert(s);
  return u;
}

/// A pass that fetches so many packets and commits as many flits.
inline program::Exec copy_pass(std::int64_t packets, std::int64_t access_bytes = 32, std::int64_t accesses = 1,
                               ScalarType type = ScalarType::i8) {
  program::Exec e;
  e.units = all_slices();
  e.writing = e.units.slices;
  e.fetch.stored = e.fetch.type = type;
  e.fetch.read.loops = {{packets * accesses, access_bytes}};
  e.fetch.read.access_bytes = access_bytes;
  e.fetch.read.accesses_per_packet = accesses;
  e.fetch.read.packets = packets;
  e.fetch.packet_elements = access_bytes * accesses * 8 / scalar_info(type).packet_bits;
  program::Commit c;
  c.type = type;
  c.write = e.fetch.read;
  c.write.base = 1 << 18;
  e.sink = c;
  return e;
}

inline program::Command command_of(program::Exec e) {
  program::Command c;
  c.resources = bit(e.sub ? Resource::Sub : Resource::Main);
  c.what = std::move(e);
  return c;
}
inline program::Command command_of(program::Dma d) {
  program::Command c;
  c.resources = bit(d.pcie ? Resource::PcieDma : Resource::TensorDma);
  c.what = std::move(d);
  return c;
}

inline program::DmaSide hbm(std::int64_t address, std::int32_t chip = 0) { return {Memory::Hbm, chip, 0, 0, address}; }
inline program::DmaSide dm(std::int32_t cluster, std::int32_t slice, std::int64_t address, std::int32_t chip = 0) {
  return {Memory::Dm, chip, cluster, slice, address};
}
inline program::DmaDescriptor descriptor(std::int32_t engine, program::DmaSide read, program::DmaSide write,
                                         std::vector<program::DmaLoop> loops, std::int64_t packet) {
  return {engine, read, write, std::move(loops), packet, {}};
}

/// Durations that the test chooses: those of an Itos word.
class GivenDuration final : public Duration {
 public:
  std::string_view name() const override { return "given"; }
  Expected<program::Cost> cost(const program::Command& c, std::size_t) const override {
    program::Cost made;
    made.streaming = Cycles{static_cast<std::int64_t>(std::get<program::Itos>(c.what).word)};
    return made;
  }
};
inline program::Range bytes(Memory memory, std::int64_t begin, std::int64_t end, program::Units units = all_slices()) {
  return {memory, std::move(units), begin, end};
}
/// A command of a given length. Its banks are not looked at.
inline program::Command lasting(std::uint32_t cycles, program::Resources resources, std::vector<program::Range> reads = {},
                                std::vector<program::Range> writes = {}) {
  program::Command c;
  c.what = program::Itos{all_slices(), 0, cycles, 4, {}};
  c.resources = resources;
  c.reads = std::move(reads);
  c.writes = std::move(writes);
  return c;
}
inline constexpr program::Resources main_context = bit(Resource::Main), sub_context = bit(Resource::Sub),
                                    tensor_dma = bit(Resource::TensorDma), pcie_dma = bit(Resource::PcieDma);

inline program::Program program_of(std::vector<program::Command> commands) {
  program::Program p;
  p.chip = "rngd";
  p.commands = std::move(commands);
  return p;
}
inline program::Schedule scheduled(const program::Program& p, const Duration& d = GivenDuration(), const Options& o = {}) {
  return schedule(p, rngd, d, o).value();
}
inline std::int64_t start(const program::Schedule& s, std::size_t command) { return s.commands.at(command).start.value; }
inline std::int64_t end(const program::Schedule& s, std::size_t command) { return s.commands.at(command).end.value; }

/// The cycles that one engine has in a cost; -1 where it takes no part.
inline std::int64_t cycles_of(const program::Cost& c, Engine engine) {
  for (const program::EngineCycles& e : c.engines)
    if (e.engine == engine) return e.cycles.value;
  return -1;
}
inline std::int64_t stall_of(const program::Cost& c, program::Stall cause) {
  for (const program::StallCycles& s : c.stalls)
    if (s.cause == cause) return s.cycles.value;
  return 0;
}

}  // namespace tcp::sched
