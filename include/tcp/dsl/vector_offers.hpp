// Which methods an editor offers behind a stage of the Vector Engine: those that some operation, some operand may legally follow with.
//
// The rules themselves (rules/vector_state.hpp) answer for one step, with a sentence. Asked for every method in every state of a kernel, the sentences that
// nobody reads would cost more time to compile than the kernel. So this is their answer alone, by method.
//
// Law: offered(s, m) if and only if some step of method m passes the rules for entry, groups, order, type, ALU and stage in state s.
#pragma once

#include "tcp/rules/vector_state.hpp"

namespace tcp::detail {

/// What an editor can offer. Operations on two groups have another form, and with it a name of their own.
enum class Offer : std::uint8_t {
  branch,
  unzip,
  logic,
  fxp,
  fxp_to_fp,
  split,
  trim_way4,
  fp_unary,
  fp_binary,
  fp_ternary,
  intra_slice_reduce,
  fp_div,
  concat,
  pad_way8,
  fp_to_fxp,
  clip,
  filter,
  output,
  inter_slice_reduce,
  stash,
  branch_log,
  write_operand,  // so far the order of VectorMethod
  pair_logic,
  pair_fxp,
  pair_fp_unary,
  pair_fp_binary,
  pair_fp_ternary,
  pair_fp_div,
  pair_clip,
  none,
};
static_assert(static_cast<int>(Offer::write_operand) == static_cast<int>(VectorMethod::write_operand));

constexpr Offer offer_of(VectorMethod m, bool paired) {
  if (!paired) return static_cast<Offer>(m);
  switch (m) {
    case VectorMethod::logic: return Offer::pair_logic;
    case VectorMethod::fxp: return Offer::pair_fxp;
    case VectorMethod::fp_unary: return Offer::pair_fp_unary;
    case VectorMethod::fp_binary: return Offer::pair_fp_binary;
    case VectorMethod::fp_ternary: return Offer::pair_fp_ternary;
    case VectorMethod::fp_div: return Offer::pair_fp_div;
    case VectorMethod::clip: return Offer::pair_clip;
    default: return static_cast<Offer>(m);
  }
}

/// Some operation of the family has its ALU left.
template <class Op>
constexpr bool some_alu_left(const VectorState& s) {
  for (VectorOpInfo const& op : Op::table)
    if (!s.uses(op.alu)) return true;
  return false;
}

constexpr bool block_allows(const VectorState& s, VectorMethod m) {
  bool const before = s.stage == VectorStage::Init;
  bool const across = s.stage == VectorStage::InterSliceReduce;
  switch (m) {
    case VectorMethod::unzip: return before;
    case VectorMethod::branch: return before || (across && s.order == VeOrder::InterFirst);
    case VectorMethod::inter_slice_reduce: return !across && s.order == VeOrder::IntraFirst && s.stage != VectorStage::Filter;
    case VectorMethod::output: return !before;
    default: return !before && !across;
  }
}

constexpr bool groups_allow(const VectorState& s, VectorMethod m) {
  switch (m) {
    case VectorMethod::stash:
    case VectorMethod::filter:
    case VectorMethod::branch_log:
    case VectorMethod::write_operand: return s.mode == VectorState::Mode::single;
    case VectorMethod::trim_way4:
    case VectorMethod::pad_way8:
    case VectorMethod::output:
    case VectorMethod::inter_slice_reduce:
    case VectorMethod::intra_slice_reduce: return s.mode != VectorState::Mode::paired;
    default: return true;
  }
}

constexpr bool order_allows(const VectorState& s, const VectorMethodInfo& next) {
  if (next.stage == VectorStage::Init) return true;
  if (next.way != s.way) return false;
  if (next.stage == VectorStage::InterSliceReduce || s.stage == VectorStage::InterSliceReduce) return true;
  return next.stage > s.stage || (next.stage == s.stage && vec::holds_several(next.stage));
}

constexpr bool state_allows(const VectorState& s, VectorMethod m) {
  bool const integer = s.type == ScalarType::i32;
  switch (m) {
    case VectorMethod::logic: return integer ? some_alu_left<LogicBinaryOpI32>(s) : some_alu_left<LogicBinaryOpF32>(s);
    case VectorMethod::fxp: return integer && some_alu_left<FxpBinaryOp>(s);
    case VectorMethod::fxp_to_fp: return integer;
    case VectorMethod::fp_unary: return !integer && some_alu_left<FpUnaryOp>(s);
    case VectorMethod::fp_binary: return !integer && some_alu_left<FpBinaryOp>(s);
    case VectorMethod::fp_ternary: return !integer && some_alu_left<FpTernaryOp>(s);
    case VectorMethod::fp_div: return !integer && some_alu_left<FpDivBinaryOp>(s);
    case VectorMethod::fp_to_fxp: return !integer;
    case VectorMethod::clip: return integer ? some_alu_left<ClipBinaryOpI32>(s) : some_alu_left<ClipBinaryOpF32>(s);
    case VectorMethod::filter: return !s.reduced && s.branch != BranchMode::Kind::Unconditional;
    case VectorMethod::stash: return !s.reduced && vec::is_stashable(s.stage) && s.stash == VectorState::Stash::none;
    case VectorMethod::branch_log: return s.stage == VectorStage::Branch;
    case VectorMethod::write_operand: return vec::is_stashable(s.stage) && !s.wrote;
    default: return true;
  }
}

constexpr bool offered(const VectorState& s, VectorMethod m) {
  return s.stage != VectorStage::Output && block_allows(s, m) && groups_allow(s, m) && order_allows(s, info_of(m)) && state_allows(s, m);
}

/// All that is offered, bit by number of Offer.
constexpr std::uint32_t offers(const VectorState& s) {
  std::uint32_t all = 0;
  for (int m = 0; m <= static_cast<int>(VectorMethod::write_operand); ++m) {
    auto const method = static_cast<VectorMethod>(m);
    if (offered(s, method)) all |= 1u << static_cast<int>(offer_of(method, s.mode == VectorState::Mode::paired));
  }
  return all;
}

constexpr Offer lowest(std::uint32_t offers) {
  int at = 0;
  while (at < static_cast<int>(Offer::none) && (offers >> at & 1) == 0) ++at;
  return static_cast<Offer>(at);
}

}  // namespace tcp::detail
