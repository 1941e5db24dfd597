// Where a stream is in the Vector Engine's intra-slice block: a pipeline of stages that it passes once, in order, eight
// lanes wide or four.
//
//   Init -> Branch -> Logic -> Fxp -> FxpToFp -> Narrow -> Float -> IntraSliceReduce -> FpDiv -> Widen -> FpToFxp -> Clip -> Filter -> Output
//                                                 Way8 -> Way4 --------------------------------> Way4 -> Way8
//
// Stages may be left out, never gone back to; Logic, Fxp, Float and Clip hold several operations, one for each of their
// ALUs. vector_reinterpret is between any two of them: it costs nothing, for the bits stay what they are. The
// inter-slice block comes before or after, once. In two-group mode two interleaved streams pass together
// until a `_zip` operation makes one of them.
//
// A VectorState is small enough to be a template argument of the typed front end, and is kept by the verifier of the
// IR. A VectorStep is checked (check_step) and then done (next_state). What a step does to Time and Packet is the
// business of vector.hpp.
#pragma once

#include "tcp/rules/vector_op.hpp"
#include "tcp/support/expected.hpp"

namespace tcp {

enum class VectorStage : std::uint8_t {
  Init,
  Branch,
  Logic,
  Fxp,
  FxpToFp,
  Narrow,
  Float,
  IntraSliceReduce,
  FpDiv,
  Widen,
  FpToFxp,
  Clip,
  Filter,
  Output,
  InterSliceReduce,  // outside of the order: before Branch or after the rest
};

enum class Way : std::uint8_t { Way8, Way4 };

/// Which block comes first.
enum class VeOrder : std::uint8_t { IntraFirst, InterFirst };

/// Everything that can be asked of the engine.
enum class VectorMethod : std::uint8_t {
#define TCP_VECTOR_STEP(NAME, ...) NAME,
#include "tcp/rules/stages.def"
};

struct VectorMethodInfo {
  const char* name;
  VectorStage stage;  // that it enters; Init: it leaves the stream where it is
  Way way;            // that it needs
};

namespace detail::vec {
inline constexpr VectorMethodInfo vector_methods[] = {
#define TCP_VECTOR_STEP(NAME, METHOD, STAGE, WAY) {#METHOD, VectorStage::STAGE, Way::WAY},
#include "tcp/rules/stages.def"
};
}  // namespace detail::vec

constexpr const VectorMethodInfo& info_of(VectorMethod m) { return detail::vec::vector_methods[static_cast<int>(m)]; }

constexpr const char* name_of(VectorStage s) {
  constexpr const char* names[] = {"Init",  "Branch", "Logic",   "Fxp",  "FxpToFp", "Narrow", "Float",           "IntraSliceReduce",
                                   "FpDiv", "Widen",  "FpToFxp", "Clip", "Filter",  "Output", "InterSliceReduce"};
  return names[static_cast<int>(s)];
}

/// To which enumeration the op of a step belongs.
enum class OpFamily : std::uint8_t { none, LogicI32, LogicF32, Fxp, FpUnary, FpBinary, FpTernary, FpDiv, ClipI32, ClipF32, Branch };

/// In two-group mode: whom an operation is for. `both` is also the one group of a single stream; `zip` makes one stream
/// of the two.
enum class Groups : std::uint8_t { both, group0, group1, zip, neither };

/// One step, without the values of its operands.
struct VectorStep {
  VectorMethod method = VectorMethod::output;
  OpFamily family = OpFamily::none;
  std::uint8_t op = 0;    // the code in its family
  std::uint8_t mode = 0;  // the code of its UnaryArgMode, BinaryArgMode or TernaryArgMode
  Groups groups = Groups::both;
  std::int64_t int_width = 31;             // fxp_to_fp, fp_to_fxp
  ScalarType to = ScalarType::i32;         // reinterpret: of what comes out
  OperandGuard ids = OperandGuard::id(0);  // branch: the execution ids that it can give

  constexpr bool operator==(const VectorStep&) const = default;
};

namespace detail::vec {

template <class Op, class Mode>
constexpr VectorStep op_step(VectorMethod m, OpFamily f, Op op, Mode mode, Groups g) {
  return {m, f, static_cast<std::uint8_t>(op.code), static_cast<std::uint8_t>(mode.code), g};
}

}  // namespace detail::vec

constexpr VectorStep step_of(VectorMethod m) { return {m}; }
constexpr VectorStep step_of(LogicBinaryOpI32 op, BinaryArgMode mode = {}, Groups g = Groups::both) {
  return detail::vec::op_step(VectorMethod::logic, OpFamily::LogicI32, op, mode, g);
}
constexpr VectorStep step_of(LogicBinaryOpF32 op, BinaryArgMode mode = {}, Groups g = Groups::both) {
  return detail::vec::op_step(VectorMethod::logic, OpFamily::LogicF32, op, mode, g);
}
constexpr VectorStep step_of(FxpBinaryOp op, BinaryArgMode mode = {}, Groups g = Groups::both) {
  return detail::vec::op_step(VectorMethod::fxp, OpFamily::Fxp, op, mode, g);
}
constexpr VectorStep step_of(FpUnaryOp op, UnaryArgMode mode = {}, Groups g = Groups::both) {
  return detail::vec::op_step(VectorMethod::fp_unary, OpFamily::FpUnary, op, mode, g);
}
constexpr VectorStep step_of(FpBinaryOp op, BinaryArgMode mode = {}, Groups g = Groups::both) {
  return detail::vec::op_step(VectorMethod::fp_binary, OpFamily::FpBinary, op, mode, g);
}
constexpr VectorStep step_of(FpTernaryOp op, TernaryArgMode mode = {}, Groups g = Groups::both) {
  return detail::vec::op_step(VectorMethod::fp_ternary, OpFamily::FpTernary, op, mode, g);
}
constexpr VectorStep step_of(FpDivBinaryOp op, BinaryArgMode mode = {}, Groups g = Groups::both) {
  return detail::vec::op_step(VectorMethod::fp_div, OpFamily::FpDiv, op, mode, g);
}
constexpr VectorStep step_of(ClipBinaryOpI32 op, BinaryArgMode mode = {}, Groups g = Groups::both) {
  return detail::vec::op_step(VectorMethod::clip, OpFamily::ClipI32, op, mode, g);
}
constexpr VectorStep step_of(ClipBinaryOpF32 op, BinaryArgMode mode = {}, Groups g = Groups::both) {
  return detail::vec::op_step(VectorMethod::clip, OpFamily::ClipF32, op, mode, g);
}
constexpr VectorStep step_of(const BranchMode& mode) {
  VectorStep s{VectorMethod::branch, OpFamily::Branch, static_cast<std::uint8_t>(mode.kind)};
  s.ids = ids_given(mode);
  return s;
}
constexpr VectorStep fxp_to_fp_step(std::int64_t int_width) {
  VectorStep s = step_of(VectorMethod::fxp_to_fp);
  s.int_width = int_width;
  return s;
}
constexpr VectorStep fp_to_fxp_step(std::int64_t int_width) {
  VectorStep s = step_of(VectorMethod::fp_to_fxp);
  s.int_width = int_width;
  return s;
}
constexpr VectorStep reinterpret_step(ScalarType to) {
  VectorStep s = step_of(VectorMethod::reinterpret);
  s.to = to;
  return s;
}

/// The op of a step, in its family's type. Needs: a step of that family. Law: op_of<Op>(step_of(op)) == op.
template <class Op>
constexpr Op op_of(const VectorStep& s) {
  return static_cast<typename Op::Code>(s.op);
}

namespace detail::vec {

struct StepOp {
  const char* family = "";
  VectorOpInfo info{"", VectorAlu::none};
};

template <class Op>
constexpr StepOp step_op(std::uint8_t code) {
  return {Op::family, Op::table[code]};
}
constexpr StepOp step_op(const VectorStep& s) {
  switch (s.family) {
    case OpFamily::LogicI32: return step_op<LogicBinaryOpI32>(s.op);
    case OpFamily::LogicF32: return step_op<LogicBinaryOpF32>(s.op);
    case OpFamily::Fxp: return step_op<FxpBinaryOp>(s.op);
    case OpFamily::FpUnary: return step_op<FpUnaryOp>(s.op);
    case OpFamily::FpBinary: return step_op<FpBinaryOp>(s.op);
    case OpFamily::FpTernary: return step_op<FpTernaryOp>(s.op);
    case OpFamily::FpDiv: return step_op<FpDivBinaryOp>(s.op);
    case OpFamily::ClipI32: return step_op<ClipBinaryOpI32>(s.op);
    case OpFamily::ClipF32: return step_op<ClipBinaryOpF32>(s.op);
    case OpFamily::Branch:
    case OpFamily::none: break;
  }
  return {};
}

}  // namespace detail::vec

constexpr VectorAlu alu_of(const VectorStep& s) {
  return s.method == VectorMethod::intra_slice_reduce ? VectorAlu::ReduceAccTree : detail::vec::step_op(s).info.alu;
}

/// Where the arguments come from. None for a step that computes nothing of two or three arguments.
constexpr Arguments arguments_of(const VectorStep& s) {
  switch (s.family) {
    case OpFamily::none:
    case OpFamily::Branch: return {};
    case OpFamily::FpUnary: return arguments_of(UnaryArgMode(static_cast<UnaryArgMode::Code>(s.mode)));
    case OpFamily::FpTernary: return arguments_of(TernaryArgMode(static_cast<TernaryArgMode::Code>(s.mode)));
    default: return arguments_of(BinaryArgMode(static_cast<BinaryArgMode::Code>(s.mode)));
  }
}

/// In a sentence: the operation by its name, any other step by its method's.
constexpr Text& operator<<(Text& out, const VectorStep& s) {
  detail::vec::StepOp const op = detail::vec::step_op(s);
  if (op.info.alu == VectorAlu::none) return out << info_of(s.method).name;
  out << op.family << "::" << op.info.name;
  return s.groups == Groups::zip ? out << " (_zip)" : out;
}

enum class OperandKind : std::uint8_t {
  none,  // the place of an operand that the mode does not read
  immediate,
  vrf,
  stash,
};

/// What the rules see of an operand: all but a value that is not known yet, and the mapping of a VRF tensor
/// (check_vrf_operand).
struct OperandShape {
  OperandKind kind = OperandKind::none;
  ScalarType type = ScalarType::i32;
  OperandGuard guard{};
  bool known = false;  // bits are the immediate's value
  std::uint32_t bits = 0;
  bool guard_known = true;  // false while a typed kernel compiles: there is a guard, and its ids are a value

  constexpr bool operator==(const OperandShape&) const = default;
};

/// The slots of one operation, in order; those of a ternary operation are pairs of operand0 and operand1, with one
/// guard.
struct Operands {
  static constexpr int room = 8;

  OperandShape slot[room]{};
  int count = 0;

  constexpr bool operator==(const Operands&) const = default;

  constexpr Operands& add(const OperandShape& o) {
    if (count < room) slot[count] = o;
    ++count;
    return *this;
  }
  constexpr Operands& none() { return add({}); }
  constexpr Operands& immediate(ScalarType type, OperandGuard guard = {}) { return add({OperandKind::immediate, type, guard, false, 0}); }
  constexpr Operands& constant(ScalarType type, std::uint32_t bits, OperandGuard guard = {}) {
    return add({OperandKind::immediate, type, guard, true, bits});
  }
  constexpr Operands& vrf(ScalarType type, OperandGuard guard = {}) { return add({OperandKind::vrf, type, guard, false, 0}); }
  constexpr Operands& stash(OperandGuard guard = {}) { return add({OperandKind::stash, ScalarType::i32, guard, false, 0}); }

  constexpr bool read_stash() const {
    for (int i = 0; i < count && i < room; ++i)
      if (slot[i].kind == OperandKind::stash) return true;
    return false;
  }
};

/// Where a stream is in the engine, and what it has used up.
struct VectorState {
  enum class Stash : std::uint8_t { none, kept, read };
  enum class Mode : std::uint8_t { single, paired, merged };  // two-group mode: before and after its `_zip`

  VectorStage stage = VectorStage::Init;
  Way way = Way::Way8;
  ScalarType type = ScalarType::i32;
  std::uint32_t used = 0;  // ALUs, bit by their number
  Stash stash = Stash::none;
  ScalarType stash_type = ScalarType::i32;
  Mode mode = Mode::single;
  VeOrder order = VeOrder::IntraFirst;
  BranchMode::Kind branch = BranchMode::Kind::Unconditional;
  OperandGuard ids = OperandGuard::id(0);  // that lanes can have
  bool reduced = false;                    // an intra-slice reduce has been passed
  bool wrote = false;                      // an operand has been written

  constexpr bool operator==(const VectorState&) const = default;
  constexpr bool uses(VectorAlu alu) const { return (used >> static_cast<int>(alu) & 1) != 0; }
  /// Law: the number of cycles that the ALUs add to the latency of the pass is alus() times that of one.
  constexpr int alus() const {
    int n = 0;
    for (int i = 0; i < 32; ++i) n += static_cast<int>(used >> i & 1);
    return n;
  }
};

namespace detail::vec {

/// "in stage Fxp, Way8, i32"
struct Standing {
  const VectorState& s;
  friend constexpr Text& operator<<(Text& out, const Standing& p) {
    return out << "in stage " << name_of(p.s.stage) << ", " << (p.s.way == Way::Way8 ? "Way8" : "Way4") << ", " << p.s.type;
  }
};

constexpr bool holds_several(VectorStage s) {
  return s == VectorStage::Logic || s == VectorStage::Fxp || s == VectorStage::Float || s == VectorStage::Clip;
}
constexpr bool is_stashable(VectorStage s) {
  return s == VectorStage::Branch || s == VectorStage::Logic || s == VectorStage::Fxp || s == VectorStage::Narrow ||
         s == VectorStage::Float || s == VectorStage::FpDiv || s == VectorStage::Clip;
}

/// Entering the block, leaving it, and the two-group mode: who may be called at all.
constexpr Verdict check_entry(const VectorState& s, VectorMethod m, Where at) {
  bool const enters = m == VectorMethod::branch || m == VectorMethod::unzip;
  const char* const name = info_of(m).name;
  if (s.stage == VectorStage::Output)
    return refuse("vector-after-final", at)
        .what(name, " after vector_final: the stream has left the Vector Engine")
        .why("vector_final is the way out; a pass goes through the engine once")
        .help("call it before vector_final, or start another pass");
  if (m == VectorMethod::unzip && s.stage != VectorStage::Init)
    return refuse("vector-unzip-not-first", at)
        .what("vector_intra_slice_unzip comes directly after vector_init; the stream is ", Standing{s})
        .why("in two-group mode the stream is two streams from its first step on")
        .help("unzip first, or use vector_intra_slice_branch");
  if (s.stage == VectorStage::InterSliceReduce && enters && s.order == VeOrder::IntraFirst)
    return refuse("vector-block-twice", at)
        .what("vector_intra_slice_branch after an inter-slice reduce that followed the intra-slice block: each block is passed once")
        .why("the order is intra-slice then inter-slice, or the reverse, never both")
        .help("do all intra-slice work on one side of vector_inter_slice_reduce, or start another pass");
  bool const reduced_across = s.stage == VectorStage::InterSliceReduce || s.order == VeOrder::InterFirst;
  if (reduced_across && m == VectorMethod::inter_slice_reduce)
    return refuse("vector-inter-slice-twice", at)
        .what("a second vector_inter_slice_reduce: the inter-slice block is passed once")
        .why("the block comes before or after the intra-slice block, and a pass goes through it once")
        .help("reduce over all these slices at once, or start another pass");
  bool const outside = s.stage == VectorStage::Init || s.stage == VectorStage::InterSliceReduce;
  bool const leaves = s.stage == VectorStage::InterSliceReduce && m == VectorMethod::output;
  if (outside && !enters && !leaves && m != VectorMethod::inter_slice_reduce)
    return refuse("vector-not-entered", at)
        .what(name, " outside the intra-slice block")
        .why("the branch is the door of the block: it gives every lane its execution id")
        .help("call vector_intra_slice_branch(BranchMode::Unconditional) first");
  if (!outside && m == VectorMethod::branch)
    return refuse("vector-already-entered", at)
        .what("vector_intra_slice_branch inside the intra-slice block; the stream is ", Standing{s})
        .why("execution ids are given once, at the start of the block")
        .help("branch once, at the start of the block");
  return accept();
}

constexpr Verdict check_groups(const VectorState& s, const VectorStep& step, Where at) {
  VectorMethod const m = step.method;
  bool const paired = s.mode == VectorState::Mode::paired;
  if (!paired && step.groups != Groups::both)
    return refuse("vector-no-two-groups", at)
        .what(step, " for ", step.groups == Groups::zip ? "two groups" : "one of two groups", "; the stream is a single one")
        .why("a stream is two groups from vector_intra_slice_unzip to the first _zip")
        .help("enter with vector_intra_slice_unzip, or use the form without groups");
  if (step.groups == Groups::neither)
    return refuse("vector-neither-group", at)
        .what(step, " skips both groups")
        .why("it would do nothing, and take its ALU all the same")
        .help("name an operand, or true, for one group at least");
  if (step.groups == Groups::zip && m != VectorMethod::logic && m != VectorMethod::fxp && m != VectorMethod::fp_binary &&
      m != VectorMethod::clip)
    return refuse("vector-no-zip-form", at)
        .what(info_of(m).name, " has no _zip form")
        .why("groups are merged by a binary operation")
        .help("merge with vector_logic_zip, vector_fxp_zip, vector_fp_zip or vector_clip_zip");
  bool const refused_after =
      m == VectorMethod::stash || m == VectorMethod::filter || m == VectorMethod::branch_log || m == VectorMethod::write_operand;
  if (s.mode != VectorState::Mode::single && refused_after)
    return refuse("vector-two-group-method", at)
        .what(info_of(m).name, " in two-group mode, ", paired ? "before" : "after", " the _zip")
        .why("the execution ids tell the two groups apart")
        .help("use the single-stream path, or another pass");
  if (s.mode != VectorState::Mode::single && m == VectorMethod::intra_slice_reduce)
    return refuse("vector-two-group-reduce", at)
        .what("vector_intra_slice_reduce in two-group mode, ", paired ? "before" : "after", " the _zip")
        .why("the reducer has one set of accumulators, and a pass of two groups has none to spare for it")
        .help("commit what the _zip makes, and reduce it in another pass");
  if (paired && (m == VectorMethod::trim_way4 || m == VectorMethod::pad_way8))
    return refuse("vector-two-group-width", at)
        .what(info_of(m).name, " on two groups: their packets would no longer alternate as the group filter expects")
        .why("split and concat keep the two groups alternating; trim and pad change how many packets there are")
        .help("use ", m == VectorMethod::trim_way4 ? "vector_split" : "vector_concat", "; padding lanes go to Time as 1 # 2 and come back");
  if (paired && (m == VectorMethod::output || m == VectorMethod::inter_slice_reduce))
    return refuse("vector-groups-not-merged", at)
        .what(info_of(m).name, " while there are two groups")
        .why("two groups are two streams that share the pipeline; one stream leaves it")
        .help("merge them first: vector_logic_zip, vector_fxp_zip, vector_fp_zip or vector_clip_zip");
  return accept();
}

constexpr Verdict check_order(const VectorState& s, const VectorStep& step, Where at) {
  VectorMethodInfo const& info = info_of(step.method);
  bool const ordered =
      info.stage != VectorStage::Init && info.stage != VectorStage::InterSliceReduce && s.stage != VectorStage::InterSliceReduce;
  if (ordered && (info.stage < s.stage || (info.stage == s.stage && !holds_several(info.stage))))
    return refuse("vector-stage-order", at)
        .what(step, " of stage ", name_of(info.stage), " cannot follow stage ", name_of(s.stage),
              ": a pass goes through the stages once, in order")
        .why(
            "Branch, Logic, Fxp, FxpToFp, Narrow, Float, IntraSliceReduce, FpDiv, Widen, FpToFxp, Clip, Filter, Output; only Logic, Fxp, "
            "Float and Clip repeat")
        .help("move it before ", name_of(s.stage), ", or start another pass");
  bool const any_way = info.stage == VectorStage::Init;
  if (!any_way && info.way == Way::Way4 && s.way == Way::Way8)
    return refuse("vector-needs-way4", at)
        .what(step, " takes four lanes; the stream is ", Standing{s})
        .why("Float, IntraSliceReduce and FpDiv are four lanes wide")
        .help(info.stage == VectorStage::Widen      ? "leave it out: the stream is wide already"
              : s.mode == VectorState::Mode::paired ? "narrow first: vector_split"
                                                    : "narrow first: vector_split, or vector_trim_way4 if the upper lanes are padding");
  if (!any_way && info.way == Way::Way8 && s.way == Way::Way4)
    return refuse("vector-needs-way8", at)
        .what(step, " takes eight lanes; the stream is ", Standing{s})
        .why("all stages but Float, IntraSliceReduce and FpDiv are eight lanes wide")
        .help("widen first: vector_concat after vector_split, vector_pad_way8 after vector_trim_way4");
  if (step.method == VectorMethod::inter_slice_reduce && s.stage == VectorStage::Filter)
    return refuse("vector-inter-slice-after-filter", at)
        .what("vector_inter_slice_reduce after vector_filter: each slice kept other lanes")
        .why("lanes of two slices no longer belong together after a filter")
        .help("reduce first, or filter in another pass");
  return accept();
}

constexpr bool works_on(const VectorStep& step, ScalarType type) {
  switch (step.family) {
    case OpFamily::LogicI32:
    case OpFamily::Fxp:
    case OpFamily::ClipI32: return type == ScalarType::i32;
    case OpFamily::none:
      if (step.method == VectorMethod::fxp_to_fp) return type == ScalarType::i32;
      return step.method != VectorMethod::fp_to_fxp || type == ScalarType::f32;
    case OpFamily::Branch: return true;
    default: return type == ScalarType::f32;
  }
}

constexpr Verdict check_type_and_alu(const VectorState& s, const VectorStep& step, Where at) {
  if (!works_on(step, s.type)) {
    Refusal r = refuse("vector-wrong-type", at).why("every operation is for i32 or for f32");
    r.what(step, " works on ", s.type == ScalarType::i32 ? "f32" : "i32", "; the stream is ", Standing{s});
    if (step.family == OpFamily::LogicI32 && step.op >= static_cast<int>(LogicBinaryOpI32::Code::LeftShift))
      return r.help("there are no shifts of f32: shift before vector_fxp_to_fp");
    if (step.method == VectorMethod::logic || step.method == VectorMethod::clip)
      return r.help("use the operation of ", step.method == VectorMethod::logic ? "LogicBinaryOp" : "ClipBinaryOp",
                    s.type == ScalarType::i32 ? "I32" : "F32");
    if (step.method == VectorMethod::fp_to_fxp || step.method == VectorMethod::fxp_to_fp) return r.help("leave the conversion out");
    return r.help(s.type == ScalarType::i32 ? "convert first: vector_fxp_to_fp" : "do it before vector_fxp_to_fp, or in another pass");
  }
  VectorAlu const alu = alu_of(step);
  if (alu != VectorAlu::none && s.uses(alu))
    return refuse("vector-alu-in-use", at)
        .what(step, " needs ", name_of(alu), ", and ", name_of(alu), " is already in use")
        .why("each ALU runs once per pass")
        .help(alu == VectorAlu::FpMul0 || alu == VectorAlu::FpMul1 ? "choose another multiplier, or commit and start another pass"
                                                                   : "commit and start another pass");
  return accept();
}

constexpr Refusal ids_after_reduce(const VectorStep& step, Where at) {
  return refuse("vector-guard-after-reduce", at)
      .what(step, " chooses by execution id after an intra-slice reduce")
      .why("the lanes that went into a result had ids of their own, and the book does not say which one the result has")
      .help("choose before the reduce, or branch anew in another pass");
}

/// The other type that a lane's 32 bits may be.
constexpr ScalarType other_type(ScalarType type) { return type == ScalarType::i32 ? ScalarType::f32 : ScalarType::i32; }

constexpr Verdict check_reinterpret(const VectorState& s, ScalarType to, Where at) {
  if (to == other_type(s.type)) return accept();
  Refusal r = refuse("vector-reinterpret-type", at).why("a lane has 32 bits, and the engine computes on i32 and f32 alone");
  r.what("vector_reinterpret as ", to, "; the stream is ", Standing{s});
  if (to == s.type) return r.help("leave it out: the stream has this type");
  return r.help("reinterpret as ", other_type(s.type), "; for numbers of ", to, ", cast after vector_final");
}

constexpr Verdict check_unstaged(const VectorState& s, const VectorStep& step, Where at) {
  if (step.method == VectorMethod::branch_log && s.stage != VectorStage::Branch)
    return refuse("vector-branch-log-stage", at)
        .what("vector_branch_log in stage ", name_of(s.stage), ": the ids are logged where they arise")
        .why("later stages know the ids only as guards")
        .help("call it directly after vector_intra_slice_branch");
  if (step.method == VectorMethod::write_operand) {
    if (!is_stashable(s.stage))
      return refuse("vector-write-operand-stage", at)
          .what("vector_write_operand in stage ", name_of(s.stage), "; it follows Branch, Logic, Fxp, Narrow, Float, FpDiv or Clip")
          .why("the value is taken where a stage puts out a result")
          .help("write directly after the operation whose result is to be kept");
    if (s.wrote)
      return refuse("vector-write-operand-twice", at)
          .what("a second vector_write_operand: a pass writes one operand back")
          .why("there is one way back into the registers")
          .help("start another pass");
  }
  if (step.method == VectorMethod::stash) {
    if (s.reduced)
      return refuse("vector-stash-after-reduce", at)
          .what("vector_stash after an intra-slice reduce")
          .why("the stash is held in step with the packets that entered the reduce")
          .help("stash and read before the reduce, or commit and read the tensor from VRF in another pass");
    if (!is_stashable(s.stage))
      return refuse("vector-stash-stage", at)
          .what("vector_stash in stage ", name_of(s.stage), "; it follows Branch, Logic, Fxp, Narrow, Float, FpDiv or Clip")
          .why("the conversions, the reduce, Widen, Filter and Output have no tap")
          .help("stash before stage ", name_of(s.stage));
    if (s.stash != VectorState::Stash::none)
      return refuse("vector-stash-twice", at)
          .what("a second vector_stash: a pass has one stash, written once")
          .why("there is one stash register for each lane")
          .help("commit the other value and read it from VRF in another pass");
  }
  if (step.method == VectorMethod::filter && s.reduced) return ids_after_reduce(step, at);
  if (step.method == VectorMethod::filter && s.branch == BranchMode::Kind::Unconditional)
    return refuse("vector-filter-unconditional", at)
        .what("vector_filter after BranchMode::Unconditional: every lane has execution id 0, so there is nothing to tell lanes apart by")
        .why("a filter keeps the lanes of some execution ids and drops the others")
        .help("branch by Comparison, AxisToggle, ValidCount or Vrf");
  if (step.method == VectorMethod::fxp_to_fp || step.method == VectorMethod::fp_to_fxp) return check_int_width(step.int_width, at);
  if (step.method == VectorMethod::reinterpret) return check_reinterpret(s, step.to, at);
  if (step.family == OpFamily::FpUnary && step.mode != static_cast<int>(UnaryArgMode::Code::Mode0))
    return refuse("vector-unary-operand", at)
        .what(step, " with UnaryArgMode::Mode1: a unary operation has no operand to take its argument from")
        .why("vector_fp_unary takes the operation alone")
        .help("use Mode0, or make the operand the stream");
  return accept();
}

/// True if the second argument of an operation is a number of places to shift by.
constexpr bool is_shift(const VectorStep& s) {
  if (s.family == OpFamily::LogicI32) return s.op >= static_cast<int>(LogicBinaryOpI32::Code::LeftShift);
  if (s.family != OpFamily::Fxp) return false;
  VectorAlu const alu = alu_of(s);
  return alu == VectorAlu::FxpLshift || alu == VectorAlu::FxpRshift;
}

constexpr Verdict check_stash_operand(const VectorState& s, const VectorStep& step, Where at) {
  if (s.reduced)
    return refuse("vector-stash-after-reduce", at)
        .what(step, " reads the stash after an intra-slice reduce")
        .why("the stash is held in step with the packets that entered the reduce")
        .help("stash and read before the reduce, or commit and read the tensor from VRF in another pass");
  if (s.stash == VectorState::Stash::none)
    return refuse("vector-stash-missing", at)
        .what(step, " reads the stash, and nothing was stashed")
        .why("Stash stands for what vector_stash kept in this pass")
        .help("call vector_stash before it");
  if (s.stash == VectorState::Stash::read)
    return refuse("vector-stash-read-twice", at)
        .what(step, " reads the stash a second time: a pass reads it once")
        .why("the stash is written once and read once")
        .help("combine both uses in one operation, or start another pass");
  if (s.stash_type != s.type)
    return refuse("vector-stash-type", at)
        .what(step, " on ", s.type, " reads a stash of ", s.stash_type)
        .why("the stash keeps bits, and the conversion comes between")
        .help("stash after the conversion, or read before it");
  return accept();
}

/// A constant of a C++ type that is not one of the stream's.
constexpr Refusal foreign_number(std::size_t bits, bool is_signed) {
  return refuse("vector-operand-number")
      .what("a constant operand is ", is_signed ? "a signed" : "an unsigned", " number of ", bits,
            " bits; operands are int, float, i32 or f32")
      .why("lanes have 32 bits, with a sign: of another number it is not said whether its value or its bits are meant")
      .help("write static_cast<int>(x) for the value, i32::from_bits(0x80000000u) for the bits");
}

/// A guard that holds for no lane.
constexpr Refusal guard_never(const VectorStep& step, OperandGuard guard, OperandGuard ids, Where at) {
  Refusal r = refuse("vector-guard-never", at).why("what no lane ever takes is a mistake: the kernel would not do what it says");
  if (guard.ids == 0) return r.what(step, " has a guard without any execution id").help("name the ids it is for, or leave the guard out");
  return r.what(step, " has a guard for execution ids ", guard, "; lanes have ", ids, " only")
      .help("choose by ids that the branch gives: bit i is comparison i, bit 3 the second of two groups");
}

/// Every slot must be there for a lane: its guard has an id that lanes have and that no slot before it takes.
constexpr Verdict check_slots(const VectorState& s, const VectorStep& step, const Operands& operands, int each, Where at) {
  OperandGuard had = s.ids;
  if (step.groups == Groups::group0) had = had & OperandGuard::group(GroupId::Zero);
  if (step.groups == Groups::group1) had = had & OperandGuard::group(GroupId::One);
  OperandGuard left = had;
  for (int i = 0; i < operands.count; i += each) {
    OperandShape const& o = operands.slot[i];
    if (o.guard_known && (o.guard & had).ids == 0) return guard_never(step, o.guard, had, at);
    if ((o.guard_known ? o.guard & left : left).ids == 0)
      return refuse("vector-operand-unreachable", at)
          .what(step, " has an operand in slot ", i / each, " that no lane reaches: the slots before it take execution ids ",
                had.without(left))
          .why("the first slot whose guard holds is taken")
          .help("put the operand with the narrower guard first, and the one for all other lanes last");
    if (o.guard_known) left = left.without(o.guard);
  }
  return accept();
}

constexpr Verdict check_operands(const VectorState& s, const VectorStep& step, const Operands& operands, Where at) {
  Arguments const arguments = arguments_of(step);
  bool const takes = arguments.count >= 2 && step.groups != Groups::zip;
  if (!takes) {
    if (operands.count == 0) return accept();
    return refuse("vector-operand-unwanted", at)
        .what(step, " takes no operand")
        .why("only binary and ternary operations read operands, and a _zip reads the other group")
        .help("leave the operand out");
  }
  int const each = arguments.count - 1;  // operands of a slot
  bool const reads[2] = {arguments.reads(Argument::operand0), arguments.reads(Argument::operand1)};
  if (operands.count % each != 0 || (operands.count == 0 && (reads[0] || reads[1])))
    return refuse("vector-operand-missing", at)
        .what(step, " has ", operands.count, " operands; each slot needs ", each)
        .why("the argument mode says which operands are read")
        .help(each == 2 ? "give pairs (operand0, operand1)" : "give a constant, a VRF tensor or Stash");
  int immediates = 0, registers = 0;
  for (int i = 0; i < operands.count && i < Operands::room; ++i) {
    OperandShape const& o = operands.slot[i];
    bool const is_register = o.kind == OperandKind::vrf || o.kind == OperandKind::stash;
    if (o.kind == OperandKind::none && reads[i % each])
      return refuse("vector-operand-missing", at)
          .what(step, " reads operand", i % each, " in this mode, and there is none")
          .why("the argument mode says which operands are read")
          .help("give a constant, a VRF tensor or Stash");
    if (is_register && !reads[i % each])
      return refuse("vector-operand-not-read", at)
          .what(step, " does not read operand", i % each, " in this mode, and it is ",
                o.kind == OperandKind::vrf ? "a VRF tensor" : "the stash")
          .why("the register port would be taken for nothing")
          .help("give a constant in its place, or another mode");
    if (s.reduced && o.kind != OperandKind::none && o.guard != OperandGuard::always()) return ids_after_reduce(step, at);
    bool const typed = o.kind == OperandKind::immediate || o.kind == OperandKind::vrf;
    if (typed && o.type != s.type)
      return refuse("vector-operand-type", at)
          .what(step, " on ", s.type, " has an operand of ", o.type)
          .why("operands have the type of the stream")
          .help("give an operand of ", s.type);
    if (o.kind == OperandKind::stash)
      if (auto v = check_stash_operand(s, step, at); !v) return v;
    bool const is_amount = is_shift(step) && arguments.of[1] == Argument::operand0;
    if (is_amount && o.kind == OperandKind::immediate && o.known)
      if (auto v = check_shift_amount(static_cast<std::int32_t>(o.bits), at); !v) return v;
    registers += is_register;
  }
  if (registers > 1)
    return refuse("vector-operand-registers", at)
        .what(step, " has ", registers, " operands from registers; there is one register port, for VRF or stash")
        .why("constants do not go through the port")
        .help("make one of them a constant, or use another operation for it");
  for (int i = 0; i < operands.count && i < Operands::room; i += each) {
    bool in_register = false;
    for (int j = 0; j < each; ++j)
      in_register |= operands.slot[i + j].kind == OperandKind::vrf || operands.slot[i + j].kind == OperandKind::stash;
    if (in_register && i + each < operands.count)
      return refuse("vector-operand-register-last", at)
          .what(step, " has an operand from a register before constants")
          .why("the slots are tried in order, and the register port is the last")
          .help("put the constants first; the first whose guard holds is taken");
    immediates += in_register ? 0 : 1;
    if (each == 2 && operands.slot[i].guard != operands.slot[i + 1].guard)
      return refuse("vector-operand-two-guards", at)
          .what(step, " has a pair of operands with two guards")
          .why("a slot is one pair under one guard")
          .help("give both operands of a pair the same guard");
  }
  if (operands.count > Operands::room || immediates > 3)
    return refuse("vector-operand-too-many", at)
        .what(step, " has ", operands.count / each, " slots; there are three for constants and one for a register")
        .why("the first slot whose guard holds is taken; a lane that none claims passes unchanged")
        .help("join slots of equal value into one guard, or use a VRF tensor");
  return check_slots(s, step, operands, each, at);
}

}  // namespace detail::vec

/// Whether the method of a step may be called now, whatever its operation.
constexpr Verdict check_method(const VectorState& state, const VectorStep& step, Where at = {}) {
  if (auto v = detail::vec::check_entry(state, step.method, at); !v) return v;
  if (auto v = detail::vec::check_groups(state, step, at); !v) return v;
  return detail::vec::check_order(state, step, at);
}
/// Whether a step may be done now, as far as its operands do not matter.
constexpr Verdict check_operation(const VectorState& state, const VectorStep& step, Where at = {}) {
  if (auto v = check_method(state, step, at); !v) return v;
  if (auto v = detail::vec::check_type_and_alu(state, step, at); !v) return v;
  return detail::vec::check_unstaged(state, step, at);
}
/// Whether a step may be done now.
constexpr Verdict check_step(const VectorState& state, const VectorStep& step, const Operands& operands = Operands{}, Where at = {}) {
  if (auto v = check_operation(state, step, at); !v) return v;
  return detail::vec::check_operands(state, step, operands, at);
}

/// The state after a step. Needs: a step that check_step accepts.
constexpr VectorState next_state(VectorState s, const VectorStep& step, const Operands& operands = Operands{}) {
  VectorStage const entered = info_of(step.method).stage;
  switch (step.method) {
    case VectorMethod::branch:
      s.branch = static_cast<BranchMode::Kind>(step.op);
      s.ids = step.ids;
      break;
    case VectorMethod::unzip:
      s.branch = BranchMode::Kind::AxisToggle;
      s.ids = ids_given(BranchMode::Kind::AxisToggle);
      s.mode = VectorState::Mode::paired;
      break;
    case VectorMethod::split:
    case VectorMethod::trim_way4: s.way = Way::Way4; break;
    case VectorMethod::concat:
    case VectorMethod::pad_way8: s.way = Way::Way8; break;
    case VectorMethod::fxp_to_fp: s.type = ScalarType::f32; break;
    case VectorMethod::fp_to_fxp: s.type = ScalarType::i32; break;
    case VectorMethod::reinterpret: s.type = step.to; break;
    case VectorMethod::intra_slice_reduce:
      s.reduced = true;
      s.ids = OperandGuard::id(0);
      break;
    case VectorMethod::inter_slice_reduce:
      s.order = s.stage == VectorStage::Init ? VeOrder::InterFirst : VeOrder::IntraFirst;
      s.ids = OperandGuard::id(0);
      break;
    case VectorMethod::stash:
      s.stash = VectorState::Stash::kept;
      s.stash_type = s.type;
      break;
    case VectorMethod::write_operand: s.wrote = true; break;
    default: break;
  }
  if (step.groups == Groups::zip) {
    s.mode = VectorState::Mode::merged;
    s.ids = OperandGuard::id(0);
  }
  if (operands.read_stash()) s.stash = VectorState::Stash::read;
  if (VectorAlu const alu = alu_of(step); alu != VectorAlu::none) s.used |= 1u << static_cast<int>(alu);
  if (entered != VectorStage::Init) s.stage = entered;
  return s;
}

/// A step checked and done.
constexpr Expected<VectorState> advanced(const VectorState& state, const VectorStep& step, const Operands& operands = Operands{},
                                         Where at = {}) {
  if (auto v = check_step(state, step, operands, at); !v) return v.refusal();
  return next_state(state, step, operands);
}

}  // namespace tcp
