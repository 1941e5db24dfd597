// The bytes that descriptors read and write, as ranges: what the schedule looks for hazards in.
//
// Needs: descriptors. Leaves: reads and writes of the command. A range is the same in all of its units, and its units
// are a product of chips, clusters and slices; so descriptors that differ only in one of these are put together. Linear
// in descriptors.
#include <algorithm>
#include <map>

#include "lower/transfer/transfer.hpp"

namespace tcp::lower::transfer {

namespace {

using program::Range;

class Touched {
 public:
  Touched(const Device& device, std::int64_t chips) : device_(device), chips_(chips) {}

  void add(const program::DmaSide& side, const std::vector<std::pair<std::int64_t, std::int64_t>>& loops, std::int64_t bytes) {
    std::int64_t low = side.address, high = side.address;
    std::int64_t const unit = unit_bytes(side.memory);
    std::vector<std::int64_t> units{side.unit + low / unit};
    low %= unit, high %= unit;
    for (auto [size, stride] : loops) {
      if (unit != INT64_MAX && stride >= unit) {
        std::size_t const n = units.size();
        for (std::int64_t i = 1; i < size; ++i)
          for (std::size_t k = 0; k < n; ++k) units.push_back(units[k] + i * (stride / unit));
      } else {
        (stride < 0 ? low : high) += (size - 1) * stride;
      }
    }
    program::SliceSet slices;
    bool const in_units = unit != INT64_MAX;
    for (std::int64_t u : units) slices.insert(in_units ? u : 0);
    Key const key{side.memory, low, high + bytes, side.cluster, slices.word};
    std::vector<bool>& chips = found_[key];
    chips.resize(static_cast<std::size_t>(std::max<std::int64_t>(chips_, 1)), false);
    chips[static_cast<std::size_t>(side.chip)] = true;
  }

  /// Joins slices, then clusters, then bytes that follow on each other.
  void into(std::vector<Range>& out) const {
    using Words = std::array<std::uint64_t, 4>;
    std::map<std::tuple<program::Memory, std::int64_t, std::int64_t, int, std::vector<bool>>, Words> by_slices;
    for (const auto& [key, chips] : found_) {
      Words& words = by_slices[{key.memory, key.begin, key.end, key.cluster, chips}];
      for (std::size_t i = 0; i < words.size(); ++i) words[i] |= key.slices[i];
    }
    std::map<std::tuple<program::Memory, std::vector<bool>, Words, std::int64_t, std::int64_t>, std::uint32_t> by_cluster;
    for (const auto& [key, words] : by_slices) {
      auto const& [memory, begin, end, cluster, chips] = key;
      by_cluster[{memory, chips, words, begin, end}] |= 1u << cluster;
    }
    std::map<std::tuple<program::Memory, std::vector<bool>, Words, std::uint32_t>, Range> open;
    for (const auto& [key, clusters] : by_cluster) {  // by begin within the same units
      auto const& [memory, chips, words, begin, end] = key;
      auto const [at, added] = open.try_emplace({memory, chips, words, clusters}, Range{memory, {chips, clusters, {words}}, begin, end});
      Range& range = at->second;
      if (!added && begin > range.end) {
        out.push_back(range);
        range.begin = begin;
        range.end = end;
      }
      range.end = std::max(range.end, end);
    }
    for (const auto& [key, range] : open) out.push_back(range);
  }

 private:
  struct Key {
    program::Memory memory;
    std::int64_t begin, end;
    int cluster;
    std::array<std::uint64_t, 4> slices;
    auto operator<=>(const Key&) const = default;
  };
  std::int64_t unit_bytes(program::Memory memory) const {
    if (memory == program::Memory::Dm) return device_.dm.dma_slice_stride.value;
    if (memory == program::Memory::Spm) return dma_pe_stride(device_).value;
    return INT64_MAX;
  }

  const Device& device_;
  std::int64_t chips_;
  std::map<Key, std::vector<bool>> found_;
};

}  // namespace

void add_dma_ranges(const Device& device, std::int64_t chips, const program::Dma& dma, program::Command& command) {
  Touched reads(device, chips), writes(device, chips);
  for (const program::DmaDescriptor& d : dma.descriptors) {
    std::vector<std::pair<std::int64_t, std::int64_t>> read, write, index;
    for (const program::DmaLoop& l : d.loops) {
      read.emplace_back(l.size, l.read_stride);
      write.emplace_back(l.size, l.write_stride);
      index.emplace_back(l.size, l.index_stride);
    }
    if (d.index) {
      (d.index->scatter ? write : read).emplace_back(d.index->rows, d.index->row_stride);
      reads.add(d.index->table, index, 4);
    }
    reads.add(d.read, read, d.packet_bytes);
    writes.add(d.write, write, d.packet_bytes);
  }
  reads.into(command.reads);
  writes.into(command.writes);
}

}  // namespace tcp::lower::transfer
