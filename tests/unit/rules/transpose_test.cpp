// Transposes at random, against the picture of rows and columns.
#include <gtest/gtest.h>

#include <map>

#include "book/rules/written.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rules/transpose.hpp"
#include "tcp/support/random.hpp"

namespace tcp {
namespace {

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
