// DMA descriptors, executed literally: every element arrives where the mapping says, and nothing else is written.
#include <gtest/gtest.h>

#include <chrono>

#include "tcp/device/address_map.hpp"
#include "tcp/support/random.hpp"
#include "unit/lower/transfer_case.hpp"

namespace tcp::lower {
namespace {

TEST(Transfer, all_nine_pairs_of_memories) {
  std::string const axes = "A = 8, B = 6, C = 16";
  InMemory const first[] = {in_hbm("A, B, C"), in_dm("A # 256", "B, C"), in_spm("A / 2", "A % 2, B, C")};
  InMemory const second[] = {in_hbm("B, A, C", 4096), in_dm("B # 256", "A, C", 4096), in_spm("B / 2 # 4", "B % 2, A, C", 1024)};
  for (const InMemory& from : first)
    for (const InMemory& to : second) EXPECT_EQ(moved(axes, from, to), "") << name_of(from.memory) << " to " << name_of(to.memory);
}

TEST(Transfer, clusters_exchange_data) {
  EXPECT_EQ(moved("A = 2, B = 4, C = 8", in_dm("B # 256", "C", 0, "A"), in_dm("A # 256", "B / 2, C", 64, "B % 2")), "");
  EXPECT_EQ(moved("A = 2, C = 8", in_dm("1 # 256", "C", 0, "1 # 2"), in_dm("1 # 256", "C", 64, "A")), "") << "a broadcast over clusters";
}

TEST(Transfer, uneven_blocks_are_cut_into_segments) {
  std::string const axes = "A = 15, B = 4, C = 8";
  EXPECT_EQ(moved(axes, in_dm("A # 16 / 2, B # 32", "A # 16 % 2, C"), in_hbm("B, A, C")), "");
  EXPECT_EQ(moved(axes, in_hbm("B, A, C"), in_dm("A # 16 / 2, B # 32", "A # 16 % 2, C")), "");
  EXPECT_EQ(moved(axes, in_dm("A # 16 / 4 # 256", "A # 16 % 4, B, C"), in_hbm("A, B, C", 4096)), "");
}

TEST(Transfer, padding_that_both_own_may_move_along) {
  std::string const axes = "A = 5, B = 13";
  EXPECT_EQ(moved(axes, in_hbm("A, B # 16"), in_dm("1 # 256", "A, B # 16")), "");
  TransferCase c(axes);
  auto const from = c.add(in_hbm("A, B # 16"), ScalarType::i8);
  c.move(from, c.add(in_dm("1 # 256", "A, B # 16"), ScalarType::i8));
  ASSERT_EQ(c.dma().descriptors.size(), 1u);
  EXPECT_EQ(c.dma().descriptors[0].packet_bytes, 80) << "rows join over their padding";
}

TEST(Transfer, a_row_of_DM_is_filled_from_behind_the_source) {
  EXPECT_EQ(moved("A = 15", in_hbm("A"), in_dm("A # 16 / 8 # 256", "A # 16 % 8")), "");
}

TEST(Transfer, what_the_host_moves_goes_over_PCIe) {
  build::ModuleBuilder b("A = 8, B = 16");
  ir::TensorId const host = b.hbm("host", ScalarType::i8, "A, B", 0, ir::Role::argument),
                     hbm = b.hbm("hbm", ScalarType::i8, "B, A", 1 << 20, ir::Role::result);
  b.module.tensors[host].memory = Memory::Host;
  b.module.tensors[host].address.reset();
  b.module.commands.emplace_back().what = ir::HostTransfer{host, hbm};
  auto const program = build::lower_module(b.module, rngd);
  ASSERT_TRUE(program) << render(program.refusal());
  ASSERT_EQ(program->commands.size(), 1u);
  const program::Command& command = program->commands[0];
  EXPECT_TRUE(std::get<program::Dma>(command.what).pcie);
  const program::DebugCommand& said = program->debug.commands.at(static_cast<std::size_t>(command.debug));
  EXPECT_EQ(said.sources, std::vector<std::int32_t>{host.number});
  EXPECT_EQ(said.destination, hbm.number);
}

/// Elements that share a place of a window are copied from it, each to a place of its own.
TEST(Transfer, windows_are_unfolded) {
  std::string const axes = "K = 3, B = 4, R = 5, X = 16, H = 6, F = 2";
  EXPECT_EQ(moved(axes, in_hbm("K, $(B:3, R), X"), in_dm("B # 256", "K, R, X")), "");
  EXPECT_EQ(moved(axes, in_dm("K # 256", "$(B:3, R), X"), in_dm("B # 256", "K, R, X", 4096)), "") << "blocks that share rows";
  EXPECT_EQ(moved(axes, in_dm("K # 256", "$(B:6, R:2) # 30, X"), in_dm("R # 256", "B, K, X", 4096)), "") << "every second row";
  EXPECT_EQ(moved(axes, in_hbm("$(B:3, R), K, $(H:2, F:3), X"), in_hbm("F, B, K, R, H, X", 1 << 16)), "");
  EXPECT_EQ(moved(axes, in_hbm("K, $(B:3, R), $(H, F), X"), in_dm("B # 256", "K, R, $(H, F), X")), "") << "one comes apart, one stays";
}

TEST(Transfer, zeros_that_are_promised_arrive) {
  EXPECT_EQ(moved("A = 5, B = 8", in_hbm("A #z 8, B"), in_dm("A #z 8 # 256", "B")), "");
  EXPECT_EQ(moved("A = 15, B = 8", in_hbm("A #z 16, B"), in_dm("A #z 16 / 2 # 256", "A #z 16 % 2, B")), "");
}

TEST(Transfer, an_upload_writes_zeros_and_a_download_leaves_them) {
  for (bool upload : {true, false}) {
    TransferCase c("D = 2, A = 5, B = 7", 2);
    auto const host = c.add({Memory::Host, "1", "A, D, B", "1", "1", 8192}, ScalarType::i16);
    auto const hbm = c.add(in_hbm("A #z 6, B #z 8", 64, "D"), ScalarType::i16);
    c.move(upload ? host : hbm, upload ? hbm : host);
    c.builder.module.commands.push_back({ir::HostTransfer{c.transfer.source, c.transfer.destination}, {}, ir::none});
    EXPECT_EQ(c.moved(), "");
    EXPECT_TRUE(c.dma().pcie);
    EXPECT_EQ(c.command().resources, program::bit(program::Resource::PcieDma));
  }
}

TEST(Transfer, halves_of_bytes_stay_together) {
  EXPECT_EQ(moved("A = 6, B = 32", in_hbm("A, B"), in_dm("A # 256", "B"), ScalarType::i4), "");
  EXPECT_EQ(moved("A = 6, B = 2", in_hbm("A, B"), in_hbm("B / 2, A, B % 2", 512), ScalarType::i4), "");
}

TEST(Transfer, tiles_on_either_side) {
  TransferCase c("A = 8, B = 16, T = 3");
  auto const whole = c.add(in_hbm("A, B"), ScalarType::i8);
  auto const seen = c.tile(whole, "A", 3, 4);
  c.move(seen, c.add(in_dm("A = 3 # 256", "B"), ScalarType::i8));
  EXPECT_EQ(c.moved(), "");
  TransferCase d("A = 8, B = 16");
  auto const part = d.add(in_dm("1 # 256", "A = 3, B"), ScalarType::i8);
  auto const target = d.add(in_hbm("A, B"), ScalarType::i8);
  d.move(part, d.tile(target, "A", 3, 5));
  EXPECT_EQ(d.moved(), "");
}

TEST(Transfer, rows_of_a_tensor_are_written_with_their_own_padding) {
  TransferCase d("A = 8, B = 100");
  auto const part = d.add(in_dm("1 # 256", "A = 3, B # 128"), ScalarType::i16);
  d.move(part, d.tile(d.add(in_hbm("A, B # 128"), ScalarType::i16), "A", 3, 5));
  EXPECT_EQ(d.moved(), "");
  ASSERT_EQ(d.dma().descriptors.size(), 1u);
  EXPECT_EQ(d.dma().descriptors[0].packet_bytes, 3 * 256);
}
TEST(Transfer, what_a_tile_of_columns_leaves_out_is_not_written) {
  TransferCase d("A = 8, B = 100");
  auto const part = d.add(in_dm("1 # 256", "A, B = 40 # 128"), ScalarType::i16);
  d.move(part, d.tile(d.add(in_hbm("A, B # 128"), ScalarType::i16), "B", 40, 40));
  EXPECT_EQ(d.moved(), "");
  for (const program::DmaDescriptor& each : d.dma().descriptors) EXPECT_LE(each.packet_bytes, 80);
}
TEST(Transfer, zeros_behind_the_rows_of_a_tile_stay) {
  TransferCase d("A = 8, B = 100");
  auto const part = d.add(in_dm("1 # 256", "A = 3, B #z 128"), ScalarType::i16);
  d.move(part, d.tile(d.add(in_hbm("A, B #z 128"), ScalarType::i16), "A", 3, 5));
  EXPECT_EQ(d.moved(), "");
}

TEST(Transfer, gather_and_scatter_read_row_numbers) {
  for (bool scatter : {false, true}) {
    TransferCase c("V = 12, D = 16, T = 8");
    auto const table = c.add(in_hbm("V, D"), ScalarType::i8);
    auto const index = c.add(in_hbm("T", 4096), ScalarType::i32);
    auto const picked = c.add(in_dm("T / 2 # 256", "T % 2, D"), ScalarType::i8);
    c.move(scatter ? picked : table, scatter ? table : picked);
    c.transfer.kind = scatter ? ir::Transfer::Kind::scatter : ir::Transfer::Kind::gather;
    c.transfer.rows = index;
    c.transfer.row_axis = Name("V");
    program::Dma const made = c.dma();
    TransferMachine m(rngd);
    PlacedTensor const rows(c.builder.module, table), numbers(c.builder.module, index), other(c.builder.module, picked);
    auto const row_of = [](std::int64_t t) { return (t * 5 + 3) % 12; };
    fill(m, rows);
    fill(m, other);
    numbers.each([&](const Place& p, const Cell& cell) { numbers.put(m, p, static_cast<std::uint32_t>(row_of(cell.index.get("T")))); });
    m.run(made);
    ASSERT_EQ(m.trouble, "");
    other.each([&](const Place& p, const Cell& cell) {
      if (!cell.live()) return;
      std::int64_t const row = row_of(cell.index.get("T")), d = cell.index.get("D");
      Place const there{.element = row * 16 + d};
      EXPECT_EQ(other.get(m, p), rows.get(m, there));
      EXPECT_EQ(rows.get(m, there), scatter ? other.value(cell.index) : rows.value(Index{}.add(Name("V"), row).add(Name("D"), d)));
    });
    EXPECT_EQ(m.written.size(), 8u * 16u);
  }
}

TEST(Transfer, long_loops_and_deep_ones_keep_to_the_sequencer) {
  // 70,001 rows: a prime above 65,536 rounds.
  TransferCase c("A = 70001, B = 8");
  auto const from = c.add(in_hbm("A, B # 16"), ScalarType::i8);
  c.move(from, c.add(in_hbm("A, B # 24", 1 << 24), ScalarType::i8));
  std::int64_t packets = 0;
  for (const auto& d : c.dma().descriptors) {
    std::int64_t all = 1;
    for (const auto& l : d.loops) {
      EXPECT_LE(l.size, 65536);
      all *= l.size;
    }
    packets += all;
  }
  EXPECT_EQ(packets, 70001);
  EXPECT_EQ(moved("A = 2, B = 2, C = 2, D = 2, E = 2, F = 2, G = 2, H = 2, I = 2, J = 2", in_hbm("A, B, C, D, E, F, G, H, I, J"),
                  in_hbm("J, I, H, G, F, E, D, C, B, A", 4096)),
            "");
}

TEST(Transfer, a_tensor_that_fills_HBM_lowers_at_once) {
  TransferCase c("A = 65536, B = 4096, C = 64");
  auto const from = c.add(in_hbm("A, B, C"), ScalarType::i8);
  c.move(from, c.add(in_hbm("B, A, C", std::int64_t{1} << 34), ScalarType::i8));
  auto const start = std::chrono::steady_clock::now();
  EXPECT_EQ(c.dma().descriptors.size(), 8u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST(Transfer, the_author_s_stream_is_kept) {
  TransferCase c("A = 4, B = 6, C = 8, D = 32");
  auto const from = c.add(in_hbm("A, B, C, D"), ScalarType::i8);
  c.move(from, c.add(in_dm("A # 256", "B, C, D"), ScalarType::i8));
  c.transfer.time = c.builder.map("C / 2, B, C % 2, D / 16");
  c.transfer.packet = c.builder.map("D % 16");
  program::Dma const made = c.dma();
  ASSERT_EQ(made.descriptors.size(), 1u);
  EXPECT_EQ(made.descriptors[0].packet_bytes, 16);
  std::int64_t const slice = rngd.dm.dma_slice_stride.value;
  std::vector<program::DmaLoop> const loops{{4, 64, 64, 0}, {6, 256, 256, 0}, {2, 32, 32, 0}, {2, 16, 16, 0}, {4, 1536, slice, 0}};
  EXPECT_EQ(made.descriptors[0].loops, loops);
  EXPECT_EQ(c.moved(), "");
}

// The book's Example 4 opens a row with nearly every request if slices are inside, 2 MiB apart in HBM.
TEST(Transfer, rows_of_HBM_stay_open) {
  TransferCase c("A = 64, B = 2048, C = 1024");
  auto const from = c.add(in_hbm("A, B, C"), ScalarType::i8);
  c.move(from, c.add(in_dm("B / 256 % 4, A", "B % 256, C", 0, "B / 1024"), ScalarType::i8));
  program::Dma const made = c.dma();
  const program::DmaDescriptor& d = made.descriptors.at(0);
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>, std::int64_t> open;
  std::int64_t switches = 0, requests = 0;
  for (std::int64_t packet = 0; packet < 512; ++packet) {
    std::int64_t address = d.read.address, rest = packet;
    for (auto l = d.loops.rbegin(); l != d.loops.rend(); ++l) {
      address += rest % l->size * l->read_stride;
      rest /= l->size;
    }
    for (std::int64_t r = 0; r < d.packet_bytes; r += 256, ++requests) {
      HbmPlace const p = *hbm_decode(rngd, Bytes{address + r});
      std::int64_t& row = open.try_emplace({p.stack, p.channel, p.slice, p.bank_group, p.bank}, -1).first->second;
      switches += row != p.row;
      row = p.row;
    }
  }
  EXPECT_LT(2 * switches, requests);
}

TEST(Transfer, ranges_are_those_of_the_descriptors) {
  TransferCase c("A = 8, B = 16");
  auto const whole = c.add(in_hbm("A, B", 1024), ScalarType::i8);
  c.move(c.tile(whole, "A", 2, 3), c.add(in_dm("A = 2 # 256", "B", 64), ScalarType::i8));
  program::Command const made = c.command();
  ASSERT_EQ(made.reads.size(), 1u);
  EXPECT_EQ(made.reads[0].begin, 1024 + 3 * 16);
  EXPECT_EQ(made.reads[0].end, 1024 + 5 * 16);
  ASSERT_EQ(made.writes.size(), 1u);
  EXPECT_EQ(made.writes[0].begin, 64);
  EXPECT_EQ(made.writes[0].end, 80);
  EXPECT_EQ(made.writes[0].units.clusters, 1u);
  EXPECT_EQ(made.writes[0].units.slices.word[0], 3u);
}

/// Layouts of one tensor at random: axes cut into blocks that may end in padding, on Slice or Element, the core padded or not.
class RandomLayouts {
 public:
  explicit RandomLayouts(std::uint64_t seed) : random_(seed) {
    for (int a = 0; a < 2; ++a) {
      size_[a] = random_.between(2, 17);
      block_[a] = random_.between(1, 4);
    }
    core_ = 8 * random_.between(1, 3) - (random_.below(3) == 0 ? random_.between(1, 7) : 0);
  }
  std::string axes() const {
    return "A = " + std::to_string(size_[0]) + ", B = " + std::to_string(size_[1]) + ", C = " + std::to_string(core_);
  }
  InMemory layout(std::int64_t address) {
    Memory const memory = random_.below(3) == 0 ? Memory::Spm : random_.below(2) == 0 ? Memory::Dm : Memory::Hbm;
    std::string slice, element;
    std::int64_t units = 1;
    for (int a = 0; a < 2; ++a) {
      std::int64_t const padded = (size_[a] + block_[a] - 1) / block_[a] * block_[a];
      std::string const whole = std::string(a == 0 ? "A" : "B") + " # " + std::to_string(padded), n = std::to_string(block_[a]);
      bool const cut = memory != Memory::Hbm && padded / block_[a] * units <= (memory == Memory::Spm ? 4 : 256) && random_.below(3) > 0;
      if (cut) {
        slice += (slice.empty() ? "" : ", ") + whole + " / " + n;
        units *= padded / block_[a];
        element += whole + " % " + n + ", ";
      } else {
        element += (random_.below(2) == 0 ? whole : std::string(a == 0 ? "A" : "B")) + ", ";
      }
    }
    element += "C # " + std::to_string((core_ + 7) / 8 * 8);
    std::string const all = memory == Memory::Spm ? "4" : "256";
    slice = "[" + (slice.empty() ? "1" : slice) + "] # " + all;
    if (memory == Memory::Hbm) return in_hbm(element, address);
    return memory == Memory::Spm ? in_spm(slice, element, address / 32) : in_dm(slice, element, address);
  }

 private:
  Random random_;
  std::int64_t size_[2], block_[2], core_;
};

TEST(Transfer, random_layouts_arrive) {
  int ran = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomLayouts layouts(seed);
    TransferCase c(layouts.axes());
    auto const from = c.add(layouts.layout(0), ScalarType::i8);
    c.move(from, c.add(layouts.layout(1 << 16), ScalarType::i8));
    if (!ir::verify(c.builder.module, rngd)) continue;
    c.builder.module.commands.push_back({c.transfer, {}, ir::none});
    if (!ir::verify(c.builder.module, rngd)) continue;
    ++ran;
    EXPECT_EQ(c.moved(), "") << "seed " << seed;
  }
  EXPECT_GE(ran, 30);
}

}  // namespace
}  // namespace tcp::lower
