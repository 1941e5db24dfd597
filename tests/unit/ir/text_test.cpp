// What the text form says, and what it says to those who write it wrong.
#include "tcp/ir/text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <fstream>
#include <iterator>

#include "module_builder.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/support/render.hpp"

namespace {

using namespace tcp;
using build::ModuleBuilder;

ir::Module read(std::string_view text) {
  auto const m = ir::parse(text, "test.tcp");
  if (!m) throw std::invalid_argument(render(m.refusal()));
  return *m;
}
Refusal refusal_of(std::string_view text) { return ir::parse(text, "test.tcp").refusal(); }
std::string help(std::string_view text) { return std::string(refusal_of(text).advice.view()); }
std::string place(const Refusal& r) { return std::string(r.at.file) + ":" + std::to_string(r.at.line) + ":" + std::to_string(r.at.column); }

/// A pass over x, an i32 tensor of DM, with v in VRF and t in TRF, that has these stages.
ir::Pass pass_of(std::string_view stages, std::string_view type = "i32") {
  std::string const head = "module m axes A = 8, I = 2 table t: i8 -> i8 (0x0) dm x: " + std::string(type) +
                           " Element[A] vrf v: f32 Element[A] trf w: bf16 Row[I] Element[A] main.begin(x)\n";
  return std::get<ir::Pass>(read(head + std::string(stages)).commands.at(0).what);
}
template <class What>
What stage_of(std::string_view stage, std::string_view type = "i32") {
  return std::get<What>(pass_of(stage, type).stages.at(0).what);
}

constexpr std::string_view add_one = R"(module add_one
axes A = 2048

argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456

move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";

/// The program of the text above, built call by call.
ModuleBuilder built_add_one() {
  ModuleBuilder b("A = 2048");
  auto const in = b.hbm("in", ScalarType::i32, "A", 0, ir::Role::argument);
  auto const x = b.dm("x", ScalarType::i32, "A / 8", "A % 8", 0), y = b.dm("y", ScalarType::i32, "A / 8", "A % 8", 4096);
  auto const out = b.hbm("out", ScalarType::i32, "A", 1 << 28, ir::Role::result);
  b.module.name = "add_one";
  b.move(in, x);
  b.main(x)
      .stage(ir::Fetch{})
      .stage(ir::Collect{})
      .stage(ir::VectorInit{})
      .stage(ir::Branch{})
      .stage(ir::VectorOperation{step_of(FxpBinaryOp::AddFxp), {{{OperandKind::immediate, ScalarType::i32, {}, true, 1}, ir::none}}})
      .stage(ir::VectorFinal{})
      .into(ir::Commit{y, {}, false});
  b.move(y, out);
  return b;
}

TEST(Text, several_modules_of_one_text_are_read_one_after_the_other) {
  std::string const one = "module one\naxes A = 8\nhbm x: i32 Element[A]\n",
                    two = "// The second.\nmodule two\naxes A = 16\nhbm x: i8 Element[A]\n";
  auto const both = ir::parse_all(one + two, "kernels.tcp");
  ASSERT_TRUE(both) << both.refusal().sentence().view();
  ASSERT_EQ(both->size(), 2u);
  EXPECT_TRUE(ir::same_program((*both)[0], *ir::parse(one, "a")));
  EXPECT_TRUE(ir::same_program((*both)[1], *ir::parse(two, "b")));
  EXPECT_EQ((*both)[1].tensors[0].at.line, 7u) << "of the whole text";
  auto const wrong = ir::parse_all(one + "module two\naxes A = 0\n", "kernels.tcp");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.refusal().at.line, 5u);
  EXPECT_EQ(ir::parse_all("axes A = 8\nhbm x: i32 Element[A]\n", "k")->size(), 1u);
  EXPECT_EQ(ir::parse_all("", "k")->size(), 1u);
}

TEST(Text, ReadsAProgram) {
  EXPECT_TRUE(ir::same_program(read(add_one), built_add_one().module));
  EXPECT_TRUE(ir::verify(read(add_one), rngd).ok());
}

TEST(Text, PrintsAProgram) { EXPECT_EQ(ir::print(built_add_one().module), add_one); }

TEST(Text, KeepsWhereThingsStand) {
  ir::Module const m = read(add_one);
  EXPECT_EQ(std::string(m.tensors[1].at.file), "test.tcp");
  EXPECT_EQ(m.tensors[1].at.line, 5u);
  EXPECT_EQ(m.tensors[1].at.column, 1u);
  EXPECT_EQ(m.commands[1].at.line, 10u);
  const auto& pass = std::get<ir::Pass>(m.commands[1].what);
  EXPECT_EQ(pass.stages[4].at.line, 15u);
  EXPECT_EQ(pass.stages[4].at.column, 3u);
}

TEST(Text, NamesOutliveTheModuleThatWasRead) {
  ir::Module copy;
  {
    std::string const file = "a rather long name of a file that no small string holds.tcp";
    auto const m = ir::parse(add_one, file.c_str());
    copy = *m;
  }
  EXPECT_EQ(std::string(copy.tensors[0].at.file), "a rather long name of a file that no small string holds.tcp");
}

TEST(Text, PrintsLocationsIfAsked) {
  std::string const text = ir::print(read(add_one), {.locations = true});
  EXPECT_NE(text.find("dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0  // test.tcp:5:1\n"), text.npos) << text;
  EXPECT_NE(text.find("  .collect  // test.tcp:12:3\n"), text.npos) << text;
  EXPECT_TRUE(ir::same_program(read(text), read(add_one)));
}

TEST(Text, AnAxisMayHaveAnotherSizeInOneMapping) {
  ir::Module const m = read("module m axes A = 2048, B = 4 dm x: i32 Slice[A / 8] Element[A % 8, B where A = 16] dm y: i32 Element[A]");
  const Mapping& element = m.map(m.tensors[0].element);
  EXPECT_EQ(element, *parse("A % 8, B", *parse_axes("A = 16, B = 4")));
  EXPECT_EQ(m.map(m.tensors[1].element), *parse("A", *parse_axes("A = 2048")));
  EXPECT_EQ(ir::print(m),
            "module m\naxes A = 2048, B = 4\n\ndm x: i32 Slice[A / 8] Element[A % 8, B where A = 16]\ndm y: i32 Element[A]\n");
}

TEST(Text, AnAxisNeedsNoDeclarationIfEveryMappingSaysItsSize) {
  ir::Module const m = read("dm x: i32 Element[A / 2 where A = 16]");
  EXPECT_EQ(m.map(m.tensors[0].element), *parse("A / 2", *parse_axes("A = 16")));
}

TEST(Text, MappingsAreSplicedInByName) {
  ir::Module const m = read("axes A = 8, B = 4 using Inner = [A / 2 # 8] using Both = [{ Inner }, B] dm x: i32 Element[{Both}, A % 2]");
  EXPECT_EQ(m.map(m.tensors[0].element), *parse("A / 2 # 8, B, A % 2", *parse_axes("A = 8, B = 4")));
  EXPECT_EQ(help("axes A = 8 using Inner = [A] dm x: i32 Element[{ Iner }]"), "did you mean Inner?");
  EXPECT_STREQ(refusal_of("axes A = 8 using Inner = [A] using Inner = [A]").code, "ir-text-declared-twice");
  EXPECT_STREQ(refusal_of("axes A = 8 dm x: i32 Element[{").code, "ir-text-open-mapping");
  EXPECT_STREQ(refusal_of("axes A = 8 dm x: i32 Element[{ ]").code, "mapping-text-syntax");
}

TEST(Text, TensorsOfOneNameAreToldApartByNumbers) {
  ir::Module const m = read(R"(dm x: i32 Element[1] dm x%1: f32 Element[1] dm %2: i8 Element[1] dm "two words": i4 Element[1]
    move x%1 -> x move %2 -> "two words")");
  EXPECT_EQ(m.tensors[0].name, "x");
  EXPECT_EQ(m.tensors[1].name, "x");
  EXPECT_EQ(m.tensors[2].name, "");
  EXPECT_EQ(m.tensors[3].name, "two words");
  EXPECT_EQ(std::get<ir::Transfer>(m.commands[0].what).source, ir::TensorId(1));
  EXPECT_EQ(std::get<ir::Transfer>(m.commands[1].what).source, ir::TensorId(2));
  EXPECT_EQ(std::get<ir::Transfer>(m.commands[1].what).destination, ir::TensorId(3));
}

TEST(Text, NamesThatMeanSomethingAreQuoted) {
  ir::Module const m = read(R"(dm "none": i32 Element[1] dm "a\"\\\x0a": i32 Element[1] move "none" -> none)");
  EXPECT_EQ(m.tensors[1].name, "a\"\\\n");
  EXPECT_EQ(std::get<ir::Transfer>(m.commands[0].what).source, ir::TensorId(0));
  EXPECT_EQ(std::get<ir::Transfer>(m.commands[0].what).destination, ir::none);
  EXPECT_EQ(ir::print(m), "module \"\"\n\ndm \"none\": i32 Element[1]\ndm \"a\\\"\\\\\\x0a\": i32 Element[1]\n\nmove \"none\" -> none\n");
}

TEST(Text, TensorsSayAllTheirLevels) {
  ir::Module const m = read(R"(axes A = 8, B = 4
    from_addr trf t: bf16 Chip[4] Cluster[1 # 2] Slice[A] Row[B] Element[3] SecondHalf at 0x10
    spm s: i8 Pe[A] Element[B]
    dm v: i32 Element[A = 4] = t.tile([A / 2], length: 2, start: 1))");
  const ir::Tensor& t = m.tensors[0];
  EXPECT_EQ(t.role, ir::Role::from_addr);
  EXPECT_EQ(t.memory, Memory::Trf);
  EXPECT_EQ(m.map(t.row).size, 4);
  EXPECT_EQ(m.map(t.chip).size, 4);
  EXPECT_EQ(t.trf, TrfAddress::SecondHalf);
  EXPECT_EQ(t.address, 16);
  EXPECT_EQ(m.map(m.tensors[1].slice).size, 8);
  const ir::ViewOf& v = *m.tensors[2].view;
  EXPECT_EQ(v.tensor, ir::TensorId(0));
  EXPECT_EQ(v.kind, ir::ViewOf::Kind::tile);
  EXPECT_EQ(m.map(v.dimension), *parse("A / 2", *parse_axes("A = 8")));
  EXPECT_EQ(v.length, 2);
  EXPECT_EQ(v.start, 1);
}

TEST(Text, ArgumentsAndResultsAreListedInOrderOfDeclarationUnlessSaid) {
  constexpr std::string_view tensors = "argument hbm a: i32 Element[1] argument hbm b: i32 Element[1] result hbm c: i32 Element[1] ";
  EXPECT_EQ(read(tensors).arguments, (std::vector<ir::TensorId>{ir::TensorId(0), ir::TensorId(1)}));
  EXPECT_EQ(read(tensors).results, (std::vector<ir::TensorId>{ir::TensorId(2)}));
  ir::Module const said = read(std::string(tensors) + "arguments (b, a, c) results ()");
  EXPECT_EQ(said.arguments, (std::vector<ir::TensorId>{ir::TensorId(1), ir::TensorId(0), ir::TensorId(2)}));
  EXPECT_TRUE(said.results.empty());
}

TEST(Text, RegionsHoldTheCommandsBehindThem) {
  ir::Module const m = read(R"(dm x: i32 Element[1] region outer region tile index 3 inside outer
    memset x = 0 in tile: memset x = 1 memset x = 2 in none: memset x = 3)");
  EXPECT_EQ(m.regions[1].name, "tile");
  EXPECT_EQ(m.regions[1].index, 3);
  EXPECT_EQ(m.regions[1].inside, 0);
  std::vector<int> regions;
  for (const ir::Command& c : m.commands) regions.push_back(c.region);
  EXPECT_EQ(regions, (std::vector<int>{ir::none, 1, 1, ir::none}));
}

TEST(Text, ModuleTableAndTransfers) {
  ir::Module const m = read(R"(module "my module"(chips: 4, numeric: ieee) axes V = 8
    table gelu: i4 -> f32 (0x0, 0x3f800000, 7)
    hbm x: i32 Element[V] hbm y: i32 Element[V] hbm r: i32 Element[V]
    gather x -> y (rows: r, axis: V) Time[V / 2] Packet[V % 2]
    scatter x -> y (axis: V, rows: r)
    chip_slice x -> y (permutation: (3, -1), dimension: [V / 4], length: 2)
    chip_shuffle x -> y (permutation: (1, 0))
    cluster_shuffle x -> y (permutation: (0))
    host_move x -> y
    memset x = 0xffffffff)");
  EXPECT_EQ(m.name, "my module");
  EXPECT_EQ(m.chips, 4);
  EXPECT_EQ(m.numeric, NumericModel::ieee);
  EXPECT_EQ(m.tables[0].bits, (std::vector<std::uint32_t>{0, 0x3f800000, 7}));
  EXPECT_EQ(m.tables[0].from, ScalarType::i4);
  auto const transfer = [&m](std::size_t i) { return std::get<ir::Transfer>(m.commands[i].what); };
  EXPECT_EQ(transfer(0).kind, ir::Transfer::Kind::gather);
  EXPECT_EQ(transfer(0).rows, ir::TensorId(2));
  EXPECT_EQ(transfer(0).row_axis, Name("V"));
  EXPECT_EQ(m.map(*transfer(0).time).size, 4);
  EXPECT_EQ(m.map(*transfer(0).packet).size, 2);
  EXPECT_EQ(transfer(1).kind, ir::Transfer::Kind::scatter);
  EXPECT_FALSE(transfer(1).time.has_value());
  EXPECT_EQ(transfer(2).permutation, (std::vector<std::int64_t>{3, -1}));
  EXPECT_EQ(transfer(2).length, 2);
  EXPECT_EQ(m.map(transfer(2).dimension).size, 2);
  EXPECT_EQ(transfer(3).kind, ir::Transfer::Kind::chip_shuffle);
  EXPECT_EQ(transfer(4).kind, ir::Transfer::Kind::cluster_shuffle);
  EXPECT_EQ(std::get<ir::HostTransfer>(m.commands[5].what).destination, ir::TensorId(1));
  EXPECT_EQ(std::get<ir::Memset>(m.commands[6].what).word, 0xffffffffu);
}

TEST(Text, PassesBeginWithOneTensorOrWithTwoThatTakeTurns) {
  ir::Module const m = read("dm x: i8 Element[1] dm y: i8 Element[1] sub.begin(x) main.dual.begin_interleaved(I, x, y)");
  const auto &sub = std::get<ir::Pass>(m.commands[0].what), &main = std::get<ir::Pass>(m.commands[1].what);
  EXPECT_EQ(sub.context, Tu::Sub);
  EXPECT_FALSE(sub.dual);
  EXPECT_EQ(sub.source, (std::vector<ir::TensorId>{ir::TensorId(0)}));
  EXPECT_EQ(main.context, Tu::Main);
  EXPECT_TRUE(main.dual);
  EXPECT_EQ(main.source, (std::vector<ir::TensorId>{ir::TensorId(0), ir::TensorId(1)}));
  EXPECT_EQ(main.turns, Name("I"));
}

TEST(Text, AStageKeepsWhatItDoesNotSay) {
  ir::Pass const p =
      pass_of(".fetch bf16 Time[A / 4] Packet[A % 4] .collect .align(w) Row[I] .contract Packet[1] .vector_fp_to_fxp(8) .cast i8");
  EXPECT_EQ(p.stages[1].out, p.stages[0].out);
  EXPECT_EQ(p.stages[2].out.time, p.stages[0].out.time);
  EXPECT_NE(p.stages[2].out.row, p.stages[0].out.row);
  EXPECT_EQ(p.stages[3].out.type, ScalarType::f32) << "products are wider";
  EXPECT_EQ(p.stages[3].out.packet, ir::MapId());
  EXPECT_EQ(p.stages[4].out.type, ScalarType::i32);
  EXPECT_EQ(p.stages[5].out.type, ScalarType::i8);
  EXPECT_EQ(p.stages[5].out.row, p.stages[2].out.row);
}

TEST(Text, Stages) {
  EXPECT_EQ(stage_of<ir::Fetch>(".fetch(table: t, zero_points: (3, -5))").table, 0);
  EXPECT_EQ(stage_of<ir::Fetch>(".fetch(table: t, zero_points: (3, -5))").zero_points, (std::vector<std::int64_t>{3, -5}));
  EXPECT_EQ(stage_of<ir::Switch>(".switch(InterTranspose, slice1: 2, slice0: 4, time0: 8)").config,
            SwitchConfig(SwitchConfig::InterTranspose{2, 4, 8}));
  EXPECT_EQ(stage_of<ir::Switch>(".switch(CustomBroadcast, ring_size: 16, extraction: Partial)").config,
            SwitchConfig(SwitchConfig::CustomBroadcast{16, Extraction::Partial}));
  EXPECT_EQ(stage_of<ir::Align>(".align(w)").trf, ir::TensorId(2));
  EXPECT_EQ(stage_of<ir::Contract>(".contract(Max)").op, ContractOp::Max);
  EXPECT_TRUE(stage_of<ir::Accumulate>(".accumulate(Sequential)").kind == AccumulationKind::Sequential);
  EXPECT_EQ(stage_of<ir::Unzip>(".vector_intra_slice_unzip(I, tile_time: [1 # 2])").axis, Name("I"));
  EXPECT_EQ(stage_of<ir::Filter>(".vector_filter({1, 3}, count: v)").keep.ids, 0b1010);
  EXPECT_EQ(stage_of<ir::Filter>(".vector_filter({1, 3}, count: v)").count, ir::TensorId(1));
  EXPECT_EQ(stage_of<ir::IntraSliceReduce>(".vector_intra_slice_reduce(A, AddSat)").op, ReduceOp::AddSat);
  EXPECT_EQ(stage_of<ir::InterSliceReduce>(".vector_inter_slice_reduce(Mul)").op, ReduceOp::Mul);
  EXPECT_EQ(stage_of<ir::BranchLog>(".vector_branch_log(v)").vrf, ir::TensorId(1));
  EXPECT_EQ(stage_of<ir::WriteOperand>(".vector_write_operand(v when {2})").guard, OperandGuard::id(2));
  EXPECT_EQ(stage_of<ir::ToTrf>(".to_trf(w)").destination, ir::TensorId(2));
  EXPECT_EQ(stage_of<ir::ToVrf>(".to_vrf(v)").destination, ir::TensorId(1));
  auto const commit = stage_of<ir::Commit>(".commit(x, slices: {0..7, 255}, pack_valid)");
  EXPECT_EQ(*commit.slices, SliceMask::below(8).with(255));
  EXPECT_TRUE(commit.pack_valid);
  EXPECT_FALSE(stage_of<ir::Commit>(".commit(x)").slices.has_value());
}

TEST(Text, Branches) {
  EXPECT_EQ(stage_of<ir::Branch>(".vector_intra_slice_branch(ValidCount)").mode, BranchMode(BranchMode::Kind::ValidCount));
  EXPECT_EQ(stage_of<ir::Branch>(".vector_intra_slice_branch(AxisToggle(I))").mode, BranchMode::toggle(Name("I")));
  EXPECT_EQ(stage_of<ir::Branch>(".vector_intra_slice_branch(Comparison(Less(0), Greater(9), True))").mode,
            BranchMode::comparing(InputCmp::Less(0), InputCmp::Greater(9), InputCmp::True));
  EXPECT_EQ(stage_of<ir::Branch>(".vector_intra_slice_branch(Comparison(LessUnsigned(-1), Equal(2.5)))").mode,
            BranchMode::comparing(InputCmp::LessUnsigned(-1), InputCmp::Equal(2.5f)));
  EXPECT_EQ(stage_of<ir::Branch>(".vector_intra_slice_branch(Vrf(v))").vrf, ir::TensorId(1));
}

TEST(Text, Operations) {
  EXPECT_EQ(stage_of<ir::VectorOperation>(".vector_fxp(ArithRightShiftRound, 3, mode: Mode10)").step,
            step_of(FxpBinaryOp::ArithRightShiftRound, BinaryArgMode::Mode10));
  EXPECT_EQ(stage_of<ir::VectorOperation>(".vector_fp_binary(MaskMulF(Mul1), 1.0)").step, step_of(FpBinaryOp::MaskMulF(FpMulAlu::Mul1)));
  EXPECT_EQ(stage_of<ir::VectorOperation>(".vector_fp_binary(MulF(FpMulAlu::Fma), 1.0)").step, step_of(FpBinaryOp::MulF(FpMulAlu::Fma)));
  EXPECT_EQ(stage_of<ir::VectorOperation>(".vector_fp_ternary(FmaF, 1.0, 2.0)").step, step_of(FpTernaryOp::FmaF));
  EXPECT_EQ(stage_of<ir::VectorOperation>(".vector_fp_unary(Erf)").step, step_of(FpUnaryOp::Erf));
  EXPECT_EQ(stage_of<ir::VectorOperation>(".vector_fp_div(DivF, stash)").step, step_of(FpDivBinaryOp::DivF));
  EXPECT_EQ(stage_of<ir::VectorOperation>(".vector_fxp_zip(MulInt)").step, step_of(FxpBinaryOp::MulInt, {}, Groups::zip));
  EXPECT_EQ(stage_of<ir::VectorOperation>(".vector_fp_zip(AddF)").step, step_of(FpBinaryOp::AddF, {}, Groups::zip));
  EXPECT_EQ(stage_of<ir::VectorOperation>(".vector_fxp(AddFxp, 1, groups: group1)").step, step_of(FxpBinaryOp::AddFxp, {}, Groups::group1));
  EXPECT_EQ(stage_of<ir::VectorOperation>(".vector_fxp_to_fp(16)").step, fxp_to_fp_step(16));
  EXPECT_EQ(stage_of<ir::VectorOperation>(".vector_split").step, step_of(VectorMethod::split));
}

TEST(Text, TheStreamSaysWhoseOperationIsMeant) {
  EXPECT_EQ(stage_of<ir::VectorOperation>(".vector_clip(Max, 0)", "i32").step, step_of(ClipBinaryOpI32::Max));
  EXPECT_EQ(stage_of<ir::VectorOperation>(".vector_clip(Max, 0)", "f32").step, step_of(ClipBinaryOpF32::Max));
  EXPECT_EQ(stage_of<ir::VectorOperation>(".vector_clip(ClipBinaryOpI32::Max, 0)", "f32").step, step_of(ClipBinaryOpI32::Max));
  EXPECT_EQ(stage_of<ir::VectorOperation>(".vector_logic(LogicBinaryOpF32::BitAnd, 0)", "i32").step, step_of(LogicBinaryOpF32::BitAnd));
}

OperandShape constant(ScalarType type, std::uint32_t bits) { return {OperandKind::immediate, type, {}, true, bits}; }
OperandShape constant(float v) { return constant(ScalarType::f32, std::bit_cast<std::uint32_t>(v)); }

TEST(Text, Operands) {
  auto const operand = [](std::string_view text) {
    return stage_of<ir::VectorOperation>(".vector_fxp(AddFxp, " + std::string(text) + ")").operands.at(0);
  };
  EXPECT_EQ(operand("-7").shape, constant(ScalarType::i32, static_cast<std::uint32_t>(-7)));
  EXPECT_EQ(operand("2147483647").shape, constant(ScalarType::i32, 0x7fffffff));
  EXPECT_EQ(operand("0xffffffff").shape, constant(ScalarType::i32, 0xffffffff));
  EXPECT_EQ(operand("0.1").shape, constant(0.1f));
  EXPECT_EQ(operand("-1e-45").shape, constant(ScalarType::f32, 0x80000001));
  EXPECT_EQ(operand("f32 3").shape, constant(3.0f));
  EXPECT_EQ(operand("-0.0").shape, constant(ScalarType::f32, 0x80000000));
  EXPECT_EQ(operand("-inf").shape, constant(ScalarType::f32, 0xff800000));
  EXPECT_EQ(operand("nan").shape, constant(ScalarType::f32, 0x7fc00000));
  EXPECT_EQ(operand("f32 0x7f800001").shape, constant(ScalarType::f32, 0x7f800001));
  EXPECT_EQ(operand("bf16 0x3f80").shape, constant(ScalarType::bf16, 0x3f80));
  EXPECT_EQ(operand("i8 -1").shape, constant(ScalarType::i8, 0xff));
  EXPECT_EQ(operand("?").shape, (OperandShape{OperandKind::immediate, ScalarType::i32, {}, false, 0}));
  EXPECT_EQ(operand("_").shape, OperandShape{});
  EXPECT_EQ(operand("stash").shape.kind, OperandKind::stash);
  EXPECT_EQ(operand("v").vrf, ir::TensorId(1));
  EXPECT_EQ(operand("v").shape, (OperandShape{OperandKind::vrf, ScalarType::f32, {}, false, 0})) << "of the tensor's type";
  EXPECT_EQ(operand("i32 v").shape.type, ScalarType::i32);
  EXPECT_EQ(operand("1 when {8..15}").shape.guard, OperandGuard::group(GroupId::One));
  EXPECT_EQ(operand("1 when {}").shape.guard.ids, 0);
  EXPECT_EQ(operand("operand(stash, i8, known, 0x5, v)").shape, (OperandShape{OperandKind::stash, ScalarType::i8, {}, true, 5}));
}

/// Each float is printed as itself.
TEST(Text, FloatsAreExact) {
  std::uint32_t bits = 1;
  for (int i = 0; i < 20000; ++i) {
    bits = bits * 1664525u + 1013904223u;
    ModuleBuilder b("A = 8");
    auto const x = b.dm("x", ScalarType::f32, "1", "A", 0);
    b.main(x).into(ir::VectorOperation{step_of(ClipBinaryOpF32::Max), {{constant(ScalarType::f32, bits), ir::none}}});
    auto const again = read(ir::print(b.module));
    ASSERT_TRUE(ir::same_program(again, b.module)) << bits << "\n" << ir::print(b.module);
  }
}

TEST(Text, CommentsAndLineEndsAreBlanks) {
  ir::Module const m = read("// first\nmodule // the name follows\r\n m\n\n\naxes\tA\n=\n8 dm x:i32 Element[A\n/ 2]//end");
  EXPECT_EQ(m.name, "m");
  EXPECT_EQ(m.map(m.tensors[0].element).size, 4);
  EXPECT_TRUE(read("").commands.empty());
}

// Refusals: where, and what to write instead.

TEST(Text, RefusalsKnowTheirLineAndColumn) {
  EXPECT_EQ(place(refusal_of("module m\naxes A = 8\n\ndm x i32")), "test.tcp:4:6");
  EXPECT_EQ(place(refusal_of("axes A = 8 dm x: i32\n  Element[A /\n  3]")), "test.tcp:3:4") << "the fault shows behind the number";
  EXPECT_EQ(place(refusal_of("axes A = 8\ndm x: i32\n  Element[A,\n     Bb]")), "test.tcp:4:6");
  EXPECT_EQ(place(refusal_of("axes A = 8\n  dm x: i32 Element[Z]")), "test.tcp:2:21");
  EXPECT_EQ(place(refusal_of("module m\n\xff")), "test.tcp:2:1");
  EXPECT_EQ(place(refusal_of("dm x: i32 Element[1]\nmove x -> y")), "test.tcp:2:11");
  EXPECT_EQ(place(refusal_of("module m(chips: 1")), "test.tcp:1:18");
}

TEST(Text, UnknownNamesGetTheNearest) {
  constexpr std::string_view head = "axes Heads = 8 dm weights: i32 Element[1] dm x: i32 Element[Heads] ";
  auto const behind = [head](std::string_view rest) { return help(std::string(head) + std::string(rest)); };
  EXPECT_EQ(behind("move wieghts -> x"), "did you mean weights?");
  EXPECT_EQ(behind("mvoe x -> x"), "did you mean move?");
  EXPECT_EQ(behind("main.begin(x) .fech"), "did you mean fetch?");
  EXPECT_EQ(behind("main.begin(x) .vector_fpx(AddFxp, 1)"), "did you mean vector_fxp?");
  EXPECT_EQ(behind("main.begin(x) .vector_fxp(AddFxpp, 1)"), "did you mean AddFxp?");
  EXPECT_EQ(behind("main.begin(x) .switch(Brodcast1)"), "did you mean Broadcast1?");
  EXPECT_EQ(behind("dm y: i32 Element[Haeds]"), "did you mean Heads?");
  EXPECT_EQ(behind("move qqqqqqq -> x"), "declare it above this line");
}

TEST(Text, RefusesWhatIsGivenTwice) {
  EXPECT_STREQ(refusal_of("dm x: i32 Element[1] Element[1]").code, "ir-text-given-twice");
  EXPECT_STREQ(refusal_of("dm x: i32 at 0 at 1").code, "ir-text-given-twice");
  EXPECT_STREQ(refusal_of("module a module b").code, "ir-text-given-twice");
  EXPECT_STREQ(refusal_of("dm x: i32 Element[1] main.begin(x) .fetch Time[1] Time[1]").code, "ir-text-given-twice");
  EXPECT_STREQ(refusal_of("dm x: i32 dm x: i32").code, "ir-text-declared-twice");
  EXPECT_STREQ(refusal_of("axes A = 1 axes A = 1").code, "ir-text-declared-twice");
}

TEST(Text, RefusesNumbersThatDoNotFit) {
  for (const char* text :
       {"dm x: i32 at 9223372036854775808", "dm x: i32 at 99999999999999999999999999", "dm x: i32 at 0x1ffffffffffffffff",
        "dm x: i32 memset x = 4294967296", "dm x: i32 memset x = -1", "dm x: i32 at 12monkeys", "dm x: i32 at 0x",
        "dm x: i32 main.begin(x) .commit(x, slices: {256})", "dm x: i32 main.begin(x) .vector_filter({16})",
        "dm x: i32 main.begin(x) .vector_filter({3..2})", "dm x: i32 main.begin(x) .vector_fxp(AddFxp, 1e99)",
        "dm x: i32 main.begin(x) .vector_fxp(AddFxp, 2147483648)", "dm x: i32 main.begin(x) .vector_fxp(AddFxp, bf16 1.5)"})
    EXPECT_STREQ(refusal_of(text).code, "ir-text-number") << text;
  EXPECT_EQ(read("dm x: i32 at -9223372036854775808").tensors[0].address, INT64_MIN);
}

TEST(Text, RefusesStagesWithoutTheirArguments) {
  for (const char* stage : {".align", ".align()", ".commit()", ".switch", ".accumulate()", ".vector_fxp()", ".vector_fp_ternary( )",
                            ".vector_fxp_to_fp", ".vector_intra_slice_branch(AxisToggle)", ".vector_intra_slice_branch(Comparison(Less))",
                            ".to_trf()", ".vector_filter()", ".commit(x, y)", ".align(x, x)"}) {
    Refusal const r = refusal_of("dm x: i32 Element[1] main.begin(x) " + std::string(stage));
    EXPECT_TRUE(std::string_view(r.code).starts_with("ir-text-")) << stage << ": " << r.code;
  }
}

TEST(Text, ArgumentsOfStagesAreKnownByPlaceOrName) {
  struct Case {
    const char *stage, *code, *sentence;
  };
  auto const head = "axes A = 8 dm x: i32 Element[A] vrf v: i32 Element[A] main.begin(x) ";
  for (const Case& c : {
           Case{".fetch(tabel: t)", "ir-text-unknown-word", "an argument of fetch is needed; 'tabel' is none"},
           Case{".fetch(zero_points: (1), zero_points: (1))", "ir-text-given-twice", "zero_points is given twice"},
           Case{".switch(slice1: 2)", "ir-text-unknown-word", "a topology of the switch is needed; 'slice1' is none"},
           Case{".switch(Broadcast1, slice1: 2, slice1: 2)", "ir-text-given-twice", "slice1 is given twice"},
           Case{".switch(Broadcast1, slice1)", "ir-text-unknown-word", "an argument of switch is needed; 'slice1' is none"},
           Case{".switch(Broadcast1, slice1: A)", "ir-text-syntax", "a number of positions is needed; found 'A'"},
           Case{".align", "ir-text-syntax", "the tensor of the stage is needed, in parentheses, but the text ends"},
           Case{".align(v, v)", "ir-text-syntax", "the stage has no further argument; found 'v'"},
           Case{".contract(Add, Max)", "ir-text-syntax", "the stage has no further argument; found 'Max'"},
           Case{".accumulate(Add)", "ir-text-unknown-word", "a kind of accumulation is needed; 'Add' is none"},
           Case{".vector_write_operand(when {1})", "ir-text-unknown-name", nullptr},
           Case{".vector_write_operand(v when {1}, v)", "ir-text-syntax", "the stage has no further argument; found 'v'"},
           Case{".vector_branch_log(v when {1})", "ir-text-syntax", "the arguments end with ), and a comma separates two; found 'when'"},
           Case{".vector_intra_slice_unzip(A, [1])", "ir-text-unknown-word", nullptr},
           Case{".vector_intra_slice_unzip(A, tile_time: [1], tile_time: [1])", "ir-text-given-twice", "tile_time is given twice"},
           Case{".vector_filter({1}, v)", "ir-text-unknown-word", "an argument of vector_filter is needed; 'v' is none"},
           Case{".vector_filter({1}, count: v, count: v)", "ir-text-given-twice", "count is given twice"},
           Case{".vector_intra_slice_reduce(A, Add, A)", "ir-text-syntax", "the stage has no further argument; found 'A'"},
           Case{".commit(x, pack_valid: 1)", "ir-text-syntax", nullptr},
           Case{".commit(x, pack_valid, slices: {1}, pack_valid)", "ir-text-given-twice", "pack_valid is given twice"},
       }) {
    Refusal const r = refusal_of(head + std::string(c.stage));
    EXPECT_STREQ(r.code, c.code) << c.stage;
    if (c.sentence != nullptr) {
      EXPECT_EQ(r.headline.view(), std::string_view(c.sentence)) << c.stage;
    }
  }
}

TEST(Text, RefusesBadBytesAndOpenEnds) {
  using namespace std::string_view_literals;
  EXPECT_STREQ(refusal_of("module m\0 dm"sv).code, "ir-text-character");
  EXPECT_STREQ(refusal_of("dm \xc3\xa4: i32").code, "ir-text-character");
  EXPECT_STREQ(refusal_of("module \"m\naxes").code, "ir-text-open-string");
  EXPECT_STREQ(refusal_of("module \"m\\").code, "ir-text-open-string");
  EXPECT_STREQ(refusal_of("module \"\\q\"").code, "ir-text-escape");
  EXPECT_STREQ(refusal_of("dm x: i32 Element[[A]").code, "ir-text-open-mapping");
  EXPECT_STREQ(refusal_of("dm x: i32 Element[A \0]"sv).code, "ir-text-unknown-name");
  EXPECT_STREQ(refusal_of("dm x: i32 Element[" + std::string(100000, '[') + std::string(100000, ']') + "]").code, "mapping-text-too-deep");
  EXPECT_STREQ(refusal_of("dm x: i32 Element[" + std::string(100000, '[') + "]").code, "ir-text-open-mapping");
}

/// Whatever is as long as it likes is read or refused in the time it takes to look at it.
TEST(Text, LongTextsTakeNoLongerThanTheirLength) {
  constexpr std::size_t long_line = 100'000'000, many = 1'000'000;
  std::string lines, tensors, numbers = "dm x: i32 Element[1]\nchip_shuffle x -> x (permutation: (0";
  for (std::size_t i = 0; i < many; ++i) lines += "// comment\n";
  for (std::size_t i = 0; i < many / 20; ++i)
    tensors += "dm t" + std::to_string(i) + ": i32 Element[" + std::to_string(i % 100 + 1) + "]\n";
  for (std::size_t i = 0; i < many; ++i) numbers += i % 1000 == 0 ? ",\n0" : ", 0";
  auto const begin = std::chrono::steady_clock::now();
  EXPECT_STREQ(refusal_of(std::string(long_line, 'x')).code, "ir-text-unknown-word");
  EXPECT_STREQ(refusal_of(std::string(long_line, ' ')).code, "ir-text-line-too-long");
  EXPECT_STREQ(refusal_of("module " + std::string(long_line, '9')).code, "ir-text-syntax");
  EXPECT_STREQ(refusal_of("module \"" + std::string(long_line, 'x') + "\" axes").code, "ir-text-line-too-long");
  EXPECT_STREQ(refusal_of("dm x: i32 Element[" + std::string(long_line, '[')).code, "ir-text-open-mapping");
  EXPECT_TRUE(read(lines).commands.empty());
  EXPECT_EQ(read(tensors).tensors.size(), many / 20);
  EXPECT_STREQ(refusal_of(tensors + "move t1 -> u1").code, "ir-text-unknown-name");
  EXPECT_EQ(std::get<ir::Transfer>(read(numbers + "))").commands[0].what).permutation.size(), many + 1);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));  // it takes about two, and hours if anything is quadratic
}

// The page that explains it.

struct Block {
  std::string kind, text;
};

/// The blocks of a Markdown page between lines of three backquotes.
std::vector<Block> blocks_of(const std::string& page) {
  std::vector<Block> all;
  constexpr std::string_view fence = "\n```";
  for (std::size_t at = 0; (at = page.find(fence, at)) != page.npos;) {
    std::size_t const kind = at + fence.size(), begin = page.find('\n', kind) + 1, end = page.find(fence, begin - 1) + 1;
    all.push_back({page.substr(kind, begin - 1 - kind), page.substr(begin, end - begin)});
    at = end + fence.size() - 1;
  }
  return all;
}

TEST(Text, ThePageShowsWhatIsPrinted) {
  std::ifstream file(TCP_SOURCE_DIR "/docs/text-form.md");
  std::vector<Block> const blocks = blocks_of({std::istreambuf_iterator<char>(file), {}});
  int programs = 0, refused = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].kind == "tcp refused") {
      auto const m = ir::parse(blocks[i].text, "page.tcp");
      ASSERT_FALSE(m.ok()) << blocks[i].text;
      EXPECT_EQ(render(m.refusal()) + "\n", blocks.at(i + 1).text);
      ++refused;
    }
    if (blocks[i].kind == "tcp written") {
      EXPECT_EQ(ir::print(read(blocks[i].text)), blocks.at(i + 1).text);
    }
    if (blocks[i].kind != "tcp") continue;
    auto const m = ir::parse(blocks[i].text, "page.tcp");
    ASSERT_TRUE(m.ok()) << render(m.refusal());
    EXPECT_EQ(ir::print(*m), blocks[i].text);
    auto const facts = ir::verify(*m, rngd);
    EXPECT_TRUE(facts.ok()) << render(facts.refusal());
    ++programs;
  }
  EXPECT_EQ(programs, 4);
  EXPECT_EQ(refused, 1);
}

}  // namespace
