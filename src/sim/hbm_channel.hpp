// One channel of HBM: a queue, the banks with their open rows, and the one thing that all of its units share, the time
// of the last start.
//
// The queue is a pool of entries, chained by age within each bank. Of each bank only its candidate matters, the oldest
// unit that wants the row that is open or being opened; there is one wherever a bank has entries, because a bank
// without one switches rows at once. So the next unit to start is found among as many candidates as banks are waited
// for, and it is looked for once for each unit started.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "tcp/device/derived.hpp"
#include "tcp/sim/hbm.hpp"
#include "tcp/support/round.hpp"

namespace tcp::sim {

/// The constants of a device in HBM command cycles.
struct HbmTiming {
  std::int64_t unit;  // data of one unit on the channel
  std::int64_t row_open;
  std::int64_t row_switch;
  std::int64_t write_back;         // from the start of a partial write to that of the write that ends it
  std::vector<std::int64_t> gaps;  // between the starts of two units, by their banks
  std::int64_t banks;
  std::int64_t core_mhz;
  std::int64_t command_mhz;

  explicit HbmTiming(const Device& d)
      : unit(d.hbm.access_bytes / d.hbm.channel_bytes_per_cycle * d.clocks.hbm_command_mhz / d.clocks.hbm_channel_mhz),
        row_open(ceil_div(d.hbm.row_open.value * d.clocks.hbm_command_mhz, d.clocks.core_mhz)),
        row_switch(ceil_div(d.hbm.row_switch.value * d.clocks.hbm_command_mhz, d.clocks.core_mhz)),
        write_back((d.hbm.partial_write_factor - 1) * unit),
        banks(d.hbm.slices_per_channel * d.hbm.bank_groups_per_slice * d.hbm.banks_per_group) {
    Ratio const clocks(d.clocks.core_mhz, d.clocks.hbm_command_mhz);
    core_mhz = clocks.num;
    command_mhz = clocks.den;
    std::int64_t const commands = d.hbm.access_bytes / d.hbm.command_bytes;
    std::int64_t const per_group = d.hbm.banks_per_group, per_slice = per_group * d.hbm.bank_groups_per_slice;
    for (std::int64_t from = 0; from < banks; ++from)
      for (std::int64_t to = 0; to < banks; ++to) {
        HbmCycles const delay = from / per_group == to / per_group   ? d.hbm.ccd_same_group
                                : from / per_slice == to / per_slice ? d.hbm.ccd_other_group
                                                                     : d.hbm.ccd_other_slice;
        gaps.push_back(std::max(unit, commands * delay.value));
      }
  }

  std::int64_t gap(std::int64_t from, std::int64_t to) const { return gaps[static_cast<std::size_t>(from * banks + to)]; }
  /// The first edge of the command clock at or after a core cycle.
  std::int64_t command_cycle(Cycles core) const { return ceil_div(core.value * command_mhz, core_mhz); }
  Cycles core_cycle_before(std::int64_t t) const { return Cycles{t * core_mhz / command_mhz}; }
  Cycles core_cycle_after(std::int64_t t) const { return Cycles{ceil_div(t * core_mhz, command_mhz)}; }
};

struct HbmUnit {
  std::int64_t row;
  std::int32_t bank;  // of the channel
  Access access;
  bool partial;  // a write of less than the unit
  std::uint64_t tag;
};

class HbmChannel {
 public:
  HbmChannel(const HbmTiming& timing, std::int64_t queue_entries)
      : timing_(&timing), banks_(static_cast<std::size_t>(timing.banks)), entries_(static_cast<std::size_t>(queue_entries)) {
    for (std::int32_t i = 0; i < std::int32_t(entries_.size()); ++i) entries_[std::size_t(i)].next = i + 1;
    entries_.back().next = none;
  }

  /// Both return when there was room for the unit.
  std::int64_t push_in_order(const HbmUnit& unit, std::int64_t arrival, HbmObserver* observer);
  std::int64_t push(const HbmUnit& unit, std::int64_t arrival, HbmObserver* observer);
  /// Starts what starts before `now`.
  void advance(std::int64_t now, HbmObserver* observer);

  const HbmChannelStats& stats() const { return stats_; }

 private:
  static constexpr std::int32_t none = -1;
  static constexpr std::int64_t closed = -1, long_ago = std::numeric_limits<std::int64_t>::min() / 4;

  enum class RowState : std::uint8_t { hit, opened, switched };  // what the next unit of a bank finds

  struct Bank {
    std::int64_t row = closed;      // open, or being opened
    std::int64_t ready = long_ago;  // when the row is open
    std::int64_t last_start = long_ago;
    std::int64_t age = 0;  // of the candidate
    std::int32_t candidate = none, head = none, tail = none;
    RowState state = RowState::hit;
  };
  struct Entry {
    HbmUnit unit;
    std::int64_t entered;
    std::int64_t age;
    std::int32_t next, previous;  // within the bank, older first; `next` also chains what is free
  };
  struct Choice {
    std::int64_t start;
    std::int64_t age;
    std::int32_t bank = none;
  };

  Bank& bank(std::int32_t b) { return banks_[std::size_t(b)]; }
  Entry& entry(std::int32_t e) { return entries_[std::size_t(e)]; }
  std::int64_t gap_to(std::int32_t b) const { return last_bank_ == none ? 0 : timing_->gap(last_bank_, b); }
  std::int64_t earliest_start(std::int32_t b) {
    return std::max(std::max(last_start_ + gap_to(b), bank(b).ready), entry(bank(b).candidate).entered);
  }

  void turn_to(Bank& b, std::int64_t row, std::int64_t now);
  void consider(std::int32_t b);
  void choose();
  void start_next(HbmObserver* observer);
  std::int32_t append(const HbmUnit& unit, std::int64_t entered);
  void take_out(std::int32_t e);
  void find_candidate(std::int32_t b, std::int64_t now);
  void start(const HbmUnit& unit, std::int64_t at, std::int64_t waiting_since, HbmObserver* observer);
  void account(const HbmUnit& unit, std::int64_t at, std::int64_t waiting_since);

  const HbmTiming* timing_;
  std::vector<Bank> banks_;
  std::vector<Entry> entries_;    // in order: a ring of the last starts, as `entered`
  std::uint64_t waited_for_ = 0;  // banks with entries
  std::int32_t free_ = 0;
  std::int64_t pushed_ = 0;
  Choice next_{};
  std::int64_t last_start_ = 0;
  std::int32_t last_bank_ = none;
  std::int64_t waiting_since_ = 0;  // when the queue was last empty no more
  HbmChannelStats stats_{};
};

}  // namespace tcp::sim
