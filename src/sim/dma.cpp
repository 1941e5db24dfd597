// Executes the descriptors of a DMA command: walks both sides, moves packets, follows the row numbers of gathers and
// scatters, and keeps track of undefined bytes.
#include "sim/commands.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "tcp/device/derived.hpp"
#include "tcp/scalar/packing.hpp"

namespace tcp::sim {

namespace {

/// One side of a descriptor: where a packet at some distance from its address lies.
class Side {
 public:
  Side(const Device& device, const program::DmaSide& side, std::vector<std::unique_ptr<Chip>>& chips)
      : side_(side), chip_(*chips[static_cast<std::size_t>(side.chip)]) {
    if (side.memory == program::Memory::Dm) {
      stride_ = device.dm.dma_slice_stride.value;
      room_ = device.dm.slice_capacity.value;
      units_ = std::min(Chip::most_slices, device.levels.slices_per_cluster);
    } else if (side.memory == program::Memory::Spm) {
      stride_ = dma_pe_stride(device).value;
      room_ = device.spm.pe_capacity.value;
      units_ = device.levels.pes_per_cluster;
    } else if (side.memory == program::Memory::Hbm) {
      room_ = device.hbm.capacity.value;
    }
    if (device.checks.geometry) return;
    room_ = INT64_MAX;
    if (stride_ > 0) units_ = Chip::most_slices;
  }

  struct Place {
    std::int64_t unit = 0, address = 0;
  };
  Place at(std::int64_t offset) const {
    std::int64_t const address = side_.address + offset;
    if (stride_ == 0) return {0, address};
    std::int64_t const in_cluster = side_.unit * stride_ + address;
    return {in_cluster / stride_, in_cluster % stride_};
  }
  /// Whether there is memory at all of these bytes.
  bool holds(Place p, std::int64_t bytes) const { return p.unit >= 0 && p.unit < units_ && p.address >= 0 && p.address <= room_ - bytes; }
  SparseMemory& memory(Place p) const {
    switch (side_.memory) {
      case program::Memory::Dm: return chip_.slice(side_.cluster, p.unit).dm;
      case program::Memory::Spm: return chip_.spm(side_.cluster, p.unit);
      case program::Memory::Host: return chip_.host;
      default: return chip_.hbm;
    }
  }
  const program::DmaSide& record() const { return side_; }

 private:
  const program::DmaSide& side_;
  Chip& chip_;
  std::int64_t stride_ = 0, room_ = INT64_MAX, units_ = 1;
};

class Transfer {
 public:
  Transfer(const Device& device, std::vector<std::unique_ptr<Chip>>& chips, Where at) : device_(device), chips_(chips), at_(at) {}

  Verdict run(const program::DmaDescriptor& d) {
    Side const read(device_, d.read, chips_), write(device_, d.write, chips_);
    std::optional<Side> table;
    if (d.index) table.emplace(device_, d.index->table, chips_);
    buffer_.resize(static_cast<std::size_t>(d.packet_bytes));
    std::vector<std::int64_t> round(d.loops.size(), 0);
    std::int64_t from = 0, to = 0, index = 0;
    for (;;) {
      std::int64_t source = from, target = to;
      bool known = true;
      if (table) {
        auto const row = row_number(*d.index, *table, index);
        if (!row) return row.refusal();
        known = *row >= 0;
        (d.index->scatter ? target : source) += std::max<std::int64_t>(*row, 0) * d.index->row_stride;
      }
      if (auto v = known ? move(d, read, source, write, target) : lose(d, write, to); !v) return v;
      if (!next(d.loops, round, from, to, index)) return accept();
    }
  }

 private:
  static bool next(const std::vector<program::DmaLoop>& loops, std::vector<std::int64_t>& round, std::int64_t& from, std::int64_t& to,
                   std::int64_t& index) {
    for (std::size_t k = loops.size(); k-- > 0;) {
      from += loops[k].read_stride;
      to += loops[k].write_stride;
      index += loops[k].index_stride;
      if (++round[k] < loops[k].size) return true;
      from -= loops[k].read_stride * loops[k].size;
      to -= loops[k].write_stride * loops[k].size;
      index -= loops[k].index_stride * loops[k].size;
      round[k] = 0;
    }
    return false;
  }

  /// The number in the table; -1 if nothing has written it.
  Expected<std::int64_t> row_number(const program::DmaIndex& index, const Side& table, std::int64_t offset) const {
    Side::Place const place = table.at(offset);
    std::byte word[4];
    if (!table.holds(place, 4) || !table.memory(place).read(place.address, 4, word)) return std::int64_t{-1};
    std::int64_t const key = static_cast<std::int32_t>(load_scalar_bits(word, ScalarType::i32, 0)), row = key / index.key_step;
    if (key < 0 || row >= index.rows || key % index.key_step != 0)
      return refuse("exec-no-such-row", at_)
          .what("the index tensor names ", index.key_step == 1 ? "row " : "byte ", key, " of a table of ", index.rows, " rows",
                index.key_step == 1 ? text("") : text(" of ", index.key_step, " bytes"))
          .why("the engine adds the number to an address without looking")
          .help(index.key_step == 1
                    ? text("keep the numbers between 0 and ", index.rows - 1)
                    : text("keep the numbers multiples of ", index.key_step, " between 0 and ", (index.rows - 1) * index.key_step));
    return row;
  }

  Verdict move(const program::DmaDescriptor& d, const Side& read, std::int64_t source, const Side& write, std::int64_t target) {
    Side::Place const from = read.at(source), to = write.at(target);
    if (!read.holds(from, d.packet_bytes)) return outside("reads", read, from, d.packet_bytes);
    if (!write.holds(to, d.packet_bytes)) return outside("writes", write, to, d.packet_bytes);
    if (d.index && d.index->scatter && !scattered_.insert({d.write.chip, d.write.cluster, to.unit, to.address}).second)
      return refuse("exec-row-twice", at_)
          .what("the index tensor of a scatter names a row twice: address ", to.address, " of unit ", to.unit, " is written again")
          .why("which of the two is written last is unspecified")
          .help("scatter each row once");
    SparseMemory& memory = write.memory(to);
    SparseMemory const& origin = read.memory(from);
    bool const defined = origin.read(from.address, d.packet_bytes, buffer_.data());
    if (!defined) find_undefined(origin, from.address, d.packet_bytes);
    memory.write(to.address, d.packet_bytes, buffer_.data());
    if (!defined)
      for (std::int64_t half = 0; half < 2 * d.packet_bytes; ++half)
        if (undefined_[static_cast<std::size_t>(half)]) memory.undefine(2 * to.address + half, 1);
    return accept();
  }
  void find_undefined(const SparseMemory& memory, std::int64_t address, std::int64_t bytes) {
    undefined_.resize(static_cast<std::size_t>(2 * bytes));
    for (std::int64_t half = 0; half < 2 * bytes; ++half)
      undefined_[static_cast<std::size_t>(half)] = memory.any_undefined(2 * address + half, 1);
  }
  /// Marks as undefined what a row with an undefined number would have moved: the row of a gather; all rows that a
  /// scatter could have hit.
  Verdict lose(const program::DmaDescriptor& d, const Side& write, std::int64_t target) {
    std::int64_t const rows = d.index->scatter ? d.index->rows : 1;
    for (std::int64_t row = 0; row < rows; ++row) {
      Side::Place const to = write.at(target + row * d.index->row_stride);
      if (!write.holds(to, d.packet_bytes)) return outside("writes", write, to, d.packet_bytes);
      write.memory(to).undefine(2 * to.address, 2 * d.packet_bytes);
    }
    return accept();
  }
  Refusal outside(const char* does, const Side& side, Side::Place p, std::int64_t bytes) const {
    constexpr const char* names[] = {"Host", "HBM", "DM", "SPM", "TRF", "VRF"};
    return refuse("sim-dma-outside", at_)
        .what("a descriptor ", does, " ", bytes, " bytes at address ", p.address, " of ", names[static_cast<int>(side.record().memory)],
              ", unit ", p.unit, ", where there is no memory")
        .why("addresses of DMA count slices and PEs one after the other, with gaps between what they hold")
        .help("lower the program again for the chip it runs on");
  }

  const Device& device_;
  std::vector<std::unique_ptr<Chip>>& chips_;
  Where at_;
  std::vector<std::byte> buffer_;
  std::vector<bool> undefined_;
  std::set<std::tuple<std::int32_t, std::int32_t, std::int64_t, std::int64_t>> scattered_;
};

}  // namespace

Verdict run_dma(const Device& device, const program::Dma& dma, std::vector<std::unique_ptr<Chip>>& chips, Where at) {
  Transfer transfer(device, chips, at);
  for (const program::DmaDescriptor& d : dma.descriptors)
    if (auto v = transfer.run(d); !v) return v;
  return accept();
}

}  // namespace tcp::sim
