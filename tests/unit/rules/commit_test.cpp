// The way out of a pass. Casts of packets with several factors, transposes against the picture of rows and columns, and the
// commit against what every position holds.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "book/rules/written.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/mapping/view.hpp"
#include "tcp/rules/cast.hpp"
#include "tcp/rules/commit.hpp"
#include "tcp/rules/pass_state.hpp"
#include "tcp/rules/transpose.hpp"
#include "tcp/support/random.hpp"
#include "tcp/support/round.hpp"

namespace tcp {
namespace {

Mapping written(const std::string& text, const std::string& axes) {
  auto const declared = parse_axes(axes);
  EXPECT_TRUE(declared.ok());
  auto const m = parse(text, *declared);
  EXPECT_TRUE(m.ok()) << text << ": " << (m.ok() ? "" : m.refusal().sentence().s);
  return m.ok() ? *m : Mapping{};
}

Levels stream(const std::string& axes, const std::string& time, const std::string& packet, const std::string& slice = "1 # 256") {
  Levels l;
  return l.set(Level::cluster, copies(1).pad(2))
      .set(Level::slice, written(slice, axes))
      .set(Level::time, written(time, axes))
      .set(Level::packet, written(packet, axes));
}

struct Asked {
  ScalarType type = ScalarType::i8;
  CommitHow how{};
};

Expected<Committed> committed(const std::string& axes, const std::string& time, const std::string& packet, const std::string& element,
                              const Asked& asked = {}) {
  return check_commit(rngd, asked.how, asked.type, stream(axes, time, packet), written(element, axes));
}

template <class T>
std::string code(const Expected<T>& e) {
  return e.ok() ? "accepted" : e.refusal().code;
}

/// Law: each live position of Element is written once, by its own element; padding is written only where Element has padding that may be touched;
/// and what Element promises to be zero is written as zero.
void expect_right(const Committed& c, const Mapping& time, const Mapping& packet, const Mapping& element, const std::string& what) {
  struct Byte {
    int writes = 0;
    bool zero = false;
  };
  std::vector<Byte> memory(static_cast<std::size_t>(element.size));
  Mapping const whole = pair(time, packet);
  for (std::int64_t t = 0; t < time.size; ++t) {
    for (std::int64_t j = 0; j < c.packet.size; ++j) {
      Cell const from = cell(whole, t * packet.size + j);
      std::int64_t const at = c.sequence.loops.at(t * c.packet.size + j);
      ASSERT_TRUE(at >= 0 && at < element.size) << what << ": writes position " << at;
      Cell const to = cell(element, at);
      ASSERT_EQ(from.live(), to.live()) << what << " at " << at;
      if (from.live()) {
        ASSERT_TRUE(from.index == to.index) << what << " at " << at;
      } else {
        ASSERT_NE(to.pad, Pad::bottom) << what << " at " << at;
      }
      Byte& b = memory[static_cast<std::size_t>(at)];
      ++b.writes;
      b.zero = from.pad == Pad::zero;
    }
  }
  for (std::int64_t i = 0; i < element.size; ++i) {
    Cell const here = cell(element, i);
    Byte const& b = memory[static_cast<std::size_t>(i)];
    ASSERT_LE(b.writes, 1) << what << " at " << i;
    ASSERT_TRUE(!here.live() || b.writes == 1) << what << " at " << i;
    ASSERT_TRUE(here.pad != Pad::zero || (b.writes == 1 && b.zero)) << what << ": " << i << " is no zero";
  }
}

TEST(Commit, every_position_is_written_once_and_none_beside) {
  int accepted = 0, refused = 0;
  for (int b : {3, 8, 13, 16, 24, 29, 32}) {
    std::string const axes = "A = 3, B = " + std::to_string(b) + ", C = 4";
    for (const char* kind : {"#", "#z", "#!"}) {
      std::vector<std::string> packets = {"B # 32", "B #z 32"};
      if (b == 8) packets = {"C, B", "B # 16, C = 2", "C = 2, B # 16", "C = 3 # 4, B", "C = 3 #z 4, B"};
      std::vector<std::string> elements = {"A, B", "A, B, C", "C, A, B"};
      for (int room : {8, 16, 24, 32, 40, 48}) {
        if (room < b) continue;
        std::string const n = kind + (" " + std::to_string(room));
        elements.insert(elements.end(),
                        {"A, B " + n, "A, [B " + n + "]", "A, C, B " + n, "C, A, B " + n, "A " + (kind + std::string(" 4, B ")) + n,
                         "C = 2, A, B " + n, "A, C = 3, B " + n, "A, C = 3 " + (kind + std::string(" 5, B"))});
      }
      for (const std::string& p : packets) {
        if (written(p, axes).size != 32) continue;
        for (const char* time : {"A", "A, C", "C, A", "A #z 4", "C = 2, A"}) {
          if (p.find('C') != p.npos && std::string(time).find('C') != std::string::npos) continue;
          for (const std::string& e : elements) {
            auto const c = committed(axes, time, p, e);
            std::string const what = axes + ": " + time + " | " + p + " into " + e;
            if (c) expect_right(*c, written(time, axes), written(p, axes), written(e, axes), what);
            ++(c ? accepted : refused);
          }
        }
      }
    }
  }
  EXPECT_GT(accepted, 300);
  EXPECT_GT(refused, 1000);
}

TEST(Commit, a_view_keeps_what_lies_beside_it) {
  Asked view;
  view.how.into_view = true;
  std::string const axes = "A = 4, B = 64";
  EXPECT_EQ(committed(axes, "A", "B = 8 # 32", "A, B = 8 # 64", view)->commit_in_size, Bytes{8}) << "only live elements are written";
  EXPECT_EQ(committed(axes, "A", "B = 8 # 32", "A, B = 8 # 64")->commit_in_size, Bytes{32}) << "the padding is the tensor's own";
  EXPECT_EQ(code(committed("A = 4, B = 13", "A", "B # 32", "A, B # 32", view)), "commit-touches-padding");
  EXPECT_EQ(code(committed("A = 3, B = 8", "A # 4", "B # 32", "A # 4, B", view)), "commit-touches-padding");
  EXPECT_EQ(code(committed("A = 3, B = 8", "A # 4", "B # 32", "A # 4, B")), "accepted");
  EXPECT_EQ(code(committed("A = 3, B = 8", "A # 4", "B # 32", "A #! 4, B")), "commit-touches-padding");
  EXPECT_EQ(code(committed("A = 3, B = 8", "A", "B # 32", "A #z 4, B", view)), "accepted") << "zeros of the tensor stay";
  EXPECT_EQ(code(committed("A = 3, B = 8", "A", "B # 32", "A #z 4, B")), "commit-zeros-not-written");
}

TEST(Commit, untouchable_padding_of_an_inner_factor_stays_untouched) {
  EXPECT_EQ(code(committed("A = 4", "A / 2", "[A % 2] # 32", "A / 2, [A % 2] #! 8")), "commit-touches-padding");
  EXPECT_EQ(code(committed("A = 4", "A / 2", "[A % 2] # 32", "A / 2, [A % 2] # 8")), "accepted");
  EXPECT_EQ(committed("A = 16", "A / 8", "[A % 8] # 32", "A / 8, [A % 8] #! 16")->commit_in_size, Bytes{8});
}

TEST(Commit, the_widest_part_that_fits_is_kept) {
  EXPECT_EQ(committed("A = 4, B = 8", "A", "B # 32", "A, B # 24")->commit_in_size, Bytes{24});
  EXPECT_EQ(committed("A = 4, B = 8", "A", "B # 32", "A, B # 24")->dropped, Elements{8});
}

TEST(Commit, one_value_and_padding_in_time_and_packet_fits_what_it_fills) {
  EXPECT_EQ(code(committed("A = 4", "1 # 4", "1 # 32", "1 # 4, 1 # 32")), "accepted");
  EXPECT_EQ(committed("A = 4", "1 # 4", "1 # 32", "1 # 4, 1 # 32")->writes(), 4);
  EXPECT_EQ(code(committed("A = 4", "1 # 4", "1 # 32", "1 # 2, 1 # 8")), "commit-width") << "4 steps of 8 bytes at least";
  EXPECT_EQ(code(committed("A = 4", "A, 1 # 4", "1 # 32", "A, 1 # 4, 1 # 32")), "accepted");
}

TEST(Commit, live_elements_are_dropped_at_the_end_of_an_axis_only) {
  std::string const axes = "A = 16, B = 64, C = 2, W = 16";
  EXPECT_EQ(committed(axes, "A", "B = 32", "A, B = 16")->dropped, Elements{16}) << "the axis ends at 16";
  EXPECT_EQ(code(committed(axes, "B / 32", "B % 32", "B / 32, B % 16")), "commit-drops-data") << "holes";
  EXPECT_EQ(code(committed(axes, "A", "C, W", "A, W")), "commit-drops-data") << "half of C";
  EXPECT_EQ(code(committed(axes, "A", "2, W", "A, W")), "accepted") << "copies";
  EXPECT_EQ(code(committed(axes, "A", "1 # 2, W", "A, W")), "accepted") << "padding";
}

TEST(Commit, strides_are_rows_of_eight_bytes) { EXPECT_EQ(code(committed("A = 4, B = 8", "A", "B # 32", "A, B # 28")), "commit-stride"); }

TEST(Commit, nothing_but_the_end_of_a_packet_is_dropped) {
  std::string const axes = "A = 4, B = 8, C = 2";
  EXPECT_EQ(code(committed(axes, "A", "B # 32", "A = 2, B")), "commit-drops-time");
  EXPECT_EQ(code(committed(axes, "A", "B # 32", "A, B = 4")), "commit-width") << "4 bytes";
  EXPECT_EQ(code(committed(axes, "A, C", "B # 32", "A, B")), "sequence-write-broadcast");
  EXPECT_EQ(code(committed(axes, "A", "B # 32", "A, C, B")), "sequence-write-incomplete");
  EXPECT_EQ(code(committed("A = 15", "1", "[A # 16 % 4, A # 16 / 4] # 32", "A # 16 / 2, A # 16 % 2")), "sequence-access-size");
  EXPECT_EQ(code(committed("A = 15", "A % 3", "A / 3 # 32", "A / 5, A % 5 # 8")), "sequence-incompatible-shapes");
}

TEST(Commit, contexts_and_stages) {
  Asked a;
  auto const ask = [&] { return code(committed("A = 4, B = 32", "A", "B", "A, B", a)); };
  EXPECT_EQ(ask(), "accepted");
  PassState state;
  auto const from = [&](Tu context, StreamStage after) {
    state.context = context;
    state.after = after;
    return code(check_follows(rngd, state, StageKind::Commit));
  };
  for (StreamStage after :
       {StreamStage::Collect, StreamStage::Contraction, StreamStage::Vector, StreamStage::Cast, StreamStage::Transpose}) {
    EXPECT_EQ(from(Tu::Main, after), "accepted");
    bool const in_sub = after == StreamStage::Collect || after == StreamStage::Vector || after == StreamStage::Cast;  // CHIP-06
    EXPECT_EQ(from(Tu::Sub, after), in_sub ? "accepted" : after == StreamStage::Contraction ? "stage-missing" : "stage-not-in-context");
  }
  for (StreamStage after : {StreamStage::Begin, StreamStage::Fetch, StreamStage::Switch}) EXPECT_EQ(from(Tu::Main, after), "stage-missing");
  EXPECT_EQ(from(Tu::Sub, StreamStage::Fetch), "accepted");
  a.how = {Tu::Sub};
  EXPECT_EQ(ask(), "accepted");
  EXPECT_EQ(committed("A = 4, B = 32", "A", "B", "A, B", a)->commit_size(), Bytes{8});
  EXPECT_EQ(committed("A = 4, B = 32", "A", "B", "A, B", a)->writes_per_step(), 4);
  a.how.valid_count = true;
  EXPECT_EQ(ask(), "commit-valid-count-unknown");
  a.how = {};
  a.how.valid_count = true;
  EXPECT_EQ(ask(), "commit-valid-count-in-main");
  a.how = {};
  a.type = ScalarType::i9;
  EXPECT_EQ(ask(), "commit-type-not-in-memory");
}

TEST(Commit, levels_and_kinds_of_the_result) {
  auto const c =
      check_commit(rngd, {}, ScalarType::i8, stream("A = 4, B = 32, P = 61", "A", "B", "P #z 256"), written("A, B", "A = 4, B = 32"));
  ASSERT_TRUE(c.ok()) << c.refusal().sentence().s;
  EXPECT_TRUE(c->tensor[Level::slice] == written("P # 256", "P = 61")) << "idle slices write no zeros";
  EXPECT_TRUE(c->tensor[Level::element] == written("A, B", "A = 4, B = 32"));
  EXPECT_EQ(c->tensor[Level::time].size, 1);
  EXPECT_EQ(code(check_commit(rngd, {}, ScalarType::i8, stream("A = 4, B = 32", "1", "B", "A # 256"), written("A, B", "A = 4, B = 32"))),
            "levels-axis-twice");
}

TEST(Commit, live_slices_are_those_that_hold_something) {
  std::string const axes = "A = 61, B = 3, C = 5, D = 7";
  for (const char* text : {"1 # 256", "A # 256", "A # 64 / 16, 64", "A # 64 / 16, B # 4, A # 64 % 16", "[B, C, D] # 256", "[B, C] # 16, 16",
                           "2, B # 4, 1 # 8", "A #< 3 # 256", "A @ 60 = 1 # 256", "[[B, C] # 17, D] # 256"}) {
    Mapping const m = written(text, axes);
    SliceMask const live = live_slices(m);
    for (std::int64_t s = 0; s < m.size; ++s) ASSERT_EQ(live.contains(static_cast<int>(s)), cell(m, s).live()) << text << " at " << s;
  }
}

TEST(Commit, live_units_are_those_that_hold_something_together_with_the_other_levels) {
  std::string const axes = "A = 8, B = 10";
  struct Case {
    const char *slice, *element;
  };
  for (Case c : {Case{"A #< 3 # 16 / 8 # 256", "A % 8"}, Case{"A #< 3 # 16 / 8 # 64, 1 # 4", "A % 8"},
                 Case{"B # 16 / 4 # 256", "B # 16 % 4"}, Case{"A # 256", "B"}, Case{"A #< 8 # 24 / 8 # 256", "A % 8"}}) {
    Levels l;
    l.set(Level::slice, written(c.slice, axes)).set(Level::element, written(c.element, axes));
    SliceMask const live = live_units(l, Level::slice);
    for (std::int64_t s = 0; s < l[Level::slice].size; ++s) {
      bool any = false;
      for (std::int64_t e = 0; e < l[Level::element].size; ++e) any |= cell(l, {.slice = s, .element = e}).live();
      ASSERT_EQ(live.contains(static_cast<int>(s)), any) << c.slice << " at " << s;
    }
  }
}

TEST(Commit, the_bitmap_is_what_lives_and_what_is_asked) {
  Mapping const slice = written("P # 256", "P = 61");
  EXPECT_EQ(slice_bitmap(slice, SliceMask::all())->count(), 61);
  EXPECT_EQ(*slice_bitmap(slice, SliceMask::all().without(0)), SliceMask::below(61).without(0));
  EXPECT_EQ(*slice_bitmap(slice, SliceMask::only(7).with(200)), SliceMask::only(7));
  EXPECT_EQ(code(slice_bitmap(slice, SliceMask::only(200))), "commit-writes-nothing");
  EXPECT_EQ(code(slice_bitmap(written("P", "P = 512"), SliceMask::all())), "commit-bitmap-too-short");
}

TEST(Commit, addresses_counts_and_words) {
  Mapping const element = written("A, B", "A = 4, B = 32");
  EXPECT_EQ(code(check_commit_address(rngd, ScalarType::i8, element, Bytes{8})), "accepted");
  EXPECT_EQ(code(check_commit_address(rngd, ScalarType::i8, element, Bytes{4})), "memory-write-misaligned");
  EXPECT_EQ(code(check_commit_address(rngd, ScalarType::i8, element, Bytes{512 << 10})), "memory-beyond-end");
  Committed const c = *committed("A = 4, B = 32", "A", "B", "A, B");
  std::int64_t const end = rngd.dm.slice_capacity.value;
  EXPECT_EQ(code(check_commit_address(rngd, c, Bytes{end - 128})), "accepted");
  EXPECT_EQ(code(check_commit_address(rngd, c, Bytes{end - 120})), "sequence-beyond-memory");
  EXPECT_EQ(code(check_commit_address(rngd, c, Bytes{4})), "memory-write-misaligned");
  EXPECT_EQ(code(check_commit_address(logical, c, Bytes{end - 4})), "accepted");
  Asked view;
  view.how.into_view = true;  // the last two of four rows: a mapping of 128 bytes, of which 64 are written
  Committed const tail = *committed("A = 4, B = 32", "A = 2", "B", "A = 2 # 4, B", view);
  EXPECT_EQ(code(check_commit_address(rngd, tail, Bytes{end - 64})), "accepted");
  EXPECT_EQ(code(check_itos(rngd, Tu::Sub, Bytes{12})), "accepted");
  EXPECT_EQ(code(check_itos(rngd, Tu::Sub, Bytes{2})), "memory-address-misaligned");
  EXPECT_EQ(code(check_itos(rngd, Tu::Sub, Bytes{512 << 10})), "memory-beyond-end");
  EXPECT_EQ(code(check_itos(rngd, Tu::Main, Bytes{0})), "commit-generate-in-main");
  EXPECT_EQ(check_memset(rngd, Tu::Sub, ScalarType::i8, element, Bytes{0})->count, 32);
  EXPECT_EQ(code(check_memset(rngd, Tu::Main, ScalarType::i8, element, Bytes{0})), "commit-generate-in-main");
}

/// Law: a memset writes the bytes that hold elements, each once, and no other; of a tile it is refused only if a byte holds something else as well.
TEST(Commit, CHIP_09_a_memset_writes_its_elements_and_nothing_else) {
  int set = 0, refused = 0;
  for (const char* text :
       {"A, B", "B, A", "A # 5, B", "A, B # 20", "B / 4, A, B % 4", "B / 8, A, B % 8", "C, B", "B, C # 7", "C", "C # 64"})
    for (ScalarType type : {ScalarType::i4, ScalarType::i8, ScalarType::bf16, ScalarType::i32})
      for (const char* along : {"A", "B", "B / 4", "C", ""})
        for (std::int64_t length : {1, 2, 3, 4})
          for (std::int64_t start : {0, 1, 4}) {
            std::string const axes = "A = 4, B = 16, C = 3";
            bool const whole = *along == '\0';
            if (whole && (length != 1 || start != 0)) continue;
            Mapping const all = written(text, axes);
            auto const view = whole ? tile(all, written("A", axes), 1, 0) : tile(all, written(along, axes), length, start);
            if (!whole && !view) continue;
            Mapping const m = whole ? all : view->mapping;
            std::int64_t const bits = scalar_info(type).packet_bits;
            if (m.size * bits % 8 != 0) continue;  // there is no such tensor
            // By byte: how many of its bits hold elements.
            std::vector<std::int64_t> live(static_cast<std::size_t>(ceil_div(m.size * bits, 8)), 0);
            for (std::int64_t i = 0; i < m.size; ++i)
              for (std::int64_t b = i * bits; b < (i + 1) * bits; b += 4)
                live[static_cast<std::size_t>(b / 8)] += cell(m, i).live() ? 4 : 0;
            bool parts = false;
            for (std::int64_t n : live) parts |= n > 0 && n < 8;
            auto const found = check_memset(rngd, Tu::Sub, type, m, Bytes{0}, whole ? MemsetOf::tensor : MemsetOf::tile);
            std::string const what =
                std::string(text) + " of " + scalar_info(type).name + " along " + along + ", " + std::to_string(length);
            if (!found) {
              EXPECT_EQ(std::string(found.refusal().code), "commit-memset-part-of-byte") << what;
              EXPECT_TRUE(parts && !whole) << what;
              ++refused;
              continue;
            }
            EXPECT_TRUE(whole || !parts) << what;
            for (std::int64_t w = 0; w < found->count; ++w)
              for (std::int64_t b = 0; b < found->bytes; ++b) {
                auto const at = static_cast<std::size_t>(found->at(w) + b);
                ASSERT_LT(at, live.size()) << what;
                EXPECT_TRUE(live[at] > 0 || parts) << what << ": byte " << at << " is padding, or was written before";
                live[at] = 0;
              }
            for (std::int64_t n : live) EXPECT_EQ(n, 0) << what;
            ++set;
          }
  EXPECT_GT(set, 100);
  EXPECT_GT(refused, 20);
}

TEST(Commit, CHIP_09_a_memset_of_any_size) {
  EXPECT_EQ(check_memset(rngd, Tu::Sub, ScalarType::i32, written("A", "A = 131072"), Bytes{0})->count, 131072);
  EXPECT_EQ(check_memset(rngd, Tu::Sub, ScalarType::i8, written("A", "A = 3"), Bytes{0})->bytes, 1);
  EXPECT_EQ(check_memset(rngd, Tu::Sub, ScalarType::i16, written("A", "A = 3"), Bytes{0})->bytes, 2);
  EXPECT_EQ(check_memset(rngd, Tu::Sub, ScalarType::i8, written("A # 8", "A = 3"), Bytes{0})->count, 3) << "padding is left alone";
  EXPECT_EQ(check_memset(rngd, Tu::Sub, ScalarType::i8, written("A #z 8", "A = 3"), Bytes{0})->count, 2)
      << "but for zeros that are promised";
  EXPECT_EQ(code(check_memset(rngd, Tu::Sub, ScalarType::i32, written("A", "A = 131073"), Bytes{0})), "memory-dm-too-large");
}

TEST(Commit, a_memset_of_a_tile_ends_in_the_memory_and_may_fill_its_last_row) {
  std::string const axes = "A = 4, B = 16";
  Mapping const row = tile(written("A, B", axes), written("A", axes), 1, 3)->mapping;
  Bytes const end = rngd.dm.slice_capacity;
  EXPECT_EQ(code(check_memset(rngd, Tu::Sub, ScalarType::i32, row, end - Bytes{64}, MemsetOf::tile)), "accepted");
  EXPECT_EQ(code(check_memset(rngd, Tu::Sub, ScalarType::i32, row, end - Bytes{60}, MemsetOf::tile)), "sequence-beyond-memory");
  EXPECT_EQ(code(check_memset(rngd, Tu::Sub, ScalarType::i8, row, Bytes{2}, MemsetOf::tile)), "memory-address-misaligned");
}

TEST(Commit, a_memset_keeps_the_promise_of_zero_padding) {
  EXPECT_EQ(code(check_memset_word(written("A #z 8", "A = 6"), 0)), "accepted");
  EXPECT_EQ(code(check_memset_word(written("A # 8", "A = 6"), 1)), "accepted");
  EXPECT_EQ(code(check_memset_word(written("A #z 8", "A = 6"), 1)), "commit-memset-padding");
}

// The rule in a constant expression, as the front end uses it.
constexpr bool accepted_while_compiling() {
  Levels l;
  Mapping const a = axis_mapping(Name("A"), 4), b = axis_mapping(Name("B"), 8);
  l.set(Level::time, a).set(Level::packet, b.pad(32));
  auto const c = check_commit(logical, {}, ScalarType::i8, l, pair(a, b));
  return c.ok() && c->commit_in_size == Bytes{8};
}
static_assert(accepted_while_compiling());
static_assert(live_slices(axis_mapping(Name("A"), 61).pad(256)).count() == 61);

// The cast of packets with several factors, and the kinds of their padding.

Expected<Mapping> to_i8(const Written& m, const char* packet, const char* packet2) {
  return check_cast(rngd, ScalarType::i32, ScalarType::i8, m(packet), m(packet2));
}

TEST(Cast, works_in_constant_expressions) {
  static constexpr Expr packet{"A", "A = 8"}, packet2{"A # 16", "A = 8"};
  static_assert(check_cast(rngd, ScalarType::f32, ScalarType::bf16, packet, packet2).ok());
}

TEST(Cast, elements_keep_their_places) {
  Written const m{"A = 2, B = 3"};
  auto const r = to_i8(m, "A, B # 4", "[A, B # 4] # 32");
  ASSERT_TRUE(r) << r.refusal().sentence().s;
  for (std::int64_t i = 0; i < 32; ++i) {
    Cell const before = cell(m("A, B # 4"), i), after = cell(*r, i);
    EXPECT_EQ(after.live(), i < 8 && before.live());
    if (after.live()) {
      EXPECT_EQ(after.index, before.index);
    }
  }
  EXPECT_EQ(code_of(to_i8(m, "A, B # 4", "A, B # 16")), "cast-wrong-packet");
}

TEST(Cast, padding_is_zero_where_it_was_or_is_added) {
  Written const m{"A = 4, B = 8"};
  EXPECT_EQ(text_of(*to_i8(m, "A #z 8", "A # 32")), "A #z 32");
  EXPECT_EQ(text_of(*to_i8(m, "A # 8", "A # 32")), "A # 32") << "one factor has one kind, the weaker promise";
  EXPECT_EQ(text_of(*to_i8(m, "B", "B # 32")), "B #z 32");
}

TEST(Cast, devices_without_a_cast) {
  Device d = rngd;
  d.cast.f32_to_f16 = false;
  Written const m{"A = 8"};
  EXPECT_EQ(code_of(check_cast(d, ScalarType::f32, ScalarType::f16, m("A"), m("A # 16"))), "cast-no-such-cast");
  EXPECT_TRUE(check_cast(d, ScalarType::f32, ScalarType::bf16, m("A"), m("A # 16")));
}

// Transposes at random, against the picture of rows and columns.

TEST(Transpose, works_in_constant_expressions) {
  static constexpr Expr time{"C, D", "C = 8, D = 8"}, packet{"E # 32", "E = 8"}, time2{"C, E", "C = 8, E = 8"}, packet2{"D # 32", "D = 8"};
  constexpr auto r = check_transpose(rngd, StreamStage::Collect, ScalarType::i8, time, packet, time2, packet2);
  static_assert(r.ok());
  static_assert(r->in_rows == 8 && r->in_columns == 8 && r->out_rows() == 8);
}

/// The law, at every position of both sides.
void moves_like_a_matrix(const TransposeResult& r, const Mapping& time, const Mapping& packet, const std::string& where) {
  Mapping const in = pair(time, packet), out = pair(r.time, r.packet);
  std::int64_t const flit = r.output_alignment, kept = r.kept_elements;
  std::int64_t live = 0, moved = 0;
  for (std::int64_t i = 0; i < in.size; ++i) live += cell(in, i).live();
  for (std::int64_t i = 0; i < out.size; ++i) {
    std::int64_t const row = i % flit, step = i / flit;
    std::int64_t const matrix = step / r.out_rows(), column = step % r.out_rows();
    Cell const to = cell(out, i);
    if (row >= r.in_rows) {
      ASSERT_FALSE(to.live()) << where;
      continue;
    }
    std::int64_t const p = column / kept, e = column % kept;
    Cell const from = cell(in, ((matrix * r.in_rows + row) * r.packets_per_column + p) * flit + e);
    ASSERT_EQ(from.live(), to.live()) << where << " at " << i;
    if (!to.live()) continue;
    ASSERT_EQ(from.index, to.index) << where << " at " << i;
    ++moved;
  }
  ASSERT_EQ(live, moved) << where << ": elements were lost";
}

/// A matrix of so many rows; each is packets of elements of a type.
Expected<TransposeResult> matrix(ScalarType type, std::int64_t rows, std::int64_t packets, std::int64_t elements) {
  std::string const axes = "C = 3, D = " + std::to_string(rows) + ", P = " + std::to_string(packets) + ", E = " + std::to_string(elements);
  Written const m{axes.c_str()};
  std::int64_t const flit = transpose_limits(rngd, type).output_alignment;
  return check_transpose(rngd, StreamStage::Collect, type, m("C, D, P"), m("E").pad(flit), m("C, P, E"), m("D").pad(flit));
}
TEST(Transpose, CHIP_22_sixteen_elements_of_8_or_16_bits) {
  for (ScalarType type : {ScalarType::i8, ScalarType::f8e4m3, ScalarType::i16, ScalarType::bf16}) {
    std::int64_t const rows = transpose_limits(rngd, type).rows;
    auto const book = matrix(type, rows, 1, 8), packed = matrix(type, rows, 1, 16), two = matrix(type, rows, 2, 16);
    ASSERT_TRUE(book && packed && two);
    EXPECT_EQ(book->elements_per_packet, 8) << "the book's packets stay what they are";
    EXPECT_EQ(packed->elements_per_packet, 16);
    EXPECT_EQ(packed->in_columns, 16);
    EXPECT_TRUE(packed->double_buffered);
    EXPECT_EQ(packed->input_flits(), rows) << "half as many as of packets of 8";
    EXPECT_EQ(packed->output_flits(), 16);
    EXPECT_EQ(two->in_columns, 32);
    EXPECT_FALSE(two->double_buffered);
    EXPECT_TRUE(matrix(type, rows, 4, 8)) << "of 8 elements there may be four packets";
    EXPECT_STREQ(matrix(type, rows, 4, 16).refusal().code, "transpose-columns");
  }
  for (ScalarType type : {ScalarType::i8, ScalarType::f8e4m3})
    EXPECT_STREQ(matrix(type, 8, 1, 17).refusal().code, "transpose-packet-too-full") << "one beyond";
  EXPECT_TRUE(matrix(ScalarType::i4, 16, 1, 16));
  EXPECT_STREQ(matrix(ScalarType::i4, 16, 1, 17).refusal().code, "transpose-packet-too-full") << "4 bits have no packed form";
}

TEST(Transpose, moves_like_a_matrix) {
  int accepted = 0;
  std::map<std::string, int> refused;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    Random random(seed);
    ScalarType const types[] = {ScalarType::i4, ScalarType::i8, ScalarType::bf16, ScalarType::f32};
    ScalarType const type = types[random.below(4)];
    TransposeLimits const l = transpose_limits(rngd, type);
    std::int64_t const rows = random.between(1, l.rows + (random.below(8) == 0)), packets = std::int64_t{1} << random.below(3);
    std::int64_t const elements = random.between(1, l.packed_elements + (random.below(6) == 0));
    std::string axes = "C = " + std::to_string(random.between(1, 3)) + ", D = " + std::to_string(rows) +
                       ", P = " + std::to_string(packets) + ", E = " + std::to_string(elements);
    Written const m{axes.c_str()};
    std::int64_t const flit = l.output_alignment;
    bool const pad_rows = random.below(4) == 0, pad_packets = random.below(4) == 0;
    Mapping const d = pad_rows ? m("D").pad(random.between(rows, l.rows + 1)) : m("D");
    Mapping const p = pad_packets && packets < 4 ? m("P").pad(packets * 2) : m("P");
    Mapping const time = pair(pair(m("C"), d), p);
    if (elements > flit) continue;
    Mapping const packet = m("E").pad_zero(flit);
    Mapping const e = m("E").pad(random.between(elements, elements + random.between(0, 2)));
    Mapping const order[] = {pair(pair(m("C"), p), e), pair(pair(p, m("C")), e), pair(pair(m("C"), e), p),
                             pair(m("C"), m("P")).ok() ? pair(pair(m("C"), m("P")), e) : m("1")};
    Mapping const time2 = order[random.below(6) < 4 ? 0 : random.below(4)];
    if (d.size > flit) continue;
    Mapping const packet2 = d.pad(flit);
    std::string const where = "seed " + std::to_string(seed) + ": " + axes;
    auto const r = check_transpose(rngd, StreamStage::Vector, type, time, packet, time2, packet2);
    if (!r) {
      ++refused[r.refusal().code];
      continue;
    }
    ++accepted;
    moves_like_a_matrix(*r, time, packet, where);
    EXPECT_TRUE(equivalent(r->time, time2) && equivalent(r->packet, packet2)) << where;
    EXPECT_LE(r->in_rows, l.rows) << where;
    EXPECT_TRUE(l.columns.contains(r->in_columns)) << where;
    EXPECT_LE(r->out_rows(), r->in_columns) << where;
  }
  EXPECT_GT(accepted, 400);
  for (const char* code : {"transpose-too-many-rows", "transpose-packet-too-full", "transpose-wrong-time"})
    EXPECT_GT(refused[code], 5) << code;
}

TEST(Transpose, several_factors_as_rows) {
  Written const m{"A = 3, B = 2, C = 4, E = 8"};
  auto const r = check_transpose(rngd, StreamStage::Vector, ScalarType::i8, m("A, B, C"), m("E # 32"), m("A, E"), m("B, C, 1").pad(32));
  ASSERT_TRUE(r) << r.refusal().sentence().s;
  EXPECT_EQ(r->in_rows, 8);
  EXPECT_EQ(r->matrices, 3);
  // A part of a factor.
  Written const n{"T = 64, E = 8"};
  auto const part = check_transpose(rngd, StreamStage::Vector, ScalarType::i8, n("T"), n("E # 32"), n("T / 8, E"), n("T % 8 # 32"));
  ASSERT_TRUE(part) << part.refusal().sentence().s;
  EXPECT_EQ(part->matrices, 8);
  auto const inner =
      check_transpose(rngd, StreamStage::Vector, ScalarType::i8, n("T"), n("E # 32"), n("T / 16, T % 4, E"), n("T / 4 % 4 # 32"));
  ASSERT_TRUE(inner) << inner.refusal().sentence().s;
  EXPECT_EQ(inner->packets_per_column, 4);
  EXPECT_EQ(inner->in_rows, 4);
}

TEST(Transpose, wrong_packet) {
  Written const m{"A = 4, B = 2, E = 8"};
  EXPECT_EQ(code_of(check_transpose(rngd, StreamStage::Vector, ScalarType::i8, m("A, B"), m("E # 32"), m("E"), m("B, A").pad(32))),
            "transpose-wrong-packet");
}

}  // namespace
}  // namespace tcp
