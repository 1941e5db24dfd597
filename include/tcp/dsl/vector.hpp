// The Vector Engine as types: from vector_init to vector_final, one step a method, by the automaton of rules/vector_state.hpp.
//
//   .vector_init()
//   .vector_intra_slice_branch(BranchMode::Unconditional)
//   .vector_fxp(FxpBinaryOp::AddFxp, 1)                        a constant
//   .vector_clip(ClipBinaryOpI32::Max, vrf)                    a VRF tensor, or Stash
//   .vector_fxp(op, VeBranchOperand::group(1, GroupId::Zero), VeBranchOperand::group(2, GroupId::One))
//   .vector_final()
//
// The state of the engine is part of the type: which stage, which ALUs are used, how wide, whether something is stashed. So a second use of an ALU, a step
// back or a missing narrow does not compile. In two-group mode (vector_intra_slice_unzip) operations take one argument for each group, `skip` for none, until
// a `_zip` operation makes one stream of the two.
#pragma once

#include "tcp/dsl/stream.hpp"
#include "tcp/rules/inter_slice.hpp"
#include "tcp/rules/reduce.hpp"
#include "tcp/rules/vector.hpp"

namespace tcp {

/// What vector_stash kept, as an operand.
struct StashOperand {};
inline constexpr StashOperand Stash{};

/// No operand for this group.
struct Skip {};
inline constexpr Skip skip{};

/// The two operands of a ternary operation.
template <class First, class Second>
struct TernaryOperand {
  First operand0;
  Second operand1;

  constexpr TernaryOperand(const First& a, const Second& b) : operand0(a), operand1(b) {}
};

namespace detail {

template <class Operand>
struct Guarded {
  Operand operand;
  OperandGuard guard;
};

}  // namespace detail

/// Operands for some execution ids only; the first whose guard holds is taken, and a lane that none claims passes unchanged.
struct VeBranchOperand {
  template <class Operand>
  static constexpr Operand always(const Operand& o) {
    return o;
  }
  template <class Operand>
  static constexpr detail::Guarded<Operand> group(const Operand& o, GroupId g) {
    return {o, OperandGuard::group(g)};
  }
  template <class Operand>
  static constexpr detail::Guarded<Operand> when(const Operand& o, OperandGuard guard) {
    return {o, guard};
  }
};

/// Where a second argument comes from, spelled out.
struct VeRhs {
  template <class Vrf>
  static constexpr const Vrf& vrf(const Vrf& tensor) {
    return tensor;
  }
  template <class Number>
  static constexpr Number constant(Number n) {
    return n;
  }
  static constexpr StashOperand stash() { return {}; }
};

namespace detail {

/// The place of a slot that is not given.
struct NoOperand {};

/// What the compiler knows of an operand (`shape`, `levels` of a VRF tensor) and what the recording is told (`arg`).
template <class T>
struct OperandOf;

template <ScalarType Type>
struct ConstantOperand {
  static constexpr OperandShape shape{OperandKind::immediate, Type, {}, false, 0};
  static constexpr bool is_vrf = false;
  static constexpr OperandArg made(std::uint32_t bits) { return {{OperandKind::immediate, Type, {}, true, bits}, nullptr}; }
};
template <>
struct OperandOf<int> : ConstantOperand<ScalarType::i32> {
  static constexpr OperandArg arg(int v) { return made(static_cast<std::uint32_t>(v)); }
};
template <>
struct OperandOf<float> : ConstantOperand<ScalarType::f32> {
  static constexpr OperandArg arg(float v) { return made(f32::from_float(v).bits); }
};
template <>
struct OperandOf<double> : ConstantOperand<ScalarType::f32> {
  static constexpr OperandArg arg(double v) { return made(f32::from_double(v).bits); }
};
template <>
struct OperandOf<i32> : ConstantOperand<ScalarType::i32> {
  static constexpr OperandArg arg(i32 v) { return made(v.bits); }
};
template <>
struct OperandOf<f32> : ConstantOperand<ScalarType::f32> {
  static constexpr OperandArg arg(f32 v) { return made(v.bits); }
};
template <>
struct OperandOf<StashOperand> {
  static constexpr OperandShape shape{OperandKind::stash, ScalarType::i32, {}, false, 0};
  static constexpr bool is_vrf = false;
  static constexpr OperandArg arg(StashOperand) { return {shape, nullptr}; }
};
template <>
struct OperandOf<Skip> {
  static constexpr OperandShape shape{};
  static constexpr bool is_vrf = false;
  static constexpr OperandArg arg(Skip) { return {}; }
};
template <Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Element>
struct OperandOf<VrfTensor<D, Chip, Cluster, Slice, Element>> {
  using Tensor = VrfTensor<D, Chip, Cluster, Slice, Element>;
  static constexpr OperandShape shape{OperandKind::vrf, D::type, {}, false, 0};
  static constexpr bool is_vrf = true;
  static constexpr Levels levels() { return Tensor::levels(); }
  static constexpr OperandArg arg(const Tensor& t) { return {shape, t.node()}; }
};

/// What checks ask a stream for, and nobody else: completion behind a stream offers its methods alone.
struct VectorAccess {
  template <class Stream>
  static constexpr Levels levels() {
    return Stream::levels();
  }
};

template <class T>
concept VectorOperand = requires { OperandOf<T>::shape; };

/// The operands of one operation, as the compiler and as the recording see them.
struct OperandList {
  OperandArg arg[Operands::room]{};
  int count = 0;

  constexpr OperandList& add(OperandArg a, OperandGuard guard) {
    a.shape.guard = guard;
    arg[count++] = a;
    return *this;
  }
};

/// One slot: what it adds to either list. Of a ternary operation, two operands.
template <class T>
struct Slot {
  static constexpr void shapes(Operands& to, OperandGuard guard = {}) {
    OperandShape s = OperandOf<T>::shape;
    s.guard = guard;
    to.add(s);
  }
  static constexpr void args(OperandList& to, const T& t, OperandGuard guard = {}) { to.add(OperandOf<T>::arg(t), guard); }
  template <class Stream>
  static constexpr Verdict vrf() {
    if constexpr (OperandOf<T>::is_vrf) return verdict(check_vrf_operand(VectorAccess::levels<Stream>(), OperandOf<T>::levels()));
    else return accept();
  }
};
template <>
struct Slot<NoOperand> {
  static constexpr void shapes(Operands&, OperandGuard = {}) {}
  static constexpr void args(OperandList&, NoOperand, OperandGuard = {}) {}
  template <class Stream>
  static constexpr Verdict vrf() {
    return accept();
  }
};
template <class First, class Second>
struct Slot<TernaryOperand<First, Second>> {
  static constexpr void shapes(Operands& to, OperandGuard guard = {}) {
    Slot<First>::shapes(to, guard);
    Slot<Second>::shapes(to, guard);
  }
  static constexpr void args(OperandList& to, const TernaryOperand<First, Second>& t, OperandGuard guard = {}) {
    Slot<First>::args(to, t.operand0, guard);
    Slot<Second>::args(to, t.operand1, guard);
  }
  template <class Stream>
  static constexpr Verdict vrf() {
    if (auto v = Slot<First>::template vrf<Stream>(); !v) return v;
    return Slot<Second>::template vrf<Stream>();
  }
};
template <class Operand>
struct Slot<Guarded<Operand>> {
  /// Which ids is a value; that there is a guard is known.
  static constexpr void shapes(Operands& to, OperandGuard = {}) { Slot<Operand>::shapes(to, OperandGuard::group(GroupId::Zero)); }
  static constexpr void args(OperandList& to, const Guarded<Operand>& g, OperandGuard = {}) { Slot<Operand>::args(to, g.operand, g.guard); }
  template <class Stream>
  static constexpr Verdict vrf() {
    return Slot<Operand>::template vrf<Stream>();
  }
};

template <class... T>
constexpr Operands shapes_of() {
  Operands all;
  (Slot<T>::shapes(all), ...);
  return all;
}
/// Of two groups: each operand for its own.
template <class Zero, class One>
constexpr Operands group_shapes() {
  Operands all;
  if constexpr (!std::is_same_v<Zero, Skip>) Slot<Zero>::shapes(all, OperandGuard::group(GroupId::Zero));
  if constexpr (!std::is_same_v<One, Skip>) Slot<One>::shapes(all, OperandGuard::group(GroupId::One));
  return all;
}
template <class Zero, class One>
inline constexpr Groups groups_of = std::is_same_v<Zero, Skip>  ? (std::is_same_v<One, Skip> ? Groups::neither : Groups::group1)
                                    : std::is_same_v<One, Skip> ? Groups::group0
                                                                : Groups::both;

template <class Stream, class... T>
constexpr Verdict check_vrf_slots() {
  Verdict found = accept();
  ((found ? void(found = Slot<T>::template vrf<Stream>()) : void()), ...);
  return found;
}

// The step of an operation: its family is told by the type of its code.
template <class Op, auto Code>
constexpr VectorStep step_for(Groups groups) {
  return step_of(Op(Code), {}, groups);
}
template <class Op, auto Code, auto Mode>
constexpr VectorStep step_for(Groups groups) {
  return step_of(Op(Code), Mode, groups);
}

/// Operations of one method that are told apart by the stream's type.
template <auto Code>
struct OpOf;
template <LogicBinaryOpI32::Code Code>
struct OpOf<Code> {
  using type = LogicBinaryOpI32;
};
template <LogicBinaryOpF32::Code Code>
struct OpOf<Code> {
  using type = LogicBinaryOpF32;
};
template <ClipBinaryOpI32::Code Code>
struct OpOf<Code> {
  using type = ClipBinaryOpI32;
};
template <ClipBinaryOpF32::Code Code>
struct OpOf<Code> {
  using type = ClipBinaryOpF32;
};
template <auto Code>
using op_of_code = typename OpOf<Code>::type;

/// What was stashed, as far as a later reader must know.
struct NoTensor {
  static constexpr Stream stream() { return {}; }
};
template <MapType Time, MapType Packet>
struct Stashed {
  static constexpr Stream stream() { return {Time::mapping, Packet::mapping}; }
};

template <MapType Time, MapType Packet>
struct ArithmeticRule {
  static constexpr Stream after = padding_after_arithmetic(Time::mapping, Packet::mapping);
  struct OfTime {
    static constexpr const Mapping& meaning = after.time;
  };
  struct OfPacket {
    static constexpr const Mapping& meaning = after.packet;
  };
};
template <MapType Time, MapType Packet>
using arithmetic_time = typename MapOf<typename ArithmeticRule<Time, Packet>::OfTime>::type;
template <MapType Time, MapType Packet>
using arithmetic_packet = typename MapOf<typename ArithmeticRule<Time, Packet>::OfPacket>::type;

/// Steps that change Time and Packet: the two lists are what comes in and what is declared.
enum class Reshaping : std::uint8_t { split, concat, trim, pad };
template <Reshaping How, MapType Time, MapType Packet, MapType Time2, MapType Packet2>
struct ReshapingRule {
  static constexpr Made check() {
    Made m{{}, {}};
    m.at.set(Level::time, Time2::mapping).set(Level::packet, Packet2::mapping);
    if constexpr (How == Reshaping::split || How == Reshaping::concat) {
      auto const r = How == Reshaping::split ? check_split(target, Time::mapping, Packet::mapping, Time2::mapping, Packet2::mapping)
                                             : check_concat(target, Time::mapping, Packet::mapping, Time2::mapping, Packet2::mapping);
      m.sentence = sentence_of(verdict(r));
      if (r) m.at.set(Level::time, r->time).set(Level::packet, r->packet);
    } else {
      auto const r = How == Reshaping::trim ? check_trim_way4(target, Packet::mapping, Packet2::mapping)
                                            : check_pad_way8(target, Packet::mapping, Packet2::mapping);
      m.sentence = sentence_of(verdict(r));
      if (r) m.at.set(Level::packet, *r);
    }
    return m;
  }
  static constexpr Made made = check();
};

template <Scalar D, ReduceOp Op, Name Axis, class Stream, MapType Time2, MapType Packet2>
struct IntraReduceRule {
  static constexpr Made check() {
    auto const r = check_intra_slice_reduce(target, D::type, Op, Axis, VectorAccess::levels<Stream>(), Time2::mapping, Packet2::mapping);
    Made m{sentence_of(verdict(r)), {}};
    m.at.set(Level::time, r ? r->time : Time2::mapping).set(Level::packet, r ? r->packet : Packet2::mapping);
    return m;
  }
  static constexpr Made made = check();
};
template <Scalar D, ReduceOp Op, class Stream, MapType Slice2, MapType Time2, MapType Packet>
struct InterReduceRule {
  static constexpr Made check() {
    auto const r = check_inter_slice_reduce(target, D::type, Op, VectorAccess::levels<Stream>(), Slice2::mapping, Time2::mapping);
    Made m{sentence_of(verdict(r)), {}};
    m.at.set(Level::slice, r ? r->slice : Slice2::mapping).set(Level::time, r ? r->time : Time2::mapping);
    m.at.set(Level::packet, r ? r->packet : Packet::mapping);
    return m;
  }
  static constexpr Made made = check();
};

}  // namespace detail

template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet, VectorState State>
class VectorTensorPair;

/// A stream inside the Vector Engine.
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet, VectorState State,
          class Kept = detail::NoTensor>
class [[nodiscard]] VectorTensor {
  static constexpr const detail::Layout& layout = detail::stream_layout<D, Chip, Cluster, Slice, Time, Packet>;
  template <Scalar D2, MapType S, MapType T, MapType P, VectorState Next, class K = Kept>
  using At = VectorTensor<On, D2, Chip, Cluster, S, T, P, Next, K>;

  static constexpr Verdict check(VectorStep step, const Operands& operands = Operands{}) { return check_step(State, step, operands); }
  static constexpr VectorState after(VectorStep step, const Operands& operands = Operands{}) { return next_state(State, step, operands); }

  friend detail::VectorAccess;
  static constexpr Levels levels() { return detail::stream_levels<Chip, Cluster, Slice, Time, Packet>(); }

 public:
  constexpr explicit VectorTensor(detail::End end) : end_(end) {}

  // Entering.

  template <class Mode>
  [[nodiscard]] constexpr auto vector_intra_slice_branch(const Mode& mode, Where at = std::source_location::current()) && {
    constexpr BranchMode shape = branch_shape<Mode>;
    TCP_REFUSE(check(step_of(shape)), verdict(check_branch(target, D::type, levels(), shape)));
    return At<D, Slice, Time, Packet, after(step_of(shape))>(detail::vector_branch(end_, layout, mode, nullptr, at));
  }
  /// BranchMode::Vrf: the ids that a branch log wrote in an earlier pass.
  template <class Mode, Scalar L, MapType C, MapType Cl, MapType S, MapType E>
  [[nodiscard]] constexpr auto vector_intra_slice_branch(const Mode& mode, const VrfTensor<L, C, Cl, S, E>& log,
                                                         Where at = std::source_location::current()) && {
    constexpr BranchMode shape = branch_shape<Mode>;
    TCP_REFUSE(check(step_of(shape)), branch_verdict<Mode, VrfTensor<L, C, Cl, S, E>, L::type>());
    return At<D, Slice, Time, Packet, after(step_of(shape))>(detail::vector_branch(end_, layout, mode, log.node(), at));
  }
  /// Writes the execution ids, i32 each: vector_branch_log<Element>(address, log).
  template <MapType Element>
  [[nodiscard]] constexpr auto vector_branch_log(Address address, VrfTensor<i32, Chip, Cluster, Slice, Element>& log,
                                                 Where at = std::source_location::current()) && {
    constexpr VectorStep step = step_of(VectorMethod::branch_log);
    TCP_REFUSE(check(step), verdict(check_branch_log(levels(), Element::mapping)));
    using Log = VrfTensor<i32, Chip, Cluster, Slice, Element>;
    log = Log(detail::vrf_tensor(end_.session, Log::layout, address, at));
    return At<D, Slice, Time, Packet, after(step)>(detail::vector_branch_log(end_, layout, log.node(), at));
  }
  /// Two groups, told apart by I: TileTime is Time with I as 1 # 2, SplitTime without it.
  template <auto I, MapType TileTime, MapType SplitTime>
  [[nodiscard]] constexpr auto vector_intra_slice_unzip(TileTime = {}, SplitTime = {}, Where at = std::source_location::current()) && {
    constexpr VectorStep step = step_of(VectorMethod::unzip);
    TCP_REFUSE(check(step), verdict(check_unzip(Time::mapping, detail::axis_name<I>(), TileTime::mapping, SplitTime::mapping)));
    return VectorTensorPair<On, D, Chip, Cluster, Slice, SplitTime, Packet, after(step)>(detail::vector_unzip(
        end_, detail::stream_layout<D, Chip, Cluster, Slice, SplitTime, Packet>, detail::axis_name<I>(), detail::text_of<TileTime>, at));
  }

  // Operations: up to four slots, constants first.

#define TCP_DETAIL_BINARY(METHOD, ...)                                                                                         \
  template <auto Code, class A, class B = detail::NoOperand, class C = detail::NoOperand, class E = detail::NoOperand>         \
  [[nodiscard]] constexpr auto METHOD(Known<Code>, const A& a, const B& b = {}, const C& c = {}, const E& e = {},              \
                                      Where at = std::source_location::current())&& {                                          \
    return computed<detail::step_for<__VA_ARGS__, Code>(Groups::both)>(a, b, c, e, at);                                        \
  }                                                                                                                            \
  template <auto Code, auto Mode, class A = detail::NoOperand, class B = detail::NoOperand, class C = detail::NoOperand,       \
            class E = detail::NoOperand>                                                                                       \
  [[nodiscard]] constexpr auto METHOD##_with_mode(Known<Code>, Known<Mode>, const A& a = {}, const B& b = {}, const C& c = {}, \
                                                  const E& e = {}, Where at = std::source_location::current())&& {             \
    return computed<detail::step_for<__VA_ARGS__, Code, Mode>(Groups::both)>(a, b, c, e, at);                                  \
  }
  TCP_DETAIL_BINARY(vector_logic, detail::op_of_code<Code>)
  TCP_DETAIL_BINARY(vector_fxp, FxpBinaryOp)
  TCP_DETAIL_BINARY(vector_fp_binary, FpBinaryOp)
  TCP_DETAIL_BINARY(vector_fp_div, FpDivBinaryOp)
  TCP_DETAIL_BINARY(vector_clip, detail::op_of_code<Code>)
#undef TCP_DETAIL_BINARY

  template <auto Code>
  [[nodiscard]] constexpr auto vector_fp_unary(Known<Code>, Where at = std::source_location::current()) && {
    using N = detail::NoOperand;
    return computed<detail::step_for<FpUnaryOp, Code>(Groups::both)>(N{}, N{}, N{}, N{}, at);
  }
  template <auto Code, auto Mode>
  [[nodiscard]] constexpr auto vector_fp_unary_with_mode(Known<Code>, Known<Mode>, Where at = std::source_location::current()) && {
    using N = detail::NoOperand;
    return computed<detail::step_for<FpUnaryOp, Code, Mode>(Groups::both)>(N{}, N{}, N{}, N{}, at);
  }
  template <auto Code, detail::VectorOperand A, detail::VectorOperand B>
  [[nodiscard]] constexpr auto vector_fp_ternary(Known<Code>, const A& operand0, const B& operand1,
                                                 Where at = std::source_location::current()) && {
    using N = detail::NoOperand;
    return computed<detail::step_for<FpTernaryOp, Code>(Groups::both)>(TernaryOperand<A, B>(operand0, operand1), N{}, N{}, N{}, at);
  }
  template <auto Code, auto Mode, detail::VectorOperand A, detail::VectorOperand B>
  [[nodiscard]] constexpr auto vector_fp_ternary_with_mode(Known<Code>, Known<Mode>, const A& operand0, const B& operand1,
                                                           Where at = std::source_location::current()) && {
    using N = detail::NoOperand;
    return computed<detail::step_for<FpTernaryOp, Code, Mode>(Groups::both)>(TernaryOperand<A, B>(operand0, operand1), N{}, N{}, N{}, at);
  }
  /// Slots of TernaryOperand, with guards where wanted.
  template <auto Code, class A, class B = detail::NoOperand, class C = detail::NoOperand, class E = detail::NoOperand>
  requires(!detail::VectorOperand<A>)
  [[nodiscard]] constexpr auto vector_fp_ternary(Known<Code>, const A& a, const B& b = {}, const C& c = {}, const E& e = {},
                                                 Where at = std::source_location::current()) && {
    return computed<detail::step_for<FpTernaryOp, Code>(Groups::both)>(a, b, c, e, at);
  }
  template <auto Code, auto Mode, class A, class B = detail::NoOperand, class C = detail::NoOperand, class E = detail::NoOperand>
  requires(!detail::VectorOperand<A>)
  [[nodiscard]] constexpr auto vector_fp_ternary_with_mode(Known<Code>, Known<Mode>, const A& a, const B& b = {}, const C& c = {},
                                                           const E& e = {}, Where at = std::source_location::current()) && {
    return computed<detail::step_for<FpTernaryOp, Code, Mode>(Groups::both)>(a, b, c, e, at);
  }

  // Conversions and widths.

  [[nodiscard]] constexpr auto vector_fxp_to_fp(int int_width, Where at = std::source_location::current()) && {
    constexpr VectorStep step = fxp_to_fp_step(31);
    TCP_REFUSE(check(step));
    return At<f32, Slice, Time, Packet, after(step)>(detail::vector_step(
        end_, detail::stream_layout<f32, Chip, Cluster, Slice, Time, Packet>, fxp_to_fp_step(int_width), nullptr, 0, at));
  }
  [[nodiscard]] constexpr auto vector_fp_to_fxp(int int_width, Where at = std::source_location::current()) && {
    constexpr VectorStep step = fp_to_fxp_step(31);
    TCP_REFUSE(check(step));
    return At<i32, Slice, Time, Packet, after(step)>(detail::vector_step(
        end_, detail::stream_layout<i32, Chip, Cluster, Slice, Time, Packet>, fp_to_fxp_step(int_width), nullptr, 0, at));
  }
  template <MapType Time2, MapType Packet2>
  [[nodiscard]] constexpr auto vector_split(Time2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    return reshaped<VectorMethod::split, detail::Reshaping::split, Time2, Packet2>(at);
  }
  template <MapType Time2, MapType Packet2>
  [[nodiscard]] constexpr auto vector_concat(Time2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    return reshaped<VectorMethod::concat, detail::Reshaping::concat, Time2, Packet2>(at);
  }
  template <MapType Packet2>
  [[nodiscard]] constexpr auto vector_trim_way4(Packet2 = {}, Where at = std::source_location::current()) && {
    return reshaped<VectorMethod::trim_way4, detail::Reshaping::trim, Time, Packet2>(at);
  }
  template <MapType Packet2>
  [[nodiscard]] constexpr auto vector_pad_way8(Packet2 = {}, Where at = std::source_location::current()) && {
    return reshaped<VectorMethod::pad_way8, detail::Reshaping::pad, Time, Packet2>(at);
  }

  // Reduces.

  /// Folds axis R as far as it lies in Time and Packet: vector_intra_slice_reduce<R, Time2, Packet2>(IntraSliceReduceOpF32::Add).
  template <auto R, MapType Time2, MapType Packet2, class Op>
  [[nodiscard]] constexpr auto vector_intra_slice_reduce(Op op, Time2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    constexpr VectorStep step = step_of(VectorMethod::intra_slice_reduce);
    using Rule = detail::IntraReduceRule<D, common(Op::Max), detail::axis_name<R>(), VectorTensor, Time2, Packet2>;
    TCP_REFUSE(check(step), verdict(intra_slice_op(D::type, Op::Max)), Rule::made.sentence);
    using T = detail::made<Rule, Level::time>;
    using P = detail::made<Rule, Level::packet>;
    return At<D, Slice, T, P, after(step)>(detail::vector_intra_slice_reduce(end_, detail::stream_layout<D, Chip, Cluster, Slice, T, P>,
                                                                             detail::axis_name<R>(), common(op), at));
  }
  /// Folds over slices: vector_inter_slice_reduce<Slice2, Time2>(InterSliceReduceOpI32::AddSat).
  template <MapType Slice2, MapType Time2, class Op>
  [[nodiscard]] constexpr auto vector_inter_slice_reduce(Op op, Slice2 = {}, Time2 = {}, Where at = std::source_location::current()) && {
    constexpr VectorStep step = step_of(VectorMethod::inter_slice_reduce);
    using Rule = detail::InterReduceRule<D, common(Op::Max), VectorTensor, Slice2, Time2, Packet>;
    TCP_REFUSE(check(step), verdict(inter_slice_op(D::type, Op::Max)), Rule::made.sentence);
    using S = detail::made<Rule, Level::slice>;
    using T = detail::made<Rule, Level::time>;
    using P = detail::made<Rule, Level::packet>;
    return At<D, S, T, P, after(step)>(
        detail::vector_inter_slice_reduce(end_, detail::stream_layout<D, Chip, Cluster, S, T, P>, common(op), at));
  }

  // Beside the stream.

  /// Keeps the stream as it is now, to be read once by a later operation as `Stash`.
  [[nodiscard]] constexpr auto vector_stash(Where at = std::source_location::current()) && {
    constexpr VectorStep step = step_of(VectorMethod::stash);
    TCP_REFUSE(check(step));
    return At<D, Slice, Time, Packet, after(step), detail::Stashed<Time, Packet>>(detail::vector_stash(end_, layout, at));
  }
  /// Writes the stream's elements, or those of some execution ids, into a VRF tensor that later time steps read.
  template <Scalar V, MapType C, MapType Cl, MapType S, MapType E>
  [[nodiscard]] constexpr auto vector_write_operand(const VrfTensor<V, C, Cl, S, E>& vrf, OperandGuard guard = {},
                                                    Where at = std::source_location::current()) && {
    constexpr VectorStep step = step_of(VectorMethod::write_operand);
    TCP_REFUSE(check(step), verdict(check_write_operand(levels(), D::type, VrfTensor<V, C, Cl, S, E>::levels(), V::type)));
    return At<D, Slice, Time, Packet, after(step)>(detail::vector_write_operand(end_, layout, vrf.node(), guard, at));
  }
  /// Drops the lanes of all other execution ids and closes up: Time2 is an upper bound.
  template <MapType Time2, MapType Packet2>
  [[nodiscard]] constexpr auto vector_filter(OperandGuard keep, Time2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    return filtered<Time2, Packet2>(keep, nullptr, at);
  }
  /// Also writes how many lanes were kept, an i32 in VRF.
  template <MapType Time2, MapType Packet2>
  [[nodiscard]] constexpr auto vector_filter(OperandGuard keep, Address count_address, VrfTensor<i32, Chip, Cluster, Slice, m<1>>& count,
                                             Time2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    using Count = VrfTensor<i32, Chip, Cluster, Slice, m<1>>;
    count = Count(detail::vrf_tensor(end_.session, Count::layout, count_address, at));
    return filtered<Time2, Packet2>(keep, count.node(), at);
  }

  [[nodiscard]] constexpr auto vector_final(Where at = std::source_location::current()) && {
    TCP_REFUSE(check(step_of(VectorMethod::output)));
    return VectorFinalTensor<On, D, Chip, Cluster, Slice, Time, Packet>(detail::vector_final(end_, layout, at));
  }

 private:
  template <class Mode, class Log, ScalarType LogType>
  static constexpr Verdict branch_verdict() {
    Levels const log = Log::levels();
    return verdict(check_branch(target, D::type, levels(), branch_shape<Mode>, &log, LogType));
  }
  static constexpr Verdict stash_verdict(const Operands& operands) {
    if (!operands.read_stash()) return accept();
    return check_stash_read(target, Kept::stream(), {Time::mapping, Packet::mapping});
  }
  template <VectorStep Step, class A, class B, class C, class E>
  constexpr auto computed(const A& a, const B& b, const C& c, const E& e, Where at) {
    constexpr Operands shapes = detail::shapes_of<A, B, C, E>();
    TCP_REFUSE(check(Step, shapes), stash_verdict(shapes), detail::check_vrf_slots<VectorTensor, A, B, C, E>());
    using T = detail::arithmetic_time<Time, Packet>;
    using P = detail::arithmetic_packet<Time, Packet>;
    detail::OperandList list;
    detail::Slot<A>::args(list, a);
    detail::Slot<B>::args(list, b);
    detail::Slot<C>::args(list, c);
    detail::Slot<E>::args(list, e);
    return At<D, Slice, T, P, after(Step, shapes)>(
        detail::vector_step(end_, detail::stream_layout<D, Chip, Cluster, Slice, T, P>, Step, list.arg, list.count, at));
  }
  template <VectorMethod Method, detail::Reshaping How, MapType Time2, MapType Packet2>
  constexpr auto reshaped(Where at) {
    using Rule = detail::ReshapingRule<How, Time, Packet, Time2, Packet2>;
    TCP_REFUSE(check(step_of(Method)), Rule::made.sentence);
    using T = detail::made<Rule, Level::time>;
    using P = detail::made<Rule, Level::packet>;
    return At<D, Slice, T, P, after(step_of(Method))>(
        detail::vector_step(end_, detail::stream_layout<D, Chip, Cluster, Slice, T, P>, step_of(Method), nullptr, 0, at));
  }
  template <MapType Time2, MapType Packet2>
  constexpr auto filtered(OperandGuard keep, detail::Node* count, Where at) {
    constexpr VectorStep step = step_of(VectorMethod::filter);
    TCP_REFUSE(check(step),
               verdict(check_filter(target, OperandGuard::always(), Time::mapping, Packet::mapping, Time2::mapping, Packet2::mapping)));
    return At<D, Slice, Time2, Packet2, after(step)>(
        detail::vector_filter(end_, detail::stream_layout<D, Chip, Cluster, Slice, Time2, Packet2>, keep, count, at));
  }

  detail::End end_;
};

/// Two streams that share the pipeline: group 0 and group 1.
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet, VectorState State>
class [[nodiscard]] VectorTensorPair {
  template <Scalar D2, MapType T, MapType P, VectorState Next>
  using At = VectorTensorPair<On, D2, Chip, Cluster, Slice, T, P, Next>;

  static constexpr Verdict check(VectorStep step, const Operands& operands = Operands{}) { return check_step(State, step, operands); }
  static constexpr VectorState after(VectorStep step, const Operands& operands = Operands{}) { return next_state(State, step, operands); }

 public:
  constexpr explicit VectorTensorPair(detail::End end) : end_(end) {}

  static constexpr Levels levels() { return detail::stream_levels<Chip, Cluster, Slice, Time, Packet>(); }

  // One operand for each group, `skip` for none; and the operations that make one stream of the two.

#define TCP_DETAIL_BINARY(METHOD, ...)                                                                                                    \
  template <auto Code, class Zero, class One>                                                                                             \
  [[nodiscard]] constexpr auto METHOD(Known<Code>, const Zero& group0, const One& group1, Where at = std::source_location::current())&& { \
    return computed<detail::step_for<__VA_ARGS__, Code>(detail::groups_of<Zero, One>)>(group0, group1, at);                               \
  }                                                                                                                                       \
  template <auto Code, auto Mode, class Zero, class One>                                                                                  \
  [[nodiscard]] constexpr auto METHOD##_with_mode(Known<Code>, Known<Mode>, const Zero& group0, const One& group1,                        \
                                                  Where at = std::source_location::current())&& {                                         \
    return computed<detail::step_for<__VA_ARGS__, Code, Mode>(detail::groups_of<Zero, One>)>(group0, group1, at);                         \
  }
#define TCP_DETAIL_ZIP(METHOD, ...)                                                                                         \
  template <auto Code>                                                                                                      \
  [[nodiscard]] constexpr auto METHOD(Known<Code>, Where at = std::source_location::current())&& {                          \
    return merged<detail::step_for<__VA_ARGS__, Code>(Groups::zip)>(at);                                                    \
  }                                                                                                                         \
  template <auto Code, auto Mode>                                                                                           \
  [[nodiscard]] constexpr auto METHOD##_with_mode(Known<Code>, Known<Mode>, Where at = std::source_location::current())&& { \
    return merged<detail::step_for<__VA_ARGS__, Code, Mode>(Groups::zip)>(at);                                              \
  }
  TCP_DETAIL_BINARY(vector_logic, detail::op_of_code<Code>)
  TCP_DETAIL_BINARY(vector_fxp, FxpBinaryOp)
  TCP_DETAIL_BINARY(vector_fp_binary, FpBinaryOp)
  TCP_DETAIL_BINARY(vector_fp_ternary, FpTernaryOp)
  TCP_DETAIL_BINARY(vector_fp_div, FpDivBinaryOp)
  TCP_DETAIL_BINARY(vector_clip, detail::op_of_code<Code>)
  TCP_DETAIL_ZIP(vector_logic_zip, detail::op_of_code<Code>)
  TCP_DETAIL_ZIP(vector_fxp_zip, FxpBinaryOp)
  TCP_DETAIL_ZIP(vector_fp_zip, FpBinaryOp)
  TCP_DETAIL_ZIP(vector_clip_zip, detail::op_of_code<Code>)
#undef TCP_DETAIL_BINARY
#undef TCP_DETAIL_ZIP

  template <auto Code>
  [[nodiscard]] constexpr auto vector_fp_unary(Known<Code>, bool group0, bool group1, Where at = std::source_location::current()) && {
    constexpr VectorStep step = detail::step_for<FpUnaryOp, Code>(Groups::both);
    TCP_REFUSE(check(step));
    VectorStep told = step;
    told.groups = group0 ? (group1 ? Groups::both : Groups::group0) : group1 ? Groups::group1 : Groups::neither;
    using T = detail::arithmetic_time<Time, Packet>;
    using P = detail::arithmetic_packet<Time, Packet>;
    return At<D, T, P, after(step)>(detail::vector_step(end_, detail::stream_layout<D, Chip, Cluster, Slice, T, P>, told, nullptr, 0, at));
  }

  // Both groups together.

  [[nodiscard]] constexpr auto vector_fxp_to_fp(int int_width, Where at = std::source_location::current()) && {
    constexpr VectorStep step = fxp_to_fp_step(31);
    TCP_REFUSE(check(step));
    return At<f32, Time, Packet, after(step)>(detail::vector_step(end_, detail::stream_layout<f32, Chip, Cluster, Slice, Time, Packet>,
                                                                  fxp_to_fp_step(int_width), nullptr, 0, at));
  }
  [[nodiscard]] constexpr auto vector_fp_to_fxp(int int_width, Where at = std::source_location::current()) && {
    constexpr VectorStep step = fp_to_fxp_step(31);
    TCP_REFUSE(check(step));
    return At<i32, Time, Packet, after(step)>(detail::vector_step(end_, detail::stream_layout<i32, Chip, Cluster, Slice, Time, Packet>,
                                                                  fp_to_fxp_step(int_width), nullptr, 0, at));
  }
  template <MapType Time2, MapType Packet2>
  [[nodiscard]] constexpr auto vector_split(Time2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    return reshaped<VectorMethod::split, detail::Reshaping::split, Time2, Packet2>(at);
  }
  template <MapType Time2, MapType Packet2>
  [[nodiscard]] constexpr auto vector_concat(Time2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    return reshaped<VectorMethod::concat, detail::Reshaping::concat, Time2, Packet2>(at);
  }

  // Here only to say why not.

  template <MapType Packet2>
  constexpr auto vector_trim_way4(Packet2 = {}, Where at = std::source_location::current()) && {
    return reshaped<VectorMethod::trim_way4, detail::Reshaping::trim, Time, Packet2>(at);
  }
  template <MapType Packet2>
  constexpr auto vector_pad_way8(Packet2 = {}, Where at = std::source_location::current()) && {
    return reshaped<VectorMethod::pad_way8, detail::Reshaping::pad, Time, Packet2>(at);
  }
  constexpr auto vector_stash() && { return not_while_paired<VectorMethod::stash>(); }
  constexpr auto vector_filter(OperandGuard) && { return not_while_paired<VectorMethod::filter>(); }
  constexpr auto vector_final() && { return not_while_paired<VectorMethod::output>(); }

 private:
  template <VectorMethod Method>
  constexpr VectorTensorPair not_while_paired() {
    TCP_REFUSE(check(step_of(Method)));
    return *this;
  }
  template <VectorStep Step, class Zero, class One>
  constexpr auto computed(const Zero& group0, const One& group1, Where at) {
    constexpr Operands shapes = detail::group_shapes<Zero, One>();
    TCP_REFUSE(check(Step, shapes), detail::check_vrf_slots<VectorTensorPair, Zero, One>());
    using T = detail::arithmetic_time<Time, Packet>;
    using P = detail::arithmetic_packet<Time, Packet>;
    detail::OperandList list;
    if constexpr (!std::is_same_v<Zero, Skip>) detail::Slot<Zero>::args(list, group0, OperandGuard::group(GroupId::Zero));
    if constexpr (!std::is_same_v<One, Skip>) detail::Slot<One>::args(list, group1, OperandGuard::group(GroupId::One));
    return At<D, T, P, after(Step, shapes)>(
        detail::vector_step(end_, detail::stream_layout<D, Chip, Cluster, Slice, T, P>, Step, list.arg, list.count, at));
  }
  template <VectorStep Step>
  constexpr auto merged(Where at) {
    TCP_REFUSE(check(Step));
    using T = detail::arithmetic_time<Time, Packet>;
    using P = detail::arithmetic_packet<Time, Packet>;
    return VectorTensor<On, D, Chip, Cluster, Slice, T, P, after(Step)>(
        detail::vector_step(end_, detail::stream_layout<D, Chip, Cluster, Slice, T, P>, Step, nullptr, 0, at));
  }
  template <VectorMethod Method, detail::Reshaping How, MapType Time2, MapType Packet2>
  constexpr auto reshaped(Where at) {
    using Rule = detail::ReshapingRule<How, Time, Packet, Time2, Packet2>;
    TCP_REFUSE(check(step_of(Method)), Rule::made.sentence);
    using T = detail::made<Rule, Level::time>;
    using P = detail::made<Rule, Level::packet>;
    return At<D, T, P, after(step_of(Method))>(
        detail::vector_step(end_, detail::stream_layout<D, Chip, Cluster, Slice, T, P>, step_of(Method), nullptr, 0, at));
  }

  detail::End end_;
};

namespace detail {

template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
constexpr auto enter_vector(End end, Where at) {
  constexpr auto state = check_vector_init(target, D::type, Packet::mapping);
  TCP_REFUSE(verdict(state));
  constexpr VectorState entered = state ? *state : VectorState{};
  return VectorTensor<On, D, Chip, Cluster, Slice, Time, Packet, entered>(
      detail::vector_init(end, stream_layout<D, Chip, Cluster, Slice, Time, Packet>, at));
}

}  // namespace detail

template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
constexpr auto CollectTensor<On, D, Chip, Cluster, Slice, Time, Packet>::vector_init(Where at) && {
  return detail::enter_vector<On, D, Chip, Cluster, Slice, Time, Packet>(this->end_, at);
}
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
constexpr auto AccumulationTensor<On, D, Chip, Cluster, Slice, Time, Packet>::vector_init(Where at) && {
  return detail::enter_vector<On, D, Chip, Cluster, Slice, Time, Packet>(this->end_, at);
}

}  // namespace tcp
