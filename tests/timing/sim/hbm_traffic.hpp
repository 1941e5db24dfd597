// What the tests of the HBM model share: a clock on which every edge can be seen, addresses by place, and engines that send requests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "tcp/device/address_map.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/sim/hbm.hpp"

namespace tcp::sim {

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
