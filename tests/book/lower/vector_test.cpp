// The rows of the ledger on the Vector Engine's stages, ALUs, operands and modes, as they stand in the compiled programme.
#include <gtest/gtest.h>

#include "unit/lower/vector_pass.hpp"

namespace tcp::lower {
namespace {

using Step = program::VectorStep;

VectorPass plain(ScalarType type = ScalarType::i32) {
  VectorPass p{"A = 512", "A / 2", "1", "A % 2 # 8"};
  p.type = p.stored = type;
  p.device = rngd;
  p.cluster = "1 # 2";
  return p;
}
ir::Operand constant(ScalarType type, std::uint32_t bits, OperandGuard guard = OperandGuard::always()) {
  return {{OperandKind::immediate, type, guard, true, bits}, ir::none};
}
Then operation(const VectorStep& step, std::vector<ir::Operand> operands) {
  ir::VectorOperation o;
  o.step = step;
  o.operands = std::move(operands);
  return then(o);
}
std::vector<Step> steps_of(const VectorPass& p) {
  auto const program = p.lowered();
  if (!program) throw std::runtime_error(render(program.refusal()));
  return vector_of(*program).steps;
}
/// The one step of a pass with this operation alone, after the branch and, for Way4, a trim.
program::OperateStep compiled(const VectorStep& step, std::vector<ir::Operand> operands, ScalarType type, bool narrow = false) {
  VectorPass p = plain(type);
  p.stages = {branch()};
  if (narrow) p.stages.push_back(then(VectorMethod::trim_way4, "", "A % 2 # 4"));
  p.stages.push_back(operation(step, std::move(operands)));
  if (narrow) p.stages.push_back(then(VectorMethod::pad_way8, "", "A % 2 # 8"));
  return std::get<program::OperateStep>(steps_of(p)[narrow ? 2 : 1].what);
}
template <class Op>
void expect_alu(Op op, program::OperateStep::Family family, VectorAlu alu, ScalarType type, bool narrow = false) {
  program::OperateStep const s = compiled(step_of(op), {constant(type, 3)}, type, narrow);
  EXPECT_EQ(s.family, family) << info_of(op).name;
  EXPECT_EQ(s.op, static_cast<std::uint8_t>(op.code)) << info_of(op).name;
  EXPECT_EQ(s.alu, static_cast<std::uint8_t>(alu)) << info_of(op).name;
}

constexpr ScalarType i = ScalarType::i32, f = ScalarType::f32;

TEST(Book, VEC_013_config) {
  VectorPass p = plain();
  ir::VectorOperation sigmoid;
  sigmoid.step = step_of(FpUnaryOp::Sigmoid);
  p.stages = {branch(), add_constant(100)};
  p.stages.push_back(operation(fxp_to_fp_step(31), {}));
  p.stages.back().add = [](build::ModuleBuilder::PassBuilder& b) {
    ir::VectorOperation o;
    o.step = fxp_to_fp_step(31);
    b.type(ScalarType::f32).stage(o);
  };
  p.stages.push_back(then(VectorMethod::trim_way4, "", "A % 2 # 4"));
  p.stages.push_back(then(sigmoid));
  p.stages.push_back(then(VectorMethod::pad_way8, "", "A % 2 # 8"));
  p.stages.push_back({[](build::ModuleBuilder::PassBuilder& b) {
                        ir::VectorOperation o;
                        o.step = fp_to_fxp_step(31);
                        b.type(ScalarType::i32).stage(o);
                      },
                      "", "", ""});
  std::vector<Step> const s = steps_of(p);
  ASSERT_EQ(s.size(), 7u);
  EXPECT_TRUE(std::holds_alternative<program::BranchStep>(s[0].what));
  EXPECT_TRUE(std::holds_alternative<program::OperateStep>(s[1].what));
  EXPECT_EQ(std::get<program::ConvertStep>(s[2].what), (program::ConvertStep{true, 31}));
  EXPECT_EQ(std::get<program::ReshapeStep>(s[3].what).width, program::ReshapeStep::Width::Trim);
  EXPECT_TRUE(std::holds_alternative<program::OperateStep>(s[4].what));
  EXPECT_EQ(std::get<program::ReshapeStep>(s[5].what).width, program::ReshapeStep::Width::Pad);
  EXPECT_FALSE(std::get<program::ConvertStep>(s[6].what).to_float);
  EXPECT_EQ(std::get<program::OperateStep>(s[4].what).alu, static_cast<std::uint8_t>(VectorAlu::FpFpu));
}

TEST(Book, VEC_018_config) {
  expect_alu(LogicBinaryOpI32(LogicBinaryOpI32::BitAnd), program::OperateStep::Family::LogicI32, VectorAlu::LogicAnd, i);
  expect_alu(LogicBinaryOpI32(LogicBinaryOpI32::BitOr), program::OperateStep::Family::LogicI32, VectorAlu::LogicOr, i);
  expect_alu(LogicBinaryOpI32(LogicBinaryOpI32::BitXor), program::OperateStep::Family::LogicI32, VectorAlu::LogicXor, i);
  expect_alu(LogicBinaryOpI32(LogicBinaryOpI32::LeftShift), program::OperateStep::Family::LogicI32, VectorAlu::LogicLshift, i);
  expect_alu(LogicBinaryOpI32(LogicBinaryOpI32::LogicRightShift), program::OperateStep::Family::LogicI32, VectorAlu::LogicRshift, i);
  expect_alu(LogicBinaryOpI32(LogicBinaryOpI32::ArithRightShift), program::OperateStep::Family::LogicI32, VectorAlu::LogicRshift, i);
  expect_alu(LogicBinaryOpF32(LogicBinaryOpF32::BitAnd), program::OperateStep::Family::LogicF32, VectorAlu::LogicAnd, f);
  expect_alu(LogicBinaryOpF32(LogicBinaryOpF32::BitXor), program::OperateStep::Family::LogicF32, VectorAlu::LogicXor, f);
}
TEST(Book, VEC_019_config) {
  expect_alu(FxpBinaryOp(FxpBinaryOp::AddFxp), program::OperateStep::Family::Fxp, VectorAlu::FxpAdd, i);
  expect_alu(FxpBinaryOp(FxpBinaryOp::SubFxpSat), program::OperateStep::Family::Fxp, VectorAlu::FxpAdd, i);
  expect_alu(FxpBinaryOp(FxpBinaryOp::LeftShiftSat), program::OperateStep::Family::Fxp, VectorAlu::FxpLshift, i);
  expect_alu(FxpBinaryOp(FxpBinaryOp::MulFxp), program::OperateStep::Family::Fxp, VectorAlu::FxpMul, i);
  expect_alu(FxpBinaryOp(FxpBinaryOp::MulInt), program::OperateStep::Family::Fxp, VectorAlu::FxpMul, i);
  expect_alu(FxpBinaryOp(FxpBinaryOp::ArithRightShiftRound), program::OperateStep::Family::Fxp, VectorAlu::FxpRshift, i);
}
TEST(Book, VEC_022_config) {
  expect_alu(FpBinaryOp(FpBinaryOp::AddF), program::OperateStep::Family::FpBinary, VectorAlu::FpFma, f, true);
  expect_alu(FpBinaryOp(FpBinaryOp::SubF), program::OperateStep::Family::FpBinary, VectorAlu::FpFma, f, true);
  expect_alu(FpBinaryOp(FpBinaryOp::DivF), program::OperateStep::Family::FpBinary, VectorAlu::FpFpu, f, true);
  expect_alu(FpBinaryOp::MulF(FpMulAlu(FpMulAlu::Mul0)), program::OperateStep::Family::FpBinary, VectorAlu::FpMul0, f, true);
  expect_alu(FpBinaryOp::MulF(FpMulAlu(FpMulAlu::Mul1)), program::OperateStep::Family::FpBinary, VectorAlu::FpMul1, f, true);
  EXPECT_EQ(compiled(step_of(FpUnaryOp::Exp), {}, f, true).alu, static_cast<std::uint8_t>(VectorAlu::FpExp));
  EXPECT_EQ(compiled(step_of(FpUnaryOp::Tanh), {}, f, true).alu, static_cast<std::uint8_t>(VectorAlu::FpFpu));
}
TEST(Book, VEC_024_config) {
  program::OperateStep const s = compiled(step_of(FpDivBinaryOp(FpDivBinaryOp::DivF)), {constant(f, 0x40000000)}, f, true);
  EXPECT_EQ(s.family, program::OperateStep::Family::FpDiv);
  EXPECT_EQ(s.alu, static_cast<std::uint8_t>(VectorAlu::ReduceFpDiv));
}
TEST(Book, VEC_027_config) {
  expect_alu(ClipBinaryOpI32(ClipBinaryOpI32::Min), program::OperateStep::Family::ClipI32, VectorAlu::ClipMin, i);
  expect_alu(ClipBinaryOpI32(ClipBinaryOpI32::AbsMax), program::OperateStep::Family::ClipI32, VectorAlu::ClipMax, i);
  expect_alu(ClipBinaryOpI32(ClipBinaryOpI32::AddFxpSat), program::OperateStep::Family::ClipI32, VectorAlu::ClipAdd, i);
  expect_alu(ClipBinaryOpF32(ClipBinaryOpF32::Max), program::OperateStep::Family::ClipF32, VectorAlu::ClipMax, f);
  expect_alu(ClipBinaryOpF32(ClipBinaryOpF32::Add), program::OperateStep::Family::ClipF32, VectorAlu::ClipAdd, f);
}

TEST(Book, VEC_036_config) {
  VectorPass p = plain(f);
  p.stages = {branch(),
              then(VectorMethod::trim_way4, "", "A % 2 # 4"),
              operation(step_of(FpBinaryOp(FpBinaryOp::AddF)), {constant(f, 0x3f800000)}),
              operation(step_of(FpBinaryOp::MulF(FpMulAlu(FpMulAlu::Mul0))), {constant(f, 0x40000000)}),
              operation(step_of(FpBinaryOp::MulF(FpMulAlu(FpMulAlu::Mul1))), {constant(f, 0x40400000)}),
              operation(step_of(FpUnaryOp::Sqrt), {}),
              operation(step_of(FpUnaryOp::Exp), {}),
              then(VectorMethod::pad_way8, "", "A % 2 # 8")};
  std::vector<Step> const s = steps_of(p);
  VectorAlu const alus[] = {VectorAlu::FpFma, VectorAlu::FpMul0, VectorAlu::FpMul1, VectorAlu::FpFpu, VectorAlu::FpExp};
  for (std::size_t k = 0; k < 5; ++k) EXPECT_EQ(std::get<program::OperateStep>(s[2 + k].what).alu, static_cast<std::uint8_t>(alus[k])) << k;
}

TEST(Book, VEC_041_config) {
  VectorPass p{"A = 512, B = 6", "A / 2", "B", "A % 2 # 8"};
  p.stages = {then(ir::Branch{BranchMode::toggle(Name("B")), ir::none})};
  Step const s = steps_of(p)[0];
  const auto& toggle = std::get<program::Toggle>(std::get<program::BranchStep>(s.what).by);
  ASSERT_EQ(toggle.counters.size(), 1u);
  for (std::int64_t t = 0; t < 6; ++t) {
    const auto& c = toggle.counters[0];
    EXPECT_EQ((toggle.start + t * 8 / c.inside % c.size * c.weight) % 2, t % 2);
  }
}
TEST(Book, VEC_043_config) {
  VectorPass p = plain();
  p.stages = {then(ir::Branch{BranchMode::comparing(InputCmp::Less(-3), InputCmp::Equal(7), InputCmp::True), ir::none})};
  Step const s = steps_of(p)[0];
  const auto& compare = std::get<program::Comparisons>(std::get<program::BranchStep>(s.what).by).each;
  EXPECT_EQ(compare[0], (program::Comparison{program::Compare::Less, static_cast<std::uint32_t>(-3)}));
  EXPECT_EQ(compare[1], (program::Comparison{program::Compare::Equal, 7}));
  EXPECT_EQ(compare[2].kind, program::Compare::True);
  EXPECT_EQ(compare[3].kind, program::Compare::False);
}

TEST(Book, VEC_097_config) {
  VectorPass p{"A = 512", "A / 32", "A / 8 % 4", "A % 8"};
  p.stages = {branch(), then(VectorMethod::split, "A / 8 % 4, A / 4 % 2", "A % 4"), then(VectorMethod::concat, "A / 8 % 4", "A % 8")};
  std::vector<Step> const s = steps_of(p);
  EXPECT_EQ(std::get<program::ReshapeStep>(s[1].what).width, program::ReshapeStep::Width::Split);
  EXPECT_EQ(s[1].time_out, 8);
  EXPECT_EQ(std::get<program::ReshapeStep>(s[2].what).width, program::ReshapeStep::Width::Concat);
  EXPECT_EQ(s[2].time_out, 4);
}

TEST(Book, VEC_112_config) {
  VectorPass p = plain();
  p.stages = {
      branch(), then(ir::Stash{}), add_constant(100),
      operation(step_of(ClipBinaryOpI32(ClipBinaryOpI32::Max)), {{{OperandKind::stash, i, OperandGuard::always(), false, 0}, ir::none}})};
  std::vector<Step> const s = steps_of(p);
  EXPECT_TRUE(std::holds_alternative<program::StashStep>(s[1].what));
  EXPECT_TRUE(std::holds_alternative<program::Stashed>(std::get<program::OperateStep>(s[3].what).operands.at(0).source));
}

TEST(Book, VEC_117_config) {
  EXPECT_EQ(compiled(step_of(FxpBinaryOp(FxpBinaryOp::AddFxp)), {constant(i, 1)}, i).operands.at(0).ids, 0xffff);
}
TEST(Book, VEC_118_config) {
  program::OperateStep const s =
      compiled(step_of(FxpBinaryOp(FxpBinaryOp::AddFxp)), {constant(i, 1, OperandGuard::group(GroupId::Zero))}, i);
  EXPECT_EQ(s.operands.at(0).ids, 0x00ff) << "ids whose bit 3 is clear";
}
TEST(Book, VEC_119_config) {
  VectorPass p{"A = 512, B = 256", "A / 2", "B", "A % 2 # 8"};
  p.device = rngd;
  p.cluster = "1 # 2";
  p.registers = {{"A / 2", "A % 2 # 8", 32}};
  p.stages = {branch(), operation(step_of(FxpBinaryOp(FxpBinaryOp::AddFxp)),
                                  {{{OperandKind::vrf, i, OperandGuard::always(), false, 0}, ir::TensorId(0)}})};
  Step const s = steps_of(p)[1];
  const auto& walk = std::get<program::VrfWalk>(std::get<program::OperateStep>(s.what).operands.at(0).source);
  EXPECT_EQ(walk.address, 32);
  // Over 256 steps the same places, lane by lane 4 bytes on.
  for (std::int64_t t : {0, 1, 255})
    for (std::int64_t lane = 0; lane < 2; ++lane) {
      std::int64_t position = t * 8 + lane, address = walk.address;
      for (std::size_t k = walk.loops.size(); k-- > 0; position /= walk.loops[k].size)
        address += position % walk.loops[k].size * walk.loops[k].stride;
      EXPECT_EQ(address, 32 + 4 * lane) << t;
    }
}

TEST(Book, VEC_121_config) {
  for (BinaryArgMode::Code mode :
       {BinaryArgMode::Code::Mode00, BinaryArgMode::Code::Mode01, BinaryArgMode::Code::Mode10, BinaryArgMode::Code::Mode11}) {
    std::vector<ir::Operand> operands;
    if (mode != BinaryArgMode::Code::Mode00) operands.push_back(constant(i, 7));
    program::OperateStep const s = compiled(step_of(FxpBinaryOp(FxpBinaryOp::SubFxp), BinaryArgMode(mode)), operands, i);
    EXPECT_EQ(s.mode, static_cast<std::uint8_t>(mode));
    EXPECT_EQ(s.operands.size(), operands.size());
  }
}
TEST(Book, VEC_125_config) {
  program::OperateStep const s =
      compiled(step_of(FpTernaryOp(FpTernaryOp::FmaF)), {constant(f, 0x3f800000), constant(f, 0x40000000)}, f, true);
  EXPECT_EQ(s.family, program::OperateStep::Family::FpTernary);
  EXPECT_EQ(s.mode, 0);
  ASSERT_EQ(s.operands.size(), 2u);
  EXPECT_EQ(std::get<program::Immediate>(s.operands[0].source).bits, 0x3f800000u);
  EXPECT_EQ(std::get<program::Immediate>(s.operands[1].source).bits, 0x40000000u);
}

TEST(Book, VEC_145_config) {
  VectorPass p{"A = 512, I = 2", "A / 2", "I", "A % 2 # 8"};
  p.device = rngd;
  p.cluster = "1 # 2";
  Then const unzip{[](build::ModuleBuilder::PassBuilder& b) { b.stage(ir::Unzip{Name("I"), b.map("1 # 2")}); }, "", "1", ""};
  p.stages = {unzip, operation(step_of(FxpBinaryOp(FxpBinaryOp::MulInt), {}, Groups::group0), {constant(i, 10)}),
              operation(step_of(ClipBinaryOpI32(ClipBinaryOpI32::AddFxp), {}, Groups::zip), {})};
  std::vector<Step> const s = steps_of(p);
  EXPECT_EQ(std::get<program::UnzipStep>(s[0].what).alternate, 1);
  EXPECT_EQ(std::get<program::OperateStep>(s[1].what).group, program::OperateStep::Group::Zero);
  EXPECT_EQ(std::get<program::OperateStep>(s[2].what).group, program::OperateStep::Group::Zip);
  EXPECT_EQ(s[2].time_out, 1);
}

}  // namespace
}  // namespace tcp::lower
