// What an editor offers behind a stage is what some call of the method passes the rules with: asked of every state that random ways through the engine reach,
// and of every stage, context and type.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "tcp/mapping/parse.hpp"
#include "tcp/rules/commit.hpp"
#include "tcp/tcp.hpp"

namespace tcp {
namespace {

using detail::bit, detail::Offer;

constexpr int methods = static_cast<int>(VectorMethod::write_operand) + 1;

template <class Op>
void add_operations(std::vector<VectorStep>& steps, Groups groups) {
  for (std::size_t code = 0; code < std::size(Op::table); ++code)
    steps.push_back(step_of(Op(static_cast<typename Op::Code>(code)), {}, groups));
}

/// All steps of a method, for one stream or for two groups. Zips are in the list of their method.
std::vector<VectorStep> steps_of(VectorMethod m, bool paired) {
  std::vector<VectorStep> steps;
  if (m == VectorMethod::branch)
    for (BranchMode::Kind kind : {BranchMode::Kind::Unconditional, BranchMode::Kind::AxisToggle, BranchMode::Kind::ValidCount}) {
      BranchMode mode;
      mode.kind = kind;
      steps.push_back(step_of(mode));
    }
  std::vector<Groups> kinds{Groups::both};
  if (paired) kinds = {Groups::both, Groups::group0, Groups::group1, Groups::zip};
  for (Groups groups : kinds) switch (m) {
      case VectorMethod::branch: break;
      case VectorMethod::logic:
        add_operations<LogicBinaryOpI32>(steps, groups);
        add_operations<LogicBinaryOpF32>(steps, groups);
        break;
      case VectorMethod::fxp: add_operations<FxpBinaryOp>(steps, groups); break;
      case VectorMethod::fp_unary: add_operations<FpUnaryOp>(steps, groups); break;
      case VectorMethod::fp_binary: add_operations<FpBinaryOp>(steps, groups); break;
      case VectorMethod::fp_ternary: add_operations<FpTernaryOp>(steps, groups); break;
      case VectorMethod::fp_div: add_operations<FpDivBinaryOp>(steps, groups); break;
      case VectorMethod::clip:
        add_operations<ClipBinaryOpI32>(steps, groups);
        add_operations<ClipBinaryOpF32>(steps, groups);
        break;
      default: steps.push_back(step_of(m)); return steps;
    }
  return steps;
}

/// Constants of the stream's type, as many as the operation takes.
Operands operands_for(const VectorState& s, const VectorStep& step) {
  Operands o;
  if (step.groups == Groups::zip) return o;
  for (int i = 1; i < arguments_of(step).count; ++i) o.immediate(s.type);
  return o;
}
std::vector<VectorStep> accepted(const VectorState& s, VectorMethod m) {
  std::vector<VectorStep> all;
  for (VectorStep const& step : steps_of(m, s.mode == VectorState::Mode::paired))
    if (check_step(s, step, operands_for(s, step))) all.push_back(step);
  return all;
}
std::string shown(const VectorState& s) {
  return std::string(name_of(s.stage)) + (s.way == Way::Way8 ? " Way8 " : " Way4 ") + (s.type == ScalarType::i32 ? "i32" : "f32") +
         " used " + std::to_string(s.used) + " mode " + std::to_string(static_cast<int>(s.mode));
}

TEST(Offers, of_the_vector_engine_are_the_methods_that_some_operation_passes_with) {
  std::mt19937 random(7);
  std::set<std::string> seen;
  std::set<VectorMethod> offered_somewhere;
  for (int way = 0; way < 400; ++way) {
    VectorState s;
    s.type = way % 2 == 0 ? ScalarType::i32 : ScalarType::f32;
    while (true) {
      std::vector<VectorStep> next;
      for (int i = 0; i < methods; ++i) {
        auto const m = static_cast<VectorMethod>(i);
        std::vector<VectorStep> const legal = accepted(s, m);
        ASSERT_EQ(detail::offered(s, m), !legal.empty()) << info_of(m).name << " in " << shown(s);
        if (!legal.empty()) offered_somewhere.insert(m);
        // One of a method, so that long lists of operations do not crowd out the rest.
        if (!legal.empty()) next.push_back(legal[random() % legal.size()]);
      }
      seen.insert(shown(s));
      if (next.empty()) break;
      VectorStep const step = next[random() % next.size()];
      s = next_state(s, step, operands_for(s, step));
    }
    ASSERT_TRUE(s.stage == VectorStage::Output || s.mode == VectorState::Mode::paired) << "a dead end: " << shown(s);
  }
  EXPECT_EQ(offered_somewhere.size(), static_cast<std::size_t>(methods));
  EXPECT_GT(seen.size(), 300u);
}
TEST(Offers, of_two_groups_have_a_form_of_their_own) {
  VectorState s;
  s = next_state(s, step_of(VectorMethod::unzip));
  detail::Offers const offers = detail::offers(s);
  EXPECT_EQ(offers, bit(Offer::pair_logic) | bit(Offer::pair_fxp) | bit(Offer::fxp_to_fp) | bit(Offer::split) | bit(Offer::pair_clip));
  EXPECT_EQ(detail::lowest(offers), detail::Offer::fxp_to_fp);
  EXPECT_EQ(detail::lowest(0), detail::Offer::none);
}

// The other stages: a flit of each type, on its easiest way to where it may go.

Axes const axes = parse_axes("A = 64, I = 2").value();
Mapping map(const std::string& text) { return parse(text, axes).value(); }

/// The elements of a flit of this type.
Mapping flit(ScalarType type) { return map("A % " + std::to_string(target.flit.bytes.value * 8 / scalar_info(type).packet_bits)); }

Levels levels_of(const Mapping& packet) {
  Levels l;
  return l.set(Level::cluster, copies(1).pad(2)).set(Level::slice, copies(1).pad(256)).set(Level::packet, packet);
}
/// Whether the rules take a flit on to a stage.
template <class Request>
bool goes_on(const PassState& s, const Request& request) {
  Levels stream = levels_of(flit(s.type));
  return advanced(target, s, stream, request).ok();
}
bool casts(const PassState& s) {
  for (ScalarType to : scalar_types) {
    std::int64_t const room = target.flit.bytes.value * 8 / scalar_info(to).packet_bits;
    Mapping const packet = pad_to(flit(s.type), room, Pad::top);
    if (goes_on(s, CastRequest{to, packet})) return true;
  }
  return false;
}
bool is_aligned(Tu context, ScalarType type) { return context == Tu::Main && check_operand_types(type, type).ok(); }

TEST(Offers, of_a_stage_are_what_its_context_and_type_pass_the_rules_with) {
  using enum StreamStage;
  for (StreamStage after : {Fetch, Collect, Contraction, Vector, Cast, Transpose})
    for (Tu context : {Tu::Main, Tu::Sub})
      for (ScalarType type : scalar_types) {
        SCOPED_TRACE(std::string(name_of(after)) + (context == Tu::Main ? " main " : " sub ") + std::string(scalar_info(type).name));
        PassState state;
        state.context = context;
        state.after = after;
        state.type = type;
        detail::Offers const offers = detail::offers(state, false, true);
        auto const has = [&](Offer o) { return (offers & bit(o)) != 0; };
        Mapping const packet = flit(type), none = map("1");
        bool const collected = after == Collect;
        bool const leaves = context == Tu::Sub ? after == Fetch || after == Collect || after == Vector || after == Cast : after != Fetch;
        EXPECT_EQ(has(Offer::commit), goes_on(state, CommitRequest{packet}));
        EXPECT_EQ(has(Offer::commit), leaves && scalar_info(type).in_memory);
        EXPECT_FALSE(goes_on(state, CommitRequest{packet, false, true})) << "commit_packed is never offered";
        EXPECT_EQ(has(Offer::cast), casts(state));
        EXPECT_EQ(has(Offer::transpose), after > Fetch && after != Transpose);
        EXPECT_EQ(has(Offer::to_trf), goes_on(state, ToTrfRequest{none, packet}));
        EXPECT_EQ(has(Offer::to_vrf), goes_on(state, ToVrfRequest{packet}));
        EXPECT_EQ(has(Offer::align), collected && is_aligned(context, type));
        EXPECT_EQ(has(Offer::vector_init), goes_on(state, VectorInitRequest{}));
        EXPECT_EQ(has(Offer::vector_init), (collected || after == Contraction) && check_vector_type(type).ok());
      }
}
TEST(Offers, of_a_begin_are_the_fetches_that_its_context_and_type_pass_the_rules_with) {
  auto const passes = [](FetchHow how, ScalarType from, bool interleaved) {
    if (interleaved) how.interleaved = Name("I");
    Levels const source = levels_of(map("1")).set(Level::element, map("A"));
    for (ScalarType to : scalar_types)
      for (ScalarType table : scalar_types) {
        how.table = {from, table, 0};
        Mapping const time = interleaved ? pair(map("I"), map("A / 32")) : map("A / 32");
        if (check_fetch(target, how, from, source, to, time, map("A % 32")).ok()) return true;
      }
    return false;
  };
  for (Tu context : {Tu::Main, Tu::Sub})
    for (ScalarType type : scalar_types)
      for (bool interleaved : {false, true}) {
        if (!scalar_info(type).in_memory) continue;
        SCOPED_TRACE(std::string(context == Tu::Main ? "main " : "sub ") + std::string(scalar_info(type).name) +
                     (interleaved ? " twice" : ""));
        PassState begin;
        begin.context = context;
        begin.type = type;
        detail::Offers const offers = detail::offers(begin, interleaved, true);
        auto const has = [&](Offer o) { return (offers & bit(o)) != 0; };
        FetchHow plain;
        plain.context = context;
        FetchHow with_table = plain, with_one = plain, with_two = plain;
        with_table.with_table = true;
        with_one.zero_points = 1;
        with_two.zero_points = 2;
        EXPECT_EQ(has(Offer::fetch_with_table), passes(with_table, type, interleaved));
        EXPECT_EQ(has(Offer::fetch_with_zero_point), passes(with_one, type, interleaved));
        EXPECT_EQ(has(Offer::fetch_with_zero_points), passes(with_two, type, interleaved));
      }
}

}  // namespace
}  // namespace tcp
