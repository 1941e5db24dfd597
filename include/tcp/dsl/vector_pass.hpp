// What a step of the Vector Engine does to the stream's type, and what it writes down: one function a kind of step, for one stream and for two groups.
//
// Each function refuses what the rules refuse, whoever calls it: the methods of a phase with the end of a stream, and those that are not of the phase
// (vector.hpp) without one, for their sentence.
#pragma once

#include "tcp/dsl/vector_operands.hpp"
#include "tcp/rules/inter_slice.hpp"
#include "tcp/rules/reduce.hpp"

namespace tcp {

template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet, VectorState State, class Kept>
class VectorTensor;
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet, VectorState State>
class VectorTensorPair;

namespace detail {

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
    auto const r = check_intra_slice_reduce(target, D::type, Op, Axis, Stream::levels(), Time2::mapping, Packet2::mapping);
    Made m{sentence_of(verdict(r)), {}};
    m.at.set(Level::time, r ? r->time : Time2::mapping).set(Level::packet, r ? r->packet : Packet2::mapping);
    return m;
  }
  static constexpr Made made = check();
};
template <Scalar D, ReduceOp Op, class Stream, MapType Slice2, MapType Time2, MapType Packet>
struct InterReduceRule {
  static constexpr Made check() {
    auto const r = check_inter_slice_reduce(target, D::type, Op, Stream::levels(), Slice2::mapping, Time2::mapping);
    Made m{sentence_of(verdict(r)), {}};
    m.at.set(Level::slice, r ? r->slice : Slice2::mapping).set(Level::time, r ? r->time : Time2::mapping);
    m.at.set(Level::packet, r ? r->packet : Packet::mapping);
    return m;
  }
  static constexpr Made made = check();
};

/// The stream of a state: two groups are another type.
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet, VectorState State, class Kept>
struct VectorStreamOf {
  using type = VectorTensor<On, D, Chip, Cluster, Slice, Time, Packet, State, Kept>;
};
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet, VectorState State, class Kept>
requires(State.mode == VectorState::Mode::paired) struct VectorStreamOf<On, D, Chip, Cluster, Slice, Time, Packet, State, Kept> {
  using type = VectorTensorPair<On, D, Chip, Cluster, Slice, Time, Packet, State>;
};

/// A stream inside the engine, as its steps see it.
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet, VectorState State, class Kept>
struct VectorPass {
  static constexpr VectorState state = State;
  static constexpr Levels levels() { return stream_levels<Chip, Cluster, Slice, Time, Packet>(); }

  using ChipOf = Chip;
  using ClusterOf = Cluster;
  using SliceOf = Slice;
  using TimeOf = Time;
  using PacketOf = Packet;

  // Entering.

  template <class Mode>
  static constexpr auto branched(End end, const Mode& mode, Where at) {
    constexpr BranchMode shape = branch_shape<Mode>;
    TCP_REFUSE(check(step_of(shape)), verdict(check_branch(target, D::type, levels(), shape)));
    return Same<after(step_of(shape))>(vector_branch(end, layout, mode, nullptr, at));
  }
  template <class Mode, class Log, Scalar L>
  static constexpr auto branched_by(End end, const Mode& mode, Node* log, Where at) {
    constexpr BranchMode shape = branch_shape<Mode>;
    TCP_REFUSE(check(step_of(shape)), log_verdict<Mode, Log, L::type>());
    return Same<after(step_of(shape))>(vector_branch(end, layout, mode, log, at));
  }
  template <MapType Element, class Log>
  static constexpr auto logged(End end, Address address, Log& log, Where at) {
    constexpr VectorStep step = step_of(VectorMethod::branch_log);
    TCP_REFUSE(check(step), verdict(check_branch_log(levels(), Element::mapping)));
    log = Log(vrf_tensor(end.session, Inside::layout<Log>(), address, at));
    return Same<after(step)>(vector_branch_log(end, layout, node_of(log), at));
  }
  template <auto I, MapType TileTime, MapType SplitTime>
  static constexpr auto unzipped(End end, Where at) {
    constexpr VectorStep step = step_of(VectorMethod::unzip);
    TCP_REFUSE(check(step), verdict(check_unzip(Time::mapping, axis_name<I>(), TileTime::mapping, SplitTime::mapping)));
    return At<D, Slice, SplitTime, Packet, after(step)>(
        vector_unzip(end, stream_layout<D, Chip, Cluster, Slice, SplitTime, Packet>, axis_name<I>(), text_of<TileTime>, at));
  }

  // Operations.

  template <VectorStep Step, class A, class B, class C, class E>
  static constexpr auto computed(End end, const A& a, const B& b, const C& c, const E& e, Where at) {
    constexpr Operands shapes = shapes_of<A, B, C, E>();
    TCP_REFUSE(check(Step, shapes), stash_verdict(shapes), check_vrf_slots<VectorPass, A, B, C, E>());
    OperandList list;
    Slot<A>::args(list, a);
    Slot<B>::args(list, b);
    Slot<C>::args(list, c);
    Slot<E>::args(list, e);
    return Computed<after(Step, shapes)>(vector_step(end, computed_layout(), Step, list.arg, list.count, at));
  }
  /// One operand for each group, `skip` for none.
  template <VectorStep Step, class Zero, class One>
  static constexpr auto computed_in_groups(End end, const Zero& group0, const One& group1, Where at) {
    constexpr Operands shapes = group_shapes<Zero, One>();
    TCP_REFUSE(check(Step, shapes), check_vrf_slots<VectorPass, Zero, One>());
    OperandList list;
    if constexpr (!std::is_same_v<Zero, Skip>) Slot<Zero>::args(list, group0, OperandGuard::group(GroupId::Zero));
    if constexpr (!std::is_same_v<One, Skip>) Slot<One>::args(list, group1, OperandGuard::group(GroupId::One));
    return Computed<after(Step, shapes)>(vector_step(end, computed_layout(), Step, list.arg, list.count, at));
  }
  /// Without operands; `told` is the step with all that only run time knows of it.
  template <VectorStep Step>
  static constexpr auto computed_alone(End end, const VectorStep& told, Where at) {
    TCP_REFUSE(check(Step));
    return Computed<after(Step)>(vector_step(end, computed_layout(), told, nullptr, 0, at));
  }

  // Conversions and widths.

  template <Scalar D2, VectorStep Step>
  static constexpr auto converted(End end, const VectorStep& told, Where at) {
    TCP_REFUSE(check(Step));
    return At<D2, Slice, Time, Packet, after(Step)>(
        vector_step(end, stream_layout<D2, Chip, Cluster, Slice, Time, Packet>, told, nullptr, 0, at));
  }
  template <VectorMethod Method, Reshaping How, MapType Time2, MapType Packet2>
  static constexpr auto reshaped(End end, Where at) {
    using Rule = ReshapingRule<How, Time, Packet, Time2, Packet2>;
    TCP_REFUSE(check(step_of(Method)), Rule::made.sentence);
    using T = made<Rule, Level::time>;
    using P = made<Rule, Level::packet>;
    return At<D, Slice, T, P, after(step_of(Method))>(
        vector_step(end, stream_layout<D, Chip, Cluster, Slice, T, P>, step_of(Method), nullptr, 0, at));
  }
  /// To four lanes, Time as it is.
  template <MapType Packet2>
  static constexpr auto trimmed(End end, Where at) {
    return reshaped<VectorMethod::trim_way4, Reshaping::trim, Time, Packet2>(end, at);
  }
  /// To eight lanes, Time as it is.
  template <MapType Packet2>
  static constexpr auto padded(End end, Where at) {
    return reshaped<VectorMethod::pad_way8, Reshaping::pad, Time, Packet2>(end, at);
  }

  // Reduces.

  template <auto R, MapType Time2, MapType Packet2, class Op>
  static constexpr auto reduced(End end, Op op, Where at) {
    constexpr VectorStep step = step_of(VectorMethod::intra_slice_reduce);
    using Rule = IntraReduceRule<D, common(Op::Max), axis_name<R>(), VectorPass, Time2, Packet2>;
    TCP_REFUSE(check(step), verdict(intra_slice_op(D::type, Op::Max)), Rule::made.sentence);
    using T = made<Rule, Level::time>;
    using P = made<Rule, Level::packet>;
    return At<D, Slice, T, P, after(step)>(
        vector_intra_slice_reduce(end, stream_layout<D, Chip, Cluster, Slice, T, P>, axis_name<R>(), common(op), at));
  }
  template <MapType Slice2, MapType Time2, class Op>
  static constexpr auto reduced_over_slices(End end, Op op, Where at) {
    constexpr VectorStep step = step_of(VectorMethod::inter_slice_reduce);
    using Rule = InterReduceRule<D, common(Op::Max), VectorPass, Slice2, Time2, Packet>;
    TCP_REFUSE(check(step), verdict(inter_slice_op(D::type, Op::Max)), Rule::made.sentence);
    using S = made<Rule, Level::slice>;
    using T = made<Rule, Level::time>;
    using P = made<Rule, Level::packet>;
    return At<D, S, T, P, after(step)>(vector_inter_slice_reduce(end, stream_layout<D, Chip, Cluster, S, T, P>, common(op), at));
  }

  // Beside the stream.

  static constexpr auto stashed(End end, Where at) {
    constexpr VectorStep step = step_of(VectorMethod::stash);
    TCP_REFUSE(check(step));
    return At<D, Slice, Time, Packet, after(step), Stashed<Time, Packet>>(vector_stash(end, layout, at));
  }
  template <class Vrf, Scalar V>
  static constexpr auto written(End end, Node* vrf, OperandGuard guard, Where at) {
    constexpr VectorStep step = step_of(VectorMethod::write_operand);
    TCP_REFUSE(check(step), verdict(check_write_operand(levels(), D::type, Inside::levels<Vrf>(), V::type)));
    return Same<after(step)>(vector_write_operand(end, layout, vrf, guard, at));
  }
  template <MapType Time2, MapType Packet2>
  static constexpr auto filtered(End end, OperandGuard keep, Node* count, Where at) {
    constexpr VectorStep step = step_of(VectorMethod::filter);
    TCP_REFUSE(check(step),
               verdict(check_filter(target, OperandGuard::always(), Time::mapping, Packet::mapping, Time2::mapping, Packet2::mapping)));
    return At<D, Slice, Time2, Packet2, after(step)>(
        vector_filter(end, stream_layout<D, Chip, Cluster, Slice, Time2, Packet2>, keep, count, at));
  }
  static constexpr auto finished(End end, Where at) {
    TCP_REFUSE(check(step_of(VectorMethod::output)));
    return VectorFinalTensor<On, D, Chip, Cluster, Slice, Time, Packet>(vector_final(end, layout, at));
  }

 private:
  static constexpr const Layout& layout = stream_layout<D, Chip, Cluster, Slice, Time, Packet>;
  template <Scalar D2, MapType S, MapType T, MapType P, VectorState Next, class K = Kept>
  using At = typename VectorStreamOf<On, D2, Chip, Cluster, S, T, P, Next, K>::type;
  template <VectorState Next>
  using Same = At<D, Slice, Time, Packet, Next>;
  template <VectorState Next>
  using Computed = At<D, Slice, arithmetic_time<Time, Packet>, arithmetic_packet<Time, Packet>, Next>;
  static constexpr const Layout& computed_layout() {
    return stream_layout<D, Chip, Cluster, Slice, arithmetic_time<Time, Packet>, arithmetic_packet<Time, Packet>>;
  }

  static constexpr Verdict check(VectorStep step, const Operands& operands = Operands{}) { return check_step(State, step, operands); }
  static constexpr VectorState after(VectorStep step, const Operands& operands = Operands{}) { return next_state(State, step, operands); }
  static constexpr Verdict stash_verdict(const Operands& operands) {
    if (!operands.read_stash()) return accept();
    return check_stash_read(target, Kept::stream(), {Time::mapping, Packet::mapping});
  }
  template <class Mode, class Log, ScalarType LogType>
  static constexpr Verdict log_verdict() {
    Levels const log = Inside::levels<Log>();
    return verdict(check_branch(target, D::type, levels(), branch_shape<Mode>, &log, LogType));
  }
};

}  // namespace detail
}  // namespace tcp
