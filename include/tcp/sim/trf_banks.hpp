// The banks of the TRF while a contraction reads weights and a store brings others: who gets which bank in which cycle.
//
// Each Row has bank rows of its own with a few bank columns, and before every bank row a small direct-mapped
// cache. A read that finds its line in the cache occupies no bank; one that misses occupies the bank for the cycle, and
// a store into the same bank waits. Reads never wait. All slices of a command do the same, and one stands for all.
#pragma once

#include <cstdint>
#include <vector>

#include "tcp/device/device.hpp"
#include "tcp/program/program.hpp"
#include "tcp/support/odometer.hpp"

namespace tcp::sim {

/// Banks of a slice: bank row * columns + column.
using TrfBankSet = std::vector<bool>;

/// The lines of a Row in the banks: those that lie side by side fill the columns, then the bank rows that are one Row.
class TrfBanks {
 public:
  explicit TrfBanks(const Device& device);

  std::size_t count() const { return static_cast<std::size_t>(bank_rows_ * columns_); }
  std::int64_t line_of(std::int64_t byte) const;
  std::int64_t left_of_line(std::int64_t byte) const { return line_bytes_ - byte % line_bytes_; }
  std::size_t bank(std::int64_t row, std::int64_t rows, std::int64_t line) const;
  /// Its number among the lines of its bank.
  std::int64_t place(std::int64_t rows, std::int64_t line) const { return line / columns_ / (bank_rows_ / rows); }

 private:
  std::int64_t bank_rows_, columns_, line_bytes_;
};

/// What the time steps of a contraction read, one after the other.
class TrfReads {
 public:
  TrfReads(const Device& device, const program::Contraction& contraction);

  bool done() const { return walk_.done(); }
  /// The next time step. Law: occupied() then holds the banks whose lines were not in the cache, of all Rows.
  void step();
  const TrfBankSet& occupied() const { return occupied_; }
  std::int64_t lines() const { return lines_; }  // asked for so far, by each Row
  std::int64_t misses() const { return misses_; }

 private:
  bool misses(std::int64_t line);

  TrfBanks banks_;
  std::int64_t rows_, first_, bytes_, sets_;
  Odometer<1> walk_;
  std::vector<std::int64_t> held_;  // lines of Row 0, by bank and set
  TrfBankSet occupied_;
  std::int64_t lines_ = 0, misses_ = 0;
};

/// Where the flits of a store go: the first Row, then the next.
class TrfWrites {
 public:
  TrfWrites(const Device& device, const program::TrfStore& store, std::int64_t flits);

  /// Whether none of the banks that the next flit needs is among these.
  bool may_go(const TrfBankSet& occupied) const;
  void go() { ++gone_; }

 private:
  TrfBanks banks_;
  program::TrfStore store_;
  std::int64_t flit_bytes_, gone_ = 0;
};

}  // namespace tcp::sim
