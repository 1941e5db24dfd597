// Walks the reads of a contraction through the cache of the TRF, and the flits of a store past them.
#include "tcp/sim/trf_banks.hpp"

#include <algorithm>

#include "tcp/support/round.hpp"

namespace tcp::sim {

namespace {

Odometer<1> walk_of(const program::Contraction& c) {
  std::vector<OdometerLoop<1>> loops;
  for (const program::Loop& l : c.trf_loops) loops.push_back({l.size, {l.stride}});
  return Odometer<1>(loops);
}

}  // namespace

TrfBanks::TrfBanks(const Device& device)
    : bank_rows_(device.levels.rows_per_slice), columns_(device.trf.bank_columns), line_bytes_(device.trf.line_bytes.value) {}

/// A walk with padding in front begins before the first line, of which it then reads nothing.
std::int64_t TrfBanks::line_of(std::int64_t byte) const { return std::max<std::int64_t>(byte, 0) / line_bytes_; }

std::size_t TrfBanks::bank(std::int64_t row, std::int64_t rows, std::int64_t line) const {
  std::int64_t const joined = bank_rows_ / rows;
  return static_cast<std::size_t>((row * joined + line / columns_ % joined) * columns_ + line % columns_);
}

TrfReads::TrfReads(const Device& device, const program::Contraction& contraction)
    : banks_(device),
      rows_(contraction.rows),
      first_(contraction.trf_row_base + contraction.trf_first),
      bytes_(contraction.trf_read_bytes),
      sets_(std::max<std::int64_t>(device.trf.cache_lines_per_row / device.trf.bank_columns, 1)),
      walk_(walk_of(contraction)),
      held_(banks_.count() * static_cast<std::size_t>(sets_), -1),
      occupied_(banks_.count(), false) {}

bool TrfReads::misses(std::int64_t line) {
  auto const set = static_cast<std::size_t>(banks_.place(rows_, line) % sets_);
  std::int64_t& held = held_[banks_.bank(0, rows_, line) * static_cast<std::size_t>(sets_) + set];
  bool const missed = held != line;
  held = line;
  return missed;
}

void TrfReads::step() {
  std::fill(occupied_.begin(), occupied_.end(), false);
  if (walk_.done()) return;
  std::int64_t const at = first_ + walk_.at();
  for (std::int64_t line = banks_.line_of(at), last = banks_.line_of(at + bytes_ - 1); line <= last; ++line) {
    ++lines_;
    if (!misses(line)) continue;
    ++misses_;
    for (std::int64_t row = 0; row < rows_; ++row) occupied_[banks_.bank(row, rows_, line)] = true;
  }
  walk_.next();
}

TrfWrites::TrfWrites(const Device& device, const program::TrfStore& store, std::int64_t flits)
    : banks_(device), store_(store), flit_bytes_(std::max<std::int64_t>(ceil_div(store.rows * store.row_bytes, flits), 1)) {}

bool TrfWrites::may_go(const TrfBankSet& occupied) const {
  std::int64_t const first = gone_ * flit_bytes_;
  std::int64_t const end = std::min(first + flit_bytes_, store_.rows * store_.row_bytes);
  for (std::int64_t at = first, next = 0; at < end; at = next) {
    std::int64_t const row = at / store_.row_bytes, byte = store_.row_base + at % store_.row_bytes;
    if (occupied[banks_.bank(row, store_.rows, banks_.line_of(byte))]) return false;
    next = at + std::min(banks_.left_of_line(byte), store_.row_bytes - at % store_.row_bytes);
  }
  return true;
}

}  // namespace tcp::sim
