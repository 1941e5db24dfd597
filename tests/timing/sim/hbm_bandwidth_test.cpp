// Does the sustained rate meet the closed form? A channel takes 16/3 core cycles a unit where bank groups alternate, 32/3 within one bank group,
// and 40 where every unit needs another row of its bank; the busiest channel decides.
#include "hbm_traffic.hpp"

namespace tcp::sim {
namespace {

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
