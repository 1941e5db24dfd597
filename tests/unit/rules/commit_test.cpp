// The commit rule against what every position holds: streams are committed in many shapes, and each byte that is written is looked up.
#include "tcp/rules/commit.hpp"
#include "tcp/rules/pass_state.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tcp/device/chips.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/mapping/view.hpp"
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

}  // namespace
}  // namespace tcp
