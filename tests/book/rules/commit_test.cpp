// The rows of the ledger on commit and on casts.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tcp/device/chips.hpp"
#include "tcp/rules/cast.hpp"
#include "tcp/rules/commit.hpp"
#include "tcp/rules/pass.hpp"
#include "tcp/rules/pass_state.hpp"
#include "written.hpp"

namespace tcp {
namespace {

using enum ScalarType;

/// An example of the chapter: Cluster m![1 # 2] and Slice m![1 # 256] stand for the bare m![1] of the listings (E-02).
struct Commit {
  const char* axes;
  ScalarType type;
  const char *time, *packet, *element;
  const char* slice = "1 # 256";
  CommitHow how{};

  Expected<Committed> check(const Device& device = rngd) const {
    Written const m{axes};
    Levels l;
    l.set(Level::cluster, m("1 # 2")).set(Level::slice, m(slice)).set(Level::time, m(time)).set(Level::packet, m(packet));
    return check_commit(device, how, type, l, m(element));
  }
  Committed done() const {
    auto const c = check();
    EXPECT_TRUE(c.ok()) << (c.ok() ? "" : c.refusal().sentence().s);
    return c.ok() ? *c : Committed{};
  }
  std::string code() const { return code_of(check()); }
};

/// "4:16, 2:8, 8:1", outermost first, strides in elements.
std::string loops(const Committed& c) {
  std::string s;
  for (int k = 0; k < c.sequence.loops.entries; ++k)
    s += (s.empty() ? "" : ", ") + std::to_string(c.sequence.loops.entry[k].size) + ":" + std::to_string(c.sequence.loops.entry[k].stride);
  return s;
}

CommitHow in_sub() { return {Tu::Sub}; }

const char* const mkwnj = "M = 4, K = 2, W = 8, N = 16, J = 64";

TEST(Book, COM_01_commit_keeps_the_levels_and_reorders_time) {
  Committed const c = Commit{"P = 256, M = 4, K = 2, W = 8", f32, "M, K", "W", "K, M, W", "P"}.done();
  EXPECT_TRUE(c.tensor[Level::slice] == axis_mapping(Name("P"), 256));
  EXPECT_EQ(c.tensor[Level::cluster].size, 2);
  EXPECT_EQ((Commit{mkwnj, f32, "M, K", "W", "M, W"}).code(), "sequence-write-broadcast");
  EXPECT_EQ((Commit{"M = 4, T = 4, W = 8", f32, "T, M", "W", "M, W"}).code(), "sequence-write-broadcast");
}

TEST(Book, COM_02_cast_and_commit) {
  Committed const c = Commit{"P = 256, M = 16, N = 8", bf16, "M", "N # 16", "M, N # 16", "P"}.done();
  EXPECT_EQ(loops(c), "16:16, 16:1");
  EXPECT_EQ(c.commit_in_size, Bytes{32});
  EXPECT_EQ(c.commit_size(), Bytes{32});
  EXPECT_EQ(c.writes(), 16);
  EXPECT_EQ(element_bytes(bf16, c.tensor[Level::element]).value(), Bytes{512});
}

TEST(Book, COM_03_input_is_one_flit) {
  EXPECT_EQ((Commit{mkwnj, i8, "M, K", "W # 16", "M, K, W"}).code(), "commit-packet-not-one-flit");
  EXPECT_EQ((Commit{mkwnj, i8, "M, K", "W # 64", "M, K, W"}).code(), "commit-packet-not-one-flit");
  EXPECT_EQ((Commit{mkwnj, i8, "M, K", "W # 32", "M, K, W"}).code(), "accepted");
}

TEST(Book, COM_04_truncation_widths) {
  for (int width = 1; width <= 32; ++width) {
    std::string const axes = "M = 4, W = " + std::to_string(width);
    Commit const c{axes.c_str(), i8, "M", "W # 32", "M, W"};
    EXPECT_EQ(c.code() == "accepted", width % 8 == 0) << width;
    if (width % 8 == 0) {
      EXPECT_EQ(c.done().commit_in_size, Bytes{width});
    }
  }
}

TEST(Book, COM_05_padding_is_dropped) { EXPECT_EQ((Commit{mkwnj, i8, "M, K", "W # 32", "M, K, W"}).done().commit_in_size, Bytes{8}); }

TEST(Book, COM_06_live_elements_are_dropped) {
  Committed const c = Commit{mkwnj, f32, "M, K", "W", "M, K, W = 4"}.done();
  EXPECT_EQ(c.commit_in_size, Bytes{16});
  EXPECT_EQ(c.dropped, Elements{4});
  EXPECT_EQ(loops(c), "4:8, 2:4, 4:1");
  EXPECT_EQ(c.sequence.loops.contiguous() * 4, 128);
  EXPECT_EQ(c.commit_size(), Bytes{16});
}

TEST(Book, COM_07_truncation_with_transposed_time) {
  Committed const c = Commit{mkwnj, bf16, "M, K", "N", "K, M, N = 8"}.done();
  EXPECT_EQ(c.commit_in_size, Bytes{16});
  EXPECT_EQ(loops(c), "4:8, 2:32, 8:1");
}

TEST(Book, COM_08_i4_without_truncation) {
  Committed const c = Commit{mkwnj, i4, "M, K", "J", "K, M, J"}.done();
  EXPECT_EQ(c.commit_in_size, Bytes{32});
  EXPECT_EQ(loops(c), "4:64, 2:256, 64:1");
  EXPECT_EQ(c.commit_size(), Bytes{32});
}

TEST(Book, COM_09_commit_size) {
  Committed const whole = Commit{mkwnj, f32, "M, K", "W", "M, K, W"}.done();
  EXPECT_EQ(whole.commit_size(), whole.commit_in_size);
  EXPECT_EQ(whole.writes_per_step(), 1);
  Committed const parts = Commit{mkwnj, i8, "K", "M, W", "K, M, W # 16"}.done();
  EXPECT_EQ(parts.commit_size(), Bytes{8});
  EXPECT_EQ(parts.writes_per_step(), 4);
  EXPECT_EQ((Commit{mkwnj, i8, "K", "M, W", "K, W, M"}).code(), "sequence-access-size") << "runs of one byte (E-61)";
}

TEST(Book, COM_10_commit_sizes) {
  for (const char* element : {"M, W = 8", "M, W = 16", "M, W = 24", "M, W"}) {
    Commit c{"M = 4, W = 32", i8, "M", "W", element};
    EXPECT_EQ(c.done().commit_size(), c.done().commit_in_size);
    c.how = in_sub();
    EXPECT_EQ(c.done().commit_size(), Bytes{8});
    EXPECT_EQ(c.done().writes_per_step(), c.done().commit_in_size / Bytes{8});  // E-62
  }
}

TEST(Book, COM_11_no_transpose) {
  Committed const c = Commit{mkwnj, i8, "M, K", "W # 32", "M, K, W"}.done();
  EXPECT_EQ(loops(c), "4:16, 2:8, 8:1");
  EXPECT_EQ(c.sequence.loops.contiguous(), 64);
  EXPECT_EQ(c.commit_in_size, Bytes{8});
  EXPECT_EQ(c.commit_size(), Bytes{8});
  EXPECT_EQ(c.writes(), 8);
}

TEST(Book, COM_12_transpose) {
  Committed const c = Commit{mkwnj, f32, "M, K", "W", "K, M, W"}.done();
  EXPECT_EQ(loops(c), "4:8, 2:32, 8:1");
  EXPECT_EQ(c.sequence.loops.contiguous() * 4, 32);
  EXPECT_EQ(c.commit_in_size, Bytes{32});
  EXPECT_EQ(c.commit_size(), Bytes{32});
}

TEST(Book, COM_13_transpose_with_truncation) {
  Committed const c = Commit{mkwnj, bf16, "M, K", "N", "K, M, N = 8"}.done();
  EXPECT_EQ(loops(c), "4:8, 2:32, 8:1");
  EXPECT_EQ(c.sequence.loops.contiguous() * 2, 16);
  EXPECT_EQ(c.commit_in_size, Bytes{16});
  EXPECT_EQ(c.commit_size(), Bytes{16});
}

TEST(Book, COM_14_chunks_of_a_packet) {
  Committed const c = Commit{mkwnj, i8, "K", "M, W", "K, M, W # 16"}.done();
  EXPECT_EQ(loops(c), "2:64, 4:16, 8:1");
  EXPECT_EQ(c.sequence.loops.contiguous(), 8);
  EXPECT_EQ(c.commit_in_size, Bytes{32});
  EXPECT_EQ(c.commit_size(), Bytes{8});
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < 64; i += 8) places.push_back(c.sequence.loops.at(i));
  EXPECT_EQ(places, (std::vector<std::int64_t>{0, 16, 32, 48, 64, 80, 96, 112}));
}

TEST(Book, COM_15_slice_bitmap) {
  Mapping const slice = Written{"P = 256"}("P");
  EXPECT_EQ(slice_bitmap(slice, SliceMask::only(0))->count(), 1);
  EXPECT_TRUE(slice_bitmap(slice, SliceMask::only(0))->contains(0));
  SliceMask const rest = *slice_bitmap(slice, SliceMask::all().without(0));
  EXPECT_FALSE(rest.contains(0));
  EXPECT_EQ(rest.count(), 255);
  EXPECT_EQ(*slice_bitmap(Written{"P = 256"}("1 # 256"), SliceMask::all()), SliceMask::only(0)) << "padding of Slice writes nothing";
}

TEST(Book, COM_16_bits_of_the_bitmap) {
  EXPECT_EQ(SliceMask::slices, 256);
  EXPECT_EQ(SliceMask::slices, rngd.levels.slices_per_cluster);
  EXPECT_EQ(rngd.levels.slices_per_cluster / rngd.levels.pes_per_cluster, 64);
}

TEST(Book, COM_17_strides_and_sequencer_limits) {
  EXPECT_EQ((Commit{"M = 4, W = 8", i8, "M", "W # 32", "M, W # 12"}).code(), "commit-stride");
  EXPECT_EQ((Commit{"M = 4, W = 8", i8, "M", "W # 32", "M, W # 16"}).code(), "accepted");
  // Nine factors, each in another place than in memory; eight, and it is accepted.
  const char* const axes = "A = 2, B = 2, C = 2, D = 2, E = 2, F = 2, G = 2, H = 2, W = 8";
  EXPECT_EQ((Commit{axes, i8, "A, B, C, D, E, F, G, H", "W # 32", "H, G, F, E, D, C, B, A, W"}).code(), "sequence-too-many-entries");
  EXPECT_EQ((Commit{axes, i8, "A, B, C, D, E, F, G", "W # 32", "G, F, E, D, C, B, A, W"}).code(), "accepted");
  EXPECT_EQ((Commit{"M = 65536, W = 8", i8, "M", "W # 32", "M, W # 16"}).code(), "accepted");
  EXPECT_EQ((Commit{"M = 65537, W = 8", i8, "M", "W # 32", "M, W # 16"}).code(), "sequence-loop-too-long");
}

TEST(Book, COM_18_capabilities) {
  Commit c{"M = 4, W = 32", i8, "M", "W", "M, W = 8"};
  EXPECT_EQ(c.code(), "accepted") << "truncating in main";
  c.how = in_sub();
  EXPECT_EQ(c.code(), "accepted") << "truncating in sub";
  c.how.valid_count = true;
  EXPECT_EQ(c.code(), "commit-valid-count-unknown") << "the sub context has it, but nothing that a program can say holds the count";
  c.how = {};
  c.how.valid_count = true;
  EXPECT_EQ(c.code(), "commit-valid-count-in-main");
  EXPECT_EQ(code_of(check_itos(rngd, Tu::Sub, Bytes{0})), "accepted");
  EXPECT_EQ(code_of(check_itos(rngd, Tu::Main, Bytes{0})), "commit-generate-in-main");
}

TEST(Book, COM_19_sub_commits_after_fetch_and_what_computes) {
  Commit c{"M = 4, W = 32", i8, "M", "W", "M, W"};
  c.how = in_sub();
  EXPECT_EQ(c.code(), "accepted");
  PassState state;
  state.context = Tu::Sub;
  for (StreamStage after : {StreamStage::Switch, StreamStage::Transpose}) {
    state.after = after;
    EXPECT_NE(code_of(check_follows(rngd, state, StageKind::Commit)), "accepted") << name_of(after);
  }
  // CHIP-06 overrules the row here: chips commit what sub collects, computes and casts.
  for (StreamStage after : {StreamStage::Fetch, StreamStage::Collect, StreamStage::Vector, StreamStage::Cast}) {
    state.after = after;
    EXPECT_EQ(code_of(check_follows(rngd, state, StageKind::Commit)), "accepted") << name_of(after);
  }
  c.how = in_sub();
  c.packet = "W = 24";
  EXPECT_EQ(c.code(), "commit-packet-not-one-flit");
}

TEST(Book, COM_20_refused_by_name) {
  // A run-time count decides what is written, and the book does not say where it comes from: whole packets would be a wrong answer.
  for (const char* packet : {"W", "W = 24 # 32"}) {
    Commit c{"M = 4, W = 32", i8, "M", packet, "M, W = 8"};
    c.how = in_sub();
    EXPECT_EQ(c.code(), "accepted");
    c.how.valid_count = true;
    EXPECT_EQ(c.code(), "commit-valid-count-unknown");
  }
}

TEST(Book, COM_21_generate_mode_takes_an_address) {
  EXPECT_EQ(code_of(check_itos(rngd, Tu::Sub, Bytes{4})), "accepted");
  EXPECT_EQ(code_of(check_itos(rngd, Tu::Sub, Bytes{6})), "memory-address-misaligned");
  EXPECT_EQ(code_of(check_itos(rngd, Tu::Sub, rngd.dm.slice_capacity)), "memory-beyond-end");
}

TEST(Book, COM_22_rejection_probes) {
  EXPECT_EQ((Commit{mkwnj, i8, "M", "N", "M, N"}).code(), "commit-packet-not-one-flit");
  EXPECT_EQ((Commit{"M = 4, W = 13", i8, "M", "W # 32", "M, W"}).code(), "commit-width");
  EXPECT_EQ((Commit{"M = 4, W = 48", i8, "M", "W = 32", "M, W"}).code(), "sequence-write-incomplete");
  EXPECT_EQ((Commit{mkwnj, i8, "M", "W # 32", "M, N"}).code(), "sequence-write-broadcast");
  EXPECT_EQ((Commit{mkwnj, i8, "M", "W # 32", "M, K, W"}).code(), "sequence-write-incomplete");
  EXPECT_EQ((Commit{mkwnj, i8, "M, K", "W # 32", "M, W"}).code(), "sequence-write-broadcast");
}

// ---- rows of other chapters that speak of commits

TEST(Book, HEL_11_commit) {
  Committed const c = Commit{"A = 2048", i32, "1", "A % 8", "A % 8", "A / 8 # 256"}.done();
  EXPECT_EQ(c.commit_in_size, Bytes{32});
  EXPECT_EQ(c.writes(), 1);
  EXPECT_EQ(code_of(check_commit_address(rngd, i32, c.tensor[Level::element], Bytes{1 << 12})), "accepted");
}

TEST(Book, HEL_19_commit) {
  Committed const c = Commit{"A = 2048", bf16, "1", "1 #z 16", "1 # 8"}.done();
  EXPECT_EQ(c.commit_in_size, Bytes{16});
  EXPECT_EQ(code_of(check_commit_address(rngd, bf16, c.tensor[Level::element], Bytes{1 << 13})), "accepted");
}

TEST(Book, HEL_27_commit_of_two_bytes) {
  EXPECT_EQ((Commit{"I = 256", bf16, "1", "1 #z 16", "1", "I"}).code(), "commit-width");
  EXPECT_EQ((Commit{"I = 256", bf16, "1", "1 #z 16", "1 # 4", "I"}).done().commit_in_size, Bytes{8});
}

TEST(Book, HEL_35_commit) {
  Committed const c = Commit{"I = 512, J = 512", bf16, "I % 32, J / 8 % 4", "J % 8 #z 16", "I % 32, J % 32", "I / 32, J / 32"}.done();
  EXPECT_EQ(c.commit_in_size, Bytes{16}) << "16 lanes are trimmed to 8";
  EXPECT_EQ(loops(c), "32:32, 4:8, 8:1");
  EXPECT_EQ(c.commit_size(), Bytes{16});
}

TEST(Book, PIP_02_commit_takes_flits) {
  EXPECT_EQ(rngd.flit.bytes, Bytes{32});
  EXPECT_EQ((Commit{mkwnj, i8, "M", "N", "M, N"}).code(), "commit-packet-not-one-flit");
}

TEST(Book, PIP_03_commit_leaves_chip_cluster_and_slice) {
  EXPECT_EQ((Commit{"P = 4096, W = 32", i8, "1", "W", "P % 16, W", "P / 16"}).code(), "sequence-write-incomplete");
  EXPECT_TRUE(((Commit{"P = 256, W = 32", i8, "1", "W", "W", "P"}).done().tensor[Level::slice] == axis_mapping(Name("P"), 256)));
}

TEST(Book, PIP_12_commit_units_are_eight_bytes) {
  EXPECT_EQ((Commit{"M = 4, W = 8", i8, "M", "W # 32", "M, W"}).done().commit_size(), Bytes{8});
  Mapping const element = Written{"W = 32"}("W");
  EXPECT_EQ(code_of(check_commit_address(rngd, i8, element, Bytes{8})), "accepted");
  EXPECT_EQ(code_of(check_commit_address(rngd, i8, element, Bytes{12})), "memory-write-misaligned");
}

TEST(Book, PIP_14_sub_commits_less_at_once) {
  Commit c{"M = 4, W = 32", i8, "M", "W", "M, W"};
  EXPECT_EQ(c.done().commit_size(), Bytes{32});
  c.how = in_sub();
  EXPECT_EQ(c.done().commit_size(), Bytes{8});
}

const char* const abc = "A = 3, B = 5, C = 2";
const char* const rows = "A = 65, B = 2";

TEST(Book, KER_47_commit) { EXPECT_EQ((Commit{abc, f8e4m3, "A, B", "C # 8 #z 32", "B, A, C # 8"}).code(), "accepted"); }

TEST(Book, KER_48_write_sequencer) {
  Committed const c = Commit{abc, f8e4m3, "A, B", "C # 8 #z 32", "B, A, C # 8"}.done();
  EXPECT_EQ(loops(c), "3:8, 5:24, 8:1");
  EXPECT_EQ(c.commit_in_size, Bytes{8});
  EXPECT_EQ(c.commit_size(), Bytes{8});
}

TEST(Book, KER_49_write_trace) {
  Committed const c = Commit{abc, f8e4m3, "A, B", "C # 8 #z 32", "B, A, C # 8"}.done();
  for (std::int64_t a = 0; a < 3; ++a)
    for (std::int64_t b = 0; b < 5; ++b) EXPECT_EQ(1024 + c.sequence.loops.at((5 * a + b) * 8), 1024 + 8 * a + 24 * b);
}

TEST(Book, KER_50_output_layout) {
  Mapping const out = Written{abc}("B, A, C # 8");
  EXPECT_EQ(out.size, 120);
  EXPECT_EQ(cell(out, 8).index, index(Index{}.add(Name("A"), 1)));
  EXPECT_EQ(cell(out, 24).index, index(Index{}.add(Name("B"), 1)));
  for (std::int64_t i = 2; i < 8; ++i) EXPECT_EQ(cell(out, i).kind, CellKind::padding);
}

TEST(Book, KER_54_multiples_of_eight_bytes) {
  EXPECT_EQ((Commit{abc, f8e4m3, "A, B", "C #z 32", "B, A, C # 4"}).code(), "commit-width");
  EXPECT_EQ((Commit{rows, f8e4m3, "B, A # 72 / 24", "A # 72 % 24 # 32", "B, A # 72"}).code(), "accepted");
}

TEST(Book, KER_56_order_of_the_writes_is_free) {
  EXPECT_EQ((Commit{abc, f8e4m3, "A, B", "C # 8 #z 32", "B, A, C # 8"}).code(), "accepted");
  EXPECT_EQ((Commit{abc, f8e4m3, "A, B", "C # 8 #z 32", "A, B, C # 8"}).code(), "accepted");
}

TEST(Book, KER_57_full_flits) {
  Committed const c = Commit{abc, f8e4m3, "A", "[B, C] # 32", "A, [B, C] # 32"}.done();
  EXPECT_EQ(c.commit_in_size, Bytes{32});
  EXPECT_EQ(c.commit_size(), Bytes{32});
  EXPECT_EQ(c.writes(), 3);
  for (std::int64_t a = 0; a < 3; ++a)
    for (std::int64_t j = 0; j < 32; ++j) EXPECT_EQ(c.sequence.loops.at(a * 32 + j), a * 32 + j);
}

TEST(Book, KER_59_no_stride_of_zero) {
  EXPECT_EQ((Commit{"A = 3, T = 2, C = 8", f8e4m3, "A, T", "C # 32", "A, C"}).code(), "sequence-write-broadcast");
}

TEST(Book, KER_60_padded_rows) { EXPECT_EQ(element_bytes(f8e4m3, Written{rows}("B, A # 72")).value(), Bytes{144}); }

TEST(Book, KER_61_commit_sizes) {
  for (std::int64_t size : {8, 16, 24, 32}) EXPECT_TRUE(rngd.commit.main_sizes.contains(Bytes{size}));
  EXPECT_FALSE(rngd.fetch.main_sizes.contains(Bytes{24}));
}

TEST(Book, KER_62_row_of_72) {
  Committed const c = Commit{rows, f8e4m3, "B, A # 72 / 24", "A # 72 % 24 #z 32", "B, A # 72"}.done();
  EXPECT_EQ(loops(c), "2:72, 3:24, 24:1");
  EXPECT_EQ(c.commit_in_size, Bytes{24});
  EXPECT_EQ(c.writes(), 6);
}

TEST(Book, KER_63_row_of_80) {
  Committed const c = Commit{rows, f8e4m3, "B, A # 80 / 16", "A # 80 % 16 #z 32", "B, A # 80"}.done();
  EXPECT_EQ(loops(c), "2:80, 5:16, 16:1");
  EXPECT_EQ(c.commit_size(), Bytes{16});
}

TEST(Book, KER_64_row_of_88) {
  Committed const c = Commit{rows, f8e4m3, "B, A # 88 / 8", "A # 88 % 8 #z 32", "B, A # 88"}.done();
  EXPECT_EQ(loops(c), "2:88, 11:8, 8:1");
  EXPECT_EQ(c.commit_size(), Bytes{8});
}

TEST(Book, KER_65_row_of_96) {
  Committed const c = Commit{rows, f8e4m3, "B, A # 96 / 32", "A # 96 % 32", "B, A # 96"}.done();
  EXPECT_EQ(loops(c), "2:96, 3:32, 32:1");
  EXPECT_EQ(c.commit_size(), Bytes{32});
}

TEST(Book, KER_67_rows_of_96_do_not_fit_into_88) {
  EXPECT_EQ((Commit{rows, f8e4m3, "B, A # 96 / 32", "A # 96 % 32", "B, A # 88"}).code(), "commit-width");
}

TEST(Book, KER_68_writes_never_run_over) {
  EXPECT_NE((Commit{"A = 3, C = 8", f8e4m3, "A # 4", "C # 32", "A, C"}).code(), "accepted");
  EXPECT_EQ((Commit{"A = 3, C = 8", f8e4m3, "A # 4", "C # 32", "A # 4, C"}).code(), "accepted");
}

TEST(Book, KER_69_flits_are_cut_back) {
  for (int width : {24, 16, 8}) {
    std::string const axes = "M = 4, W = " + std::to_string(width);
    EXPECT_EQ((Commit{axes.c_str(), f8e4m3, "M", "W #z 32", "M, W"}).done().commit_in_size, Bytes{width});
  }
}

TEST(Book, KER_70_commit_of_segments) {
  // Each half is written into a view of its own.
  Commit c{"A = 2048, B = 32", f8e4m3, "A = 1024", "B", "A = 1024 # 2048, B"};
  c.how.into_view = true;
  EXPECT_EQ(loops(c.done()), "1024:32, 32:1");
  EXPECT_EQ(c.done().commit_in_size, Bytes{32});
  EXPECT_EQ(code_of(check_commit_address(rngd, f8e4m3, Written{"A = 2048, B = 32"}("A = 1024, B"), Bytes{(256 << 10) + 32 * 1024})),
            "accepted");
}

// The rows of the ledger on the Cast Engine.

Expected<Mapping> cast(const char* axes, ScalarType from, ScalarType to, const char* packet, const char* packet2) {
  Written const m{axes};
  return check_cast(rngd, from, to, m(packet), m(packet2));
}
/// A flit of i32 cast to i8, out of a stage.
std::string cast_after(StreamStage after) {
  Written const m{"A = 8"};
  PassState s;
  s.after = after;
  Levels stream;
  stream.set(Level::packet, m("A"));
  Mapping const packet = m("A # 32");
  return code_of(advanced(rngd, s, stream, CastRequest{ScalarType::i8, packet}));
}

TEST(Book, PIP_10_one_flit_in_one_flit_out) {
  // F-05: no batching; whatever the width, the packet is one flit before and after.
  Written const m{"A = 8"};
  for (ScalarType to : {ScalarType::i4, ScalarType::i8, ScalarType::i16}) {
    Mapping const out = m("A").pad(256 / scalar_info(to).packet_bits);
    auto const r = check_cast(rngd, ScalarType::i32, to, m("A"), out);
    ASSERT_TRUE(r);
    EXPECT_EQ(packed_size(to, Elements{r->size})->value, 32);
  }
}

TEST(Book, CAS_01_where_it_stands) {
  for (StreamStage s : {StreamStage::Collect, StreamStage::Contraction, StreamStage::Vector})
    EXPECT_EQ(cast_after(s), "accepted") << name_of(s);
  for (StreamStage s : {StreamStage::Begin, StreamStage::Fetch, StreamStage::Switch})
    EXPECT_EQ(cast_after(s), "stage-missing") << name_of(s);
  for (StreamStage s : {StreamStage::Cast, StreamStage::Transpose}) EXPECT_EQ(cast_after(s), "stage-order") << name_of(s);
  for (ScalarType from : scalar_types) {
    int casts = 0;
    for (ScalarType to : scalar_types) casts += has_cast_engine_cast(rngd, from, to);
    EXPECT_EQ(casts > 0, from == ScalarType::i32 || from == ScalarType::f32);
  }
}

void targets(ScalarType from, std::initializer_list<ScalarType> allowed) {
  for (ScalarType to : scalar_types) {
    bool const listed = std::find(allowed.begin(), allowed.end(), to) != allowed.end();
    Written const m{"A = 8"};
    auto const r = check_cast(rngd, from, to, m("A"), m("A").pad(256 / scalar_info(to).packet_bits));
    EXPECT_EQ(code_of(r), listed ? "accepted" : "cast-no-such-cast") << scalar_info(to).name;
  }
}
TEST(Book, CAS_02_targets_of_i32) { targets(ScalarType::i32, {ScalarType::i4, ScalarType::i8, ScalarType::i16}); }
TEST(Book, CAS_03_targets_of_f32) { targets(ScalarType::f32, {ScalarType::f8e5m2, ScalarType::f8e4m3, ScalarType::f16, ScalarType::bf16}); }

TEST(Book, CAS_04_input_is_one_flit) {
  EXPECT_EQ(code_of(cast("A = 4", ScalarType::i32, ScalarType::i8, "A", "A # 32")), "cast-packet-not-one-flit");
  EXPECT_EQ(code_of(cast("A = 16", ScalarType::i32, ScalarType::i8, "A", "A # 32")), "cast-packet-not-one-flit");
  EXPECT_EQ(code_of(cast("A = 4", ScalarType::i32, ScalarType::i8, "A # 8", "A # 32")), "accepted");
}

TEST(Book, CAS_05_output_is_padded_to_one_flit) {
  struct Row {
    ScalarType from, to;
    const char* packet2;
  };
  for (Row const& r : {Row{ScalarType::i32, ScalarType::i8, "A # 32"}, Row{ScalarType::i32, ScalarType::i16, "A # 16"},
                       Row{ScalarType::f32, ScalarType::bf16, "A # 16"}, Row{ScalarType::f32, ScalarType::f16, "A # 16"},
                       Row{ScalarType::f32, ScalarType::f8e4m3, "A # 32"}, Row{ScalarType::f32, ScalarType::f8e5m2, "A # 32"},
                       Row{ScalarType::i32, ScalarType::i4, "A # 64"}})
    EXPECT_TRUE(cast("A = 8", r.from, r.to, "A", r.packet2)) << scalar_info(r.to).name;
  for (const char* other : {"A", "A # 16", "A # 64", "1 # 4, A"}) {
    std::string const code = code_of(cast("A = 8", ScalarType::i32, ScalarType::i8, "A", other));
    EXPECT_EQ(code, std::string(other) == "1 # 4, A" ? "accepted" : "cast-wrong-packet") << other;
  }
  EXPECT_EQ(code_of(cast("A = 8", ScalarType::i32, ScalarType::i8, "A", "A, 1 # 4")), "cast-wrong-packet") << "elements keep their places";
}

TEST(Book, CAS_06_types) {
  auto const r = cast("B = 4, A = 8", ScalarType::i32, ScalarType::i8, "A", "A # 32");
  ASSERT_TRUE(r);
  EXPECT_EQ(text_of(*r), "A #z 32") << "what the cast adds is zero";
  for (std::int64_t i = 0; i < 32; ++i) EXPECT_EQ(cell(*r, i).live(), i < 8) << "8 data bytes and 24 of padding";
}

TEST(Book, CAS_07_types) {
  auto const r = cast("A = 4", ScalarType::i32, ScalarType::i8, "A # 8", "A # 32");
  ASSERT_TRUE(r);
  for (std::int64_t i = 0; i < 32; ++i) EXPECT_EQ(cell(*r, i).live(), i < 4) << "4 data bytes";
}

}  // namespace
}  // namespace tcp
