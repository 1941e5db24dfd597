// The rows of the ledger on reduces inside slices and across them, as the compiler configures them and the literal machine runs them.
#include <gtest/gtest.h>

#include "tcp/program/codes.hpp"
#include "unit/lower/vector_pass.hpp"

namespace tcp::lower {
namespace {

using Loops = std::vector<program::TimeLoop>;
using Step = program::VectorStep;

std::uint32_t value(const Index& x) {
  return static_cast<std::uint32_t>(3 + x.get("A") * 5 + x.get("R") * 11 + x.get("B") * 7 + x.get("W") * 13 + x.get("P") * 17 +
                                    x.get("S") * 3 + x.get("T") * 19 + x.get("U") * 23);
}
/// The sum of all R from the result's own on, `n` of them.
ValueOf sum_of(std::int64_t n, std::int64_t extent) {
  return [=](const Index& x) {
    std::uint32_t sum = 0;
    for (std::int64_t r = 0; r < n && x.get("R") + r < extent; ++r) {
      Index y = x;
      sum += value(y.add(Name("R"), r));
    }
    return sum;
  };
}

VectorPass pass(std::string axes, std::string slice, std::string time, std::string packet, std::string narrow, Then fold,
                std::string wide) {
  VectorPass p{std::move(axes), std::move(slice), std::move(time), std::move(packet)};
  p.stages = {branch(), then(VectorMethod::trim_way4, "", std::move(narrow)), std::move(fold),
              then(VectorMethod::pad_way8, "", std::move(wide))};
  return p;
}
Step step_of_pass(const VectorPass& p, std::size_t i) {
  auto const program = p.lowered();
  if (!program) throw std::runtime_error(render(program.refusal()));
  return vector_of(*program).steps.at(i);
}

program::IntraSliceReduceStep fold_of(const Step& s) { return std::get<program::IntraSliceReduceStep>(s.what); }
program::InterSliceReduceStep ring_of(const Step& s) { return std::get<program::InterSliceReduceStep>(s.what); }

TEST(Book, RED_06_config) {
  Step const s =
      step_of_pass(pass("A = 8, R = 4", "A / 2", "A % 2", "R # 8", "R", reduce("R", ReduceOp::AddSat, "A % 2", "1 # 4"), "1 # 8"), 2);
  EXPECT_TRUE(fold_of(s).tree);
  EXPECT_EQ(program::codes::reduce_acc_tree, static_cast<std::uint8_t>(VectorAlu::ReduceAccTree));
}

TEST(Book, RED_14_config) {
  VectorPass const p =
      pass("A = 8, R = 16", "A / 2", "R", "A % 2 # 8", "A % 2 # 4", reduce("R", ReduceOp::AddSat, "1", "A % 2 # 4"), "A % 2 # 8");
  Step const s = step_of_pass(p, 2);
  EXPECT_EQ(fold_of(s).loops, (Loops{{16, true}}));
  EXPECT_FALSE(fold_of(s).tree);
  EXPECT_EQ(fold_of(s).slots, 1);
  EXPECT_EQ(s.time_out, 1);
  EXPECT_EQ(fold_of(s).op, static_cast<std::uint8_t>(ReduceOp::AddSat));
  EXPECT_EQ(agrees(p, value, sum_of(16, 16)), 3 * 8);
}

TEST(Book, RED_15_config) {
  VectorPass p = pass("A = 8, R = 4", "A / 2", "A % 2", "R # 8", "R", reduce("R", ReduceOp::Add, "A % 2", "1 # 4"), "1 # 8");
  p.type = p.stored = ScalarType::f32;
  auto const program = p.lowered();
  ASSERT_TRUE(program) << render(program.refusal());
  for (std::int64_t t = 0; t < 2; ++t) EXPECT_EQ(machine::valid_count(vector_of(*program).valid_count.value(), 0, t), 4);
  Step const& s = vector_of(*program).steps[2];
  EXPECT_TRUE(fold_of(s).tree);
  EXPECT_EQ(fold_of(s).loops, (Loops{{2, false}})) << "the tree alone";
  EXPECT_TRUE(vector_of(*program).floating && vector_of(*program).floating_out);
}

TEST(Book, RED_16_config) {
  VectorPass const p = pass("A = 8, R = 16", "A", "R / 4", "R % 4 # 8", "R % 4", reduce("R", ReduceOp::Max, "1", "1 # 4"), "1 # 8");
  Step const s = step_of_pass(p, 2);
  EXPECT_TRUE(fold_of(s).tree);
  EXPECT_EQ(fold_of(s).loops, (Loops{{4, true}}));
  EXPECT_EQ(agrees(p, value,
                   [](const Index& x) {
                     Index y = x;
                     return value(y.add(Name("R"), 15));
                   }),
            3 * 8);
}

TEST(Book, RED_17_config) {
  // Mapping rules accept it, and the interpreters find the minima. The chip cannot: R = 5 is an element and R = 13 is none, at the same place of
  // slices 0 and 1, while the counts of the VCG (F-55) and the mask registers of the fetch know time steps and lanes, never slices.
  VectorPass const p =
      pass("R = 13", "R # 32 / 8", "R # 32 / 4 % 2", "R # 32 % 4 # 8", "R # 32 % 4", reduce("R", ReduceOp::Min, "1", "1 # 4"), "1 # 8");
  auto const program = p.lowered();
  ASSERT_FALSE(program);
  EXPECT_EQ(std::string(program.refusal().code), "valid-count-varies-by-slice");
  EXPECT_NE(program.refusal().note.view().find("identity"), std::string_view::npos);
}

TEST(Book, RED_18_config) {
  Step const s = step_of_pass(pass("A = 6, B = 2, R = 4", "A / 2", "R / 2, A % 2, R % 2, B", "1 # 8", "1 # 4",
                                   reduce("R", ReduceOp::AddSat, "A % 2, B", "1 # 4"), "1 # 8"),
                              2);
  EXPECT_EQ(fold_of(s).slots, 4);
}

TEST(Book, RED_19_config) {
  VectorPass const p =
      pass("A = 8, R = 4", "A / 2", "R / 2, A % 2, R % 2", "1 # 8", "1 # 4", reduce("R", ReduceOp::AddSat, "A % 2", "1 # 4"), "1 # 8");
  program::IntraSliceReduceStep const s = fold_of(step_of_pass(p, 2));
  EXPECT_EQ(s.loops, (Loops{{2, true}, {2, false}, {2, true}}));
  EXPECT_EQ(s.slots, 2);
  // Flits 0, 1, 4, 5 go to slot 0, flits 2, 3, 6, 7 to slot 1.
  for (std::int64_t t = 0; t < 8; ++t) {
    std::int64_t rest = t, slot = 0, weight = 1;
    for (std::size_t k = s.loops.size(); k-- > 0; rest /= s.loops[k].rounds)
      if (!s.loops[k].added) slot += rest % s.loops[k].rounds * weight, weight *= s.loops[k].rounds;
    EXPECT_EQ(slot, t == 2 || t == 3 || t == 6 || t == 7 ? 1 : 0) << t;
  }
  EXPECT_EQ(agrees(p, value, sum_of(4, 4)), 3 * 8);
}

TEST(Book, RED_20_config) {
  VectorPass const p = pass("A = 8, B = 16, R = 3", "A / 2", "R, A % 2, B % 4", "B / 4 # 8", "B / 4",
                            reduce("R", ReduceOp::AddSat, "A % 2, B % 4", "B / 4"), "B / 4 # 8");
  EXPECT_EQ(fold_of(step_of_pass(p, 2)).slots, 8);
  EXPECT_EQ(agrees(p, value, sum_of(3, 3)), 3 * 128);
}

TEST(Book, RED_21_config) {
  VectorPass const p = pass("A = 6, B = 16, R = 3", "A / 3", "R, A % 3, B % 4", "B / 4 # 8", "B / 4",
                            reduce("R", ReduceOp::AddSat, "A % 3, B % 4", "B / 4"), "B / 4 # 8");
  EXPECT_EQ(code_of(p.lowered()), "reduce-too-many-slots");
}

TEST(Book, RED_23_config) {
  auto const counted = pass("R = 13, A = 4", "A", "R # 16", "1 # 8", "1 # 4", reduce("R", ReduceOp::Min, "1", "1 # 4"), "1 # 8").lowered();
  ASSERT_TRUE(counted);
  EXPECT_TRUE(vector_of(*counted).valid_count.has_value());
  EXPECT_FALSE(exec_of(*counted).fetch.mask.has_value());
  VectorPass const filled =
      pass("R = 19, A = 4", "A", "R # 32 % 8", "R # 32 / 8 # 8", "R # 32 / 8", reduce("R", ReduceOp::Min, "1", "1 # 4"), "1 # 8");
  auto const p = filled.lowered();
  ASSERT_TRUE(p) << render(p.refusal());
  EXPECT_FALSE(vector_of(*p).valid_count.has_value());
  EXPECT_EQ(exec_of(*p).fetch.mask.value().pad_value, 0x7fffffffu);
}

TEST(Book, RED_24_config) {
  auto const pad_of = [](ReduceOp op) {
    auto const p =
        pass("R = 19, A = 4", "A", "R # 32 % 8", "R # 32 / 8 # 8", "R # 32 / 8", reduce("R", op, "1", "1 # 4"), "1 # 8").lowered();
    return exec_of(*p).fetch.mask.value().pad_value;
  };
  EXPECT_EQ(pad_of(ReduceOp::AddSat), 0u);
  EXPECT_EQ(pad_of(ReduceOp::Max), 0x80000000u);
  EXPECT_EQ(pad_of(ReduceOp::Min), 0x7fffffffu);
}

TEST(Book, RED_25_config) {
  VectorPass p =
      pass("R = 19, A = 4", "A", "R # 32 % 8", "R # 32 / 8 # 8", "R # 32 / 8", reduce("R", ReduceOp::Add, "1", "1 # 4"), "1 # 8");
  p.type = p.stored = ScalarType::f32;
  EXPECT_EQ(code_of(p.lowered()), "accepted");
  ir::VectorOperation exp;
  exp.step = step_of(FpUnaryOp::Exp);
  p.stages.insert(p.stages.begin() + 2, then(exp));
  EXPECT_EQ(code_of(p.lowered()), "valid-count-packet-not-innermost");
}

Then across(ReduceOp op, std::string slice, std::string time) {
  return then(ir::InterSliceReduce{op}, std::move(time), "", std::move(slice));
}
VectorPass on_rngd(VectorPass p) {
  p.device = rngd;
  p.cluster = "1 # 2";
  return p;
}

TEST(Book, INT_08_config) {
  Step const s = step_of_pass({"A = 4, R = 4, X = 4, C = 2, P = 8", "A, R", "C", "P", {across(ReduceOp::Add, "A, X", "C")}}, 0);
  EXPECT_EQ(ring_of(s).group_slices, 4);
  EXPECT_EQ(ring_of(s).broadcast, 4);
  EXPECT_EQ(ring_of(s).promoted, 1);
  EXPECT_EQ(s.time_out, 2);
}

TEST(Book, INT_09_config) {
  Step const s = step_of_pass({"A = 4, R = 4, C = 2, P = 8", "A, R", "C", "P", {across(ReduceOp::Add, "A, 1 # 4", "C")}}, 0);
  EXPECT_EQ(ring_of(s).group_slices, 4);
  EXPECT_EQ(ring_of(s).broadcast, 1);
  EXPECT_EQ(ring_of(s).promoted, 1);
}

TEST(Book, INT_10_config) {
  Step const s = step_of_pass({"A = 4, R = 4, C = 4, P = 8", "A, R", "C", "P", {across(ReduceOp::Add, "A, C", "1")}}, 0);
  EXPECT_EQ(ring_of(s).promoted, 4);
  EXPECT_EQ(s.time_out, 1);
  EXPECT_EQ(ring_of(s).from_step, (std::vector<program::Loop>{{4, 1}})) << "slice c of a group takes the result of step c";
}

TEST(Book, INT_11_config) {
  VectorPass const p = on_rngd({"R = 4, A = 512", "A / 8, R", "1", "A % 8", {across(ReduceOp::AddSat, "A / 8, 1 # 4", "1")}});
  EXPECT_EQ(agrees(p, value, sum_of(4, 4)), 3 * 512);
  auto const program = p.lowered();
  for (std::int64_t s = 0; s < 256; ++s) EXPECT_EQ(exec_of(*program).writing.contains(s), s % 4 == 0) << s;
  for (std::int64_t s = 0; s < 256; ++s) EXPECT_TRUE(ring_of(vector_of(*program).steps[0]).folded.contains(s));
}

TEST(Book, INT_12_config) {
  VectorPass const p = on_rngd({"W = 64, R = 4, X = 4, P = 8", "W, R", "1", "P", {across(ReduceOp::Add, "W, X", "1")}});
  EXPECT_EQ(agrees(p, value, sum_of(4, 4)), 3 * 64 * 4 * 8);
  EXPECT_TRUE(exec_of(*p.lowered()).writing.contains(255));
}

TEST(Book, INT_13_config) {
  // W = 64 for 256 slices (F-66).
  VectorPass const p =
      on_rngd({"W = 64, R = 4, T = 2, S = 4, U = 2, P = 8", "W, R", "T, S, U", "P", {across(ReduceOp::Add, "W, S", "T, U")}});
  EXPECT_EQ(agrees(p, value, sum_of(4, 4)), 3 * 64 * 16 * 8);
  EXPECT_EQ(ring_of(step_of_pass(p, 0)).from_step, (std::vector<program::Loop>{{4, 2}, {2, 8}, {2, 1}}));
}

TEST(Book, INT_14_config) {
  VectorPass const p =
      on_rngd({"R = 4, A = 512", "A / 8, R", "1", "A % 8", {across(ReduceOp::AddSat, "A / 8, 1 # 4", "1"), branch(), add_constant(100)}});
  EXPECT_EQ(agrees(p, value, [](const Index& x) { return sum_of(4, 4)(x) + 100; }), 3 * 512);
}

TEST(Book, INT_15_config) {
  VectorPass const p =
      on_rngd({"R = 4, A = 512", "A / 8, R", "1", "A % 8", {branch(), add_constant(100), across(ReduceOp::AddSat, "A / 8, 1 # 4", "1")}});
  EXPECT_EQ(agrees(p, value, [](const Index& x) { return sum_of(4, 4)(x) + 400; }), 3 * 512);
}

}  // namespace
}  // namespace tcp::lower
