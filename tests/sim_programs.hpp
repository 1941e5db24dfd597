// Small programs for tests of the machine, written as records by hand.
#pragma once

#include "tcp/device/chips.hpp"
#include "tcp/sim/machine.hpp"

namespace tcp::sim_programs {

inline program::Units slices_below(std::int64_t n) {
  program::Units u;
  u.chips = {true};
  u.clusters = 1;
  for (std::int64_t s = 0; s < n; ++s) u.slices.insert(s);
  return u;
}

/// One flit of eight i32 from `from` to `to`, in slices 0 to n - 1.
inline program::Exec copy_flit(std::int64_t from, std::int64_t to, std::int64_t n = 1) {
  program::Exec e;
  e.units = slices_below(n);
  e.fetch.read.base = from;
  e.fetch.read.access_bytes = 32;
  e.fetch.packet_elements = 8;
  e.collect = {32, 1};
  program::Commit c;
  c.write.base = to;
  c.write.access_bytes = 32;
  c.commit_in_size = 32;
  e.sink = c;
  e.writing = e.units.slices;
  return e;
}

inline void add(program::Program& p, program::Exec e, std::int64_t from, std::int64_t to) {
  program::Command& c = p.commands.emplace_back();
  c.resources = bit(e.sub ? program::Resource::Sub : program::Resource::Main);
  c.reads.push_back({program::Memory::Dm, e.units, from, from + 32});
  c.writes.push_back({program::Memory::Dm, e.units, to, to + 32});
  c.what = std::move(e);
}

inline program::Program of(program::Exec e) {
  program::Program p;
  p.chip = rngd.name.s;
  add(p, std::move(e), 0, 4096);
  return p;
}

/// Moves a copy to the sub context, which reads and writes 8 bytes at once.
inline void move_to_sub(program::Exec& e) {
  e.sub = true;
  for (program::Sequencer* s : {&e.fetch.read, &std::get<program::Commit>(e.sink).write}) {
    s->loops = {{4, 8}};
    s->access_bytes = 8;
    s->accesses_per_packet = 4;
  }
}

/// Two copies, the second of what the first wrote.
inline program::Program chain(bool second_in_sub = false) {
  program::Program p;
  p.chip = rngd.name.s;
  add(p, copy_flit(0, 4096), 0, 4096);
  program::Exec second = copy_flit(4096, 8192);
  if (second_in_sub) move_to_sub(second);
  add(p, second, 4096, 8192);
  return p;
}

/// Commands from `start` to `start + 10`.
inline program::Schedule starting_at(const program::Program& p, std::initializer_list<std::int64_t> starts) {
  program::Schedule s;
  std::size_t i = 0;
  for (std::int64_t start : starts) {
    program::Scheduled& c = s.commands.emplace_back();
    c.start = Cycles{start};
    c.end = Cycles{start + 10};
    c.resources = p.commands[i++].resources;
  }
  return s;
}

}  // namespace tcp::sim_programs
