// What each method of a stream does: the request it makes of the rules (rules/pass.hpp), the type of the stream that
// comes out, and the note for the recording.
//
// Pass is a stream as its methods see it. Every function asks the rules first, for every caller: the methods that are
// offered after a stage with the end of a stream (methods.hpp), and those that are refused there without one
// (refused_methods.hpp). After a refusal the result is AfterRefusal, which takes every further call without a word: one
// mistake, one error.
#pragma once

#include "tcp/dsl/vector_operands.hpp"
#include "tcp/rules/pass.hpp"

namespace tcp {

template <PassState S, MapType Chip, MapType Cluster, MapType Slice, MapType Row, MapType Time, MapType Packet, class Kept>
class StreamTensor;

namespace detail {

/// What vector_stash kept, as far as a later reader must know.
struct NoTensor {
  static constexpr tcp::Stream stream() { return {}; }
};
template <MapType Time, MapType Packet>
struct StashedMaps {
  static constexpr tcp::Stream stream() { return {Time::mapping, Packet::mapping}; }
};

/// The axis that tells two interleaved tensors apart, as a type.
struct NoTurns {
  static constexpr Name name() { return {}; }
};
template <auto A>
struct TurnsOf {
  static constexpr Name name() { return axis_name<A>(); }
};

/// The mappings that a fetch lifts copies to; void: those of the source.
template <class Chip = void, class Cluster = void, class Slice = void>
struct LiftedTo {
  template <class M>
  static constexpr const Mapping* mapping() {
    if constexpr (std::is_void_v<M>) return nullptr;
    else return &M::mapping;
  }
  static constexpr const Mapping *chip = mapping<Chip>(), *cluster = mapping<Cluster>(), *slice = mapping<Slice>();

  template <class M>
  using with_chip = LiftedTo<M, Cluster, Slice>;
  template <class M>
  using with_cluster = LiftedTo<Chip, M, Slice>;
  template <class M>
  using with_slice = LiftedTo<Chip, Cluster, M>;
};

template <ScalarType Type>
struct ScalarOf;
#define TCP_DETAIL_SCALAR(TYPE)       \
  template <>                         \
  struct ScalarOf<ScalarType::TYPE> { \
    using type = TYPE;                \
  };
TCP_DETAIL_SCALAR(i4)
TCP_DETAIL_SCALAR(i5)
TCP_DETAIL_SCALAR(i8)
TCP_DETAIL_SCALAR(i9)
TCP_DETAIL_SCALAR(i16)
TCP_DETAIL_SCALAR(i32)
TCP_DETAIL_SCALAR(f4e2m1)
TCP_DETAIL_SCALAR(f8e4m3)
TCP_DETAIL_SCALAR(f8e5m2)
TCP_DETAIL_SCALAR(f16)
TCP_DETAIL_SCALAR(bf16)
TCP_DETAIL_SCALAR(f32)
#undef TCP_DETAIL_SCALAR

/// What is returned where a refused call would have given a stream or a tensor.
struct AfterRefusal {
#define TCP_METHOD(NAME, STAGE)                     \
  template <class... T, class... A>                 \
  static constexpr AfterRefusal NAME(const A&...) { \
    return {};                                      \
  }
#define TCP_METHOD_OF_VALUE(NAME)                   \
  template <auto V, class... T, class... A>         \
  static constexpr AfterRefusal NAME(const A&...) { \
    return {};                                      \
  }
#include "tcp/dsl/methods.def"
  static constexpr AfterRefusal view() { return {}; }
  static constexpr AfterRefusal view_mut() { return {}; }
  template <class... T, class... A>
  static constexpr AfterRefusal to_hbm(const A&...) {
    return {};
  }
  template <class... T, class... A>
  static constexpr AfterRefusal to_dm(const A&...) {
    return {};
  }
  template <class T>
  constexpr operator T() const {
    __builtin_trap();  // nothing that was refused runs
  }
};

template <ScalarType Type, MapType Chip, MapType Cluster, MapType Slice, MapType Row, MapType Time, MapType Packet>
inline constexpr Layout stream_layout = Layout{Type}
                                            .template with<Chip>(Level::chip)
                                            .template with<Cluster>(Level::cluster)
                                            .template with<Slice>(Level::slice)
                                            .template with<Row>(Level::row)
                                            .template with<Time>(Level::time)
                                            .template with<Packet>(Level::packet);

/// The answer to a request. The levels are those of the stream after the stage.
struct Answer {
  Text sentence{};
  PassState state{};
  Levels at{};
};

/// The stream after a stage: `Ask` names the request. Only the levels that the stage can change get a new type.
template <class Pass, class Ask>
struct After {
  static constexpr Answer ask() {
    Answer a{{}, {}, Pass::levels()};
    auto const made = advanced(target, Pass::state, a.at, Ask::request());
    if (made) a.state = made->state;
    else a.sentence = made.refusal().sentence();
    return a;
  }
  static constexpr Answer answer = ask();
  static constexpr bool ok = answer.sentence.n == 0;

  template <Level L>
  struct Computed {
    static constexpr const Mapping& meaning = answer.at[L];
    using type = typename MapOf<Computed>::type;
  };
  template <class Old>
  struct Unchanged {
    using type = Old;
  };
  template <Level L, class Old>
  using level = typename std::conditional_t<ok && changes(decltype(Ask::request())::kind, L), Computed<L>, Unchanged<Old>>::type;

  using Chip = level<Level::chip, typename Pass::ChipOf>;
  using Cluster = level<Level::cluster, typename Pass::ClusterOf>;
  using Slice = level<Level::slice, typename Pass::SliceOf>;
  using Row = level<Level::row, typename Pass::RowOf>;
  using Time = level<Level::time, typename Pass::TimeOf>;
  using Packet = level<Level::packet, typename Pass::PacketOf>;

  static constexpr const Layout& layout = stream_layout<answer.state.type, Chip, Cluster, Slice, Row, Time, Packet>;

  template <class Kept = typename Pass::KeptOf>
  static constexpr auto stream(End end) {
    if constexpr (ok) return StreamTensor<answer.state, Chip, Cluster, Slice, Row, Time, Packet, Kept>(end);
    else return AfterRefusal{};
  }
};

// Requests as types: what After asks for.

template <class Pass, Scalar To, MapType Time, MapType Packet, bool WithTable, Scalar In, Scalar Out, int ZeroPoints>
struct FetchAsk {
  static constexpr FetchHow made_how() {
    FetchHow h;
    h.context = Pass::state.context;
    h.dual = Pass::state.dual;
    h.with_table = WithTable;
    h.table = {In::type, Out::type, 0};
    h.zero_points = ZeroPoints;
    h.interleaved = Pass::TurnsAxis::name();
    return h;
  }
  static constexpr FetchHow how = made_how();
  using Lift = typename Pass::LiftOf;
  static constexpr FetchRequest request() {
    return {how, To::type, Time::mapping, Packet::mapping, Lift::chip, Lift::cluster, Lift::slice};
  }
};
template <SwitchConfig Config, MapType Slice2, MapType Time2>
struct SwitchAsk {
  static constexpr SwitchConfig config = Config;
  static constexpr SwitchRequest request() { return {config, Slice2::mapping, Time2::mapping}; }
};
template <class Request, MapType Time2, MapType Packet2>
struct TimeAndPacketAsk {
  static constexpr Request request() { return {Time2::mapping, Packet2::mapping}; }
};
template <class Trf, Scalar Weights, MapType Time2, MapType Packet2>
struct AlignAsk {
  static constexpr AlignRequest request() { return {Weights::type, register_levels<Trf>, Time2::mapping, Packet2::mapping}; }
};
template <ContractOp Op, MapType Packet2>
struct ContractAsk {
  static constexpr ContractRequest request() { return {Op, Packet2::mapping}; }
};
template <AccumulationKind::Code Kind, MapType Time2, MapType Packet2>
struct AccumulateAsk {
  static constexpr AccumulateRequest request() { return {Kind, Time2::mapping, Packet2::mapping}; }
};
template <class Request>
struct PlainAsk {
  static constexpr Request request() { return {}; }
};
template <class Mode, class Log, ScalarType LogType>
struct BranchAsk {
  static constexpr BranchRequest request() {
    if constexpr (std::is_same_v<Log, NoTensor>) return {branch_shape<Mode>};
    else return {branch_shape<Mode>, &register_levels<Log>, LogType};
  }
};
template <class Request, MapType Element>
struct ElementAsk {
  static constexpr Request request() { return {Element::mapping}; }
};
template <class Vrf, Scalar V>
struct WriteOperandAsk {
  static constexpr WriteOperandRequest request() { return {register_levels<Vrf>, V::type, OperandGuard::always()}; }
};
template <auto I, MapType TileTime, MapType SplitTime>
struct UnzipAsk {
  static constexpr UnzipRequest request() { return {axis_name<I>(), TileTime::mapping, SplitTime::mapping}; }
};
template <MapType Time2, MapType Packet2>
struct FilterAsk {
  static constexpr FilterRequest request() { return {OperandGuard::always(), Time2::mapping, Packet2::mapping}; }
};
template <auto R, ReduceOp Op, MapType Time2, MapType Packet2>
struct IntraSliceReduceAsk {
  static constexpr IntraSliceReduceRequest request() { return {axis_name<R>(), Op, Time2::mapping, Packet2::mapping}; }
};
template <ReduceOp Op, MapType Slice2, MapType Time2>
struct InterSliceReduceAsk {
  static constexpr InterSliceReduceRequest request() { return {Op, Slice2::mapping, Time2::mapping}; }
};
template <Scalar D2, MapType Packet2>
struct CastAsk {
  static constexpr CastRequest request() { return {D2::type, Packet2::mapping}; }
};
template <StageKind Kind, Scalar D2>
struct CommitCastAsk {
  static constexpr CommitCastRequest<Kind> request() { return {D2::type}; }
};
template <MapType Element, bool IntoView, bool ValidCount>
struct CommitAsk {
  static constexpr CommitRequest request() { return {Element::mapping, IntoView, ValidCount}; }
};
template <MapType Row, MapType Element>
struct ToTrfAsk {
  static constexpr ToTrfRequest request() { return {Row::mapping, Element::mapping, TrfAddress::Full}; }
};

/// The operands of an operation, as its request refers to them.
template <VectorStep Step, class Pass, MapType Time2, MapType Packet2, bool Groups, class... Slots>
struct OperationAsk {
  static constexpr VectorStep step = Step;
  static constexpr Operands made_operands() {
    if constexpr (Groups) return group_shapes<Slots...>();
    else return shapes_of<Slots...>();
  }
  static constexpr Operands operands = made_operands();
  static constexpr VrfLevels vrf = vrf_levels<Groups, Slots...>();
  static constexpr tcp::Stream stashed = Pass::KeptOf::stream();
  static constexpr OperationRequest request() { return {step, operands, vrf.of, &stashed, &Time2::mapping, &Packet2::mapping}; }
};

/// The begin of a pass, before its fetch.
template <class Pass>
class BegunPass;

/// A stream as its methods see it; before the fetch, the source: then it has an Element, two sources have an axis that
/// tells them apart, and copies may be lifted.
template <PassState S, MapType Chip, MapType Cluster, MapType Slice, MapType Row, MapType Time, MapType Packet, class Kept,
          MapType Element = m<1>, class Turns = NoTurns, class Lift = LiftedTo<>>
struct Pass {
  static constexpr PassState state = S;
  static constexpr Levels levels() {
    return {{Chip::mapping, Cluster::mapping, Slice::mapping, Row::mapping, Element::mapping, Time::mapping, Packet::mapping}};
  }

  using D = typename ScalarOf<S.type>::type;
  using ChipOf = Chip;
  using ClusterOf = Cluster;
  using SliceOf = Slice;
  using RowOf = Row;
  using TimeOf = Time;
  using PacketOf = Packet;
  using KeptOf = Kept;
  using TurnsAxis = Turns;
  using LiftOf = Lift;

  template <MapType E>
  using Dm = DmTensor<D, Chip, Cluster, Slice, E>;
  template <MapType R, MapType E>
  using Trf = TrfTensor<D, Chip, Cluster, Slice, R, E>;
  template <MapType E>
  using Vrf = VrfTensor<D, Chip, Cluster, Slice, E>;

  // Fetch to accumulate.

  /// What the fetch will have to make of copies; it is the fetch that does so.
  template <class Lift2>
  static constexpr auto lifted_to(End end) {
    TCP_REFUSE(verdict(lifted(levels(), Lift2::chip, Lift2::cluster, Lift2::slice)));
    return BegunPass<Pass<S, Chip, Cluster, Slice, Row, Time, Packet, Kept, Element, Turns, Lift2>>(end);
  }
  template <Scalar D2, MapType Time2, MapType Packet2, bool WithTable, Scalar In, Scalar Out, int ZeroPoints>
  static constexpr auto fetched(End end, const TableArg* table, const std::int64_t* zero_points, Where at) {
    using Next = After<Pass, FetchAsk<Pass, D2, Time2, Packet2, WithTable, In, Out, ZeroPoints>>;
    TCP_REFUSE(Next::answer.sentence);
    return Next::stream(detail::fetch(end, Next::layout, table, zero_points, ZeroPoints, at));
  }
  template <SwitchConfig Config, MapType Slice2, MapType Time2>
  static constexpr auto switched(End end, Where at) {
    using Next = After<Pass, SwitchAsk<Config, Slice2, Time2>>;
    TCP_REFUSE(Next::answer.sentence);
    return Next::stream(detail::switched(end, Next::layout, Config, at));
  }
  template <MapType Time2, MapType Packet2>
  static constexpr auto collected(End end, Where at) {
    using Next = After<Pass, TimeAndPacketAsk<CollectRequest, Time2, Packet2>>;
    TCP_REFUSE(Next::answer.sentence);
    return Next::stream(detail::stage(end, Next::layout, StageKind::Collect, at));
  }
  template <MapType Time2, MapType Packet2, Scalar Weights, MapType C, MapType Cl, MapType S2, MapType R, MapType E>
  static constexpr auto aligned(End end, const TrfTensor<Weights, C, Cl, S2, R, E>& trf, Where at) {
    using Next = After<Pass, AlignAsk<TrfTensor<Weights, C, Cl, S2, R, E>, Weights, Time2, Packet2>>;
    TCP_REFUSE(Next::answer.sentence);
    return Next::stream(detail::align(end, Next::layout, node_of(trf), at));
  }
  template <ContractOp Op, MapType Packet2>
  static constexpr auto contracted(End end, Where at) {
    using Next = After<Pass, ContractAsk<Op, Packet2>>;
    TCP_REFUSE(Next::answer.sentence);
    return Next::stream(detail::contract(end, Next::layout, Op, at));
  }
  template <AccumulationKind::Code Kind, MapType Time2, MapType Packet2>
  static constexpr auto accumulated(End end, Where at) {
    using Next = After<Pass, AccumulateAsk<Kind, Time2, Packet2>>;
    TCP_REFUSE(Next::answer.sentence);
    return Next::stream(detail::accumulate(end, Next::layout, Kind, at));
  }

  // After the engines.

  template <Scalar D2, MapType Packet2>
  static constexpr auto cast(End end, Where at) {
    using Next = After<Pass, CastAsk<D2, Packet2>>;
    TCP_REFUSE(Next::answer.sentence);
    return Next::stream(detail::stage(end, Next::layout, StageKind::Cast, at));
  }
  template <MapType Time2, MapType Packet2>
  static constexpr auto transposed(End end, Where at) {
    using Next = After<Pass, TimeAndPacketAsk<TransposeRequest, Time2, Packet2>>;
    TCP_REFUSE(Next::answer.sentence);
    return Next::stream(detail::stage(end, Next::layout, StageKind::Transpose, at));
  }
  template <StageKind Kind, Scalar D2>
  static constexpr auto cast_at_commit(End end, Where at) {
    using Next = After<Pass, CommitCastAsk<Kind, D2>>;
    TCP_REFUSE(Next::answer.sentence);
    return Next::stream(detail::stage(end, Next::layout, Kind, at));
  }
  template <MapType E, bool Packed>
  static constexpr auto committed(End end, Address address, const SliceMask* slices, Where at) {
    using Next = After<Pass, CommitAsk<E, false, Packed>>;
    TCP_REFUSE(Next::answer.sentence, check_dm(target, S.type, E::mapping, Bytes{0}));
    return Dm<E>(detail::commit(end, Next::layout, DmType<D, Chip, Cluster, Slice, E>::layout, address, slices, Packed, at));
  }
  template <class T>
  static constexpr void committed_into(End end, const TensorViewMut<T>& to, const SliceMask* slices, Where at) {
    using Next = After<Pass, CommitAsk<typename T::Element, true, false>>;
    TCP_REFUSE(check_sink(S.type, levels(), T::Type::type, T::levels()), Next::answer.sentence);
    detail::commit_view(end, Next::layout, node_of(to), slices, false, at);
  }
  template <MapType R, MapType E>
  static constexpr auto stored_in_trf(End end, TrfAddress address, Where at) {
    using Next = After<Pass, ToTrfAsk<R, E>>;
    TCP_REFUSE(Next::answer.sentence);
    return Trf<R, E>(detail::to_trf(end, Next::layout, Inside::layout<Trf<R, E>>(), address, at));
  }
  template <MapType E>
  static constexpr auto stored_in_vrf(End end, Address address, Where at) {
    using Next = After<Pass, ElementAsk<ToVrfRequest, E>>;
    TCP_REFUSE(Next::answer.sentence);
    return Vrf<E>(detail::to_vrf(end, Next::layout, Inside::layout<Vrf<E>>(), address, at));
  }

  // Into the Vector Engine, and out of it.

  static constexpr auto entered(End end, Where at) {
    using Next = After<Pass, PlainAsk<VectorInitRequest>>;
    TCP_REFUSE(Next::answer.sentence);
    return Next::template stream<NoTensor>(detail::stage(end, Next::layout, StageKind::VectorInit, at));
  }
  static constexpr auto finished(End end, Where at) {
    using Next = After<Pass, PlainAsk<VectorFinalRequest>>;
    TCP_REFUSE(Next::answer.sentence);
    return Next::template stream<NoTensor>(detail::stage(end, Next::layout, StageKind::VectorFinal, at));
  }
  template <class Mode>
  static constexpr auto branched(End end, const Mode& mode, Where at) {
    using Next = After<Pass, BranchAsk<Mode, NoTensor, ScalarType::i32>>;
    TCP_REFUSE(Next::answer.sentence);
    return Next::stream(vector_branch(end, Next::layout, mode, nullptr, at));
  }
  template <class Mode, class Log, Scalar L>
  static constexpr auto branched_by(End end, const Mode& mode, Node* log, Where at) {
    using Next = After<Pass, BranchAsk<Mode, Log, L::type>>;
    TCP_REFUSE(Next::answer.sentence);
    return Next::stream(vector_branch(end, Next::layout, mode, log, at));
  }
  template <MapType E, class Log>
  static constexpr auto logged(End end, Address address, Log& log, Where at) {
    using Next = After<Pass, ElementAsk<BranchLogRequest, E>>;
    TCP_REFUSE(Next::answer.sentence);
    log = Log(vrf_tensor(end.session, Inside::layout<Log>(), address, at));
    return Next::stream(vector_branch_log(end, Next::layout, node_of(log), at));
  }
  template <auto I, MapType TileTime, MapType SplitTime>
  static constexpr auto unzipped(End end, Where at) {
    using Next = After<Pass, UnzipAsk<I, TileTime, SplitTime>>;
    TCP_REFUSE(Next::answer.sentence);
    return Next::stream(vector_unzip(end, Next::layout, axis_name<I>(), TileTime::mapping, at));
  }

  // Operations.

  template <VectorStep Step, class A, class B, class C, class E>
  static constexpr auto computed(End end, const A& a, const B& b, const C& c, const E& e, Where at) {
    using Next = After<Pass, OperationAsk<Step, Pass, Time, Packet, false, A, B, C, E>>;
    TCP_REFUSE(check_numbers<A, B, C, E>(), Next::answer.sentence);
    OperandList list;
    Slot<A>::args(list, a);
    Slot<B>::args(list, b);
    Slot<C>::args(list, c);
    Slot<E>::args(list, e);
    return Next::stream(vector_step(end, Next::layout, Step, list.arg, list.count, at));
  }
  /// One operand for each group, `skip` for none.
  template <VectorStep Step, class Zero, class One>
  static constexpr auto computed_in_groups(End end, const Zero& group0, const One& group1, Where at) {
    using Next = After<Pass, OperationAsk<Step, Pass, Time, Packet, true, Zero, One>>;
    TCP_REFUSE(check_numbers<Zero, One>(), Next::answer.sentence);
    OperandList list;
    if constexpr (!std::is_same_v<Zero, Skip>) Slot<Zero>::args(list, group0, OperandGuard::group(GroupId::Zero));
    if constexpr (!std::is_same_v<One, Skip>) Slot<One>::args(list, group1, OperandGuard::group(GroupId::One));
    return Next::stream(vector_step(end, Next::layout, Step, list.arg, list.count, at));
  }
  /// Without operands: operations of one argument, zips, conversions and changes of width. `told` is the step with all
  /// that only run time knows of it.
  template <VectorStep Step, MapType Time2 = Time, MapType Packet2 = Packet>
  static constexpr auto computed_alone(End end, const VectorStep& told, Where at) {
    using Next = After<Pass, OperationAsk<Step, Pass, Time2, Packet2, false>>;
    TCP_REFUSE(Next::answer.sentence);
    return Next::stream(vector_step(end, Next::layout, told, nullptr, 0, at));
  }

  template <VectorMethod Method, MapType Time2, MapType Packet2>
  static constexpr auto reshaped(End end, Where at) {
    return computed_alone<step_of(Method), Time2, Packet2>(end, step_of(Method), at);
  }

  // Reduces.

  template <auto R, MapType Time2, MapType Packet2, class Op>
  static constexpr auto reduced(End end, Op op, Where at) {
    using Next = After<Pass, IntraSliceReduceAsk<R, common(Op::Max), Time2, Packet2>>;
    TCP_REFUSE(reduce_verdict<Op>(VectorMethod::intra_slice_reduce), Next::answer.sentence);
    return Next::stream(vector_intra_slice_reduce(end, Next::layout, axis_name<R>(), common(op), at));
  }
  template <MapType Slice2, MapType Time2, class Op>
  static constexpr auto reduced_over_slices(End end, Op op, Where at) {
    using Next = After<Pass, InterSliceReduceAsk<common(Op::Max), Slice2, Time2>>;
    TCP_REFUSE(reduce_verdict<Op>(VectorMethod::inter_slice_reduce), Next::answer.sentence);
    return Next::stream(vector_inter_slice_reduce(end, Next::layout, common(op), at));
  }

  // Beside the stream.

  static constexpr auto stashed(End end, Where at) {
    using Next = After<Pass, PlainAsk<StashRequest>>;
    TCP_REFUSE(Next::answer.sentence);
    return Next::template stream<StashedMaps<Time, Packet>>(detail::stage(end, Next::layout, StageKind::Stash, at));
  }
  template <class V, Scalar Type>
  static constexpr auto written(End end, Node* vrf, OperandGuard guard, Where at) {
    using Next = After<Pass, WriteOperandAsk<V, Type>>;
    TCP_REFUSE(Next::answer.sentence);
    return Next::stream(vector_write_operand(end, Next::layout, vrf, guard, at));
  }
  template <MapType Time2, MapType Packet2>
  static constexpr auto filtered(End end, OperandGuard keep, Node* count, Where at) {
    using Next = After<Pass, FilterAsk<Time2, Packet2>>;
    TCP_REFUSE(Next::answer.sentence);
    return Next::stream(vector_filter(end, Next::layout, keep, count, at));
  }

 private:
  /// Operations of another type than the stream's are told apart by their enumeration, once it is known that a reduce
  /// may follow at all.
  template <class Op>
  static constexpr Verdict reduce_verdict(VectorMethod m) {
    if (auto v = verdict(advanced(target, S, step_of(m))); !v) return v;
    if (m == VectorMethod::intra_slice_reduce) return intra_verdict<Op>();
    return inter_verdict<Op>();
  }
  template <class Op>
  static constexpr Verdict intra_verdict() {
    if constexpr (requires { intra_slice_op(S.type, Op::Max); }) return verdict(intra_slice_op(S.type, Op::Max));
    else return accept();
  }
  template <class Op>
  static constexpr Verdict inter_verdict() {
    if constexpr (requires { inter_slice_op(S.type, Op::Max); }) return verdict(inter_slice_op(S.type, Op::Max));
    else return accept();
  }
};

}  // namespace detail
}  // namespace tcp
