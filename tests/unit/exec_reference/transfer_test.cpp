// What moves by a rule of its own: rows by number, chips and clusters exchanged, slices that differ from chip to chip, views, the host's memory, memset; and
// what is said of values that nothing has written. Whole modules, against plain loops on the host.
#include <gtest/gtest.h>

#include "run_module.hpp"

namespace tcp::build {
namespace {

constexpr ScalarType int32 = ScalarType::i32;

ir::Transfer transfer(ir::Transfer::Kind kind, ir::TensorId from, ir::TensorId to) {
  ir::Transfer t;
  t.kind = kind;
  t.source = from;
  t.destination = to;
  return t;
}
void record(ModuleBuilder& b, ir::Transfer t, Where at = {}) {
  b.module.commands.emplace_back().what = std::move(t);
  b.module.commands.back().at = at;
}

/// A table of V rows, and T numbers of rows.
struct Table : ModuleBuilder {
  ir::TensorId table, rows;
  Value numbers = value(int32, {{"T", 8}});

  Table() : ModuleBuilder("V = 32, T = 8, D = 16, U = 2, S = 256") {
    table = hbm("table", int32, "V, D", 0, ir::Role::argument);
    rows = hbm("rows", int32, "T", 1 << 16, ir::Role::argument);
    std::int64_t const some[] = {31, 0, 7, 7, 12, 3, 30, 0};
    for (std::int64_t t = 0; t < 8; ++t) numbers[t].bits = static_cast<std::uint32_t>(some[t]);
  }
  ir::Transfer gather(ir::TensorId to) const {
    ir::Transfer t = transfer(ir::Transfer::Kind::gather, table, to);
    t.rows = rows;
    t.row_axis = Name("V");
    return t;
  }
};

TEST(Gather, takes_the_rows_that_the_numbers_say) {
  Table b;
  auto const out = b.hbm("out", int32, "D, T", 1 << 20, ir::Role::result);
  record(b, b.gather(out));
  Value const table = random_value(int32, {{"V", 32}, {"D", 16}}, 1);
  Value const taken = result_of(b, {table, b.numbers});
  for (std::int64_t t = 0; t < 8; ++t)
    for (std::int64_t d = 0; d < 16; ++d)
      EXPECT_EQ(taken.at(at({{"T", t}, {"D", d}})).bits, table.at(at({{"V", whole(b.numbers[t])}, {"D", d}})).bits) << t << ", " << d;
}

TEST(Gather, into_DM_and_back_by_rows_in_slices) {
  Table b;
  auto const picked = b.dm("picked", int32, "T # 256", "D", 0), out = b.hbm("out", int32, "T, D", 1 << 20, ir::Role::result);
  record(b, b.gather(picked));
  b.move(picked, out);
  Value const table = random_value(int32, {{"V", 32}, {"D", 16}}, 2);
  Value const taken = result_of(b, {table, b.numbers});
  for (std::int64_t t = 0; t < 8; ++t)
    for (std::int64_t d = 0; d < 16; ++d)
      EXPECT_EQ(taken.at(at({{"T", t}, {"D", d}})).bits, table.at(at({{"V", whole(b.numbers[t])}, {"D", d}})).bits);
}

TEST(Gather, numbers_of_two_axes) {
  ModuleBuilder b("V = 32, T = 4, U = 2, D = 16");
  auto const table = b.hbm("table", int32, "V, D", 0, ir::Role::argument), rows = b.hbm("rows", int32, "T, U", 1 << 16, ir::Role::argument),
             out = b.hbm("out", int32, "U, T, D", 1 << 20, ir::Role::result);
  ir::Transfer t = transfer(ir::Transfer::Kind::gather, table, out);
  t.rows = rows;
  t.row_axis = Name("V");
  record(b, t);
  Value const data = random_value(int32, {{"V", 32}, {"D", 16}}, 3);
  Value numbers = value(int32, {{"T", 4}, {"U", 2}});
  for (std::int64_t i = 0; i < 8; ++i) numbers[i].bits = static_cast<std::uint32_t>(i * 11 % 32);
  Value const taken = result_of(b, {data, numbers});
  for (std::int64_t i = 0; i < 4; ++i)
    for (std::int64_t u = 0; u < 2; ++u)
      for (std::int64_t d = 0; d < 16; ++d)
        EXPECT_EQ(taken.at(at({{"T", i}, {"U", u}, {"D", d}})).bits, data.at(at({{"V", (i * 2 + u) * 11 % 32}, {"D", d}})).bits);
}

TEST(Gather, a_number_beyond_the_table_is_refused) {
  for (std::int32_t wrong : {32, -1}) {
    Table b;
    auto const out = b.hbm("out", int32, "T, D", 1 << 20, ir::Role::result);
    record(b, b.gather(out), {"kernel.cpp", 7});
    b.numbers[4].bits = static_cast<std::uint32_t>(wrong);
    auto const outcome = tried(b.module, {random_value(int32, {{"V", 32}, {"D", 16}}, 1), b.numbers});
    ASSERT_FALSE(outcome);
    EXPECT_STREQ(outcome.refusal().code, "exec-no-such-row");
    EXPECT_EQ(outcome.refusal().at.line, 7u);
  }
}

/// Rows of `in` go into the table.
struct Scatter : ModuleBuilder {
  ir::TensorId in, rows, before, table;
  Value data = random_value(int32, {{"T", 8}, {"D", 16}}, 4), numbers = value(int32, {{"T", 8}}),
        old = random_value(int32, {{"V", 32}, {"D", 16}}, 5);

  explicit Scatter(bool filled = true) : ModuleBuilder("V = 32, T = 8, D = 16") {
    in = hbm("in", int32, "T, D", 0, ir::Role::argument);
    rows = hbm("rows", int32, "T", 1 << 16, ir::Role::argument);
    before = hbm("before", int32, "V, D", 1 << 18, ir::Role::argument);
    table = hbm("table", int32, "V, D", 1 << 20, ir::Role::result);
    if (filled) move(before, table);
    ir::Transfer t = transfer(ir::Transfer::Kind::scatter, in, table);
    t.rows = rows;
    t.row_axis = Name("V");
    record(*this, t, {"kernel.cpp", 9});
    for (std::int64_t i = 0; i < 8; ++i) numbers[i].bits = static_cast<std::uint32_t>((i * 5 + 3) % 32);
  }
  std::vector<Value> arguments() const { return {data, numbers, old}; }
};

TEST(Scatter, writes_the_rows_that_the_numbers_say_and_no_others) {
  Scatter b;
  Value const table = result_of(b, b.arguments());
  for (std::int64_t v = 0; v < 32; ++v)
    for (std::int64_t d = 0; d < 16; ++d) {
      std::uint32_t expected = b.old.at(at({{"V", v}, {"D", d}})).bits;
      for (std::int64_t t = 0; t < 8; ++t)
        if (whole(b.numbers[t]) == v) expected = b.data.at(at({{"T", t}, {"D", d}})).bits;
      EXPECT_EQ(table.at(at({{"V", v}, {"D", d}})).bits, expected) << v << ", " << d;
    }
}

TEST(Scatter, rows_that_it_does_not_write_stay_undefined) {
  Scatter b(false);
  auto const outcome = tried(b.module, b.arguments());
  ASSERT_FALSE(outcome);
  EXPECT_STREQ(outcome.refusal().code, "exec-undefined-result");
  EXPECT_NE(outcome.refusal().headline.view().find("nothing has written table"), std::string_view::npos);
  EXPECT_EQ(outcome.refusal().at.line, 9u);
}

TEST(Scatter, refuses_a_row_that_comes_twice_or_does_not_exist) {
  Scatter b;
  b.numbers[6].bits = b.numbers[1].bits;
  EXPECT_EQ(code_of(b, b.arguments()), "exec-row-twice");
  b.numbers[6].bits = 32;
  EXPECT_EQ(code_of(b, b.arguments()), "exec-no-such-row");
}

TEST(Scatter, by_an_undefined_number_may_have_hit_any_row) {
  ModuleBuilder b("V = 32, T = 8, D = 16");
  auto const in = b.hbm("in", int32, "T, D", 0, ir::Role::argument), before = b.hbm("before", int32, "V, D", 1 << 18, ir::Role::argument);
  auto const rows = b.hbm("rows", int32, "T", 1 << 16), table = b.hbm("table", int32, "V, D", 1 << 20, ir::Role::result);
  b.move(before, table);
  ir::Transfer t = transfer(ir::Transfer::Kind::scatter, in, table);
  t.rows = rows;
  t.row_axis = Name("V");
  record(b, t);
  auto const outcome = tried(b.module, {random_value(int32, {{"T", 8}, {"D", 16}}, 1), random_value(int32, {{"V", 32}, {"D", 16}}, 1)});
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.refusal().headline.view().find("nothing has written rows"), std::string_view::npos);
}

// Shuffles and slices over four chips.

struct FourChips : ModuleBuilder {
  ir::TensorId in;
  Value data = random_value(int32, {{"A", 4}, {"B", 4}, {"E", 8}}, 6);

  FourChips() : ModuleBuilder("A = 4, B = 4, C = 4, E = 8, X = 2, N = 2, G = 2, H = 2", 4) {
    chip = "A";
    in = hbm("in", int32, "B, E", 0, ir::Role::argument);
  }
  ir::TensorId on(const char* chips, ir::TensorId (FourChips::*make)(const char*), const char* element) {
    chip = chips;
    ir::TensorId const id = (this->*make)(element);
    chip = "A";
    return id;
  }
  ir::TensorId in_dm(const char* element) { return dm("dm", int32, "1 # 256", element, next_address_ += 4096); }
  ir::TensorId result(const char* element) { return hbm("out", int32, element, 1 << 24, ir::Role::result); }
  std::uint32_t number(std::int64_t a, std::int64_t b, std::int64_t e) const { return data.at(at({{"A", a}, {"B", b}, {"E", e}})).bits; }

 private:
  std::int64_t next_address_ = 0;
};

TEST(Shuffle, a_chip_gets_what_the_chip_of_its_number_held) {
  FourChips b;
  auto const out = b.on("C", &FourChips::result, "B, E");
  ir::Transfer t = transfer(ir::Transfer::Kind::chip_shuffle, b.in, out);
  t.permutation = {2, 3, 1, 0};
  record(b, t);
  Value const y = result_of(b, {b.data});
  for (std::int64_t c = 0; c < 4; ++c)
    for (std::int64_t i = 0; i < 4; ++i)
      for (std::int64_t e = 0; e < 8; ++e)
        ASSERT_EQ(y.at(at({{"C", c}, {"B", i}, {"E", e}})).bits, b.number(t.permutation[static_cast<std::size_t>(c)], i, e));
}

TEST(Shuffle, under_the_old_name_the_elements_have_other_coordinates) {
  FourChips b;
  auto const out = b.on("A", &FourChips::result, "B, E");
  ir::Transfer t = transfer(ir::Transfer::Kind::chip_shuffle, b.in, out);
  t.permutation = {1, 2, 3, 0};
  record(b, t);
  Value const y = result_of(b, {b.data});
  for (std::int64_t c = 0; c < 4; ++c) ASSERT_EQ(y.at(at({{"A", c}, {"B", 2}, {"E", 5}})).bits, b.number((c + 1) % 4, 2, 5));
}

TEST(Shuffle, of_clusters) {
  ModuleBuilder b("X = 2, Y = 2, E = 8");
  auto const in = b.hbm("in", int32, "X, E", 0, ir::Role::argument), out = b.hbm("out", int32, "Y, E", 1 << 20, ir::Role::result);
  b.cluster = "X";
  auto const before = b.dm("before", int32, "1 # 256", "E", 0);
  b.cluster = "Y";
  auto const after = b.dm("after", int32, "1 # 256", "E", 4096);
  b.move(in, before);
  ir::Transfer t = transfer(ir::Transfer::Kind::cluster_shuffle, before, after);
  t.permutation = {1, 0};
  record(b, t);
  b.move(after, out);
  Value const data = random_value(int32, {{"X", 2}, {"E", 8}}, 7), y = result_of(b, {data});
  for (std::int64_t c = 0; c < 2; ++c)
    for (std::int64_t e = 0; e < 8; ++e) ASSERT_EQ(y.at(at({{"Y", c}, {"E", e}})).bits, data.at(at({{"X", 1 - c}, {"E", e}})).bits);
}

TEST(ChipSlice, keeps_another_part_on_every_chip) {
  FourChips b;
  auto const dm = b.on("A", &FourChips::in_dm, "B, E"), part = b.on("C", &FourChips::in_dm, "E");
  auto const out = b.on("C", &FourChips::result, "E");
  b.move(b.in, dm);
  ir::Transfer t = transfer(ir::Transfer::Kind::chip_slice, dm, part);
  t.dimension = b.map("B");
  t.length = 1;
  t.permutation = {3, 0, 0, 2};
  record(b, t);
  b.move(part, out);
  Value const y = result_of(b, {b.data});
  for (std::int64_t c = 0; c < 4; ++c)
    for (std::int64_t e = 0; e < 8; ++e)
      ASSERT_EQ(y.at(at({{"C", c}, {"E", e}})).bits, b.number(c, t.permutation[static_cast<std::size_t>(c)], e)) << c;
}

TEST(ChipSlice, of_several_steps_between_other_factors) {
  ModuleBuilder b("A = 4, B = 4, G = 2, N = 2, E = 8", 4);
  b.chip = "A";
  auto const in = b.hbm("in", int32, "G, B, E", 0, ir::Role::argument), out = b.hbm("out", int32, "G, N, E", 1 << 20, ir::Role::result);
  auto const dm = b.dm("dm", int32, "1 # 256", "G, B, E", 0), part = b.dm("part", int32, "1 # 256", "G, N, E", 4096);
  b.move(in, dm);
  ir::Transfer t = transfer(ir::Transfer::Kind::chip_slice, dm, part);
  t.dimension = b.map("B");
  t.length = 2;
  t.permutation = {2, 0, 1, 1};
  record(b, t);
  b.move(part, out);
  Value const data = random_value(int32, {{"A", 4}, {"G", 2}, {"B", 4}, {"E", 8}}, 8), y = result_of(b, {data});
  for (std::int64_t a = 0; a < 4; ++a)
    for (std::int64_t g = 0; g < 2; ++g)
      for (std::int64_t n = 0; n < 2; ++n)
        for (std::int64_t e = 0; e < 8; ++e)
          ASSERT_EQ(y.at(at({{"A", a}, {"G", g}, {"N", n}, {"E", e}})).bits,
                    data.at(at({{"A", a}, {"G", g}, {"B", t.permutation[static_cast<std::size_t>(a)] + n}, {"E", e}})).bits);
}

TEST(ChipSlice, a_turned_axis_keeps_its_coordinates) {
  FourChips b;
  auto const dm = b.on("A", &FourChips::in_dm, "B, E"), turned = b.on("A", &FourChips::in_dm, "skew(B, A), E");
  auto const seen = b.on("C", &FourChips::in_dm, "N, G, E"), out = b.on("C", &FourChips::result, "N, G, E");
  b.move(b.in, dm);
  ir::Transfer t = transfer(ir::Transfer::Kind::chip_slice, dm, turned);
  t.dimension = b.map("B");
  t.length = 4;
  t.permutation = {0, 1, 2, 3};
  record(b, t);
  // A shuffle that exchanges nothing names the positions anew, and so shows what lies where.
  ir::Transfer same = transfer(ir::Transfer::Kind::chip_shuffle, turned, seen);
  same.permutation = {0, 1, 2, 3};
  record(b, same);
  b.move(seen, out);
  Value const y = result_of(b, {b.data});
  for (std::int64_t c = 0; c < 4; ++c)
    for (std::int64_t p = 0; p < 4; ++p)
      for (std::int64_t e = 0; e < 8; ++e)
        ASSERT_EQ(y.at(at({{"C", c}, {"N", p / 2}, {"G", p % 2}, {"E", e}})).bits, b.number(c, (p + c) % 4, e)) << c << ", " << p;
}

// Views.

ir::TensorId view(ModuleBuilder& b, ir::TensorId of, ir::ViewOf::Kind kind, std::string_view element, std::string_view dimension = "1",
                  std::int64_t length = 0, std::int64_t start = 0) {
  ir::Tensor t = b.module.tensor(of);
  t.name += " view";
  t.element = b.map(element);
  t.address.reset();
  t.role = ir::Role::temporary;
  t.view = ir::ViewOf{of, kind, b.map(dimension), length, start};
  b.module.tensors.push_back(t);
  return ir::TensorId(b.module.tensors.size() - 1);
}

TEST(View, a_tile_is_read_from_its_begin) {
  ModuleBuilder b("A = 8, B = 16, C = 2");
  auto const in = b.hbm("in", int32, "A, B", 0, ir::Role::argument), out = b.hbm("out", int32, "A = 2, B", 1 << 20, ir::Role::result);
  auto const tile = view(b, in, ir::ViewOf::Kind::tile, "A = 2 # 8, B", "A", 2, 5);
  b.move(tile, out);
  Value const data = random_value(int32, {{"A", 8}, {"B", 16}}, 9), y = result_of(b, {data});
  for (std::int64_t a = 0; a < 2; ++a)
    for (std::int64_t i = 0; i < 16; ++i) ASSERT_EQ(y.at(at({{"A", a}, {"B", i}})).bits, data.at(at({{"A", a + 5}, {"B", i}})).bits);
}

TEST(View, a_tile_of_a_tile) {
  ModuleBuilder b("A = 8, B = 16");
  auto const in = b.hbm("in", int32, "A, B", 0, ir::Role::argument), out = b.hbm("out", int32, "A = 2, B = 8", 1 << 20, ir::Role::result);
  auto const rows = view(b, in, ir::ViewOf::Kind::tile, "A = 2 # 8, B", "A", 2, 3);
  auto const both = view(b, rows, ir::ViewOf::Kind::tile, "A = 2 # 8, B = 8 # 16", "B", 8, 4);
  b.move(both, out);
  Value const data = random_value(int32, {{"A", 8}, {"B", 16}}, 10), y = result_of(b, {data});
  for (std::int64_t a = 0; a < 2; ++a)
    for (std::int64_t i = 0; i < 8; ++i) ASSERT_EQ(y.at(at({{"A", a}, {"B", i}})).bits, data.at(at({{"A", a + 3}, {"B", i + 4}})).bits);
}

TEST(View, writing_a_tile_leaves_the_rest) {
  ModuleBuilder b("A = 8, B = 16");
  auto const in = b.hbm("in", int32, "A, B", 0, ir::Role::argument), part = b.hbm("part", int32, "A = 2, B", 1 << 18, ir::Role::argument),
             out = b.hbm("out", int32, "A, B", 1 << 20, ir::Role::result);
  auto const tile = view(b, out, ir::ViewOf::Kind::tile, "A = 2 # 8, B", "A", 2, 6);
  b.move(in, out);
  b.move(part, tile);
  Value const data = random_value(int32, {{"A", 8}, {"B", 16}}, 11), over = random_value(int32, {{"A", 2}, {"B", 16}}, 12);
  Value const y = result_of(b, {data, over});
  for (std::int64_t a = 0; a < 8; ++a)
    for (std::int64_t i = 0; i < 16; ++i)
      ASSERT_EQ(y.at(at({{"A", a}, {"B", i}})).bits,
                a < 6 ? data.at(at({{"A", a}, {"B", i}})).bits : over.at(at({{"A", a - 6}, {"B", i}})).bits);
}

TEST(View, a_tensor_filled_tile_by_tile_is_whole) {
  ModuleBuilder b("A = 8, B = 16");
  auto const out = b.hbm("out", int32, "A, B", 1 << 20, ir::Role::result);
  for (int k = 0; k < 4; ++k) {
    auto const part = b.hbm("part", int32, "A = 2, B", k << 14, ir::Role::argument);
    b.move(part, view(b, out, ir::ViewOf::Kind::tile, "A = 2 # 8, B", "A", 2, 2 * k));
  }
  std::vector<Value> parts;
  for (std::uint64_t k = 0; k < 4; ++k) parts.push_back(random_value(int32, {{"A", 2}, {"B", 16}}, 20 + k));
  Value const y = result_of(b, parts);
  for (std::int64_t a = 0; a < 8; ++a)
    for (std::int64_t i = 0; i < 16; ++i)
      ASSERT_EQ(y.at(at({{"A", a}, {"B", i}})).bits, parts[static_cast<std::size_t>(a / 2)].at(at({{"A", a % 2}, {"B", i}})).bits);
  b.module.commands.pop_back();
  parts.pop_back();
  b.module.arguments.pop_back();
  auto const outcome = tried(b.module, parts);
  ASSERT_FALSE(outcome) << "the last two rows are missing";
  EXPECT_STREQ(outcome.refusal().code, "exec-undefined-result");
}

TEST(View, a_tile_of_a_tensor_that_repeats_itself_changes_alone) {
  // The vector comes eight times into a matrix; then one row is written anew.
  ModuleBuilder b("A = 8, B = 16");
  auto const row = b.hbm("row", int32, "B", 0, ir::Role::argument), other = b.hbm("other", int32, "B", 1 << 18, ir::Role::argument),
             out = b.hbm("out", int32, "A, B", 1 << 20, ir::Role::result);
  b.move(row, out);
  b.move(other, view(b, out, ir::ViewOf::Kind::tile, "A = 1 # 8, B", "A", 1, 3));
  Value const first = random_value(int32, {{"B", 16}}, 30), second = random_value(int32, {{"B", 16}}, 31),
              y = result_of(b, {first, second});
  for (std::int64_t a = 0; a < 8; ++a)
    for (std::int64_t i = 0; i < 16; ++i) ASSERT_EQ(y.at(at({{"A", a}, {"B", i}})).bits, (a == 3 ? second : first)[i].bits) << a;
}

TEST(View, a_tile_at_the_end_of_a_full_slice) {
  // The tensor fills the slice; its second half is a view that begins in the middle, with the size of all of it.
  ModuleBuilder b("A = 2, B = 65536");
  auto const out = b.hbm("out", int32, "A, B", 1 << 24, ir::Role::result), dm = b.dm("dm", int32, "1 # 256", "A, B", 0);
  for (int k = 0; k < 2; ++k) b.move(b.hbm("half", int32, "B", k << 20, ir::Role::argument), tile_of(b, dm, "A", 1, k));
  b.move(dm, out);
  Value const first = random_value(int32, {{"B", 65536}}, 40), second = random_value(int32, {{"B", 65536}}, 41),
              y = result_of(b, {first, second});
  for (std::int64_t i = 0; i < 65536; i += 101) {
    ASSERT_EQ(y.at(at({{"A", 0}, {"B", i}})).bits, first[i].bits);
    ASSERT_EQ(y.at(at({{"A", 1}, {"B", i}})).bits, second[i].bits);
  }
}

TEST(View, a_reshape_names_the_same_positions_anew) {
  ModuleBuilder b("A = 8, B = 16, C = 4, D = 32");
  auto const in = b.hbm("in", int32, "A, B", 0, ir::Role::argument), out = b.hbm("out", int32, "D, C", 1 << 20, ir::Role::result);
  b.move(view(b, in, ir::ViewOf::Kind::reshape, "C, D"), out);
  Value const data = random_value(int32, {{"A", 8}, {"B", 16}}, 13), y = result_of(b, {data});
  for (std::int64_t c = 0; c < 4; ++c)
    for (std::int64_t d = 0; d < 32; ++d) {
      std::int64_t const position = c * 32 + d;
      ASSERT_EQ(y.at(at({{"C", c}, {"D", d}})).bits, data.at(at({{"A", position / 16}, {"B", position % 16}})).bits);
    }
}

TEST(View, writing_through_a_reshape) {
  ModuleBuilder b("A = 8, B = 16, C = 4, D = 32");
  auto const in = b.hbm("in", int32, "C, D", 0, ir::Role::argument), out = b.hbm("out", int32, "A, B", 1 << 20, ir::Role::result);
  b.move(in, view(b, out, ir::ViewOf::Kind::reshape, "C, D"));
  Value const data = random_value(int32, {{"C", 4}, {"D", 32}}, 14), y = result_of(b, {data});
  for (std::int64_t a = 0; a < 8; ++a)
    for (std::int64_t i = 0; i < 16; ++i) ASSERT_EQ(y.at(at({{"A", a}, {"B", i}})).bits, data[a * 16 + i].bits);
}

// The host, and constants.

TEST(HostTransfer, goes_to_HBM_and_comes_back) {
  ModuleBuilder b("A = 8, B = 16");
  auto const in = b.hbm("in", ScalarType::i8, "A, B", 0, ir::Role::argument),
             middle = b.hbm("middle", ScalarType::i8, "B, A # 16", 1 << 20),
             out = b.hbm("out", ScalarType::i8, "B, A", 0, ir::Role::result);
  for (ir::TensorId id : {in, out}) {
    b.module.tensors[id].memory = Memory::Host;
    b.module.tensors[id].address.reset();
  }
  b.module.commands.emplace_back().what = ir::HostTransfer{in, middle};
  b.module.commands.emplace_back().what = ir::HostTransfer{middle, out};
  Value const data = random_value(ScalarType::i8, {{"A", 8}, {"B", 16}}, 15), y = result_of(b, {data});
  for (std::int64_t a = 0; a < 8; ++a)
    for (std::int64_t i = 0; i < 16; ++i) ASSERT_EQ(y.at(at({{"A", a}, {"B", i}})).bits, data.at(at({{"A", a}, {"B", i}})).bits);
}

TEST(HostTransfer, elements_that_share_a_place_of_a_window_have_one_byte) {
  Axes const axes = parse_axes("W = 4, F = 4").value();
  Levels const levels = Levels{}.set(Level::element, parse("$(W, F)", axes).value());
  Image bytes(7);
  for (std::size_t i = 0; i < 7; ++i) bytes[i] = static_cast<std::byte>(i + 1);
  Value const v = reference::from_image(bytes, ScalarType::i8, levels);
  for (std::int64_t w = 0; w < 4; ++w)
    for (std::int64_t f = 0; f < 4; ++f) EXPECT_EQ(v.at(at({{"W", w}, {"F", f}})).bits, w + f + 1) << w << ", " << f;
  Image const again = reference::to_image(v, levels);
  ASSERT_EQ(again.size(), 7u);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(again[i], bytes[i]) << i;
}

/// Fills a DM tensor over A with one word and shows it.
Value filled(ScalarType type, std::uint32_t word) {
  ModuleBuilder b("A = 2048");
  auto const out = b.hbm("out", type, "A", 1 << 20, ir::Role::result);
  auto const dm = b.dm("dm", type, "A / 8", "A % 8", 0);
  b.module.commands.emplace_back().what = ir::Memset{dm, word};
  b.move(dm, out);
  return result_of(b, {});
}
TEST(Memset, the_word_is_cut_into_elements_from_its_low_end) {
  std::uint32_t const word = 0x89abcdefu;
  Value const words = filled(int32, word), halves = filled(ScalarType::i16, word), bytes = filled(ScalarType::i8, word);
  for (std::int64_t a = 0; a < 2048; ++a) {
    ASSERT_EQ(words[a].bits, word);
    ASSERT_EQ(halves[a].bits, word >> (a % 2 * 16) & 0xffff) << a;
    ASSERT_EQ(bytes[a].bits, word >> (a % 4 * 8) & 0xff) << a;
  }
}

// Values that nothing has written.

TEST(Undefined, reading_before_writing_names_the_tensor_and_the_line) {
  ModuleBuilder b("A = 2048");
  auto const dm = b.dm("scratch", int32, "A / 8", "A % 8", 0), out = b.hbm("out", int32, "A", 1 << 20, ir::Role::result);
  record(b, transfer(ir::Transfer::Kind::move, dm, out), {"kernel.cpp", 12});
  auto const outcome = tried(b.module, {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(render(outcome.refusal()).substr(0, 118),
            "kernel.cpp:12: error[exec-undefined-result]: element (A = 0) of result out depends on an undefined value: nothing has ");
  EXPECT_NE(outcome.refusal().headline.view().find("nothing has written scratch"), std::string_view::npos);
}

TEST(Undefined, the_check_off_leaves_zeros_and_the_notes) {
  ModuleBuilder b("A = 2048");
  auto const dm = b.dm("scratch", int32, "A / 8", "A % 8", 0), out = b.hbm("out", int32, "A", 1 << 20, ir::Role::result);
  record(b, transfer(ir::Transfer::Kind::move, dm, out), {"kernel.cpp", 12});
  reference::Options options;
  options.check = false;
  auto const outcome = tried(b.module, {}, rngd, options);
  ASSERT_TRUE(outcome);
  for (std::int64_t a = 0; a < 2048; ++a) ASSERT_EQ(outcome->results[0][a].bits, 0u);
  ASSERT_EQ(outcome->notes.size(), 1u);
  EXPECT_EQ(outcome->notes[0].at.line, 12u);
}

TEST(Undefined, the_line_is_that_of_the_stage_that_reads) {
  ModuleBuilder b("A = 2048");
  auto const in = b.hbm("in", int32, "A", 0, ir::Role::argument), out = b.hbm("out", int32, "A", 1 << 20, ir::Role::result);
  auto const x = b.dm("x", int32, "A / 8", "A % 8", 0), y = b.dm("y", int32, "A / 8", "A % 8", 4096);
  auto const weights = b.vrf("weights", int32, "A / 8", "A % 8", 0);
  b.move(in, x);
  b.main(x)
      .stage(ir::Fetch{})
      .stage(ir::Collect{})
      .stage(ir::VectorInit{})
      .stage(ir::Branch{})
      .stage(operation(FxpBinaryOp::AddFxp, {from_vrf(weights)}))
      .stage(ir::VectorFinal{})
      .into(ir::Commit{y, {}, false});
  auto& stages = std::get<ir::Pass>(b.module.commands.back().what).stages;
  for (std::size_t i = 0; i < stages.size(); ++i) stages[i].at = {"kernel.cpp", static_cast<unsigned>(20 + i)};
  b.move(y, out);
  auto const outcome = tried(b.module, {random_value(int32, {{"A", 2048}}, 1)});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.refusal().at.line, 24u);
  EXPECT_NE(outcome.refusal().headline.view().find("nothing has written weights"), std::string_view::npos);
}

TEST(Undefined, what_lies_at_a_raw_address_is_nobodys) {
  ModuleBuilder b("A = 2048");
  auto const raw = b.dm("raw", int32, "A / 8", "A % 8", 0), out = b.hbm("out", int32, "A", 1 << 20, ir::Role::result);
  b.module.tensors[raw].role = ir::Role::from_addr;
  b.move(raw, out);
  EXPECT_EQ(code_of(b), "exec-undefined-result");
}

TEST(Undefined, overlapped_addresses_never_run) {
  ModuleBuilder b("A = 2048");
  auto const in = b.hbm("in", int32, "A", 0, ir::Role::argument), out = b.hbm("out", int32, "A", 1 << 20, ir::Role::result);
  auto const x = b.dm("x", int32, "A / 8", "A % 8", 0), y = b.dm("y", int32, "A / 8", "A % 8", 16);
  b.move(in, x);
  b.move(in, y);
  b.move(x, out);
  b.module.tensors[y].at = {"kernel.cpp", 31};
  auto const outcome = tried(b.module, {random_value(int32, {{"A", 2048}}, 1)});
  ASSERT_FALSE(outcome);
  EXPECT_STREQ(outcome.refusal().code, "ir-tensors-overlap");
  EXPECT_EQ(outcome.refusal().at.line, 31u);
}

TEST(Undefined, padding_beside_live_elements_decides_nothing) {
  // B = 5 of 8 lanes: three lanes hold padding through the whole pass, and no element of the result depends on them.
  ModuleBuilder b("A = 256, B = 5");
  auto const in = b.hbm("in", int32, "A, B # 8", 0, ir::Role::argument), out = b.hbm("out", int32, "A, B # 8", 1 << 20, ir::Role::result);
  auto const x = b.dm("x", int32, "A", "B # 8", 0), y = b.dm("y", int32, "A", "B # 8", 4096);
  b.move(in, x);
  b.main(x)
      .stage(ir::Fetch{})
      .stage(ir::Collect{})
      .stage(ir::VectorInit{})
      .stage(ir::Branch{})
      .stage(operation(FxpBinaryOp::MulInt, {constant(3)}))
      .stage(ir::VectorFinal{})
      .into(ir::Commit{y, {}, false});
  b.move(y, out);
  Value const data = random_value(int32, {{"A", 256}, {"B", 5}}, 16), tripled = result_of(b, {data});
  EXPECT_EQ(tripled.size(), 256 * 5);
  for (std::int64_t i = 0; i < tripled.size(); ++i) ASSERT_EQ(whole(tripled[i]), 3 * whole(data.at(tripled.index_of(i))));
}

TEST(Undefined, slices_left_out_of_a_commit_are_unwritten) {
  ModuleBuilder b("A = 256, B = 8");
  auto const in = b.hbm("in", int32, "A, B", 0, ir::Role::argument), out = b.hbm("out", int32, "A, B", 1 << 20, ir::Role::result);
  auto const x = b.dm("x", int32, "A", "B", 0), y = b.dm("y", int32, "A", "B", 4096);
  b.move(in, x);
  SliceMask const most = SliceMask::only(77).flipped();
  b.main(x).stage(ir::Fetch{}).stage(ir::Collect{}).into(ir::Commit{y, most, false});
  b.move(y, out);
  Value const data = random_value(int32, {{"A", 256}, {"B", 8}}, 17);
  auto const outcome = tried(b.module, {data});
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.refusal().headline.view().find("element (A = 77, B = 0) of"), std::string_view::npos)
      << outcome.refusal().headline.view();
  auto& commit = std::get<ir::Commit>(std::get<ir::Pass>(b.module.commands[1].what).stages.back().what);
  commit.slices = SliceMask::all();
  EXPECT_EQ(result_of(b, {data})[77 * 8].bits, data[77 * 8].bits);
}

}  // namespace
}  // namespace tcp::build
