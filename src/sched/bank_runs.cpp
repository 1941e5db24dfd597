// Runs of accesses to one bank, command by command.
#include "tcp/sched/bank_runs.hpp"

#include <algorithm>

namespace tcp::sched {

namespace {

void write(std::string& key, std::int64_t n) { key.append(reinterpret_cast<const char*>(&n), sizeof n); }

void join(BankRuns& into, const BankRuns& other) {
  if (into.size() < other.size()) into.resize(other.size(), 0);
  for (std::size_t b = 0; b < other.size(); ++b) into[b] = std::max(into[b], other[b]);
}

bool touches_dm(const program::Dma& d) {
  return std::any_of(d.descriptors.begin(), d.descriptors.end(), [](const program::DmaDescriptor& each) {
    return each.read.memory == program::Memory::Dm || each.write.memory == program::Memory::Dm;
  });
}

}  // namespace

const BankRuns& BankRunFinder::of(const program::Sequencer& walk) {
  std::int64_t const period = device_.dm.row_bytes.value * device_.dm.banks_per_slice;
  std::string key;
  write(key, walk.base % period);
  write(key, walk.access_bytes);
  for (const program::Loop& l : walk.loops) {
    write(key, l.size);
    write(key, l.stride % period);
  }
  auto const [found, fresh] = known_.try_emplace(std::move(key));
  if (fresh) found->second = program::bank_runs(device_, walk);
  return found->second;
}

BankRuns BankRunFinder::of(const program::Command& command) {
  if (const auto* e = std::get_if<program::Exec>(&command.what)) {
    BankRuns made;
    for (const program::Sequencer& walk : program::walks_of(e->fetch, e->units)) join(made, of(walk));
    if (const auto* commit = std::get_if<program::Commit>(&e->sink)) join(made, of(commit->write));
    return made;
  }
  if (const auto* i = std::get_if<program::Itos>(&command.what)) {
    return of(program::walk_of(*i));
  }
  const program::Dma& dma = std::get<program::Dma>(command.what);
  if (dma.parallel_copy) return of_copy(dma);
  if (!touches_dm(dma)) return {};
  return BankRuns(static_cast<std::size_t>(device_.dm.banks_per_slice), 1);
}

/// Slices copy for themselves, so that loops over slices are none of a bank's.
BankRuns BankRunFinder::of_copy(const program::Dma& dma) {
  BankRuns made;
  for (const program::DmaDescriptor& d : dma.descriptors) {
    program::Sequencer read, write;
    read.access_bytes = write.access_bytes = device_.fetch.sub_size.value;
    read.base = d.read.address;
    write.base = d.write.address;
    for (const program::DmaLoop& l : d.loops) {
      if (l.write_stride != 0 && l.write_stride % device_.dm.dma_slice_stride.value == 0) continue;
      read.loops.push_back({l.size, l.read_stride});
      write.loops.push_back({l.size, l.write_stride});
    }
    program::Loop const packet{d.packet_bytes / read.access_bytes, read.access_bytes};
    read.loops.push_back(packet);
    write.loops.push_back(packet);
    join(made, of(read));
    join(made, of(write));
  }
  return made;
}

}  // namespace tcp::sched
