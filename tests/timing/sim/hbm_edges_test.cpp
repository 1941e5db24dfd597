// Every delay of an HBM channel at its edge: nothing starts at t - 1, and the unit starts at t. One core cycle is one command cycle here.
#include "hbm_traffic.hpp"

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

}  // namespace
}  // namespace tcp::sim
