// The rows of the ledger on reduces over chips: slices that differ from chip to chip, shuffles, ReduceScatter and AllReduce. Numbers of four chips (and of more),
// against the book's tables and plain loops on the host.
#include <gtest/gtest.h>

#include <array>

#include "run_module.hpp"

namespace tcp::build {
namespace {

using Chips = std::vector<std::int64_t>;

/// x[a, b] of chip a, eight lanes of each, i32. Addition is a pass of the main context: interleaved fetch and a binary add (KER-46).
class OverChips : public ModuleBuilder {
 public:
  explicit OverChips(std::int64_t chips = 4, ScalarType type = ScalarType::i32)
      : ModuleBuilder("A = " + std::to_string(chips) + ", B = 4, C = " + std::to_string(chips) + ", E = 8, Turn = 2", chips), type_(type) {
    chip = "A";
    in = hbm("in", type, "B, E", 0, ir::Role::argument);
    start = fresh("A", "B, E");
    move(in, start);
  }

  ir::TensorId in, start;

  /// A DM tensor of its own.
  ir::TensorId fresh(const char* chips, const char* element) {
    chip = chips;
    return dm("t", type_, "1 # 256", element, next_ += 4096);
  }
  ir::TensorId sliced(ir::TensorId from, Chips begin, const char* chips = "C") {
    ir::Transfer t;
    t.kind = ir::Transfer::Kind::chip_slice;
    t.source = from;
    t.destination = fresh(chips, "E");
    t.dimension = map("B");
    t.length = 1;
    t.permutation = std::move(begin);
    return record(t);
  }
  ir::TensorId shuffled(ir::TensorId from, Chips order, const char* element, const char* chips = "C") {
    ir::Transfer t;
    t.kind = ir::Transfer::Kind::chip_shuffle;
    t.source = from;
    t.destination = fresh(chips, element);
    t.permutation = std::move(order);
    return record(t);
  }
  ir::TensorId sum(ir::TensorId x, ir::TensorId y, const char* chips, const char* time, const char* element) {
    ir::TensorId const to = fresh(chips, element);
    std::string const before = time[0] == '1' ? "Turn" : std::string(time) + ", Turn",
                      tile = time[0] == '1' ? "1 # 2" : std::string(time) + ", 1 # 2";
    VectorStep const add =
        type_ == ScalarType::i32 ? step_of(FxpBinaryOp::AddFxp, {}, Groups::zip) : step_of(ClipBinaryOpF32::Add, {}, Groups::zip);
    main(x)
        .time(before)
        .packet("E")
        .stage(ir::Fetch{})
        .stage(ir::Collect{})
        .stage(ir::VectorInit{})
        .time(time)
        .stage(ir::Unzip{Name("Turn"), map(tile)})
        .stage(ir::VectorOperation{add, {}})
        .stage(ir::VectorFinal{})
        .into(ir::Commit{to, {}, false});
    interleave(*this, y, "Turn");
    return to;
  }
  /// The sum of two tensors of bytes, as i32.
  ir::TensorId widened_sum(ir::TensorId x, ir::TensorId y) {
    chip = "A";
    ir::TensorId const to = dm("sum", ScalarType::i32, "1 # 256", "B, E", next_ += 4096);
    main(x)
        .type(ScalarType::i32)
        .time("B, Turn")
        .packet("E")
        .stage(ir::Fetch{})
        .stage(ir::Collect{})
        .stage(ir::VectorInit{})
        .time("B")
        .stage(ir::Unzip{Name("Turn"), map("B, 1 # 2")})
        .stage(ir::VectorOperation{step_of(FxpBinaryOp::AddFxp, {}, Groups::zip), {}})
        .stage(ir::VectorFinal{})
        .into(ir::Commit{to, {}, false});
    interleave(*this, y, "Turn");
    return to;
  }
  void show(ir::TensorId id, const char* chips, const char* element) {
    chip = chips;
    move(id, hbm("out", type_, element, next_hbm_ += 1 << 20, ir::Role::result));
  }
  /// x[a, b, e] = 100a + 10b + e, so that every number names its origin.
  Value numbered() const {
    Value v = value(type_, {{"A", module.chips}, {"B", 4}, {"E", 8}});
    for (std::int64_t a = 0; a < module.chips; ++a)
      for (std::int64_t b = 0; b < 4; ++b)
        for (std::int64_t e = 0; e < 8; ++e)
          v.at(at({{"A", a}, {"B", b}, {"E", e}})).bits = static_cast<std::uint32_t>(100 * a + 10 * b + e);
    return v;
  }

 private:
  ir::TensorId record(ir::Transfer t) {
    ir::TensorId const to = t.destination;
    module.commands.emplace_back().what = std::move(t);
    return to;
  }

  ScalarType type_;
  std::int64_t next_ = 0, next_hbm_ = 1 << 24;
};

Chips rotation(std::int64_t chips, std::int64_t by) {
  Chips p;
  for (std::int64_t c = 0; c < chips; ++c) p.push_back((c + by) % chips);
  return p;
}

/// What chip c holds of one result over C, as the pairs (a, b) of the book's tables.
void expect_pairs(const Value& y, const std::array<std::array<int, 2>, 4>& pairs) {
  for (std::int64_t c = 0; c < 4; ++c)
    for (std::int64_t e = 0; e < 8; ++e)
      EXPECT_EQ(whole(y.at(at({{"C", c}, {"E", e}}))),
                100 * pairs[static_cast<std::size_t>(c)][0] + 10 * pairs[static_cast<std::size_t>(c)][1] + e)
          << "chip " << c;
}
void expect_slice_and_shuffle(const Chips& begin, const Chips& order, const std::array<std::array<int, 2>, 4>& after_slice,
                              const std::array<std::array<int, 2>, 4>& after_shuffle) {
  OverChips k;
  auto const own = k.sliced(k.start, begin);
  k.show(own, "C", "E");
  k.show(k.shuffled(own, order, "E"), "C", "E");
  auto const shown = results_of(k.module, {k.numbered()});
  expect_pairs(shown[0], after_slice);
  expect_pairs(shown[1], after_shuffle);
}

TEST(Book, KER_28_layout) {
  OverChips k;
  Levels const in = k.module.levels(k.module.tensor(k.start));
  for (std::int64_t a = 0; a < 4; ++a)
    for (std::int64_t b = 0; b < 4; ++b) {
      Cell const there = cell(in, {.chip = a, .element = 8 * b});
      EXPECT_EQ(there.index.get("A"), a) << "chip a owns (a, 0) to (a, 3)";
      EXPECT_EQ(there.index.get("B"), b);
    }
  k.show(k.start, "A", "B, E");
  Value const x = k.numbered(), y = results_of(k.module, {x})[0];
  for (std::int64_t i = 0; i < x.size(); ++i) ASSERT_EQ(y.at(x.index_of(i)).bits, x[i].bits);
}

TEST(Book, KER_28_values) {
  // Bytes, widened by the fetch before they are added: sums of four that no byte has.
  OverChips k(4, ScalarType::i8);
  ir::TensorId const other = k.shuffled(k.start, {1, 2, 3, 0}, "B, E", "A");
  ir::TensorId const sum = k.widened_sum(k.start, other);
  k.chip = "A";
  k.move(sum, k.hbm("sums", ScalarType::i32, "B, E", 1 << 26, ir::Role::result));
  Value x = value(ScalarType::i8, {{"A", 4}, {"B", 4}, {"E", 8}});
  for (std::int64_t i = 0; i < x.size(); ++i) x[i].bits = static_cast<std::uint32_t>(i % 2 == 0 ? 127 - i / 8 : 128 + i / 8) & 0xff;
  Value const y = results_of(k.module, {x})[0];
  for (std::int64_t i = 0; i < x.size(); ++i) {
    Index const here = x.index_of(i);
    Index next = here;
    next.add(Name("A"), here.get("A") == 3 ? -3 : 1);
    ASSERT_EQ(whole(y.at(here)), byte(x[i]) + byte(x.at(next)));
  }
}

TEST(Book, KER_29_values) {
  for (Chips const& begin : {Chips{0, 0, 0, 0}, Chips{3, 1, 2, 0}}) {
    OverChips k;
    k.show(k.sliced(k.start, begin), "C", "E");
    Value const y = results_of(k.module, {k.numbered()})[0];
    for (std::int64_t c = 0; c < 4; ++c) EXPECT_EQ(whole(y.at(at({{"C", c}}))), 100 * c + 10 * begin[static_cast<std::size_t>(c)]);
  }
}

TEST(Book, KER_30_values) {
  OverChips k;
  Chips const order{2, 0, 3, 1};
  k.show(k.shuffled(k.start, order, "B, E"), "C", "B, E");
  Value const y = results_of(k.module, {k.numbered()})[0];
  for (std::int64_t c = 0; c < 4; ++c)
    for (std::int64_t b = 0; b < 4; ++b)
      EXPECT_EQ(whole(y.at(at({{"C", c}, {"B", b}}))), 100 * order[static_cast<std::size_t>(c)] + 10 * b)
          << "chip c gets what chip p_c held";
}

TEST(Book, KER_31_values) {
  OverChips k;
  k.show(k.sliced(k.start, {0, 1, 2, 3}), "C", "E");
  expect_pairs(results_of(k.module, {k.numbered()})[0], {{{0, 0}, {1, 1}, {2, 2}, {3, 3}}});
}
TEST(Book, KER_32_values) {
  expect_slice_and_shuffle({3, 0, 1, 2}, {1, 2, 3, 0}, {{{0, 3}, {1, 0}, {2, 1}, {3, 2}}}, {{{1, 0}, {2, 1}, {3, 2}, {0, 3}}});
}
TEST(Book, KER_33_values) {
  expect_slice_and_shuffle({2, 3, 0, 1}, {2, 3, 0, 1}, {{{0, 2}, {1, 3}, {2, 0}, {3, 1}}}, {{{2, 0}, {3, 1}, {0, 2}, {1, 3}}});
}
TEST(Book, KER_34_values) {
  expect_slice_and_shuffle({1, 2, 3, 0}, {3, 0, 1, 2}, {{{0, 1}, {1, 2}, {2, 3}, {3, 0}}}, {{{3, 0}, {0, 1}, {1, 2}, {2, 3}}});
}

/// T0 + T1 + T2 + T3, on chips named by B: chip c holds the sum of column c.
ir::TensorId reduce_scatter(OverChips& k) {
  ir::TensorId total = k.sliced(k.start, {0, 1, 2, 3}, "B");
  for (std::int64_t by = 1; by < 4; ++by) {
    ir::TensorId const own = k.sliced(k.start, rotation(4, 4 - by), "B");
    total = k.sum(total, k.shuffled(own, rotation(4, by), "E", "B"), "B", "1", "E");
  }
  return total;
}

TEST(Book, KER_35_values) {
  OverChips k;
  k.show(reduce_scatter(k), "B", "E");
  Value const x = random_value(ScalarType::i32, {{"A", 4}, {"B", 4}, {"E", 8}}, 35), y = results_of(k.module, {x})[0];
  for (std::int64_t c = 0; c < 4; ++c)
    for (std::int64_t e = 0; e < 8; ++e) {
      std::int64_t sum = 0;
      for (std::int64_t a = 0; a < 4; ++a) sum += whole(x.at(at({{"A", a}, {"B", c}, {"E", e}})));
      EXPECT_EQ(whole(y.at(at({{"B", c}, {"E", e}}))), sum) << "chip " << c;
    }
}

TEST(Book, KER_36_values) {
  OverChips k;
  ir::TensorId const scattered = reduce_scatter(k), gathered = k.fresh("4", "B, E");
  k.move(scattered, gathered);
  // Named anew, so that each chip's copy shows by itself.
  k.show(k.shuffled(gathered, {0, 1, 2, 3}, "B, E"), "C", "B, E");
  Value const x = random_value(ScalarType::i32, {{"A", 4}, {"B", 4}, {"E", 8}}, 36), y = results_of(k.module, {x})[0];
  for (std::int64_t c = 0; c < 4; ++c)
    for (std::int64_t b = 0; b < 4; ++b)
      for (std::int64_t e = 0; e < 8; ++e) {
        std::int64_t sum = 0;
        for (std::int64_t a = 0; a < 4; ++a) sum += whole(x.at(at({{"A", a}, {"B", b}, {"E", e}})));
        ASSERT_EQ(whole(y.at(at({{"C", c}, {"B", b}, {"E", e}}))), sum) << "chip " << c;
      }
}

/// T0 and its rotations, added one after the other. `rotations`: as many as there are other chips, or fewer.
ir::TensorId all_reduce(OverChips& k, std::int64_t rotations) {
  ir::TensorId const own = k.shuffled(k.start, rotation(k.module.chips, 0), "B, E");
  ir::TensorId total = own;
  for (std::int64_t by = 1; by <= rotations; ++by)
    total = k.sum(total, k.shuffled(k.start, rotation(k.module.chips, by), "B, E"), "C", "B", "B, E");
  return total;
}

TEST(Book, KER_37_values) {
  OverChips k;
  k.show(all_reduce(k, 3), "C", "B, E");
  Value const x = random_value(ScalarType::i32, {{"A", 4}, {"B", 4}, {"E", 8}}, 37), y = results_of(k.module, {x})[0];
  for (std::int64_t c = 0; c < 4; ++c)
    for (std::int64_t b = 0; b < 4; ++b)
      for (std::int64_t e = 0; e < 8; ++e) {
        std::int64_t sum = 0;
        for (std::int64_t a = 0; a < 4; ++a) sum += whole(x.at(at({{"A", a}, {"B", b}, {"E", e}})));
        ASSERT_EQ(whole(y.at(at({{"C", c}, {"B", b}, {"E", e}}))), sum) << "chip " << c << " ends with all four sums";
      }
}

void expect_rows(const Chips& order, const Chips& rows) {
  OverChips k;
  k.show(k.shuffled(k.start, order, "B, E"), "C", "B, E");
  Value const y = results_of(k.module, {k.numbered()})[0];
  for (std::int64_t c = 0; c < 4; ++c)
    for (std::int64_t b = 0; b < 4; ++b) EXPECT_EQ(whole(y.at(at({{"C", c}, {"B", b}}))), 100 * rows[static_cast<std::size_t>(c)] + 10 * b);
}
TEST(Book, KER_38_values) { expect_rows({1, 2, 3, 0}, {1, 2, 3, 0}); }
TEST(Book, KER_39_values) { expect_rows({2, 3, 0, 1}, {2, 3, 0, 1}); }
TEST(Book, KER_40_values) { expect_rows({3, 0, 1, 2}, {3, 0, 1, 2}); }

TEST(Book, KER_41_order) {
  // 2^24 + 1 is no f32: where the ones come before the large number they count, behind it they are lost one by one.
  OverChips k(4, ScalarType::f32);
  k.show(all_reduce(k, 3), "C", "B, E");
  Value x = value(ScalarType::f32, {{"A", 4}, {"B", 4}, {"E", 8}});
  float const rows[] = {16777216.0f, 1.0f, 1.0f, 1.0f};
  for (std::int64_t i = 0; i < x.size(); ++i) x[i].bits = f32::from_float(rows[x.index_of(i).get("A")]).bits;
  Value const y = results_of(k.module, {x})[0];
  bool differ = false;
  for (std::int64_t c = 0; c < 4; ++c) {
    float sum = rows[c];
    for (std::int64_t i = 1; i < 4; ++i) sum += rows[(c + i) % 4];
    EXPECT_EQ(real(y.at(at({{"C", c}}))), sum) << "chip " << c;
    differ |= real(y.at(at({{"C", c}}))) != real(y.at(at({{"C", 0}})));
  }
  EXPECT_TRUE(differ) << "the order shows";
  // Whole numbers have no order.
  OverChips whole_numbers;
  whole_numbers.show(all_reduce(whole_numbers, 3), "C", "B, E");
  Value const z = results_of(whole_numbers.module, {whole_numbers.numbered()})[0];
  for (std::int64_t c = 1; c < 4; ++c) EXPECT_EQ(whole(z.at(at({{"C", c}, {"B", 2}}))), whole(z.at(at({{"C", 0}, {"B", 2}}))));
}

TEST(Book, KER_42_rotations) {
  for (std::int64_t chips : {2, 8, 16})
    for (std::int64_t rotations : {chips - 1, chips - 2}) {
      OverChips k(chips);
      k.show(all_reduce(k, rotations), "C", "B, E");
      Value const x = k.numbered(), y = results_of(k.module, {x})[0];
      std::int64_t sum = 0;
      for (std::int64_t a = 0; a < chips; ++a) sum += 100 * a + 10;
      for (std::int64_t c = 0; c < chips; ++c) {
        bool const complete = whole(y.at(at({{"C", c}, {"B", 1}}))) == sum;
        EXPECT_EQ(complete, rotations == chips - 1) << chips << " chips, " << rotations << " rotations";
      }
    }
}

TEST(Book, KER_46_values) {
  OverChips k;
  auto const other = k.shuffled(k.start, {1, 2, 3, 0}, "B, E", "A");
  k.show(k.sum(k.start, other, "A", "B", "B, E"), "A", "B, E");
  Value const x = random_value(ScalarType::i32, {{"A", 4}, {"B", 4}, {"E", 8}}, 46), y = results_of(k.module, {x})[0];
  for (std::int64_t i = 0; i < x.size(); ++i) {
    Index const here = x.index_of(i);
    Index next = here;
    next.add(Name("A"), here.get("A") == 3 ? -3 : 1);
    ASSERT_EQ(whole(y.at(here)), whole(x[i]) + whole(x.at(next)));
  }
}

}  // namespace
}  // namespace tcp::build
