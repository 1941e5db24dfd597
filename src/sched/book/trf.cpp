// The register file of the Contraction Engine: two bank columns, and in front of them a direct-mapped cache. A read
// that misses occupies its column for the cycle and beats a store to the same column; a read that hits occupies
// nothing. All Rows do the same on banks of their own, so one is looked at.
#include "sched/book/saturating.hpp"
#include "tcp/support/odometer.hpp"

namespace tcp::sched::book {

namespace {

/// Time steps that are looked at; a Row has 8 KB, so that long walks repeat themselves.
constexpr std::int64_t most_steps = 1 << 20;

class Cache {
 public:
  explicit Cache(const Device& device)
      : columns_(device.trf.bank_columns),
        sets_(std::max<std::int64_t>(device.trf.cache_lines_per_row / columns_, 1)),
        held_(static_cast<std::size_t>(sets_ * columns_), -1) {}

  /// Whether the line had to be read from its bank.
  bool misses(std::int64_t line) {
    std::int64_t& held = held_[static_cast<std::size_t>(line / columns_ % sets_ * columns_ + column(line))];
    bool const missed = held != line;
    held = line;
    return missed;
  }
  std::int64_t column(std::int64_t line) const { return line % columns_; }

 private:
  std::int64_t columns_, sets_;
  std::vector<std::int64_t> held_;
};

/// Walks a Row and tells `step(lines, mask)` of each time step: how many lines it asks for, and as bits the columns
/// that its misses occupy.
template <class Step>
void walk_row(const Device& device, const program::Contraction& c, Step step) {
  std::int64_t const line_bytes = device.trf.line_bytes.value;
  Cache cache(device);
  std::vector<OdometerLoop<1>> loops;
  for (const program::Loop& l : c.trf_loops) loops.push_back({l.size, {l.stride}});
  std::int64_t walked = 0;
  for (Odometer<> walk(loops); !walk.done() && walked < most_steps; walk.next(), ++walked) {
    std::int64_t const at = c.trf_row_base + c.trf_first + walk.at();
    std::int64_t const first = std::max<std::int64_t>(at, 0) / line_bytes;
    std::int64_t const last = std::max<std::int64_t>(at + c.trf_read_bytes - 1, 0) / line_bytes;
    std::uint32_t occupied = 0;
    for (std::int64_t line = first; line <= last; ++line)
      if (cache.misses(line)) occupied |= 1u << cache.column(line);
    step(last - first + 1, occupied);
  }
}

}  // namespace

TrfReads trf_reads(const Device& device, const program::Contraction& c) {
  TrfReads made;
  made.column_misses.assign(static_cast<std::size_t>(device.trf.bank_columns), 0);
  auto step = [&](std::int64_t lines, std::uint32_t occupied) {
    ++made.steps;
    made.reads += lines;
    for (std::size_t column = 0; column < made.column_misses.size(); ++column)
      if ((occupied >> column & 1) != 0) ++made.misses, ++made.column_misses[column];
  };
  walk_row(device, c, step);
  return made;
}

Cycles trf_store_stall(const Device& device, const program::Contraction& c, std::int64_t flits) {
  std::int64_t stored = 0, lost = 0;
  auto step = [&](std::int64_t, std::uint32_t occupied) {
    if (stored == flits) return;
    if ((occupied >> (stored % device.trf.bank_columns) & 1) != 0) ++lost;
    else ++stored;
  };
  walk_row(device, c, step);
  return Cycles{lost};
}

}  // namespace tcp::sched::book
