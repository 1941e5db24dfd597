// The Tensor Unit's pipeline as types: each stage of a stream offers what may follow it, checks it while the kernel compiles, and notes it down.
//
//   begin -> fetch -> [switch_to] -> collect -> to_trf | to_vrf
//                                            -> align -> contract -> accumulate -> …
//                                            -> vector_init … vector_final (vector.hpp) -> …
//                                            -> [cast] -> [transpose] -> commit
//
// A stream is consumed by its next stage: methods are for temporaries (&&), and a kept end that was used already is refused when the kernel runs. What a
// stage declares is compared without kinds of padding; the resulting type has the kinds that the padding really has.
#pragma once

#include "tcp/dsl/tensor.hpp"
#include "tcp/rules/cast.hpp"
#include "tcp/rules/collect.hpp"
#include "tcp/rules/contraction.hpp"
#include "tcp/rules/fetch.hpp"
#include "tcp/rules/register_files.hpp"
#include "tcp/rules/transpose.hpp"

namespace tcp {

/// Which context a stream runs in.
struct OnMain {
  static constexpr Tu context = Tu::Main;
  static constexpr bool dual = false;
};
struct OnSub {
  static constexpr Tu context = Tu::Sub;
  static constexpr bool dual = false;
};
/// Main with both channels of the switch; the sub context is then occupied.
struct OnMainDual {
  static constexpr Tu context = Tu::Main;
  static constexpr bool dual = true;
};

/// 16 entries for a 4-bit index type, 256 for an 8-bit one, in the order of the index's unsigned value.
template <Scalar In, Scalar Out>
class LookupTable {
 public:
  static constexpr int entries = 1 << scalar_info(In::type).bits;
  static_assert(scalar_info(In::type).bits <= 8, "a table is indexed by 4 or 8 bits");

  constexpr explicit LookupTable(const char* name = "table") : name_(name) {}
  /// The table of a function: made([](i8 x) { … }).
  template <class Function>
  static constexpr LookupTable made(Function f, const char* name = "table") {
    LookupTable t(name);
    for (int i = 0; i < entries; ++i) t[i] = f(In::from_bits(static_cast<std::uint32_t>(i)));
    return t;
  }
  constexpr Out& operator[](int i) { return entry_[i]; }
  constexpr const Out& operator[](int i) const { return entry_[i]; }
  constexpr const char* name() const { return name_; }

 private:
  const char* name_;
  Out entry_[entries]{};
};

template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
class FetchTensor;
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
class SwitchTensor;
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
class CollectTensor;
template <class On, Scalar D, Scalar Weights, MapType Chip, MapType Cluster, MapType Slice, MapType Row, MapType Time, MapType Packet>
class AlignedPair;
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Row, MapType Time, MapType Packet, ContractOp Op>
class ContractionTensor;
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
class AccumulationTensor;
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
class CastTensor;
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
class TransposeTensor;
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
class VectorFinalTensor;

namespace detail {

template <Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet, MapType Row = m<1>>
inline constexpr Layout stream_layout = Layout{D::type}
                                            .template with<Chip>(Level::chip)
                                            .template with<Cluster>(Level::cluster)
                                            .template with<Slice>(Level::slice)
                                            .template with<Row>(Level::row)
                                            .template with<Time>(Level::time)
                                            .template with<Packet>(Level::packet);

template <MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet, MapType Row = m<1>>
constexpr Levels stream_levels() {
  Levels l;
  l.set(Level::chip, Chip::mapping).set(Level::cluster, Cluster::mapping).set(Level::slice, Slice::mapping).set(Level::row, Row::mapping);
  return l.set(Level::time, Time::mapping).set(Level::packet, Packet::mapping);
}

/// A stage's verdict, and the levels of the stream behind it. A refused stage leaves what was declared: what follows is judged by that.
struct Made {
  Text sentence{};
  Levels at{};
};

template <class Rule, Level L>
struct MadeLevel {
  static constexpr const Mapping& meaning = Rule::made.at[L];
};
template <class Rule, Level L>
using made = typename MapOf<MadeLevel<Rule, L>>::type;

template <ScalarType Type>
struct ScalarOf;
template <>
struct ScalarOf<ScalarType::i32> {
  using type = i32;
};
template <>
struct ScalarOf<ScalarType::f32> {
  using type = f32;
};

template <class On, Scalar From, class Source, Scalar To, MapType Time, MapType Packet, class Turns, bool WithTable, Scalar TableFrom,
          Scalar TableTo, int ZeroPoints>
struct FetchRule {
  static constexpr Made check() {
    FetchHow how;
    how.context = On::context;
    how.dual = On::dual;
    how.with_table = WithTable;
    how.table = {TableFrom::type, TableTo::type, 0};
    how.zero_points = ZeroPoints;
    how.interleaved = Turns::name();
    auto const f = check_fetch(target, how, From::type, Source::levels(), To::type, Time::mapping, Packet::mapping);
    Made m{sentence_of(verdict(f)), {}};
    m.at.set(Level::time, f ? f->stream.time : Time::mapping).set(Level::packet, f ? f->stream.packet : Packet::mapping);
    return m;
  }
  static constexpr Made made = check();
};

/// The axis that tells two interleaved tensors apart, as a type.
struct NoTurns {
  static constexpr Name name() { return {}; }
};
template <auto A>
struct TurnsOf {
  static constexpr Name name() { return axis_name<A>(); }
};

template <MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet, SwitchConfig Config, MapType Slice2, MapType Time2>
struct SwitchRuleOf {
  static constexpr Made check() {
    auto const s = check_switch(target, stream_levels<Chip, Cluster, Slice, Time, Packet>(), Config, Slice2::mapping, Time2::mapping);
    Made m{sentence_of(verdict(s)), {}};
    m.at.set(Level::slice, s ? s->slice : Slice2::mapping).set(Level::time, s ? s->time : Time2::mapping);
    return m;
  }
  static constexpr Made made = check();
};

template <Scalar D, MapType Time, MapType Packet, MapType Time2, MapType Packet2>
struct CollectRule {
  static constexpr Made check() {
    auto const c = check_collect(target, D::type, Time::mapping, Packet::mapping, Time2::mapping, Packet2::mapping);
    Made m{sentence_of(verdict(c)), {}};
    m.at.set(Level::time, c ? c->time : Time2::mapping).set(Level::packet, c ? c->packet : Packet2::mapping);
    return m;
  }
  static constexpr Made made = check();
};

template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet, class Trf, Scalar Weights,
          MapType Row, MapType Time2, MapType Packet2>
struct AlignRule {
  static constexpr Made check() {
    Made m{{}, stream_levels<Chip, Cluster, Slice, Time2, Packet2, Row>()};
    if (auto v = check_contraction_context(On::context); !v) {
      m.sentence = sentence_of(v);
      return m;
    }
    auto const a = check_align(target, D::type, stream_levels<Chip, Cluster, Slice, Time, Packet>(), Weights::type, Trf::levels(),
                               Time2::mapping, Packet2::mapping);
    m.sentence = sentence_of(verdict(a));
    if (a) m.at = a->at;
    return m;
  }
  static constexpr Made made = check();
};

template <ContractOp Op, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Row, MapType Time, MapType Packet, MapType Packet2>
struct ContractRule {
  static constexpr Made check() {
    auto const c = check_contract(target, Op, D::type, stream_levels<Chip, Cluster, Slice, Time, Packet, Row>(), Packet2::mapping);
    return {sentence_of(verdict(c)), c ? c->at : stream_levels<Chip, Cluster, Slice, Time, Packet2, Row>()};
  }
  static constexpr Made made = check();
};

template <ContractOp Op, AccumulationKind::Code Kind, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Row, MapType Time,
          MapType Packet, MapType Time2, MapType Packet2>
struct AccumulateRule {
  static constexpr Made check() {
    auto const a = check_accumulate(target, Op, Kind, D::type, stream_levels<Chip, Cluster, Slice, Time, Packet, Row>(), Time2::mapping,
                                    Packet2::mapping);
    Made m{sentence_of(verdict(a)), {}};
    m.at.set(Level::time, a ? a->out.time : Time2::mapping).set(Level::packet, a ? a->out.packet : Packet2::mapping);
    return m;
  }
  static constexpr Made made = check();
};

template <StreamStage After, Scalar D, Scalar D2, MapType Packet, MapType Packet2>
struct CastRule {
  static constexpr Made check() {
    auto const c = check_cast(target, After, D::type, D2::type, Packet::mapping, Packet2::mapping);
    Made m{sentence_of(verdict(c)), {}};
    m.at.set(Level::packet, c ? *c : Packet2::mapping);
    return m;
  }
  static constexpr Made made = check();
};

template <StreamStage After, Scalar D, MapType Time, MapType Packet, MapType Time2, MapType Packet2>
struct TransposeRule {
  static constexpr Made check() {
    auto const t = check_transpose(target, After, D::type, Time::mapping, Packet::mapping, Time2::mapping, Packet2::mapping);
    Made m{sentence_of(verdict(t)), {}};
    m.at.set(Level::time, t ? t->time : Time2::mapping).set(Level::packet, t ? t->packet : Packet2::mapping);
    return m;
  }
  static constexpr Made made = check();
};

/// The end of a stream whose stage can be told by its type.
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
class StreamEnd {
 public:
  constexpr explicit StreamEnd(End end) : end_(end) {}

 protected:
  static constexpr const Layout& layout = stream_layout<D, Chip, Cluster, Slice, Time, Packet>;
  static constexpr Levels levels() { return stream_levels<Chip, Cluster, Slice, Time, Packet>(); }

  End end_;
};

/// What can be committed: flits behind any engine from Collect on, and in the sub context fetched ones.
template <StreamStage After, class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
class Committable : public StreamEnd<On, D, Chip, Cluster, Slice, Time, Packet> {
  using Base = StreamEnd<On, D, Chip, Cluster, Slice, Time, Packet>;

  template <MapType Element>
  static constexpr Verdict check(bool into_view, bool valid_count) {
    CommitHow const how{On::context, After, into_view, valid_count};
    if (auto v = verdict(check_commit(target, how, D::type, Base::levels(), Element::mapping)); !v || into_view) return v;
    return check_dm(target, D::type, Element::mapping, Bytes{0});
  }

 public:
  using Base::Base;

  template <MapType Element>
  [[nodiscard]] constexpr auto commit(Address address = {}, Element = {}, Where at = std::source_location::current()) && {
    TCP_REFUSE(check<Element>(false, false));
    using To = DmType<D, Chip, Cluster, Slice, Element>;
    return DmTensor<D, Chip, Cluster, Slice, Element>(detail::commit(this->end_, Base::layout, To::layout, address, nullptr, false, at));
  }
  /// Only these slices write; the elements of the others count as unwritten.
  template <MapType Element>
  [[nodiscard]] constexpr auto commit(Address address, const SliceMask& slices, Element = {},
                                      Where at = std::source_location::current()) && {
    TCP_REFUSE(check<Element>(false, false));
    using To = DmType<D, Chip, Cluster, Slice, Element>;
    return DmTensor<D, Chip, Cluster, Slice, Element>(detail::commit(this->end_, Base::layout, To::layout, address, &slices, false, at));
  }
  /// Valid-count packing (sub context): of each packet only the leading elements are written, as many as are valid.
  template <MapType Element>
  [[nodiscard]] constexpr auto commit_packed(Address address = {}, Element = {}, Where at = std::source_location::current()) && {
    TCP_REFUSE(check<Element>(false, true));
    using To = DmType<D, Chip, Cluster, Slice, Element>;
    return DmTensor<D, Chip, Cluster, Slice, Element>(detail::commit(this->end_, Base::layout, To::layout, address, nullptr, true, at));
  }
  /// Into a tensor that is there.
  template <class T>
  constexpr void commit_view(const TensorViewMut<T>& to, Where at = std::source_location::current()) && {
    TCP_REFUSE(destination_verdict<T>(), check<typename T::Element>(true, false));
    detail::commit_view(this->end_, Base::layout, to.node(), nullptr, false, at);
  }
  template <class T>
  constexpr void commit_view(const TensorViewMut<T>& to, const SliceMask& slices, Where at = std::source_location::current()) && {
    TCP_REFUSE(destination_verdict<T>(), check<typename T::Element>(true, false));
    detail::commit_view(this->end_, Base::layout, to.node(), &slices, false, at);
  }

  // The type on the left decides.
  struct Into {
    Committable from;
    Address address;
    Where at;
    template <MapType Element>
    constexpr operator DmTensor<D, Chip, Cluster, Slice, Element>() && {
      return static_cast<Committable&&>(from).template commit<Element>(address, {}, at);
    }
  };
  [[nodiscard]] constexpr Into commit(Address address = {}, Where at = std::source_location::current()) && { return {*this, address, at}; }

 private:
  template <class T>
  static constexpr Verdict destination_verdict() {
    return check_sink(D::type, Base::levels(), T::Type::type, T::levels());
  }
};

/// What has left the last computing engine: cast, transpose, commit, as far as they are still ahead.
template <StreamStage After, class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
class Castable : public Committable<After, On, D, Chip, Cluster, Slice, Time, Packet> {
  using Base = Committable<After, On, D, Chip, Cluster, Slice, Time, Packet>;

 public:
  using Base::Base;

  template <Scalar D2, MapType Packet2>
  [[nodiscard]] constexpr auto cast(D2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    using Rule = CastRule<After, D, D2, Packet, Packet2>;
    TCP_REFUSE(Rule::made.sentence);
    using P = made<Rule, Level::packet>;
    return CastTensor<On, D2, Chip, Cluster, Slice, Time, P>(
        detail::cast(this->end_, stream_layout<D2, Chip, Cluster, Slice, Time, P>, at));
  }
  template <MapType Time2, MapType Packet2>
  [[nodiscard]] constexpr auto transpose(Time2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    using Rule = TransposeRule<After, D, Time, Packet, Time2, Packet2>;
    TCP_REFUSE(Rule::made.sentence);
    using T = made<Rule, Level::time>;
    using P = made<Rule, Level::packet>;
    return TransposeTensor<On, D, Chip, Cluster, Slice, T, P>(
        detail::transpose(this->end_, stream_layout<D, Chip, Cluster, Slice, T, P>, at));
  }
};

}  // namespace detail

/// The begin of a pass: a DM view, or two that take turns.
template <class On, class T, class Turns = detail::NoTurns>
class [[nodiscard]] BeginTensor {
  using D = typename T::Type;
  using Chip = typename T::Chip;
  using Cluster = typename T::Cluster;
  using Slice = typename T::Slice;

 public:
  constexpr explicit BeginTensor(detail::End end) : end_(end) {}

  template <Scalar D2, MapType Time, MapType Packet>
  [[nodiscard]] constexpr auto fetch(D2 = {}, Time = {}, Packet = {}, Where at = std::source_location::current()) && {
    return fetched<D2, Time, Packet, false, i8, i8, 0>(nullptr, nullptr, at);
  }
  /// Every element is the index of its value in the table.
  template <Scalar D2, MapType Time, MapType Packet, Scalar In, Scalar Out>
  [[nodiscard]] constexpr auto fetch_with_table(const LookupTable<In, Out>& table, D2 = {}, Time = {}, Packet = {},
                                                Where at = std::source_location::current()) && {
    std::uint32_t bits[LookupTable<In, Out>::entries]{};
    for (int i = 0; i < LookupTable<In, Out>::entries; ++i) bits[i] = table[i].bits;
    detail::TableArg const arg{table.name(), In::type, Out::type, bits, LookupTable<In, Out>::entries};
    return fetched<D2, Time, Packet, true, In, Out, 0>(&arg, nullptr, at);
  }
  /// Subtracts z while fetching: i4 becomes i5, i8 becomes i9.
  template <Scalar D2, MapType Time, MapType Packet>
  [[nodiscard]] constexpr auto fetch_with_zero_point(std::int64_t z, D2 = {}, Time = {}, Packet = {},
                                                     Where at = std::source_location::current()) && {
    return fetched<D2, Time, Packet, false, i8, i8, 1>(nullptr, &z, at);
  }
  /// One for each of two interleaved tensors.
  template <Scalar D2, MapType Time, MapType Packet>
  [[nodiscard]] constexpr auto fetch_with_zero_points(const std::int64_t (&z)[2], D2 = {}, Time = {}, Packet = {},
                                                      Where at = std::source_location::current()) && {
    return fetched<D2, Time, Packet, false, i8, i8, 2>(nullptr, z, at);
  }

 private:
  template <Scalar D2, MapType Time, MapType Packet, bool WithTable, Scalar In, Scalar Out, int ZeroPoints>
  constexpr auto fetched(const detail::TableArg* table, const std::int64_t* zero_points, Where at) {
    using Rule = detail::FetchRule<On, D, T, D2, Time, Packet, Turns, WithTable, In, Out, ZeroPoints>;
    TCP_REFUSE(Rule::made.sentence);
    using T2 = detail::made<Rule, Level::time>;
    using P2 = detail::made<Rule, Level::packet>;
    return FetchTensor<On, D2, Chip, Cluster, Slice, T2, P2>(
        detail::fetch(end_, detail::stream_layout<D2, Chip, Cluster, Slice, T2, P2>, table, zero_points, ZeroPoints, at));
  }

  detail::End end_;
};

template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
class [[nodiscard]] SwitchTensor : public detail::StreamEnd<On, D, Chip, Cluster, Slice, Time, Packet> {
  using Base = detail::StreamEnd<On, D, Chip, Cluster, Slice, Time, Packet>;

 public:
  using Base::Base;

  template <MapType Time2, MapType Packet2>
  [[nodiscard]] constexpr auto collect(Time2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    using Rule = detail::CollectRule<D, Time, Packet, Time2, Packet2>;
    TCP_REFUSE(Rule::made.sentence);
    using T = detail::made<Rule, Level::time>;
    using P = detail::made<Rule, Level::packet>;
    return CollectTensor<On, D, Chip, Cluster, Slice, T, P>(
        detail::collect(this->end_, detail::stream_layout<D, Chip, Cluster, Slice, T, P>, at));
  }
};

/// Before a switch everything may follow that may follow one; a fetched stream in the sub context may also be committed as it is.
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
class [[nodiscard]] FetchTensor : public detail::Committable<StreamStage::Fetch, On, D, Chip, Cluster, Slice, Time, Packet> {
  using Base = detail::Committable<StreamStage::Fetch, On, D, Chip, Cluster, Slice, Time, Packet>;

 public:
  using Base::Base;

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
class [[nodiscard]] CollectTensor : public detail::Castable<StreamStage::Collect, On, D, Chip, Cluster, Slice, Time, Packet> {
  using Base = detail::Castable<StreamStage::Collect, On, D, Chip, Cluster, Slice, Time, Packet>;

 public:
  using Base::Base;

  template <MapType Row, MapType Element>
  [[nodiscard]] constexpr auto to_trf(TrfAddress address, Row = {}, Element = {}, Where at = std::source_location::current()) && {
    TCP_REFUSE(verdict(check_to_trf(target, D::type, Time::mapping, Packet::mapping, Row::mapping, Element::mapping, TrfAddress::Full)));
    using To = TrfTensor<D, Chip, Cluster, Slice, Row, Element>;
    return To(detail::to_trf(this->end_, Base::layout, To::layout, address, at));
  }
  template <MapType Element>
  [[nodiscard]] constexpr auto to_vrf(Address address = {}, Element = {}, Where at = std::source_location::current()) && {
    TCP_REFUSE(verdict(check_to_vrf(target, D::type, Time::mapping, Packet::mapping, Element::mapping, Bytes{0})));
    using To = VrfTensor<D, Chip, Cluster, Slice, Element>;
    return To(detail::to_vrf(this->end_, Base::layout, To::layout, address, at));
  }

  // The type on the left decides.
  struct IntoTrf {
    CollectTensor from;
    TrfAddress address;
    Where at;
    template <MapType Row, MapType Element>
    constexpr operator TrfTensor<D, Chip, Cluster, Slice, Row, Element>() && {
      return static_cast<CollectTensor&&>(from).template to_trf<Row, Element>(address, {}, {}, at);
    }
  };
  [[nodiscard]] constexpr IntoTrf to_trf(TrfAddress address, Where at = std::source_location::current()) && { return {*this, address, at}; }
  struct IntoVrf {
    CollectTensor from;
    Address address;
    Where at;
    template <MapType Element>
    constexpr operator VrfTensor<D, Chip, Cluster, Slice, Element>() && {
      return static_cast<CollectTensor&&>(from).template to_vrf<Element>(address, {}, at);
    }
  };
  [[nodiscard]] constexpr IntoVrf to_vrf(Address address = {}, Where at = std::source_location::current()) && {
    return {*this, address, at};
  }

  /// Pairs the stream with weights: Time and Packet of the computation.
  template <MapType Time2, MapType Packet2, Scalar Weights, MapType C, MapType Cl, MapType S, MapType Row, MapType Element>
  [[nodiscard]] constexpr auto align(const TrfTensor<Weights, C, Cl, S, Row, Element>& trf, Time2 = {}, Packet2 = {},
                                     Where at = std::source_location::current()) && {
    using Trf = TrfTensor<Weights, C, Cl, S, Row, Element>;
    using Rule = detail::AlignRule<On, D, Chip, Cluster, Slice, Time, Packet, Trf, Weights, Row, Time2, Packet2>;
    TCP_REFUSE(Rule::made.sentence);
    using C2 = detail::made<Rule, Level::chip>;
    using Cl2 = detail::made<Rule, Level::cluster>;
    using S2 = detail::made<Rule, Level::slice>;
    using R = detail::made<Rule, Level::row>;
    using T = detail::made<Rule, Level::time>;
    using P = detail::made<Rule, Level::packet>;
    return AlignedPair<On, D, Weights, C2, Cl2, S2, R, T, P>(
        detail::align(this->end_, detail::stream_layout<D, C2, Cl2, S2, T, P, R>, trf.node(), at));
  }

  [[nodiscard]] constexpr auto vector_init(Where at = std::source_location::current()) &&;
};

template <class On, Scalar D, Scalar Weights, MapType Chip, MapType Cluster, MapType Slice, MapType Row, MapType Time, MapType Packet>
class [[nodiscard]] AlignedPair {
 public:
  constexpr explicit AlignedPair(detail::End end) : end_(end) {}

  /// Adds up products within a packet, in the tree.
  template <MapType Packet2>
  [[nodiscard]] constexpr auto contract(Packet2 = {}, Where at = std::source_location::current()) && {
    return contracted<ContractOp::Add, Packet2>(at);
  }
  /// The greatest product instead of their sum.
  template <MapType Packet2>
  [[nodiscard]] constexpr auto contract_max(Packet2 = {}, Where at = std::source_location::current()) && {
    return contracted<ContractOp::Max, Packet2>(at);
  }

 private:
  template <ContractOp Op, MapType Packet2>
  constexpr auto contracted(Where at) {
    using Rule = detail::ContractRule<Op, D, Chip, Cluster, Slice, Row, Time, Packet, Packet2>;
    TCP_REFUSE(Rule::made.sentence);
    using Wide = typename detail::ScalarOf<wide_type(D::type)>::type;
    using R = detail::made<Rule, Level::row>;
    using T = detail::made<Rule, Level::time>;
    using P = detail::made<Rule, Level::packet>;
    return ContractionTensor<On, Wide, Chip, Cluster, Slice, R, T, P, Op>(
        detail::contract(end_, detail::stream_layout<Wide, Chip, Cluster, Slice, T, P, R>, Op, at));
  }

  detail::End end_;
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
class [[nodiscard]] AccumulationTensor : public detail::Castable<StreamStage::Contraction, On, D, Chip, Cluster, Slice, Time, Packet> {
  using Base = detail::Castable<StreamStage::Contraction, On, D, Chip, Cluster, Slice, Time, Packet>;

 public:
  using Base::Base;

  [[nodiscard]] constexpr auto vector_init(Where at = std::source_location::current()) &&;
};

template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
class [[nodiscard]] VectorFinalTensor : public detail::Castable<StreamStage::Vector, On, D, Chip, Cluster, Slice, Time, Packet> {
 public:
  using detail::Castable<StreamStage::Vector, On, D, Chip, Cluster, Slice, Time, Packet>::Castable;
};

template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
class [[nodiscard]] CastTensor : public detail::Committable<StreamStage::Cast, On, D, Chip, Cluster, Slice, Time, Packet> {
  using Base = detail::Committable<StreamStage::Cast, On, D, Chip, Cluster, Slice, Time, Packet>;

 public:
  using Base::Base;

  template <MapType Time2, MapType Packet2>
  [[nodiscard]] constexpr auto transpose(Time2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    using Rule = detail::TransposeRule<StreamStage::Cast, D, Time, Packet, Time2, Packet2>;
    TCP_REFUSE(Rule::made.sentence);
    using T = detail::made<Rule, Level::time>;
    using P = detail::made<Rule, Level::packet>;
    return TransposeTensor<On, D, Chip, Cluster, Slice, T, P>(
        detail::transpose(this->end_, detail::stream_layout<D, Chip, Cluster, Slice, T, P>, at));
  }
};

template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
class [[nodiscard]] TransposeTensor : public detail::Committable<StreamStage::Transpose, On, D, Chip, Cluster, Slice, Time, Packet> {
 public:
  using detail::Committable<StreamStage::Transpose, On, D, Chip, Cluster, Slice, Time, Packet>::Committable;
};

}  // namespace tcp
