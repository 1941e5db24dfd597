// The HBM of one chip, request by request: when each 256-byte unit is transferred, and what its channel waited for.
//
// A request is cut into the units that it touches. The address map sends each unit to a channel; channels share
// nothing, so each has a clock of its own and time passes in it only as far as it is asked for. A channel has a queue,
// and banks with one open row each:
//   - a unit starts when its row is open, and 8, 12 or 16 command cycles after the unit before it on the channel: the
//     column-to-column delay of their relation (other bank group, other slice, same bank group), once for each of the
//     four commands of a unit;
//   - a bank whose open row no unit in the queue wants switches to the row of the oldest that waits for it, while other
//     banks go on. The switch counts from the start of the bank's last access: so a bank that switches for every
//     request costs `row_switch` each, as in the book's totals;
//   - a write of part of a unit reads the unit and writes it back; the channel does nothing else for
//     `partial_write_factor` units of time;
//   - an entry of the queue is free again when its unit has been started (a partial write: written back). Until then a
//     requester waits.
// `fr_fcfs` starts first what can start first, and of several the oldest. Nothing bounds how often an old request is
// overtaken: the book names no bound. `in_order` starts units as they came, and opens the row of a unit only when all
// before it have been started.
//
// Not modelled, because nothing is published: refresh, the turn from reads to writes, the limits on opening rows in
// several banks, and the way between requester and channel. Times are core cycles outside and HBM command cycles
// inside; a request is seen at the next edge of that clock.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tcp/device/device.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::sim {

enum class Access : std::uint8_t { read, write };

struct HbmRequest {
  Bytes address{};
  Bytes size{};  // from one byte to one unit; it may lie across two units
  Access access = Access::read;
  Cycles arrival{};       // never before that of an earlier request
  std::uint64_t tag = 0;  // the requester's own; comes back when a unit is done
};

enum class HbmOrder : std::uint8_t { in_order, fr_fcfs };

/// Hears of each unit once, as soon as its time is settled: in the order of time within a channel, in no order across
/// channels.
class HbmObserver {
 public:
  virtual ~HbmObserver() = default;
  virtual void done(std::uint64_t tag, Cycles at) = 0;
};

/// What one channel did. Law: once everything is done, busy + idle + the three stalls = end.
struct HbmChannelStats {
  std::int64_t reads = 0;  // units
  std::int64_t writes = 0;
  std::int64_t partial_writes = 0;  // of the writes
  std::int64_t row_hits = 0;
  std::int64_t row_opens = 0;  // the bank had no open row
  std::int64_t row_conflicts = 0;
  HbmCycles busy{};          // data moved
  HbmCycles idle{};          // nothing was queued
  HbmCycles row_stall{};     // every queued unit waited for its row
  HbmCycles column_stall{};  // only the column-to-column delay stood in the way
  HbmCycles partial_write_stall{};
  HbmCycles queue_full{};  // what requesters waited for room, one after the other
  HbmCycles end{};         // of the last transfer

  constexpr bool operator==(const HbmChannelStats&) const = default;
};

class Hbm {
 public:
  /// `d` is a device that check_device accepts; the observer, if any, outlives the model.
  explicit Hbm(const Device& d, HbmOrder order = HbmOrder::fr_fcfs, HbmObserver* observer = nullptr);
  Hbm(Hbm&&) noexcept;
  Hbm& operator=(Hbm&&) noexcept;
  ~Hbm();

  /// Queues a request, and says when its last unit had room in the queue of its channel: a requester sends its next
  /// request not before.
  Expected<Cycles> submit(const HbmRequest& request);

  /// Starts all units that start before `now`.
  void advance(Cycles now);

  /// Starts all that is queued, and says when the last unit is done. What is submitted later starts later.
  Cycles finish();

  /// One a channel, stack by stack.
  std::vector<HbmChannelStats> channels() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tcp::sim
