// The rules of the Vector Engine against tables and against what every position holds.
#include "tcp/rules/vector.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tcp/device/chips.hpp"
#include "tcp/mapping/parse.hpp"

namespace tcp {
namespace {

constexpr ScalarType int32 = ScalarType::i32, float32 = ScalarType::f32;

std::string code(const Verdict& v) { return v ? "accepted" : v.refusal().code; }
template <class T>
std::string code(const Expected<T>& e) {
  return code(verdict(e));
}

// An operation is a type while a kernel compiles and a value ever after.
static_assert(FxpBinaryOp(FxpBinaryOp::SubFxp) == FxpBinaryOp::SubFxp && FxpBinaryOp(FxpBinaryOp::SubFxp) != FxpBinaryOp::AddFxp);
static_assert(decltype(FpBinaryOp::MulF(FpMulAlu::Mul1))::value == FpBinaryOp::Code::MulF1);
static_assert(FpBinaryOp::MaskMulF(FpMulAlu(FpMulAlu::Fma)) == FpBinaryOp::MaskMulF(FpMulAlu::Fma));
static_assert(FpBinaryOp::MulF(FpMulAlu(FpMulAlu::Mul0)).is_mul() && !FpBinaryOp(FpBinaryOp::DivF).is_mul());
static_assert(FpBinaryOp::MaskMulF(FpMulAlu(FpMulAlu::Mul0)).is_mask_mul() && !FpBinaryOp::MulF(FpMulAlu(FpMulAlu::Fma)).is_mask_mul());
template <VectorState>
struct Carried {};
using StateIsATemplateArgument [[maybe_unused]] = Carried<next_state({}, step_of(BranchMode::Unconditional))>;

template <class Op>
void round_trips() {
  std::set<std::string> names;
  for (std::size_t i = 0; i < std::size(Op::table); ++i) {
    Op const op = static_cast<typename Op::Code>(i);
    VectorStep const step = step_of(op);
    EXPECT_EQ(op_of<Op>(step), op);
    EXPECT_EQ(alu_of(step), info_of(op).alu);
    std::string const name = text(step).s;
    EXPECT_EQ(name, std::string(Op::family) + "::" + info_of(op).name);
    EXPECT_TRUE(names.insert(name).second) << name;
  }
}
TEST(VectorOps, steps_keep_their_operation) {
  round_trips<LogicBinaryOpI32>();
  round_trips<LogicBinaryOpF32>();
  round_trips<FxpBinaryOp>();
  round_trips<FpUnaryOp>();
  round_trips<FpBinaryOp>();
  round_trips<FpTernaryOp>();
  round_trips<FpDivBinaryOp>();
  round_trips<ClipBinaryOpI32>();
  round_trips<ClipBinaryOpF32>();
}

TEST(VectorOps, enumerators_select_cases) {
  auto const which = [](ClipBinaryOpF32 op) {
    switch (op) {
      case ClipBinaryOpF32::Min: return 'm';
      case ClipBinaryOpF32::Max: return 'M';
      case ClipBinaryOpF32::AbsMin: return 'a';
      case ClipBinaryOpF32::AbsMax: return 'A';
      case ClipBinaryOpF32::Add: return '+';
    }
    return '?';
  };
  EXPECT_EQ(which(ClipBinaryOpF32::Add), '+');
  EXPECT_EQ(which(ClipBinaryOpF32::AbsMin), 'a');
}

TEST(VectorOps, guards) {
  EXPECT_EQ(OperandGuard::group(GroupId::Zero).ids, 0x00ff);
  EXPECT_EQ(OperandGuard::bit(0).ids, 0xaaaa);
  EXPECT_EQ(OperandGuard::bit(1, false).ids, 0x3333);
  EXPECT_EQ((OperandGuard::id(1) | OperandGuard::id(2)).ids, 0x0006);
  EXPECT_EQ((OperandGuard::bit(0) & OperandGuard::bit(3)).ids, 0xaa00);
}

TEST(VectorOps, comparisons) {
  NumericModel const rngd_model = NumericModel::rngd;
  auto const bits = [](float x) { return f32::from_float(x).bits; };
  InputCmp const less = InputCmp::Less(1.5f), equal = InputCmp::Equal(0.0f), greater = InputCmp::Greater(-1),
                 below = InputCmp::LessUnsigned(-1);
  EXPECT_TRUE(holds(less, bits(1.0f), rngd_model));
  EXPECT_FALSE(holds(less, 0x7fc00000, rngd_model)) << "NaN";
  EXPECT_TRUE(holds(equal, bits(-0.0f), rngd_model));
  EXPECT_TRUE(holds(equal, 0x00000001, rngd_model)) << "a subnormal counts as zero";
  EXPECT_FALSE(holds(equal, 0x00000001, NumericModel::ieee));
  EXPECT_TRUE(holds(greater, 0, rngd_model));
  EXPECT_TRUE(holds(below, 5, rngd_model)) << "-1 is the greatest pattern";
  EXPECT_TRUE(holds(InputCmp::GreaterUnsigned(0.0f), 0x80000000, rngd_model)) << "-0 is a pattern above that of +0";
  EXPECT_TRUE(holds(InputCmp::True, 0, rngd_model) && !holds(InputCmp::False, 0, rngd_model));
}

TCP_AXES(I = 2);
TEST(VectorOps, the_compiler_knows_all_of_a_branch_but_boundaries) {
  constexpr auto mode = BranchMode::Comparison{InputCmp::Less(3), InputCmp::True, InputCmp::Greater(4)};
  constexpr BranchMode shape = branch_shape<std::remove_const_t<decltype(mode)>>;
  static_assert(shape.kind == BranchMode::Kind::Comparison && shape.compare[0].has_boundary() && !shape.compare[1].has_boundary());
  static_assert(shape.compare[2].type == ScalarType::i32 && !shape.compare[3].has_boundary());
  static_assert(branch_shape<decltype(BranchMode::AxisToggle{I})> == BranchMode::toggle(Name("I")));
  static_assert(branch_shape<std::remove_const_t<decltype(BranchMode::Vrf)>>.kind == BranchMode::Kind::Vrf);
  EXPECT_EQ(BranchMode(mode).compare[0].boundary, 3u);
  EXPECT_EQ(BranchMode(mode).compare[3], InputCmp(InputCmp::False));
}

/// The methods that may follow each stage of a single stream, as one reads them off the book's table. Those in brackets need i32, those in braces f32.
TEST(VectorState, what_may_follow_a_stage) {
  std::map<std::string, VectorStep> const steps = {{"branch", step_of(BranchMode::ValidCount)},
                                                   {"unzip", step_of(VectorMethod::unzip)},
                                                   {"logic", step_of(LogicBinaryOpI32::BitAnd)},
                                                   {"logic_f", step_of(LogicBinaryOpF32::BitAnd)},
                                                   {"fxp", step_of(FxpBinaryOp::AddFxp)},
                                                   {"to_fp", fxp_to_fp_step(31)},
                                                   {"split", step_of(VectorMethod::split)},
                                                   {"trim", step_of(VectorMethod::trim_way4)},
                                                   {"unary", step_of(FpUnaryOp::Exp)},
                                                   {"binary", step_of(FpBinaryOp::AddF)},
                                                   {"ternary", step_of(FpTernaryOp::FmaF)},
                                                   {"reduce", step_of(VectorMethod::intra_slice_reduce)},
                                                   {"div", step_of(FpDivBinaryOp::DivF)},
                                                   {"concat", step_of(VectorMethod::concat)},
                                                   {"pad", step_of(VectorMethod::pad_way8)},
                                                   {"to_fxp", fp_to_fxp_step(31)},
                                                   {"clip", step_of(ClipBinaryOpI32::Max)},
                                                   {"clip_f", step_of(ClipBinaryOpF32::Max)},
                                                   {"filter", step_of(VectorMethod::filter)},
                                                   {"final", step_of(VectorMethod::output)},
                                                   {"inter", step_of(VectorMethod::inter_slice_reduce)},
                                                   {"stash", step_of(VectorMethod::stash)},
                                                   {"log", step_of(VectorMethod::branch_log)},
                                                   {"write", step_of(VectorMethod::write_operand)}};
  struct Row {
    VectorStage stage;
    Way way;
    const char *i32, *f32;
  } const table[] = {
      {VectorStage::Init, Way::Way8, "branch unzip inter", "branch unzip inter"},
      {VectorStage::Branch, Way::Way8, "logic fxp to_fp split trim clip filter final inter stash log write",
       "logic_f split trim to_fxp clip_f filter final inter stash log write"},
      {VectorStage::Logic, Way::Way8, "logic fxp to_fp split trim clip filter final inter stash write",
       "logic_f split trim to_fxp clip_f filter final inter stash write"},
      {VectorStage::Fxp, Way::Way8, "fxp to_fp split trim clip filter final inter stash write", nullptr},
      {VectorStage::FxpToFp, Way::Way8, nullptr, "split trim to_fxp clip_f filter final inter"},
      {VectorStage::Narrow, Way::Way4, "reduce concat pad stash write", "unary binary ternary reduce div concat pad stash write"},
      {VectorStage::Float, Way::Way4, nullptr, "unary binary ternary reduce div concat pad stash write"},
      {VectorStage::IntraSliceReduce, Way::Way4, "concat pad", "div concat pad"},
      {VectorStage::FpDiv, Way::Way4, nullptr, "concat pad stash write"},
      {VectorStage::Widen, Way::Way8, "clip filter final inter", "to_fxp clip_f filter final inter"},
      {VectorStage::FpToFxp, Way::Way8, "clip filter final inter", nullptr},
      {VectorStage::Clip, Way::Way8, "clip filter final inter stash write", "clip_f filter final inter stash write"},
      {VectorStage::Filter, Way::Way8, "final", "final"},
      {VectorStage::Output, Way::Way8, "", ""},
  };
  for (Row const& row : table) {
    for (ScalarType type : {int32, float32}) {
      const char* const allowed = type == int32 ? row.i32 : row.f32;
      if (allowed == nullptr) continue;  // the stream cannot be of that type there
      VectorState state;
      state.stage = row.stage;
      state.way = row.way;
      state.type = type;
      state.branch = BranchMode::Kind::Comparison;
      std::string const list = std::string(" ") + allowed + " ";
      for (auto const& [name, step] : steps) {
        Operands operands;
        for (int i = 1; i < arguments_of(step).count; ++i) operands.immediate(type);
        EXPECT_EQ(check_step(state, step, operands).ok(), list.find(" " + name + " ") != std::string::npos)
            << name << " after " << name_of(row.stage) << " of " << scalar_info(type).name << ": "
            << code(check_step(state, step, operands));
      }
    }
  }
}

TEST(VectorState, a_step_changes_what_it_should_and_nothing_else) {
  VectorState s;
  auto const changed = [&](const VectorStep& step, auto change, const Operands& o = Operands{}) {
    VectorState want = s;
    change(want);
    EXPECT_EQ(next_state(s, step, o), want) << text(step).s;
    s = want;
  };
  changed(step_of(BranchMode::Vrf), [](VectorState& w) {
    w.stage = VectorStage::Branch;
    w.branch = BranchMode::Kind::Vrf;
    w.ids = OperandGuard::always();
  });
  changed(step_of(VectorMethod::stash), [](VectorState& w) { w.stash = VectorState::Stash::kept; });
  changed(step_of(VectorMethod::write_operand), [](VectorState& w) { w.wrote = true; });
  changed(
      step_of(FxpBinaryOp::MulInt),
      [](VectorState& w) {
        w.stage = VectorStage::Fxp;
        w.used |= 1u << static_cast<int>(VectorAlu::FxpMul);
        w.stash = VectorState::Stash::read;
      },
      Operands{}.stash());
  changed(fxp_to_fp_step(31), [](VectorState& w) {
    w.stage = VectorStage::FxpToFp;
    w.type = ScalarType::f32;
  });
  changed(step_of(VectorMethod::split), [](VectorState& w) {
    w.stage = VectorStage::Narrow;
    w.way = Way::Way4;
  });
  changed(step_of(VectorMethod::intra_slice_reduce), [](VectorState& w) {
    w.stage = VectorStage::IntraSliceReduce;
    w.used |= 1u << static_cast<int>(VectorAlu::ReduceAccTree);
    w.reduced = true;
    w.ids = OperandGuard::id(0);
  });
  changed(step_of(VectorMethod::concat), [](VectorState& w) {
    w.stage = VectorStage::Widen;
    w.way = Way::Way8;
  });
  changed(fp_to_fxp_step(31), [](VectorState& w) {
    w.stage = VectorStage::FpToFxp;
    w.type = ScalarType::i32;
  });
  changed(step_of(VectorMethod::inter_slice_reduce), [](VectorState& w) { w.stage = VectorStage::InterSliceReduce; });
  changed(step_of(VectorMethod::output), [](VectorState& w) { w.stage = VectorStage::Output; });
  EXPECT_EQ(s.alus(), 2);

  s = VectorState{};
  changed(step_of(VectorMethod::unzip), [](VectorState& w) {
    w.stage = VectorStage::Branch;
    w.mode = VectorState::Mode::paired;
    w.branch = BranchMode::Kind::AxisToggle;
    w.ids = OperandGuard::id(0) | OperandGuard::id(8);
  });
  changed(step_of(ClipBinaryOpI32::AddFxp, {}, Groups::zip), [](VectorState& w) {
    w.stage = VectorStage::Clip;
    w.mode = VectorState::Mode::merged;
    w.ids = OperandGuard::id(0);
    w.used |= 1u << static_cast<int>(VectorAlu::ClipAdd);
  });
  s = VectorState{};
  changed(step_of(VectorMethod::inter_slice_reduce), [](VectorState& w) {
    w.stage = VectorStage::InterSliceReduce;
    w.order = VeOrder::InterFirst;
  });
}

TEST(VectorState, operand_slots) {
  VectorState at_branch;
  at_branch.stage = VectorStage::Branch;
  at_branch.ids = OperandGuard::always();
  VectorStep const add = step_of(FxpBinaryOp::AddFxp);
  auto const with = [&](const Operands& o) { return code(check_step(at_branch, add, o)); };
  OperandGuard const g = OperandGuard::id(1), h = OperandGuard::id(2), k = OperandGuard::id(3);
  EXPECT_EQ(with(Operands{}.immediate(int32, g).immediate(int32, h).immediate(int32)), "accepted");
  EXPECT_EQ(with(Operands{}.immediate(int32, g).immediate(int32, h).immediate(int32, k).vrf(int32)), "accepted");
  EXPECT_EQ(with(Operands{}.immediate(int32, g).immediate(int32, g).immediate(int32)), "vector-operand-unreachable");
  EXPECT_EQ(with(Operands{}.immediate(int32).vrf(int32)), "vector-operand-unreachable");
  EXPECT_EQ(with(Operands{}.immediate(int32, g).immediate(int32, g).immediate(int32, g).immediate(int32)), "vector-operand-too-many");
  Operands nine;
  for (int i = 0; i < 9; ++i) nine.immediate(int32, g);
  EXPECT_EQ(with(nine), "vector-operand-too-many");
  EXPECT_EQ(with(Operands{}.vrf(int32, g).immediate(int32)), "vector-operand-register-last");
  EXPECT_EQ(with(Operands{}.vrf(int32, g).vrf(int32)), "vector-operand-registers");
  EXPECT_EQ(with(Operands{}.none()), "vector-operand-missing");

  VectorState narrow;
  narrow.stage = VectorStage::Narrow;
  narrow.way = Way::Way4;
  narrow.type = float32;
  narrow.ids = OperandGuard::always();
  auto const fma = [&](TernaryArgMode mode, const Operands& o) { return code(check_step(narrow, step_of(FpTernaryOp::FmaF, mode), o)); };
  EXPECT_EQ(fma(TernaryArgMode::Mode012, Operands{}.immediate(float32).vrf(float32)), "accepted");
  EXPECT_EQ(fma(TernaryArgMode::Mode012, Operands{}.immediate(float32, g).immediate(float32, g).vrf(float32).immediate(float32)),
            "accepted");
  EXPECT_EQ(fma(TernaryArgMode::Mode012, Operands{}.vrf(float32).vrf(float32)), "vector-operand-registers");
  EXPECT_EQ(fma(TernaryArgMode::Mode012, Operands{}.none().immediate(float32)), "vector-operand-missing");
  EXPECT_EQ(fma(TernaryArgMode::Mode002, Operands{}.none().immediate(float32)), "accepted");
  EXPECT_EQ(fma(TernaryArgMode::Mode002, Operands{}.none().vrf(float32)), "accepted");
  EXPECT_EQ(fma(TernaryArgMode::Mode020, Operands{}.vrf(float32).immediate(float32)), "vector-operand-not-read");
  EXPECT_EQ(code(check_step(at_branch, step_of(FxpBinaryOp::AddFxp, BinaryArgMode::Mode00), Operands{}.vrf(int32))),
            "vector-operand-not-read");
  EXPECT_EQ(code(check_step(at_branch, step_of(FxpBinaryOp::AddFxp, BinaryArgMode::Mode00), Operands{}.immediate(int32, g))), "accepted")
      << "a constant that only carries a guard";
}

TEST(VectorState, shifts_by_constants) {
  VectorState s;
  s.stage = VectorStage::Branch;
  auto const by = [&](const VectorStep& step, int n) {
    return code(check_step(s, step, Operands{}.constant(int32, static_cast<std::uint32_t>(n))));
  };
  for (VectorStep const& step :
       {step_of(LogicBinaryOpI32::LeftShift), step_of(LogicBinaryOpI32::ArithRightShift), step_of(FxpBinaryOp::LeftShiftSat),
        step_of(FxpBinaryOp::ArithRightShiftRound), step_of(FxpBinaryOp::LogicRightShift, BinaryArgMode::Mode11)}) {
    EXPECT_EQ(by(step, 0), "accepted");
    EXPECT_EQ(by(step, 31), "accepted");
    EXPECT_EQ(by(step, 32), "scalar-shift-amount-out-of-range");
    EXPECT_EQ(by(step, -1), "scalar-shift-amount-out-of-range");
  }
  EXPECT_EQ(by(step_of(FxpBinaryOp::LeftShift, BinaryArgMode::Mode10), 1000), "accepted") << "1000 is what is shifted";
  EXPECT_EQ(by(step_of(FxpBinaryOp::MulInt), 1000), "accepted");
  EXPECT_EQ(code(check_step(s, step_of(FxpBinaryOp::LeftShift), Operands{}.immediate(int32))), "accepted") << "not known yet";
}

TEST(VectorState, the_stash_and_the_reduce) {
  VectorState s;
  s.stage = VectorStage::FpDiv;
  s.way = Way::Way4;
  s.type = s.stash_type = float32;
  s.stash = VectorState::Stash::kept;
  s.reduced = true;
  EXPECT_EQ(code(check_step(s, step_of(VectorMethod::stash))), "vector-stash-after-reduce");
  s.stage = VectorStage::IntraSliceReduce;
  EXPECT_EQ(code(check_step(s, step_of(FpDivBinaryOp::DivF), Operands{}.stash())), "vector-stash-after-reduce");
  s.reduced = false;
  EXPECT_EQ(code(check_step(s, step_of(FpDivBinaryOp::DivF), Operands{}.stash())), "accepted");
}

TEST(VectorState, execution_ids_end_at_the_reduce) {
  VectorState s;
  s.stage = VectorStage::IntraSliceReduce;
  s.way = Way::Way4;
  s.type = float32;
  s.branch = BranchMode::Kind::Comparison;
  s.reduced = true;
  VectorStep const div = step_of(FpDivBinaryOp::DivF);
  EXPECT_EQ(code(check_step(s, div, Operands{}.immediate(float32))), "accepted");
  EXPECT_EQ(code(check_step(s, div, Operands{}.immediate(float32, OperandGuard::id(1)))), "vector-guard-after-reduce");
  s.way = Way::Way8;
  EXPECT_EQ(code(check_step(s, step_of(VectorMethod::filter))), "vector-guard-after-reduce");
}

const Axes& axes() {
  static const Axes declared = *parse_axes("A = 32, B = 6, C = 4, R = 19, I = 2, K = 64");
  return declared;
}
Mapping map(const std::string& written) {
  auto const m = parse(written, axes());
  EXPECT_TRUE(m) << written << ": " << (m ? "" : m.refusal().sentence().s);
  return m ? *m : Mapping{};
}
Levels stream(const Mapping& slice, const Mapping& time, const Mapping& packet) {
  return Levels{}.set(Level::slice, slice).set(Level::time, time).set(Level::packet, packet);
}

bool same_cell(const Cell& a, const Cell& b) { return a.live() ? b.live() && a.index == b.index : !b.live(); }

const char* const packets[] = {"A % 8", "A % 2 # 8", "C # 8",      "B # 8", "R # 24 % 8", "R # 24 % 4 # 8", "8", "C, 2",
                               "1 # 8", "2, C",      "A % 4 #z 8", "A / 4", "I, C"};
const char* const times[] = {"1",    "B",    "B, C",  "C", "A / 8", "A / 16, B", "R # 24 / 8", "R # 24 / 4", "B, A / 8 % 2",
                             "I, B", "B, I", "B # 8", "3"};

TEST(VectorShapes, split_and_concat_keep_every_element) {
  int cut = 0;
  for (const char* t : times) {
    for (const char* p : packets) {
      Mapping const time = map(t), packet = map(p);
      if (!check_levels(stream(Mapping{}, time, packet))) continue;
      Mapping const time2 = pair(time, packet / 4), packet2 = packet % 4;
      if (!time2.ok()) continue;
      auto const made = check_split(rngd, time, packet, without_kinds(time2), without_kinds(packet2));
      ASSERT_TRUE(made) << t << " | " << p << ": " << made.refusal().sentence().s;
      ASSERT_EQ(made->packet.size, 4);
      Levels const before = stream(Mapping{}, time, packet), after = stream(Mapping{}, made->time, made->packet);
      for (std::int64_t step = 0; step < time.size; ++step)
        for (std::int64_t lane = 0; lane < 8; ++lane)
          ASSERT_TRUE(
              same_cell(cell(before, {.time = step, .packet = lane}), cell(after, {.time = 2 * step + lane / 4, .packet = lane % 4})));
      auto const back = check_concat(rngd, made->time, made->packet, without_kinds(time), without_kinds(packet));
      ASSERT_TRUE(back) << t << " | " << p << ": " << back.refusal().sentence().s;
      EXPECT_TRUE(equivalent(back->time, time) && equivalent(back->packet, packet));
      ++cut;
    }
  }
  EXPECT_GT(cut, 80);
}

TEST(VectorShapes, trim_drops_padding_only_and_pad_brings_it_back) {
  int trimmed = 0;
  for (const char* p : packets) {
    Mapping const packet = map(p);
    bool upper_live = false;
    for (std::int64_t lane = 4; lane < 8; ++lane) upper_live |= cell(packet, lane).live();
    auto const made = check_trim_way4(rngd, packet, packet % 4);
    ASSERT_EQ(made.ok(), !upper_live) << p;
    if (!made) continue;
    for (std::int64_t lane = 0; lane < 4; ++lane) EXPECT_TRUE(same_cell(cell(packet, lane), cell(*made, lane)));
    auto const back = check_pad_way8(rngd, *made, packet);
    ASSERT_TRUE(back) << p;
    EXPECT_TRUE(equivalent(*back, packet));
    for (std::int64_t lane = 4; lane < 8; ++lane) EXPECT_EQ(cell(*back, lane).pad, Pad::top) << "what is added promises nothing";
    ++trimmed;
  }
  EXPECT_GE(trimmed, 5);
}

TEST(VectorShapes, unzip_gives_each_group_its_steps) {
  for (const char* t : {"I", "B, I", "I, B", "B, I, C", "C, I, B # 8"}) {
    Mapping const time = map(t);
    std::string tile = t, left = t;
    tile.replace(tile.find('I'), 1, "1 # 2");
    left.replace(left.find('I'), 1, "1");
    auto const made = check_unzip(rngd, time, Name("I"), map(tile), map(left));
    ASSERT_TRUE(made) << t << ": " << made.refusal().sentence().s;
    // Of the steps of Time, those of each group in order are the steps that are left.
    std::int64_t next[2] = {0, 0};
    for (std::int64_t step = 0; step < time.size; ++step) {
      // The group is the coordinate of I, found by its place: padding steps have a group too.
      std::int64_t const inside = footprints(time).inside[coarsest_digit(time, find_axis(time, Name("I")))];
      std::int64_t const group = step / inside % 2;
      Cell const before = cell(time, step), after = cell(*made, next[group]++);
      ASSERT_EQ(before.live(), after.live());
      if (!before.live()) continue;
      ASSERT_EQ(before.index.get("I"), group);
      ASSERT_EQ(before.index.get("B"), after.index.get("B"));
      ASSERT_EQ(before.index.get("C"), after.index.get("C"));
    }
  }
  EXPECT_EQ(code(check_unzip(rngd, map("I # 4, B"), Name("I"), map("1 # 4, B"), map("B"))), "vector-unzip-axis")
      << "a padded axis alternates not";
  EXPECT_EQ(code(check_unzip(rngd, map("[I, C, B] # 50"), Name("I"), map("1"), map("1"))), "vector-unzip-axis") << "inside a tail";
}

TEST(VectorShapes, arithmetic_leaves_no_zeros_in_padding) {
  Stream const after = padding_after_arithmetic(map("B #z 8"), map("A % 4 #z 8"));
  EXPECT_EQ(after.time, map("B # 8"));
  EXPECT_EQ(after.packet, map("A % 4 # 8"));
  EXPECT_EQ(padding_after_arithmetic(map("[C, B, I] #z 50"), map("B #! 8")).packet, map("B #! 8"));
  EXPECT_EQ(padding_after_arithmetic(map("[C, B, I] #z 50"), map("8")).time, map("[C, B, I] # 50"));
  EXPECT_EQ(padding_after_arithmetic(map("R #z 24 / 8"), map("R #z 24 % 8")).time, map("R # 24 / 8"));
}

TEST(VectorShapes, filters) {
  OperandGuard const keep = OperandGuard::id(1);
  auto const made = check_filter(rngd, keep, map("A / 8, B"), map("A % 8"), map("K / 8"), map("K % 8"));
  ASSERT_TRUE(made) << made.refusal().sentence().s;
  EXPECT_EQ(made->time, map("K / 8"));
  EXPECT_EQ(code(check_filter(rngd, keep, map("A / 8"), map("A % 2 # 8"), map("K / 16"), map("K % 8"))), "accepted")
      << "padding lanes are not there";
  EXPECT_EQ(code(check_filter(rngd, keep, map("A / 8"), map("A % 8"), map("K / 8"), map("K % 8"))), "vector-filter-time");
  EXPECT_EQ(code(check_filter(rngd, keep, map("A / 8"), map("A % 8"), map("1"), map("K % 4"))), "vector-filter-packet");
}

/// A coordinate as far as some levels count its steps.
std::int64_t counted_by(const Levels& levels, Name axis, std::int64_t coordinate) {
  std::int64_t at = 0;
  for (const Mapping& m : levels.at)
    for (int k = 0; k < m.digits; ++k)
      if (m.digit[k].axis != no_axis && m.axis[m.digit[k].axis].name == axis)
        at += coordinate / m.digit[k].stride % m.digit[k].size * m.digit[k].stride;
  return at;
}

// Law: at every live position of the stream, the VRF of that slice holds at the position that the loops name the element of the same coordinates, as far as it
// counts their steps (CHIP-04, CHIP-05).
TEST(VectorOperands, vrf_tensors_lie_where_the_loops_say) {
  const char* const slices[] = {"1",          "A / 8",          "4",         "A / 8 # 8", "C",    "C, 2", "2, C", "1 # 4",
                                "R # 24 / 8", "R # 24 / 8 # 4", "A / 16, 2", "8",         "C # 8"};
  const char* const elements[] = {"1",          "B", "A % 8", "B, A % 8", "A % 8, B", "C # 8",     "A",    "A % 16",
                                  "R # 24 % 8", "R", "C",     "B, C",     "C, B # 8", "A % 4 # 8", "A / 8"};
  int accepted = 0, refused = 0, tried = 0;
  for (const char* s : slices) {
    for (const char* v : slices) {
      Mapping const slice = map(s), held_by = map(v);
      if (slice.size != held_by.size) continue;
      for (const char* t : times) {
        for (const char* p : packets) {
          Levels const in = stream(slice, map(t), map(p));
          if (!check_levels(in)) continue;
          for (const char* e : elements) {
            Levels const vrf = Levels{}.set(Level::slice, held_by).set(Level::element, map(e));
            if (!check_levels(vrf) || ++tried % 11 != 0) continue;  // a part of them is plenty
            auto const loops = check_vrf_operand(in, vrf);
            if (!loops) {
              ++refused;
              continue;
            }
            ++accepted;
            for (std::int64_t i = 0; i < slice.size * in[Level::time].size * 8; ++i) {
              Place place;
              place.packet = i % 8;
              place.time = i / 8 % in[Level::time].size;
              place.slice = i / 8 / in[Level::time].size;
              Cell const wanted = cell(in, place);
              if (!wanted.live()) continue;
              Cell const found = cell(vrf, {.slice = place.slice, .element = loops->at(place.time * 8 + place.packet)});
              bool good = found.live();
              for (int a = 0; a < found.index.n; ++a)
                good &= found.index.at[a] == counted_by(vrf, found.index.axis[a], wanted.index.get(found.index.axis[a]));
              ASSERT_TRUE(good) << "stream " << s << " | " << t << " | " << p << ", vrf " << v << " | " << e << " at slice " << place.slice
                                << ", time " << place.time << ", lane " << place.packet;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(accepted, 200);
  EXPECT_GT(refused, 200);
}

TEST(VectorOperands, written_back_each_lane_has_its_place) {
  Levels const in = stream(map("4"), map("B"), map("A % 8"));
  Levels const own = Levels{}.set(Level::slice, map("4")).set(Level::element, map("A % 8"));
  Levels const one_word = Levels{}.set(Level::slice, map("4"));
  EXPECT_EQ(code(check_write_operand(in, int32, own, int32)), "accepted");
  EXPECT_EQ(code(check_write_operand(in, int32, one_word, int32)), "vector-write-operand-lanes");
  EXPECT_EQ(code(check_write_operand(in, int32, own, float32)), "vector-write-operand-type");
  Levels const split = stream(map("B = 4"), map("1"), map("A % 8"));
  EXPECT_EQ(code(check_write_operand(split, int32, own, int32)), "vector-write-operand-slices") << "another number in every copy";
  EXPECT_EQ(code(check_write_operand(stream(map("4"), map("B"), map("1 # 8")), int32, one_word, int32)), "accepted") << "one live lane";
}

TEST(VectorOperands, branch_logs) {
  Levels const in = stream(map("A / 8"), map("B"), map("A % 8"));
  auto const written = check_branch_log(in, map("A % 8, B"));
  ASSERT_TRUE(written);
  EXPECT_EQ(written->at(1), 6) << "lane 1 of step 0 lies one row on";
  EXPECT_EQ(code(check_branch_log(in, map("A % 8"))), "sequence-write-broadcast");
}

}  // namespace
}  // namespace tcp
