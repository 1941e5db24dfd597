// The rows of the ledger on where bytes lie in DM and HBM, and on how large things are.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "tcp/device/address_map.hpp"
#include "tcp/device/derived.hpp"
#include "tcp/device/target.hpp"
#include "tcp/support/round.hpp"

namespace tcp {
namespace {

static_assert(target == rngd, "unless the build says otherwise, kernels are compiled for RNGD");

constexpr std::int64_t kib = 1 << 10, mib = 1 << 20, gib = 1 << 30;

HbmPlace hbm(std::int64_t address) { return *hbm_decode(rngd, Bytes{address}); }

/// The number of a place's channel, of the 32 of a chip.
std::int64_t channel_of_chip(const HbmPlace& p) { return p.stack * 16 + p.channel; }

TEST(Book, HEL_05_processing_hierarchy) {
  EXPECT_EQ(rngd.levels.clusters_per_chip, 2);
  EXPECT_EQ(rngd.levels.slices_per_cluster, 256);
  EXPECT_EQ(rngd.levels.rows_per_slice, 8);
}

TEST(Book, HEL_07_memory_capacities) {
  EXPECT_EQ(rngd.hbm.capacity, Bytes{48 * gib});
  EXPECT_EQ(rngd.hbm.nominal_gb_per_s, 1500);
  EXPECT_EQ(dm_bytes_per_memory(rngd), Bytes{256 * mib});
  EXPECT_EQ(rngd.dm.slice_capacity, Bytes{512 * kib});
  EXPECT_EQ(trf_bytes_per_row(rngd), Bytes{8 * kib});
  EXPECT_EQ(rngd.trf.slice_capacity, Bytes{8 * kib * 8});
  EXPECT_EQ(rngd.vrf.slice_capacity, Bytes{8 * kib});
}

TEST(Book, STM_05_sram_totals) {
  EXPECT_EQ(rngd.dm.slice_capacity * 256 * 2, Bytes{256 * mib});
  EXPECT_EQ(dm_bytes_per_memory(rngd) * 8, Bytes{2 * gib});
}

TEST(Book, MEM_02_dm_geometry) {
  EXPECT_EQ(rngd.levels.clusters_per_chip, 2);
  EXPECT_EQ(rngd.levels.dmns_per_cluster, 8);
  EXPECT_EQ(rngd.levels.slices_per_dmn, 32);
  EXPECT_EQ(rngd.dm.banks_per_slice, 16);
  EXPECT_EQ(rngd.dm.rows_per_bank, 4096);
  EXPECT_EQ(rngd.dm.row_bytes, Bytes{8});
  EXPECT_EQ(rngd.dm.row_bytes * rngd.dm.rows_per_bank * rngd.dm.banks_per_slice, Bytes{512 * kib});
  EXPECT_EQ(rngd.dm.slice_capacity * 32 * 8 * 2, Bytes{256 * mib});
  // E-67: a cluster is 8 DMNs of 32 slices, or 4 PEs of 64, with one DMA engine for each PE.
  EXPECT_EQ(rngd.levels.pes_per_cluster, 4);
  EXPECT_EQ(slices_per_pe(rngd), 64);
  EXPECT_EQ(rngd.dma.engines_per_chip, rngd.levels.clusters_per_chip * rngd.levels.pes_per_cluster);
}

TEST(Book, MEM_20_hbm_geometry) {
  EXPECT_EQ(rngd.hbm.stacks_per_chip, 2);
  EXPECT_EQ(rngd.hbm.channels_per_stack, 16);
  EXPECT_EQ(rngd.hbm.slices_per_channel, 3);
  EXPECT_EQ(rngd.hbm.bank_groups_per_slice, 4);
  EXPECT_EQ(rngd.hbm.banks_per_group, 4);
  EXPECT_EQ(rngd.hbm.rows_per_bank, 16 * kib);
  EXPECT_EQ(rngd.hbm.row_bytes, Bytes{2 * kib});
  EXPECT_EQ(Bytes{2 * 16 * 3 * 4 * 4 * 16 * kib * 2 * kib}, Bytes{48 * gib});
  EXPECT_EQ(rngd.hbm.capacity, Bytes{48 * gib});
}

TEST(Book, MEM_21_hbm_address_bits) {
  // What each bit changes, alone: its main component, and the channel for bits 9 to 28.
  HbmPlace const zero = hbm(0);
  for (int bit = 0; bit < 36; ++bit) {
    HbmPlace const p = hbm(std::int64_t{1} << bit);
    EXPECT_EQ(p.byte != zero.byte, bit <= 7 || (bit >= 14 && bit <= 16)) << bit;
    EXPECT_EQ(p.stack != zero.stack, bit == 8) << bit;
    EXPECT_EQ(p.channel != zero.channel, bit >= 9 && bit <= 28) << bit;
    EXPECT_EQ(p.bank_group != zero.bank_group, bit == 13 || bit == 19) << bit;
    EXPECT_EQ(p.bank != zero.bank, bit == 17 || bit == 18) << bit;
    EXPECT_EQ(p.slice != zero.slice, bit == 20 || bit == 34) << bit;
    EXPECT_EQ(p.row != zero.row, (bit >= 21 && bit <= 33) || bit == 35) << bit;
  }
}

TEST(Book, MEM_22_hbm_component_widths) {
  HbmPlace all{};
  std::set<std::int64_t> slices;
  for (std::int64_t top = 0; top < 48; ++top)
    for (int bit = 0; bit < 30; ++bit) {
      HbmPlace const p = hbm(top * gib + (std::int64_t{1} << bit));
      all.byte |= p.byte;
      all.stack |= p.stack;
      all.channel |= p.channel;
      all.bank_group |= p.bank_group;
      all.bank |= p.bank;
      all.row |= p.row;
      slices.insert(p.slice);
    }
  EXPECT_EQ(all.byte, (1 << 11) - 1);
  EXPECT_EQ(all.stack, 1);
  EXPECT_EQ(all.channel, 15);
  EXPECT_EQ(all.bank_group, 3);
  EXPECT_EQ(all.bank, 3);
  EXPECT_EQ(all.row, (1 << 14) - 1);
  EXPECT_EQ(slices, (std::set<std::int64_t>{0, 1, 2}));
}

TEST(Book, MEM_23_hbm_channel) {
  // Spelt out bit by bit, as the row has it (E-88: bit 17 takes part).
  std::uint64_t state = 1;
  for (int i = 0; i < 10000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    auto const a = static_cast<std::int64_t>(state >> 30);  // below 16 GiB
    auto const b = [a](int n) { return (a >> n) & 1; };
    std::int64_t channel = 0;
    for (int k = 0; k < 4; ++k) channel |= (b(9 + k) ^ b(13 + k) ^ b(17 + k) ^ b(21 + k) ^ b(25 + k)) << k;
    ASSERT_EQ(hbm(a).channel, channel) << a;
  }
}

TEST(Book, MEM_24_hbm_channel_probes) {
  struct Probe {
    std::int64_t address, stack, channel;
  };
  for (Probe const& p :
       {Probe{0x0, 0, 0}, Probe{0x100, 1, 0}, Probe{0x200, 0, 1}, Probe{0x1000, 0, 8}, Probe{0x2000, 0, 1}, Probe{0x2200, 0, 0},
        Probe{0x20000, 0, 1}, Probe{0x100000, 0, 8}, Probe{0x200000, 0, 1}, Probe{0x10000000, 0, 8}, Probe{0x20000000, 0, 0}}) {
    EXPECT_EQ(hbm(p.address).stack, p.stack) << p.address;
    EXPECT_EQ(hbm(p.address).channel, p.channel) << p.address;
  }
}

TEST(Book, MEM_25_hbm_slice_and_row) {
  for (std::int64_t low : {std::int64_t{0}, std::int64_t{0xfffff}}) {
    auto const at = [low](int b20, int b34, int b35) {
      return hbm(low | std::int64_t{b20} << 20 | std::int64_t{b34} << 34 | std::int64_t{b35} << 35);
    };
    auto const slice_and_top = [](const HbmPlace& p) { return std::pair(p.slice, p.row >> 13); };
    using Pair = std::pair<std::int64_t, std::int64_t>;
    EXPECT_EQ(slice_and_top(at(0, 0, 0)), Pair(0, 0));
    EXPECT_EQ(slice_and_top(at(1, 0, 0)), Pair(1, 0));
    EXPECT_EQ(slice_and_top(at(0, 0, 1)), Pair(0, 1));
    EXPECT_EQ(slice_and_top(at(1, 0, 1)), Pair(1, 1));
    EXPECT_EQ(slice_and_top(at(0, 1, 0)), Pair(2, 0));
    EXPECT_EQ(slice_and_top(at(1, 1, 0)), Pair(2, 1));
  }
  EXPECT_TRUE(hbm_decode(rngd, Bytes{48 * gib - 1}).ok());
  EXPECT_FALSE(hbm_decode(rngd, Bytes{48 * gib}).ok());
  EXPECT_FALSE(hbm_decode(rngd, Bytes{(std::int64_t{1} << 34) | (std::int64_t{1} << 35)}).ok());
}

std::size_t channels_of_32_units(std::int64_t start) {
  std::set<std::int64_t> channels;
  for (std::int64_t i = 0; i < 32; ++i) channels.insert(channel_of_chip(hbm(start + 256 * i)));
  return channels.size();
}

TEST(Book, MEM_26_sequential_scan) {
  // The channel depends on bits 8 to 28 only: 2^16 groups of 8 KiB are all there are.
  for (std::int64_t group = 0; group < 1 << 16; ++group) ASSERT_EQ(channels_of_32_units(group * 8 * kib), 32u) << group;
  // The correction: from other starts there may be as few as 16.
  std::size_t fewest = 32;
  for (std::int64_t unit = 0; unit < 1 << 13; ++unit) fewest = std::min(fewest, channels_of_32_units(unit * 256));
  EXPECT_EQ(fewest, 16u);
}

TEST(Book, MEM_27_channel_rate) {
  EXPECT_EQ(rngd.hbm.channel_bytes_per_cycle.value * rngd.clocks.hbm_channel_mhz, 48000) << "MB/s of a channel";
  EXPECT_EQ(hbm_mb_per_s(rngd), 1536000);
  EXPECT_EQ(rngd.hbm.access_bytes / rngd.hbm.channel_bytes_per_cycle, 4);
  EXPECT_EQ(hbm_access_cycles(rngd), Ratio(16, 3)) << "5.33 core cycles";
}

TEST(Book, MEM_28_channels_that_saturate_an_engine) {
  std::int64_t const engine = rngd.dma.engine_bytes_per_cycle.value * rngd.clocks.core_mhz;
  EXPECT_EQ(engine, 256000) << "MB/s";
  EXPECT_EQ(ceil_div(engine, hbm_mb_per_s(rngd) / hbm_channels_per_chip(rngd)), 6);
}

TEST(Book, MEM_33_stack_bit) {
  for (int bit = 0; bit < 36; ++bit) EXPECT_EQ(hbm(std::int64_t{1} << bit).stack, bit == 8) << bit;
  std::set<std::int64_t> channels;
  for (std::int64_t unit = 0; unit < 1 << 16; unit += 2) channels.insert(channel_of_chip(hbm(unit * 256)));
  EXPECT_EQ(channels.size(), 16u) << "a walk that never toggles bit 8 uses half of the 32 channels";
}

TEST(Book, MEM_34_column_to_column_delay) {
  EXPECT_EQ(rngd.clocks.hbm_command_mhz, 1500);
  EXPECT_EQ(rngd.hbm.ccd_other_group, HbmCycles{2});
  EXPECT_EQ(rngd.hbm.ccd_other_slice, HbmCycles{3});
  EXPECT_EQ(rngd.hbm.ccd_same_group, HbmCycles{4});
  EXPECT_EQ(rngd.hbm.command_bytes, Bytes{64});
}

TEST(Book, MEM_35_column_to_column_delay_of_an_access) {
  std::int64_t const commands = rngd.hbm.access_bytes / rngd.hbm.command_bytes;
  EXPECT_EQ(rngd.hbm.ccd_other_group * commands, HbmCycles{8});
  EXPECT_EQ(rngd.hbm.ccd_other_slice * commands, HbmCycles{12});
  EXPECT_EQ(rngd.hbm.ccd_same_group * commands, HbmCycles{16});
  EXPECT_EQ(in_core_cycles(rngd, rngd.hbm.ccd_other_group), Ratio(1000, 750)) << "one command per cycle of the channel: full speed";
}

/// Follows requests of 256 bytes through the channels, banks and open rows of a chip.
struct Requests {
  std::map<std::int64_t, int> of_channel;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>, std::int64_t> open_row;
  int to_the_same_channel_as_before = 0;
  int row_switches = 0;
  std::int64_t last_channel = -1;

  void add(std::int64_t address) {
    HbmPlace const p = hbm(address);
    std::int64_t const channel = channel_of_chip(p);
    ++of_channel[channel];
    to_the_same_channel_as_before += channel == last_channel;
    last_channel = channel;
    auto const [row, first] = open_row.try_emplace({channel, p.slice, p.bank_group, p.bank}, p.row);
    row_switches += !first && row->second != p.row;
    row->second = p.row;
  }
  void expect_evenly(std::size_t channels, int each) const {
    EXPECT_EQ(of_channel.size(), channels);
    for (auto const& [channel, n] : of_channel) EXPECT_EQ(n, each) << channel;
  }
};

TEST(Book, DMA_32_channels_of_example_1) {
  Requests reads, writes;
  for (std::int64_t a = 0; a < 8; ++a)
    for (std::int64_t b = 0; b < 8; ++b) {
      reads.add(2048 * a + 256 * b);
      writes.add(256 * a + 2048 * b + 16384);
    }
  reads.expect_evenly(32, 2);
  writes.expect_evenly(32, 2);
  EXPECT_EQ(reads.to_the_same_channel_as_before, 0);
  EXPECT_EQ(writes.to_the_same_channel_as_before, 0);
}

TEST(Book, DMA_35_channels_and_rows_of_example_2) {
  Requests reads;
  for (std::int64_t b = 0; b < 256; ++b)
    for (std::int64_t a = 0; a < 4; ++a)
      for (std::int64_t slice = 0; slice < 32; ++slice)
        for (std::int64_t dmn = 0; dmn < 2; ++dmn) reads.add(65536 * b + 256 * a + 1024 * slice + 32768 * dmn);
  reads.expect_evenly(32, 2048);
  EXPECT_EQ(reads.to_the_same_channel_as_before, 0);
  EXPECT_EQ(reads.row_switches, 7168);
}

TEST(Book, DMA_41_channels_and_rows_of_example_4) {
  Requests chip;
  for (std::int64_t cluster = 0; cluster < 2; ++cluster)
    for (std::int64_t pe = 0; pe < 4; ++pe) {
      Requests engine;
      for (std::int64_t b = 0; b < 256; ++b)
        for (std::int64_t c = 0; c < 4; ++c)
          for (std::int64_t a = 0; a < 32; ++a)
            for (std::int64_t dmn = 0; dmn < 2; ++dmn) {
              std::int64_t const address = 1024 * b + 256 * c + (a << 21) + (dmn << 26) + (cluster << 20) + (pe << 18);
              engine.add(address);
              chip.add(address);
            }
      EXPECT_EQ(engine.row_switches, 65408);
    }
  chip.expect_evenly(32, 16384);
}

TEST(Book, DMA_02_constants) {
  EXPECT_EQ(rngd.dma.pcie_bytes_per_cycle, Bytes{30});
  EXPECT_EQ(ceil_div(rngd.dma.request_bytes.value, rngd.dma.pcie_bytes_per_cycle.value), 9) << "cycles of a request of 256 bytes";
}

TEST(Book, DMA_29_constants) {
  EXPECT_EQ(rngd.dma.engine_bytes_per_cycle, Bytes{256});
  EXPECT_EQ(rngd.hbm.nominal_gb_per_s, 1500);
  EXPECT_EQ(rngd.dm.dmn_bytes_per_cycle, Bytes{128});
  EXPECT_EQ(rngd.dm.dmn_bytes_per_cycle * 2, rngd.dma.engine_bytes_per_cycle) << "two DMNs interleaved feed an engine";
  EXPECT_EQ(rngd.spm.pe_bytes_per_cycle, Bytes{128});
  EXPECT_EQ(rngd.dma.pcie_bytes_per_cycle, Bytes{30});
}

TEST(Book, CTR_108_constants) {
  EXPECT_EQ(rngd.contraction.tree_latency_i4, Cycles{7});
  EXPECT_EQ(rngd.contraction.tree_latency_i8, Cycles{6});
  EXPECT_EQ(rngd.contraction.tree_latency_f8, Cycles{6});
  EXPECT_EQ(rngd.contraction.tree_latency_bf16, Cycles{5});
}

TEST(Book, CTR_055_trf_geometry) {
  EXPECT_EQ(rngd.levels.rows_per_slice, 8);
  EXPECT_EQ(rngd.trf.bank_columns, 2);
  EXPECT_EQ(rngd.trf.lines_per_bank, 128);
  EXPECT_EQ(rngd.trf.lines_per_bank / rngd.trf.halves, 64);
  EXPECT_EQ(rngd.trf.slots_per_line * rngd.trf.slot_bits, 320);
  EXPECT_EQ(rngd.trf.line_bytes, Bytes{32});
  EXPECT_EQ(trf_bytes_per_row(rngd), Bytes{8 * kib});
  EXPECT_EQ(rngd.trf.slice_capacity, Bytes{64 * kib});
  EXPECT_EQ(trf_half_capacity(rngd), Bytes{32 * kib});
}

}  // namespace
}  // namespace tcp
