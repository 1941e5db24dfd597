// The rows of the ledger about the Fetch Engine, for what they say of types, acceptance and refusal, and of what a fetch derives from its types.
#include "tcp/rules/fetch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tcp/device/chips.hpp"
#include "written.hpp"

namespace tcp {
namespace {

using enum ScalarType;

/// An example of the chapter: Cluster m![1 # 2] and Slice m![1 # 256] stand for the bare m![1] of the listings (E-02).
struct Fetch {
  const char* axes;
  ScalarType from;
  const char* element;
  ScalarType to;
  const char *time, *packet;
  const char *cluster = "1 # 2", *slice = "1 # 256";
  FetchHow how{};

  Levels source() const {
    Written const m{axes};
    Levels l;
    return l.set(Level::cluster, m(cluster)).set(Level::slice, m(slice)).set(Level::element, m(element));
  }
  Expected<Fetched> check(const Device& device = rngd) const {
    Written const m{axes};
    return check_fetch(device, how, from, source(), to, m(time), m(packet));
  }
  Fetched done() const {
    auto const f = check();
    EXPECT_TRUE(f.ok()) << (f.ok() ? "" : f.refusal().sentence().s);
    return f.ok() ? *f : Fetched{};
  }
  std::string code(const Device& device = rngd) const { return code_of(check(device)); }
};

/// "4:96, 3:32, 8:1", outermost first, strides in elements.
std::string loops(const Fetched& f) {
  std::string s;
  for (int k = 0; k < f.sequence.loops.entries; ++k)
    s += (s.empty() ? "" : ", ") + std::to_string(f.sequence.loops.entry[k].size) + ":" + std::to_string(f.sequence.loops.entry[k].stride);
  return s;
}

std::int64_t positions(const Loops& l) {
  std::int64_t n = 1;
  for (int k = 0; k < l.entries; ++k) n *= l.entry[k].size;
  return n;
}

/// Every position that two configurations visit, in order.
void expect_same_walk(const Loops& is, const std::vector<Entry>& book) {
  Loops l;
  for (const Entry& e : book) l.entry[l.entries++] = e;
  ASSERT_EQ(positions(is), positions(l));
  for (std::int64_t i = 0; i < positions(l); ++i) ASSERT_EQ(is.at(i), l.at(i)) << "at " << i;
}

std::vector<std::int64_t> counts(const Mask& m) { return {m.valid_count, m.valid_count + m.counts}; }

FetchHow in_sub() {
  FetchHow how;
  how.context = Tu::Sub;
  return how;
}
FetchHow taking_turns() {
  FetchHow how;
  how.interleaved = Name("I");
  return how;
}

const char* const nchw = "N = 4, C = 3, H = 4, W = 8";
const char* const abc = "A = 3, B = 5, C = 2";

// ---- interface

TEST(Book, FET_01_entry_checks) {
  Fetch f{"A = 8", i8, "A", i8, "1", "A"};
  EXPECT_EQ(f.code(), "accepted");
  f.cluster = "1";
  EXPECT_EQ(f.code(), "memory-cluster-size");
  f.cluster = "1 # 2";
  f.slice = "1";
  EXPECT_EQ(f.code(), "memory-slice-size");
  f.slice = "1 # 256";
  f.packet = "A % 4";
  f.time = "A / 4";
  EXPECT_EQ(f.code(), "fetch-packet-not-aligned");
  f.to = i32;
  EXPECT_EQ(f.code(), "accepted") << "the packet is measured in the output type";
}

TEST(Book, FET_02_entry_check_probes) {
  Fetch f{"A = 8", i8, "A", i8, "1", "A"};
  f.cluster = "1 # 4";
  EXPECT_EQ(f.code(), "memory-cluster-size");
  EXPECT_NE(f.check().refusal().headline.view().find("has 4"), std::string_view::npos) << f.check().refusal().headline.s;
  f.cluster = "1 # 2";
  f.slice = "1 # 512";
  EXPECT_EQ(f.code(), "memory-slice-size");
  EXPECT_NE(f.check().refusal().headline.view().find("has 512"), std::string_view::npos) << f.check().refusal().headline.s;
  EXPECT_EQ((Fetch{"A = 4", i8, "A", i8, "1", "A"}).code(), "fetch-packet-not-aligned");
  EXPECT_EQ((Fetch{"A = 8", i8, "A", i8, "1", "A"}).code(), "accepted");
}

TEST(Book, FET_03_cast_while_fetching) {
  Fetched const f = Fetch{"A = 512, B = 32", i8, "A, B", i32, "A", "B"}.done();
  EXPECT_EQ(f.type, i32);
  EXPECT_EQ(f.sequence.packets, 512);
  EXPECT_EQ(packed_size(i32, Elements{f.stream.packet.size})->value, 128);
  EXPECT_EQ(loops(f), "512:32, 32:1");
  EXPECT_EQ(f.fetch_size(), Bytes{8});
  EXPECT_EQ(f.fetches_per_packet(), 4);
  EXPECT_EQ(f.fetches(), 2048);
}

TEST(Book, FET_04_masking_comes_before_table_and_zero_point) {
  // What is masked is the stored value: it is the index of the zero entry, or the zero point, that becomes zero later.
  Fetch f{"A = 6", i8, "A", i32, "1", "A #z 8"};
  f.how.zero_points = 1;
  f.how.zero_point[0] = 10;
  EXPECT_EQ(f.done().mask.pad_value, 10);
  f.how = {};
  f.how.with_table = true;
  f.how.table = {i8, i8, 3};
  EXPECT_EQ(f.done().mask.pad_value, 3);
  // The cast follows the table: it starts from the table's output.
  f.how.table = {i8, bf16, 3};
  EXPECT_EQ(f.code(), "fetch-no-such-cast");
  f.to = f32;
  EXPECT_EQ(f.code(), "accepted");
}

TEST(Book, FET_05_adapter_stages_of_the_contexts) {
  Fetch f{"A = 63", i8, "A", i8, "1", "A #z 64"};
  EXPECT_EQ(f.code(), "accepted");
  f.how = in_sub();
  EXPECT_EQ(f.code(), "fetch-mask-in-sub");
  f = {"A = 64", i8, "A", i8, "1", "A"};
  f.how.with_table = true;
  EXPECT_EQ(f.code(), "accepted");
  f.how.context = Tu::Sub;
  EXPECT_EQ(f.code(), "fetch-table-in-sub");
  // Casting, zero points and batching: both (E-49).
  f = {"A = 64", i8, "A", i32, "1", "A"};
  f.how = in_sub();
  f.how.zero_points = 1;
  EXPECT_EQ(f.code(), "accepted");
  EXPECT_EQ(f.done().fetches_per_packet(), 8);
}

TEST(Book, FET_06_no_data_crosses_slices) {
  EXPECT_EQ((Fetch{"A = 2048", i8, "A % 8", i8, "1", "A % 8", "1 # 2", "A / 8"}).code(), "accepted");
  EXPECT_EQ((Fetch{"A = 2048", i8, "A % 8", i8, "A / 8", "A % 8", "1 # 2", "A / 8"}).code(), "levels-axis-twice");
  EXPECT_EQ((Fetch{"A = 2048", i8, "A % 8", i8, "A / 8 % 2", "A % 8"}).code(), "sequence-insufficient-input");
}

TEST(Book, FET_07_taking_and_starting_are_views) {
  const char* const axes = "A = 8, B = 8";
  Fetched const taken = Fetch{axes, i8, "A, B", i8, "A = 4", "B"}.done();
  EXPECT_EQ(loops(taken), "4:8, 8:1");
  EXPECT_EQ(taken.sequence.loops.base, 0);
  Fetched const from = Fetch{axes, i8, "A, B", i8, "A @ 4 = 4", "B"}.done();
  EXPECT_EQ(loops(from), "4:8, 8:1");
  EXPECT_EQ(from.sequence.loops.base, 32);
  EXPECT_TRUE(equivalent(Written{axes}("A @ 4"), Written{axes}("A @ 4 = 4 # 8"))) << "4 of 8 are live";
}

TEST(Book, FET_08_any_byte_address) {
  Fetched const f = Fetch{"A = 8", i8, "A", i8, "1", "A"}.done();
  for (std::int64_t address : {0, 1, 3, 8}) EXPECT_EQ(code_of(check_fetch_address(rngd, i8, f, Bytes{address})), "accepted");
}

// ---- fetch_size

TEST(Book, FET_09_fetch_sizes) {
  Fetch f{"A = 64", i8, "A", i8, "1", "A", "1 # 2", "1 # 256", in_sub()};
  EXPECT_EQ(f.done().fetch_size(), Bytes{8});
  f.from = i4;
  f.to = i32;
  EXPECT_EQ(f.done().fetch_size(), Bytes{4});
}

TEST(Book, FET_10_largest_divisor_of_packet_and_run) {
  EXPECT_EQ((Fetch{"A = 4, B = 24", i8, "A, B", i8, "A", "B"}).done().fetch_size(), Bytes{8});        // gcd(24, 96) = 24
  EXPECT_EQ((Fetch{"A = 4, B = 32", i8, "A, B # 48", i8, "A", "B"}).done().fetch_size(), Bytes{32});  // gcd(32, 32)
  EXPECT_EQ((Fetch{"A = 8, B = 4", i8, "B, A # 16", i8, "B", "A"}).done().fetch_size(), Bytes{8});    // gcd(8, 8)
  EXPECT_EQ((Fetch{"A = 8, B = 4", i8, "A, B", i8, "B", "A"}).done().fetch_size(), Bytes{1});         // elements 4 bytes apart
}

TEST(Book, FET_11_contiguous_run) {
  EXPECT_EQ((Fetch{nchw, i8, "N, C, H, W", i8, "N, C, H", "W"}).done().sequence.loops.contiguous(), 384);
  EXPECT_EQ((Fetch{"A = 8, B = 4", i8, "A, B", i8, "B", "A"}).done().sequence.loops.contiguous(), 1) << "an innermost 8:4 is discrete";
  EXPECT_EQ((Fetch{"A = 8, P = 8", i8, "A", i8, "A", "P"}).done().sequence.loops.contiguous(), 8) << "one element, replicated";
}

TEST(Book, FET_12_fully_contiguous) {
  Fetched const f = Fetch{nchw, i8, "N, C, H, W", i8, "N, C, H", "W"}.done();
  EXPECT_EQ(loops(f), "4:96, 3:32, 4:8, 8:1");
  EXPECT_EQ(f.sequence.loops.contiguous(), 384);
  EXPECT_EQ(f.fetch_size(), Bytes{8});
  EXPECT_EQ(f.fetches(), 48);
}

TEST(Book, FET_13_three_axes_not_contiguous) {
  Fetched const f = Fetch{nchw, i8, "N, C, H, W", i8, "C", "N, H, W"}.done();
  EXPECT_EQ(loops(f), "3:32, 4:96, 4:8, 8:1");
  EXPECT_EQ(f.sequence.loops.contiguous(), 32);
  EXPECT_EQ(f.sequence.loops.packet, 128);
  EXPECT_EQ(f.fetch_size(), Bytes{32});
  EXPECT_EQ(f.fetches_per_packet(), 4);
  EXPECT_EQ(f.fetches(), 12);
}

TEST(Book, FET_14_four_axes_not_contiguous) {
  Fetched const f = Fetch{nchw, i8, "N, C, H, W", i8, "1", "N, H, C, W"}.done();
  EXPECT_EQ(loops(f), "4:96, 4:8, 3:32, 8:1");
  EXPECT_EQ(f.sequence.loops.contiguous(), 8);
  EXPECT_EQ(f.sequence.loops.packet, 384);
  EXPECT_EQ(f.fetch_size(), Bytes{8});
  EXPECT_EQ(f.fetches(), 48);
}

// ---- padded packets

TEST(Book, FET_15_two_byte_packets) {
  EXPECT_EQ((Fetch{abc, f8e4m3, "A, B, C", f8e4m3, "A, B", "C"}).code(), "fetch-packet-not-aligned");
  Fetched const f = Fetch{abc, f8e4m3, "A, B, C", f8e4m3, "A, B", "C # 8"}.done();
  EXPECT_EQ(loops(f), "3:10, 5:2, 8:1");
  EXPECT_EQ(f.fetch_size(), Bytes{8});
  EXPECT_EQ(f.fetches(), 15);
}

TEST(Book, FET_16_packets_of_b_and_c) {
  Fetched const f = Fetch{abc, f8e4m3, "A, B, C", f8e4m3, "A", "[B, C] # 16"}.done();
  expect_same_walk(f.sequence.loops, {{3, 10}, {16, 1}});
  EXPECT_EQ(f.fetch_size(), Bytes{16});
  EXPECT_EQ(f.fetches(), 3);
  EXPECT_EQ(f.sequence.loops.furthest(), 35);
  EXPECT_EQ(f.read_after, Elements{6});  // of 30
}

TEST(Book, FET_17_one_packet_of_all) {
  Fetched const f = Fetch{abc, f8e4m3, "A, B, C", f8e4m3, "1", "[A, B, C] # 32"}.done();
  expect_same_walk(f.sequence.loops, {{32, 1}});
  EXPECT_EQ(f.fetch_size(), Bytes{32});
  EXPECT_EQ(f.fetches(), 1);
  EXPECT_EQ(f.sequence.loops.furthest(), 31);
}

TEST(Book, FET_18_reading_over_the_end_is_allowed) {
  Fetched const f = Fetch{abc, f8e4m3, "A, B, C", f8e4m3, "A", "[B, C] # 16"}.done();
  EXPECT_FALSE(f.mask.on) << "padding of kind top is never masked";
  EXPECT_EQ(code_of(check_fetch_address(rngd, f8e4m3, f, Bytes{0})), "accepted");
  std::int64_t const end = rngd.dm.slice_capacity.value;
  EXPECT_EQ(code_of(check_fetch_address(rngd, f8e4m3, f, Bytes{end - 36})), "accepted");
  EXPECT_EQ(code_of(check_fetch_address(rngd, f8e4m3, f, Bytes{end - 30})), "sequence-beyond-memory");
}

// ---- interleaving

TEST(Book, FET_19_interleaved_packets) {
  Fetched const f = Fetch{"A = 512, B = 32, I = 2", i8, "A, B", i8, "A, I", "B", "1 # 2", "1 # 256", taking_turns()}.done();
  EXPECT_EQ(f.sequence.packets, 1024);
  EXPECT_EQ(f.interleave_entry, 1);
  Loops both = f.sequence.loops;
  both.entry[f.interleave_entry].stride = 1 << 20;  // the second tensor's address, less the first's
  EXPECT_EQ(both.at(0), 0);
  EXPECT_EQ(both.at(32), 1 << 20);
  EXPECT_EQ(both.at(64), 32);
  EXPECT_EQ(both.at(96), (1 << 20) + 32);
}

TEST(Book, FET_20_two_tensors_alike) {
  Fetch const f{"A = 512, B = 32, I = 2, J = 3", i8, "A, B", i8, "A, I", "B"};
  Fetch other = f;
  other.element = "B, A";
  EXPECT_EQ(code_of(check_begin_interleaved(rngd, Name("I"), 2, i8, f.source(), i8, f.source())), "accepted");
  EXPECT_EQ(code_of(check_begin_interleaved(rngd, Name("J"), 3, i8, f.source(), i8, f.source())), "fetch-interleave-axis");
  EXPECT_EQ(code_of(check_begin_interleaved(rngd, Name("I"), 2, i8, f.source(), i8, other.source())), "fetch-interleave-differs");
  EXPECT_EQ(code_of(check_begin_interleaved(rngd, Name("I"), 2, i8, f.source(), i4, f.source())), "fetch-interleave-differs");
}

// ---- masking

TEST(Book, FET_21_types_of_a_masked_fetch) {
  Fetched const f = Fetch{"A = 63", i8, "A", i8, "1", "A #z 64"}.done();
  EXPECT_TRUE(f.mask.on);
  EXPECT_EQ(counts(f.mask), std::vector<std::int64_t>{63});
  EXPECT_EQ(f.mask.pad_value, 0);
  for (std::int64_t i = 0; i < 64; ++i) EXPECT_EQ(f.mask.masks(f.sequence.loops, i), i == 63);
  EXPECT_FALSE((Fetch{"A = 63", i8, "A", i8, "1", "A # 64"}).done().mask.on);
  EXPECT_FALSE((Fetch{"A = 63", i8, "A #z 64", i8, "1", "A #z 64"}).done().mask.on) << "zero in memory already";
}

TEST(Book, FET_22_flits) {
  EXPECT_EQ(rngd.flit.bytes, Bytes{32});
  EXPECT_EQ(packed_size(i32, Elements{8}).value(), rngd.flit.bytes);
  EXPECT_EQ((Fetch{"A = 63", i8, "A", i8, "1", "A"}).code(), "fetch-packet-not-aligned");
  EXPECT_EQ((Fetch{"A = 63", i8, "A", i8, "1", "A # 64"}).code(), "accepted");
}

TEST(Book, FET_23_both_ends_of_the_innermost_axis) {
  Fetched const f = Fetch{"B = 90", i8, "B", i8, "1", "B #< 2 #z 96"}.done();
  EXPECT_EQ(f.mask.left_pad, 2);
  EXPECT_EQ(counts(f.mask), std::vector<std::int64_t>{92});
  for (std::int64_t i = 0; i < 96; ++i) EXPECT_EQ(f.mask.masks(f.sequence.loops, i), i < 2 || i >= 92);
}

TEST(Book, FET_24_what_the_parameters_do) {
  Loops l;
  l.entries = 2;
  l.entry[0] = {3, 8};
  l.entry[1] = {8, 1};
  Mask m;
  m.on = true;
  m.last_dim = 0;
  m.left_pad = 2;
  m.counts = 1;
  m.valid_count[0] = 5;
  for (std::int64_t i = 0; i < 24; ++i) EXPECT_EQ(m.masks(l, i), i < 2 || i >= 21) << i;
}

TEST(Book, FET_25_range_of_the_counts) {
  struct Probe {
    ScalarType type;
    std::int64_t most;
  };
  for (Probe p : {Probe{i4, 255}, Probe{i8, 127}, Probe{bf16, 63}, Probe{f32, 31}}) {
    // A packet of 128 bytes that cannot be cut: its elements are discrete, so that the innermost loop is all of it.
    std::int64_t const bits = scalar_info(p.type).packet_bits, whole = 128 * 8 / bits;
    EXPECT_EQ(rngd.fetch.mask_count_limit * 4 / bits, p.most);
    std::string const axes = "A = " + std::to_string(whole - 1);
    std::string const packet = "A #z " + std::to_string(whole);
    Fetched const f = Fetch{axes.c_str(), p.type, "A", p.type, "1", packet.c_str()}.done();
    EXPECT_EQ(counts(f.mask), std::vector<std::int64_t>{p.most}) << whole << " elements, all but one live";
  }
}

TEST(Book, FET_26_case_1) {
  Fetch const f{"A = 32, B = 90", i8, "A, B # 96", i8, "A, B #< 2 #z 96 / 32", "B #< 2 #z 96 % 32"};
  Fetched const d = f.done();
  EXPECT_EQ(loops(d), "32:96, 3:32, 32:1");
  EXPECT_EQ(d.sequence.loops.base, -2);
  EXPECT_EQ(d.sequence.loops.packet, 32);
  EXPECT_EQ(d.mask.last_dim, 1);
  EXPECT_EQ(d.mask.left_pad, 2);
  EXPECT_EQ(counts(d.mask), std::vector<std::int64_t>{28});
  EXPECT_EQ(d.mask.pad_value, 0);
  EXPECT_EQ(d.fetches(), 96);
  for (std::int64_t i = 0; i < 32 * 96; ++i) ASSERT_EQ(d.mask.masks(d.sequence.loops, i), i % 96 < 2 || i % 96 >= 92);
  EXPECT_EQ(code_of(check_fetch_address(rngd, i8, d, Bytes{0})), "sequence-below-memory");  // E-53
  EXPECT_EQ(code_of(check_fetch_address(rngd, i8, d, Bytes{8})), "accepted");
}

TEST(Book, FET_27_case_2) {
  Fetched const d = Fetch{"A = 32, B = 90", i8, "A, B # 96", i8, "B #< 2 #z 96 / 32, A", "B #< 2 #z 96 % 32"}.done();
  EXPECT_EQ(loops(d), "3:32, 32:96, 32:1");
  EXPECT_EQ(d.sequence.loops.base, -2);
  EXPECT_EQ(d.mask.last_dim, 0);
  EXPECT_EQ(d.mask.left_pad, 2);
  EXPECT_EQ(counts(d.mask), std::vector<std::int64_t>{28});
  EXPECT_EQ(d.fetches(), 96);
}

TEST(Book, FET_28_valid_elements_of_each_chunk) {
  for (const char* time : {"A, B #< 2 #z 96 / 32", "B #< 2 #z 96 / 32, A"}) {
    Fetched const d = Fetch{"A = 32, B = 90", i8, "A, B # 96", i8, time, "B #< 2 #z 96 % 32"}.done();
    std::int64_t valid[3]{};
    for (std::int64_t t = 0; t < 96; ++t)
      for (std::int64_t j = 0; j < 32; ++j) valid[time[0] == 'A' ? t % 3 : t / 32] += !d.mask.masks(d.sequence.loops, t * 32 + j);
    EXPECT_EQ(valid[0], 32 * 30);
    EXPECT_EQ(valid[1], 32 * 32);
    EXPECT_EQ(valid[2], 32 * 28);
  }
}

TEST(Book, FET_29_case_3) {
  Fetched const d = Fetch{"A = 32, B = 97", f32, "A, B # 128", f32, "A, B #z 128 / 16, 1", "B #z 128 % 16"}.done();
  EXPECT_EQ(loops(d), "32:128, 8:16, 1:0, 16:1");
  EXPECT_EQ(d.sequence.loops.base, 0);
  EXPECT_EQ(d.sequence.loops.packet, 16);
  EXPECT_EQ(d.mask.valid_count_dim, 1);
  EXPECT_EQ(d.mask.last_dim, 2);
  EXPECT_EQ(counts(d.mask), (std::vector<std::int64_t>{16, 16, 16, 16, 16, 16, 1, 0}));
  EXPECT_EQ(d.mask.pad_value, 0);
  EXPECT_EQ(d.sequence.packets, 256);
  EXPECT_EQ(d.fetches(), 512);
  std::int64_t masked = 0;
  for (std::int64_t i = 0; i < 128; ++i) masked += d.mask.masks(d.sequence.loops, i);
  EXPECT_EQ(masked, 31);
}

TEST(Book, FET_30_counts_by_index) {
  // Padding of more than one packet needs the counts; there are eight, and the compiler is free to cut the axis into eight.
  Fetched const eight = Fetch{"B = 65", f32, "B", f32, "B #z 128 / 16", "B #z 128 % 16"}.done();
  EXPECT_EQ(counts(eight.mask), (std::vector<std::int64_t>{16, 16, 16, 16, 1, 0, 0, 0}));
  EXPECT_EQ((Fetch{"B = 65, A = 2", f32, "A, B", f32, "B #z 144 / 16, A", "B #z 144 % 16"}).code(), "fetch-mask-impossible");
}

// ---- tables, casts, zero points

TEST(Book, FET_32_tables_index_by_nibble_or_byte) {
  Fetch f{"A = 32", f4e2m1, "A", bf16, "1", "A"};
  f.how.with_table = true;
  f.how.table = {f4e2m1, bf16, 0};
  EXPECT_EQ(f.code(), "accepted") << "decoding MXFP4";
  f = {"A = 32", i16, "A", i16, "1", "A"};
  f.how.with_table = true;
  f.how.table = {i16, i16, 0};
  EXPECT_EQ(f.code(), "fetch-table-index");
}

TEST(Book, FET_33_casts_of_rngd) {
  struct Pair {
    ScalarType from, to;
  };
  const std::vector<Pair> book = {{i4, i5},      {i4, i32},     {i8, i9},    {i8, i32},  {i16, i32},
                                  {f8e4m3, f32}, {f8e5m2, f32}, {bf16, f32}, {f16, f32}, {f32, bf16}};
  for (ScalarType from : scalar_types) {
    if (!scalar_info(from).in_memory) continue;
    for (ScalarType to : scalar_types) {
      bool const listed = std::any_of(book.begin(), book.end(), [&](Pair p) { return p.from == from && p.to == to; });
      EXPECT_EQ((Fetch{"A = 64", from, "A", to, "1", "A"}).code(), listed || from == to ? "accepted" : "fetch-no-such-cast")
          << scalar_info(from).name << " to " << scalar_info(to).name;
    }
  }
}

TEST(Book, FET_34_casts_of_rngd_s) {
  struct Pair {
    ScalarType from, to;
  };
  for (Pair p : {Pair{i4, i9}, Pair{i16, i9}, Pair{f8e4m3, bf16}, Pair{f8e5m2, bf16}}) {
    Fetch const f{"A = 64", p.from, "A", p.to, "1", "A"};
    EXPECT_EQ(f.code(rngd), "fetch-no-such-cast");
    EXPECT_EQ(f.code(rngd_s), "accepted");
  }
}

TEST(Book, FET_36_one_fetch_makes_one_flit) {
  struct Limit {
    ScalarType from, to;
    std::int64_t bytes;
  };
  for (Limit l :
       {Limit{i4, i32, 4}, Limit{i8, i32, 8}, Limit{i16, i32, 16}, Limit{f8e4m3, f32, 8}, Limit{f8e5m2, f32, 8}, Limit{bf16, f32, 16}}) {
    EXPECT_EQ(fetch_size_limit(rngd, false, l.from, l.to), Bytes{l.bytes});
    EXPECT_EQ((Fetch{"A = 256", l.from, "A", l.to, "1", "A"}).done().fetch_size(), Bytes{l.bytes});
  }
}

TEST(Book, FET_41_types) {
  Fetch f{"A = 8, I = 2", i8, "A", i32, "I", "A", "1 # 2", "1 # 256", taking_turns()};
  f.how.zero_points = 2;
  f.how.zero_point[0] = 100;
  f.how.zero_point[1] = -100;
  EXPECT_EQ(f.code(), "accepted");
  f.how.interleaved = Name{};
  EXPECT_EQ(f.code(), "fetch-zero-points-not-interleaved");
}

TEST(Book, FET_42_zero_point_range) {
  Fetch f{"A = 8", i8, "A", i32, "1", "A"};
  f.how.zero_points = 1;
  for (std::int64_t z : {-128, 127}) {
    f.how.zero_point[0] = z;
    EXPECT_EQ(f.code(), "accepted");
  }
  for (std::int64_t z : {-129, 128}) {
    f.how.zero_point[0] = z;
    EXPECT_EQ(f.code(), "scalar-zero-point-out-of-range");
  }
}

// ---- batching

TEST(Book, FET_43_fetches_of_a_packet) {
  // Five places of 8 bytes make packets of 40.
  Fetched const f = Fetch{"A = 2, B = 5, C = 8", i8, "B, A, C", i8, "A", "B, C"}.done();
  EXPECT_EQ(f.fetch_size(), Bytes{8});
  EXPECT_EQ(f.fetches_per_packet(), 5);
}

TEST(Book, FET_44_number_of_fetches) {
  Fetched const f = Fetch{"A = 2, B = 5, C = 8", i8, "B, A, C", i8, "A", "B, C"}.done();
  EXPECT_EQ(f.fetches(), 2 * 40 / 8);
}

TEST(Book, FET_45_batch_1) {
  Fetched const f = Fetch{nchw, i8, "N, C, H, W", i8, "N, C, H", "W"}.done();
  EXPECT_EQ(loops(f), "4:96, 3:32, 4:8, 8:1");
  EXPECT_EQ(f.sequence.loops.contiguous(), 384);
  EXPECT_EQ(f.fetch_size(), Bytes{8});
  EXPECT_EQ(f.fetches_per_packet(), 1);
  EXPECT_EQ(f.fetches(), 48);
  EXPECT_EQ((Fetch{nchw, i4, "N, C, H, W", i4, "N, C, H", "W"}).code(), "fetch-packet-not-aligned") << "as printed, packets of 4 bytes";
}

TEST(Book, FET_46_batch_2) {
  Fetched const f = Fetch{nchw, i8, "N, C, H, W", i8, "N, C, H / 2", "H % 2, W"}.done();
  EXPECT_EQ(loops(f), "4:96, 3:32, 2:16, 2:8, 8:1");
  EXPECT_EQ(f.fetch_size(), Bytes{16});
  EXPECT_EQ(f.fetches_per_packet(), 1);
  EXPECT_EQ(f.fetches(), 24);
}

TEST(Book, FET_47_batch_3) {
  Fetched const f = Fetch{nchw, i8, "N, C, H, W", i8, "N, C", "H, W"}.done();
  EXPECT_EQ(f.fetch_size(), Bytes{32});
  EXPECT_EQ(f.fetches_per_packet(), 1);
  EXPECT_EQ(f.fetches(), 12);
}

TEST(Book, FET_48_batch_4) {
  Fetched const f = Fetch{nchw, i8, "N, C, H, W", i8, "N", "C, H, W"}.done();
  EXPECT_EQ(f.sequence.loops.packet, 96);
  EXPECT_EQ(f.fetch_size(), Bytes{32});
  EXPECT_EQ(f.fetches_per_packet(), 3);
  EXPECT_EQ(f.fetches(), 12);
}

TEST(Book, FET_49_batches_of_i4) {
  const char* const axes = "N = 4, C = 3, H = 4, W = 16";
  struct Batch {
    const char *time, *packet, *walk;
    std::int64_t bytes, fetches;
  };
  for (Batch b :
       {Batch{"N, C, H", "W", "4:192, 3:64, 4:16, 16:1", 8, 48}, Batch{"N, C, H / 2", "H % 2, W", "4:192, 3:64, 2:32, 2:16, 16:1", 16, 24},
        Batch{"N, C", "H, W", "4:192, 3:64, 4:16, 16:1", 32, 12}, Batch{"N", "C, H, W", "4:192, 3:64, 4:16, 16:1", 32, 12}}) {
    Fetched const f = Fetch{axes, i4, "N, C, H, W", i4, b.time, b.packet}.done();
    EXPECT_EQ(loops(f), b.walk);
    EXPECT_EQ(f.fetch_size(), Bytes{b.bytes});
    EXPECT_EQ(f.fetches(), b.fetches);
  }
}

TEST(Book, FET_50_three_places_of_eight_bytes) {
  Fetched const f = Fetch{"A = 2, B = 3, C = 8", i8, "B, A, C", i8, "A", "B, C"}.done();
  EXPECT_EQ(f.sequence.loops.packet, 24);
  EXPECT_EQ(f.fetch_size(), Bytes{8});
  EXPECT_EQ(f.fetches_per_packet(), 3);
}

TEST(Book, FET_51_collect_pads_forty_bytes_to_two_flits) {
  Fetched const f = Fetch{"A = 2, B = 5, C = 8", i8, "B, A, C", i8, "A", "B, C"}.done();
  auto const c = collected(rngd, i8, f.stream.time, f.stream.packet);
  ASSERT_TRUE(c.ok());
  EXPECT_EQ(c->packet.size, 32);
  EXPECT_EQ(c->time.size, 2 * 2);
  Mapping const both = pair(c->time, c->packet);
  for (std::int64_t i = 40; i < 64; ++i) EXPECT_EQ(cell(both, i).pad, Pad::zero);
}

TEST(Book, FET_52_twenty_bytes_are_no_packet) {
  EXPECT_EQ((Fetch{"A = 20", i8, "A", i8, "1", "A"}).code(), "fetch-packet-not-aligned");
  auto const c = collected(rngd, i8, Mapping{}, axis_mapping(Name("A"), 20));
  ASSERT_TRUE(c.ok());
  EXPECT_EQ(c->packet.size - 20, 12) << "of 32: 37.5 %";
}

TEST(Book, FET_53_dual_channel_is_asked_for) {
  EXPECT_EQ(rngd.flit.bytes, Bytes{32});
  EXPECT_EQ(rngd.flit.dual_bytes, Bytes{64});
  EXPECT_FALSE(FetchHow{}.dual);
  Fetch f{"A = 64", i8, "A", i32, "1", "A"};
  EXPECT_EQ(f.done().fetch_size(), Bytes{8});
  f.how.dual = true;
  EXPECT_EQ(f.done().fetch_size(), Bytes{16});
  f.how.context = Tu::Sub;
  EXPECT_EQ(f.code(), "fetch-dual-in-sub");
}

// ---- rows of other chapters that speak of fetches

TEST(Book, HEL_11_fetch) {
  Fetched const f = Fetch{"A = 2048", i32, "A % 8", i32, "1", "A % 8", "1 # 2", "A / 8 # 256"}.done();
  EXPECT_EQ(loops(f), "8:1");
  EXPECT_EQ(f.fetch_size(), rngd.flit.bytes);
  EXPECT_EQ(f.fetches(), 1);
}

TEST(Book, HEL_14_sub_fetch) {
  Fetched const f = Fetch{"A = 2048", i32, "A % 8", i32, "1", "A % 8", "1 # 2", "A / 8 # 256", in_sub()}.done();
  EXPECT_EQ(f.fetch_size(), Bytes{8});
  EXPECT_EQ(f.fetches(), 4);
}

TEST(Book, HEL_18_sub_fetch) {
  Fetched const f = Fetch{"A = 2048", bf16, "A", bf16, "1", "A", "1 # 2", "1 # 256", in_sub()}.done();
  EXPECT_EQ(f.fetches(), 512);
}

TEST(Book, HEL_19_fetch) {
  Fetched const f = Fetch{"A = 2048", bf16, "A", bf16, "1", "A"}.done();
  EXPECT_EQ(f.fetch_size(), Bytes{32});
  EXPECT_EQ(f.fetches_per_packet(), 128);
}

TEST(Book, HEL_26_fetch) {
  Fetch f{"I = 256, J = 2048", bf16, "J", bf16, "J / 32", "J % 32", "1 # 2", "I"};
  EXPECT_EQ(f.code(), "accepted") << "it is collect that refuses packets of 64 bytes";
  f.time = "J / 16";
  f.packet = "J % 16";
  EXPECT_EQ(f.code(), "accepted");
}

TEST(Book, HEL_33_sub_fetch_of_the_weights) {
  for (std::int64_t k : {64, 2048}) {
    std::string const axes = "I = 512, J = 512, K = " + std::to_string(k);
    Fetched const f = Fetch{axes.c_str(), bf16, "J % 32, K", bf16, "J % 8, J / 8 % 4", "K", "1 # 2", "I / 32, J / 32", in_sub()}.done();
    std::string const n = std::to_string(k);
    EXPECT_EQ(loops(f), "8:" + n + ", 4:" + std::to_string(8 * k) + ", " + n + ":1");
  }
}

TEST(Book, HEL_34_fetch_repeats_what_the_element_lacks) {
  Fetched const f = Fetch{"I = 512, J = 512, K = 64", bf16, "I % 32, K", bf16, "I % 32, J / 8 % 4", "K", "1 # 2", "I / 32, J / 32"}.done();
  EXPECT_EQ(loops(f), "32:64, 4:0, 64:1");
}

TEST(Book, PIP_03_fetch_leaves_chip_cluster_and_slice) {
  // There is nothing to declare: the stream's Slice is the tensor's, and its factors cannot move to Time or Packet.
  EXPECT_EQ((Fetch{"A = 2048", i8, "A % 8", i8, "1", "A % 8", "1 # 2", "A / 8"}).code(), "accepted");
  EXPECT_EQ((Fetch{"A = 2048", i8, "A % 8", i8, "A / 8", "A % 8", "1 # 2", "A / 8"}).code(), "levels-axis-twice");
}

TEST(Book, PIP_05_fetch_packets_are_multiples_of_eight_bytes) {
  EXPECT_EQ(rngd.fetch.packet_multiple, Bytes{8});
  EXPECT_EQ((Fetch{"A = 12", i8, "A", i8, "1", "A"}).code(), "fetch-packet-not-aligned");
  EXPECT_EQ((Fetch{"A = 24", i8, "A", i8, "1", "A"}).code(), "accepted");
}

TEST(Book, PIP_14_sub_fetches_less_at_once) {
  EXPECT_EQ((Fetch{"A = 64", i8, "A", i8, "1", "A"}).done().fetch_size(), Bytes{32});
  EXPECT_EQ((Fetch{"A = 64", i8, "A", i8, "1", "A", "1 # 2", "1 # 256", in_sub()}).done().fetch_size(), Bytes{8});
  EXPECT_EQ((Fetch{"A = 8, B = 4", i8, "B, A # 12", i8, "B", "A", "1 # 2", "1 # 256", in_sub()}).code(), "accepted");
  EXPECT_EQ((Fetch{"A = 8, B = 4", i8, "A, B", i8, "B", "A", "1 # 2", "1 # 256", in_sub()}).code(), "fetch-sub-run-too-short");
}

TEST(Book, KER_08_turns) {
  Fetched const f = Fetch{"A = 4, B = 32, I = 2", i8, "A, B", i8, "A, I", "B", "1 # 2", "1 # 256", taking_turns()}.done();
  EXPECT_EQ(f.interleave_entry, f.sequence.loops.entries - 2) << "step by step";
}

TEST(Book, KER_09_the_turn_is_innermost) {
  Fetch f{"A = 4, B = 32, I = 2", i8, "A, B", i8, "I, A", "B", "1 # 2", "1 # 256", taking_turns()};
  EXPECT_EQ(f.done().interleave_entry, 0) << "all of one tensor, then all of the other";
  f.time = "A, I";
  EXPECT_EQ(f.done().interleave_entry, 1);
}

TEST(Book, KER_27_at_most_two_tensors) {
  Fetch const f{"A = 4, B = 32", i8, "A, B", i8, "A", "B"};
  EXPECT_EQ(code_of(check_begin_interleaved(rngd, Name("I"), 4, i8, f.source(), i8, f.source())), "fetch-interleave-axis");
}

TEST(Book, KER_47_fetch) {
  Fetched const f = Fetch{abc, f8e4m3, "A, B, C", f8e4m3, "A, B", "C # 8"}.done();
  EXPECT_EQ(f.fetches(), 15);
  EXPECT_EQ(f.sequence.loops.at(5 * 8), 10) << "A = 1, B = 0";
}

TEST(Book, KER_52_fetch_of_two_bytes) {
  EXPECT_EQ((Fetch{abc, f8e4m3, "A, B, C", f8e4m3, "A, B", "C"}).code(), "fetch-packet-not-aligned");
}

TEST(Book, KER_62_to_66_fetches_of_padded_rows) {
  struct Row {
    const char *element, *time, *packet;
    std::int64_t bytes, fetches;
  };
  for (Row r : {Row{"B, A # 72", "B, A # 72 / 24", "A # 72 % 24", 8, 18}, Row{"B, A # 80", "B, A # 80 / 16", "A # 80 % 16", 16, 10},
                Row{"B, A # 88", "B, A # 88 / 8", "A # 88 % 8", 8, 22}, Row{"B, A # 96", "B, A # 96 / 32", "A # 96 % 32", 32, 6}}) {
    Fetched const f = Fetch{"A = 65, B = 2", f8e4m3, r.element, f8e4m3, r.time, r.packet}.done();
    EXPECT_EQ(f.fetch_size(), Bytes{r.bytes}) << r.element;
    EXPECT_EQ(f.fetches(), r.fetches) << r.element;
  }
}

TEST(Book, KER_68_reads_may_run_over) {
  EXPECT_EQ((Fetch{"A = 65, B = 2", f8e4m3, "B, A # 72", f8e4m3, "B", "A # 96"}).done().read_after, Elements{24});
}

TEST(Book, KER_70_fetch_of_segments) {
  const char* const axes = "A = 2048, B = 32";
  Fetched const first = Fetch{axes, f8e4m3, "A, B", f8e4m3, "A = 1024", "B"}.done();
  Fetched const second = Fetch{axes, f8e4m3, "A, B", f8e4m3, "A @ 1024 = 1024", "B"}.done();
  EXPECT_EQ(loops(first), "1024:32, 32:1");
  EXPECT_EQ(loops(second), "1024:32, 32:1");
  EXPECT_EQ(second.sequence.loops.base, 1024 * 32);
  EXPECT_EQ(first.fetch_size(), Bytes{32});
  EXPECT_EQ(first.fetches(), 1024);
}

TEST(Book, SUP_11_fetch_needs_two_clusters_and_256_slices) {
  Fetch f{"A = 8", i8, "A", i8, "1", "A", "1", "1"};
  EXPECT_EQ(f.code(), "memory-cluster-size");
  EXPECT_EQ(f.code(logical), "accepted");
}

}  // namespace
}  // namespace tcp
