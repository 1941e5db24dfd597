// Single decisions of the derivation and of the sequencer's rules; tests/law/rules walks through all positions of many.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/sequence.hpp"

namespace tcp {

inline void PrintTo(const Entry& e, std::ostream* out) { *out << e.size << " : " << (e.indirect ? "table * " : "") << e.stride; }

namespace {

TCP_AXES(A = 8, B = 512, C = 3, D = 61, H = 5, F = 3, P = 4, Q = 4, N = 2048);

using Entries = std::vector<Entry>;

Entries entries(const Loops& l) { return {l.entry, l.entry + l.entries}; }
std::string code(const Expected<Loops>& l) { return l ? "accepted" : l.refusal().code; }
std::string code(const Verdict& v) { return v ? "accepted" : v.refusal().code; }
Loops read(const Mapping& buffer, const Mapping& time, const Mapping& packet) { return derive_loops(buffer, time, packet).value(); }
Expected<Loops> write(const Mapping& buffer, const Mapping& time, const Mapping& packet) {
  return derive_loops(buffer, time, packet, {.access = Access::write});
}
Loops loops(const Entries& all, std::int64_t packet = 1, std::int64_t base = 0) {
  Loops l;
  for (const Entry& e : all) l.entry[l.entries++] = e;
  l.packet = packet;
  l.base = base;
  return l;
}

constexpr auto in_the_compiler = sequence(rngd, ScalarType::bf16, m<A, B>{}, m<A, B / 32>{}, m<B % 32>{});
static_assert(in_the_compiler->access == Bytes{32} && in_the_compiler->accesses() == 256);

TEST(Loops, of_nothing_are_one_access_at_the_base) {
  Loops const l = read(A, one, one);
  EXPECT_EQ(l.entries, 0);
  EXPECT_EQ(l.at(0), 0);
  EXPECT_EQ(l.contiguous(), 1);
  EXPECT_EQ(l.furthest(), 0);
  EXPECT_EQ(text(l).view(), "[] : 1");
}

TEST(Loops, print_as_the_book_does) {
  EXPECT_EQ(text(loops({{8, 512}, {4, -1}, {2, 16, true, 100}}, 8)).view(), "[8 : 512, 4 : -1, 2 : table * 16] : 8");
}

TEST(Loops, reach_counts_forward_strides_and_all_rows_of_a_table) {
  EXPECT_EQ(loops({{4, 10}, {3, -5}, {2, 1}}, 1, 7).furthest(), 7 + 30 + 1);
  EXPECT_EQ(loops({{2, 16, true, 100}, {16, 1}}).furthest(), 99 * 16 + 15);
}

TEST(Loops, the_run_stops_at_the_first_gap) {
  EXPECT_EQ(loops({{4, 96}, {3, 32}, {4, 8}, {8, 1}}).contiguous(), 384);
  EXPECT_EQ(loops({{3, 32}, {4, 96}, {4, 8}, {8, 1}}).contiguous(), 32);
  EXPECT_EQ(loops({{4, 96}, {4, 8}, {3, 32}, {8, 1}}).contiguous(), 8);
  EXPECT_EQ(loops({{4, 192}}).contiguous(), 1) << "E-40: discrete";
  EXPECT_EQ(loops({{8, 1}, {4, 0}}).contiguous(), 4) << "E-40: replicated";
  EXPECT_EQ(loops({{4, 0}, {3, 0}}).contiguous(), 12) << "as after merging";
  EXPECT_EQ(loops({{8, 16}, {4, 1, true, 9}}).contiguous(), 1) << "a table may lead anywhere";
}

TEST(Derive, several_buffers_are_levels_of_one_tensor) {
  // Slices 4096 apart, elements side by side: A / 2 lies in Slice, A % 2 and B in Element.
  Buffer const levels[] = {{A / 2, 4096}, {m<A % 2, B>{}, 1}};
  Mapping const terms[] = {m<A, B / 32>{}, B % 32};
  auto const l = derive_loops(levels, 2, terms, 2, 1);
  EXPECT_EQ(entries(*l), (Entries{{4, 4096}, {2, 512}, {16, 32}, {32, 1}}));
}

TEST(Derive, padding_in_front_is_a_base_below_zero) {
  Loops const l = read(D.pad(64), D.pad_left(3).pad(64) / 16, D.pad_left(3).pad(64) % 16);
  EXPECT_EQ(l.base, -3);
  EXPECT_EQ(entries(l), (Entries{{4, 16}, {16, 1}}));
  EXPECT_EQ(read(D, one, D.pad_left(3)).base, -3);
  EXPECT_EQ(read(D.pad_left(3), one, D).base, 3);
  EXPECT_EQ(write(D.pad_left(3), one, D)->base, 3);
  EXPECT_EQ(code(write(D, one, D.pad_left(3))), "sequence-write-beyond-tensor");
}

TEST(Derive, a_start_is_a_base) {
  Loops const l = read(m<A, B>{}, A, B.from(100).resize(32));
  EXPECT_EQ(l.base, 100);
  EXPECT_EQ(entries(l), (Entries{{8, 512}, {32, 1}}));
  EXPECT_EQ(code(derive_loops(m<B % 4, B / 4>{}, one, B.from(2).resize(4))), "sequence-start-inside-block");
  EXPECT_EQ(read(m<B % 4, B / 4>{}, one, B.from(8).resize(4)).base, 2);
  EXPECT_EQ(code(derive_loops(B.from(1).resize(1), one, B.from(1))), "sequence-insufficient-input") << "the buffer holds B = 1 alone";
}

TEST(Derive, ragged_axes_overshoot_in_their_last_block) {
  EXPECT_EQ(entries(read(D, D.pad(64) / 16, D.pad(64) % 16)), (Entries{{4, 16}, {16, 1}}));
  EXPECT_EQ(code(write(D, D.pad(64) / 16, D.pad(64) % 16)), "sequence-write-beyond-tensor");
  EXPECT_EQ(entries(*write(D.pad(64), D.pad(64) / 16, D.pad(64) % 16)), (Entries{{4, 16}, {16, 1}}));
}

TEST(Derive, windows_are_stored_once_and_read_in_any_cut) {
  Mapping const window = slide(H.by(2), F);
  EXPECT_EQ(entries(read(window, one, window)), (Entries{{11, 1}}));
  EXPECT_EQ(entries(read(window, H, F)), (Entries{{5, 2}, {3, 1}}));
  EXPECT_EQ(entries(read(window, F, H)), (Entries{{3, 1}, {5, 2}}));
  EXPECT_EQ(code(derive_loops(slide(H, F), one, window)), "sequence-window-not-in-buffer") << "another measure";
  EXPECT_EQ(code(write(window, one, window)), "sequence-write-window");
  EXPECT_EQ(code(write(window, H, F)), "sequence-write-window") << "position 2 is H = 1, F = 0 and H = 0, F = 2";
}

TEST(Derive, a_tail_is_one_run) {
  Mapping const rows = pair(C, A);
  EXPECT_EQ(entries(read(rows, one, group(C, A).pad(25))), (Entries{{25, 1}}));
  EXPECT_EQ(code(derive_loops(pair(C, A.pad(9)), one, group(C, A).pad(25))), "sequence-tail-not-contiguous");
  EXPECT_EQ(code(write(rows, one, group(C, A).pad(25))), "sequence-write-beyond-tensor");
  EXPECT_EQ(entries(*write(group(C, A).pad(25), one, group(C, A).pad(25))), (Entries{{25, 1}}));
}

TEST(Derive, repeats_what_the_buffer_lacks_in_reads_only) {
  EXPECT_EQ(entries(read(A, m<P, A>{}, copies(3))), (Entries{{4, 0}, {8, 1}, {3, 0}}));
  EXPECT_EQ(code(write(A, m<P, A>{}, one)), "sequence-write-broadcast");
  EXPECT_EQ(code(write(A, A, copies(3))), "sequence-write-broadcast");
  EXPECT_EQ(code(write(m<2, A>{}, A, one)), "sequence-write-incomplete") << "both copies would have to be written";
}

TEST(Derive, the_newer_reading_repeats_absent_digits) {
  Walks const newer{.absent = Absent::broadcast};
  EXPECT_EQ(entries(*derive_loops(N % 512, N, one, newer)), (Entries{{4, 0}, {512, 1}}));
  EXPECT_EQ(entries(*derive_loops(N / 512, N, one, newer)), (Entries{{4, 1}, {512, 0}}));
  EXPECT_EQ(entries(*derive_loops(N % 512, N.pad(4096), one, newer)), (Entries{{8, 0}, {512, 1}})) << "padding is read as well";
  EXPECT_EQ(code(derive_loops(N / 512, N, one)), "sequence-insufficient-input");
  Walks const written{.access = Access::write, .absent = Absent::broadcast};
  EXPECT_EQ(code(derive_loops(N % 512, N, one, written)), "sequence-insufficient-input") << "for reads only";
}

TEST(Derive, an_axis_of_two_sizes_is_two_axes) {
  Mapping const other = axis_mapping(Name("A"), 9);
  EXPECT_EQ(code(derive_loops(A, other, one)), "sequence-axis-two-sizes");
}

TEST(Derive, a_mapping_that_cannot_be_is_said_to_be_so) {
  EXPECT_EQ(code(derive_loops(B / 7, one, B)), "mapping-stride-not-divisor");
  EXPECT_EQ(code(derive_loops(B, B / 7, one)), "mapping-stride-not-divisor");
}

TEST(Derive, sizes_stay_within_64_bits) {
  Mapping const endless = one.pad(std::int64_t{1} << 40);
  EXPECT_EQ(code(derive_loops(A, endless, endless)), "sequence-stream-too-long");
}

TEST(Derive, a_stream_may_scramble_an_axis_bit_by_bit) {
  // Every bit of B is a term of its own, so that one digit of the buffer is filled by nine loops.
  Buffer const buffer{B};
  std::vector<Mapping> terms;
  for (std::int64_t k = 1; k < 512; k *= 2) terms.push_back(Mapping(B) / k % 2);
  auto const l = derive_loops(&buffer, 1, terms.data(), 9, 8, {.access = Access::write});
  ASSERT_TRUE(l.ok()) << l.refusal().sentence().view();
  EXPECT_EQ(l->entries, 9);
  EXPECT_EQ(l->at(1), 256);
}

TEST(AccessSize, by_type_packet_and_run) {
  auto const access = [](ScalarType type, std::int64_t run, std::int64_t packet) {
    auto const a = access_size(rngd.sequencer.base_packets, type, loops({{2, 1000}, {run, 1}}, packet));
    return a ? a->value : -1;
  };
  EXPECT_EQ(access(ScalarType::i8, 32, 32), 32);
  EXPECT_EQ(access(ScalarType::i8, 96, 96), 32);
  EXPECT_EQ(access(ScalarType::i8, 24, 24), 8) << "24 is no size of an access";
  EXPECT_EQ(access(ScalarType::i8, 32, 8), 8) << "an access stays inside a packet";
  EXPECT_EQ(access(ScalarType::i8, 8, 32), 8) << "and inside a run";
  EXPECT_EQ(access(ScalarType::i8, 3, 3), 1);
  EXPECT_EQ(access(ScalarType::i4, 64, 64), 32);
  EXPECT_EQ(access(ScalarType::i4, 2, 2), 1);
  EXPECT_EQ(access(ScalarType::i4, 3, 3), -1) << "a byte and a half";
  EXPECT_EQ(access(ScalarType::i4, 1, 8), -1);
  EXPECT_EQ(access(ScalarType::bf16, 16, 16), 32);
  EXPECT_EQ(access(ScalarType::bf16, 3, 3), 2);
  EXPECT_EQ(access(ScalarType::f32, 8, 8), 32);
  EXPECT_EQ(access(ScalarType::f32, 1, 1), 4);
  EXPECT_EQ(access(ScalarType::f32, 3, 6), 4);
  // Commits write 8, 16, 24 or 32 bytes.
  auto const commit = [](std::int64_t bytes) { return access_size(rngd.commit.main_sizes, ScalarType::i8, loops({{bytes, 1}}, bytes)); };
  EXPECT_EQ(*commit(24), Bytes{24});
  EXPECT_STREQ(commit(12).refusal().code, "sequence-access-size");
}

TEST(AccessSize, repeated_elements_are_one_access) {
  auto const s = sequence(rngd, ScalarType::i8, A, A, m<P, Q>{});
  EXPECT_EQ(s->access, Bytes{16});
  EXPECT_EQ(s->accesses(), 8);
}

TEST(FitSequencer, makes_long_loops_several) {
  EXPECT_EQ(entries(*fit_sequencer(rngd, loops({{65536, 3}}))), (Entries{{65536, 3}}));
  EXPECT_EQ(entries(*fit_sequencer(rngd, loops({{131072, 3}}))), (Entries{{2, 3 * 65536}, {65536, 3}}));
  EXPECT_EQ(fit_sequencer(rngd, loops({{std::int64_t{1} << 33, 1}}))->entries, 3) << "8 GiB of i8 in HBM, one run";
  EXPECT_STREQ(fit_sequencer(rngd, loops({{65537, 1}})).refusal().code, "sequence-loop-too-long");
  EXPECT_STREQ(fit_sequencer(rngd, loops({{4, 65537}, {65537, 1}})).refusal().code, "sequence-loop-too-long");
}

TEST(Reach, stays_in_the_memory) {
  auto const reach = [](std::int64_t base, std::int64_t last, std::int64_t address, ScalarType type = ScalarType::i8) {
    return code(check_reach(type, loops({{last - base + 1, 1}}, 1, base), Bytes{address}, Bytes{1000}));
  };
  EXPECT_EQ(reach(0, 999, 0), "accepted");
  EXPECT_EQ(reach(0, 1000, 0), "sequence-beyond-memory");
  EXPECT_EQ(reach(0, 0, 999), "accepted");
  EXPECT_EQ(reach(0, 0, 1000), "sequence-beyond-memory");
  EXPECT_EQ(reach(-2, 10, 2), "accepted");
  EXPECT_EQ(reach(-2, 10, 1), "sequence-below-memory");
  EXPECT_EQ(reach(0, 249, 0, ScalarType::f32), "accepted");
  EXPECT_EQ(reach(0, 249, 4, ScalarType::f32), "sequence-beyond-memory");
  EXPECT_EQ(reach(-1, 10, 4, ScalarType::f32), "accepted");
  EXPECT_EQ(reach(-1, 10, 2, ScalarType::f32), "sequence-below-memory");
  EXPECT_EQ(reach(0, 1999, 0, ScalarType::i4), "accepted");
  EXPECT_EQ(reach(0, 2000, 0, ScalarType::i4), "sequence-beyond-memory");
  EXPECT_EQ(reach(0, 10, INT64_MAX - 5), "sequence-beyond-memory") << "without an overflow";
}

TEST(Sequence, says_how_a_packet_is_moved) {
  auto const s = sequence(rngd, ScalarType::f32, m<A, B>{}, m<B / 64, A>{}, B % 64);
  EXPECT_EQ(s->packets, 64);
  EXPECT_EQ(s->access, Bytes{32});
  EXPECT_EQ(s->accesses_a_packet, 8);
  EXPECT_EQ(s->accesses(), 512);
  EXPECT_STREQ(sequence(rngd, ScalarType::i4, m<A, B>{}, B, A).refusal().code, "sequence-access-size");
}

}  // namespace
}  // namespace tcp
