// What a stage of the Tensor Unit does to the stream's type, and what it writes down: a rule and a function for each.
//
// A function refuses what the rules refuse, whoever calls it: the methods that are offered behind a stage with the end of a stream, those that are refused there
// (stream.hpp) without one, for their sentence.
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
    auto const a = check_align(target, D::type, stream_levels<Chip, Cluster, Slice, Time, Packet>(), Weights::type, Inside::levels<Trf>(),
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

/// What a pass begins with, and what its fetches do.
template <class On, class T, class Turns>
struct BeginPass {
  static constexpr ScalarType type = T::Type::type;

  template <Scalar D2, MapType Time, MapType Packet, bool WithTable, Scalar In, Scalar Out, int ZeroPoints>
  static constexpr auto fetched(End end, const TableArg* table, const std::int64_t* zero_points, Where at) {
    using Rule = FetchRule<On, typename T::Type, T, D2, Time, Packet, Turns, WithTable, In, Out, ZeroPoints>;
    TCP_REFUSE(Rule::made.sentence);
    using T2 = made<Rule, Level::time>;
    using P2 = made<Rule, Level::packet>;
    return FetchTensor<On, D2, typename T::Chip, typename T::Cluster, typename T::Slice, T2, P2>(detail::fetch(
        end, stream_layout<D2, typename T::Chip, typename T::Cluster, typename T::Slice, T2, P2>, table, zero_points, ZeroPoints, at));
  }
};

/// A stream behind one of the stages, as what follows sees it.
template <StreamStage After, class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
struct StreamPass {
  using Type = D;
  template <MapType Element>
  using Dm = DmTensor<D, Chip, Cluster, Slice, Element>;
  template <MapType Row, MapType Element>
  using Trf = TrfTensor<D, Chip, Cluster, Slice, Row, Element>;
  template <MapType Element>
  using Vrf = VrfTensor<D, Chip, Cluster, Slice, Element>;

  template <MapType Element, bool Packed>
  static constexpr auto committed(End end, Address address, const SliceMask* slices, Where at) {
    TCP_REFUSE(check_sink_of<Element>(false, Packed));
    using To = DmType<D, Chip, Cluster, Slice, Element>;
    return Dm<Element>(detail::commit(end, layout, To::layout, address, slices, Packed, at));
  }
  template <class T>
  static constexpr void committed_into(End end, const TensorViewMut<T>& to, const SliceMask* slices, Where at) {
    TCP_REFUSE(tcp::check_sink(D::type, levels(), T::Type::type, T::levels()), check_sink_of<typename T::Element>(true, false));
    detail::commit_view(end, layout, node_of(to), slices, false, at);
  }
  template <Scalar D2, MapType Packet2>
  static constexpr auto cast(End end, Where at) {
    using Rule = CastRule<After, D, D2, Packet, Packet2>;
    TCP_REFUSE(Rule::made.sentence);
    using P = made<Rule, Level::packet>;
    return CastTensor<On, D2, Chip, Cluster, Slice, Time, P>(detail::cast(end, stream_layout<D2, Chip, Cluster, Slice, Time, P>, at));
  }
  template <MapType Time2, MapType Packet2>
  static constexpr auto transposed(End end, Where at) {
    using Rule = TransposeRule<After, D, Time, Packet, Time2, Packet2>;
    TCP_REFUSE(Rule::made.sentence);
    using T = made<Rule, Level::time>;
    using P = made<Rule, Level::packet>;
    return TransposeTensor<On, D, Chip, Cluster, Slice, T, P>(detail::transpose(end, stream_layout<D, Chip, Cluster, Slice, T, P>, at));
  }
  template <MapType Row, MapType Element>
  static constexpr auto stored_in_trf(End end, TrfAddress address, Where at) {
    TCP_REFUSE(verdict(check_to_trf(target, D::type, Time::mapping, Packet::mapping, Row::mapping, Element::mapping, TrfAddress::Full)));
    return Trf<Row, Element>(detail::to_trf(end, layout, Inside::layout<Trf<Row, Element>>(), address, at));
  }
  template <MapType Element>
  static constexpr auto stored_in_vrf(End end, Address address, Where at) {
    TCP_REFUSE(verdict(check_to_vrf(target, D::type, Time::mapping, Packet::mapping, Element::mapping, Bytes{0})));
    return Vrf<Element>(detail::to_vrf(end, layout, Inside::layout<Vrf<Element>>(), address, at));
  }
  template <MapType Time2, MapType Packet2, Scalar Weights, MapType C, MapType Cl, MapType S, MapType Row, MapType Element>
  static constexpr auto aligned(End end, const TrfTensor<Weights, C, Cl, S, Row, Element>& trf, Where at) {
    using Rule =
        AlignRule<On, D, Chip, Cluster, Slice, Time, Packet, TrfTensor<Weights, C, Cl, S, Row, Element>, Weights, Row, Time2, Packet2>;
    TCP_REFUSE(Rule::made.sentence);
    using C2 = made<Rule, Level::chip>;
    using Cl2 = made<Rule, Level::cluster>;
    using S2 = made<Rule, Level::slice>;
    using R = made<Rule, Level::row>;
    using T = made<Rule, Level::time>;
    using P = made<Rule, Level::packet>;
    return AlignedPair<On, D, Weights, C2, Cl2, S2, R, T, P>(detail::align(end, stream_layout<D, C2, Cl2, S2, T, P, R>, node_of(trf), at));
  }
  /// Defined with the Vector Engine (vector.hpp).
  static constexpr auto entered(End end, Where at);

 private:
  static constexpr const Layout& layout = stream_layout<D, Chip, Cluster, Slice, Time, Packet>;
  static constexpr Levels levels() { return stream_levels<Chip, Cluster, Slice, Time, Packet>(); }

  template <MapType Element>
  static constexpr Verdict check_sink_of(bool into_view, bool valid_count) {
    CommitHow const how{On::context, After, into_view, valid_count};
    if (auto v = verdict(check_commit(target, how, D::type, levels(), Element::mapping)); !v || into_view) return v;
    return check_dm(target, D::type, Element::mapping, Bytes{0});
  }
};

/// A stream with its weights, as the contraction sees it.
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Row, MapType Time, MapType Packet>
struct AlignedPass {
  template <ContractOp Op, MapType Packet2>
  static constexpr auto contracted(End end, Where at) {
    using Rule = ContractRule<Op, D, Chip, Cluster, Slice, Row, Time, Packet, Packet2>;
    TCP_REFUSE(Rule::made.sentence);
    using Wide = typename ScalarOf<wide_type(D::type)>::type;
    using R = made<Rule, Level::row>;
    using T = made<Rule, Level::time>;
    using P = made<Rule, Level::packet>;
    return ContractionTensor<On, Wide, Chip, Cluster, Slice, R, T, P, Op>(
        detail::contract(end, stream_layout<Wide, Chip, Cluster, Slice, T, P, R>, Op, at));
  }
};

}  // namespace detail
}  // namespace tcp
