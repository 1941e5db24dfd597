// HBM at the edge, not ready at t - 1 and ready at t, and its bandwidth against the formula.
#include "traffic.hpp"

namespace tcp::sim {
namespace {

constexpr HbmPlace home{.stack = 1, .channel = 5, .slice = 1, .bank_group = 1, .bank = 2, .row = 100, .byte = 0};

HbmPlace with_row(std::int64_t row) {
  HbmPlace p = home;
  p.row = row;
  return p;
}
HbmPlace next_unit() {
  HbmPlace p = home;
  p.byte = 256;
  return p;
}
HbmPlace other_bank_same_group() {
  HbmPlace p = home;
  p.bank = 3;
  return p;
}
HbmPlace other_group() {
  HbmPlace p = home;
  p.bank_group = 2;
  return p;
}
HbmPlace other_slice() {
  HbmPlace p = home;
  p.slice = 2;
  return p;
}

/// One channel with the rows of `warm` open and nothing to do.
struct Channel {
  DoneTimes done;
  Hbm hbm{in_command_cycles(), HbmOrder::fr_fcfs, &done};
  static constexpr std::int64_t idle_since = 1000;

  explicit Channel(std::initializer_list<HbmPlace> warm = {}) {
    for (const HbmPlace& p : warm) send(p, 0, 1000 + done.order.size());
    hbm.advance(Cycles{idle_since});
    EXPECT_EQ(done.order.size(), warm.size());
  }

  Cycles send(const HbmPlace& p, std::int64_t arrival, std::uint64_t tag, Bytes size = Bytes{256}, Access access = Access::read) {
    return *hbm.submit({.address = address_of(p), .size = size, .access = access, .arrival = Cycles{arrival}, .tag = tag});
  }
  /// Law: what starts at t is not started by what happens before t, and is by what happens at t. A unit's data take 8 cycles.
  void expect_start(std::uint64_t tag, std::int64_t t, std::int64_t data = 8) {
    hbm.advance(Cycles{t});
    EXPECT_FALSE(done.at.contains(tag)) << tag << " is not ready at " << t - 1;
    hbm.advance(Cycles{t + 1});
    ASSERT_TRUE(done.at.contains(tag)) << tag << " is ready at " << t;
    EXPECT_EQ(done.at[tag], Cycles{t + data});
  }
};

TEST(HbmEdge, a_closed_row_is_opened) {
  Channel c;
  c.send(home, 2000, 1);
  c.expect_start(1, 2000 + 30);
}

TEST(HbmEdge, an_open_row_is_ready_at_once) {
  Channel c{home};
  c.send(next_unit(), 2000, 1);
  c.expect_start(1, 2000);
}

TEST(HbmEdge, another_row_of_the_bank_is_a_switch) {
  Channel c{home};
  c.send(with_row(7), 2000, 1);
  c.expect_start(1, 2000 + 60);
}

TEST(HbmEdge, a_switch_counts_from_the_start_of_the_last_access) {
  Channel c{home};
  c.send(next_unit(), 2000, 1);
  c.expect_start(1, 2000);
  c.send(with_row(7), 2005, 2);
  c.expect_start(2, 2005 + 60);  // it came when the access before it had been started

  Channel both{home};
  both.send(next_unit(), 2000, 1);
  both.send(with_row(7), 2000, 2);
  both.expect_start(1, 2000);
  both.expect_start(2, 2000 + 60);
}

TEST(HbmEdge, units_of_other_bank_groups_follow_after_8) {
  Channel c{home, other_group()};
  c.send(home, 2000, 1);
  c.send(other_group(), 2000, 2);
  c.expect_start(1, 2000);
  c.expect_start(2, 2008);
}

TEST(HbmEdge, units_of_other_slices_follow_after_12) {
  Channel c{home, other_slice()};
  c.send(home, 2000, 1);
  c.send(other_slice(), 2000, 2);
  c.expect_start(1, 2000);
  c.expect_start(2, 2012);
}

TEST(HbmEdge, units_of_the_same_bank_group_follow_after_16) {
  for (const HbmPlace& second : {next_unit(), other_bank_same_group()}) {
    Channel c{home, second};
    c.send(home, 2000, 1);
    c.send(second, 2000, 2);
    c.expect_start(1, 2000);
    c.expect_start(2, 2016);
  }
}

TEST(HbmEdge, a_delay_that_has_passed_costs_nothing) {
  Channel c{home};
  c.send(home, 2000, 1);
  c.expect_start(1, 2000);
  c.send(next_unit(), 2016, 2);
  c.expect_start(2, 2016);
}

TEST(HbmEdge, what_can_start_first_overtakes) {
  // The second unit in the home group would be ready after 16, the one in another group after 8: it goes first, though it is younger.
  Channel c{home, other_group()};
  c.send(home, 2000, 1);
  c.send(next_unit(), 2000, 2);
  c.send(other_group(), 2000, 3);
  c.expect_start(1, 2000);
  c.expect_start(3, 2008);
  c.expect_start(2, 2016);
}

TEST(HbmEdge, of_two_that_can_start_the_oldest_does) {
  Channel c{home, other_group()};
  c.send(other_group(), 2000, 1);
  c.send(home, 2000, 2);
  c.expect_start(1, 2000);
  c.expect_start(2, 2008);
}

TEST(HbmEdge, an_open_row_goes_before_an_older_request_for_another_row) {
  Channel c{home};
  c.send(home, 2000, 1);
  c.send(with_row(7), 2000, 2);
  c.send(next_unit(), 2000, 3);
  c.expect_start(1, 2000);
  c.expect_start(3, 2016);
  c.expect_start(2, 2016 + 60);
}

TEST(HbmEdge, other_banks_go_on_during_a_switch) {
  Channel c{home, other_group()};
  c.send(with_row(7), 2000, 1);
  for (std::uint64_t i = 0; i < 4; ++i) c.send(other_group(), 2000, 10 + i);
  for (std::uint64_t i = 0; i < 4; ++i) c.expect_start(10 + i, 2000 + 16 * static_cast<std::int64_t>(i));
  c.expect_start(1, 2060);
}

TEST(HbmEdge, banks_switch_side_by_side) {
  HbmPlace elsewhere = other_group();
  elsewhere.row = 7;
  Channel c{home, other_group()};
  c.send(with_row(7), 2000, 1);
  c.send(elsewhere, 2000, 2);
  c.expect_start(1, 2060);
  c.expect_start(2, 2068);
}

TEST(HbmEdge, a_partial_write_holds_the_channel_for_50_units) {
  Channel c{home, other_group()};
  c.send(home, 2000, 1, Bytes{255}, Access::write);
  c.send(other_group(), 2000, 2);
  c.expect_start(1, 2000, 400);
  c.expect_start(2, 2400);
}

TEST(HbmEdge, a_whole_write_is_as_fast_as_a_read) {
  Channel c{home, other_group()};
  c.send(home, 2000, 1, Bytes{256}, Access::write);
  c.send(other_group(), 2000, 2);
  c.expect_start(1, 2000);
  c.expect_start(2, 2008);
}

TEST(HbmEdge, the_queue_has_64_entries) {
  Channel c;
  for (std::uint64_t i = 0; i < 64; ++i) EXPECT_EQ(c.send(home, 2000, i), Cycles{2000}) << i;
  // The first of them starts when the row is open, and leaves an entry to the 65th; the next one starts 16 later.
  EXPECT_EQ(c.send(home, 2001, 64), Cycles{2030});
  EXPECT_EQ(c.send(home, 2002, 65), Cycles{2046});
}

TEST(HbmEdge, in_order_a_row_is_opened_when_all_before_it_have_started) {
  DoneTimes done;
  Hbm hbm(in_command_cycles(), HbmOrder::in_order, &done);
  ASSERT_TRUE(hbm.submit(read_of(address_of(home), Cycles{2000}, 1)).ok());
  ASSERT_TRUE(hbm.submit(read_of(address_of(other_group()), Cycles{2000}, 2)).ok());
  ASSERT_TRUE(hbm.submit(read_of(address_of(with_row(7)), Cycles{2000}, 3)).ok());
  ASSERT_TRUE(hbm.submit(read_of(address_of(next_unit()), Cycles{2000}, 4)).ok());
  EXPECT_EQ(done.at[1], Cycles{2000 + 30 + 8});
  EXPECT_EQ(done.at[2], Cycles{2030 + 30 + 8});
  EXPECT_EQ(done.at[3], Cycles{2060 + 60 + 8});
  EXPECT_EQ(done.at[4], Cycles{2120 + 60 + 8}) << "its row was closed for the request before it";
}

TEST(HbmEdge, in_order_the_queue_has_64_entries) {
  Hbm hbm(in_command_cycles(), HbmOrder::in_order);
  for (std::uint64_t i = 0; i < 64; ++i) EXPECT_EQ(*hbm.submit(read_of(address_of(home), Cycles{2000})), Cycles{2000}) << i;
  EXPECT_EQ(*hbm.submit(read_of(address_of(home), Cycles{2001})), Cycles{2030});
  EXPECT_EQ(*hbm.submit(read_of(address_of(home), Cycles{2002})), Cycles{2046});
}

TEST(HbmEdge, core_cycles_meet_the_command_clock_at_its_next_edge) {
  // RNGD: three command cycles in two core cycles. A row is open 20 core cycles after the request is seen, its data take 16/3.
  for (auto [arrival, done_at] : {std::pair{0, 26}, std::pair{1, 27}, std::pair{2, 28}, std::pair{3, 29}}) {
    DoneTimes done;
    Hbm hbm(rngd, HbmOrder::fr_fcfs, &done);
    EXPECT_EQ(*hbm.submit(read_of(address_of(home), Cycles{arrival}, 1)), Cycles{arrival});
    EXPECT_EQ(hbm.finish(), Cycles{done_at});
    EXPECT_EQ(done.at[1], Cycles{done_at});
  }
}

// Does the sustained rate meet the closed form? A channel takes 16/3 core cycles a unit where bank groups alternate, 32/3 within one bank group,
// and 40 where every unit needs another row of its bank; the busiest channel decides.

constexpr std::int64_t units = 1 << 16;

/// Within one per cent; less by the rows that were closed at the start, more by the time to open the first.
void expect_about(Cycles took, double closed_form) {
  EXPECT_GE(static_cast<double>(took.value), closed_form * 0.995);
  EXPECT_LE(static_cast<double>(took.value), closed_form * 1.01 + 30);
}

/// The units of the busiest channel, by the bits of the address alone.
std::int64_t busiest(std::int64_t stride) {
  std::map<std::int64_t, std::int64_t> count;
  std::int64_t most = 0;
  for (std::int64_t i = 0; i < units; ++i) {
    std::int64_t const a = i * stride;
    std::int64_t channel = a >> 8 & 1;
    for (int k = 0; k < 4; ++k) channel |= ((a >> (9 + k) ^ a >> (13 + k) ^ a >> (17 + k) ^ a >> (21 + k) ^ a >> (25 + k)) & 1) << (k + 1);
    most = std::max(most, ++count[channel]);
  }
  return most;
}

Cycles strided(HbmOrder order, std::int64_t engines, std::int64_t stride) {
  Hbm hbm(rngd, order);
  return send_all(hbm, engines, units, [&](std::int64_t i) { return read_of(Bytes{i * stride}, Cycles{}); });
}

TEST(HbmBandwidth, sequential) {
  EXPECT_EQ(busiest(256), units / 32);
  expect_about(strided(HbmOrder::fr_fcfs, 8, 256), units / 32.0 * 16 / 3);
}

TEST(HbmBandwidth, sequential_for_one_engine_is_bound_by_the_engine) { expect_about(strided(HbmOrder::fr_fcfs, 1, 256), units); }

TEST(HbmBandwidth, without_the_stack_bit_half_of_the_channels_work) {
  EXPECT_EQ(busiest(512), units / 16);
  expect_about(strided(HbmOrder::fr_fcfs, 8, 512), units / 16.0 * 16 / 3);
}

TEST(HbmBandwidth, strides_of_powers_of_two_are_spread_by_the_channel_map) {
  // From 8 KiB on every unit needs another row; a queue of 64 has enough banks to hide it.
  for (std::int64_t stride : {1024, 2048, 4096, 8192, 16384, 65536, 131072}) {
    SCOPED_TRACE(stride);
    EXPECT_EQ(busiest(stride), units / 16);
    expect_about(strided(HbmOrder::fr_fcfs, 8, stride), units / 16.0 * 16 / 3);
    if (stride >= 8192) expect_about(strided(HbmOrder::in_order, 8, stride), units / 16.0 * 40);
  }
}

TEST(HbmBandwidth, no_stride_is_faster_than_its_busiest_channel) {
  for (std::int64_t stride : {768, 1280, 1792, 2304, 4352, 7936, 16640, 262144, 524288})
    EXPECT_GE(static_cast<double>(strided(HbmOrder::fr_fcfs, 8, stride).value), static_cast<double>(busiest(stride)) * 16 / 3) << stride;
}

TEST(HbmBandwidth, one_bank_group_has_half_of_the_rate) {
  // All units of the rows of four banks, which share a bank group; the rows follow each other slowly enough to be opened in time.
  Hbm hbm(rngd);
  Cycles const took = send_all(hbm, 8, units, [](std::int64_t i) {
    std::int64_t const unit = i / 32;
    HbmPlace const p{.stack = i % 2, .channel = i / 2 % 16, .bank = unit % 4, .row = unit / 32, .byte = unit / 4 % 8 * 256};
    return read_of(address_of(p), Cycles{});
  });
  expect_about(took, units / 32.0 * 32 / 3);
}

TEST(HbmBandwidth, alternating_slices_have_two_thirds_of_the_rate) {
  Hbm hbm(rngd);
  Cycles const took = send_all(hbm, 8, units, [](std::int64_t i) {
    std::int64_t const unit = i / 32;
    HbmPlace const p{
        .stack = i % 2, .channel = i / 2 % 16, .slice = unit % 2, .bank = unit / 2 % 4, .row = unit / 64, .byte = unit / 8 % 8 * 256};
    return read_of(address_of(p), Cycles{});
  });
  expect_about(took, units / 32.0 * 8);
}

HbmRequest another_row(std::int64_t i) { return read_of(address_of({.stack = i % 2, .channel = i / 2 % 16, .row = i / 32}), Cycles{}); }

TEST(HbmBandwidth, row_conflicts_cost_40_each_in_both_orders) {
  for (HbmOrder order : {HbmOrder::in_order, HbmOrder::fr_fcfs}) {
    Hbm hbm(rngd, order);
    expect_about(send_all(hbm, 8, units, another_row), units / 32.0 * 40);
    EXPECT_EQ(total(hbm).row_conflicts, units - 32);
    EXPECT_EQ(total(hbm).row_opens, 32);
  }
}

TEST(HbmBandwidth, conflicts_in_eight_banks_hide_each_other_only_out_of_order) {
  auto const spread = [](std::int64_t i) {
    std::int64_t const unit = i / 32;
    return read_of(address_of({.stack = i % 2, .channel = i / 2 % 16, .bank_group = unit % 4, .bank = unit / 4 % 2, .row = unit / 8}),
                   Cycles{});
  };
  Hbm in_order(rngd, HbmOrder::in_order), fr_fcfs(rngd, HbmOrder::fr_fcfs);
  expect_about(send_all(in_order, 8, units, spread), units / 32.0 * 40);
  expect_about(send_all(fr_fcfs, 8, units, spread), units / 32.0 * 16 / 3);
}

TEST(HbmBandwidth, partial_writes_cost_50_units_each) {
  Hbm hbm(rngd);
  Cycles const took = send_all(hbm, 8, units / 16, [](std::int64_t i) {
    return HbmRequest{.address = Bytes{i * 256}, .size = Bytes{240}, .access = Access::write};
  });
  expect_about(took, units / 16 / 32.0 * 50 * 16 / 3);
}

TEST(HbmBandwidth, reads_and_writes_share_the_channels) {
  Hbm hbm(rngd);
  Cycles const took = send_all(hbm, 8, units, [](std::int64_t i) {
    HbmRequest r = read_of(Bytes{i * 256}, Cycles{});
    r.access = i / 32 % 2 == 0 ? Access::read : Access::write;
    return r;
  });
  expect_about(took, units / 32.0 * 16 / 3);
  EXPECT_EQ(total(hbm).reads, units / 2);
  EXPECT_EQ(total(hbm).writes, units / 2);
}

}  // namespace
}  // namespace tcp::sim
