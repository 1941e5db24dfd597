// The vector engine's records, executed literally and compared with loops on the host.
#include <gtest/gtest.h>

#include "unit/lower/vector_pass.hpp"

namespace tcp::lower {
namespace {

std::uint32_t hashed(const Index& x) {
  std::uint32_t h = 17;
  for (const char* axis : {"A", "B", "C", "R", "X", "I", "K"}) h = h * 31 + static_cast<std::uint32_t>(x.get(axis)) * 7;
  return h % 1000;
}
Index at(const Index& x, const char* axis, std::int64_t value) {
  Index y = x;
  y.add(Name(axis), value - x.get(axis));
  return y;
}
/// Folds value over all of an axis.
ValueOf folded(const char* axis, std::int64_t begin, std::int64_t end, ReduceOp op, ValueOf value = hashed) {
  return [=](const Index& x) {
    auto all = static_cast<std::int32_t>(value(at(x, axis, begin)));
    for (std::int64_t i = begin + 1; i < end; ++i) {
      auto const each = static_cast<std::int32_t>(value(at(x, axis, i)));
      all = op == ReduceOp::Max ? std::max(all, each) : op == ReduceOp::Min ? std::min(all, each) : all + each;
    }
    return static_cast<std::uint32_t>(all);
  };
}

TEST(LowerVector, an_operation_with_a_constant) {
  VectorPass const p{"A = 64", "A / 16", "A / 8 % 2", "A % 8", {branch(), add_constant(5)}};
  EXPECT_EQ(agrees(p, hashed, [](const Index& x) { return hashed(x) + 5; }), 3 * 64);
  auto const program = p.lowered();
  const auto& add = std::get<program::OperateStep>(vector_of(*program).steps[1].what);
  EXPECT_EQ(add.family, program::OperateStep::Family::Fxp);
  EXPECT_EQ(add.alu, static_cast<std::uint8_t>(VectorAlu::FxpAdd));
  ASSERT_EQ(add.operands.size(), 1u);
  EXPECT_EQ(std::get<program::Immediate>(add.operands[0].source).bits, 5u);
  EXPECT_FALSE(vector_of(*program).valid_count.has_value());
}

TEST(LowerVector, operand_slots_are_tried_in_order) {
  ir::Branch compare{BranchMode::comparing(InputCmp::Less(300), InputCmp::Greater(700)), ir::none};
  ir::VectorOperation o;
  o.step = step_of(FxpBinaryOp::AddFxp);
  auto const immediate = [](std::uint32_t bits, OperandGuard g) {
    return ir::Operand{{OperandKind::immediate, ScalarType::i32, g, true, bits}, ir::none};
  };
  o.operands = {immediate(1000, OperandGuard::bit(0)), immediate(2000, OperandGuard::bit(1)),
                immediate(9, OperandGuard::bit(0) | OperandGuard::id(0))};
  VectorPass const p{"A = 64", "A / 16", "A / 8 % 2", "A % 8", {then(compare), then(o)}};
  agrees(p, hashed, [](const Index& x) {
    std::uint32_t const v = hashed(x);
    return v < 300 ? v + 1000 : v > 700 ? v + 2000 : v + 9;
  });
}

TEST(LowerVector, toggles_by_time_and_lane) {
  for (const char* axis : {"A", "B", "C"}) {
    ir::VectorOperation o;
    o.step = step_of(FxpBinaryOp::AddFxp);
    o.operands.push_back({{OperandKind::immediate, ScalarType::i32, OperandGuard::group(GroupId::One), true, 5000}, ir::none});
    VectorPass const p{
        "A = 6, B = 4, C = 3", "1", "C, A # 8", "B # 8", {then(ir::Branch{BranchMode::toggle(Name(axis)), ir::none}), then(o)}};
    agrees(p, hashed, [axis](const Index& x) { return hashed(x) + (x.get(axis) % 2 != 0 ? 5000 : 0); });
  }
  // Cut in two: the outer part has even strides and does not count.
  ir::VectorOperation o;
  o.step = step_of(FxpBinaryOp::AddFxp);
  o.operands.push_back({{OperandKind::immediate, ScalarType::i32, OperandGuard::group(GroupId::One), true, 5000}, ir::none});
  VectorPass const p{"A = 24, B = 8", "1", "A % 3, A / 3", "B", {then(ir::Branch{BranchMode::toggle(Name("A")), ir::none}), then(o)}};
  agrees(p, hashed, [](const Index& x) { return hashed(x) + (x.get("A") % 2 != 0 ? 5000 : 0); });
}

TEST(LowerVector, a_toggle_that_depends_on_the_slice) {
  VectorPass const p{"A = 64, B = 8", "A % 2", "A / 2", "B", {then(ir::Branch{BranchMode::toggle(Name("A")), ir::none})}};
  EXPECT_EQ(code_of(p.lowered()), "lower-toggle-by-slice");
  VectorPass const even{"A = 64, B = 8", "A / 2", "A % 2", "B", {then(ir::Branch{BranchMode::toggle(Name("A")), ir::none})}};
  EXPECT_EQ(code_of(even.lowered()), "accepted");
}

TEST(LowerVector, reduces_over_time_and_packet) {
  for (ReduceOp op : {ReduceOp::AddSat, ReduceOp::Max, ReduceOp::Min}) {
    // Time alone; trimmed.
    VectorPass in_time{"A = 8, R = 11",
                       "A / 2",
                       "R # 16",
                       "A % 2 # 8",
                       {branch(), then(VectorMethod::trim_way4, "", "A % 2 # 4"), reduce("R", op, "1", "A % 2 # 4"),
                        then(VectorMethod::pad_way8, "", "A % 2 # 8")}};
    EXPECT_EQ(agrees(in_time, hashed, folded("R", 0, 11, op)), 3 * 8);
    // Packet and Time; split.
    VectorPass both{"A = 8, R = 19",
                    "A / 2",
                    "A % 2, R # 24 / 8",
                    "R # 24 % 8",
                    {branch(), then(VectorMethod::split, "A % 2, R # 24 / 4", "R # 24 % 4"), reduce("R", op, "A % 2", "1 # 4"),
                     then(VectorMethod::pad_way8, "", "1 # 8")}};
    EXPECT_EQ(agrees(both, hashed, folded("R", 0, 19, op)), 3 * 8);
    // Results inside the outermost factor of R need slots.
    VectorPass slots{"A = 8, R = 10, B = 2",
                     "A / 2",
                     "R # 12 / 4, B, R # 12 % 4",
                     "A % 2 # 8",
                     {branch(), then(VectorMethod::trim_way4, "", "A % 2 # 4"), reduce("R", op, "B", "A % 2 # 4"),
                      then(VectorMethod::pad_way8, "", "A % 2 # 8")}};
    EXPECT_EQ(agrees(slots, hashed, folded("R", 0, 10, op)), 3 * 16);
    EXPECT_EQ(std::get<program::IntraSliceReduceStep>(vector_of(*slots.lowered()).steps[2].what).slots, 2);
  }
}

TEST(LowerVector, reduces_in_slices_keep_their_part) {
  // R over Slice and Time: slice 5 of 8 holds two of three.
  VectorPass const p{"A = 4, R = 17",
                     "R # 24 / 3",
                     "R # 24 % 3",
                     "A # 8",
                     {branch(), then(VectorMethod::trim_way4, "", "A"), reduce("R", ReduceOp::AddSat, "1", "A"),
                      then(VectorMethod::pad_way8, "", "A # 8")}};
  EXPECT_EQ(agrees(p, hashed,
                   [](const Index& x) {
                     std::int64_t const begin = x.get("R");
                     return folded("R", begin, std::min<std::int64_t>(begin + 3, 17), ReduceOp::AddSat)(x);
                   }),
            3 * 6 * 4);
}

TEST(LowerVector, identity_values_where_counts_do_not_reach) {
  // The outer part of R lies in Packet: no count tells it, a mask with one count a step does.
  for (ReduceOp op : {ReduceOp::AddSat, ReduceOp::Max, ReduceOp::Min}) {
    VectorPass const p{"R = 19, A = 4",
                       "A",
                       "R # 32 % 8",
                       "R # 32 / 8 # 8",
                       {branch(), then(VectorMethod::trim_way4, "", "R # 32 / 8"), reduce("R", op, "1", "1 # 4"),
                        then(VectorMethod::pad_way8, "", "1 # 8")}};
    EXPECT_EQ(agrees(p, hashed, folded("R", 0, 19, op)), 3 * 4);
    auto const program = p.lowered();
    EXPECT_FALSE(vector_of(*program).valid_count.has_value());
    ASSERT_TRUE(exec_of(*program).fetch.mask.has_value());
    EXPECT_EQ(exec_of(*program).fetch.mask->pad_value, identity_bits(ScalarType::i32, op));
    EXPECT_EQ(std::get<program::IntraSliceReduceStep>(vector_of(*program).steps[2].what).identity, identity_bits(ScalarType::i32, op));
  }
}

TEST(LowerVector, identity_values_of_the_stored_type) {
  VectorPass p{"R = 19, A = 4",
               "A",
               "R # 32 % 8",
               "R # 32 / 8 # 8",
               {branch(), then(VectorMethod::trim_way4, "", "R # 32 / 8"), reduce("R", ReduceOp::Max, "1", "1 # 4"),
                then(VectorMethod::pad_way8, "", "1 # 8")}};
  p.type = ScalarType::f32;
  p.stored = ScalarType::bf16;
  auto const most = p.lowered();
  ASSERT_TRUE(most) << render(most.refusal());
  EXPECT_EQ(exec_of(*most).fetch.mask.value().pad_value, 0x7fc0u) << "NaN, which Max ignores";
  p.stages[2] = reduce("R", ReduceOp::Add, "1", "1 # 4");
  EXPECT_EQ(exec_of(*p.lowered()).fetch.mask.value().pad_value, 0x8000u) << "-0.0";
  // The least i32 is no i8.
  p.type = ScalarType::i32;
  p.stored = ScalarType::i8;
  p.stages[2] = reduce("R", ReduceOp::Max, "1", "1 # 4");
  EXPECT_EQ(code_of(p.lowered()), "reduce-identity-not-fetched");
  p.stages[2] = reduce("R", ReduceOp::AddSat, "1", "1 # 4");
  EXPECT_EQ(code_of(p.lowered()), "accepted");
}

TEST(LowerVector, zeros_in_memory_are_good_for_a_sum) {
  // Which elements are missing depends on the slice: neither counts nor a mask tell it. The tensor holds zeros there.
  VectorPass p{"R = 29, A = 4",
               "R #z 32 / 8",
               "1",
               "R #z 32 % 8",
               {branch(), then(VectorMethod::split, "R #z 32 / 4 % 2", "R #z 32 % 4"), reduce("R", ReduceOp::AddSat, "1", "1 # 4"),
                then(VectorMethod::pad_way8, "", "1 # 8")}};
  auto const sum = p.lowered();
  ASSERT_TRUE(sum) << render(sum.refusal());
  EXPECT_FALSE(vector_of(*sum).valid_count.has_value());
  EXPECT_FALSE(exec_of(*sum).fetch.mask.has_value());
  EXPECT_EQ(std::get<program::IntraSliceReduceStep>(vector_of(*sum).steps[2].what).identity, 0u);
  p.stages[2] = reduce("R", ReduceOp::Max, "1", "1 # 4");
  EXPECT_EQ(code_of(p.lowered()), "valid-count-varies-by-slice");
}

TEST(LowerVector, one_generator_counts_once) {
  // The ring must leave R out before the block, the reduce B inside it, behind an operation.
  VectorPass const p{
      "R = 13, A = 4, B = 5",
      "R # 16 / 4",
      "R # 16 % 4, B # 8",
      "A # 8",
      {then(ir::InterSliceReduce{ReduceOp::AddSat}, "", "", "1 # 4"), branch(), add_constant(1), then(VectorMethod::trim_way4, "", "A"),
       reduce("B", ReduceOp::AddSat, "R # 16 % 4", "A"), then(VectorMethod::pad_way8, "", "A # 8")}};
  EXPECT_EQ(code_of(p.lowered()), "lower-valid-count-shared");
}

TEST(LowerVector, identity_values_need_an_untouched_path) {
  VectorPass const p{"R = 19, A = 4",
                     "A",
                     "R # 32 % 8",
                     "R # 32 / 8 # 8",
                     {branch(), add_constant(1), then(VectorMethod::trim_way4, "", "R # 32 / 8"), reduce("R", ReduceOp::Max, "1", "1 # 4"),
                      then(VectorMethod::pad_way8, "", "1 # 8")}};
  auto const program = p.lowered();
  ASSERT_FALSE(program);
  EXPECT_EQ(std::string(program.refusal().code), "valid-count-packet-not-innermost");
  EXPECT_NE(program.refusal().note.view().find("an operation before the reduce"), std::string_view::npos);
}

TEST(LowerVector, inter_slice_dummy_broadcast_and_promotion) {
  auto const across = [](ReduceOp op, std::string slice, std::string time) {
    return then(ir::InterSliceReduce{op}, std::move(time), "", std::move(slice));
  };
  VectorPass const dummy{"R = 4, A = 64", "A / 8, R", "1", "A % 8", {across(ReduceOp::AddSat, "A / 8, 1 # 4", "1")}};
  EXPECT_EQ(agrees(dummy, hashed, folded("R", 0, 4, ReduceOp::AddSat)), 3 * 64);
  VectorPass const broadcast{"B = 4, R = 4, X = 4, A = 8", "B, R", "1", "A", {across(ReduceOp::Max, "B, X", "1")}};
  EXPECT_EQ(agrees(broadcast, hashed, [](const Index& x) { return folded("R", 0, 4, ReduceOp::Max)(at(x, "X", 0)); }), 3 * 128);
  VectorPass const promotion{"B = 4, R = 4, I = 2, C = 4, K = 2, A = 8", "B, R", "I, C, K", "A", {across(ReduceOp::Min, "B, C", "I, K")}};
  EXPECT_EQ(agrees(promotion, hashed, folded("R", 0, 4, ReduceOp::Min)), 3 * 4 * 16 * 8);
}

TEST(LowerVector, inter_slice_leaves_absent_slices_and_lanes_out) {
  auto const across = [](ReduceOp op, std::string slice) { return then(ir::InterSliceReduce{op}, "", "", std::move(slice)); };
  // The fourth slice of each group is empty.
  VectorPass const slices{"R = 3, A = 32", "A / 8, R # 4", "1", "A % 8", {across(ReduceOp::AddSat, "A / 8, 1 # 4")}};
  EXPECT_EQ(agrees(slices, hashed, folded("R", 0, 3, ReduceOp::AddSat)), 3 * 32);
  EXPECT_FALSE(vector_of(*slices.lowered()).valid_count.has_value()) << "idle slices take no part anyway";
  // R ends inside a slice: step 0 has four elements, steps 1 to 3 have three.
  VectorPass const steps{"R = 13, A = 8", "R # 16 / 4", "R # 16 % 4", "A", {across(ReduceOp::AddSat, "1 # 4")}};
  EXPECT_EQ(agrees(steps, hashed,
                   [](const Index& x) {
                     std::uint32_t sum = 0;
                     for (std::int64_t r = x.get("R"); r < 13; r += 4) sum += hashed(at(x, "R", r));
                     return sum;
                   }),
            3 * 4 * 8);
  EXPECT_TRUE(vector_of(*steps.lowered()).valid_count.has_value());
}

TEST(LowerVector, both_blocks) {
  auto const across = [](std::string slice) { return then(ir::InterSliceReduce{ReduceOp::AddSat}, "", "", std::move(slice)); };
  // Inside slices, then across them; the last slice is half empty.
  VectorPass const intra_first{"R = 29, A = 4",
                               "R # 32 / 8",
                               "R # 32 % 8",
                               "A # 8",
                               {branch(), then(VectorMethod::trim_way4, "", "A"), reduce("R", ReduceOp::AddSat, "1", "A"),
                                then(VectorMethod::pad_way8, "", "A # 8"), across("1 # 4")}};
  EXPECT_EQ(agrees(intra_first, hashed, folded("R", 0, 29, ReduceOp::AddSat)), 3 * 4);
  VectorPass const inter_first{"R = 3, A = 8", "R # 4", "1", "A", {across("1 # 4"), branch(), add_constant(100)}};
  EXPECT_EQ(agrees(inter_first, hashed, [](const Index& x) { return folded("R", 0, 3, ReduceOp::AddSat)(x) + 100; }), 3 * 8);
}

ir::Operand from_stash() { return {{OperandKind::stash, ScalarType::i32, OperandGuard::always(), false, 0}, ir::none}; }
ir::Operand from_register(ir::TensorId id) { return {{OperandKind::vrf, ScalarType::i32, OperandGuard::always(), false, 0}, id}; }
Then operation(FxpBinaryOp op, const ir::Operand& operand) {
  ir::VectorOperation o;
  o.step = step_of(op);
  o.operands.push_back(operand);
  return then(o);
}

TEST(LowerVector, an_operand_from_the_stash) {
  VectorPass const p{"A = 64, B = 4",
                     "A / 16",
                     "B, A / 8 % 2",
                     "A % 8",
                     {branch(), then(ir::Stash{}), add_constant(3), operation(FxpBinaryOp::MulInt, from_stash())}};
  EXPECT_EQ(agrees(p, hashed, [](const Index& x) { return (hashed(x) + 3) * hashed(x); }), 3 * 256);
}

TEST(LowerVector, an_operand_from_vrf_is_repeated_over_what_it_lacks) {
  // In VRF the 16 elements of A that a slice has, their halves turned about; no B.
  VectorPass p{
      "A = 64, B = 4", "A / 16", "B, A / 8 % 2", "A % 8", {branch(), operation(FxpBinaryOp::AddFxp, from_register(ir::TensorId(0)))}};
  p.registers = {{"A / 16", "A % 8, A / 8 % 2", 64}};
  auto const fill = [](machine::VectorEngine& e) {
    for (std::int64_t a = 0; a < 64; ++a) e.vrf[{a / 16, 64 + 4 * (a % 8 * 2 + a / 8 % 2)}] = static_cast<std::uint32_t>(1000 * a);
  };
  EXPECT_EQ(agrees(p, hashed, [](const Index& x) { return hashed(x) + static_cast<std::uint32_t>(1000 * x.get("A")); }, fill), 3 * 256);
}

TEST(LowerVector, a_running_sum_is_written_back) {
  // The lanes of B hold a sum each; lanes 5 to 7 are padding, and must not write over what lies behind.
  VectorPass p{"A = 6, B = 5",
               "1",
               "A",
               "B # 8",
               {branch(), operation(FxpBinaryOp::AddFxp, from_register(ir::TensorId(0))),
                then(ir::WriteOperand{ir::TensorId(0), OperandGuard::always()})}};
  p.registers = {{"1", "B", 64}};
  auto const fill = [](machine::VectorEngine& e) {
    for (std::int64_t i = 0; i < 8; ++i) e.vrf[{0, 64 + 4 * i}] = i < 5 ? 0 : 77;
  };
  agrees(
      p, hashed,
      [](const Index& x) {
        std::uint32_t sum = 0;
        for (std::int64_t a = 0; a <= x.get("A"); ++a) sum += hashed(at(x, "A", a));
        return sum;
      },
      fill);
  auto const program = p.lowered();
  machine::VectorEngine engine;
  fill(engine);
  engine.run(vector_of(*program), entering(p.module().module, exec_of(*program), hashed, 1));
  for (std::int64_t i = 5; i < 8; ++i) EXPECT_EQ((engine.vrf.at({0, 64 + 4 * i})), 77u);
}

TEST(LowerVector, ids_from_vrf_and_to_vrf) {
  VectorPass p{"A = 16, B = 4",
               "1",
               "B, A / 8",
               "A % 8",
               {then(ir::Branch{BranchMode::Vrf, ir::TensorId(0)}), then(ir::BranchLog{ir::TensorId(1)}),
                operation(FxpBinaryOp::AddFxp, {{OperandKind::immediate, ScalarType::i32, OperandGuard::bit(1), true, 5000}, ir::none})}};
  p.registers = {{"1", "A", 0}, {"1", "B, A", 128}};
  machine::VectorEngine engine;
  auto const fill = [](machine::VectorEngine& e) {
    for (std::int64_t a = 0; a < 16; ++a) e.vrf[{0, 4 * a}] = static_cast<std::uint32_t>(a);
  };
  EXPECT_EQ(agrees(p, hashed, [](const Index& x) { return hashed(x) + (x.get("A") & 2 ? 5000u : 0u); }, fill), 3 * 64);
  auto const program = p.lowered();
  fill(engine);
  engine.run(vector_of(*program), entering(p.module().module, exec_of(*program), hashed, 0));
  for (std::int64_t i = 0; i < 64; ++i) EXPECT_EQ((engine.vrf.at({0, 128 + 4 * i})), static_cast<std::uint32_t>(i % 16));
}

TEST(LowerVector, two_groups_until_the_zip) {
  ir::VectorOperation first;
  first.step = step_of(FxpBinaryOp::AddFxp, {}, Groups::group1);
  first.operands.push_back({{OperandKind::immediate, ScalarType::i32, OperandGuard::always(), true, 7}, ir::none});
  ir::VectorOperation zip;
  zip.step = step_of(FxpBinaryOp::MulInt, {}, Groups::zip);
  for (const char* time : {"I, B", "B, I"}) {
    VectorPass p{"A = 8, B = 4, I = 2", "1", time, "A", {}};
    Then unzip{
        [time](build::ModuleBuilder::PassBuilder& b) { b.stage(ir::Unzip{Name("I"), b.map(time[0] == 'I' ? "1 # 2, B" : "B, 1 # 2")}); },
        "", "B", ""};
    p.stages = {unzip, then(first), then(zip)};
    EXPECT_EQ(agrees(p, hashed, [](const Index& x) { return hashed(at(x, "I", 0)) * (hashed(at(x, "I", 1)) + 7); }), 3 * 32) << time;
  }
}

TEST(LowerVector, a_branch_by_valid_count_shares_its_counts) {
  VectorPass const p{"R = 19, A = 4",
                     "A",
                     "R # 24 / 8",
                     "R # 24 % 8",
                     {then(ir::Branch{BranchMode::ValidCount, ir::none}),
                      operation(FxpBinaryOp::AddFxp, {{OperandKind::immediate, ScalarType::i32, OperandGuard::id(1), true, 100}, ir::none}),
                      then(VectorMethod::split, "R # 24 / 4", "R # 24 % 4"), reduce("R", ReduceOp::AddSat, "1", "1 # 4"),
                      then(VectorMethod::pad_way8, "", "1 # 8")}};
  EXPECT_EQ(agrees(p, hashed, folded("R", 0, 19, ReduceOp::AddSat, [](const Index& x) { return hashed(x) + 100; })), 3 * 4);
}

TEST(LowerVector, a_filter_keeps_no_padding) {
  ir::Branch const small{BranchMode::comparing(InputCmp::Less(2000)), ir::none};
  VectorPass p{
      "A = 21, K = 24", "1", "A # 24 / 8", "A # 24 % 8", {then(small), then(ir::Filter{OperandGuard::bit(0), ir::none}, "K / 8", "K % 8")}};
  // All of A is kept, in its order; garbage above 2000 would not be, below it must not be.
  auto const program = p.lowered();
  ASSERT_TRUE(program) << render(program.refusal());
  machine::VectorEngine engine;
  auto const out = engine.run(vector_of(*program), entering(p.module().module, exec_of(*program), hashed, 7));
  for (std::int64_t i = 0; i < 21; ++i)
    EXPECT_EQ(out[0][static_cast<std::size_t>(i / 8)].lane[static_cast<std::size_t>(i % 8)].bits, hashed(at({}, "A", i))) << i;
  for (std::int64_t i = 21; i < 24; ++i) EXPECT_EQ(out[0][2].lane[static_cast<std::size_t>(i % 8)].bits, 0xdeadbeefu);
}

}  // namespace
}  // namespace tcp::lower
