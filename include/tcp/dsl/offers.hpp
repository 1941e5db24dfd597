// Which methods an editor offers after a stage: those that some call may legally follow with, as the rules say.
//
// Law: offered if and only if some call of the method, with some types, mappings and operands, passes the rules in this
// state.
#pragma once

#include "tcp/device/target.hpp"
#include "tcp/rules/fetch.hpp"
#include "tcp/rules/pass_state.hpp"

namespace tcp::detail {

/// What an editor can offer: first the steps of the Vector Engine, in the order of VectorMethod. Operations on two
/// groups have another form, and so a place of their own.
enum class Offer : std::uint8_t {
#define TCP_VECTOR_STEP(NAME, ...) NAME,
#include "tcp/rules/stages.def"
  pair_logic,
  pair_fxp,
  pair_fp_unary,
  pair_fp_binary,
  pair_fp_ternary,
  pair_fp_div,
  pair_clip,
  fetch_lift,
  fetch,
  fetch_with_table,
  fetch_with_zero_point,
  fetch_with_zero_points,
  switch_to,
  collect,
  align,
  contract,
  contract_max,
  accumulate,
  vector_init,
  cast,
  transpose,
  commit_cast,
  commit,
  to_trf,
  to_vrf,
  none,
};

/// A set of Offers, bit by number.
using Offers = std::uint64_t;

constexpr Offers bit(Offer o, bool offered = true) { return offered ? Offers{1} << static_cast<int>(o) : 0; }
constexpr Offer lowest(Offers offers) {
  int at = 0;
  while (at < static_cast<int>(Offer::none) && (offers >> at & 1) == 0) ++at;
  return static_cast<Offer>(at);
}

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

/// Some operation of the family passes. Needs: the method passes.
template <class Op>
constexpr bool some_passes(const VectorState& s) {
  for (int code = 0; code < static_cast<int>(std::size(Op::table)); ++code)
    if (vec::check_type_and_alu(s, step_of(Op(static_cast<typename Op::Code>(code))), quietly)) return true;
  return false;
}

/// Some step of the method passes.
constexpr bool offered(const VectorState& s, VectorMethod m) {
  VectorStep const step = step_of(m);
  if (!check_method(s, step, quietly)) return false;
  switch (m) {
    case VectorMethod::logic: return some_passes<LogicBinaryOpI32>(s) || some_passes<LogicBinaryOpF32>(s);
    case VectorMethod::fxp: return some_passes<FxpBinaryOp>(s);
    case VectorMethod::fp_unary: return some_passes<FpUnaryOp>(s);
    case VectorMethod::fp_binary: return some_passes<FpBinaryOp>(s);
    case VectorMethod::fp_ternary: return some_passes<FpTernaryOp>(s);
    case VectorMethod::fp_div: return some_passes<FpDivBinaryOp>(s);
    case VectorMethod::clip: return some_passes<ClipBinaryOpI32>(s) || some_passes<ClipBinaryOpF32>(s);
    case VectorMethod::reinterpret: return true;
    default: return check_operation(s, step, quietly).ok();
  }
}

/// All that is offered inside the Vector Engine.
constexpr Offers offers(const VectorState& s) {
  Offers all = 0;
  for (int m = 0; m <= static_cast<int>(VectorMethod::reinterpret); ++m) {
    auto const method = static_cast<VectorMethod>(m);
    if (offered(s, method)) all |= bit(offer_of(method, s.mode == VectorState::Mode::paired));
  }
  return all;
}

/// All that is offered in a state. `interleaved`: two tensors take turns; `one_row`: the weights have one Row.
constexpr Offers offers(const PassState& s, bool interleaved, bool one_row) {
  if (s.after == StreamStage::VectorEngine) return offers(s.vector);
  constexpr struct {
    Offer offer;
    StageKind kind;
  } stages[] = {
      {Offer::fetch_lift, StageKind::Fetch},
      {Offer::fetch, StageKind::Fetch},
      {Offer::switch_to, StageKind::Switch},
      {Offer::collect, StageKind::Collect},
      {Offer::align, StageKind::Align},
      {Offer::contract, StageKind::Contract},
      {Offer::accumulate, StageKind::Accumulate},
      {Offer::vector_init, StageKind::VectorInit},
      {Offer::cast, StageKind::Cast},
      {Offer::transpose, StageKind::Transpose},
      {Offer::commit_cast, StageKind::CommitCast},
      {Offer::commit, StageKind::Commit},
      {Offer::to_trf, StageKind::ToTrf},
      {Offer::to_vrf, StageKind::ToVrf},
  };
  Offers all = 0;
  for (const auto& stage : stages) all |= bit(stage.offer, check_follows(target, s, stage.kind, nullptr, quietly).ok());
  if (s.after == StreamStage::Begin) {
    bool const quantised = s.type == ScalarType::i4 || s.type == ScalarType::i8 || s.type == ScalarType::i16;
    all |= bit(Offer::fetch_with_table, s.context == Tu::Main && scalar_info(s.type).bits <= 8);
    all |= bit(Offer::fetch_with_zero_point, quantised) | bit(Offer::fetch_with_zero_points, quantised && interleaved);
  }
  if (s.after == StreamStage::Align) all |= bit(Offer::contract_max, one_row);
  return all;
}

}  // namespace tcp::detail
