// The rows of the ledger on sequencers: how a buffer and a stream become nested loops, and which pairs do not.
#include "book/rules/written.hpp"

namespace tcp::book {
namespace {

std::string code(const Expected<Loops>& e) { return e ? "accepted" : e.refusal().code; }

TEST(Sequencer, SEQ_01_values_are_preserved_by_read_and_write) {
  Example const e("A = 4, B = 6", "A, B", "B / 2, A", "B % 2");
  auto const stream = BufTensor::holding(e.buffer).read(e.time, e.packet);
  auto const index = [](std::int64_t a, std::int64_t b) { return Index{}.add(Name("A"), a).add(Name("B"), b); };
  ASSERT_EQ(stream.size(), 24u);
  EXPECT_TRUE(stream[0] == index(0, 0));
  EXPECT_TRUE(stream[1] == index(0, 1));
  EXPECT_TRUE(stream[2] == index(1, 0));
  EXPECT_TRUE(stream[23] == index(3, 5)) << "Time B / 2 = 2, A = 3, Packet B % 2 = 1";
  EXPECT_TRUE(round_trip_is_identity(e));
}

TEST(Sequencer, SEQ_02_configuration_form) {
  Loops const l = Example("A = 8, B = 512", "A, B", "A, B / 32", "B % 32").read();
  EXPECT_EQ(text(l).view(), "[8 : 512, 16 : 32, 32 : 1] : 32")
      << "entry 0 is the outermost; strides count elements; the packet is kept apart (E-32)";
  EXPECT_EQ(l.entry[0], (Entry{8, 512}));
  // An entry is a loop of `size` rounds that moves on by `stride`, which may be negative.
  Loops backwards;
  backwards.entry[backwards.entries++] = {3, -5};
  backwards.entry[backwards.entries++] = {2, 1};
  backwards.base = 20;
  EXPECT_EQ(walk(backwards), (std::vector<std::int64_t>{20, 21, 15, 16, 10, 11}));
}

TEST(Sequencer, SEQ_03_rows_in_packets_of_32) {
  Example const e("A = 8, B = 512", "A, B", "A, B / 32", "B % 32");
  Sequence const s = e.read_as(ScalarType::bf16);
  EXPECT_EQ(s.packets, 128);
  EXPECT_EQ(s.loops.packet, 32);
  EXPECT_EQ(entries(s.loops), (Entries{{8, 512}, {16, 32}, {32, 1}}));
  EXPECT_EQ(s.access, Bytes{32}) << "the limit is on the base packet; 64-byte packets are moved in several (E-33)";
  EXPECT_EQ(s.accesses_a_packet, 2);
  EXPECT_EQ(s.accesses(), 256) << "one a cycle";
}

TEST(Sequencer, SEQ_04_the_same_written) {
  Example const e("A = 8, B = 512", "A, B", "A, B / 32", "B % 32");
  EXPECT_EQ(entries(e.write()), entries(e.read()));
  EXPECT_EQ(e.write().base, e.read().base);
  EXPECT_TRUE(round_trip_is_identity(e));
}

TEST(Sequencer, SEQ_05_transposition) {
  Example const e("N = 4, C = 3, H = 8, W = 8", "N, C, H, W", "W, H, C, N", "1");
  Sequence const s = e.read_as(ScalarType::bf16);
  EXPECT_EQ(text(s.loops).view(), "[8 : 1, 8 : 8, 3 : 64, 4 : 192] : 1");
  EXPECT_EQ(s.packets, 768);
  std::int64_t i = 0;
  for (std::int64_t w = 0; w < 8; ++w)
    for (std::int64_t h = 0; h < 8; ++h)
      for (std::int64_t c = 0; c < 3; ++c)
        for (std::int64_t n = 0; n < 4; ++n) ASSERT_EQ(s.loops.at(i++), w + 8 * h + 64 * c + 192 * n);
  EXPECT_EQ(s.access, Bytes{2}) << "discrete: innermost stride 192 (E-40)";
}

TEST(Sequencer, SEQ_06_transposition_written_back) {
  Example const e("N = 4, C = 3, H = 8, W = 8", "N, C, H, W", "W, H, C, N", "1");
  EXPECT_EQ(entries(e.write()), entries(e.read()));
  EXPECT_EQ(walk(e.write()), walk(e.read()));
  EXPECT_TRUE(round_trip_is_identity(e));
}

TEST(Sequencer, SEQ_07_tiles_with_packets_longer_than_a_row) {
  Example const e("A = 8, B = 512, C = 3", "A, B, C # 8", "A % 2, B % 4, A / 2, B / 4", "C # 32");
  Loops const l = e.read();
  EXPECT_EQ(entries(l), (Entries{{2, 4096}, {4, 8}, {4, 8192}, {128, 32}, {32, 1}}));
  EXPECT_EQ(e.buffer.size, 32768);
  auto const visited = walk(l);
  EXPECT_EQ(*std::max_element(visited.begin(), visited.end()), 32791) << "beyond the buffer: allowed for a read (E-39)";
  EXPECT_EQ(l.furthest(), 32791);
  EXPECT_TRUE(check_reach(ScalarType::i8, l, Bytes{0}, rngd.dm.slice_capacity).ok());
  EXPECT_STREQ(check_reach(ScalarType::i8, l, Bytes{0}, Bytes{32768}).refusal().code, "sequence-beyond-memory")
      << "but never beyond the memory";
}

TEST(Sequencer, SEQ_08_a_write_never_leaves_its_row) {
  Example const e("A = 8, B = 512, C = 3", "A, B, C # 8", "A % 2, B % 4, A / 2, B / 4", "C # 32");
  EXPECT_EQ(code(e.derive(Access::write)), "sequence-write-beyond-tensor")
      << "32 elements would overwrite the three rows that follow (E-38)";
  Example const trimmed("A = 8, B = 512, C = 3", "A, B, C # 8", "A % 2, B % 4, A / 2, B / 4", "C # 8");
  EXPECT_EQ(entries(trimmed.write()), (Entries{{2, 4096}, {4, 8}, {4, 8192}, {128, 32}, {8, 1}}));
  EXPECT_TRUE(round_trip_is_identity(trimmed));
}

TEST(Sequencer, SEQ_09_broadcast_in_time_and_in_the_packet) {
  Example const e("A = 8, T = 4, P = 4", "A", "T, A", "P");
  EXPECT_EQ(entries(e.read()), (Entries{{4, 0}, {8, 1}, {4, 0}}));
}

TEST(Sequencer, SEQ_10_a_broadcast_is_not_written) {
  Example const e("A = 8, T = 4, P = 4", "A", "T, A", "P");
  EXPECT_EQ(code(e.derive(Access::write)), "sequence-write-broadcast") << "every slot needs exactly one source (E-37)";
}

TEST(Sequencer, SEQ_11_derivation_rule) {
  Example const e("A = 4, B = 6, T = 2", "A, B", "B, T", "A");
  // Entry size: the size of the term. Stride: the volume to the right of the term in the current buffer. A term that is not there: stride 0.
  EXPECT_EQ(entries(e.read()), (Entries{{6, 1}, {2, 0}, {4, 6}}));
}

TEST(Sequencer, SEQ_12_rearranging) {
  Example const e("A = 8, B = 8, C = 8", "A, B, C # 32", "B, A", "C # 16");
  Sequence const s = e.read_as(ScalarType::i8);
  EXPECT_EQ(text(s.loops).view(), "[8 : 32, 8 : 256, 16 : 1] : 16");
  EXPECT_EQ(s.access, Bytes{16});
  EXPECT_EQ(s.accesses(), 64);
}

TEST(Sequencer, SEQ_13_splitting) {
  Example const e("A = 8, B = 8, C = 4", "A, B, C # 8", "A % 2, B % 4, A / 2, B / 4", "C # 32");
  Sequence const s = e.read_as(ScalarType::i8);
  EXPECT_EQ(text(s.loops).view(), "[2 : 64, 4 : 8, 4 : 128, 2 : 32, 32 : 1] : 32");
  EXPECT_EQ(s.access, Bytes{32});
  EXPECT_EQ(s.loops.furthest(), 535) << "of 512 (E-39)";
  EXPECT_EQ(e.buffer.size, 512);
}

TEST(Sequencer, SEQ_14_slicing) {
  Example const e("A = 16, B = 8, C = 8", "A, B, C", "A / 4, A % 4 = 3, B / 4, B % 4 = 2", "C");
  Sequence const s = e.read_as(ScalarType::i8);
  EXPECT_EQ(text(s.loops).view(), "[4 : 256, 3 : 64, 2 : 32, 2 : 8, 8 : 1] : 8");
  EXPECT_EQ(s.access, Bytes{8});
  EXPECT_EQ(s.packets, 48);
}

TEST(Sequencer, SEQ_15_broadcasting) {
  Example const e("A = 16, T = 4, P = 4", "A", "T, A", "P");
  Sequence const s = e.read_as(ScalarType::i8);
  EXPECT_EQ(text(s.loops).view(), "[4 : 0, 16 : 1, 4 : 0] : 4");
  EXPECT_EQ(s.access, Bytes{4});
  auto const visited = walk(s.loops);
  for (std::size_t i = 0; i < visited.size(); ++i)
    ASSERT_EQ(visited[i], static_cast<std::int64_t>(i / 4 % 16)) << "each element four times, all of it four times";
}

TEST(Sequencer, SEQ_16_merge_rule) {
  auto const merged_pair = [](Entry outer, Entry inner) {
    Loops l;
    l.entry[l.entries++] = outer;
    l.entry[l.entries++] = inner;
    return entries(merged(l));
  };
  EXPECT_EQ(merged_pair({4, 512}, {2, 256}), (Entries{{8, 256}})) << "512 = 2 * 256";
  EXPECT_EQ(merged_pair({4, 512}, {2, 128}), (Entries{{4, 512}, {2, 128}}));
  EXPECT_EQ(merged_pair({4, 0}, {3, 0}), (Entries{{12, 0}})) << "0 = 3 * 0";
  // Only above 8 entries: this one has mergeable pairs, and keeps them (E-35).
  EXPECT_EQ(entries(*fit_sequencer(rngd, Example("A = 8, B = 512", "A, B", "A, B / 32", "B % 32").read())),
            (Entries{{8, 512}, {16, 32}, {32, 1}}));
}

/// SEQ-17's stream as the list of terms that the book writes.
std::vector<Mapping> nine_terms(const Axes& axes) {
  std::vector<Mapping> terms;
  for (const char* t : {"W / 16", "H % 2", "H / 2", "C / 2", "C % 2", "N / 2", "N % 2", "W / 8 % 2", "W % 8"})
    terms.push_back(mapping(axes, t));
  return terms;
}

TEST(Sequencer, SEQ_17_merging) {
  Example const e("N = 8, C = 8, H = 8, W = 32", "N, C, H, W", "W / 16, H % 2, H / 2, C / 2, C % 2, N / 2, N % 2, W / 8 % 2", "W % 8");
  Entries const six{{2, 16}, {2, 32}, {4, 64}, {8, 256}, {8, 2048}, {16, 1}};

  // Nine terms, nine entries, and six after merging.
  Buffer const buffer{e.buffer};
  auto const terms = nine_terms(e.axes);
  auto const derived = derive_loops(&buffer, 1, terms.data(), 9, 8);
  EXPECT_EQ(entries(*derived), (Entries{{2, 16}, {2, 32}, {4, 64}, {4, 512}, {2, 256}, {4, 4096}, {2, 2048}, {2, 8}, {8, 1}}));
  auto const s = sequence(rngd, ScalarType::i8, &buffer, 1, terms.data(), 9, 8);
  EXPECT_EQ(entries(s->loops), six) << "forced: nine are more than eight";
  EXPECT_EQ(s->loops.packet, 8) << "merging does not make the packet longer (E-34)";
  EXPECT_EQ(s->access, Bytes{8});
  EXPECT_EQ(derived->contiguous(), 16);
  EXPECT_EQ(merged(*derived).contiguous(), 16);

  // From normal forms, in which C / 2, C % 2 is C: seven entries; eight are allowed, so nothing is merged unless forced.
  Sequence const normal = e.read_as(ScalarType::i8);
  EXPECT_EQ(entries(normal.loops), (Entries{{2, 16}, {2, 32}, {4, 64}, {8, 256}, {8, 2048}, {2, 8}, {8, 1}}));
  Device six_entries = rngd;
  six_entries.sequencer.entries = 6;
  EXPECT_EQ(entries(*fit_sequencer(six_entries, normal.loops)), six);
  EXPECT_EQ(normal.access, Bytes{8});

  // All walk the same addresses.
  EXPECT_EQ(walk(*derived), walk(s->loops));
  EXPECT_EQ(walk(*derived), walk(normal.loops));
}

TEST(Sequencer, SEQ_18_a_pair_that_does_not_merge) {
  Loops l;
  l.entry[l.entries++] = {2, 32};
  l.entry[l.entries++] = {4, 64};
  EXPECT_EQ(entries(merged(l)), (Entries{{2, 32}, {4, 64}})) << "32 != 4 * 64";
}

TEST(Sequencer, SEQ_19_at_most_eight_entries_after_merging) {
  std::string_view const axes = "A = 2, B = 2, C = 2, D = 2, E = 2, F = 2, G = 2, H = 2, I = 2";
  Example const nine(axes, "A, B, C, D, E, F, G, H, I", "I, H, G, F, E, D, C, B", "A");
  EXPECT_EQ(nine.read().entries, 9);
  EXPECT_STREQ(fit_sequencer(rngd, nine.read()).refusal().code, "sequence-too-many-entries");
  Example const eight(axes, "A, B, C, D, E, F, G, H, I", "H, G, F, E, D, C, B", "A");
  EXPECT_EQ(fit_sequencer(rngd, eight.read())->entries, 8);
  Example const one_pair(axes, "A, B, C, D, E, F, G, H, I", "H, I, G, F, E, D, C, B", "A");
  EXPECT_EQ(one_pair.read().entries, 9);
  EXPECT_EQ(fit_sequencer(rngd, one_pair.read())->entries, 8) << "H and I merge";
}

TEST(Sequencer, SEQ_20_at_most_65536_rounds) {
  auto const rounds = [](std::int64_t n) {
    Axes axes = parse_axes("A = 2, N = 1").value();
    axes.size[1] = n;
    return sequence(rngd, ScalarType::i8, mapping(axes, "N, A"), mapping(axes, "A"), mapping(axes, "N"));
  };
  EXPECT_EQ(entries(rounds(65536)->loops), (Entries{{2, 1}, {65536, 2}})) << "as one entry (E-41)";
  EXPECT_STREQ(rounds(65537).refusal().code, "sequence-loop-too-long") << "a prime, so that it cannot be two loops either";
}

TEST(Sequencer, SEQ_21_base_packets) {
  for (std::int64_t bytes = 1; bytes <= 96; ++bytes) {
    // Of a packet with so many bytes in a row: the largest of 1, 2, 4, 8, 16 and 32 that divides it.
    Axes axes = parse_axes("A = 2, N = 1").value();
    axes.size[1] = bytes;
    auto const s = sequence(rngd, ScalarType::i8, mapping(axes, "A, N"), mapping(axes, "A"), mapping(axes, "N"));
    ASSERT_TRUE(s) << bytes;
    std::int64_t largest = 1;
    for (std::int64_t each : {2, 4, 8, 16, 32})
      if (bytes % each == 0) largest = each;
    EXPECT_EQ(s->access, Bytes{largest}) << bytes;
  }
  // The limit is on the base packet, not on Packet: 64-byte packets (E-33), and small ones at this layer (E-42).
  EXPECT_EQ(Example("A = 8, B = 512", "A, B", "A, B / 32", "B % 32").read_as(ScalarType::bf16).access, Bytes{32});
  EXPECT_EQ(Example("A = 8", "A", "A", "1").read_as(ScalarType::i8).access, Bytes{1});
}

TEST(Sequencer, SEQ_22_innermost_entry) {
  // The derivation never claims a run that is none (E-40): 4 : 192 is one element, 4 : 0 is four.
  EXPECT_EQ(Example("N = 4, C = 3, H = 8, W = 8", "N, C, H, W", "W, H, C", "N").read().contiguous(), 1);
  EXPECT_EQ(Example("A = 8, P = 4", "A", "A", "P").read().contiguous(), 4);
}

TEST(Sequencer, SEQ_23_insufficient_input) {
  Example const e("N = 2048", "N % 512", "N / 512", "N % 512");
  EXPECT_EQ(code(e.derive(Access::read)), "sequence-insufficient-input");
  // The newer reading, behind its one switch (E-36).
  auto const newer = derive_loops(e.buffer, e.time, e.packet, {.absent = Absent::broadcast});
  EXPECT_EQ(entries(*newer), (Entries{{4, 0}, {512, 1}}));
  // In both readings a symbol that is wholly absent is a broadcast.
  Example const absent("N = 2048, M = 4", "N % 512", "M", "N % 512");
  EXPECT_EQ(entries(absent.read()), (Entries{{4, 0}, {512, 1}}));
}

TEST(Sequencer, SEQ_24_incompatible_shapes) {
  Example const e("A = 15", "A % 5, A / 5", "1", "A % 3, A / 3");
  EXPECT_EQ(e.buffer.size, 15);
  EXPECT_EQ(e.packet.size, 15);
  EXPECT_EQ(code(e.derive(Access::read)), "sequence-incompatible-shapes");
  EXPECT_EQ(code(e.derive(Access::write)), "sequence-incompatible-shapes");
}

TEST(Sequencer, SEQ_26_no_fallback_but_two_steps_do) {
  Axes const axes = parse_axes("A = 15").value();
  Mapping const base5 = mapping(axes, "A % 5, A / 5"), base3 = mapping(axes, "A % 3, A / 3"), plain = mapping(axes, "A"),
                one_step = mapping(axes, "1");
  EXPECT_FALSE(derive_loops(base5, one_step, base3).ok());
  BufTensor between(plain);
  between.write(BufTensor::holding(base5).read(one_step, plain), one_step, plain);
  EXPECT_TRUE(between.is_whole());
  BufTensor at_last(base3);
  at_last.write(between.read(one_step, base3), one_step, base3);
  EXPECT_TRUE(at_last.is_whole());
}

TEST(Sequencer, SEQ_27_time_is_not_cycles) {
  Sequence const wide = Example("A = 8, B = 512", "A, B", "A, B / 32", "B % 32").read_as(ScalarType::bf16);
  EXPECT_EQ(wide.packets, 128);
  EXPECT_EQ(wide.accesses(), 256);
  Sequence const narrow = Example("A = 8, B = 512", "A, B", "A, B / 32", "B % 32").read_as(ScalarType::i8);
  EXPECT_EQ(narrow.packets, 128) << "the same steps";
  EXPECT_EQ(narrow.accesses(), 128) << "of half the bytes";
}

TEST(Sequencer, SEQ_28_indirect_loop) {
  // An embedding: rows of V picked by the positions of I.
  Axes const axes = parse_axes("V = 100, D = 16, I = 4").value();
  Mapping const terms[] = {mapping(axes, "I"), mapping(axes, "D")};
  Buffer const buffer{mapping(axes, "V, D # 32")};
  Indirect const rows{Name("I"), Name("V")};
  auto const l = derive_loops(&buffer, 1, terms, 2, 1, {.indirect = &rows});
  EXPECT_EQ(entries(*l), (Entries{{4, 32, true, 100}, {16, 1}}));
  std::int64_t const table[] = {7, 99, 0, 7};
  auto const visited = walk(*l, table);
  ASSERT_EQ(visited.size(), 64u);
  for (std::int64_t i = 0; i < 64; ++i) EXPECT_EQ(visited[static_cast<std::size_t>(i)], table[i / 16] * 32 + i % 16);
  EXPECT_EQ(text(*l).view(), "[4 : table * 32, 16 : 1] : 16");
}

TEST(Sequencer, API_24_teaching_model_round_trips) {
  for (const Example& e :
       {Example("A = 8, B = 512", "A, B", "A, B / 32", "B % 32"), Example("N = 4, C = 3, H = 8, W = 8", "N, C, H, W", "W, H, C, N", "1"),
        Example("A = 8, B = 8, C = 8", "A, B, C # 32", "B, A", "C # 16"),
        Example("A = 8, B = 8, C = 4", "A, B, C # 8", "A % 2, B % 4, A / 2, B / 4", "C # 8"),
        Example("N = 8, C = 8, H = 8, W = 32", "N, C, H, W", "W / 16, H % 2, H / 2, C, N, W / 8 % 2", "W % 8"),
        Example("D = 61", "D # 64", "D # 64 / 16", "D # 64 % 16")})
    EXPECT_TRUE(round_trip_is_identity(e)) << text(e.buffer).view() << " as " << text(e.time).view() << ", " << text(e.packet).view();
}

}  // namespace
}  // namespace tcp::book
