// Small programs for tests of the model `detailed`, on top of those that the scheduler's tests have: here every record must pass program::check.
#pragma once

#include <gtest/gtest.h>

#include "tcp/sim/detailed.hpp"
#include "tcp/support/random.hpp"
#include "unit/sched/records.hpp"

namespace tcp::sim {

using namespace tcp::sched;

struct Walked {
  std::int64_t base = 0, stride = 32;
};

/// Fetches `n` flits and commits as many, in all slices of both clusters. The sub context has 8 bytes at a time.
inline program::Exec copying(std::int64_t n, Walked from, Walked to, bool sub = false) {
  std::int64_t const bytes = sub ? 8 : 32;
  program::Exec e = copy_pass(n, bytes);
  e.sub = sub;
  e.units = all_slices(256, 3);
  e.fetch.read.loops = {{n, from.stride}};
  e.fetch.read.base = from.base;
  auto& c = std::get<program::Commit>(e.sink);
  c.write.loops = {{n, to.stride}};
  c.write.base = to.base;
  c.commit_in_size = bytes;
  return e;
}
/// Fetches `n` flits from one address, and nothing leaves the Tensor Unit.
inline program::Exec holding(std::int64_t n, std::int64_t address) {
  program::Exec e = copying(n, {address, 0}, {0, 0});
  e.sink = program::TrfStore{8, 0, 1024, false};
  return e;
}

inline constexpr std::int64_t from_slice_to_slice = rngd.dm.dma_slice_stride.value;

/// Each of the eight engines moves `slices` pieces of `bytes` from HBM to the slices of its PE, at an address of DM.
inline program::Dma loading(std::int64_t slices, std::int64_t bytes, std::int64_t address = 0) {
  program::Dma d;
  for (std::int32_t e = 0; e < 8; ++e)
    d.descriptors.push_back(
        descriptor(e, hbm(e * slices * bytes), dm(e / 4, e % 4 * 64, address), {{slices, bytes, from_slice_to_slice, 0}}, bytes));
  return d;
}
/// The way back.
inline program::Dma storing(std::int64_t slices, std::int64_t bytes, std::int64_t address = 0) {
  program::Dma d = loading(slices, bytes, address);
  for (program::DmaDescriptor& each : d.descriptors) {
    std::swap(each.read, each.write);
    for (program::DmaLoop& l : each.loops) std::swap(l.read_stride, l.write_stride);
  }
  return d;
}

inline program::Command touching(program::Command c, std::vector<program::Range> reads, std::vector<program::Range> writes) {
  c.reads = std::move(reads);
  c.writes = std::move(writes);
  return c;
}
inline program::Range everywhere(std::int64_t begin, std::int64_t end) { return bytes(Memory::Dm, begin, end, all_slices(256, 3)); }

inline DetailedRun detailed(const program::Program& p, const DetailedOptions& o = {}) {
  auto run = run_detailed(p, rngd, o);
  EXPECT_TRUE(run.ok()) << run.refusal().headline.s;
  return run ? *run : DetailedRun{};
}
/// The length of a command alone, here and in the model `book`.
template <class What>
std::int64_t alone(const What& what) {
  return detailed(program_of({command_of(what)})).schedule.makespan.value;
}
template <class What>
std::int64_t in_book(const What& what) {
  return scheduled(program_of({command_of(what)}), BookDuration(rngd)).makespan.value;
}

}  // namespace tcp::sim
