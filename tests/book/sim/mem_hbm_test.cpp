// The rows of the ledger on the performance of HBM, and those of DMA that rest on it, shown by the model of its channels.
#include "tcp/device/derived.hpp"
#include "timing/sim/traffic.hpp"

namespace tcp::sim {
namespace {

constexpr HbmPlace home{.channel = 2, .bank_group = 1, .bank = 1, .row = 9};

/// Command cycles between the starts of two units that arrive together, after the rows of both (or of the first, if they share a bank) were opened.
std::int64_t apart(const HbmPlace& first, const HbmPlace& second) {
  DoneTimes done;
  Hbm hbm(in_command_cycles(), HbmOrder::fr_fcfs, &done);
  EXPECT_TRUE(hbm.submit(read_of(address_of(second), Cycles{0})).ok());
  EXPECT_TRUE(hbm.submit(read_of(address_of(first), Cycles{200})).ok());
  EXPECT_TRUE(hbm.submit(read_of(address_of(first), Cycles{1000}, 1)).ok());
  EXPECT_TRUE(hbm.submit(read_of(address_of(second), Cycles{1000}, 2)).ok());
  hbm.finish();
  return (done.at[2] - done.at[1]).value;
}

/// Core cycles for each of many units in one channel, one engine sending as fast as it may.
double cycles_each(std::int64_t count, const std::function<HbmRequest(std::int64_t)>& request, HbmOrder order = HbmOrder::fr_fcfs) {
  Hbm hbm(rngd, order);
  return static_cast<double>(send_all(hbm, 1, count, request).value) / static_cast<double>(count);
}

/// Unit i of a channel when its bank groups alternate, in rows that last.
HbmPlace flowing(std::int64_t i) { return {.bank_group = i % 2, .bank = i / 16 % 4, .row = i / 64, .byte = i / 2 % 8 * 256}; }
HbmPlace switching(std::int64_t i) { return {.row = i}; }

TEST(Mem, MEM_01_rules_for_hbm) {
  auto const whole = [](std::int64_t i) { return read_of(Bytes{i * 256}, Cycles{}); };
  auto const across = [](std::int64_t i) { return read_of(Bytes{i * 256 + 128}, Cycles{}); };
  auto const took = [](std::int64_t engines, auto request) {
    Hbm hbm(rngd);
    return static_cast<double>(send_all(hbm, engines, 1 << 14, request).value);
  };
  EXPECT_NEAR(took(8, across) / took(8, whole), 2, 0.05) << "unaligned reads";

  auto const write = [](Bytes size) {
    return [size](std::int64_t i) { return HbmRequest{.address = address_of(flowing(i)), .size = size, .access = Access::write}; };
  };
  EXPECT_NEAR(cycles_each(2000, write(Bytes{240})) / cycles_each(2000, write(Bytes{256})), 50, 1) << "unaligned writes";

  double const switches = cycles_each(2000, [](std::int64_t i) { return read_of(address_of(switching(i)), Cycles{}); });
  double const command = cycles_each(2000, [](std::int64_t i) { return read_of(address_of(flowing(i)), Cycles{}); }) / 4;
  EXPECT_GE(switches / command, 29.5) << "30 to 40 times an access of 64 bytes to an open row";
  EXPECT_LE(switches / command, 40);

  auto const one_channel = [](std::int64_t i) { return read_of(address_of(flowing(i)), Cycles{}); };
  EXPECT_NEAR(took(8, one_channel) / took(8, whole), 32, 0.5) << "spread over 32 channels";
}

TEST(Mem, MEM_26_a_scan_uses_all_channels_alike) {
  Hbm hbm(rngd);
  send_all(hbm, 8, 32 * 100, [](std::int64_t i) { return read_of(Bytes{(5 << 13) + i * 256}, Cycles{}); });
  for (const HbmChannelStats& c : hbm.channels()) EXPECT_EQ(c.reads, 100);
}

TEST(Mem, MEM_27_a_unit_takes_16_thirds_of_a_cycle) {
  double const each = cycles_each(6000, [](std::int64_t i) { return read_of(address_of(flowing(i)), Cycles{}); });
  EXPECT_NEAR(each, 16.0 / 3, 0.05);
}

TEST(Mem, MEM_28_six_channels_saturate_an_engine) {
  auto const with = [](std::int64_t channels) {
    return cycles_each(6000, [=](std::int64_t i) {
      HbmPlace p = flowing(i / channels);
      p.channel = i % channels;
      return read_of(address_of(p), Cycles{});
    });
  };
  EXPECT_NEAR(with(5), 16.0 / 3 / 5, 0.02) << "five are too few for a request a cycle";
  EXPECT_NEAR(with(6), 1, 0.02);
}

TEST(Mem, MEM_29_64_entries_and_open_rows_first) {
  DoneTimes done;
  Hbm hbm(rngd, HbmOrder::fr_fcfs, &done);
  HbmPlace other = home;
  other.row = 10;
  EXPECT_TRUE(hbm.submit(read_of(address_of(home), Cycles{0}, 0)).ok());
  EXPECT_TRUE(hbm.submit(read_of(address_of(other), Cycles{0}, 1)).ok());
  for (std::uint64_t i = 2; i < 64; ++i) EXPECT_EQ(*hbm.submit(read_of(address_of(home), Cycles{0}, i)), Cycles{0}) << i;
  EXPECT_GT(*hbm.submit(read_of(address_of(home), Cycles{0}, 64)), Cycles{0}) << "the 65th waits for an entry";
  hbm.finish();
  std::vector<std::uint64_t> expected{0};
  for (std::uint64_t i = 2; i <= 64; ++i) expected.push_back(i);
  expected.push_back(1);
  EXPECT_EQ(done.order, expected) << "open rows first, then the oldest";
}

TEST(Mem, MEM_30_unaligned_read) {
  auto const units = [](std::int64_t address) {
    Hbm hbm(rngd);
    EXPECT_TRUE(hbm.submit(read_of(Bytes{address}, Cycles{})).ok());
    hbm.finish();
    return total(hbm).reads;
  };
  EXPECT_EQ(units(0), 1);
  EXPECT_EQ(units(128), 2) << "[128, 384)";
  EXPECT_EQ(units(256), 1);
  EXPECT_EQ(units(1), 2);
}

/// The requests of a packet: 256 bytes each and the rest.
HbmChannelStats packet(std::int64_t address, std::int64_t bytes, Access access) {
  Hbm hbm(rngd);
  for (std::int64_t at = 0; at < bytes; at += 256)
    EXPECT_TRUE(
        hbm.submit({.address = Bytes{address + at}, .size = Bytes{std::min<std::int64_t>(256, bytes - at)}, .access = access}).ok());
  hbm.finish();
  return total(hbm);
}

TEST(Mem, MEM_31_partial_write) {
  HbmChannelStats const s = packet(0, 2800, Access::write);
  EXPECT_EQ(s.writes, 11);
  EXPECT_EQ(s.partial_writes, 1) << "ten whole units and one of 240 bytes";
  EXPECT_EQ(s.busy, HbmCycles{8 * 12}) << "that one is read and written";
  EXPECT_EQ(packet(128, 2560, Access::write).partial_writes, 20) << "requests that lie across two units write neither wholly";

  auto const each = [](std::int64_t size) {
    return cycles_each(
        1000, [=](std::int64_t i) { return HbmRequest{.address = address_of(flowing(i)), .size = Bytes{size}, .access = Access::write}; });
  };
  for (std::int64_t size : {1, 128, 255}) EXPECT_NEAR(each(size) / each(256), 50, 1) << size;
}

TEST(Mem, DMA_15_unaligned_packets) {
  // Reads pay for the units that they touch; writes also read the units that they leave in part.
  EXPECT_EQ(packet(0, 500, Access::read).reads, 2);
  EXPECT_EQ(packet(0, 500, Access::read).partial_write_stall, HbmCycles{0});
  EXPECT_EQ(packet(0, 500, Access::write).writes, 2);
  EXPECT_EQ(packet(0, 500, Access::write).partial_writes, 1);
  EXPECT_EQ(packet(0, 512, Access::write).partial_writes, 0);
}

TEST(Mem, DMA_38_part_of_a_unit_costs_a_unit) {
  auto const each = [](std::int64_t bytes) {
    return cycles_each(3000, [=](std::int64_t i) { return HbmRequest{.address = address_of(flowing(i)), .size = Bytes{bytes}}; });
  };
  for (std::int64_t c : {1, 100, 255}) EXPECT_EQ(each(c), each(256)) << c;
  EXPECT_EQ(packet(0, 3 * 256 + 1, Access::read).reads, 4) << "256n + r: n + 1 times";
  EXPECT_EQ(packet(0, 3 * 256, Access::read).reads, 3);
}

TEST(Mem, MEM_32_row_switch) {
  HbmPlace other = home;
  other.row = 10;
  std::int64_t const command_cycles = apart(home, other);
  EXPECT_GE(command_cycles, 60);
  EXPECT_LE(command_cycles, 75);
  // 30 to 40 times the two command cycles of an access to an open row.
  EXPECT_GE(command_cycles, 30 * 2);
  EXPECT_LE(command_cycles, 40 * 2);

  // All rows are closed at first; other banks of the channel proceed while one switches.
  DoneTimes done;
  Hbm hbm(in_command_cycles(), HbmOrder::fr_fcfs, &done);
  HbmPlace elsewhere = home;
  elsewhere.bank_group = 2;
  for (const HbmPlace& p : {home, elsewhere}) EXPECT_TRUE(hbm.submit(read_of(address_of(p), Cycles{0})).ok());
  EXPECT_TRUE(hbm.submit(read_of(address_of(other), Cycles{1000}, 1)).ok());
  EXPECT_TRUE(hbm.submit(read_of(address_of(elsewhere), Cycles{1000}, 2)).ok());
  hbm.finish();
  EXPECT_EQ(done.at[2], Cycles{1008});
  EXPECT_EQ(done.at[1], Cycles{1068});
  EXPECT_EQ(hbm.channels()[2].row_opens, 2);
  EXPECT_EQ(hbm.channels()[2].row_conflicts, 1);
}

TEST(Mem, MEM_33_without_the_stack_bit_half_of_the_channels_do_nothing) {
  auto const scan = [](std::int64_t stride) {
    Hbm hbm(rngd);
    Cycles const took = send_all(hbm, 8, 1 << 14, [=](std::int64_t i) { return read_of(Bytes{i * stride}, Cycles{}); });
    return std::pair(channels_used(hbm), static_cast<double>(took.value));
  };
  auto const [all, fast] = scan(256);
  auto const [half, slow] = scan(512);
  EXPECT_EQ(all, 32);
  EXPECT_EQ(half, 16);
  EXPECT_NEAR(slow / fast, 2, 0.02);
}

TEST(Mem, MEM_34_column_to_column_delay_by_relation) {
  HbmPlace group = home, slice = home, bank = home, column = home;
  group.bank_group = 3;
  slice.slice = 2;
  bank.bank = 2;
  column.byte = 512;
  EXPECT_EQ(apart(home, group), 4 * 2) << "four commands of 64 bytes a unit";
  EXPECT_EQ(apart(home, slice), 4 * 3);
  EXPECT_EQ(apart(home, bank), 4 * 4);
  EXPECT_EQ(apart(home, column), 4 * 4);
}

TEST(Mem, MEM_35_rates_by_relation) {
  auto const each = [](auto place) { return cycles_each(6000, [=](std::int64_t i) { return read_of(address_of(place(i)), Cycles{}); }); };
  double const full = each(flowing);
  EXPECT_NEAR(full, 8 / 1.5, 0.05) << "64 bytes in each cycle of the channel: full speed";
  double const slices =
      each([](std::int64_t i) { return HbmPlace{.slice = i % 2, .bank = i / 16 % 4, .row = i / 64, .byte = i / 2 % 8 * 256}; });
  EXPECT_NEAR(full / slices, 2.0 / 3, 0.02);
  double const one_group = each([](std::int64_t i) { return HbmPlace{.bank = i / 8 % 4, .row = i / 32, .byte = i % 8 * 256}; });
  EXPECT_NEAR(full / one_group, 1.0 / 2, 0.02);
}

TEST(Mem, MEM_36_which_bits_bring_which_delay) {
  HbmPlace const zero = *hbm_decode(rngd, Bytes{0});
  for (int bit = 8; bit < 36; ++bit) {
    HbmPlace p = *hbm_decode(rngd, Bytes{std::int64_t{1} << bit});
    bool const interleaves = p.stack != zero.stack || p.channel != zero.channel;
    EXPECT_EQ(interleaves, bit <= 28) << bit;
    if (bit <= 12) continue;
    p.channel = zero.channel;  // as when other bits undo the twist
    std::int64_t const expected = bit == 13 || bit == 19 ? 8 : bit == 20 || bit == 34 ? 12 : bit <= 18 ? 16 : 60;
    EXPECT_EQ(apart(zero, p), expected) << "bit " << bit << ": other bank group, other slice, same bank group, or a row conflict";
  }
}

TEST(Mem, DMA_32_example_1_without_conflicts) {
  Hbm hbm(rngd);
  // 64 reads and 64 writes, one after the other, by one engine; each channel has two of both.
  Cycles const took = send_all(hbm, 1, 128, [](std::int64_t i) {
    std::int64_t const a = i / 2 / 8, b = i / 2 % 8;
    HbmRequest r = read_of(Bytes{i % 2 == 0 ? 2048 * a + 256 * b : 16384 + 256 * a + 2048 * b}, Cycles{});
    r.access = i % 2 == 0 ? Access::read : Access::write;
    return r;
  });
  for (const HbmChannelStats& c : hbm.channels()) {
    EXPECT_EQ(c.reads, 2);
    EXPECT_EQ(c.writes, 2);
  }
  EXPECT_GE(took, Cycles{128});
  EXPECT_LE(took, Cycles{128 + 40}) << "128 requests, and the last row to be opened";
}

TEST(Mem, DMA_33_engines_that_share_hbm) {
  // Four engines copy within HBM, as fast as a read and a write a cycle each: eight streams, each in banks of its own, want more than the channels have.
  constexpr std::int64_t requests = 1 << 16;
  Hbm hbm(rngd);
  Cycles const took = send_all(hbm, 8, requests, [](std::int64_t i) {
    HbmRequest r = read_of(Bytes{i % 8 * ((std::int64_t{1} << 30) + (1 << 17)) + i / 8 * 256}, Cycles{});
    r.access = i % 2 == 0 ? Access::read : Access::write;
    return r;
  });
  double const each_copies = 256.0 * requests / 2 / 4 / static_cast<double>(took.value);
  EXPECT_LE(each_copies, 192.0) << "0.75 TB/s / 4: less than one request of 256 bytes a cycle";
  EXPECT_GE(each_copies, 187.5 * 0.95);
}

TEST(Mem, DMA_34_example_2_is_bound_by_its_engine) {
  Hbm hbm(rngd);
  Cycles const took = send_all(hbm, 1, 65536, [](std::int64_t i) {
    std::int64_t const dmn = i % 2, slice = i / 2 % 32, a = i / 64 % 4, b = i / 256;
    return read_of(Bytes{65536 * b + 256 * a + 1024 * slice + 32768 * dmn}, Cycles{});
  });
  EXPECT_GE(took, Cycles{65536});
  EXPECT_LE(took, Cycles{65536 + 656});
}

HbmRequest example_4(std::int64_t i) {
  std::int64_t const pe = i % 8, step = i / 8;
  std::int64_t const dmn = step % 2, a = step / 2 % 32, c = step / 64 % 4, b = step / 256;
  return read_of(Bytes{1024 * b + 256 * c + (a << 21) + (dmn << 26) + (pe / 4 << 20) + (pe % 4 << 18)}, Cycles{});
}

TEST(Mem, DMA_40_example_4_in_order_costs_40_a_request) {
  Hbm in_order(rngd, HbmOrder::in_order);
  Cycles const took = send_all(in_order, 8, 524288, example_4);
  for (const HbmChannelStats& c : in_order.channels()) {
    EXPECT_EQ(c.reads, 16384);
    EXPECT_EQ(c.row_hits, 0) << "every request needs another row";
  }
  EXPECT_NEAR(static_cast<double>(took.value), 655360, 655360 * 0.01);
  // The book calls its 40 a request conservative: what a channel takes out of order is less, and no less than the transfers need.
  Hbm fr_fcfs(rngd);
  Cycles const reordered = send_all(fr_fcfs, 8, 524288, example_4);
  EXPECT_LT(reordered, Cycles{655360});
  EXPECT_GE(reordered, Cycles{16384 * 16 / 3});
}

TEST(Mem, DMA_43_example_5_has_16_channels) {
  Hbm hbm(rngd);
  Cycles const took = send_all(hbm, 8, 4096, [](std::int64_t i) {
    std::int64_t const pe = i % 8, step = i / 8;
    std::int64_t const dmn = step % 2, b = step / 2 % 32, c = step / 64;
    return read_of(Bytes{512 * c + 4096 * b + 131072 * dmn + (pe / 4 << 20) + (pe % 4 << 18)}, Cycles{});
  });
  EXPECT_EQ(channels_used(hbm), 16);
  for (const HbmChannelStats& c : hbm.channels()) EXPECT_TRUE(c.reads == 256 || c.reads == 0);
  // 256 units of 16/3 cycles are 1,365; the first of them waits for its row.
  EXPECT_GE(took, Cycles{1365});
  EXPECT_LE(took, Cycles{1365 + 40});
}

}  // namespace
}  // namespace tcp::sim
