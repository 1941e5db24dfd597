// Traffic for the models of memories: requests to the banks of DM and to the channels of HBM.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tcp/device/address_map.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/sim/dm_banks.hpp"
#include "tcp/sim/hbm.hpp"

namespace tcp::sim {

/// When each tag was served.
struct ServedTimes : DmObserver {
  std::map<std::uint64_t, Cycles> at;
  void served(const DmAccess& access, Cycles when) override { at[access.tag] = when; }
};

/// The accesses of one command: `make(i)` for i below `count`, each sent when the one before it has been served.
/// DMA sends one request a cycle, as long as there is room. A slice below 0 stands for a cycle without access.
struct Sender {
  DmClient client;
  std::int64_t command;
  std::int64_t count;
  std::function<DmAccess(std::int64_t)> make;
  std::int64_t sent = 0;

  void send(DmBanks& banks) {
    if (sent == count) return;
    DmAccess a = make(sent);
    a.client = client;
    a.command = command;
    if (a.slice < 0) {
      ++sent;
      return;
    }
    auto const taken = banks.issue(a);
    ASSERT_TRUE(taken.ok()) << taken.refusal().headline.s;
    if (*taken) ++sent;
  }
};

/// Runs all of them from the present on; refused where the model refuses.
inline Verdict run(DmBanks& banks, std::vector<Sender> senders) {
  auto const pending = [&] {
    for (const Sender& s : senders)
      if (s.sent < s.count) return true;
    return !banks.idle();
  };
  while (pending()) {
    for (Sender& s : senders) s.send(banks);
    if (Verdict v = banks.step(); !v) return v;
  }
  return accept();
}

/// Accesses of 8 bytes to one bank of a slice, row after row.
inline std::function<DmAccess(std::int64_t)> bank_of(std::int64_t slice, std::int64_t bank) {
  return [=](std::int64_t i) { return DmAccess{.slice = slice, .address = Bytes{i % 4096 * 128 + bank * 8}, .size = Bytes{8}}; };
}

/// RNGD with a core that is as fast as the commands of its HBM: core cycles are command cycles, and no edge falls between two of them.
inline Device in_command_cycles() {
  Device d = rngd;
  d.clocks.core_mhz = 1500;
  d.hbm.row_switch = Cycles{60};
  d.hbm.row_open = Cycles{30};
  return d;
}

inline Bytes address_of(const HbmPlace& p) { return *hbm_encode(rngd, p); }

inline HbmRequest read_of(Bytes address, Cycles arrival, std::uint64_t tag = 0) {
  return {.address = address, .size = Bytes{256}, .access = Access::read, .arrival = arrival, .tag = tag};
}

/// When each tag was done; a tag of several units when the last of them was.
struct DoneTimes : HbmObserver {
  std::map<std::uint64_t, Cycles> at;
  std::vector<std::uint64_t> order;
  void done(std::uint64_t tag, Cycles when) override {
    at[tag] = std::max(at[tag], when);
    order.push_back(tag);
  }
};

/// `engines` requesters that each send one request a cycle, in turns, and wait where a queue is full; when all is done.
inline Cycles send_all(Hbm& hbm, std::int64_t engines, std::int64_t count, const std::function<HbmRequest(std::int64_t)>& request) {
  std::vector<Cycles> free(static_cast<std::size_t>(engines));
  for (std::int64_t i = 0; i < count; ++i) {
    auto const engine = std::min_element(free.begin(), free.end());
    HbmRequest r = request(i);
    r.arrival = *engine;
    auto const accepted = hbm.submit(r);
    EXPECT_TRUE(accepted.ok());
    if (!accepted.ok()) return Cycles{-1};
    *engine = std::max(*accepted, r.arrival + Cycles{1});
  }
  return hbm.finish();
}

inline HbmChannelStats total(const Hbm& hbm) {
  HbmChannelStats sum;
  for (const HbmChannelStats& c : hbm.channels()) {
    sum.reads += c.reads;
    sum.writes += c.writes;
    sum.partial_writes += c.partial_writes;
    sum.row_hits += c.row_hits;
    sum.row_opens += c.row_opens;
    sum.row_conflicts += c.row_conflicts;
    sum.busy += c.busy;
    sum.idle += c.idle;
    sum.row_stall += c.row_stall;
    sum.column_stall += c.column_stall;
    sum.partial_write_stall += c.partial_write_stall;
    sum.queue_full += c.queue_full;
    sum.end = std::max(sum.end, c.end);
  }
  return sum;
}

inline std::int64_t channels_used(const Hbm& hbm) {
  std::int64_t used = 0;
  for (const HbmChannelStats& c : hbm.channels()) used += c.reads + c.writes > 0;
  return used;
}

}  // namespace tcp::sim
