// The methods that a stream offers, each in a class of its own: a stream inherits those that may follow it
// (offers.hpp), and below them, for its error, every other (refused_methods.hpp). A method of an offered class hides
// the refused one of its name.
#pragma once

#include "tcp/dsl/refused_methods.hpp"

namespace tcp::detail {

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

/// One offered method (with its variants), above those of Rest.
template <class Pass, Offers Rest, Offer What>
class Method;
template <class Pass, Offers All>
using Methods = Method<Pass, All&(All - 1), lowest(All)>;

template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::none> : public Unoffered<Pass> {
 protected:
  End end_;
};

// Fetch to accumulate.

template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::fetch_lift> : public Methods<Pass, Rest> {
  using Lift = typename Pass::LiftOf;

 public:
  /// Copies in Slice read parts of their own: m<4, P> becomes m<A, P>, and the fetch walks what is left of Element.
  template <MapType Slice2>
  [[nodiscard]] constexpr auto fetch_slice_lift(Slice2 = {}) && {
    return Pass::template lifted_to<typename Lift::template with_slice<Slice2>>(this->end_);
  }
  template <MapType Cluster2>
  [[nodiscard]] constexpr auto fetch_cluster_lift(Cluster2 = {}) && {
    return Pass::template lifted_to<typename Lift::template with_cluster<Cluster2>>(this->end_);
  }
  template <MapType Chip2>
  [[nodiscard]] constexpr auto fetch_chip_lift(Chip2 = {}) && {
    return Pass::template lifted_to<typename Lift::template with_chip<Chip2>>(this->end_);
  }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::fetch> : public Methods<Pass, Rest> {
 public:
  template <Scalar D2, MapType Time, MapType Packet>
  [[nodiscard]] constexpr auto fetch(D2 = {}, Time = {}, Packet = {}, Where at = std::source_location::current()) && {
    return Pass::template fetched<D2, Time, Packet, false, i8, i8, 0>(this->end_, nullptr, nullptr, at);
  }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::fetch_with_table> : public Methods<Pass, Rest> {
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
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::fetch_with_zero_point> : public Methods<Pass, Rest> {
 public:
  /// Subtracts z while fetching: i4 becomes i5, i8 becomes i9.
  template <Scalar D2, MapType Time, MapType Packet>
  [[nodiscard]] constexpr auto fetch_with_zero_point(std::int64_t z, D2 = {}, Time = {}, Packet = {},
                                                     Where at = std::source_location::current()) && {
    return Pass::template fetched<D2, Time, Packet, false, i8, i8, 1>(this->end_, nullptr, &z, at);
  }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::fetch_with_zero_points> : public Methods<Pass, Rest> {
 public:
  /// One for each of two interleaved tensors.
  template <Scalar D2, MapType Time, MapType Packet>
  [[nodiscard]] constexpr auto fetch_with_zero_points(const std::int64_t (&z)[2], D2 = {}, Time = {}, Packet = {},
                                                      Where at = std::source_location::current()) && {
    return Pass::template fetched<D2, Time, Packet, false, i8, i8, 2>(this->end_, nullptr, z, at);
  }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::switch_to> : public Methods<Pass, Rest> {
 public:
  /// The book's `switch`, which C++ keeps for itself: switch_to<SwitchConfig::Broadcast01{…}, Slice2, Time2>().
  template <SwitchConfig Config, MapType Slice2, MapType Time2>
  [[nodiscard]] constexpr auto switch_to(Slice2 = {}, Time2 = {}, Where at = std::source_location::current()) && {
    return Pass::template switched<Config, Slice2, Time2>(this->end_, at);
  }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::collect> : public Methods<Pass, Rest> {
 public:
  template <MapType Time2, MapType Packet2>
  [[nodiscard]] constexpr auto collect(Time2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    return Pass::template collected<Time2, Packet2>(this->end_, at);
  }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::contract> : public Methods<Pass, Rest> {
 public:
  /// Adds up products within a packet, in the tree.
  template <MapType Packet2>
  [[nodiscard]] constexpr auto contract(Packet2 = {}, Where at = std::source_location::current()) && {
    return Pass::template contracted<ContractOp::Add, Packet2>(this->end_, at);
  }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::accumulate> : public Methods<Pass, Rest> {
 public:
  /// Adds up over time, and puts the Rows into Packet: accumulate<Time2, Packet2>(AccumulationKind::Interleaved).
  template <MapType Time2, MapType Packet2, AccumulationKind::Code Kind>
  [[nodiscard]] constexpr auto accumulate(Known<Kind>, Time2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    return Pass::template accumulated<Kind, Time2, Packet2>(this->end_, at);
  }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::align> : public Methods<Pass, Rest> {
 public:
  /// Pairs the stream with weights: Time and Packet of the computation.
  template <MapType Time2, MapType Packet2, Scalar Weights, MapType C, MapType Cl, MapType S, MapType Row, MapType Element>
  [[nodiscard]] constexpr auto align(const TrfTensor<Weights, C, Cl, S, Row, Element>& trf, Time2 = {}, Packet2 = {},
                                     Where at = std::source_location::current()) && {
    return Pass::template aligned<Time2, Packet2>(this->end_, trf, at);
  }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::contract_max> : public Methods<Pass, Rest> {
 public:
  /// The greatest product instead of their sum.
  template <MapType Packet2>
  [[nodiscard]] constexpr auto contract_max(Packet2 = {}, Where at = std::source_location::current()) && {
    return Pass::template contracted<ContractOp::Max, Packet2>(this->end_, at);
  }
};

// After the engines.

template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::commit> : public Methods<Pass, Rest> {
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
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::commit_cast> : public Methods<Pass, Rest> {
 public:
  /// Casts on the way into DM: commit_cast<bf16>().commit<Element>().
  template <Scalar D2>
  [[nodiscard]] constexpr auto commit_cast(D2 = {}, Where at = std::source_location::current()) && {
    return Pass::template cast_at_commit<StageKind::CommitCast, D2>(this->end_, at);
  }
  /// Makes 0 of what is negative, then casts.
  template <Scalar D2>
  [[nodiscard]] constexpr auto commit_cast_relu(D2 = {}, Where at = std::source_location::current()) && {
    return Pass::template cast_at_commit<StageKind::CommitCastRelu, D2>(this->end_, at);
  }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::cast> : public Methods<Pass, Rest> {
 public:
  template <Scalar D2, MapType Packet2>
  [[nodiscard]] constexpr auto cast(D2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    return Pass::template cast<D2, Packet2>(this->end_, at);
  }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::transpose> : public Methods<Pass, Rest> {
 public:
  template <MapType Time2, MapType Packet2>
  [[nodiscard]] constexpr auto transpose(Time2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    return Pass::template transposed<Time2, Packet2>(this->end_, at);
  }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::to_trf> : public Methods<Pass, Rest> {
 public:
  template <MapType Row, MapType Element>
  [[nodiscard]] constexpr auto to_trf(TrfAddress address, Row = {}, Element = {}, Where at = std::source_location::current()) && {
    return Pass::template stored_in_trf<Row, Element>(this->end_, address, at);
  }
  [[nodiscard]] constexpr IntoTrf<Pass> to_trf(TrfAddress address, Where at = std::source_location::current()) && {
    return {this->end_, address, at};
  }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::to_vrf> : public Methods<Pass, Rest> {
 public:
  template <MapType Element>
  [[nodiscard]] constexpr auto to_vrf(Address address = {}, Element = {}, Where at = std::source_location::current()) && {
    return Pass::template stored_in_vrf<Element>(this->end_, address, at);
  }
  [[nodiscard]] constexpr IntoVrf<Pass> to_vrf(Address address = {}, Where at = std::source_location::current()) && {
    return {this->end_, address, at};
  }
};

// The Vector Engine.

template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::vector_init> : public Methods<Pass, Rest> {
 public:
  [[nodiscard]] constexpr auto vector_init(Where at = std::source_location::current()) && { return Pass::entered(this->end_, at); }
};
// Entering.

template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::branch> : public Methods<Pass, Rest> {
 public:
  template <class Mode>
  [[nodiscard]] constexpr auto vector_intra_slice_branch(const Mode& mode, Where at = std::source_location::current()) && {
    return Pass::branched(this->end_, mode, at);
  }
  /// BranchMode::Vrf: the ids that a branch log wrote in an earlier pass.
  template <class Mode, Scalar L, MapType C, MapType Cl, MapType S, MapType E>
  [[nodiscard]] constexpr auto vector_intra_slice_branch(const Mode& mode, const VrfTensor<L, C, Cl, S, E>& log,
                                                         Where at = std::source_location::current()) && {
    return Pass::template branched_by<Mode, VrfTensor<L, C, Cl, S, E>, L>(this->end_, mode, node_of(log), at);
  }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::branch_log> : public Methods<Pass, Rest> {
 public:
  /// Writes the execution ids, i32 each: vector_branch_log<Element>(address, log).
  template <MapType Element>
  [[nodiscard]] constexpr auto vector_branch_log(
      Address address, VrfTensor<i32, typename Pass::ChipOf, typename Pass::ClusterOf, typename Pass::SliceOf, Element>& log,
      Where at = std::source_location::current()) && {
    return Pass::template logged<Element>(this->end_, address, log, at);
  }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::unzip> : public Methods<Pass, Rest> {
 public:
  /// Two groups, told apart by I: TileTime is Time with I as 1 # 2, SplitTime without it.
  template <auto I, MapType TileTime, MapType SplitTime>
  [[nodiscard]] constexpr auto vector_intra_slice_unzip(TileTime = {}, SplitTime = {}, Where at = std::source_location::current()) && {
    return Pass::template unzipped<I, TileTime, SplitTime>(this->end_, at);
  }
};

// Operations: up to four slots, constants first.

#define TCP_DETAIL_BINARY(OFFER, METHOD, ...)                                                                                    \
  template <class Pass, Offers Rest>                                                                                             \
  class Method<Pass, Rest, OFFER> : public Methods<Pass, Rest> {                                                                 \
   public:                                                                                                                       \
    template <auto Code, class A, class B = NoOperand, class C = NoOperand, class E = NoOperand>                                 \
    [[nodiscard]] constexpr auto METHOD(Known<Code>, const A& a, const B& b = {}, const C& c = {}, const E& e = {},              \
                                        Where at = std::source_location::current()) && {                                         \
      return Pass::template computed<step_for<__VA_ARGS__, Code>(Groups::both)>(this->end_, a, b, c, e, at);                     \
    }                                                                                                                            \
    template <auto Code, auto Mode, class A = NoOperand, class B = NoOperand, class C = NoOperand, class E = NoOperand>          \
    [[nodiscard]] constexpr auto METHOD##_with_mode(Known<Code>, Known<Mode>, const A& a = {}, const B& b = {}, const C& c = {}, \
                                                    const E& e = {}, Where at = std::source_location::current()) && {            \
      return Pass::template computed<step_for<__VA_ARGS__, Code, Mode>(Groups::both)>(this->end_, a, b, c, e, at);               \
    }                                                                                                                            \
  };
TCP_DETAIL_BINARY(Offer::logic, vector_logic, op_of_code<Code>)
TCP_DETAIL_BINARY(Offer::fxp, vector_fxp, FxpBinaryOp)
TCP_DETAIL_BINARY(Offer::fp_binary, vector_fp_binary, FpBinaryOp)
TCP_DETAIL_BINARY(Offer::fp_div, vector_fp_div, FpDivBinaryOp)
TCP_DETAIL_BINARY(Offer::clip, vector_clip, op_of_code<Code>)
#undef TCP_DETAIL_BINARY

template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::fp_unary> : public Methods<Pass, Rest> {
  using N = NoOperand;

 public:
  template <auto Code>
  [[nodiscard]] constexpr auto vector_fp_unary(Known<Code>, Where at = std::source_location::current()) && {
    return Pass::template computed<step_for<FpUnaryOp, Code>(Groups::both)>(this->end_, N{}, N{}, N{}, N{}, at);
  }
  template <auto Code, auto Mode>
  [[nodiscard]] constexpr auto vector_fp_unary_with_mode(Known<Code>, Known<Mode>, Where at = std::source_location::current()) && {
    return Pass::template computed<step_for<FpUnaryOp, Code, Mode>(Groups::both)>(this->end_, N{}, N{}, N{}, N{}, at);
  }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::fp_ternary> : public Methods<Pass, Rest> {
  using N = NoOperand;

 public:
  template <auto Code, VectorOperand A, VectorOperand B>
  [[nodiscard]] constexpr auto vector_fp_ternary(Known<Code>, const A& operand0, const B& operand1,
                                                 Where at = std::source_location::current()) && {
    TernaryOperand<A, B> const both(operand0, operand1);
    return Pass::template computed<step_for<FpTernaryOp, Code>(Groups::both)>(this->end_, both, N{}, N{}, N{}, at);
  }
  template <auto Code, auto Mode, VectorOperand A, VectorOperand B>
  [[nodiscard]] constexpr auto vector_fp_ternary_with_mode(Known<Code>, Known<Mode>, const A& operand0, const B& operand1,
                                                           Where at = std::source_location::current()) && {
    TernaryOperand<A, B> const both(operand0, operand1);
    return Pass::template computed<step_for<FpTernaryOp, Code, Mode>(Groups::both)>(this->end_, both, N{}, N{}, N{}, at);
  }
  /// Slots of TernaryOperand, with guards where wanted.
  template <auto Code, class A, class B = NoOperand, class C = NoOperand, class E = NoOperand>
  requires(!VectorOperand<A>)
  [[nodiscard]] constexpr auto vector_fp_ternary(Known<Code>, const A& a, const B& b = {}, const C& c = {}, const E& e = {},
                                                 Where at = std::source_location::current()) && {
    return Pass::template computed<step_for<FpTernaryOp, Code>(Groups::both)>(this->end_, a, b, c, e, at);
  }
  template <auto Code, auto Mode, class A, class B = NoOperand, class C = NoOperand, class E = NoOperand>
  requires(!VectorOperand<A>)
  [[nodiscard]] constexpr auto vector_fp_ternary_with_mode(Known<Code>, Known<Mode>, const A& a, const B& b = {}, const C& c = {},
                                                           const E& e = {}, Where at = std::source_location::current()) && {
    return Pass::template computed<step_for<FpTernaryOp, Code, Mode>(Groups::both)>(this->end_, a, b, c, e, at);
  }
};

// Operations on two groups: one operand for each, `skip` for none; and those that make one stream of the two.

#define TCP_DETAIL_GROUPS(METHOD, ...)                                                                                                    \
  template <auto Code, class Zero, class One>                                                                                             \
  [[nodiscard]] constexpr auto METHOD(Known<Code>, const Zero& group0, const One& group1, Where at = std::source_location::current())&& { \
    constexpr VectorStep step = step_for<__VA_ARGS__, Code>(groups_of<Zero, One>);                                                        \
    return Pass::template computed_in_groups<step>(this->end_, group0, group1, at);                                                       \
  }                                                                                                                                       \
  template <auto Code, auto Mode, class Zero, class One>                                                                                  \
  [[nodiscard]] constexpr auto METHOD##_with_mode(Known<Code>, Known<Mode>, const Zero& group0, const One& group1,                        \
                                                  Where at = std::source_location::current())&& {                                         \
    constexpr VectorStep step = step_for<__VA_ARGS__, Code, Mode>(groups_of<Zero, One>);                                                  \
    return Pass::template computed_in_groups<step>(this->end_, group0, group1, at);                                                       \
  }
#define TCP_DETAIL_ZIP(METHOD, ...)                                                                                         \
  template <auto Code>                                                                                                      \
  [[nodiscard]] constexpr auto METHOD(Known<Code>, Where at = std::source_location::current())&& {                          \
    constexpr VectorStep step = step_for<__VA_ARGS__, Code>(Groups::zip);                                                   \
    return Pass::template computed_alone<step>(this->end_, step, at);                                                       \
  }                                                                                                                         \
  template <auto Code, auto Mode>                                                                                           \
  [[nodiscard]] constexpr auto METHOD##_with_mode(Known<Code>, Known<Mode>, Where at = std::source_location::current())&& { \
    constexpr VectorStep step = step_for<__VA_ARGS__, Code, Mode>(Groups::zip);                                             \
    return Pass::template computed_alone<step>(this->end_, step, at);                                                       \
  }
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::pair_logic> : public Methods<Pass, Rest> {
 public:
  TCP_DETAIL_GROUPS(vector_logic, op_of_code<Code>)
  TCP_DETAIL_ZIP(vector_logic_zip, op_of_code<Code>)
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::pair_fxp> : public Methods<Pass, Rest> {
 public:
  TCP_DETAIL_GROUPS(vector_fxp, FxpBinaryOp)
  TCP_DETAIL_ZIP(vector_fxp_zip, FxpBinaryOp)
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::pair_fp_binary> : public Methods<Pass, Rest> {
 public:
  TCP_DETAIL_GROUPS(vector_fp_binary, FpBinaryOp)
  TCP_DETAIL_ZIP(vector_fp_zip, FpBinaryOp)
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::pair_fp_ternary> : public Methods<Pass, Rest> {
 public:
  TCP_DETAIL_GROUPS(vector_fp_ternary, FpTernaryOp)
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::pair_fp_div> : public Methods<Pass, Rest> {
 public:
  TCP_DETAIL_GROUPS(vector_fp_div, FpDivBinaryOp)
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::pair_clip> : public Methods<Pass, Rest> {
 public:
  TCP_DETAIL_GROUPS(vector_clip, op_of_code<Code>)
  TCP_DETAIL_ZIP(vector_clip_zip, op_of_code<Code>)
};
#undef TCP_DETAIL_GROUPS
#undef TCP_DETAIL_ZIP
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::pair_fp_unary> : public Methods<Pass, Rest> {
 public:
  template <auto Code>
  [[nodiscard]] constexpr auto vector_fp_unary(Known<Code>, bool group0, bool group1, Where at = std::source_location::current()) && {
    constexpr VectorStep step = step_for<FpUnaryOp, Code>(Groups::both);
    VectorStep told = step;
    told.groups = group0 ? (group1 ? Groups::both : Groups::group0) : group1 ? Groups::group1 : Groups::neither;
    return Pass::template computed_alone<step>(this->end_, told, at);
  }
};

// Conversions and widths.

template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::fxp_to_fp> : public Methods<Pass, Rest> {
 public:
  [[nodiscard]] constexpr auto vector_fxp_to_fp(int int_width, Where at = std::source_location::current()) && {
    return Pass::template computed_alone<fxp_to_fp_step(31)>(this->end_, fxp_to_fp_step(int_width), at);
  }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::fp_to_fxp> : public Methods<Pass, Rest> {
 public:
  [[nodiscard]] constexpr auto vector_fp_to_fxp(int int_width, Where at = std::source_location::current()) && {
    return Pass::template computed_alone<fp_to_fxp_step(31)>(this->end_, fp_to_fxp_step(int_width), at);
  }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::reinterpret> : public Methods<Pass, Rest> {
 public:
  /// Takes the bits for the other type: vector_reinterpret<f32>() of a stream of i32. It costs nothing.
  template <Scalar D2>
  [[nodiscard]] constexpr auto vector_reinterpret(D2 = {}, Where at = std::source_location::current()) && {
    return Pass::template computed_alone<reinterpret_step(D2::type)>(this->end_, reinterpret_step(D2::type), at);
  }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::split> : public Methods<Pass, Rest> {
 public:
  template <MapType Time2, MapType Packet2>
  [[nodiscard]] constexpr auto vector_split(Time2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    return Pass::template reshaped<VectorMethod::split, Time2, Packet2>(this->end_, at);
  }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::concat> : public Methods<Pass, Rest> {
 public:
  template <MapType Time2, MapType Packet2>
  [[nodiscard]] constexpr auto vector_concat(Time2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    return Pass::template reshaped<VectorMethod::concat, Time2, Packet2>(this->end_, at);
  }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::trim_way4> : public Methods<Pass, Rest> {
 public:
  template <MapType Packet2>
  [[nodiscard]] constexpr auto vector_trim_way4(Packet2 = {}, Where at = std::source_location::current()) && {
    return Pass::template reshaped<VectorMethod::trim_way4, typename Pass::TimeOf, Packet2>(this->end_, at);
  }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::pad_way8> : public Methods<Pass, Rest> {
 public:
  template <MapType Packet2>
  [[nodiscard]] constexpr auto vector_pad_way8(Packet2 = {}, Where at = std::source_location::current()) && {
    return Pass::template reshaped<VectorMethod::pad_way8, typename Pass::TimeOf, Packet2>(this->end_, at);
  }
};

// Reduces.

template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::intra_slice_reduce> : public Methods<Pass, Rest> {
 public:
  /// Folds axis R as far as it is in Time and Packet: vector_intra_slice_reduce<R, Time2,
  /// Packet2>(IntraSliceReduceOpF32::Add).
  template <auto R, MapType Time2, MapType Packet2, class Op>
  [[nodiscard]] constexpr auto vector_intra_slice_reduce(Op op, Time2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    return Pass::template reduced<R, Time2, Packet2>(this->end_, op, at);
  }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::inter_slice_reduce> : public Methods<Pass, Rest> {
 public:
  /// Folds over slices: vector_inter_slice_reduce<Slice2, Time2>(InterSliceReduceOpI32::AddSat).
  template <MapType Slice2, MapType Time2, class Op>
  [[nodiscard]] constexpr auto vector_inter_slice_reduce(Op op, Slice2 = {}, Time2 = {}, Where at = std::source_location::current()) && {
    return Pass::template reduced_over_slices<Slice2, Time2>(this->end_, op, at);
  }
};

// Beside the stream.

template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::stash> : public Methods<Pass, Rest> {
 public:
  /// Keeps the stream as it is now, to be read once by a later operation as `Stash`.
  [[nodiscard]] constexpr auto vector_stash(Where at = std::source_location::current()) && { return Pass::stashed(this->end_, at); }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::write_operand> : public Methods<Pass, Rest> {
 public:
  /// Writes the stream's elements, or those of some execution ids, into a VRF tensor that later time steps read.
  template <Scalar V, MapType C, MapType Cl, MapType S, MapType E>
  [[nodiscard]] constexpr auto vector_write_operand(const VrfTensor<V, C, Cl, S, E>& vrf, OperandGuard guard = {},
                                                    Where at = std::source_location::current()) && {
    return Pass::template written<VrfTensor<V, C, Cl, S, E>, V>(this->end_, node_of(vrf), guard, at);
  }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::filter> : public Methods<Pass, Rest> {
  using Count = VrfTensor<i32, typename Pass::ChipOf, typename Pass::ClusterOf, typename Pass::SliceOf, m<1>>;

 public:
  /// Drops the lanes of all other execution ids and closes up: Time2 is an upper bound.
  template <MapType Time2, MapType Packet2>
  [[nodiscard]] constexpr auto vector_filter(OperandGuard keep, Time2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    return Pass::template filtered<Time2, Packet2>(this->end_, keep, nullptr, at);
  }
  /// Also writes how many lanes were kept, an i32 in VRF.
  template <MapType Time2, MapType Packet2>
  [[nodiscard]] constexpr auto vector_filter(OperandGuard keep, Address count_address, Count& count, Time2 = {}, Packet2 = {},
                                             Where at = std::source_location::current()) && {
    count = Count(vrf_tensor(this->end_.session, Inside::layout<Count>(), count_address, at));
    return Pass::template filtered<Time2, Packet2>(this->end_, keep, node_of(count), at);
  }
};
template <class Pass, Offers Rest>
class Method<Pass, Rest, Offer::output> : public Methods<Pass, Rest> {
 public:
  [[nodiscard]] constexpr auto vector_final(Where at = std::source_location::current()) && { return Pass::finished(this->end_, at); }
};

}  // namespace tcp::detail
