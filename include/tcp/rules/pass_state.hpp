// Where a stream is on its way through a pass, and what may follow: the order of the stages as one automaton.
//
//   begin -> fetch -> [switch_to] -> collect -> to_trf | to_vrf
//                                            -> align -> contract -> accumulate -> …
//                                            -> vector_init … vector_final -> to_vrf | …
//                                            -> [cast] -> [transpose] -> [commit_cast] -> commit
//
// stages.def has the stages and what each may follow; this file alone reads it for the order. A PassState is small
// enough to be a template argument: the typed front end carries it in the type of a stream, the verifier (and with it
// the dynamic front end and the text form) as a member. Mappings are not part of it: what a stage does to them is in
// pass.hpp.
#pragma once

#include <string_view>

#include "tcp/rules/cast.hpp"
#include "tcp/rules/contraction.hpp"
#include "tcp/rules/pipeline.hpp"
#include "tcp/rules/register_files.hpp"
#include "tcp/rules/stage_kind.hpp"
#include "tcp/rules/vector.hpp"

namespace tcp {

struct StageInfo {
  const char* record;        // of the IR
  const char* word;          // of the text form
  const char* method;        // of both front ends
  StreamStage after;         // where the stream is then
  std::uint8_t changes;      // levels of the stream, a bit each
  std::uint16_t follows[2];  // StreamStages, a bit each: in the main and in the sub context
};

namespace detail::stages {

// The words of the table.

struct Points {
  std::uint16_t bits = 0;
  constexpr Points operator|(Points o) const { return {static_cast<std::uint16_t>(bits | o.bits)}; }
};
constexpr Points point(StreamStage s) { return {static_cast<std::uint16_t>(1u << static_cast<int>(s))}; }
inline constexpr Points nowhere{},
    Begin = point(StreamStage::Begin), Fetch = point(StreamStage::Fetch), Switch = point(StreamStage::Switch),
    Collect = point(StreamStage::Collect), Align = point(StreamStage::Align), Contract = point(StreamStage::Contract),
    Contraction = point(StreamStage::Contraction), VectorEngine = point(StreamStage::VectorEngine), Vector = point(StreamStage::Vector),
    Cast = point(StreamStage::Cast), Transpose = point(StreamStage::Transpose), CommitCast = point(StreamStage::CommitCast);

inline constexpr std::uint8_t nothing = 0, chip = 1, cluster = 2, slice = 4, row = 8, time = 32, packet = 64, every_level = 127;
static_assert(slice == 1 << static_cast<int>(Level::slice) && row == 1 << static_cast<int>(Level::row) &&
              time == 1 << static_cast<int>(Level::time) && packet == 1 << static_cast<int>(Level::packet));

inline constexpr StageInfo table[] = {
#define TCP_STAGE(RECORD, WORD, METHOD, AFTER, CHANGES, MAIN, SUB) \
  {#RECORD, #WORD, #METHOD, StreamStage::AFTER, static_cast<std::uint8_t>(CHANGES), {(MAIN).bits, (SUB).bits}},
#include "tcp/rules/stages.def"
};

}  // namespace detail::stages

inline constexpr int stage_kind_count = sizeof(detail::stages::table) / sizeof(detail::stages::table[0]);

constexpr const StageInfo& info_of(StageKind kind) { return detail::stages::table[static_cast<int>(kind)]; }
constexpr bool changes(StageKind kind, Level level) { return (info_of(kind).changes >> static_cast<int>(level) & 1) != 0; }

/// Where a stream is, of which type its elements are, and, inside the Vector Engine, what it has used up there.
struct PassState {
  Tu context = Tu::Main;
  bool dual = false;  // main has the sub context's channel of the switch as well
  StreamStage after = StreamStage::Begin;
  ScalarType type = ScalarType::i32;
  ContractOp op = ContractOp::Add;  // of the contraction, for its accumulate
  VectorState vector{};
  bool reduced = false;  // within slices by the Vector Engine, which it has left

  constexpr bool operator==(const PassState&) const = default;
  constexpr bool is_paired() const { return after == StreamStage::VectorEngine && vector.mode == VectorState::Mode::paired; }
};

namespace detail::stages {

inline constexpr int method_count = sizeof(vec::vector_methods) / sizeof(vec::vector_methods[0]);
struct StagesOfMethods {
  StageKind of[method_count];
};
constexpr StagesOfMethods found_stages_of_methods() {
  StagesOfMethods all{};
  for (int m = 0; m < method_count; ++m) {
    all.of[m] = StageKind::VectorOperation;
    for (int k = 0; k < stage_kind_count; ++k)
      if (std::string_view(table[k].method) == vec::vector_methods[m].name) all.of[m] = static_cast<StageKind>(k);
  }
  return all;
}
/// Computed once, because the typed front end asks for every step.
inline constexpr StagesOfMethods stages_of_methods = found_stages_of_methods();

}  // namespace detail::stages

/// The stage that a step of the Vector Engine is recorded as: the one of the same name, or an operation.
constexpr StageKind kind_of(VectorMethod m) { return detail::stages::stages_of_methods.of[static_cast<int>(m)]; }

namespace detail::stages {

constexpr bool follows(StageKind kind, Tu context, StreamStage after) {
  return (info_of(kind).follows[static_cast<int>(context)] >> static_cast<int>(after) & 1) != 0;
}

/// The stages that are missing between a place and a stage, in order; none if there is no way.
struct Way {
  StageKind stage[stream_stage_count]{};
  int count = 0;
};
/// Breadth first, so that the way is a shortest one.
constexpr Way way_to(StageKind kind, Tu context, StreamStage from) {
  StreamStage place[stream_stage_count]{from};
  int before[stream_stage_count]{};
  StageKind by[stream_stage_count]{};
  bool seen[stream_stage_count]{};
  seen[static_cast<int>(from)] = true;
  int places = 1;
  for (int i = 0; i < places; ++i) {
    if (i > 0 && follows(kind, context, place[i])) {
      Way way;
      for (int j = i; j > 0; j = before[j]) ++way.count;
      for (int j = i, k = way.count; j > 0; j = before[j]) way.stage[--k] = by[j];
      return way;
    }
    for (int k = 0; k < stage_kind_count; ++k) {
      auto const each = static_cast<StageKind>(k);
      StreamStage const next = info_of(each).after;
      if (next == StreamStage::Sink || seen[static_cast<int>(next)] || !follows(each, context, place[i])) continue;
      seen[static_cast<int>(next)] = true;
      place[places] = next;
      before[places] = i;
      by[places++] = each;
    }
  }
  return {};
}

constexpr Refusal out_of_order(const PassState& s, StageKind kind, const char* method, Where at) {
  if (at.quiet) return refuse("stage-order", at);
  Way const way = way_to(kind, s.context, s.after);
  if (way.count > 0) {
    Refusal r = refuse("stage-missing", at);
    r.what(method, " cannot follow ", s.after, ": ");
    for (int i = 0; i < way.count; ++i) r.what(i == 0 ? "." : i + 1 == way.count ? " and ." : ", .", info_of(way.stage[i]).method, "()");
    r.what(way.count == 1 ? " is missing" : " are missing");
    r.why("a stream passes the engines in their order, and this one cannot be left out");
    r.help("write ");
    for (int i = 0; i < way.count; ++i) r.help(".", info_of(way.stage[i]).method, "()");
    return r.help(" before it");
  }
  Tu const other = s.context == Tu::Main ? Tu::Sub : Tu::Main;
  bool const never = !follows(kind, s.context, StreamStage::Begin) && way_to(kind, s.context, StreamStage::Begin).count == 0;
  if (follows(kind, other, s.after) || (never && s.after != StreamStage::Sink))
    return refuse("stage-not-in-context", at)
        .what(method, " cannot follow ", s.after, " in the ", s.context, " context")
        .why(
            "the main context has all engines; the sub context has no contraction and no transpose, and what the Vector Engine computed "
            "for "
            "it goes to DM")
        .help("begin the pass with ctx.", other);
  if (s.after == StreamStage::Sink)
    return refuse("stage-after-sink", at)
        .what(method, " follows the sink of its pass")
        .why("commit, to_trf and to_vrf take the stream up")
        .help("begin another pass");
  return refuse("stage-order", at)
      .what(method, " cannot follow ", s.after)
      .why("a stream passes the engines in their order, each at most once")
      .help(
          "the order is fetch, switch_to, collect, align to accumulate, vector_init to vector_final, cast, transpose, commit; begin "
          "another pass");
}

/// Accumulators put out a result when it is complete, and the store into the VRF takes a flit of every step.
constexpr Verdict check_not_reduced(const PassState& s, Where at) {
  if (s.after != StreamStage::Vector || !s.reduced) return accept();
  return refuse("vrf-after-reduce", at)
      .what("to_vrf of a stream that an intra-slice reduce has folded")
      .why("the store into the VRF takes the Vector Engine's flits step by step, and a reduce puts one out when its last step is done")
      .help("commit the result to DM, and fetch it from there into the VRF in another pass");
}

/// Elements that the engine of a stage cannot take, whatever their mapping.
constexpr Verdict check_type(const Device& device, StageKind kind, ScalarType type, Where at) {
  switch (kind) {
    case StageKind::Align:
    case StageKind::ToTrf: return check_operand_type(type, at);
    case StageKind::ToVrf: return check_vrf_type(type, at);
    case StageKind::VectorInit: return check_vector_type(type, at);
    case StageKind::Commit: return check_type_in_memory(type, at);
    case StageKind::Cast:
    case StageKind::CommitCast:
    case StageKind::CommitCastRelu: return check_castable(device, type, at);
    default: return accept();
  }
}

}  // namespace detail::stages

/// Whether a stage may follow, by its place in the pipeline and by the type of the elements alone. `method` is what the
/// author called.
///
/// Law: an editor offers what passes here, and in the Vector Engine what some step of the method passes as well (offers
/// in dsl/methods.hpp).
constexpr Verdict check_follows(const Device& device, const PassState& s, StageKind kind, const char* method = nullptr, Where at = {}) {
  if (!detail::stages::follows(kind, s.context, s.after))
    return detail::stages::out_of_order(s, kind, method == nullptr ? info_of(kind).method : method, at);
  if (kind == StageKind::ToVrf)
    if (auto v = detail::stages::check_not_reduced(s, at); !v) return v;
  return detail::stages::check_type(device, kind, s.type, at);
}

/// The state after a stage other than a step of the Vector Engine, with elements of `type`. Needs: check_follows
/// accepts the stage.
constexpr PassState after_stage(PassState s, StageKind kind, ScalarType type) {
  s.after = info_of(kind).after;
  s.type = type;
  s.vector = VectorState{};
  if (kind == StageKind::VectorInit) s.vector.type = type;
  return s;
}

/// A step of the Vector Engine checked and done.
constexpr Expected<PassState> advanced(const Device& device, const PassState& s, const VectorStep& step,
                                       const Operands& operands = Operands{}, Where at = {}) {
  if (auto v = check_follows(device, s, kind_of(step.method), info_of(step.method).name, at); !v) return v.refusal();
  auto const next = advanced(s.vector, step, operands, at);
  if (!next) return next.refusal();
  PassState after = s;
  after.vector = *next;
  after.type = next->type;
  if (step.method != VectorMethod::output) return after;
  after.reduced = after.vector.reduced;
  return after_stage(after, StageKind::VectorFinal, after.type);
}

}  // namespace tcp
