// The ledger's rows on the Vector Engine and its intra-slice block: what they say of types, acceptance and refusal. The values are the interpreters'.
#include <gtest/gtest.h>

#include "tcp/device/chips.hpp"
#include "tcp/rules/inter_slice.hpp"
#include "valid_counts.hpp"
#include "written.hpp"

namespace tcp {
namespace {

using namespace chain;

TCP_AXES(A = 512, B = 256, I = 2, K = 256, M = 128, N = 256, R = 4, S = 64);

constexpr ScalarType int32 = ScalarType::i32, float32 = ScalarType::f32;
constexpr VectorMethod split = VectorMethod::split, trim = VectorMethod::trim_way4, concat = VectorMethod::concat,
                       pad = VectorMethod::pad_way8, reduce = VectorMethod::intra_slice_reduce, filter = VectorMethod::filter,
                       stash = VectorMethod::stash, final_ = VectorMethod::output, inter = VectorMethod::inter_slice_reduce,
                       unzip = VectorMethod::unzip;
const VectorStep branch = step_of(BranchMode::Unconditional);
const VectorStep compare = step_of(BranchMode::comparing(InputCmp::Less(0)));
const VectorStep to_fp = fxp_to_fp_step(31), to_fxp = fp_to_fxp_step(31);
const VectorStep add = step_of(FxpBinaryOp::AddFxp), clip = step_of(ClipBinaryOpI32::Max), exp = step_of(FpUnaryOp::Exp);
const VectorStep clip_f32 = step_of(ClipBinaryOpF32::Max), fp_div = step_of(FpDivBinaryOp::DivF);

Mapping list(auto const&... e) { return detail::listed(e...); }

/// Where an operation stands, which ALU it takes, and that it cannot be had twice.
template <class Op>
void takes(Op op, VectorStage stage, VectorAlu alu, ScalarType type) {
  VectorStep const step = step_of(op);
  EXPECT_EQ(info_of(step.method).stage, stage);
  EXPECT_EQ(alu_of(step), alu);
  VectorState state;
  state.stage = stage == VectorStage::FpDiv ? VectorStage::Narrow : stage;
  state.type = type;
  state.way = info_of(step.method).way;
  Operands const operands = constants(step, type);
  EXPECT_EQ(code(check_step(state, step, operands)), "accepted");
  EXPECT_TRUE(next_state(state, step, operands).uses(alu));
  EXPECT_EQ(code(check_step(next_state(state, step, operands), step, operands)),
            stage == VectorStage::FpDiv ? "vector-stage-order" : "vector-alu-in-use");
}
void logic_i32(LogicBinaryOpI32 op, VectorAlu alu) { takes(op, VectorStage::Logic, alu, int32); }
void logic_f32(LogicBinaryOpF32 op, VectorAlu alu) { takes(op, VectorStage::Logic, alu, float32); }
void fxp(FxpBinaryOp op, VectorAlu alu) { takes(op, VectorStage::Fxp, alu, int32); }
void fp_unary(FpUnaryOp op, VectorAlu alu) { takes(op, VectorStage::Float, alu, float32); }
void fp_binary(FpBinaryOp op, VectorAlu alu) { takes(op, VectorStage::Float, alu, float32); }
void clip_i32(ClipBinaryOpI32 op, VectorAlu alu) { takes(op, VectorStage::Clip, alu, int32); }
void clip_of_f32(ClipBinaryOpF32 op, VectorAlu alu) { takes(op, VectorStage::Clip, alu, float32); }

TEST(Book, PIP_09_vector_takes_i32_and_f32) {
  for (ScalarType type : scalar_types) {
    bool const wide = type == int32 || type == float32;
    EXPECT_EQ(code(check_vector_init(rngd, type, A % 8)), wide ? "accepted" : "vector-type") << scalar_info(type).name;
  }
}

TEST(Book, API_22_constant_addition) {
  EXPECT_EQ(code(check_vector_init(rngd, int32, A % 8)), "accepted");
  EXPECT_EQ(run(int32, {branch, step_of(FxpBinaryOp::AddFxp), final_}).state.stage, VectorStage::Output);
  EXPECT_EQ(run(int32, {branch, {step_of(FxpBinaryOp::MulInt), Operands{}.vrf(int32)}, final_}).state.stage, VectorStage::Output);
}

TEST(Book, VEC_001_data_types) {
  EXPECT_EQ(code(check_vector_init(rngd, float32, A % 8)), "accepted");
  EXPECT_EQ(code(check_vector_init(rngd, ScalarType::bf16, A % 16)), "vector-type");
  EXPECT_EQ(code(check_vector_init(rngd, float32, A % 4)), "vector-packet-not-one-flit");
  EXPECT_EQ(code(check_vector_init(rngd, float32, A % 16)), "vector-packet-not-one-flit");
}
TEST(Book, VEC_004_branch) {
  Outcome const o = run(int32, {branch});
  EXPECT_EQ(o.state.stage, VectorStage::Branch);
  EXPECT_EQ(o.state.stash, VectorState::Stash::none);
  EXPECT_EQ(o.state.order, VeOrder::IntraFirst);
}
TEST(Book, VEC_005_unzip) {
  EXPECT_EQ(run(int32, {unzip}).state.stage, VectorStage::Branch);
  EXPECT_EQ(run(int32, {unzip}).state.mode, VectorState::Mode::paired);
  EXPECT_EQ(run(int32, {branch, unzip}).code, "vector-unzip-not-first");
  EXPECT_EQ(run(int32, {inter, unzip}).code, "vector-unzip-not-first");
  auto const made = check_unzip(rngd, list(B, I), Name("I"), list(B, one.pad(2)), B);
  ASSERT_TRUE(made);
  EXPECT_EQ(*made, Mapping(B));
  EXPECT_EQ(*check_unzip(rngd, list(I, B % 32), Name("I"), list(one.pad(2), B % 32), B % 32), Mapping(B % 32));
  EXPECT_EQ(code(check_unzip(rngd, list(I, B), Name("I"), list(one.pad(2), B), B)), "vector-unzip-group-size")
      << "8 KiB before the other group";
  EXPECT_EQ(code(check_unzip(rngd, list(B, I), Name("I"), B, B)), "vector-unzip-wrong-tile-time");
  EXPECT_EQ(code(check_unzip(rngd, list(B, I), Name("I"), list(B, one.pad(2)), list(B, I))), "vector-unzip-wrong-split-time");
  EXPECT_EQ(code(check_unzip(rngd, list(B, R), Name("R"), list(B, one.pad(4)), B)), "vector-unzip-axis");
}
TEST(Book, VEC_006_inter_slice_reduce_first) {
  Outcome const o = run(int32, {inter});
  EXPECT_EQ(o.state.stage, VectorStage::InterSliceReduce);
  EXPECT_EQ(o.state.order, VeOrder::InterFirst);
}
TEST(Book, VEC_007_final_needs_way8) {
  EXPECT_EQ(run(float32, {branch, final_}).state.stage, VectorStage::Output);
  EXPECT_EQ(run(float32, {branch, split, final_}).code, "vector-needs-way8");
  EXPECT_EQ(run(float32, {branch, final_, clip_f32}).code, "vector-after-final");
}
TEST(Book, VEC_008_intra_first) {
  EXPECT_EQ(run(int32, {branch, add, inter, final_}).code, "accepted");
  EXPECT_EQ(run(int32, {branch, add, inter}).state.order, VeOrder::IntraFirst);
  EXPECT_EQ(run(int32, {branch, add, inter, branch}).code, "vector-block-twice");
}
TEST(Book, VEC_009_inter_first) {
  EXPECT_EQ(run(int32, {inter, final_}).code, "accepted");
  EXPECT_EQ(run(int32, {inter, branch, add, final_}).state.order, VeOrder::InterFirst);
  EXPECT_EQ(run(int32, {inter, branch, add, inter}).code, "vector-inter-slice-twice");
}
TEST(Book, VEC_010_relu_types) {
  EXPECT_EQ(run(float32, {branch, clip_f32, final_}).code, "accepted");
  EXPECT_EQ(code(check_vector_init(rngd, float32, N)), "vector-packet-not-one-flit") << "the listing's Packet is 1024 bytes (F-40)";
  EXPECT_EQ(code(check_vector_init(rngd, float32, N % 8)), "accepted");
}
TEST(Book, VEC_011_inter_slice_example_types) {
  Levels const in = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, list(A / 8, R)).set(Level::packet, A % 8);
  auto const made = check_inter_slice_reduce(rngd, int32, ReduceOp::AddSat, in, list(A / 8, one.pad(4)), one);
  ASSERT_TRUE(made) << made.refusal().sentence().s;
  EXPECT_EQ(made->slice, list(A / 8, one.pad(4)));
  EXPECT_EQ(run(int32, {inter, final_}).code, "accepted");
}
TEST(Book, VEC_012_widened_data_fits_a_flit) {
  // Sixteen bf16 are a flit; widened while they are fetched they are two.
  auto const flit = check_collect(rngd, ScalarType::bf16, B, A % 16, B, A % 16),
             wide = check_collect(rngd, float32, B, A % 16, list(B, A / 8 % 2), A % 8);
  ASSERT_TRUE(flit && wide);
  EXPECT_EQ(code(check_vector_init(rngd, float32, flit->packet)), "vector-packet-not-one-flit");
  EXPECT_EQ(code(check_vector_init(rngd, float32, wide->packet)), "accepted");
}
TEST(Book, VEC_013_staged_pipeline_types) {
  Mapping const wide = (A % 2).pad(8), narrow = (A % 2).pad(4);
  Outcome const o = run(int32, {branch, add, to_fp, trim, step_of(FpUnaryOp::Sigmoid), pad, to_fxp, clip, final_});
  EXPECT_EQ(o.code, "accepted");
  EXPECT_EQ(o.state.type, int32);
  EXPECT_EQ(o.state.alus(), 3);
  EXPECT_EQ(*check_trim_way4(rngd, wide, narrow), narrow);
  EXPECT_EQ(*check_pad_way8(rngd, narrow, wide), wide);
}
TEST(Book, VEC_014_fp_unary_needs_a_narrow_stream) { EXPECT_EQ(run(float32, {branch, exp}).code, "vector-needs-way4"); }

TEST(Book, VEC_015_stage_order) {
  // Each stage is entered by one method; the way between Narrow and Widen is four lanes wide.
  struct {
    VectorStep step;
    VectorStage stage;
  } const pipeline[] = {{branch, VectorStage::Branch},
                        {step_of(LogicBinaryOpI32::BitAnd), VectorStage::Logic},
                        {add, VectorStage::Fxp},
                        {to_fp, VectorStage::FxpToFp},
                        {step_of(split), VectorStage::Narrow},
                        {exp, VectorStage::Float},
                        {step_of(reduce), VectorStage::IntraSliceReduce},
                        {fp_div, VectorStage::FpDiv},
                        {step_of(concat), VectorStage::Widen},
                        {to_fxp, VectorStage::FpToFxp},
                        {clip, VectorStage::Clip},
                        {step_of(filter), VectorStage::Filter},
                        {step_of(final_), VectorStage::Output}};
  VectorState state;
  for (auto const& p : pipeline) {
    VectorStep const step = p.stage == VectorStage::Branch ? compare : p.step;
    if (p.stage == VectorStage::Filter) state.reduced = false;  // as if the reduce had been left out: its results have no execution id
    auto const next = advanced(state, step, constants(step, state.type));
    ASSERT_TRUE(next) << next.refusal().sentence().s;
    state = *next;
    EXPECT_EQ(state.stage, p.stage);
    if (p.stage == VectorStage::Output) break;
    // Nothing before it can follow it.
    for (auto const& earlier : pipeline) {
      if (earlier.stage >= p.stage) break;
      EXPECT_FALSE(check_step(state, earlier.step, constants(earlier.step, state.type)))
          << name_of(earlier.stage) << " after " << name_of(p.stage);
    }
  }
  // Stages may be left out.
  EXPECT_EQ(run(int32, {branch, clip, final_}).code, "accepted");
  EXPECT_EQ(run(int32, {compare, filter, final_}).code, "accepted");
}
TEST(Book, VEC_016_stages_that_repeat) {
  VectorStep const logic_or = step_of(LogicBinaryOpI32::BitOr), logic_and = step_of(LogicBinaryOpI32::BitAnd);
  EXPECT_EQ(run(int32, {branch, logic_and, logic_or, add, step_of(FxpBinaryOp::MulInt), clip, step_of(ClipBinaryOpI32::Min), final_}).code,
            "accepted");
  EXPECT_EQ(run(float32, {branch, split, exp, step_of(FpUnaryOp::Sqrt), concat, final_}).code, "accepted");
  EXPECT_EQ(run(int32, {branch, add, logic_and}).code, "vector-stage-order");
  EXPECT_EQ(run(int32, {branch, to_fp, to_fp}).code, "vector-stage-order");
  EXPECT_EQ(run(float32, {branch, split, split}).code, "vector-stage-order");
  EXPECT_EQ(run(float32, {branch, split, fp_div, fp_div}).code, "vector-stage-order");
  EXPECT_EQ(run(int32, {compare, filter, filter}).code, "vector-stage-order");
}
TEST(Book, VEC_017_branch_stage) {
  EXPECT_EQ(run(float32, {branch}).code, "accepted");
  EXPECT_EQ(run(int32, {inter, branch}).code, "accepted");
  EXPECT_EQ(run(int32, {branch, branch}).code, "vector-already-entered");
  EXPECT_EQ(run(int32, {add}).code, "vector-not-entered");
}
TEST(Book, VEC_018_logic_stage) {
  EXPECT_EQ(run(int32, {branch, step_of(LogicBinaryOpI32::LeftShift)}).state.stage, VectorStage::Logic);
  EXPECT_EQ(run(float32, {branch, step_of(LogicBinaryOpF32::BitXor)}).state.stage, VectorStage::Logic);
  EXPECT_EQ(run(float32, {branch, step_of(LogicBinaryOpI32::BitXor)}).code, "vector-wrong-type");
}
TEST(Book, VEC_019_fxp_stage) {
  EXPECT_EQ(run(int32, {branch, add}).state.stage, VectorStage::Fxp);
  EXPECT_EQ(run(float32, {branch, add}).code, "vector-wrong-type");
}
TEST(Book, VEC_020_fxp_to_fp_stage) {
  EXPECT_EQ(run(int32, {branch, to_fp}).state.type, float32);
  EXPECT_EQ(run(float32, {branch, to_fp}).code, "vector-wrong-type");
  EXPECT_EQ(run(int32, {branch, split, to_fp}).code, "vector-stage-order");
}
TEST(Book, VEC_021_narrow_takes_both_types) {
  for (ScalarType type : {int32, float32}) {
    EXPECT_EQ(run(type, {branch, split}).state.way, Way::Way4);
    EXPECT_EQ(run(type, {branch, trim}).state.way, Way::Way4);
  }
}
TEST(Book, VEC_022_float_stage) {
  EXPECT_EQ(run(float32, {branch, split, exp, step_of(FpBinaryOp::AddF), step_of(FpBinaryOp::MulF(FpMulAlu::Mul0))}).state.stage,
            VectorStage::Float);
  EXPECT_EQ(run(float32, {branch, split, step_of(FpTernaryOp::FmaF)}).state.stage, VectorStage::Float);
  EXPECT_EQ(run(int32, {branch, split, exp}).code, "vector-wrong-type");
}
TEST(Book, VEC_023_intra_slice_reduce_stage) {
  for (ScalarType type : {int32, float32}) EXPECT_EQ(run(type, {branch, split, reduce}).state.stage, VectorStage::IntraSliceReduce);
  EXPECT_EQ(alu_of(step_of(reduce)), VectorAlu::ReduceAccTree);
  EXPECT_EQ(run(float32, {branch, split, reduce, reduce}).code, "vector-stage-order");
}
TEST(Book, VEC_024_fp_div_stage) {
  EXPECT_EQ(run(float32, {branch, split, reduce, fp_div}).state.stage, VectorStage::FpDiv);
  EXPECT_EQ(run(float32, {branch, split, fp_div, reduce}).code, "vector-stage-order");
  EXPECT_EQ(run(int32, {branch, split, fp_div}).code, "vector-wrong-type");
}
TEST(Book, VEC_025_widen_takes_both_types) {
  for (ScalarType type : {int32, float32}) {
    EXPECT_EQ(run(type, {branch, split, concat}).state.way, Way::Way8);
    EXPECT_EQ(run(type, {branch, trim, pad}).state.way, Way::Way8);
    EXPECT_EQ(run(type, {branch, concat}).code, "vector-needs-way4");
  }
}
TEST(Book, VEC_026_fp_to_fxp_stage) {
  EXPECT_EQ(run(float32, {branch, to_fxp}).state.type, int32);
  EXPECT_EQ(run(int32, {branch, to_fxp}).code, "vector-wrong-type");
}
TEST(Book, VEC_027_clip_stage) {
  EXPECT_EQ(run(int32, {branch, clip}).state.stage, VectorStage::Clip);
  EXPECT_EQ(run(float32, {branch, clip_f32}).state.stage, VectorStage::Clip);
  EXPECT_EQ(run(int32, {branch, clip_f32}).code, "vector-wrong-type");
}
TEST(Book, VEC_028_filter_stage) {
  EXPECT_EQ(run(int32, {compare, filter}).state.stage, VectorStage::Filter);
  EXPECT_EQ(run(int32, {branch, filter}).code, "vector-filter-unconditional");
  OperandGuard const keep = OperandGuard::bit(0);
  EXPECT_EQ(code(check_filter(rngd, keep, A / 8, A % 8, (A / 8).resize(4), A % 8)), "accepted");
  EXPECT_EQ(code(check_filter(rngd, keep, A / 2, (A % 2).pad(8), A / 2, (A % 2).pad(8))), "vector-filter-packet");
}
TEST(Book, VEC_029_output_stage) {
  for (ScalarType type : {int32, float32}) EXPECT_EQ(run(type, {branch, final_}).code, "accepted");
  EXPECT_EQ(run(int32, {final_}).code, "vector-not-entered");
}
TEST(Book, VEC_030_narrow_is_not_optional_before_float) {
  EXPECT_EQ(run(float32, {branch, exp}).code, "vector-needs-way4");
  EXPECT_EQ(run(float32, {branch, reduce}).code, "vector-needs-way4");
  EXPECT_EQ(run(float32, {branch, fp_div}).code, "vector-needs-way4");
}
TEST(Book, VEC_031_way8_stages_refuse_way4) {
  for (VectorStep const& step : {step_of(LogicBinaryOpI32::BitAnd), add})
    EXPECT_EQ(run(int32, {branch, split, step}).code, "vector-stage-order");
  EXPECT_EQ(run(int32, {branch, split, clip}).code, "vector-needs-way8");
  EXPECT_EQ(run(float32, {branch, split, to_fxp}).code, "vector-needs-way8");
  EXPECT_EQ(run(int32, {compare, split, filter}).code, "vector-needs-way8");
}
TEST(Book, VEC_032_way4_stages_refuse_way8) {
  for (VectorStep const& step : {exp, step_of(FpBinaryOp::AddF), step_of(FpTernaryOp::FmaF), step_of(reduce), fp_div})
    EXPECT_EQ(run(float32, {branch, step}).code, "vector-needs-way4");
}
TEST(Book, VEC_033_each_alu_once) {
  EXPECT_EQ(run(int32, {branch, add, add}).code, "vector-alu-in-use");
  EXPECT_EQ(run(int32, {branch, clip, step_of(ClipBinaryOpI32::AbsMax)}).code, "vector-alu-in-use");
}
TEST(Book, VEC_034_tanh_of_sqrt) {
  EXPECT_EQ(run(float32, {branch, split, step_of(FpUnaryOp::Sqrt), step_of(FpUnaryOp::Tanh)}).code, "vector-alu-in-use");
}
TEST(Book, VEC_035_fxp_add_is_already_in_use) {
  Outcome const o = run(int32, {branch, add, step_of(FxpBinaryOp::MulInt), step_of(FxpBinaryOp::SubFxp)});
  EXPECT_EQ(o.code, "vector-alu-in-use");
  EXPECT_EQ(o.refused_at, 3);
  EXPECT_NE(o.headline.find("FxpAdd is already in use"), std::string::npos) << o.headline;
}
TEST(Book, VEC_036_five_alus_in_a_pass) {
  Outcome const o = run(float32, {branch, split, step_of(FpBinaryOp::AddF), step_of(FpBinaryOp::MulF(FpMulAlu::Mul0)),
                                  step_of(FpBinaryOp::MulF(FpMulAlu::Mul1)), step_of(FpUnaryOp::Sqrt), exp, concat, final_});
  EXPECT_EQ(o.code, "accepted");
  for (VectorAlu alu : {VectorAlu::FpFma, VectorAlu::FpMul0, VectorAlu::FpMul1, VectorAlu::FpFpu, VectorAlu::FpExp})
    EXPECT_TRUE(o.state.uses(alu));
  EXPECT_EQ(o.state.alus(), 5);
}
TEST(Book, VEC_037_i32_pipeline_types) {
  EXPECT_EQ(code(check_vector_init(rngd, int32, (A % 2).pad(8))), "accepted");
  EXPECT_EQ(run(int32, {branch, add, final_}).code, "accepted");
}
TEST(Book, VEC_038_f32_pipeline_types) {
  EXPECT_EQ(code(check_trim_way4(rngd, (A % 2).pad(8), (A % 2).pad(4))), "accepted");
  EXPECT_EQ(code(check_pad_way8(rngd, (A % 2).pad(4), (A % 2).pad(8))), "accepted");
  EXPECT_EQ(run(float32, {branch, trim, step_of(FpUnaryOp::Sigmoid), pad, final_}).code, "accepted");
}

TEST(Book, VEC_039_sixteen_execution_ids) {
  BranchMode const all = BranchMode::comparing(InputCmp::True, InputCmp::True, InputCmp::True, InputCmp::True);
  EXPECT_EQ(execution_id(all, 0, NumericModel::rngd), 15);
  EXPECT_EQ(rngd.vector.execution_ids, 16);
}
TEST(Book, VEC_040_unconditional) {
  EXPECT_EQ(execution_id(BranchMode::Unconditional, 12345, NumericModel::rngd), 0);
  EXPECT_EQ(code(check_branch(rngd, int32, stream(A / 8, B, A % 8), BranchMode::Unconditional)), "accepted");
}
TEST(Book, VEC_041_axis_toggle_types) {
  EXPECT_EQ(code(check_branch(rngd, int32, stream(A / 8, list(B, I), A % 8), BranchMode::AxisToggle{I})), "accepted");
  EXPECT_EQ(code(check_branch(rngd, int32, stream(A / 8, B, A % 8), BranchMode::AxisToggle{I})), "vector-branch-axis");
  EXPECT_EQ(OperandGuard::group(GroupId::One).ids, 0xff00) << "the group is bit 3 (F-45)";
}
TEST(Book, VEC_042_valid_count_types) {
  // Four of eight lanes hold elements, in every flit and slice.
  auto const plan = check_branch(rngd, int32, stream(A / 2, B, R.pad(8)), BranchMode::ValidCount);
  ASSERT_TRUE(plan) << plan.refusal().sentence().s;
  for (std::int64_t t = 0; t < 5; ++t) EXPECT_EQ(valid_count(plan->count.config, 3, t), 4);
}
TEST(Book, VEC_043_comparison_types) {
  BranchMode const mode = BranchMode::Comparison{InputCmp::Less(0), InputCmp::Greater(10), InputCmp::Equal(-3), InputCmp::LessUnsigned(5)};
  EXPECT_EQ(code(check_branch(rngd, int32, stream(A / 8, B, A % 8), mode)), "accepted");
  EXPECT_EQ(code(check_branch(rngd, float32, stream(A / 8, B, A % 8), mode)), "vector-branch-type") << "SUP-12";
  EXPECT_EQ(execution_id(mode, static_cast<std::uint32_t>(-3), NumericModel::rngd), 0b0101) << "bit i is comparison i (F-45)";
  EXPECT_EQ(execution_id(mode, 3, NumericModel::rngd), 0b1000);
  EXPECT_EQ(execution_id(mode, 11, NumericModel::rngd), 0b0010);
}
TEST(Book, VEC_044_vrf_types) {
  Levels const in = stream(A / 8, B, A % 8), log = in_vrf(A / 8, list(B, A % 8)), by_time = in_vrf(copies(64), B);
  EXPECT_EQ(code(check_branch(rngd, float32, in, BranchMode::Vrf, &log)), "accepted");
  EXPECT_EQ(code(check_branch(rngd, float32, in, BranchMode::Vrf, &by_time)), "accepted") << "ids by time step, the same for all lanes";
  EXPECT_EQ(code(check_branch(rngd, float32, in, BranchMode::Vrf)), "vector-branch-log-missing");
  EXPECT_EQ(code(check_branch(rngd, float32, in, BranchMode::Vrf, &log, float32)), "vector-branch-log-type");
  EXPECT_EQ(run(float32, {compare, VectorMethod::branch_log}).code, "accepted");
  EXPECT_EQ(run(float32, {compare, clip_f32, VectorMethod::branch_log}).code, "vector-branch-log-stage");
  EXPECT_EQ(code(check_branch_log(in, list(B, A % 8))), "accepted");
}

TEST(Book, VEC_045_alu) { logic_i32(LogicBinaryOpI32::BitAnd, VectorAlu::LogicAnd); }
TEST(Book, VEC_046_alu) { logic_i32(LogicBinaryOpI32::BitOr, VectorAlu::LogicOr); }
TEST(Book, VEC_047_alu) { logic_i32(LogicBinaryOpI32::BitXor, VectorAlu::LogicXor); }
TEST(Book, VEC_048_alu) { logic_i32(LogicBinaryOpI32::LeftShift, VectorAlu::LogicLshift); }
TEST(Book, VEC_049_alu) { logic_i32(LogicBinaryOpI32::LogicRightShift, VectorAlu::LogicRshift); }
TEST(Book, VEC_050_alu) {
  logic_i32(LogicBinaryOpI32::ArithRightShift, VectorAlu::LogicRshift);
  EXPECT_EQ(run(int32, {branch, step_of(LogicBinaryOpI32::LogicRightShift), step_of(LogicBinaryOpI32::ArithRightShift)}).code,
            "vector-alu-in-use");
}
TEST(Book, VEC_051_alu) { logic_f32(LogicBinaryOpF32::BitAnd, VectorAlu::LogicAnd); }
TEST(Book, VEC_052_alu) { logic_f32(LogicBinaryOpF32::BitOr, VectorAlu::LogicOr); }
TEST(Book, VEC_053_alu) {
  logic_f32(LogicBinaryOpF32::BitXor, VectorAlu::LogicXor);
  EXPECT_EQ(run(float32, {branch, step_of(LogicBinaryOpI32::LeftShift)}).code, "vector-wrong-type") << "there are no f32 shifts";
}
TEST(Book, VEC_054_alu) { fxp(FxpBinaryOp::AddFxp, VectorAlu::FxpAdd); }
TEST(Book, VEC_055_alu) { fxp(FxpBinaryOp::AddFxpSat, VectorAlu::FxpAdd); }
TEST(Book, VEC_056_alu) { fxp(FxpBinaryOp::SubFxp, VectorAlu::FxpAdd); }
TEST(Book, VEC_057_alu) { fxp(FxpBinaryOp::SubFxpSat, VectorAlu::FxpAdd); }
TEST(Book, VEC_058_alu) { fxp(FxpBinaryOp::LeftShift, VectorAlu::FxpLshift); }
TEST(Book, VEC_059_alu) { fxp(FxpBinaryOp::LeftShiftSat, VectorAlu::FxpLshift); }
TEST(Book, VEC_060_alu) { fxp(FxpBinaryOp::MulFxp, VectorAlu::FxpMul); }
TEST(Book, VEC_061_alu) { fxp(FxpBinaryOp::MulInt, VectorAlu::FxpMul); }
TEST(Book, VEC_062_alu) { fxp(FxpBinaryOp::LogicRightShift, VectorAlu::FxpRshift); }
TEST(Book, VEC_063_alu) { fxp(FxpBinaryOp::ArithRightShift, VectorAlu::FxpRshift); }
TEST(Book, VEC_064_alu) { fxp(FxpBinaryOp::ArithRightShiftRound, VectorAlu::FxpRshift); }
TEST(Book, VEC_065_alu) { fp_unary(FpUnaryOp::Exp, VectorAlu::FpExp); }
TEST(Book, VEC_066_alu) { fp_unary(FpUnaryOp::NegExp, VectorAlu::FpExp); }
TEST(Book, VEC_067_alu) { fp_unary(FpUnaryOp::Sqrt, VectorAlu::FpFpu); }
TEST(Book, VEC_068_alu) { fp_unary(FpUnaryOp::Tanh, VectorAlu::FpFpu); }
TEST(Book, VEC_069_alu) { fp_unary(FpUnaryOp::Sigmoid, VectorAlu::FpFpu); }
TEST(Book, VEC_070_alu) { fp_unary(FpUnaryOp::Erf, VectorAlu::FpFpu); }
TEST(Book, VEC_071_alu) { fp_unary(FpUnaryOp::Log, VectorAlu::FpFpu); }
TEST(Book, VEC_072_alu) { fp_unary(FpUnaryOp::Sin, VectorAlu::FpFpu); }
TEST(Book, VEC_073_alu) { fp_unary(FpUnaryOp::Cos, VectorAlu::FpFpu); }
TEST(Book, VEC_074_alu) { fp_binary(FpBinaryOp::AddF, VectorAlu::FpFma); }
TEST(Book, VEC_075_alu) { fp_binary(FpBinaryOp::SubF, VectorAlu::FpFma); }
TEST(Book, VEC_076_alu) { fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), VectorAlu::FpMul0); }
TEST(Book, VEC_077_alu) { fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), VectorAlu::FpMul1); }
TEST(Book, SUP_13_mul_on_fma) { fp_binary(FpBinaryOp::MulF(FpMulAlu::Fma), VectorAlu::FpFma); }
TEST(Book, VEC_078_alu) { fp_binary(FpBinaryOp::MaskMulF(FpMulAlu::Mul0), VectorAlu::FpMul0); }
TEST(Book, VEC_079_alu) { fp_binary(FpBinaryOp::MaskMulF(FpMulAlu::Mul1), VectorAlu::FpMul1); }
TEST(Book, VEC_080_alu) { fp_binary(FpBinaryOp::DivF, VectorAlu::FpFpu); }
TEST(Book, VEC_081_alu) { takes(FpTernaryOp(FpTernaryOp::FmaF), VectorStage::Float, VectorAlu::FpFma, float32); }
TEST(Book, VEC_082_alu) { takes(FpTernaryOp(FpTernaryOp::MaskFmaF), VectorStage::Float, VectorAlu::FpFma, float32); }
TEST(Book, VEC_083_alu) {
  takes(FpDivBinaryOp(FpDivBinaryOp::DivF), VectorStage::FpDiv, VectorAlu::ReduceFpDiv, float32);
  EXPECT_EQ(run(float32, {branch, split, step_of(FpBinaryOp::DivF), fp_div, concat, final_}).code, "accepted") << "two dividers (F-50)";
}
TEST(Book, SUP_14_reduce_stages_have_alus) {
  EXPECT_EQ(alu_of(step_of(reduce)), VectorAlu::ReduceAccTree);
  EXPECT_EQ(alu_of(fp_div), VectorAlu::ReduceFpDiv);
}
TEST(Book, VEC_084_alu) { clip_i32(ClipBinaryOpI32::Min, VectorAlu::ClipMin); }
TEST(Book, VEC_085_alu) { clip_i32(ClipBinaryOpI32::Max, VectorAlu::ClipMax); }
TEST(Book, VEC_086_alu) { clip_i32(ClipBinaryOpI32::AbsMin, VectorAlu::ClipMin); }
TEST(Book, VEC_087_alu) { clip_i32(ClipBinaryOpI32::AbsMax, VectorAlu::ClipMax); }
TEST(Book, VEC_088_alu) { clip_i32(ClipBinaryOpI32::AddFxp, VectorAlu::ClipAdd); }
TEST(Book, VEC_089_alu) { clip_i32(ClipBinaryOpI32::AddFxpSat, VectorAlu::ClipAdd); }
TEST(Book, VEC_090_alu) { clip_of_f32(ClipBinaryOpF32::Min, VectorAlu::ClipMin); }
TEST(Book, VEC_091_alu) { clip_of_f32(ClipBinaryOpF32::Max, VectorAlu::ClipMax); }
TEST(Book, VEC_092_alu) { clip_of_f32(ClipBinaryOpF32::AbsMin, VectorAlu::ClipMin); }
TEST(Book, VEC_093_alu) { clip_of_f32(ClipBinaryOpF32::AbsMax, VectorAlu::ClipMax); }
TEST(Book, VEC_094_alu) { clip_of_f32(ClipBinaryOpF32::Add, VectorAlu::ClipAdd); }

TEST(Book, VEC_095_operations_of_a_stage) {
  EXPECT_EQ(run(int32, {branch, step_of(LogicBinaryOpI32::BitAnd), step_of(LogicBinaryOpI32::BitOr), step_of(LogicBinaryOpI32::BitXor),
                        step_of(LogicBinaryOpI32::LeftShift), step_of(LogicBinaryOpI32::LogicRightShift), add,
                        step_of(FxpBinaryOp::LeftShift), step_of(FxpBinaryOp::MulInt), step_of(FxpBinaryOp::ArithRightShift), clip,
                        step_of(ClipBinaryOpI32::Min), step_of(ClipBinaryOpI32::AddFxp), final_})
                .state.alus(),
            5 + 4 + 3);
  EXPECT_EQ(run(float32, {branch, split, step_of(FpBinaryOp::AddF), step_of(FpBinaryOp::MulF(FpMulAlu::Mul0)),
                          step_of(FpBinaryOp::MulF(FpMulAlu::Mul1)), step_of(FpUnaryOp::Sqrt), exp, concat, final_})
                .state.alus(),
            5);
}
TEST(Book, VEC_097_split) {
  auto const made = check_split(rngd, B, A % 8, list(B, A / 4 % 2), A % 4);
  ASSERT_TRUE(made) << made.refusal().sentence().s;
  EXPECT_EQ(made->time, list(B, A / 4 % 2));
  EXPECT_EQ(made->packet, Mapping(A % 4));
  EXPECT_EQ(code(check_split(rngd, B, A % 8, list(B, A / 2 % 4), A % 2)), "vector-split-wrong-packet") << "not P / 2 (F-43)";
  EXPECT_EQ(code(check_split(rngd, B, A % 8, B, A % 4)), "vector-split-wrong-time");
  EXPECT_EQ(code(check_split(rngd, B, A % 16, list(B, A / 4 % 4), A % 4)), "vector-split-not-cut");
}
TEST(Book, VEC_098_split_example) {
  auto const bad = parse("S # 16 / 4", *parse_axes("S = 64"));
  ASSERT_FALSE(bad) << "S # 16 would shorten S (F-44)";
  auto const made = check_split(rngd, S % 4, A % 8, list(S % 4, A / 4 % 2), A % 4);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->time.size, 8);
}
TEST(Book, VEC_099_trim) {
  EXPECT_EQ(*check_trim_way4(rngd, R.pad(8), R), Mapping(R));
  EXPECT_EQ(code(check_trim_way4(rngd, A % 8, A % 4)), "vector-trim-live-lanes");
  EXPECT_EQ(code(check_trim_way4(rngd, (A % 4).pad(8), (A % 4).pad(8))), "vector-trim-wrong-packet");
}
TEST(Book, VEC_100_trim_example) { EXPECT_EQ(*check_trim_way4(rngd, (A % 2).pad(8), (A % 2).pad(4)), Mapping((A % 2).pad(4))); }
TEST(Book, VEC_101_concat) {
  auto const made = check_concat(rngd, list(B, A / 4 % 2), A % 4, B, A % 8);
  ASSERT_TRUE(made) << made.refusal().sentence().s;
  EXPECT_EQ(made->time, Mapping(B));
  EXPECT_EQ(made->packet, Mapping(A % 8));
  EXPECT_EQ(code(check_concat(rngd, one, A % 4, one, A % 8)), "vector-concat-odd-time");
}
TEST(Book, VEC_102_concat_example) { EXPECT_EQ(code(check_concat(rngd, A / 4 % 2, A % 4, one, A % 8)), "accepted"); }
TEST(Book, VEC_103_pad) {
  Mapping const made = *check_pad_way8(rngd, R, R.pad(8));
  EXPECT_EQ(made, Mapping(R.pad(8))) << "the lanes added hold nothing: top";
  EXPECT_EQ(code(check_pad_way8(rngd, R, A % 8)), "vector-pad-wrong-packet");
}
TEST(Book, VEC_104_pad_example) { EXPECT_EQ(code(check_pad_way8(rngd, (A % 2).pad(4), (A % 2).pad(8))), "accepted"); }
TEST(Book, VEC_105_int_width) {
  for (int width : {0, 1, 31}) EXPECT_EQ(run(int32, {branch, fxp_to_fp_step(width), fp_to_fxp_step(width), final_}).code, "accepted");
  for (int width : {-1, 32}) {
    EXPECT_EQ(run(int32, {branch, fxp_to_fp_step(width)}).code, "scalar-int-width-out-of-range");
    EXPECT_EQ(run(float32, {branch, fp_to_fxp_step(width)}).code, "scalar-int-width-out-of-range");
  }
}

Step stashing(const VectorStep& s) { return {s, Operands{}.stash()}; }

TEST(Book, VEC_106_stash_is_no_stage) {
  Outcome const o = run(int32, {branch, add, stash});
  EXPECT_EQ(o.state.stage, VectorStage::Fxp);
  EXPECT_EQ(o.state.stash, VectorState::Stash::kept);
  EXPECT_EQ(run(int32, {branch, stashing(clip)}).code, "vector-stash-missing");
}
TEST(Book, VEC_107_stashable_stages) {
  for (VectorStage stage : {VectorStage::Branch, VectorStage::Logic, VectorStage::Fxp, VectorStage::FxpToFp, VectorStage::Narrow,
                            VectorStage::Float, VectorStage::IntraSliceReduce, VectorStage::FpDiv, VectorStage::Widen, VectorStage::FpToFxp,
                            VectorStage::Clip, VectorStage::Filter, VectorStage::Output}) {
    bool const refused = stage == VectorStage::FxpToFp || stage == VectorStage::IntraSliceReduce || stage == VectorStage::Widen ||
                         stage == VectorStage::FpToFxp || stage == VectorStage::Filter || stage == VectorStage::Output;
    VectorState state;
    state.stage = stage;
    EXPECT_EQ(check_step(state, step_of(stash)).ok(), !refused) << name_of(stage);
  }
}
TEST(Book, VEC_108_stash_typing) {
  EXPECT_EQ(run(int32, {branch, stash, to_fp, stashing(clip_f32)}).code, "vector-stash-type");
  EXPECT_EQ(run(float32, {branch, stash, to_fxp, stashing(clip)}).code, "vector-stash-type");
}
TEST(Book, VEC_109_stash_mapping) {
  Mapping const wide = (A % 2).pad(8), narrow = (A % 2).pad(4);
  EXPECT_EQ(code(check_stash_read(rngd, {B, wide}, {B, wide})), "accepted");
  EXPECT_EQ(code(check_stash_read(rngd, {B, wide}, {B, narrow})), "accepted") << "read in Way4 after a trim";
  EXPECT_EQ(code(check_stash_read(rngd, {B, narrow}, {B, wide})), "accepted");
  EXPECT_EQ(code(check_stash_read(rngd, {B, A % 8}, {list(B, A / 4 % 2), A % 4})), "vector-stash-time");
  EXPECT_EQ(code(check_stash_read(rngd, {B, A % 8}, {B, A / 8 % 8})), "vector-stash-packet");
}
TEST(Book, VEC_110_one_stash) {
  EXPECT_EQ(run(int32, {branch, stash, add, stash}).code, "vector-stash-twice");
  EXPECT_EQ(run(int32, {branch, stash, stashing(add), stashing(clip)}).code, "vector-stash-read-twice") << "one read (F-51)";
  EXPECT_EQ(run(int32, {branch, stash, stashing(add), stash}).code, "vector-stash-twice");
  EXPECT_EQ(run(int32, {branch, add, stash, stashing(clip)}).code, "accepted") << "an operation before it does not block a stash";
}
TEST(Book, VEC_111_stash_example_types) {
  EXPECT_EQ(run(float32, {branch, stash, trim, step_of(FpBinaryOp::MulF(FpMulAlu::Mul0)), pad, stashing(clip_f32), final_}).code,
            "accepted");
}
TEST(Book, VEC_112_stash_fxp_types) { EXPECT_EQ(run(int32, {branch, stash, add, stashing(clip), final_}).code, "accepted"); }
TEST(Book, VEC_113_stash_across_widths_types) {
  EXPECT_EQ(run(float32, {branch, stash, trim, step_of(FpUnaryOp::Sigmoid), pad, stashing(clip_f32), final_}).code, "accepted");
}
TEST(Book, VEC_114_no_stash_in_two_group_mode) {
  EXPECT_EQ(run(int32, {unzip, stash}).code, "vector-two-group-method");
  EXPECT_EQ(run(int32, {unzip, step_of(FxpBinaryOp::AddFxp, {}, Groups::zip), stash}).code, "vector-two-group-method");
}

TEST(Book, VEC_115_operand_kinds) {
  EXPECT_EQ(run(int32, {branch, {add, Operands{}.constant(int32, 100)}}).code, "accepted");
  EXPECT_EQ(run(int32, {branch, {add, Operands{}.vrf(int32)}}).code, "accepted");
  EXPECT_EQ(run(int32, {branch, stash, stashing(add)}).code, "accepted");
  EXPECT_EQ(run(int32, {branch, {add, Operands{}.vrf(float32)}}).code, "vector-operand-type");
  EXPECT_EQ(run(int32, {branch, {add, Operands{}}}).code, "vector-operand-missing");
}
TEST(Book, VEC_116_ternary_operands) {
  VectorStep const fma = step_of(FpTernaryOp::FmaF);
  EXPECT_EQ(run(float32, {branch, split, {fma, Operands{}.immediate(float32).immediate(float32)}}).code, "accepted");
  EXPECT_EQ(run(float32, {branch, split, {fma, Operands{}.vrf(float32).immediate(float32)}}).code, "accepted");
  EXPECT_EQ(run(float32, {branch, split, {fma, Operands{}.immediate(float32)}}).code, "vector-operand-missing");
}
TEST(Book, VEC_117_always) {
  for (int id = 0; id < 16; ++id) EXPECT_TRUE(OperandGuard::always().holds(id));
}
TEST(Book, VEC_119_vrf_operand_types) {
  auto const loops = check_vrf_operand(stream(A / 2, B, (A % 2).pad(8)), in_vrf(A / 2, (A % 2).pad(8)));
  ASSERT_TRUE(loops) << loops.refusal().sentence().s;
  EXPECT_EQ(loops->at(0), 0);
  EXPECT_EQ(loops->at(1), 1);
  EXPECT_EQ(loops->at(8), 0) << "repeated over B";
}
TEST(Book, VEC_120_unary_modes) {
  EXPECT_EQ(arguments_of(UnaryArgMode::Mode0), (Arguments{{Argument::stream}, 1}));
  EXPECT_EQ(run(float32, {branch, split, step_of(FpUnaryOp::Exp, UnaryArgMode::Mode0)}).code, "accepted");
  EXPECT_EQ(run(float32, {branch, split, step_of(FpUnaryOp::Exp, UnaryArgMode::Mode1)}).code, "vector-unary-operand") << "F-49";
}

constexpr Argument s_ = Argument::stream, o0 = Argument::operand0, o1 = Argument::operand1;

TEST(Book, VEC_121_arguments) {
  EXPECT_EQ(arguments_of(BinaryArgMode::Mode00), (Arguments{{s_, s_}, 2}));
  EXPECT_EQ(run(int32, {branch, {step_of(FxpBinaryOp::AddFxp, BinaryArgMode::Mode00), Operands{}}}).code, "accepted") << "reads no operand";
}
TEST(Book, VEC_122_arguments) {
  EXPECT_EQ(arguments_of(BinaryArgMode::Mode01), (Arguments{{s_, o0}, 2}));
  EXPECT_EQ(step_of(FxpBinaryOp::AddFxp), step_of(FxpBinaryOp::AddFxp, BinaryArgMode::Mode01)) << "the default";
}
TEST(Book, VEC_123_arguments) { EXPECT_EQ(arguments_of(BinaryArgMode::Mode10), (Arguments{{o0, s_}, 2})); }
TEST(Book, VEC_124_arguments) { EXPECT_EQ(arguments_of(BinaryArgMode::Mode11), (Arguments{{o0, o0}, 2})); }
TEST(Book, VEC_125_arguments) {
  EXPECT_EQ(arguments_of(TernaryArgMode::Mode012), (Arguments{{s_, o0, o1}, 3}));
  EXPECT_EQ(step_of(FpTernaryOp::FmaF), step_of(FpTernaryOp::FmaF, TernaryArgMode::Mode012)) << "the default";
}
TEST(Book, VEC_126_arguments) { EXPECT_EQ(arguments_of(TernaryArgMode::Mode002), (Arguments{{s_, s_, o1}, 3})); }
TEST(Book, VEC_127_arguments) { EXPECT_EQ(arguments_of(TernaryArgMode::Mode102), (Arguments{{o0, s_, o1}, 3})); }
TEST(Book, VEC_128_arguments) { EXPECT_EQ(arguments_of(TernaryArgMode::Mode112), (Arguments{{o0, o0, o1}, 3})); }
TEST(Book, VEC_129_arguments) { EXPECT_EQ(arguments_of(TernaryArgMode::Mode020), (Arguments{{s_, o1, s_}, 3})); }
TEST(Book, VEC_130_arguments) { EXPECT_EQ(arguments_of(TernaryArgMode::Mode021), (Arguments{{s_, o1, o0}, 3})); }
TEST(Book, VEC_131_arguments) { EXPECT_EQ(arguments_of(TernaryArgMode::Mode120), (Arguments{{o0, o1, s_}, 3})); }
TEST(Book, VEC_132_arg_mode_types) {
  EXPECT_EQ(run(int32, {branch, {step_of(FxpBinaryOp::SubFxp, BinaryArgMode::Mode10), Operands{}.constant(int32, 7)}, final_}).code,
            "accepted");
}
TEST(Book, VEC_133_modes_of_a_group) {
  for (Groups g : {Groups::both, Groups::group0, Groups::group1}) {
    VectorStep const step = step_of(FxpBinaryOp::SubFxp, BinaryArgMode::Mode10, g);
    EXPECT_EQ(run(int32, {unzip, step}).code, "accepted");
    EXPECT_EQ(arguments_of(step), (Arguments{{o0, s_}, 2}));
  }
}
TEST(Book, VEC_134_arguments) {
  EXPECT_EQ(arguments_of(step_of(FxpBinaryOp::AddFxp, BinaryArgMode::Mode00, Groups::zip)), (Arguments{{s_, s_}, 2}));
}
TEST(Book, VEC_135_arguments) {
  EXPECT_EQ(arguments_of(step_of(FxpBinaryOp::AddFxp, {}, Groups::zip)), (Arguments{{s_, o0}, 2})) << "group 0, group 1";
}
TEST(Book, VEC_136_arguments) {
  EXPECT_EQ(arguments_of(step_of(FxpBinaryOp::AddFxp, BinaryArgMode::Mode10, Groups::zip)), (Arguments{{o0, s_}, 2}));
}
TEST(Book, VEC_137_arguments) {
  EXPECT_EQ(arguments_of(step_of(FxpBinaryOp::AddFxp, BinaryArgMode::Mode11, Groups::zip)), (Arguments{{o0, o0}, 2}));
}

const VectorStep clip_zip = step_of(ClipBinaryOpI32::AddFxp, {}, Groups::zip);
const VectorStep mul_zip = step_of(FpBinaryOp::MulF(FpMulAlu::Mul0), {}, Groups::zip);

TEST(Book, VEC_138_two_group_flow) {
  EXPECT_EQ(run(int32, {unzip, add, clip_zip, final_}).code, "accepted");
  EXPECT_EQ(run(int32, {unzip, add, clip_zip}).state.mode, VectorState::Mode::merged);
  EXPECT_EQ(run(int32, {unzip, add, final_}).code, "vector-groups-not-merged");
  EXPECT_EQ(run(int32, {branch, clip_zip}).code, "vector-no-two-groups");
  EXPECT_EQ(run(int32, {unzip, step_of(FxpBinaryOp::AddFxp, {}, Groups::zip), clip_zip}).code, "vector-no-two-groups") << "merged once";
}
TEST(Book, VEC_139_common_stages) {
  EXPECT_EQ(run(int32, {unzip, to_fp, split, mul_zip, concat, to_fxp, final_}).code, "accepted");
  EXPECT_EQ(run(int32, {unzip, to_fp, split, concat, to_fxp, clip_zip, final_}).code, "accepted");
  EXPECT_EQ(run(float32, {unzip, trim}).code, "vector-two-group-width") << "F-52";
  EXPECT_EQ(run(float32, {unzip, split, pad}).code, "vector-two-group-width") << "F-52";
  EXPECT_EQ(run(float32, {unzip, split, mul_zip, pad, final_}).code, "accepted") << "after the _zip pad is fine";
}
TEST(Book, VEC_140_arguments_of_each_group) {
  Operands const first = Operands{}.immediate(int32, OperandGuard::group(GroupId::Zero));
  EXPECT_EQ(run(int32, {unzip, {add, first}, clip_zip}).code, "accepted") << "10, ()";
  EXPECT_EQ(run(int32, {unzip, {add, Operands{first}.vrf(int32, OperandGuard::group(GroupId::One))}, clip_zip}).code, "accepted")
      << "10, vrf";
  EXPECT_EQ(run(float32, {unzip, split, step_of(FpUnaryOp::Exp, {}, Groups::group0)}).code, "accepted") << "true, false";
  EXPECT_EQ(run(float32, {unzip, split, step_of(FpUnaryOp::Exp, {}, Groups::neither)}).code, "vector-neither-group") << "false, false";
  EXPECT_EQ(run(int32, {unzip, {add, Operands{}}}).code, "vector-operand-missing") << "(), ()";
}
TEST(Book, VEC_141_zip_operations) {
  EXPECT_EQ(run(int32, {unzip, step_of(LogicBinaryOpI32::BitXor, {}, Groups::zip), final_}).code, "accepted");
  EXPECT_EQ(run(float32, {unzip, step_of(LogicBinaryOpF32::BitXor, {}, Groups::zip), final_}).code, "accepted");
  EXPECT_EQ(run(int32, {unzip, step_of(FxpBinaryOp::SubFxp, BinaryArgMode::Mode10, Groups::zip), final_}).code, "accepted");
  EXPECT_EQ(run(float32, {unzip, split, mul_zip, concat, final_}).code, "accepted");
  EXPECT_EQ(run(int32, {unzip, clip_zip, final_}).code, "accepted");
  EXPECT_EQ(run(float32, {unzip, split, step_of(FpDivBinaryOp::DivF, {}, Groups::zip)}).code, "vector-no-zip-form");
  EXPECT_EQ(run(float32, {unzip, split, step_of(FpTernaryOp::FmaF, {}, Groups::zip)}).code, "vector-no-zip-form");
}
TEST(Book, VEC_142_two_group_float_order) {
  EXPECT_EQ(run(float32, {unzip, exp}).code, "vector-needs-way4");
  EXPECT_EQ(run(float32, {unzip, split, exp, mul_zip, final_}).code, "vector-needs-way8");
  EXPECT_EQ(run(float32, {unzip, split, exp, mul_zip, concat, final_}).code, "accepted");
}

/// The shapes of the two-group examples, in the legal form of F-52.
void two_group_shapes() {
  Mapping const wide = (A % 2).pad(8), narrow = (A % 2).pad(4);
  EXPECT_EQ(*check_unzip(rngd, I, Name("I"), one.pad(2), one), Mapping(one));
  EXPECT_EQ(code(check_split(rngd, one, wide, one.pad(2), narrow)), "accepted");
  auto const back = check_concat(rngd, one.pad(2), narrow, one, wide);
  ASSERT_TRUE(back) << back.refusal().sentence().s;
  EXPECT_EQ(back->time, Mapping(one));
  EXPECT_EQ(back->packet, wide);
}
TEST(Book, VEC_143_pair_sub_types) {
  two_group_shapes();
  EXPECT_EQ(run(float32, {unzip, split, step_of(FpBinaryOp::SubF, BinaryArgMode::Mode10, Groups::zip), concat, final_}).code, "accepted");
  EXPECT_EQ(run(float32, {unzip, trim}).code, "vector-two-group-width") << "the listing trims (F-52)";
}
TEST(Book, VEC_144_pair_add_types) {
  two_group_shapes();
  EXPECT_EQ(run(int32, {unzip, clip_zip, final_}).code, "accepted");
}
TEST(Book, VEC_145_pair_preprocess_types) {
  Operands const first = Operands{}.constant(int32, 10, OperandGuard::group(GroupId::Zero));
  EXPECT_EQ(run(int32, {unzip, {step_of(FxpBinaryOp::MulInt), first}, clip_zip, final_}).code, "accepted");
}
TEST(Book, VEC_146_pair_mul_types) { EXPECT_EQ(run(float32, {unzip, split, mul_zip, concat, final_}).code, "accepted"); }
TEST(Book, VEC_147_pair_asymmetric_types) {
  EXPECT_EQ(run(float32, {unzip, split, step_of(FpUnaryOp::Exp, {}, Groups::group0), mul_zip, concat, final_}).code, "accepted");
}
TEST(Book, VEC_148_groups_share_alus) {
  EXPECT_EQ(run(float32, {unzip, split, step_of(FpUnaryOp::Exp, {}, Groups::group0), step_of(FpUnaryOp::NegExp, {}, Groups::group1)}).code,
            "vector-alu-in-use");
  EXPECT_EQ(run(int32, {unzip, step_of(ClipBinaryOpI32::AddFxp), clip_zip}).code, "vector-alu-in-use");
}
TEST(Book, VEC_149_two_group_restrictions) {
  for (VectorMethod m : {stash, filter}) {
    EXPECT_EQ(run(int32, {unzip, m}).code, "vector-two-group-method");
    EXPECT_EQ(run(int32, {unzip, clip_zip, m}).code, "vector-two-group-method");
  }
  EXPECT_EQ(run(int32, {unzip, final_}).code, "vector-groups-not-merged");
  EXPECT_EQ(run(int32, {unzip, inter}).code, "vector-groups-not-merged");
  EXPECT_EQ(run(int32, {unzip, clip_zip, inter, final_}).code, "accepted") << "F-53";
}
TEST(Book, VEC_150_vrf_capacity) {
  EXPECT_EQ(rngd.vrf.slice_capacity, Bytes{8192});
  // What is loaded lies beside the stream, slice by slice.
  EXPECT_EQ(code(check_vrf_operand(stream(A / 2, B, (A % 2).pad(8)), in_vrf(copies(256), B))), "accepted");
  EXPECT_EQ(code(check_vrf_operand(stream(A / 2, B, (A % 2).pad(8)), in_vrf(copies(256), A))), "vector-operand-slices");
}

TEST(Book, INT_03_stages_before_the_inter_slice_block) {
  EXPECT_EQ(run(int32, {branch, inter}).code, "accepted");
  EXPECT_EQ(run(int32, {branch, step_of(LogicBinaryOpI32::BitAnd), inter}).code, "accepted");
  EXPECT_EQ(run(int32, {branch, add, inter}).code, "accepted");
  EXPECT_EQ(run(int32, {branch, to_fp, inter}).code, "accepted");
  EXPECT_EQ(run(float32, {branch, split, concat, inter}).code, "accepted");
  EXPECT_EQ(run(float32, {branch, to_fxp, inter}).code, "accepted");
  EXPECT_EQ(run(int32, {branch, clip, inter}).code, "accepted");
  EXPECT_EQ(run(int32, {compare, filter, inter}).code, "vector-inter-slice-after-filter");
}
TEST(Book, INT_04_way4_stages_do_not_lead_there) {
  EXPECT_EQ(run(float32, {branch, split, inter}).code, "vector-needs-way8");
  EXPECT_EQ(run(float32, {branch, split, exp, inter}).code, "vector-needs-way8");
  EXPECT_EQ(run(float32, {branch, split, reduce, inter}).code, "vector-needs-way8");
  EXPECT_EQ(run(float32, {branch, split, fp_div, inter}).code, "vector-needs-way8");
}
TEST(Book, INT_05_after_the_inter_slice_block) {
  EXPECT_EQ(run(int32, {inter, branch, add, final_}).code, "accepted");
  EXPECT_EQ(run(int32, {inter, final_}).code, "accepted");
  EXPECT_EQ(run(int32, {inter, inter}).code, "vector-inter-slice-twice");
  EXPECT_EQ(run(int32, {branch, inter, inter}).code, "vector-inter-slice-twice");
  EXPECT_EQ(run(int32, {inter, add}).code, "vector-not-entered");
}

// Every comparison, on numbers that tell signed from unsigned and numbers from bits.
TEST(Book, SUP_12_comparisons) {
  auto const id = [](const InputCmp& c, std::uint32_t bits) { return execution_id(BranchMode::comparing(c), bits, NumericModel::rngd); };
  auto const of = [](std::int32_t n) { return static_cast<std::uint32_t>(n); };
  EXPECT_EQ(id(InputCmp::Equal(5), of(5)), 1);
  EXPECT_EQ(id(InputCmp::Equal(5), of(-5)), 0);
  EXPECT_EQ(id(InputCmp::Less(5), of(-1)), 1);
  EXPECT_EQ(id(InputCmp::Less(5), of(5)), 0);
  EXPECT_EQ(id(InputCmp::Greater(5), of(6)), 1);
  EXPECT_EQ(id(InputCmp::Greater(5), of(-1)), 0);
  EXPECT_EQ(id(InputCmp::LessUnsigned(5), of(-1)), 0) << "0xffffffff is large";
  EXPECT_EQ(id(InputCmp::LessUnsigned(5), of(4)), 1);
  EXPECT_EQ(id(InputCmp::GreaterUnsigned(5), of(-1)), 1);
  EXPECT_EQ(id(InputCmp::GreaterUnsigned(5), of(5)), 0);
  EXPECT_EQ(id(InputCmp::True, of(-1)), 1);
  EXPECT_EQ(id(InputCmp::False, of(-1)), 0);
  auto const bits = [](float x) { return f32::from_float(x).bits; };
  EXPECT_EQ(id(InputCmp::Less(0.5f), bits(-2.0f)), 1);
  EXPECT_EQ(id(InputCmp::LessUnsigned(0.5f), bits(-2.0f)), 0) << "the sign is the highest bit";
  EXPECT_EQ(id(InputCmp::GreaterUnsigned(0.5f), bits(-2.0f)), 1);
  EXPECT_EQ(id(InputCmp::Equal(0.0f), bits(-0.0f)), 1) << "as numbers";
  Levels const stream;
  EXPECT_EQ(code(check_branch(rngd, int32, stream, BranchMode::comparing(InputCmp::Less(1)))), "accepted");
  EXPECT_EQ(code(check_branch(rngd, float32, stream, BranchMode::comparing(InputCmp::Less(1)))), "vector-branch-type");
  EXPECT_EQ(code(check_branch(rngd, int32, stream, BranchMode::comparing(InputCmp::GreaterUnsigned(1.0f)))), "vector-branch-type");
}

}  // namespace
}  // namespace tcp
