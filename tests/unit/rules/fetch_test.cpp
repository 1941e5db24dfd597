// The way into a pass: the fetch rule against what every position holds, and lifts against what every place holds.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tcp/device/chips.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/rules/fetch.hpp"
#include "tcp/rules/lift.hpp"

namespace tcp {
namespace {

Mapping written(const std::string& text, const std::string& axes) {
  auto const declared = parse_axes(axes);
  EXPECT_TRUE(declared.ok());
  auto const m = parse(text, *declared);
  EXPECT_TRUE(m.ok()) << text << ": " << (m.ok() ? "" : m.refusal().sentence().s);
  return m.ok() ? *m : Mapping{};
}

Levels tensor(const std::string& axes, const std::string& element, const std::string& slice = "1 # 256") {
  Levels l;
  return l.set(Level::cluster, copies(1).pad(2)).set(Level::slice, written(slice, axes)).set(Level::element, written(element, axes));
}

struct Asked {
  ScalarType from = ScalarType::i8, to = ScalarType::i8;
  FetchHow how{};
};

Expected<Fetched> fetched(const std::string& axes, const std::string& element, const std::string& time, const std::string& packet,
                          const Asked& asked = {}) {
  return check_fetch(rngd, asked.how, asked.from, tensor(axes, element), asked.to, written(time, axes), written(packet, axes));
}

std::string code(const Expected<Fetched>& f) { return f.ok() ? "accepted" : f.refusal().code; }
std::string code(const Verdict& v) { return v.ok() ? "accepted" : v.refusal().code; }

/// Law: live positions are read where Element holds them and are not masked; zero padding is masked, or read where Element promises zeros.
void expect_right(const Fetched& f, const Mapping& element, const std::string& what) {
  Mapping const stream = pair(f.stream.time, f.stream.packet);
  ASSERT_TRUE(stream.ok()) << what;
  for (std::int64_t i = 0; i < stream.size; ++i) {
    Cell const here = cell(stream, i);
    Cell const there = cell(element, f.sequence.loops.at(i));
    bool const masked = f.mask.masks(f.sequence.loops, i);
    if (here.live()) {
      ASSERT_FALSE(masked) << what << " at " << i;
      ASSERT_TRUE(there.live()) << what << " at " << i;
      for (int a = 0; a < element.axes; ++a) {
        Name const name = element.axis[a].name;
        ASSERT_EQ(there.index.get(name), here.index.get(name)) << what << " at " << i;
      }
    } else if (here.pad == Pad::zero) {
      bool const zero = there.kind == CellKind::padding && there.pad == Pad::zero;
      ASSERT_TRUE(masked || zero) << what << " at " << i << ": neither masked nor zero";
    }
  }
}

TEST(Fetch, zero_padding_is_masked_or_there_already_at_every_position) {
  int masked = 0, held = 0, unmasked = 0, refused = 0;
  for (int b : {5, 8, 13, 16, 23, 30}) {
    std::string const axes = "A = 3, B = " + std::to_string(b);
    for (int left : {0, 1, 3, 9}) {
      for (int total : {8, 16, 24, 32, 48}) {
        if (total < b + left) continue;
        std::string const n = std::to_string(total);
        std::string const padded = "[B #< " + std::to_string(left) + " #z " + n + "]";
        std::string const whole = left > 0 ? padded : "[B #z " + n + "]";
        std::vector<std::string> elements = {"A, B", "B, A", "A, B # " + n, "A, B #z " + n, "B #z " + n + ", A", "A, " + whole};
        std::vector<std::pair<std::string, std::string>> streams = {{"A", whole}, {"1", "A, " + whole}, {"1", "A #z 4, " + whole}};
        for (int inner : {4, 8, 16}) {
          if (total % inner != 0) continue;
          std::string const q = std::to_string(inner);
          std::string const out = whole + " / " + q, in = whole + " % " + q;
          if (!parse(out, *parse_axes(axes)).ok()) continue;  // a block longer than the axis
          streams.insert(streams.end(),
                         {{"A, " + out, in}, {out + ", A", in}, {out, "A, " + in}, {out, in + ", A"}, {out, "A #z 4, " + in}});
        }
        for (const std::string& e : elements) {
          for (const auto& [time, packet] : streams) {
            auto const f = fetched(axes, e, time, packet);
            std::string const what = axes + ": " + e + " as " + time + " | " + packet;
            if (!f) {
              EXPECT_TRUE(code(f) == "fetch-mask-impossible" || code(f) == "fetch-packet-not-aligned" ||
                          code(f) == "sequence-start-inside-block")
                  << what << ": " << f.refusal().sentence().s;
              ++(code(f) == "fetch-mask-impossible" ? unmasked : refused);
              continue;
            }
            expect_right(*f, written(e, axes), what);
            ++(f->mask.on ? masked : held);
          }
        }
      }
    }
  }
  EXPECT_GT(masked, 2000);
  EXPECT_GT(held, 100);
  EXPECT_GT(refused, 1000);
  EXPECT_GT(unmasked, 1000);
  EXPECT_LT(unmasked, 1500) << "of these, 60 could be masked by the zeros of the row before";
}

TEST(Fetch, zeros_behind_that_are_there_already_need_no_mask) {
  // In front of B lies something else, behind it zeros: only the front is masked, in the first round.
  auto const f = fetched("A = 3, B = 16", "A, B #z 32", "A, [B #< 1 #z 32] / 8", "[B #< 1 #z 32] % 8");
  ASSERT_TRUE(f.ok()) << f.refusal().sentence().s;
  EXPECT_EQ(f->mask.left_pad, 1);
  expect_right(*f, written("A, B #z 32", "A = 3, B = 16"), "zeros behind");
  // Without zeros in memory the end is out of reach: it lies in the last but one round.
  EXPECT_EQ(code(fetched("A = 3, B = 16", "A, B # 32", "A, [B #< 1 #z 32] / 8", "[B #< 1 #z 32] % 8")), "fetch-mask-impossible");
}

TEST(Fetch, loops_that_walk_as_one_are_cut_anew_for_a_mask) {
  // Three blocks, of which the first is live, times four steps of A, of which three are: four groups of three rounds.
  auto const f = fetched("A = 3, B = 13", "A, B", "[B #z 48] / 16", "A #z 4, [B #z 48] % 16");
  ASSERT_TRUE(f.ok()) << f.refusal().sentence().s;
  expect_right(*f, written("A, B", "A = 3, B = 13"), "groups of three");
}

TEST(Fetch, an_axis_by_the_wrong_name_is_noticed) {
  std::string const axes = "E = 4, EK = 4, K = 32";
  EXPECT_EQ(code(fetched(axes, "E, K", "EK", "K")), "fetch-axis-not-read");
  EXPECT_EQ(code(fetched(axes, "E, K", "1", "EK, K")), "fetch-axis-not-read");
  EXPECT_EQ(code(fetched(axes, "E, K", "EK, E", "K")), "accepted") << "a broadcast";
  EXPECT_EQ(code(fetched(axes, "E, K", "EK, E = 2", "K")), "accepted") << "a broadcast of a part";
  EXPECT_EQ(code(fetched(axes, "E, K", "1", "K")), "accepted") << "a part";
  EXPECT_EQ(code(fetched(axes, "E = 1 # 4, K", "EK", "K")), "accepted") << "a tile of one step, repeated";
  EXPECT_EQ(code(fetched(axes, "K", "EK", "K")), "accepted");
}

TEST(Fetch, tails_and_windows_are_masked_too) {
  for (const char* packet : {"[A, B, C] #z 32", "[A, B, C] #z 31, 8"}) {
    auto const f = fetched("A = 3, B = 5, C = 2", "A, B, C", "1", packet);
    ASSERT_TRUE(f.ok()) << f.refusal().sentence().s;
    EXPECT_TRUE(f->mask.on);
    expect_right(*f, written("A, B, C", "A = 3, B = 5, C = 2"), packet);
  }
  auto const f = fetched("W = 6, F = 3", "$(W, F)", "1", "$(W, F) #z 16");
  ASSERT_TRUE(f.ok()) << f.refusal().sentence().s;
  EXPECT_EQ(f->mask.valid_count[0], 8);
  EXPECT_EQ(code(fetched("W = 3, F = 2", "$(W:3, F)", "1", "$(W:3, F) #z 16")), "fetch-mask-impossible");  // places 2 and 5 hold nothing
  // The same tail in memory is zero already.
  auto const held = fetched("A = 3, B = 5, C = 2", "[A, B, C] #z 31, 8", "1", "[A, B, C] #z 31, 8");
  ASSERT_TRUE(held.ok()) << held.refusal().sentence().s;
  EXPECT_FALSE(held->mask.on);
}

TEST(Fetch, a_padded_block_finds_its_zeros_only_in_the_same_block) {
  std::string const axes = "B = 16";
  auto const other = fetched(axes, "B #z 24", "B / 4", "[B % 4] #z 8");  // behind a block lies the next one
  ASSERT_TRUE(other.ok()) << other.refusal().sentence().s;
  EXPECT_TRUE(other->mask.on);
  expect_right(*other, written("B #z 24", axes), "blocks of a whole axis");
  auto const same = fetched(axes, "B / 4, [B % 4] #z 8", "B / 4", "[B % 4] #z 8");
  ASSERT_TRUE(same.ok()) << same.refusal().sentence().s;
  EXPECT_FALSE(same->mask.on);
  expect_right(*same, written("B / 4, [B % 4] #z 8", axes), "the same blocks");
  auto const short_axis = fetched("B = 4", "B #z 10", "[B #< 1 #! 16] / 4", "[[B #< 1 #! 16] % 4] #z 8");
  ASSERT_TRUE(short_axis.ok()) << short_axis.refusal().sentence().s;
  EXPECT_TRUE(short_axis->mask.on);
  expect_right(*short_axis, written("B #z 10", "B = 4"), "an axis of one block");
}

TEST(Fetch, mere_padding_and_broadcasts_are_masked) {
  auto const scalar = fetched("A = 2", "1", "1", "1 #z 8");
  ASSERT_TRUE(scalar.ok()) << scalar.refusal().sentence().s;
  EXPECT_EQ(scalar->mask.valid_count[0], 1);
  EXPECT_FALSE(fetched("A = 2", "A, 1 #z 8", "A", "1 #z 8")->mask.on);
  EXPECT_TRUE(fetched("A = 2", "A, 1 # 8", "A", "1 #z 8")->mask.on);
  auto const repeated = fetched("A = 8, T = 5", "A", "T #z 8", "A");
  ASSERT_TRUE(repeated.ok());
  expect_right(*repeated, written("A", "A = 8, T = 5"), "T #z 8");
}

TEST(Fetch, the_innermost_loop_is_cut_where_the_registers_need_it) {
  auto const few = fetched("A = 500", "A", "1", "A #z 512");
  EXPECT_EQ(few->sequence.loops.entries, 2);
  EXPECT_EQ(few->mask.valid_count[0], 116);  // of the last 128
  auto const many = fetched("A = 300", "A", "1", "A #z 512");
  EXPECT_EQ(many->mask.valid_count_dim, 0);
  EXPECT_EQ(many->mask.counts, 8);
  EXPECT_EQ(many->fetch_size(), Bytes{32});
  expect_right(*few, written("A", "A = 500"), "A = 500");
  expect_right(*many, written("A", "A = 300"), "A = 300");
  // Rows of padding far out: three of 64, as three of the last eight.
  auto const rows = fetched("A = 61, C = 32", "A, C", "A #z 64", "C");
  ASSERT_TRUE(rows.ok()) << rows.refusal().sentence().s;
  EXPECT_EQ(rows->mask.counts, 8);
  expect_right(*rows, written("A, C", "A = 61, C = 32"), "rows");
}

TEST(Fetch, a_masked_walk_of_very_many_rounds_is_split) {
  auto const f = fetched("A = 100000, B = 30", "A, B", "A", "B #z 32");
  ASSERT_TRUE(f.ok()) << f.refusal().sentence().s;
  EXPECT_EQ(f->sequence.loops.entry[0].size * f->sequence.loops.entry[1].size, 100000);
  EXPECT_EQ(code(fetched("A = 65537, B = 30", "A, B", "A", "B #z 32")), "sequence-loop-too-long");  // a prime number of rounds
}

TEST(Fetch, loops_join_when_the_added_one_leaves_no_room) {
  // Eight factors in another order than in memory but for the last two, and a ninth loop for masking.
  std::string const axes = "A = 2, B = 2, C = 2, D = 2, E = 2, F = 2, G = 7";
  auto const f = fetched(axes, "A, B, C, D, E, F, G", "F, E, D, C, B, A", "G #z 8");
  ASSERT_TRUE(f.ok()) << f.refusal().sentence().s;
  EXPECT_EQ(f->sequence.loops.entries, 8);
  std::string const more = "A = 2, B = 2, C = 2, D = 2, E = 2, F = 2, G = 7, H = 2";
  EXPECT_EQ(code(fetched(more, "A, B, C, D, E, F, H, G", "H, F, E, D, C, B, A", "G #z 8")), "fetch-mask-impossible");
  auto const joined = fetched(more, "A, B, C, D, E, F, H, G", "F, E, D, C, B, A", "H, G #z 8");
  EXPECT_EQ(code(joined), "fetch-mask-impossible");  // H and G do not walk as one: G is padded
  auto const neighbours = fetched(more, "A, B, C, D, E, F, H, G", "H, E, F, D, C, A, B", "G #z 8");
  ASSERT_TRUE(neighbours.ok()) << neighbours.refusal().sentence().s;
  expect_right(*neighbours, written("A, B, C, D, E, F, H, G", more), more);
}

TEST(Fetch, a_finer_factor_in_slice_cannot_be_masked) {
  Levels l = tensor("A = 61", "A # 64 / 16", "A # 64 % 16 # 256");
  auto const time = written("1", "A = 61"), packet = written("A #z 64 / 16 #z 8", "A = 61");
  EXPECT_EQ(code(check_fetch(rngd, {}, ScalarType::i8, l, ScalarType::i8, time, packet)), "fetch-mask-by-slice");
  l.set(Level::element, written("A #z 64 / 16 #z 8", "A = 61"));
  auto const held = check_fetch(rngd, {}, ScalarType::i8, l, ScalarType::i8, time, packet);
  ASSERT_TRUE(held.ok()) << held.refusal().sentence().s;
  EXPECT_FALSE(held->mask.on);
  // With 64 of A no slice ends early, and four steps of padding are the same for all.
  Levels even = tensor("A = 64", "A / 16", "A % 16 # 256");
  auto const masked = check_fetch(rngd, {}, ScalarType::i8, even, ScalarType::i8, written("1", "A = 64"), written("A / 16 #z 8", "A = 64"));
  ASSERT_TRUE(masked.ok()) << masked.refusal().sentence().s;
  EXPECT_EQ(masked->mask.valid_count[0], 4);
}

TEST(Fetch, padding_of_a_zero_point_is_the_zero_point) {
  Asked asked{ScalarType::i8, ScalarType::i32};
  asked.how.zero_points = 1;
  asked.how.zero_point[0] = 10;
  auto const f = fetched("A = 6", "A #z 8", "1", "A #z 8", asked);
  ASSERT_TRUE(f.ok()) << f.refusal().sentence().s;
  EXPECT_TRUE(f->mask.on) << "0 in memory would become -10";
  EXPECT_EQ(f->mask.pad_value, 10);
  asked.how.zero_point[0] = 0;
  EXPECT_FALSE(fetched("A = 6", "A #z 8", "1", "A #z 8", asked)->mask.on);
  asked.how.zero_point[0] = 10;
  EXPECT_EQ(code(check_fetch(rngd, asked.how, ScalarType::i8, tensor("A = 8, B = 61", "A", "B #z 256"), ScalarType::i32, Mapping{},
                             written("A", "A = 8"))),
            "fetch-zero-moved");
}

TEST(Fetch, padding_of_a_table_is_the_index_of_zero) {
  Asked asked{ScalarType::i4, ScalarType::bf16};
  asked.how.with_table = true;
  asked.how.table = {ScalarType::i4, ScalarType::bf16, -1};
  EXPECT_EQ(code(fetched("A = 6", "A", "1", "A #z 8", asked)), "fetch-mask-no-zero");
  asked.how.table.zero_at = 8;
  EXPECT_EQ(fetched("A = 6", "A", "1", "A #z 8", asked)->mask.pad_value, 8);
  EXPECT_TRUE(fetched("A = 6", "A #z 8", "1", "A #z 8", asked)->mask.on);
  asked.how.table.zero_at = 0;
  EXPECT_FALSE(fetched("A = 6", "A #z 8", "1", "A #z 8", asked)->mask.on);
}

TEST(Fetch, tables_zero_points_and_casts_are_checked) {
  Asked a{ScalarType::i8, ScalarType::i8};
  a.how.with_table = true;
  EXPECT_EQ(code(fetched("A = 8", "A", "1", "A", a)), "accepted");
  a.how.context = Tu::Sub;
  EXPECT_EQ(code(fetched("A = 8", "A", "1", "A", a)), "fetch-table-in-sub");
  a = {ScalarType::i16, ScalarType::i16};
  a.how.with_table = true;
  a.how.table = {ScalarType::i16, ScalarType::i16};
  EXPECT_EQ(code(fetched("A = 8", "A", "1", "A", a)), "fetch-table-index");
  a = {ScalarType::i8, ScalarType::i32};
  a.how.with_table = true;
  a.how.table = {ScalarType::i8, ScalarType::i8};
  EXPECT_EQ(code(fetched("A = 8", "A", "1", "A", a)), "accepted") << "the cast follows the table";
  a.how.table.to = ScalarType::f32;
  EXPECT_EQ(code(fetched("A = 8", "A", "1", "A", a)), "fetch-no-such-cast");
  a.how.table.to = ScalarType::i8;
  a.how.zero_points = 1;
  EXPECT_EQ(code(fetched("A = 8", "A", "1", "A", a)), "fetch-table-and-zero-point");
  a = {ScalarType::i8, ScalarType::i8};
  a.how.zero_points = 1;
  EXPECT_EQ(code(fetched("A = 8", "A", "1", "A", a)), "fetch-zero-point-type");
  a.to = ScalarType::i9;
  EXPECT_EQ(code(fetched("A = 8", "A", "1", "A", a)), "accepted");
  a.how.zero_point[0] = 200;
  EXPECT_EQ(code(fetched("A = 8", "A", "1", "A", a)), "scalar-zero-point-out-of-range");
  a.how.zero_points = 2;
  EXPECT_EQ(code(fetched("A = 8", "A", "1", "A", a)), "fetch-zero-points-not-interleaved");
  a = {ScalarType::bf16, ScalarType::f32};
  a.how.zero_points = 1;
  EXPECT_EQ(code(fetched("A = 8", "A", "1", "A", a)), "scalar-zero-point-type");
  a = {ScalarType::i9, ScalarType::i9};
  EXPECT_EQ(code(fetched("A = 8", "A", "1", "A", a)), "fetch-type-not-in-memory");
}

TEST(Fetch, a_fetch_begins_at_a_whole_byte) {
  Asked four{ScalarType::i4, ScalarType::i4};
  EXPECT_EQ(code(fetched("A = 4, C = 3", "A, C", "A", "C # 16", four)), "fetch-half-byte");  // rows of 12 bits
  EXPECT_EQ(code(fetched("A = 4, C = 4", "A, C", "A", "C # 16", four)), "accepted");
  EXPECT_EQ(code(fetched("A = 64", "A", "A @ 1 = 48 / 16", "A % 16", four)), "fetch-half-byte");
  EXPECT_EQ(code(fetched("A = 64", "A", "A @ 2 = 48 / 16", "A % 16", four)), "accepted");
}

TEST(Fetch, interleaved_tensors_take_one_loop) {
  Asked a;
  a.how.interleaved = Name("I");
  std::string const axes = "A = 4, B = 32, I = 2, T = 3";
  EXPECT_EQ(fetched(axes, "A, B", "A, I", "B", a)->interleave_entry, 1);
  EXPECT_EQ(fetched(axes, "A, B", "I, A", "B", a)->interleave_entry, 0);
  auto const beside_broadcast = fetched(axes, "A, B", "A, T, I", "B", a);
  ASSERT_TRUE(beside_broadcast.ok());
  EXPECT_EQ(beside_broadcast->interleave_entry, 2);
  EXPECT_EQ(beside_broadcast->sequence.loops.entry[2].size, 2);
  EXPECT_EQ(code(fetched(axes, "A, B", "A", "I, B", a)), "fetch-interleave-not-in-time");
  EXPECT_EQ(code(fetched(axes, "A, B", "A", "B", a)), "fetch-interleave-not-in-time");
  EXPECT_EQ(code(fetched(axes, "A, B", "A, I # 4", "B", a)), "fetch-interleave-not-in-time");
  auto const masked = fetched("A = 4, B = 30, I = 2", "A, B", "A, I", "B #z 32", a);
  ASSERT_TRUE(masked.ok());
  EXPECT_EQ(masked->interleave_entry, 1);
  EXPECT_EQ(masked->mask.last_dim, 2);
}

TEST(Fetch, two_tensors_are_interleaved_that_are_alike) {
  Levels const x = tensor("A = 4, B = 32", "A, B"), y = tensor("A = 4, B = 32", "B, A");
  Name const i("I"), b("B");
  EXPECT_EQ(code(check_begin_interleaved(rngd, i, 2, ScalarType::i8, x, ScalarType::i8, x)), "accepted");
  EXPECT_EQ(code(check_begin_interleaved(rngd, i, 3, ScalarType::i8, x, ScalarType::i8, x)), "fetch-interleave-axis");
  EXPECT_EQ(code(check_begin_interleaved(rngd, i, 2, ScalarType::i8, x, ScalarType::i8, y)), "fetch-interleave-differs");
  EXPECT_EQ(code(check_begin_interleaved(rngd, i, 2, ScalarType::i8, x, ScalarType::i4, x)), "fetch-interleave-differs");
  EXPECT_EQ(code(check_begin_interleaved(rngd, b, 2, ScalarType::i8, x, ScalarType::i8, x)), "fetch-interleave-axis-used");
}

TEST(Fetch, dual_channel_doubles_the_limit_of_a_cast) {
  Asked a{ScalarType::i8, ScalarType::i32};
  EXPECT_EQ(fetched("A = 64", "A", "1", "A", a)->fetch_size(), Bytes{8});
  a.how.dual = true;
  EXPECT_EQ(fetched("A = 64", "A", "1", "A", a)->fetch_size(), Bytes{16});
  a.how.context = Tu::Sub;
  EXPECT_EQ(code(fetched("A = 64", "A", "1", "A", a)), "fetch-dual-in-sub");
}

TEST(Fetch, the_sub_context_fetches_eight_bytes_or_what_becomes_whole_words) {
  Asked a;
  a.how.context = Tu::Sub;
  EXPECT_EQ(fetched("A = 4, B = 32", "A, B", "A", "B", a)->fetch_size(), Bytes{8});
  EXPECT_EQ(fetched("A = 4, B = 32", "A, B", "A", "B", a)->fetches_per_packet(), 4);
  EXPECT_EQ(code(fetched("A = 4, B = 32", "A, B", "B", "A # 8", a)), "fetch-sub-run-too-short");
  a.to = ScalarType::i32;
  EXPECT_EQ(fetched("A = 4, B = 4", "A, B", "A", "B", a)->fetch_size(), Bytes{4}) << "CHIP-10: 4 stored bytes become 16";
  EXPECT_EQ(code(fetched("A = 4, B = 2", "A, B", "B", "A", a)), "fetch-sub-run-too-short") << "1 stored byte becomes 4";
  EXPECT_EQ(code(fetched("A = 4, B = 8", "A, B", "A", "B", a)), "accepted");
}

/// A packet is judged after the cast: whole words of 8 bytes there, however few bytes it takes in memory.
TEST(Fetch, CHIP_10_a_packet_below_eight_bytes_is_widened_to_whole_words) {
  for (Tu context : {Tu::Main, Tu::Sub}) {
    Asked a;
    a.how.context = context;
    a.to = ScalarType::i32;
    EXPECT_EQ(fetched("A = 4, B = 2", "A, B", "A", "B", a)->fetch_size(), Bytes{2});
    EXPECT_EQ(fetched("A = 4, B = 2", "A, B", "A", "B", a)->fetches_per_packet(), 1);
    EXPECT_EQ(code(fetched("A = 4, B = 3", "A, B", "A", "B", a)), "fetch-packet-not-aligned") << "3 bytes become 12";
    a.to = ScalarType::i8;
    EXPECT_EQ(code(fetched("A = 4, B = 2", "A, B", "A", "B", a)), "fetch-packet-not-aligned") << "nothing widens it";
    a.from = ScalarType::bf16;
    a.to = ScalarType::f32;
    EXPECT_EQ(fetched("A = 4, B = 2", "A, B", "A", "B", a)->fetch_size(), Bytes{4});
    a.from = ScalarType::i4;
    a.to = ScalarType::i32;
    EXPECT_EQ(fetched("A = 4, B = 2", "A, B", "A", "B", a)->fetch_size(), Bytes{1});
  }
}

TEST(Fetch, the_address_decides_whether_the_walk_stays_in_memory) {
  auto const f = fetched("A = 32, B = 90", "A, B # 96", "A, [B #< 2 #z 96] / 32", "[B #< 2 #z 96] % 32");
  EXPECT_EQ(code(check_fetch_address(rngd, ScalarType::i8, *f, Bytes{0})), "sequence-below-memory");
  EXPECT_EQ(code(check_fetch_address(rngd, ScalarType::i8, *f, Bytes{2})), "accepted");
  EXPECT_EQ(code(check_fetch_address(logical, ScalarType::i8, *f, Bytes{1})), "sequence-below-memory");
  auto const over = fetched("A = 30", "A", "1", "A # 32");
  EXPECT_EQ(over->read_after, Elements{2});
  EXPECT_EQ(code(check_fetch_address(rngd, ScalarType::i8, *over, Bytes{(512 << 10) - 32})), "accepted");
  EXPECT_EQ(code(check_fetch_address(rngd, ScalarType::i8, *over, Bytes{(512 << 10) - 30})), "sequence-beyond-memory");
  EXPECT_EQ(code(check_fetch_address(logical, ScalarType::i8, *over, Bytes{(512 << 10) - 30})), "accepted");
  EXPECT_EQ(code(check_fetch_address(logical, ScalarType::i8, *over, Bytes{INT64_MAX})), "sequence-beyond-memory");
}

TEST(Fetch, geometry_and_levels_are_checked) {
  Levels l = tensor("A = 8, B = 8", "A", "B # 256");
  auto const ask = [&](const Device& d) {
    return code(check_fetch(d, {}, ScalarType::i8, l, ScalarType::i8, Mapping{}, written("A", "A = 8")));
  };
  EXPECT_EQ(ask(rngd), "accepted");
  l.set(Level::cluster, Mapping{});
  EXPECT_EQ(ask(rngd), "memory-cluster-size");
  EXPECT_EQ(ask(logical), "accepted");
  l = tensor("A = 8, B = 8", "A", "A # 256");
  EXPECT_EQ(ask(rngd), "levels-axis-twice");
}

// The rule in a constant expression, as the front end uses it.
constexpr bool accepted_while_compiling() {
  Levels l;
  l.set(Level::cluster, copies(1).pad(2)).set(Level::slice, copies(1).pad(256)).set(Level::element, axis_mapping(Name("A"), 63));
  auto const f = check_fetch(rngd, {}, ScalarType::i8, l, ScalarType::i8, Mapping{}, axis_mapping(Name("A"), 63).pad_zero(64));
  return f.ok() && f->mask.valid_count[0] == 63;
}
static_assert(accepted_while_compiling());

// Fetch lifts against what every place holds: wherever the lifted source is live, the source has the same element in the same unit, as far in as the steps say.

namespace lift {

constexpr const char* axes = "A = 8, B = 3, C = 10, P = 4, Q = 6, W = 8, H = 2";

Mapping written(const std::string& text) {
  auto const declared = parse_axes(axes);
  auto const m = parse(text, *declared);
  EXPECT_TRUE(m.ok()) << text << ": " << (m.ok() ? "" : m.refusal().sentence().s);
  return m.ok() ? *m : Mapping{};
}

struct Case {
  const char *is, *element, *becomes, *left;
};

Levels source(const Case& c) { return Levels{}.set(Level::slice, written(c.is)).set(Level::element, written(c.element)); }

void keeps_its_law(const Case& c) {
  SCOPED_TRACE(std::string(c.is) + " -> " + c.becomes + " of " + c.element);
  Mapping const becomes = written(c.becomes);
  Levels const from = source(c);
  auto const made = lifted(from, nullptr, nullptr, &becomes);
  ASSERT_TRUE(made) << made.refusal().sentence().s;
  EXPECT_TRUE(equivalent(made->at[Level::element], written(c.left))) << text(made->at[Level::element]).s;
  int live = 0;
  for (std::int64_t slice = 0; slice < becomes.size; ++slice)
    for (std::int64_t e = 0; e < made->at[Level::element].size; ++e) {
      Cell const wanted = cell(made->at, {.slice = slice, .element = e});
      if (!wanted.live()) continue;
      ++live;
      std::int64_t at = e;
      for (int k = 0; k < made->lifts.count; ++k)
        at += slice / made->lifts.step[k].inside % made->lifts.step[k].size * made->lifts.step[k].stride;
      ASSERT_LE(at, e + made->lifts.reach());
      Cell const held = cell(from, {.slice = slice, .element = at});
      ASSERT_TRUE(held.live()) << slice << ", " << e;
      for (int a = 0; a < wanted.index.n; ++a) EXPECT_EQ(wanted.index.at[a], held.index.get(wanted.index.axis[a])) << slice << ", " << e;
    }
  EXPECT_GT(live, 0);
}

TEST(Lift, CHIP_26_every_unit_finds_its_own_part_in_its_copy) {
  constexpr Case cases[] = {
      {"8, P", "A, W", "A, P", "1 # 8, W"},                          // a whole axis
      {"P, 8", "A, W", "P, A", "1 # 8, W"},                          // inside of another
      {"4, P", "A, W", "A / 2, P", "A % 2 # 8, W"},                  // blocks of one
      {"4, P", "A, W", "A % 4, P", "A / 4, 1 # 4, W"},               // steps inside a block
      {"8, P", "B, A, W", "A / 4, 4, P", "B, A % 4 # 8, W"},         // some of the copies stay copies
      {"8, P", "B, A, W", "2, A % 4, P", "B, A / 4, 1 # 4, W"},      // the outer ones
      {"24, P", "B, A, W", "A, B, P", "1 # 24, W"},                  // two axes, in another order
      {"16 # 64", "A, H, W", "[A, H] # 64", "1 # 16, W"},            // padding behind the copies
      {"4, P", "B, W", "B # 4, P", "1 # 3, W"},                      // a copy too many
      {"A / 4, 4", "A % 4, W", "A", "1 # 4, W"},                     // the rest of an axis that Slice has
      {"C # 12 / 4 # 4, 4", "C # 12 % 4, W", "C # 16", "1 # 4, W"},  // one that ends inside a block
      {"3, P", "C # 12, W", "C # 12 / 4, P", "C = 4 # 12, W"},       // the same in Element
      {"P / 2, 8, P % 2", "W, A # 16", "P / 2, A, P % 2", "W, 1 # 16"},
  };
  for (const Case& c : cases) keeps_its_law(c);
}

std::string refused(const Case& c) {
  Mapping const becomes = written(c.becomes);
  auto const made = lifted(source(c), nullptr, nullptr, &becomes);
  return made ? "accepted" : std::string(made.refusal().code);
}

TEST(Lift, CHIP_26_nothing_but_copies_changes) {
  EXPECT_EQ(refused({"4, P", "A, W", "A, P", ""}), "fetch-lift-size");
  EXPECT_EQ(refused({"8, P", "A, W", "A", ""}), "fetch-lift-size");
  EXPECT_EQ(refused({"1 # 8, P", "A, W", "A, P", ""}), "fetch-lift-not-copies");  // padding is no copy
  EXPECT_EQ(refused({"Q # 8, P", "A, W", "A, P", ""}), "fetch-lift-not-copies");
  EXPECT_EQ(refused({"8, P", "A, W", "P, A", ""}), "fetch-lift-not-copies");      // P would move
  EXPECT_EQ(refused({"8, P", "A, W", "A, 4", ""}), "fetch-lift-not-copies");      // P would be forgotten
  EXPECT_EQ(refused({"8, P", "A, W", "1 # 8, P", ""}), "fetch-lift-not-copies");  // a name of nothing
  EXPECT_EQ(refused({"6 # 8, P", "A, W", "A, P", ""}), "fetch-lift-not-copies");  // two of the eight hold nothing
  EXPECT_EQ(refused({"6, P", "Q, W", "Q, P", ""}), "accepted");
  EXPECT_EQ(refused({"6, P", "A, W", "Q, P", ""}), "fetch-lift-not-held");
  EXPECT_EQ(refused({"3, P", "A, W", "A = 3, P", ""}), "fetch-lift-not-held");  // the rest of A would have no steps of its own
  EXPECT_EQ(refused({"8, P", "A % 4, W", "A, P", ""}), "fetch-lift-not-held");
  EXPECT_EQ(refused({"8, P", "A, W", "8, P", ""}), "accepted");  // nothing is lifted
}

TEST(Lift, CHIP_26_on_all_levels_at_once) {
  Mapping const chip = written("H"), cluster = written("A / 4"), slice = written("A % 4, P");
  Levels from = Levels{}.set(Level::chip, written("2")).set(Level::cluster, written("2")).set(Level::slice, written("4, P"));
  from.set(Level::element, written("H, A, W"));
  auto const made = lifted(from, &chip, &cluster, &slice);
  ASSERT_TRUE(made);
  ASSERT_EQ(made->lifts.count, 3);
  EXPECT_EQ(made->lifts.step[0].level, Level::chip);
  EXPECT_EQ(made->lifts.step[0].stride, 64);
  EXPECT_EQ(made->lifts.step[1].level, Level::cluster);
  EXPECT_EQ(made->lifts.step[1].stride, 32);
  EXPECT_EQ(made->lifts.step[2].level, Level::slice);
  EXPECT_EQ(made->lifts.step[2].inside, 4);
  EXPECT_EQ(made->lifts.step[2].stride, 8);
  EXPECT_EQ(made->lifts.reach(), 64 + 32 + 3 * 8);
}

TEST(Lift, CHIP_26_the_furthest_unit_stays_in_memory) {
  Mapping const slice = written("A, P, 8");
  Levels from = Levels{}.set(Level::cluster, written("1 # 2")).set(Level::slice, written("8, P, 8")).set(Level::element, written("A, W"));
  auto const source = lifted(from, nullptr, nullptr, &slice);
  ASSERT_TRUE(source);
  auto const f = check_fetch(rngd, {}, ScalarType::f32, source->at, ScalarType::f32, Mapping{}, written("W"), {}, source->lifts);
  ASSERT_TRUE(f) << f.refusal().sentence().s;
  std::int64_t const last = rngd.dm.slice_capacity.value - 8 * 32;
  EXPECT_TRUE(check_fetch_address(rngd, ScalarType::f32, *f, Bytes{last}));
  EXPECT_FALSE(check_fetch_address(rngd, ScalarType::f32, *f, Bytes{last + 8}));
}

TEST(Lift, CHIP_26_what_was_lifted_is_not_walked) {
  Mapping const slice = written("A, P, 8");
  Levels from = Levels{}.set(Level::cluster, written("1 # 2")).set(Level::slice, written("8, P, 8")).set(Level::element, written("A, W"));
  auto const source = lifted(from, nullptr, nullptr, &slice);
  ASSERT_TRUE(source);
  auto const f = check_fetch(rngd, {}, ScalarType::f32, source->at, ScalarType::f32, written("A"), written("W"), {}, source->lifts);
  ASSERT_FALSE(f);
  EXPECT_EQ(f.refusal().code, std::string_view("levels-axis-twice"));
}

TEST(Lift, CHIP_26_parts_of_bytes_are_no_begin) {
  Mapping const slice = written("B # 4, 64");
  Levels from = Levels{}.set(Level::cluster, written("1 # 2")).set(Level::slice, written("4, 64"));
  auto const fetched = [&](const char* element) {
    auto const source = lifted(Levels{from}.set(Level::element, written(element)), nullptr, nullptr, &slice);
    return check_fetch(rngd, {}, ScalarType::i4, source->at, ScalarType::i4, Mapping{}, written("B = 1 # 16"), {}, source->lifts);
  };
  auto const odd = fetched("B, A = 5");
  ASSERT_FALSE(odd);
  EXPECT_EQ(odd.refusal().code, std::string_view("fetch-half-byte"));
  EXPECT_TRUE(fetched("B, A = 6"));
}

}  // namespace lift

}  // namespace
}  // namespace tcp
