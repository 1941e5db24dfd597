// Methods that can be called and that no editor offers: what may not follow a stage is refused there in our words.
//
// clangd offers every member that it finds, each declaration once, and drops those whose first way to it is private.
// The compiler takes static members that it finds on two ways for the same ones, and goes the more open way. So the set
// of static methods is inherited twice, on a private way first: a class that derives from Unoffered<Pass> answers to
// `cast`, and does not offer it; one that has a `cast` of its own offers that. g++ finds a name on two ways ambiguous,
// and shows no completions: it gets the one way.
#pragma once

#include "tcp/dsl/offers.hpp"
#include "tcp/dsl/pass.hpp"

namespace tcp::detail {

/// The step that a call in the Vector Engine asks for: its operation is told by the type of the first argument.
template <class First>
struct OperationOf {
  static constexpr VectorStep step(VectorMethod m, Groups) { return step_of(m); }
};
template <auto Code>
struct OperationOf<Known<Code>> {
  static constexpr VectorStep step(VectorMethod m, Groups groups) {
    if constexpr (requires { typename OpOf<Code>::type; }) return step_for<op_of_code<Code>, Code>(groups);
    else return step_of(m);
  }
};
template <class... Args>
struct FirstOf {
  using type = NoOperand;
};
template <class First, class... Rest>
struct FirstOf<First, Rest...> {
  using type = First;
};

template <class Pass>
struct RefusedMethods {
  // By the state alone: neither template arguments nor operands matter.
#if defined(__clang__) && !(defined(__cpp_static_assert) && __cpp_static_assert >= 202306L)
  // clang shows three lines for each macro and each template on the way to an assertion; this is the shortest way.
#define TCP_METHOD(NAME, STAGE)                                                                                     \
  template <class... T, class... A>                                                                                 \
  static constexpr AfterRefusal NAME(const A&...) {                                                                 \
    static_assert(accepted<typename Say<sentence_of(check_follows(target, Pass::state, StageKind::STAGE))>::type>); \
    return {};                                                                                                      \
  }
#define TCP_VECTOR_METHOD(NAME, STEP)                                                                                 \
  template <class... T, class... A>                                                                                   \
  static constexpr AfterRefusal NAME(const A&...) {                                                                   \
    using First = typename FirstOf<A...>::type;                                                                       \
    static_assert(accepted<typename Say<sentence_of(step_verdict<First>(VectorMethod::STEP, is_zip(#NAME)))>::type>); \
    return {};                                                                                                        \
  }
#else
#define TCP_METHOD(NAME, STAGE)                     \
  template <class... T, class... A>                 \
  static constexpr AfterRefusal NAME(const A&...) { \
    return refused<StageKind::STAGE>();             \
  }
#define TCP_VECTOR_METHOD(NAME, STEP)                                                       \
  template <class... T, class... A>                                                         \
  static constexpr AfterRefusal NAME(const A&...) {                                         \
    return refused_step<VectorMethod::STEP, is_zip(#NAME), typename FirstOf<A...>::type>(); \
  }
#endif
#define TCP_METHOD_OF_VALUE(NAME)                                       \
  template <auto V, class... T, class... A>                             \
  static constexpr AfterRefusal NAME(const A&... a) {                   \
    return (NAME<T...>)(a...); /* NOLINT(bugprone-macro-parentheses) */ \
  }
#include "tcp/dsl/methods.def"

  // Not by the state alone.

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
  template <MapType Packet2>
  static constexpr auto contract_max(Packet2 = {}, Where at = {}) {
    return Pass::template contracted<ContractOp::Max, Packet2>(End{}, at);
  }
  /// Valid-count packing: the book does not say what counts, so no program can ask for it (rules/commit.hpp).
  template <MapType Element>
  static constexpr auto commit_packed(Address address = {}, Element = {}, Where at = {}) {
    return Pass::template committed<Element, true>(End{}, address, nullptr, at);
  }

 private:
  static constexpr bool is_zip(std::string_view name) { return name.find("_zip") != name.npos; }
  template <StageKind Kind>
  static constexpr AfterRefusal refused() {
    TCP_REFUSE(check_follows(target, Pass::state, Kind));
    return {};
  }
  template <VectorMethod Method, bool Zip, class First>
  static constexpr AfterRefusal refused_step() {
    TCP_REFUSE(step_verdict<First>(Method, Zip));
    return {};
  }
  template <class First>
  static constexpr Verdict step_verdict(VectorMethod m, bool zip) {
    if (Pass::state.after != StreamStage::VectorEngine) return check_follows(target, Pass::state, kind_of(m), info_of(m).name);
    return check_operation(Pass::state.vector, OperationOf<First>::step(m, zip ? Groups::zip : Groups::both));
  }
};

#if defined(__clang__)
template <class Pass, int Way>
struct RefusedOn : RefusedMethods<Pass> {
#define TCP_METHOD(NAME, STAGE) using RefusedMethods<Pass>::NAME;
#include "tcp/dsl/methods.def"
  using RefusedMethods<Pass>::fetch_with_table;
  using RefusedMethods<Pass>::fetch_with_zero_point;
  using RefusedMethods<Pass>::fetch_with_zero_points;
  using RefusedMethods<Pass>::contract_max;
  using RefusedMethods<Pass>::commit_packed;
};
template <class Pass>
struct Unoffered : private RefusedOn<Pass, 0>, public RefusedOn<Pass, 1> {};
#else
template <class Pass>
using Unoffered = RefusedMethods<Pass>;
#endif

}  // namespace tcp::detail
