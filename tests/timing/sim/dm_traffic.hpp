// What the tests of the DM banks share: commands that send accesses one after the other, as their engines would.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tcp/device/chips.hpp"
#include "tcp/sim/dm_banks.hpp"

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

}  // namespace tcp::sim
