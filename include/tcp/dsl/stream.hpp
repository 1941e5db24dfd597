// The Tensor Unit's pipeline as types: each stage of a stream offers what may follow it, checks it while the kernel compiles, and notes it down.
//
//   begin -> fetch -> [switch_to] -> collect -> to_trf | to_vrf
//                                            -> align -> contract -> accumulate -> …
//                                            -> vector_init … vector_final (vector.hpp) -> …
//                                            -> [cast] -> [transpose] -> commit
//
// A stage inherits one Stage for each method that can follow it in its context and with its elements: an editor offers those behind the point, and nothing
// else. Below them lie the methods that are refused there, each with its sentence (unoffered.hpp).
//
// A stream is consumed by its next stage: methods are for temporaries (&&), and a kept end that was used already is refused when the kernel runs. What a
// stage declares is compared without kinds of padding; the resulting type has the kinds that the padding really has.
#pragma once

#include "tcp/dsl/stream_pass.hpp"
#include "tcp/dsl/unoffered.hpp"

namespace tcp {
namespace detail {

// The type on the left decides what a stream becomes.

template <class Pass>
struct IntoDm {
  End end;
  Address address;
  Where at;
  template <MapType Element>
  constexpr operator typename Pass::template Dm<Element>() && {
    return Pass::template committed<Element, false>(end, address, nullptr, at);
  }
};
template <class Pass>
struct IntoTrf {
  End end;
  TrfAddress address;
  Where at;
  template <MapType Row, MapType Element>
  constexpr operator typename Pass::template Trf<Row, Element>() && {
    return Pass::template stored_in_trf<Row, Element>(end, address, at);
  }
};
template <class Pass>
struct IntoVrf {
  End end;
  Address address;
  Where at;
  template <MapType Element>
  constexpr operator typename Pass::template Vrf<Element>() && {
    return Pass::template stored_in_vrf<Element>(end, address, at);
  }
};

// What does not follow a stage in its context, or with its type of element: for the sentence (unoffered.hpp).

template <class Pass>
struct RefusedFetches {
  template <Scalar D2, MapType Time, MapType Packet, Scalar In, Scalar Out>
  static constexpr auto fetch_with_table(const LookupTable<In, Out>&, D2 = {}, Time = {}, Packet = {}, Where at = {}) {
    return Pass::template fetched<D2, Time, Packet, true, In, Out, 0>(End{}, nullptr, nullptr, at);
  }
  template <Scalar D2, MapType Time, MapType Packet>
  static constexpr auto fetch_with_zero_point(std::int64_t, D2 = {}, Time = {}, Packet = {}, Where at = {}) {
    return Pass::template fetched<D2, Time, Packet, false, i8, i8, 1>(End{}, nullptr, nullptr, at);
  }
  template <Scalar D2, MapType Time, MapType Packet>
  static constexpr auto fetch_with_zero_points(const std::int64_t (&)[2], D2 = {}, Time = {}, Packet = {}, Where at = {}) {
    return Pass::template fetched<D2, Time, Packet, false, i8, i8, 2>(End{}, nullptr, nullptr, at);
  }
};
template <class Pass>
struct RefusedCommits {
  template <MapType Element>
  static constexpr auto commit(Address address = {}, Element = {}, Where at = {}) {
    return Pass::template committed<Element, false>(End{}, address, nullptr, at);
  }
  template <MapType Element>
  static constexpr auto commit(Address address, const SliceMask& slices, Element = {}, Where at = {}) {
    return Pass::template committed<Element, false>(End{}, address, &slices, at);
  }
  static constexpr IntoDm<Pass> commit(Address address = {}, Where at = {}) { return {End{}, address, at}; }
  /// Valid-count packing: the book does not say who counts, so no program can ask for it (rules/commit.hpp).
  template <MapType Element>
  static constexpr auto commit_packed(Address address = {}, Element = {}, Where at = {}) {
    return Pass::template committed<Element, true>(End{}, address, nullptr, at);
  }
  template <class T>
  static constexpr void commit_view(const TensorViewMut<T>& to, Where at = {}) {
    Pass::committed_into(End{}, to, nullptr, at);
  }
  template <class T>
  static constexpr void commit_view(const TensorViewMut<T>& to, const SliceMask& slices, Where at = {}) {
    Pass::committed_into(End{}, to, &slices, at);
  }
};
template <class Pass>
struct RefusedCasts : RefusedCommits<Pass> {
  template <Scalar D2, MapType Packet2>
  static constexpr auto cast(D2 = {}, Packet2 = {}, Where at = {}) {
    return Pass::template cast<D2, Packet2>(End{}, at);
  }
};
template <class Pass>
struct RefusedAfterCollect : RefusedCasts<Pass> {
  template <MapType Row, MapType Element>
  static constexpr auto to_trf(TrfAddress address, Row = {}, Element = {}, Where at = {}) {
    return Pass::template stored_in_trf<Row, Element>(End{}, address, at);
  }
  static constexpr IntoTrf<Pass> to_trf(TrfAddress address, Where at = {}) { return {End{}, address, at}; }
  template <MapType Element>
  static constexpr auto to_vrf(Address address = {}, Element = {}, Where at = {}) {
    return Pass::template stored_in_vrf<Element>(End{}, address, at);
  }
  static constexpr IntoVrf<Pass> to_vrf(Address address = {}, Where at = {}) { return {End{}, address, at}; }
  template <MapType Time2, MapType Packet2, Scalar Weights, MapType C, MapType Cl, MapType S, MapType Row, MapType Element>
  static constexpr auto align(const TrfTensor<Weights, C, Cl, S, Row, Element>& trf, Time2 = {}, Packet2 = {}, Where at = {}) {
    return Pass::template aligned<Time2, Packet2>(End{}, trf, at);
  }
  static constexpr auto vector_init(Where at = {}) { return Pass::entered(End{}, at); }
};
template <class Pass>
struct RefusedMax {
  template <MapType Packet2>
  static constexpr auto contract_max(Packet2 = {}, Where at = {}) {
    return Pass::template contracted<ContractOp::Max, Packet2>(End{}, at);
  }
};

TCP_DETAIL_UNOFFERED(UnofferedFetches, RefusedFetches, using RefusedFetches<Pass>::fetch_with_table;
                     using RefusedFetches<Pass>::fetch_with_zero_point; using RefusedFetches<Pass>::fetch_with_zero_points;);
TCP_DETAIL_UNOFFERED(UnofferedCommits, RefusedCommits, using RefusedCommits<Pass>::commit; using RefusedCommits<Pass>::commit_packed;
                     using RefusedCommits<Pass>::commit_view;);
TCP_DETAIL_UNOFFERED(UnofferedCasts, RefusedCasts, using RefusedCommits<Pass>::commit; using RefusedCommits<Pass>::commit_packed;
                     using RefusedCommits<Pass>::commit_view; using RefusedCasts<Pass>::cast;);
TCP_DETAIL_UNOFFERED(UnofferedAfterCollect, RefusedAfterCollect, using RefusedCommits<Pass>::commit;
                     using RefusedCommits<Pass>::commit_packed; using RefusedCommits<Pass>::commit_view; using RefusedCasts<Pass>::cast;
                     using RefusedAfterCollect<Pass>::to_trf; using RefusedAfterCollect<Pass>::to_vrf;
                     using RefusedAfterCollect<Pass>::align; using RefusedAfterCollect<Pass>::vector_init;);
TCP_DETAIL_UNOFFERED(UnofferedMax, RefusedMax, using RefusedMax<Pass>::contract_max;);

// What is offered, each in a class of its own above the next (Rest, bit by number).

enum class StageOffer : std::uint8_t {
  fetch_with_table,
  fetch_with_zero_point,
  fetch_with_zero_points,
  commit,
  cast,
  transpose,
  to_trf,
  to_vrf,
  align,
  vector_init,
  contract_max,
  none,
};

constexpr std::uint32_t bit(StageOffer o, bool offered) { return offered ? 1u << static_cast<int>(o) : 0u; }

constexpr bool is_32_bits(ScalarType type) { return type == ScalarType::i32 || type == ScalarType::f32; }
constexpr bool is_multiplied(ScalarType type) {
  switch (type) {
    case ScalarType::i4:
    case ScalarType::i5:
    case ScalarType::i8:
    case ScalarType::i9:
    case ScalarType::f8e4m3:
    case ScalarType::f8e5m2:
    case ScalarType::bf16: return true;
    default: return false;
  }
}
constexpr bool is_cast_by_engine(ScalarType type) {
  for (ScalarType to : scalar_types)
    if (has_cast_engine_cast(target, type, to)) return true;
  return false;
}

/// Behind a begin. Law: what is offered is accepted with some types, mappings and tables; what is not, with none.
constexpr std::uint32_t fetch_offers(Tu context, ScalarType type, bool interleaved) {
  bool const quantised = type == ScalarType::i4 || type == ScalarType::i8 || type == ScalarType::i16;
  return bit(StageOffer::fetch_with_table, context == Tu::Main && scalar_info(type).bits <= 8) |
         bit(StageOffer::fetch_with_zero_point, quantised) | bit(StageOffer::fetch_with_zero_points, quantised && interleaved);
}
/// Behind a stage. The same law.
constexpr std::uint32_t stage_offers(StreamStage after, Tu context, ScalarType type) {
  bool const leaves = (context == Tu::Sub ? after == StreamStage::Fetch : after >= StreamStage::Collect) && scalar_info(type).in_memory;
  std::uint32_t all = bit(StageOffer::commit, leaves);
  bool const collected = after == StreamStage::Collect, contracted = after == StreamStage::Contraction;
  bool const computed = collected || contracted || after == StreamStage::Vector;
  all |= bit(StageOffer::cast, computed && is_cast_by_engine(type)) | bit(StageOffer::transpose, computed || after == StreamStage::Cast);
  all |= bit(StageOffer::to_trf, collected && is_multiplied(type)) | bit(StageOffer::to_vrf, collected && is_32_bits(type));
  all |= bit(StageOffer::align, collected && is_multiplied(type) && context == Tu::Main);
  return all | bit(StageOffer::vector_init, (collected || contracted) && is_32_bits(type));
}

constexpr StageOffer lowest_stage(std::uint32_t offers) {
  int at = 0;
  while (at < static_cast<int>(StageOffer::none) && (offers >> at & 1) == 0) ++at;
  return static_cast<StageOffer>(at);
}

/// What can be called and is not offered.
template <class Pass>
struct UnofferedStages;
template <class On, class T, class Turns>
struct UnofferedStages<BeginPass<On, T, Turns>> {
  using type = UnofferedFetches<BeginPass<On, T, Turns>>;
};
template <StreamStage After, class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
struct UnofferedStages<StreamPass<After, On, D, Chip, Cluster, Slice, Time, Packet>> {
  using Pass = StreamPass<After, On, D, Chip, Cluster, Slice, Time, Packet>;
  static constexpr bool is_cast = After == StreamStage::Contraction || After == StreamStage::Vector;
  using type = std::conditional_t<After == StreamStage::Collect, UnofferedAfterCollect<Pass>,
                                  std::conditional_t<is_cast, UnofferedCasts<Pass>, UnofferedCommits<Pass>>>;
};
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Row, MapType Time, MapType Packet>
struct UnofferedStages<AlignedPass<On, D, Chip, Cluster, Slice, Row, Time, Packet>> {
  using type = UnofferedMax<AlignedPass<On, D, Chip, Cluster, Slice, Row, Time, Packet>>;
};

template <class Pass, std::uint32_t Rest, StageOffer What>
class Stage;
template <class Pass, std::uint32_t Offers>
using Stages = Stage<Pass, Offers&(Offers - 1), lowest_stage(Offers)>;

template <class Pass, std::uint32_t Rest>
class Stage<Pass, Rest, StageOffer::none> : public UnofferedStages<Pass>::type {
 protected:
  End end_;
};
template <class Pass, std::uint32_t Rest>
class Stage<Pass, Rest, StageOffer::fetch_with_table> : public Stages<Pass, Rest> {
 public:
  /// Every element is the index of its value in the table.
  template <Scalar D2, MapType Time, MapType Packet, Scalar In, Scalar Out>
  [[nodiscard]] constexpr auto fetch_with_table(const LookupTable<In, Out>& table, D2 = {}, Time = {}, Packet = {},
                                                Where at = std::source_location::current()) && {
    std::uint32_t bits[LookupTable<In, Out>::entries]{};
    for (int i = 0; i < LookupTable<In, Out>::entries; ++i) bits[i] = table[i].bits;
    TableArg const arg{table.name(), In::type, Out::type, bits, LookupTable<In, Out>::entries};
    return Pass::template fetched<D2, Time, Packet, true, In, Out, 0>(this->end_, &arg, nullptr, at);
  }
};
template <class Pass, std::uint32_t Rest>
class Stage<Pass, Rest, StageOffer::fetch_with_zero_point> : public Stages<Pass, Rest> {
 public:
  /// Subtracts z while fetching: i4 becomes i5, i8 becomes i9.
  template <Scalar D2, MapType Time, MapType Packet>
  [[nodiscard]] constexpr auto fetch_with_zero_point(std::int64_t z, D2 = {}, Time = {}, Packet = {},
                                                     Where at = std::source_location::current()) && {
    return Pass::template fetched<D2, Time, Packet, false, i8, i8, 1>(this->end_, nullptr, &z, at);
  }
};
template <class Pass, std::uint32_t Rest>
class Stage<Pass, Rest, StageOffer::fetch_with_zero_points> : public Stages<Pass, Rest> {
 public:
  /// One for each of two interleaved tensors.
  template <Scalar D2, MapType Time, MapType Packet>
  [[nodiscard]] constexpr auto fetch_with_zero_points(const std::int64_t (&z)[2], D2 = {}, Time = {}, Packet = {},
                                                      Where at = std::source_location::current()) && {
    return Pass::template fetched<D2, Time, Packet, false, i8, i8, 2>(this->end_, nullptr, z, at);
  }
};
template <class Pass, std::uint32_t Rest>
class Stage<Pass, Rest, StageOffer::commit> : public Stages<Pass, Rest> {
 public:
  template <MapType Element>
  [[nodiscard]] constexpr auto commit(Address address = {}, Element = {}, Where at = std::source_location::current()) && {
    return Pass::template committed<Element, false>(this->end_, address, nullptr, at);
  }
  /// Only these slices write; the elements of the others count as unwritten.
  template <MapType Element>
  [[nodiscard]] constexpr auto commit(Address address, const SliceMask& slices, Element = {},
                                      Where at = std::source_location::current()) && {
    return Pass::template committed<Element, false>(this->end_, address, &slices, at);
  }
  [[nodiscard]] constexpr IntoDm<Pass> commit(Address address = {}, Where at = std::source_location::current()) && {
    return {this->end_, address, at};
  }
  /// Into a tensor that is there.
  template <class T>
  constexpr void commit_view(const TensorViewMut<T>& to, Where at = std::source_location::current()) && {
    Pass::committed_into(this->end_, to, nullptr, at);
  }
  template <class T>
  constexpr void commit_view(const TensorViewMut<T>& to, const SliceMask& slices, Where at = std::source_location::current()) && {
    Pass::committed_into(this->end_, to, &slices, at);
  }
};
template <class Pass, std::uint32_t Rest>
class Stage<Pass, Rest, StageOffer::cast> : public Stages<Pass, Rest> {
 public:
  template <Scalar D2, MapType Packet2>
  [[nodiscard]] constexpr auto cast(D2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    return Pass::template cast<D2, Packet2>(this->end_, at);
  }
};
template <class Pass, std::uint32_t Rest>
class Stage<Pass, Rest, StageOffer::transpose> : public Stages<Pass, Rest> {
 public:
  template <MapType Time2, MapType Packet2>
  [[nodiscard]] constexpr auto transpose(Time2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    return Pass::template transposed<Time2, Packet2>(this->end_, at);
  }
};
template <class Pass, std::uint32_t Rest>
class Stage<Pass, Rest, StageOffer::to_trf> : public Stages<Pass, Rest> {
 public:
  template <MapType Row, MapType Element>
  [[nodiscard]] constexpr auto to_trf(TrfAddress address, Row = {}, Element = {}, Where at = std::source_location::current()) && {
    return Pass::template stored_in_trf<Row, Element>(this->end_, address, at);
  }
  [[nodiscard]] constexpr IntoTrf<Pass> to_trf(TrfAddress address, Where at = std::source_location::current()) && {
    return {this->end_, address, at};
  }
};
template <class Pass, std::uint32_t Rest>
class Stage<Pass, Rest, StageOffer::to_vrf> : public Stages<Pass, Rest> {
 public:
  template <MapType Element>
  [[nodiscard]] constexpr auto to_vrf(Address address = {}, Element = {}, Where at = std::source_location::current()) && {
    return Pass::template stored_in_vrf<Element>(this->end_, address, at);
  }
  [[nodiscard]] constexpr IntoVrf<Pass> to_vrf(Address address = {}, Where at = std::source_location::current()) && {
    return {this->end_, address, at};
  }
};
template <class Pass, std::uint32_t Rest>
class Stage<Pass, Rest, StageOffer::align> : public Stages<Pass, Rest> {
 public:
  /// Pairs the stream with weights: Time and Packet of the computation.
  template <MapType Time2, MapType Packet2, Scalar Weights, MapType C, MapType Cl, MapType S, MapType Row, MapType Element>
  [[nodiscard]] constexpr auto align(const TrfTensor<Weights, C, Cl, S, Row, Element>& trf, Time2 = {}, Packet2 = {},
                                     Where at = std::source_location::current()) && {
    return Pass::template aligned<Time2, Packet2>(this->end_, trf, at);
  }
};
template <class Pass, std::uint32_t Rest>
class Stage<Pass, Rest, StageOffer::vector_init> : public Stages<Pass, Rest> {
 public:
  [[nodiscard]] constexpr auto vector_init(Where at = std::source_location::current()) && { return Pass::entered(this->end_, at); }
};
template <class Pass, std::uint32_t Rest>
class Stage<Pass, Rest, StageOffer::contract_max> : public Stages<Pass, Rest> {
 public:
  /// The greatest product instead of their sum.
  template <MapType Packet2>
  [[nodiscard]] constexpr auto contract_max(Packet2 = {}, Where at = std::source_location::current()) && {
    return Pass::template contracted<ContractOp::Max, Packet2>(this->end_, at);
  }
};

template <StreamStage After, class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
using StagesAfter = Stages<StreamPass<After, On, D, Chip, Cluster, Slice, Time, Packet>, stage_offers(After, On::context, D::type)>;

}  // namespace detail

/// The begin of a pass: a DM view, or two that take turns.
template <class On, class T, class Turns = detail::NoTurns>
class [[nodiscard]] BeginTensor
    : public detail::Stages<detail::BeginPass<On, T, Turns>, detail::fetch_offers(On::context, T::Type::type, Turns::name() != Name{})> {
 public:
  constexpr explicit BeginTensor(detail::End end) { this->end_ = end; }

  template <Scalar D2, MapType Time, MapType Packet>
  [[nodiscard]] constexpr auto fetch(D2 = {}, Time = {}, Packet = {}, Where at = std::source_location::current()) && {
    return detail::BeginPass<On, T, Turns>::template fetched<D2, Time, Packet, false, i8, i8, 0>(this->end_, nullptr, nullptr, at);
  }
};

template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
class [[nodiscard]] SwitchTensor {
 public:
  constexpr explicit SwitchTensor(detail::End end) : end_(end) {}

  template <MapType Time2, MapType Packet2>
  [[nodiscard]] constexpr auto collect(Time2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    using Rule = detail::CollectRule<D, Time, Packet, Time2, Packet2>;
    TCP_REFUSE(Rule::made.sentence);
    using T = detail::made<Rule, Level::time>;
    using P = detail::made<Rule, Level::packet>;
    return CollectTensor<On, D, Chip, Cluster, Slice, T, P>(
        detail::collect(end_, detail::stream_layout<D, Chip, Cluster, Slice, T, P>, at));
  }

 private:
  detail::End end_;
};

/// Before a switch everything may follow that may follow one; a fetched stream in the sub context may also be committed as it is.
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
class [[nodiscard]] FetchTensor : public detail::StagesAfter<StreamStage::Fetch, On, D, Chip, Cluster, Slice, Time, Packet> {
 public:
  constexpr explicit FetchTensor(detail::End end) { this->end_ = end; }

  /// The book's `switch`, which C++ keeps for itself: switch_to<SwitchConfig::Broadcast01{…}, Slice2, Time2>().
  template <SwitchConfig Config, MapType Slice2, MapType Time2>
  [[nodiscard]] constexpr auto switch_to(Slice2 = {}, Time2 = {}, Where at = std::source_location::current()) && {
    using Rule = detail::SwitchRuleOf<Chip, Cluster, Slice, Time, Packet, Config, Slice2, Time2>;
    TCP_REFUSE(Rule::made.sentence);
    using S = detail::made<Rule, Level::slice>;
    using T = detail::made<Rule, Level::time>;
    return SwitchTensor<On, D, Chip, Cluster, S, T, Packet>(
        detail::switched(this->end_, detail::stream_layout<D, Chip, Cluster, S, T, Packet>, Config, at));
  }
  template <MapType Time2, MapType Packet2>
  [[nodiscard]] constexpr auto collect(Time2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    return SwitchTensor<On, D, Chip, Cluster, Slice, Time, Packet>(this->end_).template collect<Time2, Packet2>({}, {}, at);
  }
};

template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
class [[nodiscard]] CollectTensor : public detail::StagesAfter<StreamStage::Collect, On, D, Chip, Cluster, Slice, Time, Packet> {
 public:
  constexpr explicit CollectTensor(detail::End end) { this->end_ = end; }
};

template <class On, Scalar D, Scalar Weights, MapType Chip, MapType Cluster, MapType Slice, MapType Row, MapType Time, MapType Packet>
class [[nodiscard]] AlignedPair : public detail::Stages<detail::AlignedPass<On, D, Chip, Cluster, Slice, Row, Time, Packet>,
                                                        detail::bit(detail::StageOffer::contract_max, Row::size == 1)> {
 public:
  constexpr explicit AlignedPair(detail::End end) { this->end_ = end; }

  /// Adds up products within a packet, in the tree.
  template <MapType Packet2>
  [[nodiscard]] constexpr auto contract(Packet2 = {}, Where at = std::source_location::current()) && {
    using Pass = detail::AlignedPass<On, D, Chip, Cluster, Slice, Row, Time, Packet>;
    return Pass::template contracted<ContractOp::Add, Packet2>(this->end_, at);
  }
};

template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Row, MapType Time, MapType Packet, ContractOp Op>
class [[nodiscard]] ContractionTensor {
 public:
  constexpr explicit ContractionTensor(detail::End end) : end_(end) {}

  /// Adds up over time, and puts the Rows into Packet: accumulate<Time2, Packet2>(AccumulationKind::Interleaved).
  template <MapType Time2, MapType Packet2, AccumulationKind::Code Kind>
  [[nodiscard]] constexpr auto accumulate(Known<Kind>, Time2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    return accumulated<Time2, Packet2, Kind>(at);
  }

 private:
  template <MapType Time2, MapType Packet2, AccumulationKind::Code Kind>
  constexpr auto accumulated(Where at) {
    using Rule = detail::AccumulateRule<Op, Kind, D, Chip, Cluster, Slice, Row, Time, Packet, Time2, Packet2>;
    TCP_REFUSE(Rule::made.sentence);
    using T = detail::made<Rule, Level::time>;
    using P = detail::made<Rule, Level::packet>;
    return AccumulationTensor<On, D, Chip, Cluster, Slice, T, P>(
        detail::accumulate(end_, detail::stream_layout<D, Chip, Cluster, Slice, T, P>, Kind, at));
  }

  detail::End end_;
};

template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
class [[nodiscard]] AccumulationTensor : public detail::StagesAfter<StreamStage::Contraction, On, D, Chip, Cluster, Slice, Time, Packet> {
 public:
  constexpr explicit AccumulationTensor(detail::End end) { this->end_ = end; }
};

template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
class [[nodiscard]] VectorFinalTensor : public detail::StagesAfter<StreamStage::Vector, On, D, Chip, Cluster, Slice, Time, Packet> {
 public:
  constexpr explicit VectorFinalTensor(detail::End end) { this->end_ = end; }
};

template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
class [[nodiscard]] CastTensor : public detail::StagesAfter<StreamStage::Cast, On, D, Chip, Cluster, Slice, Time, Packet> {
 public:
  constexpr explicit CastTensor(detail::End end) { this->end_ = end; }
};

template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
class [[nodiscard]] TransposeTensor : public detail::StagesAfter<StreamStage::Transpose, On, D, Chip, Cluster, Slice, Time, Packet> {
 public:
  constexpr explicit TransposeTensor(detail::End end) { this->end_ = end; }
};

}  // namespace tcp
