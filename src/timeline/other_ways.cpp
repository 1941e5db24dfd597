// Rewrites descriptors: strides and bases of HBM that leave nothing out, and slices of DM on both sides of a pair.
#include "timeline/facts.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tcp/device/derived.hpp"
#include "tcp/support/checked.hpp"

namespace tcp::timeline {

namespace {

using program::DmaDescriptor;
using program::DmaLoop;
using program::DmaSide;
using program::Memory;

/// Which side of a descriptor is in a memory; none where both are, or neither.
const DmaSide* only_side_in(const DmaDescriptor& d, Memory memory) {
  bool const read = d.read.memory == memory, write = d.write.memory == memory;
  return read == write ? nullptr : read ? &d.read : &d.write;
}
std::int64_t& stride_in(DmaLoop& l, bool write) { return write ? l.write_stride : l.read_stride; }
std::int64_t stride_in(const DmaLoop& l, bool write) { return write ? l.write_stride : l.read_stride; }

/// The loops of one side without gaps. Answers how many bytes they go through; 0: more than can be counted.
std::int64_t close_gaps(DmaDescriptor& d, bool write, std::int64_t unit) {
  std::vector<DmaLoop*> loops;
  for (DmaLoop& l : d.loops)
    if (l.size > 1 && stride_in(l, write) != 0) loops.push_back(&l);
  std::sort(loops.begin(), loops.end(), [write](const DmaLoop* a, const DmaLoop* b) {  // equal ones in the order in which they are
    return std::pair(std::abs(stride_in(*a, write)), a) < std::pair(std::abs(stride_in(*b, write)), b);
  });
  Checked step(std::max(d.packet_bytes, unit));
  for (DmaLoop* l : loops) {
    stride_in(*l, write) = step.value;
    step = step * Checked(l->size);
    if (!step.fits) return 0;
  }
  return step.value;
}

/// Packets that follow each other on both sides are one, as far as a descriptor has them.
void join_packets(const Device& device, DmaDescriptor& d) {
  for (bool joined = true; joined;) {
    joined = false;
    for (auto l = d.loops.begin(); l != d.loops.end() && !joined; ++l) {
      if (l->read_stride != d.packet_bytes || l->write_stride != d.packet_bytes) continue;
      if (l->size > device.dma.packet_limit.value / d.packet_bytes) continue;
      d.packet_bytes *= l->size;
      d.loops.erase(l);
      joined = true;
    }
  }
}

}  // namespace

std::optional<program::Dma> walked_in_order(const Device& device, const program::Dma& d) {
  program::Dma made = d;
  std::map<std::pair<std::int32_t, std::int64_t>, std::int64_t> bytes_at;  // by chip and address, the most
  for (DmaDescriptor& each : made.descriptors) {
    const DmaSide* const hbm = only_side_in(each, Memory::Hbm);
    if (hbm == nullptr || each.index) return std::nullopt;
    std::int64_t const bytes = close_gaps(each, hbm == &each.write, device.hbm.access_bytes.value);
    if (bytes == 0) return std::nullopt;
    join_packets(device, each);
    std::int64_t& most = bytes_at[{hbm->chip, hbm->address}];
    most = std::max(most, bytes);
  }
  if (made.descriptors.empty()) return std::nullopt;
  std::map<std::int32_t, std::int64_t> next;  // free address, by chip
  std::map<std::pair<std::int32_t, std::int64_t>, std::int64_t> moved_to;
  for (const auto& [place, bytes] : bytes_at) {
    auto const [at, first] = next.try_emplace(place.first, place.second);
    moved_to[place] = at->second;
    at->second += bytes;
    if (at->second > device.hbm.capacity.value) return std::nullopt;
  }
  for (DmaDescriptor& each : made.descriptors) {
    DmaSide& hbm = each.read.memory == Memory::Hbm ? each.read : each.write;
    hbm.address = moved_to[{hbm.chip, hbm.address}];
  }
  return made;
}

std::optional<program::Dma> by_both_dmns(const Device& device, const program::Dma& d) {
  std::int64_t const slice = device.dm.dma_slice_stride.value, dmn = dma_dmn_stride(device).value, slices = device.levels.slices_per_dmn;
  std::map<std::int32_t, std::set<std::int64_t>> dmns;  // by engine
  auto const slice_loop = [&](DmaDescriptor& each, bool write) {
    return std::find_if(each.loops.begin(), each.loops.end(),
                        [&](const DmaLoop& l) { return l.size > 1 && stride_in(l, write) != 0 && stride_in(l, write) % slice == 0; });
  };
  program::Dma made = d;
  for (DmaDescriptor& each : made.descriptors) {
    const DmaSide* const dm = only_side_in(each, Memory::Dm);
    if (dm == nullptr) return std::nullopt;
    std::int64_t const first = dm->unit + dm->address / slice;
    dmns[each.engine].insert(first / slices);
    for (const DmaLoop& l : each.loops) {
      std::int64_t const stride = stride_in(l, dm == &each.write);
      if (l.size < 2 || stride == 0 || stride % slice != 0) continue;
      for (std::int64_t i = 0; i < std::min(l.size, 2 * slices); ++i) dmns[each.engine].insert((first + i * stride / slice) / slices);
    }
  }
  bool changed = false;
  std::map<std::int32_t, std::int64_t> seen;  // descriptors of an engine
  for (DmaDescriptor& each : made.descriptors) {
    if (dmns[each.engine].size() != 1) continue;
    std::int64_t const other = *dmns[each.engine].begin() % 2 == 0 ? 1 : -1;
    bool const write = each.write.memory == Memory::Dm;
    auto const loop = slice_loop(each, write);
    if (loop != each.loops.end() && loop->size % 2 == 0) {
      DmaLoop half = *loop;
      half.size = 2;
      half.read_stride = loop->read_stride * (loop->size / 2);
      half.write_stride = loop->write_stride * (loop->size / 2);
      stride_in(half, write) = other * dmn;
      loop->size /= 2;
      each.loops.push_back(half);  // innermost, as packets take turns in what the compiler makes of both DMNs
      changed = true;
    } else if (loop == each.loops.end() && seen[each.engine]++ % 2 == 1) {
      (write ? each.write : each.read).unit += static_cast<std::int32_t>(other * slices);
      changed = true;
    }
  }
  if (!changed) return std::nullopt;
  return made;
}

}  // namespace tcp::timeline
