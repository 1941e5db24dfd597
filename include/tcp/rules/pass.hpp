// What each stage of a pass does to a stream: the request of every stage, and the state, the mappings and the facts
// that come out.
//
//   auto const next = advanced(device, state, stream, CollectRequest{time, packet}, at);   // Expected<StageResult<NoFacts>>; `stream` follows
//
// pass_state.hpp knows the order of the stages, the other headers of this folder know the engines; here the two are put
// together, once, for the typed front end (at compile time) and for the verifier (at run time). A request refers to the
// mappings that the author declared: it must not outlive them.
#pragma once

#include "tcp/rules/commit.hpp"
#include "tcp/rules/fetch.hpp"
#include "tcp/rules/inter_slice.hpp"
#include "tcp/rules/pass_state.hpp"
#include "tcp/rules/reduce.hpp"
#include "tcp/rules/switch.hpp"
#include "tcp/rules/transpose.hpp"

namespace tcp {

/// The facts of a stage that leaves nothing to know but its stream.
struct NoFacts {};

/// Where the stream is after a stage, and what the stage's rule found out.
template <class Found>
struct StageResult {
  PassState state{};
  Found found{};
};

struct FetchRequest {
  static constexpr StageKind kind = StageKind::Fetch;
  const FetchHow& how;
  ScalarType type;
  const Mapping &time, &packet;
  const Mapping *chip = nullptr, *cluster = nullptr, *slice = nullptr;  // null: as the source has them
};
struct SwitchRequest {
  static constexpr StageKind kind = StageKind::Switch;
  const SwitchConfig& config;
  const Mapping &slice, &time;
};
struct CollectRequest {
  static constexpr StageKind kind = StageKind::Collect;
  const Mapping &time, &packet;
};
struct AlignRequest {
  static constexpr StageKind kind = StageKind::Align;
  ScalarType trf_type;
  const Levels& trf;
  const Mapping &time, &packet;
};
struct ContractRequest {
  static constexpr StageKind kind = StageKind::Contract;
  ContractOp op;
  const Mapping& packet;
};
struct AccumulateRequest {
  static constexpr StageKind kind = StageKind::Accumulate;
  AccumulationKind accumulation;
  const Mapping &time, &packet;
};
struct VectorInitRequest {
  static constexpr StageKind kind = StageKind::VectorInit;
};
struct BranchRequest {
  static constexpr StageKind kind = StageKind::Branch;
  const BranchMode& mode;
  const Levels* log = nullptr;  // BranchMode::Vrf: the tensor that is read
  ScalarType log_type = ScalarType::i32;
};
struct BranchLogRequest {
  static constexpr StageKind kind = StageKind::BranchLog;
  const Mapping& element;
};
struct WriteOperandRequest {
  static constexpr StageKind kind = StageKind::WriteOperand;
  const Levels& vrf;
  ScalarType vrf_type;
  OperandGuard guard;
};
/// An operation, a conversion, or a change of width. Only the latter declare Time and Packet.
struct OperationRequest {
  static constexpr StageKind kind = StageKind::VectorOperation;
  const VectorStep& step;
  const Operands& operands;
  const Levels* const* vrf = nullptr;  // for each operand its tensor, or null
  const Stream* stashed = nullptr;     // what vector_stash kept
  const Mapping *time = nullptr, *packet = nullptr;
};
struct StashRequest {
  static constexpr StageKind kind = StageKind::Stash;
};
struct UnzipRequest {
  static constexpr StageKind kind = StageKind::Unzip;
  Name axis{};
  const Mapping &tile_time, &time;
};
struct FilterRequest {
  static constexpr StageKind kind = StageKind::Filter;
  OperandGuard keep;
  const Mapping &time, &packet;
};
struct IntraSliceReduceRequest {
  static constexpr StageKind kind = StageKind::IntraSliceReduce;
  Name axis{};
  ReduceOp op;
  const Mapping &time, &packet;
};
struct InterSliceReduceRequest {
  static constexpr StageKind kind = StageKind::InterSliceReduce;
  ReduceOp op;
  const Mapping &slice, &time;
};
struct VectorFinalRequest {
  static constexpr StageKind kind = StageKind::VectorFinal;
};
struct CastRequest {
  static constexpr StageKind kind = StageKind::Cast;
  ScalarType type;
  const Mapping& packet;
};
struct TransposeRequest {
  static constexpr StageKind kind = StageKind::Transpose;
  const Mapping &time, &packet;
};
/// A cast at the commit: CommitCast or CommitCastRelu.
template <StageKind Kind>
struct CommitCastRequest {
  static constexpr StageKind kind = Kind;
  ScalarType type;
};
struct CommitRequest {
  static constexpr StageKind kind = StageKind::Commit;
  const Mapping& element;
  bool into_view = false;    // padding of a view belongs to its tensor, and is not touched
  bool valid_count = false;  // write only the leading elements, as many as a count says at run time
};
struct ToTrfRequest {
  static constexpr StageKind kind = StageKind::ToTrf;
  const Mapping &row, &element;
  TrfAddress where = TrfAddress::Full;
};
struct ToVrfRequest {
  static constexpr StageKind kind = StageKind::ToVrf;
  const Mapping& element;
  Bytes address{};
};

namespace detail {

/// The result of a stage that changes Time and Packet, and not the type.
template <class Found>
constexpr StageResult<Found> streamed(const PassState& s, StageKind kind, Levels& stream, const Mapping& time, const Mapping& packet,
                                      const Found& found) {
  stream.set(Level::time, time).set(Level::packet, packet);
  return {after_stage(s, kind, s.type), found};
}

// One function per stage: what its engine makes of a stream that has come to it.

constexpr Expected<StageResult<Fetched>> made_by(const Device& device, const PassState& s, Levels& stream, const FetchRequest& r,
                                                 Where at) {
  auto const source = lifted(stream, r.chip, r.cluster, r.slice, at);
  if (!source) return source.refusal();
  auto const f = check_fetch(device, r.how, s.type, source->at, r.type, r.time, r.packet, at, source->lifts);
  if (!f) return f.refusal();
  stream = source->at;
  stream.set(Level::element, Mapping{}).set(Level::time, f->stream.time).set(Level::packet, f->stream.packet);
  return StageResult<Fetched>{after_stage(s, r.kind, f->type), *f};
}
constexpr Expected<StageResult<Switched>> made_by(const Device& device, const PassState& s, Levels& stream, const SwitchRequest& r,
                                                  Where at) {
  auto const made = check_switch(device, stream, r.config, r.slice, r.time, at);
  if (!made) return made.refusal();
  if (auto v = check_consecutive_flits(device, s.type, stream[Level::packet], r.config, at); !v) return v.refusal();
  stream.set(Level::slice, made->slice).set(Level::time, made->time);
  return StageResult<Switched>{after_stage(s, r.kind, s.type), *made};
}
constexpr Expected<StageResult<NoFacts>> made_by(const Device& device, const PassState& s, Levels& stream, const CollectRequest& r,
                                                 Where at) {
  auto const made = check_collect(device, s.type, stream[Level::time], stream[Level::packet], r.time, r.packet, at);
  if (!made) return made.refusal();
  return streamed(s, r.kind, stream, made->time, made->packet, NoFacts{});
}
constexpr Expected<StageResult<Aligned>> made_by(const Device& device, const PassState& s, Levels& stream, const AlignRequest& r,
                                                 Where at) {
  auto const made = check_align(device, s.type, stream, r.trf_type, r.trf, r.time, r.packet, at);
  if (!made) return made.refusal();
  stream = made->at;
  return StageResult<Aligned>{after_stage(s, r.kind, s.type), *made};
}
constexpr Expected<StageResult<Contracted>> made_by(const Device& device, const PassState& s, Levels& stream, const ContractRequest& r,
                                                    Where at) {
  auto const made = check_contract(device, r.op, s.type, stream, r.packet, at);
  if (!made) return made.refusal();
  PassState after = after_stage(s, r.kind, made->type);
  after.op = r.op;
  stream = made->at;
  return StageResult<Contracted>{after, *made};
}
constexpr Expected<StageResult<Accumulated>> made_by(const Device& device, const PassState& s, Levels& stream, const AccumulateRequest& r,
                                                     Where at) {
  auto const made = check_accumulate(device, s.op, r.accumulation, s.type, stream, r.time, r.packet, at);
  if (!made) return made.refusal();
  stream.set(Level::row, Mapping{});
  StageResult<Accumulated> out = streamed(s, r.kind, stream, made->out.time, made->out.packet, *made);
  out.state.op = ContractOp::Add;
  return out;
}
constexpr Expected<StageResult<NoFacts>> made_by(const Device& device, const PassState& s, Levels& stream, const VectorInitRequest& r,
                                                 Where at) {
  if (auto v = check_vector_init(device, s.type, stream[Level::packet], at); !v) return v.refusal();
  return StageResult<NoFacts>{after_stage(s, r.kind, s.type), {}};
}
constexpr Expected<StageResult<NoFacts>> made_by(const Device& device, const PassState& s, Levels& stream, const CastRequest& r, Where at) {
  auto const packet = check_cast(device, s.type, r.type, stream[Level::packet], r.packet, at);
  if (!packet) return packet.refusal();
  stream.set(Level::packet, *packet);
  return StageResult<NoFacts>{after_stage(s, r.kind, r.type), {}};
}
constexpr Expected<StageResult<TransposeResult>> made_by(const Device& device, const PassState& s, Levels& stream,
                                                         const TransposeRequest& r, Where at) {
  auto const made = check_transpose(device, s.after, s.type, stream[Level::time], stream[Level::packet], r.time, r.packet, at);
  if (!made) return made.refusal();
  return streamed(s, r.kind, stream, made->time, made->packet, *made);
}
template <StageKind Kind>
constexpr Expected<StageResult<NoFacts>> made_by(const Device& device, const PassState& s, Levels& stream, const CommitCastRequest<Kind>& r,
                                                 Where at) {
  auto const packet = cast_packet(device, s.type, r.type, stream[Level::packet], at);
  if (!packet) return packet.refusal();
  stream.set(Level::packet, *packet);
  return StageResult<NoFacts>{after_stage(s, r.kind, r.type), {}};
}
constexpr Expected<StageResult<Committed>> made_by(const Device& device, const PassState& s, Levels& stream, const CommitRequest& r,
                                                   Where at) {
  auto const made = check_commit(device, {s.context, r.into_view, r.valid_count}, s.type, stream, r.element, at);
  if (!made) return made.refusal();
  return StageResult<Committed>{after_stage(s, r.kind, s.type), *made};
}
constexpr Expected<StageResult<TrfStored>> made_by(const Device& device, const PassState& s, Levels& stream, const ToTrfRequest& r,
                                                   Where at) {
  auto const made = check_to_trf(device, s.type, stream[Level::time], stream[Level::packet], r.row, r.element, r.where, at);
  if (!made) return made.refusal();
  return StageResult<TrfStored>{after_stage(s, r.kind, s.type), *made};
}
constexpr Expected<StageResult<VrfStored>> made_by(const Device& device, const PassState& s, Levels& stream, const ToVrfRequest& r,
                                                   Where at) {
  auto const made = check_to_vrf(device, s.type, stream[Level::time], stream[Level::packet], r.element, r.address, at);
  if (!made) return made.refusal();
  return StageResult<VrfStored>{after_stage(s, r.kind, s.type), *made};
}

// The Vector Engine: a request's step, and what the engine makes of the stream. `s` is the state after the step.

constexpr VectorStep step_asked(const BranchRequest& r) { return step_of(r.mode); }
constexpr VectorStep step_asked(const BranchLogRequest&) { return step_of(VectorMethod::branch_log); }
constexpr VectorStep step_asked(const WriteOperandRequest&) { return step_of(VectorMethod::write_operand); }
constexpr VectorStep step_asked(const OperationRequest& r) { return r.step; }
constexpr VectorStep step_asked(const StashRequest&) { return step_of(VectorMethod::stash); }
constexpr VectorStep step_asked(const UnzipRequest&) { return step_of(VectorMethod::unzip); }
constexpr VectorStep step_asked(const FilterRequest&) { return step_of(VectorMethod::filter); }
constexpr VectorStep step_asked(const IntraSliceReduceRequest&) { return step_of(VectorMethod::intra_slice_reduce); }
constexpr VectorStep step_asked(const InterSliceReduceRequest&) { return step_of(VectorMethod::inter_slice_reduce); }
constexpr VectorStep step_asked(const VectorFinalRequest&) { return step_of(VectorMethod::output); }
constexpr Operands operands_asked(const OperationRequest& r) { return r.operands; }
template <class Request>
constexpr Operands operands_asked(const Request&) {
  return Operands{};
}

template <class Request>
concept VectorRequest = requires(const Request& r) { step_asked(r); };

/// The result of a step that leaves the stream as it is.
template <class Found>
constexpr Expected<StageResult<Found>> kept(const PassState& s, const Expected<Found>& found) {
  if (!found) return found.refusal();
  return StageResult<Found>{s, *found};
}
/// The result of a step that gives the stream another Time and Packet.
constexpr Expected<StageResult<NoFacts>> changed(const PassState& s, Levels& stream, const Expected<Stream>& made) {
  if (!made) return made.refusal();
  stream.set(Level::time, made->time).set(Level::packet, made->packet);
  return StageResult<NoFacts>{s, {}};
}

constexpr Expected<StageResult<BranchPlan>> stepped(const Device& device, const PassState& s, Levels& stream, const BranchRequest& r,
                                                    Where at) {
  return kept(s, check_branch(device, s.type, stream, r.mode, r.log, r.log_type, at));
}
constexpr Expected<StageResult<Loops>> stepped(const Device&, const PassState& s, Levels& stream, const BranchLogRequest& r, Where at) {
  return kept(s, check_branch_log(stream, r.element, at));
}
constexpr Expected<StageResult<Loops>> stepped(const Device&, const PassState& s, Levels& stream, const WriteOperandRequest& r, Where at) {
  if (s.vector.reduced && r.guard != OperandGuard::always()) return vec::ids_after_reduce(step_asked(r), at);
  if ((r.guard & s.vector.ids).ids == 0) return vec::guard_never(step_asked(r), r.guard, s.vector.ids, at);
  return kept(s, check_write_operand(stream, s.type, r.vrf, r.vrf_type, at));
}
constexpr Expected<StageResult<NoFacts>> stepped(const Device&, const PassState& s, Levels&, const StashRequest&, Where) {
  return StageResult<NoFacts>{s, {}};
}
constexpr Expected<StageResult<NoFacts>> stepped(const Device&, const PassState& s, Levels&, const VectorFinalRequest&, Where) {
  return StageResult<NoFacts>{s, {}};
}
constexpr Expected<StageResult<NoFacts>> stepped(const Device& device, const PassState& s, Levels& stream, const UnzipRequest& r,
                                                 Where at) {
  auto const time = check_unzip(device, stream[Level::time], r.axis, r.tile_time, r.time, at);
  if (!time) return time.refusal();
  stream.set(Level::time, *time);
  return StageResult<NoFacts>{s, {}};
}
constexpr Expected<StageResult<NoFacts>> stepped(const Device& device, const PassState& s, Levels& stream, const FilterRequest& r,
                                                 Where at) {
  if (r.keep.ids != 0 && (r.keep & s.vector.ids).ids == 0) return vec::guard_never(step_asked(r), r.keep, s.vector.ids, at);
  return changed(s, stream, check_filter(device, r.keep, stream[Level::time], stream[Level::packet], r.time, r.packet, at));
}
constexpr Expected<StageResult<IntraSliceResult>> stepped(const Device& device, const PassState& s, Levels& stream,
                                                          const IntraSliceReduceRequest& r, Where at) {
  auto const made = check_intra_slice_reduce(device, s.type, r.op, r.axis, stream, r.time, r.packet, at);
  if (!made) return made.refusal();
  stream.set(Level::time, made->time).set(Level::packet, made->packet);
  return StageResult<IntraSliceResult>{s, *made};
}
constexpr Expected<StageResult<InterSliceResult>> stepped(const Device& device, const PassState& s, Levels& stream,
                                                          const InterSliceReduceRequest& r, Where at) {
  auto const made = check_inter_slice_reduce(device, s.type, r.op, stream, r.slice, r.time, at);
  if (!made) return made.refusal();
  stream.set(Level::slice, made->slice).set(Level::time, made->time).set(Level::packet, made->packet);
  return StageResult<InterSliceResult>{s, *made};
}
/// What a change of width makes of Time and Packet; of other operations, the kinds of padding after arithmetic.
constexpr Expected<Stream> operated(const Device& device, const Mapping& time, const Mapping& packet, const OperationRequest& r, Where at) {
  switch (r.step.method) {
    case VectorMethod::split: return check_split(device, time, packet, *r.time, *r.packet, at);
    case VectorMethod::concat: return check_concat(device, time, packet, *r.time, *r.packet, at);
    case VectorMethod::trim_way4:
    case VectorMethod::pad_way8: {
      bool const trims = r.step.method == VectorMethod::trim_way4;
      auto const made = trims ? check_trim_way4(device, packet, *r.packet, at) : check_pad_way8(device, packet, *r.packet, at);
      if (!made) return made.refusal();
      return Stream{time, *made};
    }
    case VectorMethod::reinterpret: return Stream{time, packet};
    default: return padding_after_arithmetic(time, packet);
  }
}
constexpr Expected<StageResult<Loops>> stepped(const Device& device, const PassState& s, Levels& stream, const OperationRequest& r,
                                               Where at) {
  StageResult<Loops> out{s, {}};
  if (r.operands.read_stash() && r.stashed != nullptr)
    if (auto v = check_stash_read(device, *r.stashed, {stream[Level::time], stream[Level::packet]}, at); !v) return v.refusal();
  for (int i = 0; i < r.operands.count && i < Operands::room && r.vrf != nullptr; ++i) {
    if (r.vrf[i] == nullptr) continue;
    auto const loops = check_vrf_operand(stream, *r.vrf[i], at);
    if (!loops) return loops.refusal();
    out.found = *loops;
  }
  auto const made = operated(device, stream[Level::time], stream[Level::packet], r, at);
  if (!made) return made.refusal();
  stream.set(Level::time, made->time).set(Level::packet, made->packet);
  return out;
}

}  // namespace detail

/// A stage asked for, checked and done: the one way from a stream to the next. `stream` is, before the fetch, the
/// source (its Element included); after an accepted stage it is what came out, with the kinds that the padding really
/// has.
///
/// Refused: a stage that cannot follow (stage-missing, stage-order, …), and what the rules of its engine refuse.
template <class Request>
constexpr auto advanced(const Device& device, const PassState& s, Levels& stream, const Request& r, Where at = {}) {
  if constexpr (detail::VectorRequest<Request>) {
    using Result = decltype(detail::stepped(device, s, stream, r, at));
    auto const next = advanced(device, s, detail::step_asked(r), detail::operands_asked(r), at);
    return next ? detail::stepped(device, *next, stream, r, at) : Result(next.refusal());
  } else {
    using Result = decltype(detail::made_by(device, s, stream, r, at));
    auto const v = check_follows(device, s, Request::kind, nullptr, at);
    return v ? detail::made_by(device, s, stream, r, at) : Result(v.refusal());
  }
}

}  // namespace tcp
