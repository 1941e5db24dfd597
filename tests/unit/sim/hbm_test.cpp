// The HBM model as a whole: it equals a plain model that goes from cycle to cycle; it accounts for every cycle; it refuses what is no request.
#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <random>

#include "timing/sim/traffic.hpp"

namespace tcp::sim {
namespace {

/// One channel of the model, the obvious way: in every cycle, look at everything. Times are command cycles.
class PlainChannel {
 public:
  std::map<std::uint64_t, std::int64_t> done;

  void run(std::deque<HbmRequest> requests) {
    for (std::int64_t now = 0; !requests.empty() || !queue_.empty() || held_until_ >= 0; ++now) {
      if (held_until_ == now) held_until_ = -1;
      enter(requests, now);
      if (start(now) && held_until_ < 0) enter(requests, now);
    }
  }

 private:
  struct Unit {
    HbmPlace place;
    bool partial;
    std::uint64_t tag;
  };
  struct Bank {
    std::int64_t row = -1, open_at = 0, last = -1000;
  };

  Bank& bank_of(const HbmPlace& p) { return banks_[{p.slice, p.bank_group, p.bank}]; }
  static bool same_bank(const HbmPlace& a, const HbmPlace& b) {
    return a.slice == b.slice && a.bank_group == b.bank_group && a.bank == b.bank;
  }
  static int delay(const HbmPlace& a, const HbmPlace& b) {
    if (a.slice != b.slice) return 12;
    return a.bank_group != b.bank_group ? 8 : 16;
  }
  bool wanted(const HbmPlace& p, std::int64_t row) const {
    for (const Unit& u : queue_)
      if (same_bank(u.place, p) && u.place.row == row) return true;
    return false;
  }
  void turn(const HbmPlace& to, std::int64_t now) {
    Bank& b = bank_of(to);
    b.open_at = std::max(now, b.last) + (b.row < 0 ? 30 : 60);
    b.row = to.row;
  }

  void enter(std::deque<HbmRequest>& requests, std::int64_t now) {
    while (!requests.empty() && requests.front().arrival.value <= now && queue_.size() + (held_until_ >= 0) < 64) {
      HbmRequest const r = requests.front();
      requests.pop_front();
      Unit const u{hbm_place(r.address), r.access == Access::write && r.size < Bytes{256}, r.tag};
      bool const row_in_use = wanted(u.place, bank_of(u.place).row);
      queue_.push_back(u);
      if (!row_in_use && bank_of(u.place).row != u.place.row) turn(u.place, now);
    }
  }

  bool start(std::int64_t now) {
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      Unit const u = queue_[i];
      Bank& b = bank_of(u.place);
      if (b.row != u.place.row || b.open_at > now || (last_ && now < last_time_ + delay(last_->place, u.place))) continue;
      queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(i));
      last_ = u;
      last_time_ = b.last = u.partial ? now + 392 : now;
      if (u.partial) held_until_ = last_time_;
      done[u.tag] = last_time_ + 8;
      if (wanted(u.place, b.row)) return true;
      for (const Unit& next : queue_)
        if (same_bank(next.place, u.place)) {
          turn(next.place, last_time_);
          break;
        }
      return true;
    }
    return false;
  }

  std::vector<Unit> queue_;
  std::int64_t held_until_ = -1;  // a partial write keeps its entry until it is written back
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, Bank> banks_;
  std::optional<Unit> last_;
  std::int64_t last_time_ = 0;
};

/// Requests to one channel that meet in few banks and rows, in bursts and with pauses.
std::deque<HbmRequest> crowd(unsigned seed) {
  std::mt19937 random(seed);
  auto const below = [&](unsigned n) { return static_cast<std::int64_t>(random() % n); };
  unsigned const slices = 1 + seed % 3, groups = 1 + seed / 3 % 4, banks = 1 + seed / 12 % 2, rows = 1 + seed / 24 % 5,
                 pause = seed % 7 == 0 ? 60 : 6;
  std::deque<HbmRequest> all;
  std::int64_t now = 0;
  for (std::uint64_t tag = 0; tag < 300; ++tag) {
    HbmPlace const p{
        .stack = 0, .channel = 3, .slice = below(slices), .bank_group = below(groups), .bank = below(banks), .row = below(rows)};
    bool const write = below(3) == 0;
    bool const partial = write && below(20) == 0;
    all.push_back({.address = address_of(p),
                   .size = Bytes{partial ? 8 : 256},
                   .access = write ? Access::write : Access::read,
                   .arrival = Cycles{now},
                   .tag = tag});
    if (below(4) == 0) now += below(pause * 8);
  }
  return all;
}

TEST(Hbm, equals_a_plain_model_cycle_by_cycle) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::deque<HbmRequest> const requests = crowd(seed);
    PlainChannel plain;
    plain.run(requests);
    DoneTimes done;
    Hbm hbm(in_command_cycles(), HbmOrder::fr_fcfs, &done);
    for (const HbmRequest& r : requests) ASSERT_TRUE(hbm.submit(r).ok());
    hbm.finish();
    ASSERT_EQ(done.at.size(), requests.size());
    for (auto const& [tag, at] : plain.done) ASSERT_EQ(done.at[tag].value, at) << "request " << tag << " of seed " << seed;
  }
}

TEST(Hbm, advancing_changes_nothing) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    DoneTimes once, often;
    Hbm a(in_command_cycles(), HbmOrder::fr_fcfs, &once), b(in_command_cycles(), HbmOrder::fr_fcfs, &often);
    for (const HbmRequest& r : crowd(seed)) {
      EXPECT_EQ(*a.submit(r), *b.submit(r));
      b.advance(r.arrival);
    }
    EXPECT_EQ(a.finish(), b.finish());
    EXPECT_EQ(once.order, often.order);
    EXPECT_EQ(once.at, often.at);
    EXPECT_EQ(a.channels(), b.channels());
  }
}

TEST(Hbm, every_cycle_is_accounted_for) {
  for (HbmOrder order : {HbmOrder::in_order, HbmOrder::fr_fcfs})
    for (unsigned seed = 0; seed < 100; ++seed) {
      Hbm hbm(in_command_cycles(), order);
      for (const HbmRequest& r : crowd(seed)) ASSERT_TRUE(hbm.submit(r).ok());
      hbm.finish();
      HbmChannelStats const c = hbm.channels()[3];
      EXPECT_EQ(c.busy + c.idle + c.row_stall + c.column_stall + c.partial_write_stall, c.end) << seed;
      EXPECT_EQ(c.reads + c.writes, 300);
      EXPECT_EQ(c.row_hits + c.row_opens + c.row_conflicts, 300);
      EXPECT_EQ(c.busy, HbmCycles{8 * (300 + c.partial_writes)});
    }
}

TEST(Hbm, requests_for_one_unit_keep_their_order) {
  DoneTimes done;
  Hbm hbm(rngd, HbmOrder::fr_fcfs, &done);
  std::mt19937 random(5);
  std::vector<HbmPlace> places;
  for (std::uint64_t tag = 0; tag < 5000; ++tag) {
    auto const r = static_cast<std::int64_t>(random());
    places.push_back({.bank_group = r % 2, .row = r / 2 % 3, .byte = r / 6 % 2 * 256});
    ASSERT_TRUE(hbm.submit(read_of(address_of(places.back()), Cycles{static_cast<std::int64_t>(tag) * 5}, tag)).ok());
  }
  hbm.finish();
  ASSERT_EQ(done.order.size(), places.size());
  std::map<Bytes, std::uint64_t> last;
  bool overtaken = false;
  for (std::size_t i = 0; i < done.order.size(); ++i) {
    std::uint64_t const tag = done.order[i];
    auto const [seen, first] = last.try_emplace(address_of(places[tag]), tag);
    EXPECT_TRUE(first || seen->second < tag);
    seen->second = tag;
    overtaken |= tag != i;
  }
  EXPECT_TRUE(overtaken) << "else the test has shown nothing";
}

TEST(Hbm, in_order_units_are_done_in_their_order) {
  DoneTimes done;
  Hbm hbm(in_command_cycles(), HbmOrder::in_order, &done);
  for (const HbmRequest& r : crowd(11)) ASSERT_TRUE(hbm.submit(r).ok());
  hbm.finish();
  for (std::uint64_t i = 1; i < 300; ++i) {
    EXPECT_EQ(done.order[i], i);
    EXPECT_GE(done.at[i], done.at[i - 1] + Cycles{8});
  }
}

TEST(Hbm, two_side_by_side_do_not_disturb_each_other) {
  Hbm alone(rngd), first(rngd), second(rngd);
  for (std::int64_t i = 0; i < 1000; ++i) {
    HbmRequest const r = read_of(Bytes{i * 8448}, Cycles{i});
    ASSERT_TRUE(alone.submit(r).ok());
    ASSERT_TRUE(first.submit(r).ok());
    ASSERT_TRUE(second.submit(read_of(Bytes{i * 256}, Cycles{i})).ok());
  }
  EXPECT_EQ(alone.finish(), first.finish());
  EXPECT_EQ(alone.channels(), first.channels());
}

TEST(Hbm, a_requester_waits_where_a_queue_is_full) {
  Hbm hbm(in_command_cycles());
  for (int i = 0; i < 66; ++i) ASSERT_TRUE(hbm.submit(read_of(Bytes{0}, Cycles{0})).ok());
  // The entries of the first two units, which start at 30 and 46.
  EXPECT_EQ(hbm.channels()[0].queue_full, HbmCycles{30 + 46});
}

std::string code(const Expected<Cycles>& e) { return e ? "accepted" : e.refusal().code; }

TEST(Hbm, refuses_what_is_no_request) {
  Hbm hbm(rngd);
  auto const sent = [&](Bytes address, Bytes size, std::int64_t arrival = 10) {
    return code(hbm.submit({.address = address, .size = size, .arrival = Cycles{arrival}}));
  };
  EXPECT_EQ(sent(Bytes{0}, Bytes{0}), "hbm-request-size");
  EXPECT_EQ(sent(Bytes{0}, Bytes{-1}), "hbm-request-size");
  EXPECT_EQ(sent(Bytes{0}, Bytes{257}), "hbm-request-size");
  EXPECT_EQ(sent(Bytes{-1}, Bytes{1}), "device-hbm-address-out-of-range");
  EXPECT_EQ(sent(rngd.hbm.capacity, Bytes{1}), "device-hbm-address-out-of-range");
  EXPECT_EQ(sent(rngd.hbm.capacity - Bytes{255}, Bytes{256}), "device-hbm-address-out-of-range");
  EXPECT_EQ(sent(rngd.hbm.capacity - Bytes{256}, Bytes{256}), "accepted");
  EXPECT_EQ(sent(Bytes{INT64_MAX}, Bytes{256}), "device-hbm-address-out-of-range");
  EXPECT_EQ(sent(Bytes{0}, Bytes{1}, 9), "hbm-request-time");
  EXPECT_EQ(sent(Bytes{0}, Bytes{1}, INT64_MAX), "hbm-request-time");
  EXPECT_EQ(sent(Bytes{0}, Bytes{1}, -1), "hbm-request-time");
  EXPECT_EQ(sent(Bytes{0}, Bytes{1}, 10), "accepted");
  EXPECT_EQ(total(hbm).reads + total(hbm).writes, 0) << "nothing has been started yet";
  hbm.finish();
  EXPECT_EQ(total(hbm).reads, 2) << "what is refused leaves no trace";
}

}  // namespace
}  // namespace tcp::sim
