// The rows of the ledger about moves by DMA, for what they say of types, acceptance and refusal.
#include "tcp/rules/dma.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tcp/device/chips.hpp"
#include "tcp/mapping/parse.hpp"

using namespace tcp;

namespace {

/// One example of the book: its axes.
struct Example {
  const char* axes;

  Mapping written(const std::string& text) const {
    auto const m = parse(text, *parse_axes(axes));
    EXPECT_TRUE(m.ok()) << text << ": " << (m.ok() ? "" : m.refusal().sentence().s);
    return m.ok() ? *m : Mapping{};
  }
  DmaTensor host(const char* element) const {
    DmaTensor t{.memory = Memory::Host};
    t.levels.set(Level::element, written(element));
    return t;
  }
  DmaTensor hbm(const char* chip, const char* element) const {
    DmaTensor t{.memory = Memory::Hbm};
    t.levels.set(Level::chip, written(chip)).set(Level::element, written(element));
    return t;
  }
  DmaTensor dm(const char* chip, const char* cluster, const char* slice, const char* element) const {
    DmaTensor t{.memory = Memory::Dm};
    t.levels.set(Level::chip, written(chip)).set(Level::cluster, written(cluster));
    t.levels.set(Level::slice, written(slice)).set(Level::element, written(element));
    return t;
  }
  DmaTensor spm(const char* pe, const char* element) const {
    DmaTensor t = dm("1", "1 # 2", pe, element);
    t.memory = Memory::Spm;
    return t;
  }
  /// The shape of a stream: over which clusters and PEs it is divided, Time and Packet.
  Levels stream(const char* chip, const char* cluster, const char* slice, const char* time, const char* packet) const {
    Levels l;
    l.set(Level::chip, written(chip)).set(Level::cluster, written(cluster)).set(Level::slice, written(slice));
    return l.set(Level::time, written(time)).set(Level::packet, written(packet));
  }
};

template <class T>
std::string code(const Expected<T>& p) {
  return p.ok() ? "accepted" : p.refusal().code;
}
std::string moved(ScalarType type, const DmaTensor& from, const DmaTensor& to, std::int64_t chips = 1, const Device& device = rngd) {
  return code(check_transfer(device, type, chips, from, to));
}
std::int64_t packet(ScalarType type, const DmaTensor& from, const DmaTensor& to) {
  auto const p = check_transfer(rngd, type, 1, from, to);
  EXPECT_TRUE(p.ok()) << p.refusal().sentence().s;
  return p.ok() ? p->packet.value : 0;
}

/// "8:2048, 8:256, 256:1", with the strides between slices and DMNs by their names.
std::string written(const Loops& loops) {
  std::int64_t const slice = rngd.dm.dma_slice_stride.value, dmn = dma_dmn_stride(rngd).value;
  std::string s;
  for (int k = 0; k < loops.entries; ++k) {
    std::int64_t const stride = loops.entry[k].stride;
    s += (s.empty() ? "" : ", ") + std::to_string(loops.entry[k].size) + ":";
    s += stride == slice ? "slice" : stride == dmn ? "DMN" : std::to_string(stride);
  }
  return s;
}

}  // namespace

// ---- Introduction, Hello, tensor functions

TEST(Book, INTRO_02_types) {
  Example const e{"A = 8, B = 512"};
  auto const p = check_transfer(rngd, ScalarType::i8, 8, e.host("A, B"), e.hbm("A", "B"));
  ASSERT_TRUE(p.ok()) << p.refusal().sentence().s;
  EXPECT_EQ(p->link, DmaLink::pcie);
  Cell const there = cell(e.hbm("A", "B").levels, {.chip = 5, .element = 77});
  EXPECT_EQ(there.index.get("A"), 5);
  EXPECT_EQ(there.index.get("B"), 77);
}

// Four reasons, each by itself (E-01).
TEST(Book, INTRO_03_first_program_as_printed) {
  Example const e{"A = 8, B = 512"};
  EXPECT_EQ(moved(ScalarType::i8, e.hbm("A", "B"), e.dm("A", "1", "A", "B")), "memory-chip-size");
  EXPECT_EQ(moved(ScalarType::i8, e.hbm("A", "B"), e.dm("A", "1", "A", "B"), 8), "memory-cluster-size");
  EXPECT_EQ(moved(ScalarType::i8, e.hbm("A", "B"), e.dm("A", "1 # 2", "A", "B"), 8), "memory-slice-size");
  EXPECT_EQ(moved(ScalarType::i8, e.hbm("A", "B"), e.dm("A", "1 # 2", "A # 256", "B"), 8), "levels-axis-twice");
}

TEST(Book, INTRO_04_first_program_corrected) {
  Example const e{"A = 8, B = 512"};
  DmaTensor const dm = e.dm("1", "1 # 2", "A, B / 16", "B % 16");
  EXPECT_EQ(moved(ScalarType::i8, e.hbm("1", "A, B"), dm), "accepted");
  EXPECT_EQ(dm.levels[Level::element].size, 16);
  Place place;
  ASSERT_TRUE(find_place(dm.levels, Index{}.add(Name("A"), 3).add(Name("B"), 100), place));
  EXPECT_EQ(place.slice, 32 * 3 + 100 / 16);
  EXPECT_EQ(place.element, 100 % 16);
}

TEST(Book, INTRO_05_links) {
  EXPECT_EQ(*link_between(Memory::Host, Memory::Hbm), DmaLink::pcie);
  EXPECT_EQ(*link_between(Memory::Hbm, Memory::Host), DmaLink::pcie);
  EXPECT_EQ(*link_between(Memory::Hbm, Memory::Dm), DmaLink::tensor);
  EXPECT_EQ(*link_between(Memory::Dm, Memory::Hbm), DmaLink::tensor);
  EXPECT_EQ(code(link_between(Memory::Host, Memory::Dm)), "dma-no-link");
  EXPECT_EQ(code(link_between(Memory::Dm, Memory::Host)), "dma-no-link");
}

TEST(Book, HEL_08_types) {
  Example const e{"A = 2048"};
  DmaTensor const dm = e.dm("1", "1 # 2", "A / 8 # 256", "A % 8");
  EXPECT_EQ(packet(ScalarType::bf16, e.hbm("1", "A"), dm), 16);
  EXPECT_EQ(dm.levels[Level::slice], e.written("A / 8"));
}

TEST(Book, HEL_11_transfers) {
  Example const e{"A = 2048"};
  DmaTensor const dm = e.dm("1", "1 # 2", "A / 8 # 256", "A % 8"), hbm = e.hbm("1", "A");
  EXPECT_EQ(moved(ScalarType::i32, hbm, dm), "accepted");
  EXPECT_EQ(moved(ScalarType::i32, dm, hbm), "accepted");
  EXPECT_TRUE(check_transfer_at(rngd, ScalarType::i32, hbm, Bytes{0}, dm, Bytes{0}).ok());
  EXPECT_TRUE(check_transfer_at(rngd, ScalarType::i32, dm, Bytes{1 << 12}, hbm, Bytes{1 << 28}).ok());
}

TEST(Book, HEL_18_transfers) {
  Example const e{"A = 2048"};
  EXPECT_EQ(packet(ScalarType::bf16, e.hbm("1", "A"), e.dm("1", "1 # 2", "1 # 256", "A")), 4096);
}

TEST(Book, HEL_19_transfers) {
  Example const e{"A = 2048"};
  EXPECT_EQ(packet(ScalarType::bf16, e.dm("1", "1 # 2", "1 # 256", "1 # 8"), e.hbm("1", "1")), 2) << "one scalar, from DM to HBM";
}

TEST(Book, HEL_25_transfers) {
  Example const e{"I = 256, J = 2048"};
  auto const p = check_transfer(rngd, ScalarType::bf16, 1, e.hbm("1", "J"), e.dm("1", "1 # 2", "I", "J"));
  ASSERT_TRUE(p.ok());
  EXPECT_TRUE(p->broadcasts) << "replication comes from the DMA";
}

TEST(Book, HEL_27_transfers) {
  Example const e{"I = 256, J = 2048"};
  EXPECT_EQ(moved(ScalarType::bf16, e.dm("1", "1 # 2", "I", "1 # 4"), e.hbm("1", "I")), "accepted");
}

TEST(Book, HEL_28_transfers) {
  Example const e{"I = 256, J = 2048"};
  DmaTensor const matrix = e.dm("1", "1 # 2", "I", "J");
  EXPECT_EQ(packet(ScalarType::bf16, e.hbm("1", "I, J"), matrix), 4096);
  EXPECT_TRUE(check_transfer_at(rngd, ScalarType::bf16, e.hbm("1", "I, J"), Bytes{0}, matrix, Bytes{0}).ok());
  EXPECT_TRUE(check_transfer_at(rngd, ScalarType::bf16, e.hbm("1", "J"), Bytes{1 << 28}, matrix, Bytes{1 << 12}).ok());
}

TEST(Book, HEL_32_gemm_operand) {
  Example const e{"I = 512, J = 512, K = 64"};
  DmaTensor const dm = e.dm("1", "1 # 2", "I / 32, J / 32", "J % 32, K");
  EXPECT_EQ(moved(ScalarType::bf16, e.hbm("1", "K, J"), dm), "dma-packet-misaligned") << "runs of 2 bytes (E-10)";
  EXPECT_EQ(moved(ScalarType::bf16, e.hbm("1", "J, K"), dm), "accepted");
}

TEST(Book, TFN_02_types) {
  Example const e{"A = 8, B = 512"};
  DmaTensor const as_printed = e.dm("A", "1", "B / 2", "B % 2"), full = e.dm("A", "1 # 2", "B / 2", "B % 2");
  EXPECT_EQ(moved(ScalarType::bf16, e.hbm("A", "B"), as_printed, 8, logical), "accepted") << "the identity on values";
  EXPECT_EQ(moved(ScalarType::bf16, e.hbm("A", "B"), as_printed, 8), "memory-cluster-size");
  EXPECT_EQ(moved(ScalarType::bf16, e.hbm("A", "B"), full, 8), "dma-packet-misaligned") << "4 bytes (E-31)";
  Example const larger{"A = 8, B = 1024"};
  EXPECT_EQ(moved(ScalarType::bf16, larger.hbm("A", "B"), larger.dm("A", "1 # 2", "B / 4", "B % 4"), 8), "accepted");
}

// ---- Moving Tensors: overview

TEST(Book, MOV_01_dma_moves_between_hbm_spm_and_dm) {
  for (Memory from : {Memory::Hbm, Memory::Spm, Memory::Dm})
    for (Memory to : {Memory::Hbm, Memory::Spm, Memory::Dm}) EXPECT_EQ(*link_between(from, to), DmaLink::tensor);
}

TEST(Book, MOV_02_register_files_are_filled_by_the_pipeline) {
  for (Memory file : {Memory::Trf, Memory::Vrf})
    for (Memory other : {Memory::Host, Memory::Hbm, Memory::Spm, Memory::Dm}) {
      EXPECT_EQ(code(link_between(other, file)), "dma-no-link");
      EXPECT_EQ(code(link_between(file, other)), "dma-no-link");
    }
}

// ---- The DMA engine

TEST(Book, DMA_01_all_nine_pairs) {
  Example const e{"A = 4096"};
  DmaTensor const all[] = {e.hbm("1", "A"), e.dm("1", "1 # 2", "A / 16", "A % 16"), e.spm("A / 1024", "A % 1024")};
  for (auto const& from : all)
    for (auto const& to : all) EXPECT_EQ(moved(ScalarType::i8, from, to), "accepted");
  // Across DMNs, clusters and chips.
  Example const f{"A = 4096, D = 2"};
  EXPECT_EQ(moved(ScalarType::i8, f.dm("1", "1 # 2", "A / 16", "A % 16"), f.dm("1", "1 # 2", "A / 16 % 2, A / 32", "A % 16")), "accepted");
  EXPECT_TRUE(check_transfer(rngd, ScalarType::i8, 1, f.dm("1", "D", "A / 16", "A % 16"), f.dm("1", "A / 2048", "A / 8 % 256", "D, A % 8"))
                  ->crosses_clusters);
  EXPECT_TRUE(check_transfer(rngd, ScalarType::i8, 2, f.hbm("D", "A"), f.hbm("2", "D, A"))->crosses_chips);
}

TEST(Book, DMA_05_nchw_to_nhwc) {
  Example const e{"N = 4, C = 3, H = 8, W = 8"};
  EXPECT_EQ(moved(ScalarType::i8, e.hbm("1", "N, C, H, W"), e.dm("1", "1", "1", "N, H, W, C"), 1, logical), "accepted");
  EXPECT_EQ(moved(ScalarType::i8, e.hbm("1", "N, C, H, W"), e.dm("1", "1 # 2", "1 # 256", "N, H, W, C")), "dma-packet-misaligned");
}

TEST(Book, DMA_06_a_stream_orders_the_move) {
  Example const e{"A = 8, B = 8, C = 256"};
  DmaTensor const in = e.hbm("1", "A, B, C"), out = e.hbm("1", "B, A, C");
  auto const by_a = check_dma_stream(rngd, ScalarType::i8, in, out, e.stream("1", "1", "1", "A, B", "C"));
  auto const by_b = check_dma_stream(rngd, ScalarType::i8, in, out, e.stream("1", "1", "1", "B, A", "C"));
  EXPECT_EQ(written(by_a->read), written(by_b->write));
  EXPECT_EQ(written(by_a->write), written(by_b->read));
  EXPECT_EQ(code(check_dma_stream(rngd, ScalarType::i8, in, out, e.stream("1", "1", "1", "A", "C"))), "sequence-write-incomplete");
}

TEST(Book, DMA_07_environments) {
  // HBM and SPM have elements, DM slices and elements; the stream Time and Packet.
  Example const e{"A = 64, C = 256"};
  DmaTensor const dm = e.dm("1", "1 # 2", "A # 256", "C");
  EXPECT_TRUE(check_dma_stream(rngd, ScalarType::i8, e.hbm("1", "A, C"), dm, e.stream("1", "1", "1", "A", "C")).ok());
  EXPECT_TRUE(check_dma_stream(rngd, ScalarType::i8, dm, e.spm("1 # 4", "A, C"), e.stream("1", "1", "1", "A", "C")).ok());
  EXPECT_TRUE(check_transfer_at(rngd, ScalarType::i8, e.hbm("1", "A, C"), Bytes{1024}, dm, Bytes{64}).ok());
}

TEST(Book, DMA_08_alignment) {
  Example const e{"A = 512, B = 12"};
  auto const to_dm = [&](const char* hbm, const char* element) {
    return moved(ScalarType::i8, e.hbm("1", hbm), e.dm("1", "A / 256", "A % 256", element));
  };
  auto const to_hbm = [&](const char* element, const char* hbm) {
    return moved(ScalarType::i8, e.dm("1", "A / 256", "A % 256", element), e.hbm("1", hbm));
  };
  // Packets of DM.
  EXPECT_EQ(to_dm("A, B", "B"), "dma-packet-misaligned");
  EXPECT_EQ(to_dm("A, B # 16", "B # 16"), "accepted");
  // HBM is read at multiples of 8 on the way to DM.
  Example const w{"A = 512, C = 8"};
  EXPECT_EQ(moved(ScalarType::i8, w.hbm("1", "A, C # 12"), w.dm("1", "A / 256", "A % 256", "C")), "dma-read-misaligned");
  EXPECT_EQ(moved(ScalarType::i8, w.hbm("1", "A, C"), w.dm("1", "1 # 2", "A / 2", "A % 2, C # 12")), "dma-write-misaligned");
  // The other way anything goes (E-80).
  EXPECT_EQ(to_hbm("B", "A, B"), "accepted");
  EXPECT_EQ(to_hbm("B", "B, A"), "accepted");
  // Between HBM and HBM as well.
  EXPECT_EQ(moved(ScalarType::i8, e.hbm("1", "A, B"), e.hbm("1", "B, A")), "accepted");
  // DM to DM is written like any DM.
  EXPECT_EQ(moved(ScalarType::i8, e.dm("1", "A / 256", "A % 256", "B"), e.dm("1", "A % 2", "A / 2", "B")), "dma-packet-misaligned");
  // Addresses.
  DmaTensor const hbm = w.hbm("1", "A, C"), dm = w.dm("1", "A / 256", "A % 256", "C");
  EXPECT_FALSE(check_transfer_at(rngd, ScalarType::i8, hbm, Bytes{4}, dm, Bytes{0}).ok());
  EXPECT_FALSE(check_transfer_at(rngd, ScalarType::i8, hbm, Bytes{0}, dm, Bytes{4}).ok());
  EXPECT_TRUE(check_transfer_at(rngd, ScalarType::i8, dm, Bytes{3}, hbm, Bytes{5}).ok());
  EXPECT_TRUE(check_transfer_at(rngd, ScalarType::i8, hbm, Bytes{3}, hbm, Bytes{8192 + 5}).ok());
}

TEST(Book, DMA_09_largest_packet) {
  Example const e{"A = 8, C = 8192"};
  DmaTensor const in = e.hbm("1", "A, C"), out = e.hbm("1", "C / 4096, A, C % 4096");
  EXPECT_EQ(code(check_dma_stream(rngd, ScalarType::i8, in, out, e.stream("1", "1", "1", "C / 4096, A", "C % 4096"))), "accepted");
  EXPECT_EQ(code(check_dma_stream(rngd, ScalarType::i8, in, in, e.stream("1", "1", "1", "A", "C"))), "dma-packet-too-large");
  EXPECT_EQ(code(check_dma_stream(rngd, ScalarType::bf16, in, out, e.stream("1", "1", "1", "C / 4096, A", "C % 4096"))),
            "dma-packet-too-large");
  EXPECT_EQ(packet(ScalarType::i8, in, in), 4096);
}

TEST(Book, DMA_10_basic_layout_change) {
  Example const e{"N = 4, C = 3, H = 8, W = 8"};
  auto const s =
      check_dma_stream(rngd, ScalarType::i8, e.hbm("1", "N, C, H, W"), e.hbm("1", "H, C, N, W"), e.stream("1", "1", "1", "H, C, N", "W"));
  ASSERT_TRUE(s.ok()) << s.refusal().sentence().s;
  EXPECT_EQ(written(s->read), "8:8, 3:64, 4:192, 8:1");
  EXPECT_EQ(written(s->write), "8:96, 3:32, 4:8, 8:1");
  EXPECT_EQ(s->packet, Bytes{8});
  EXPECT_EQ(packet(ScalarType::i8, e.hbm("1", "N, C, H, W"), e.hbm("1", "H, C, N, W")), 8);
}

TEST(Book, DMA_11_packet_choice) {
  // E-82: any divisor between HBM and HBM, and from DM to HBM.
  EXPECT_EQ(packet(ScalarType::i8, Example{"X = 4095"}.hbm("1", "X"), Example{"X = 4095"}.hbm("1", "X")), 4095);
  EXPECT_EQ(packet(ScalarType::i8, Example{"X = 4099"}.hbm("1", "X"), Example{"X = 4099"}.hbm("1", "X")), 1);
  Example const e{"X = 4104"};
  EXPECT_EQ(packet(ScalarType::i8, e.hbm("1", "X"), e.hbm("1", "X")), 2052);
  // Where DM takes part, multiples of 8.
  EXPECT_EQ(packet(ScalarType::i8, e.hbm("1", "X"), e.dm("1", "1 # 2", "1 # 256", "X")), 1368);
  EXPECT_EQ(packet(ScalarType::i8, e.dm("1", "1 # 2", "1 # 256", "X"), e.hbm("1", "X")), 1368);
  EXPECT_EQ(packet(ScalarType::i8, Example{"X = 4095"}.dm("1", "1 # 2", "1 # 256", "X"), Example{"X = 4095"}.hbm("1", "X")), 4095);
}

TEST(Book, DMA_13_requests) {
  std::int64_t const bytes[] = {4095, 256, 257, 2800, 4096}, requests[] = {16, 1, 2, 11, 16};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(dma_requests(rngd, Bytes{bytes[i]}), requests[i]) << bytes[i];
}

TEST(Book, DMA_14_types) {
  Example const e{"X = 4099"};
  auto const whole = check_transfer(rngd, ScalarType::i8, 1, e.hbm("1", "X"), e.hbm("1", "X"));
  EXPECT_EQ(whole->run.value / whole->packet.value * whole->requests, 4099);
  auto const first = check_transfer(rngd, ScalarType::i8, 1, e.hbm("1", "X = 4096"), e.hbm("1", "X = 4096"));
  auto const second = check_transfer(rngd, ScalarType::i8, 1, e.hbm("1", "X @ 4096 = 3"), e.hbm("1", "X @ 4096 = 3"));
  EXPECT_EQ(first->requests, 16);
  EXPECT_EQ(second->requests, 1);
}

TEST(Book, DMA_16_one_stream_for_all_engines) {
  Example const e{"D = 2, B = 2048, C = 256"};
  DmaTensor const in = e.hbm("D", "B, C"), out = e.dm("D", "B / 1024", "B / 4 % 256", "B % 4, C");
  auto const s = check_dma_stream(rngd, ScalarType::i8, in, out, e.stream("D", "B / 1024", "B / 256 % 4", "B % 4, B / 4 % 64", "C"));
  EXPECT_TRUE(s.ok()) << s.refusal().sentence().s;
  EXPECT_EQ(moved(ScalarType::i8, in, out, 2), "accepted");
}

TEST(Book, DMA_17_one_source_and_one_destination) {
  // One unified In and Out, whose blocks end unevenly: the types are one tensor move, the commands are several.
  Example const e{"A = 15, B = 32, C = 256, D = 8"};
  auto const p = check_transfer(rngd, ScalarType::i8, 4, e.dm("D / 2", "D % 2", "A # 16 / 4, A # 16 / 2 % 2, B", "A # 16 % 2, C"),
                                e.hbm("D / 2", "D % 2, B, A, C"));
  ASSERT_TRUE(p.ok()) << p.refusal().sentence().s;
  EXPECT_TRUE(p->uneven);
}

TEST(Book, DMA_19_types_that_can_be_moved) {
  Example const e{"X = 4096"};
  for (ScalarType t : {ScalarType::i4, ScalarType::i8, ScalarType::f8e4m3, ScalarType::f8e5m2, ScalarType::i16, ScalarType::f16,
                       ScalarType::bf16, ScalarType::i32, ScalarType::f32})
    EXPECT_EQ(moved(t, e.hbm("1", "X"), e.hbm("1", "X")), "accepted");
  EXPECT_EQ(moved(ScalarType::i5, e.hbm("1", "X"), e.hbm("1", "X")), "dma-type-not-in-memory");
  EXPECT_EQ(moved(ScalarType::i9, e.hbm("1", "X"), e.hbm("1", "X")), "dma-type-not-in-memory");
}

TEST(Book, DMA_20_a_stream_for_one_coordinate) {
  Example const e{"A = 4, B = 4, C = 256"};
  // Chip 2's part of a stream over chips: A @ 2 = 1.
  auto const part = derive_loops(e.written("A, B, C"), e.written("A @ 2 = 1, B"), e.written("C"));
  ASSERT_TRUE(part.ok()) << part.refusal().sentence().s;
  EXPECT_EQ(part->base, 2 * 4 * 256);
  DmaTensor in = e.hbm("1", "A @ 2 = 1, B, C");
  EXPECT_EQ(moved(ScalarType::i8, in, in), "accepted");
}

TEST(Book, DMA_30_types) {
  Example const e{"A = 8, B = 8, C = 256"};
  DmaTensor const in = e.hbm("1", "A, B, C"), out = e.hbm("1", "B, A, C");
  auto const s = check_dma_stream(rngd, ScalarType::i8, in, out, e.stream("1", "1", "1", "A, B", "C"));
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(written(s->read), "8:2048, 8:256, 256:1");
  EXPECT_EQ(written(s->write), "8:256, 8:2048, 256:1");
  EXPECT_EQ(s->packet, Bytes{256});
  EXPECT_EQ(packet(ScalarType::i8, in, out), 256);
}

TEST(Book, DMA_34_types) {
  Example const e{"A = 256, B = 256, C = 256"};
  DmaTensor const in = e.hbm("1", "B, A, C"), out = e.dm("1", "1 # 2", "A / 4 # 256", "A % 4, B, C");
  auto const s = check_dma_stream(rngd, ScalarType::i8, in, out, e.stream("1", "1", "1", "B, A % 4, A / 4 % 32, A / 128", "C"));
  ASSERT_TRUE(s.ok()) << s.refusal().sentence().s;
  EXPECT_EQ(written(s->read), "256:65536, 4:256, 32:1024, 2:32768, 256:1");
  EXPECT_EQ(written(s->write), "256:256, 4:65536, 32:slice, 2:DMN, 256:1");
  EXPECT_EQ(packet(ScalarType::i8, in, out), 256);
}

TEST(Book, DMA_36_types) {
  Example const e{"A = 256, B = 256, C = 256"};
  DmaTensor const in = e.dm("1", "1 # 2", "A / 4 # 256", "A % 4, B, C"), out = e.dm("1", "1 # 2", "A / 4 # 256", "B, A % 4, C");
  auto const s = check_dma_stream(rngd, ScalarType::i8, in, out, e.stream("1", "1", "1", "B, A % 4, A / 4 % 32, A / 128", "C"));
  ASSERT_TRUE(s.ok()) << s.refusal().sentence().s;
  EXPECT_EQ(written(s->read), "256:256, 4:65536, 32:slice, 2:DMN, 256:1") << "E-70";
  EXPECT_EQ(written(s->write), "256:1024, 4:256, 32:slice, 2:DMN, 256:1");
  EXPECT_TRUE(check_transfer_at(rngd, ScalarType::i8, in, Bytes{0}, out, Bytes{4 * 256 * 256}).ok());
}

// The engines' loops are the last four; before them stand the bases of clusters and PEs.
TEST(Book, DMA_39_types) {
  Example const e{"A = 64, B = 2048, C = 1024"};
  DmaTensor const in = e.hbm("1", "A, B, C"), out = e.dm("1", "B / 1024", "B / 256 % 4, A", "B % 256, C");
  auto const s = check_dma_stream(rngd, ScalarType::i8, in, out,
                                  e.stream("1", "B / 1024", "B / 256 % 4", "B % 256, C / 256, A % 32, A / 32", "C % 256"));
  ASSERT_TRUE(s.ok()) << s.refusal().sentence().s;
  EXPECT_EQ(written(s->read), "2:1048576, 4:262144, 256:1024, 4:256, 32:2097152, 2:67108864, 256:1");
  EXPECT_NE(written(s->write).find("256:1024, 4:256, 32:slice, 2:DMN, 256:1"), std::string::npos) << written(s->write);
  EXPECT_EQ(moved(ScalarType::i8, in, out), "accepted");
}

TEST(Book, DMA_42_types) {
  Example const e{"A = 8, B = 64, C = 8, D = 512"};
  DmaTensor const out = e.dm("1", "A / 4", "A % 4, B", "C, D % 256");
  EXPECT_EQ(moved(ScalarType::i8, e.hbm("1", "A, B, C, D"), out), "dma-drops-data") << "half of D is left behind without a word (E-73)";
  DmaTensor half = e.hbm("1", "A, B, C, D % 256 # 512");
  half.view = true;
  EXPECT_EQ(packet(ScalarType::i8, half, out), 256);
  auto const s = check_dma_stream(rngd, ScalarType::i8, half, out, e.stream("1", "A / 4", "A % 4", "C, B % 32, B / 32", "D % 256"));
  ASSERT_TRUE(s.ok()) << s.refusal().sentence().s;
  EXPECT_EQ(written(s->read), "2:1048576, 4:262144, 8:512, 32:4096, 2:131072, 256:1");
  EXPECT_NE(written(s->write).find("8:256, 32:slice, 2:DMN, 256:1"), std::string::npos) << written(s->write);
}

TEST(Book, DMA_44_types) {
  Example const e{"A = 15, B = 32, C = 256, D = 8"};
  DmaTensor const in = e.dm("D / 2", "D % 2", "A # 16 / 4, A # 16 / 2 % 2, B", "A # 16 % 2, C"), out = e.hbm("D / 2", "D % 2, B, A, C");
  auto const p = check_transfer(rngd, ScalarType::i8, 4, in, out);
  ASSERT_TRUE(p.ok()) << p.refusal().sentence().s;
  EXPECT_EQ(p->packet, Bytes{256});
  EXPECT_FALSE(p->crosses_chips);
}

// One stream for all would write a sixteenth row.
TEST(Book, DMA_45_types) {
  Example const e{"A = 15, B = 32, C = 256, D = 8"};
  DmaTensor const in = e.dm("D / 2", "D % 2", "A # 16 / 4, A # 16 / 2 % 2, B", "A # 16 % 2, C");
  Levels const stream = e.stream("D / 2", "D % 2", "A # 16 / 4", "A # 16 % 2, B, A # 16 / 2 % 2", "C");
  EXPECT_FALSE(check_dma_stream(rngd, ScalarType::i8, in, e.hbm("D / 2", "D % 2, B, A, C"), stream).ok());
  EXPECT_TRUE(check_dma_stream(rngd, ScalarType::i8, in, e.hbm("D / 2", "D % 2, B, A # 16, C"), stream).ok())
      << "into a row of its own it may";
}

TEST(Book, DMA_47_types) {
  Example const e{"A = 15, B = 32, C = 256, D = 8"};
  DmaTensor const in = e.dm("D / 2", "D % 2", "A # 16 / 4, A # 16 / 2 % 2, B", "A # 16 % 2, C");
  EXPECT_TRUE(check_transfer(rngd, ScalarType::i8, 4, in, e.hbm("D / 2", "D % 2, B, A, C"))->uneven);
  EXPECT_FALSE(check_transfer(rngd, ScalarType::i8, 4, in, e.hbm("D / 2", "D % 2, B, A # 16, C"))->uneven);
}

TEST(Book, DMA_48_one_tensor_to_one_tensor) {
  Example const e{"A = 512, B = 64, C = 64"};
  // The destination is the same tensor: neither less of it nor another.
  EXPECT_EQ(moved(ScalarType::i8, e.hbm("1", "A, B"), e.dm("1", "A / 256", "A % 256", "B")), "accepted");
  EXPECT_EQ(moved(ScalarType::i8, e.hbm("1", "A, B"), e.dm("1", "A / 256", "A % 256", "C")), "dma-drops-data");
}

// One engine's part: the last four loops; the chip's, the cluster's and the DMN's come before them.
TEST(Book, DMA_21_types) {
  Example const e{"A = 4, B = 256, C = 256, D = 256"};
  DmaTensor const in = e.hbm("A", "B, C, D"), out = e.dm("A", "B / 128", "C", "B % 128, D");
  auto const s = check_dma_stream(rngd, ScalarType::i8, in, out, e.stream("A", "B / 128", "C / 64", "C % 32, B % 128, C / 32 % 2", "D"));
  ASSERT_TRUE(s.ok()) << s.refusal().sentence().s;
  auto const ends_with = [](const std::string& all, const std::string& end) {
    return all.size() >= end.size() && all.compare(all.size() - end.size(), end.size(), end) == 0;
  };
  EXPECT_TRUE(ends_with(written(s->read), "32:256, 128:65536, 2:8192, 256:1")) << written(s->read) << " (E-77)";
  EXPECT_TRUE(ends_with(written(s->write), "32:slice, 128:256, 2:DMN, 256:1")) << written(s->write);
  std::int64_t packets = 1;
  for (int k = s->read.entries - 4; k < s->read.entries - 1; ++k) packets *= s->read.entry[k].size;
  EXPECT_EQ(packets * s->requests, 8192) << "requests of each engine";
  EXPECT_EQ(moved(ScalarType::i8, in, out, 4), "accepted");
}

TEST(Book, DMA_15_requests) {
  Example const e{"A = 4, X = 300, Y = 100"};
  auto const three_hundred = check_transfer(rngd, ScalarType::i8, 1, e.hbm("1", "A, X"), e.hbm("1", "A, X # 512"));
  EXPECT_EQ(three_hundred->packet, Bytes{300});
  EXPECT_EQ(three_hundred->requests, 2);
  auto const hundred = check_transfer(rngd, ScalarType::i8, 1, e.hbm("1", "A, Y"), e.hbm("1", "A, Y # 512"));
  EXPECT_EQ(hundred->packet, Bytes{100});
  EXPECT_EQ(hundred->requests, 1) << "as many as for 256";
}

/// The move that the next rows are about: 256³ bytes, A and B exchanged.
struct Exchange {
  Example e{"A = 256, B = 256, C = 256"};
  DmaTensor in = e.hbm("1", "A, B, C"), out = e.hbm("1", "B, A, C");
  DmaStream stream = check_dma_stream(rngd, ScalarType::i8, in, out, e.stream("1", "1", "1", "A, B", "C")).value();
  std::int64_t base = 256 * 256 * 256;
};

TEST(Book, DMA_23_volumes) {
  auto const volume = [](const Loops& loops) {
    std::int64_t n = 1;
    for (int k = 0; k < loops.entries; ++k) n *= loops.entry[k].size;
    return n;
  };
  Exchange const x;
  EXPECT_EQ(volume(x.stream.read), volume(x.stream.write));
  EXPECT_EQ(x.stream.read.entries, x.stream.write.entries);
  for (int k = 0; k < x.stream.read.entries; ++k) EXPECT_EQ(x.stream.read.entry[k].size, x.stream.write.entry[k].size) << "shared limits";
  // Also where the two sides cut an axis differently.
  Example const e{"A = 64, C = 256"};
  auto const cut = check_dma_stream(rngd, ScalarType::i8, e.hbm("1", "A, C"), e.dm("1", "1 # 2", "A / 4 # 256", "A % 4, C"),
                                    e.stream("1", "1", "1", "A", "C"));
  ASSERT_TRUE(cut.ok()) << cut.refusal().sentence().s;
  EXPECT_EQ(volume(cut->read), volume(cut->write));
}

TEST(Book, DMA_24_types) {
  Exchange const x;
  EXPECT_EQ(written(x.stream.read), "256:65536, 256:256, 256:1");
  EXPECT_EQ(written(x.stream.write), "256:256, 256:65536, 256:1");
  EXPECT_EQ(x.stream.packet, Bytes{256});
  EXPECT_TRUE(check_transfer_at(rngd, ScalarType::i8, x.in, Bytes{0}, x.out, Bytes{x.base}).ok());
}

TEST(Book, DMA_25_addresses) {
  Exchange const x;
  auto const write = [&](std::int64_t i) { return x.stream.write.at(i) + x.base; };
  std::int64_t const table[][2] = {{0, 0}, {1, 1}, {255, 255}, {256, 65536}};
  for (auto const& [i, to] : table) {
    EXPECT_EQ(x.stream.read.at(i), i);
    EXPECT_EQ(write(i), to + x.base);
  }
  for (std::int64_t i = 0; i < x.base; i += 1021) {
    std::int64_t const a = i / 65536, b = i / 256 % 256, c = i % 256;
    ASSERT_EQ(x.stream.read.at(i), i);
    ASSERT_EQ(write(i), 256 * a + 65536 * b + c + x.base) << i;
  }
}

TEST(Book, DMA_26_relation) {
  Exchange const x;
  for (std::int64_t i = 0; i < x.base; i += 997) {
    Cell const there = cell(x.out.levels, {.element = i});
    ASSERT_TRUE(there.live());
    ASSERT_EQ(there.index.get("A"), i % 65536 / 256) << i;
    ASSERT_EQ(there.index.get("B"), i / 65536);
    ASSERT_EQ(there.index.get("C"), i % 256);
  }
}

TEST(Book, DMA_28_packet_is_the_common_run) {
  Exchange const x;
  EXPECT_EQ(packet(ScalarType::i8, x.in, x.out), 256) << "256 neighbours on both sides";
  Example const e{"A = 4, B = 64, C = 32"};
  EXPECT_EQ(packet(ScalarType::i8, e.hbm("1", "A, B, C"), e.hbm("1", "A, B, C")), 4096) << "all of it up to the limit";
  EXPECT_EQ(packet(ScalarType::i8, e.hbm("1", "A, B, C"), e.hbm("1", "B, A, C")), 32);
  EXPECT_EQ(packet(ScalarType::i8, e.hbm("1", "A, B, C"), e.hbm("1", "A, B, C # 48")), 32) << "the shorter run counts";
}

TEST(Book, DMA_31_addresses) {
  Example const e{"A = 8, B = 8, C = 256"};
  auto const s = check_dma_stream(rngd, ScalarType::i8, e.hbm("1", "A, B, C"), e.hbm("1", "B, A, C"), e.stream("1", "1", "1", "A, B", "C"));
  ASSERT_TRUE(s.ok());
  std::int64_t const base = 16384;
  EXPECT_EQ(s->write.at(256) + base, 2048 + base);
  for (std::int64_t a = 0; a < 8; ++a)
    for (std::int64_t b = 0; b < 8; ++b)
      for (std::int64_t c = 0; c < 256; ++c) {
        std::int64_t const i = 2048 * a + 256 * b + c;
        ASSERT_EQ(s->read.at(i), i);
        ASSERT_EQ(s->write.at(i) + base, 256 * a + 2048 * b + c + base);
      }
}

TEST(Book, DMA_37_footprint) {
  Example const e{"A = 256, B = 256, C = 256"};
  Mapping const before = e.written("A % 4, B, C"), after = e.written("B, A % 4, C");
  EXPECT_EQ(element_bytes(ScalarType::i8, before).value(), Bytes{262144});
  EXPECT_EQ(element_bytes(ScalarType::i8, after).value(), Bytes{262144});
  EXPECT_TRUE(check_dm(rngd, ScalarType::i8, before, Bytes{0}).ok());
  EXPECT_TRUE(check_dm(rngd, ScalarType::i8, after, Bytes{262144}).ok()) << "both fill the slice";
  EXPECT_FALSE(check_dm(rngd, ScalarType::i8, after, Bytes{262144 + 8}).ok()) << "exactly";
}

TEST(Book, DMA_38_requests) {
  for (std::int64_t c = 1; c <= 256; ++c) ASSERT_EQ(dma_requests(rngd, Bytes{c}), 1) << c;
  for (std::int64_t n = 0; n < 16; ++n)
    for (std::int64_t r : {1, 100, 255}) ASSERT_EQ(dma_requests(rngd, Bytes{256 * n + r}), n + 1);
  EXPECT_EQ(dma_requests(rngd, Bytes{512}), 2) << "r = 0 costs n (E-71)";
}
