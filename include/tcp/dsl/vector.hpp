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
//
// An author sees two things of a state. What may follow, offered by the editor behind the point: a stream inherits one Step for each method that its state
// offers (vector_offers.hpp). And why anything else may not: below the Steps lies RefusedSteps with all methods, static, each of which says its sentence. A
// Step's method hides the refused one of its name.
#pragma once

#include "tcp/dsl/vector_offers.hpp"
#include "tcp/dsl/vector_pass.hpp"

namespace tcp {
namespace detail {

// Methods that are not of the phase, for their sentence alone. They have the result that the step would have, so that what follows is judged as it stands.

template <class Pass>
struct RefusedSteps {
  template <class Mode, class... Log>
  static constexpr auto vector_intra_slice_branch(const Mode& mode, const Log&...) {
    return Pass::branched(End{}, mode, {});
  }
  template <auto I, MapType TileTime, MapType SplitTime>
  static constexpr auto vector_intra_slice_unzip(TileTime = {}, SplitTime = {}, Where at = {}) {
    return Pass::template unzipped<I, TileTime, SplitTime>(End{}, at);
  }
  template <MapType Element, Scalar L, MapType C, MapType Cl, MapType S>
  static constexpr auto vector_branch_log(Address address, VrfTensor<L, C, Cl, S, Element>& log, Where at = {}) {
    return Pass::template logged<Element>(End{}, address, log, at);
  }

#define TCP_DETAIL_REFUSED(METHOD, ...)                                              \
  template <auto Code, class... A>                                                   \
  static constexpr auto METHOD(Known<Code>, const A&...) {                           \
    return refused<step_for<__VA_ARGS__, Code>(groups_of_operands<A...>())>();       \
  }                                                                                  \
  template <auto Code, auto Mode, class... A>                                        \
  static constexpr auto METHOD##_with_mode(Known<Code>, Known<Mode>, const A&...) {  \
    return refused<step_for<__VA_ARGS__, Code, Mode>(groups_of_operands<A...>())>(); \
  }
#define TCP_DETAIL_REFUSED_ZIP(METHOD, ...)                                        \
  template <auto Code>                                                             \
  static constexpr auto METHOD(Known<Code>, Where = {}) {                          \
    return refused<step_for<__VA_ARGS__, Code>(Groups::zip)>();                    \
  }                                                                                \
  template <auto Code, auto Mode>                                                  \
  static constexpr auto METHOD##_with_mode(Known<Code>, Known<Mode>, Where = {}) { \
    return refused<step_for<__VA_ARGS__, Code, Mode>(Groups::zip)>();              \
  }
  TCP_DETAIL_REFUSED(vector_logic, op_of_code<Code>)
  TCP_DETAIL_REFUSED(vector_fxp, FxpBinaryOp)
  TCP_DETAIL_REFUSED(vector_fp_unary, FpUnaryOp)
  TCP_DETAIL_REFUSED(vector_fp_binary, FpBinaryOp)
  TCP_DETAIL_REFUSED(vector_fp_ternary, FpTernaryOp)
  TCP_DETAIL_REFUSED(vector_fp_div, FpDivBinaryOp)
  TCP_DETAIL_REFUSED(vector_clip, op_of_code<Code>)
  TCP_DETAIL_REFUSED_ZIP(vector_logic_zip, op_of_code<Code>)
  TCP_DETAIL_REFUSED_ZIP(vector_fxp_zip, FxpBinaryOp)
  TCP_DETAIL_REFUSED_ZIP(vector_fp_zip, FpBinaryOp)
  TCP_DETAIL_REFUSED_ZIP(vector_clip_zip, op_of_code<Code>)
#undef TCP_DETAIL_REFUSED
#undef TCP_DETAIL_REFUSED_ZIP

  static constexpr auto vector_fxp_to_fp(int, Where at = {}) { return Pass::template converted<f32, fxp_to_fp_step(31)>(End{}, {}, at); }
  static constexpr auto vector_fp_to_fxp(int, Where at = {}) { return Pass::template converted<i32, fp_to_fxp_step(31)>(End{}, {}, at); }
  template <MapType Time2, MapType Packet2>
  static constexpr auto vector_split(Time2 = {}, Packet2 = {}, Where at = {}) {
    return Pass::template reshaped<VectorMethod::split, Reshaping::split, Time2, Packet2>(End{}, at);
  }
  template <MapType Time2, MapType Packet2>
  static constexpr auto vector_concat(Time2 = {}, Packet2 = {}, Where at = {}) {
    return Pass::template reshaped<VectorMethod::concat, Reshaping::concat, Time2, Packet2>(End{}, at);
  }
  template <MapType Packet2>
  static constexpr auto vector_trim_way4(Packet2 = {}, Where at = {}) {
    return Pass::template trimmed<Packet2>(End{}, at);
  }
  template <MapType Packet2>
  static constexpr auto vector_pad_way8(Packet2 = {}, Where at = {}) {
    return Pass::template padded<Packet2>(End{}, at);
  }
  template <auto R, MapType Time2, MapType Packet2, class Op>
  static constexpr auto vector_intra_slice_reduce(Op op, Time2 = {}, Packet2 = {}, Where at = {}) {
    return Pass::template reduced<R, Time2, Packet2>(End{}, op, at);
  }
  template <MapType Slice2, MapType Time2, class Op>
  static constexpr auto vector_inter_slice_reduce(Op op, Slice2 = {}, Time2 = {}, Where at = {}) {
    return Pass::template reduced_over_slices<Slice2, Time2>(End{}, op, at);
  }
  static constexpr auto vector_stash(Where at = {}) { return Pass::stashed(End{}, at); }
  template <Scalar V, MapType C, MapType Cl, MapType S, MapType E>
  static constexpr auto vector_write_operand(const VrfTensor<V, C, Cl, S, E>&, OperandGuard = {}, Where at = {}) {
    return Pass::template written<VrfTensor<V, C, Cl, S, E>, V>(End{}, nullptr, {}, at);
  }
  template <MapType Time2, MapType Packet2>
  static constexpr auto vector_filter(OperandGuard keep, Time2 = {}, Packet2 = {}, Where at = {}) {
    return Pass::template filtered<Time2, Packet2>(End{}, keep, nullptr, at);
  }
  static constexpr auto vector_filter(OperandGuard keep, Where at = {}) {
    return Pass::template filtered<typename Pass::TimeOf, typename Pass::PacketOf>(End{}, keep, nullptr, at);
  }
  template <MapType Time2, MapType Packet2, class Count>
  static constexpr auto vector_filter(OperandGuard keep, Address, Count&, Time2 = {}, Packet2 = {}, Where at = {}) {
    return Pass::template filtered<Time2, Packet2>(End{}, keep, nullptr, at);
  }
  static constexpr auto vector_final(Where at = {}) { return Pass::finished(End{}, at); }

 private:
  template <VectorStep Step>
  static constexpr auto refused() {
    return Pass::template computed_alone<Step>(End{}, Step, {});
  }
  /// For whom an operation is, in two-group mode.
  template <class Zero = NoOperand, class One = NoOperand, class... More>
  static constexpr Groups groups_of_operands() {
    return Pass::state.mode == VectorState::Mode::paired ? groups_of<Zero, One> : Groups::both;
  }
};

TCP_DETAIL_UNOFFERED(UnofferedSteps, RefusedSteps, using RefusedSteps<Pass>::vector_intra_slice_branch;
                     using RefusedSteps<Pass>::vector_intra_slice_unzip; using RefusedSteps<Pass>::vector_branch_log;
                     using RefusedSteps<Pass>::vector_logic; using RefusedSteps<Pass>::vector_fxp;
                     using RefusedSteps<Pass>::vector_fp_unary; using RefusedSteps<Pass>::vector_fp_binary;
                     using RefusedSteps<Pass>::vector_fp_ternary; using RefusedSteps<Pass>::vector_fp_div;
                     using RefusedSteps<Pass>::vector_clip; using RefusedSteps<Pass>::vector_logic_zip;
                     using RefusedSteps<Pass>::vector_fxp_zip; using RefusedSteps<Pass>::vector_fp_zip;
                     using RefusedSteps<Pass>::vector_clip_zip; using RefusedSteps<Pass>::vector_logic_with_mode;
                     using RefusedSteps<Pass>::vector_fxp_with_mode; using RefusedSteps<Pass>::vector_fp_unary_with_mode;
                     using RefusedSteps<Pass>::vector_fp_binary_with_mode; using RefusedSteps<Pass>::vector_fp_ternary_with_mode;
                     using RefusedSteps<Pass>::vector_fp_div_with_mode; using RefusedSteps<Pass>::vector_clip_with_mode;
                     using RefusedSteps<Pass>::vector_logic_zip_with_mode; using RefusedSteps<Pass>::vector_fxp_zip_with_mode;
                     using RefusedSteps<Pass>::vector_fp_zip_with_mode; using RefusedSteps<Pass>::vector_clip_zip_with_mode;
                     using RefusedSteps<Pass>::vector_fxp_to_fp; using RefusedSteps<Pass>::vector_fp_to_fxp;
                     using RefusedSteps<Pass>::vector_split; using RefusedSteps<Pass>::vector_concat;
                     using RefusedSteps<Pass>::vector_trim_way4; using RefusedSteps<Pass>::vector_pad_way8;
                     using RefusedSteps<Pass>::vector_intra_slice_reduce; using RefusedSteps<Pass>::vector_inter_slice_reduce;
                     using RefusedSteps<Pass>::vector_stash; using RefusedSteps<Pass>::vector_write_operand;
                     using RefusedSteps<Pass>::vector_filter; using RefusedSteps<Pass>::vector_final;);

/// One offered method, above those of Rest.
template <class Pass, std::uint32_t Rest, Offer What>
class Step;
template <class Pass, std::uint32_t Offers>
using Steps = Step<Pass, Offers&(Offers - 1), lowest(Offers)>;

template <class Pass, std::uint32_t Rest>
class Step<Pass, Rest, Offer::none> : public UnofferedSteps<Pass> {
 protected:
  End end_;
};

// Entering.

template <class Pass, std::uint32_t Rest>
class Step<Pass, Rest, Offer::branch> : public Steps<Pass, Rest> {
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
template <class Pass, std::uint32_t Rest>
class Step<Pass, Rest, Offer::branch_log> : public Steps<Pass, Rest> {
 public:
  /// Writes the execution ids, i32 each: vector_branch_log<Element>(address, log).
  template <MapType Element>
  [[nodiscard]] constexpr auto vector_branch_log(
      Address address, VrfTensor<i32, typename Pass::ChipOf, typename Pass::ClusterOf, typename Pass::SliceOf, Element>& log,
      Where at = std::source_location::current()) && {
    return Pass::template logged<Element>(this->end_, address, log, at);
  }
};
template <class Pass, std::uint32_t Rest>
class Step<Pass, Rest, Offer::unzip> : public Steps<Pass, Rest> {
 public:
  /// Two groups, told apart by I: TileTime is Time with I as 1 # 2, SplitTime without it.
  template <auto I, MapType TileTime, MapType SplitTime>
  [[nodiscard]] constexpr auto vector_intra_slice_unzip(TileTime = {}, SplitTime = {}, Where at = std::source_location::current()) && {
    return Pass::template unzipped<I, TileTime, SplitTime>(this->end_, at);
  }
};

// Operations: up to four slots, constants first.

#define TCP_DETAIL_BINARY(OFFER, METHOD, ...)                                                                                    \
  template <class Pass, std::uint32_t Rest>                                                                                      \
  class Step<Pass, Rest, OFFER> : public Steps<Pass, Rest> {                                                                     \
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

template <class Pass, std::uint32_t Rest>
class Step<Pass, Rest, Offer::fp_unary> : public Steps<Pass, Rest> {
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
template <class Pass, std::uint32_t Rest>
class Step<Pass, Rest, Offer::fp_ternary> : public Steps<Pass, Rest> {
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
template <class Pass, std::uint32_t Rest>
class Step<Pass, Rest, Offer::pair_logic> : public Steps<Pass, Rest> {
 public:
  TCP_DETAIL_GROUPS(vector_logic, op_of_code<Code>)
  TCP_DETAIL_ZIP(vector_logic_zip, op_of_code<Code>)
};
template <class Pass, std::uint32_t Rest>
class Step<Pass, Rest, Offer::pair_fxp> : public Steps<Pass, Rest> {
 public:
  TCP_DETAIL_GROUPS(vector_fxp, FxpBinaryOp)
  TCP_DETAIL_ZIP(vector_fxp_zip, FxpBinaryOp)
};
template <class Pass, std::uint32_t Rest>
class Step<Pass, Rest, Offer::pair_fp_binary> : public Steps<Pass, Rest> {
 public:
  TCP_DETAIL_GROUPS(vector_fp_binary, FpBinaryOp)
  TCP_DETAIL_ZIP(vector_fp_zip, FpBinaryOp)
};
template <class Pass, std::uint32_t Rest>
class Step<Pass, Rest, Offer::pair_fp_ternary> : public Steps<Pass, Rest> {
 public:
  TCP_DETAIL_GROUPS(vector_fp_ternary, FpTernaryOp)
};
template <class Pass, std::uint32_t Rest>
class Step<Pass, Rest, Offer::pair_fp_div> : public Steps<Pass, Rest> {
 public:
  TCP_DETAIL_GROUPS(vector_fp_div, FpDivBinaryOp)
};
template <class Pass, std::uint32_t Rest>
class Step<Pass, Rest, Offer::pair_clip> : public Steps<Pass, Rest> {
 public:
  TCP_DETAIL_GROUPS(vector_clip, op_of_code<Code>)
  TCP_DETAIL_ZIP(vector_clip_zip, op_of_code<Code>)
};
#undef TCP_DETAIL_GROUPS
#undef TCP_DETAIL_ZIP
template <class Pass, std::uint32_t Rest>
class Step<Pass, Rest, Offer::pair_fp_unary> : public Steps<Pass, Rest> {
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

template <class Pass, std::uint32_t Rest>
class Step<Pass, Rest, Offer::fxp_to_fp> : public Steps<Pass, Rest> {
 public:
  [[nodiscard]] constexpr auto vector_fxp_to_fp(int int_width, Where at = std::source_location::current()) && {
    return Pass::template converted<f32, fxp_to_fp_step(31)>(this->end_, fxp_to_fp_step(int_width), at);
  }
};
template <class Pass, std::uint32_t Rest>
class Step<Pass, Rest, Offer::fp_to_fxp> : public Steps<Pass, Rest> {
 public:
  [[nodiscard]] constexpr auto vector_fp_to_fxp(int int_width, Where at = std::source_location::current()) && {
    return Pass::template converted<i32, fp_to_fxp_step(31)>(this->end_, fp_to_fxp_step(int_width), at);
  }
};
template <class Pass, std::uint32_t Rest>
class Step<Pass, Rest, Offer::split> : public Steps<Pass, Rest> {
 public:
  template <MapType Time2, MapType Packet2>
  [[nodiscard]] constexpr auto vector_split(Time2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    return Pass::template reshaped<VectorMethod::split, Reshaping::split, Time2, Packet2>(this->end_, at);
  }
};
template <class Pass, std::uint32_t Rest>
class Step<Pass, Rest, Offer::concat> : public Steps<Pass, Rest> {
 public:
  template <MapType Time2, MapType Packet2>
  [[nodiscard]] constexpr auto vector_concat(Time2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    return Pass::template reshaped<VectorMethod::concat, Reshaping::concat, Time2, Packet2>(this->end_, at);
  }
};
template <class Pass, std::uint32_t Rest>
class Step<Pass, Rest, Offer::trim_way4> : public Steps<Pass, Rest> {
 public:
  template <MapType Packet2>
  [[nodiscard]] constexpr auto vector_trim_way4(Packet2 = {}, Where at = std::source_location::current()) && {
    return Pass::template trimmed<Packet2>(this->end_, at);
  }
};
template <class Pass, std::uint32_t Rest>
class Step<Pass, Rest, Offer::pad_way8> : public Steps<Pass, Rest> {
 public:
  template <MapType Packet2>
  [[nodiscard]] constexpr auto vector_pad_way8(Packet2 = {}, Where at = std::source_location::current()) && {
    return Pass::template padded<Packet2>(this->end_, at);
  }
};

// Reduces.

template <class Pass, std::uint32_t Rest>
class Step<Pass, Rest, Offer::intra_slice_reduce> : public Steps<Pass, Rest> {
 public:
  /// Folds axis R as far as it lies in Time and Packet: vector_intra_slice_reduce<R, Time2, Packet2>(IntraSliceReduceOpF32::Add).
  template <auto R, MapType Time2, MapType Packet2, class Op>
  [[nodiscard]] constexpr auto vector_intra_slice_reduce(Op op, Time2 = {}, Packet2 = {}, Where at = std::source_location::current()) && {
    return Pass::template reduced<R, Time2, Packet2>(this->end_, op, at);
  }
};
template <class Pass, std::uint32_t Rest>
class Step<Pass, Rest, Offer::inter_slice_reduce> : public Steps<Pass, Rest> {
 public:
  /// Folds over slices: vector_inter_slice_reduce<Slice2, Time2>(InterSliceReduceOpI32::AddSat).
  template <MapType Slice2, MapType Time2, class Op>
  [[nodiscard]] constexpr auto vector_inter_slice_reduce(Op op, Slice2 = {}, Time2 = {}, Where at = std::source_location::current()) && {
    return Pass::template reduced_over_slices<Slice2, Time2>(this->end_, op, at);
  }
};

// Beside the stream.

template <class Pass, std::uint32_t Rest>
class Step<Pass, Rest, Offer::stash> : public Steps<Pass, Rest> {
 public:
  /// Keeps the stream as it is now, to be read once by a later operation as `Stash`.
  [[nodiscard]] constexpr auto vector_stash(Where at = std::source_location::current()) && { return Pass::stashed(this->end_, at); }
};
template <class Pass, std::uint32_t Rest>
class Step<Pass, Rest, Offer::write_operand> : public Steps<Pass, Rest> {
 public:
  /// Writes the stream's elements, or those of some execution ids, into a VRF tensor that later time steps read.
  template <Scalar V, MapType C, MapType Cl, MapType S, MapType E>
  [[nodiscard]] constexpr auto vector_write_operand(const VrfTensor<V, C, Cl, S, E>& vrf, OperandGuard guard = {},
                                                    Where at = std::source_location::current()) && {
    return Pass::template written<VrfTensor<V, C, Cl, S, E>, V>(this->end_, node_of(vrf), guard, at);
  }
};
template <class Pass, std::uint32_t Rest>
class Step<Pass, Rest, Offer::filter> : public Steps<Pass, Rest> {
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
template <class Pass, std::uint32_t Rest>
class Step<Pass, Rest, Offer::output> : public Steps<Pass, Rest> {
 public:
  [[nodiscard]] constexpr auto vector_final(Where at = std::source_location::current()) && { return Pass::finished(this->end_, at); }
};

}  // namespace detail

/// A stream inside the Vector Engine.
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet, VectorState State,
          class Kept = detail::NoTensor>
class [[nodiscard]] VectorTensor
    : public detail::Steps<detail::VectorPass<On, D, Chip, Cluster, Slice, Time, Packet, State, Kept>, detail::offers(State)> {
 public:
  constexpr explicit VectorTensor(detail::End end) { this->end_ = end; }
};

/// Two streams that share the pipeline: group 0 and group 1.
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet, VectorState State>
class [[nodiscard]] VectorTensorPair
    : public detail::Steps<detail::VectorPass<On, D, Chip, Cluster, Slice, Time, Packet, State, detail::NoTensor>, detail::offers(State)> {
 public:
  constexpr explicit VectorTensorPair(detail::End end) { this->end_ = end; }
};

namespace detail {

template <StreamStage After, class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
constexpr auto StreamPass<After, On, D, Chip, Cluster, Slice, Time, Packet>::entered(End end, Where at) {
  constexpr auto state = check_vector_init(target, D::type, Packet::mapping);
  TCP_REFUSE(verdict(state));
  constexpr VectorState entered = state ? *state : VectorState{};
  return VectorTensor<On, D, Chip, Cluster, Slice, Time, Packet, entered>(detail::vector_init(end, layout, at));
}

}  // namespace detail
}  // namespace tcp
