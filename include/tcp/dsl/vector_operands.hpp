// What a vector operation computes with, beside the stream: constants, VRF tensors, the stash; for all lanes, for some
// execution ids, for one of two groups.
#pragma once

#include "tcp/dsl/tensor.hpp"
#include "tcp/rules/vector.hpp"
#include "tcp/scalar/scalar.hpp"

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

/// Operands for some execution ids only; the first whose guard holds is taken, and a lane that none claims passes
/// unchanged.
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
  static constexpr Vrf vrf(const Vrf& tensor) {
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

/// The levels of a register file, where a request can refer to them.
template <class Tensor>
inline constexpr Levels register_levels = Inside::levels<Tensor>();

/// For each operand of an operation the levels of its VRF tensor, or null.
struct VrfLevels {
  const Levels* of[Operands::room]{};
  int count = 0;

  constexpr void add(const Levels* levels) {
    if (count < Operands::room) of[count] = levels;
    ++count;
  }
};

/// What the compiler knows of an operand (`shape`, `levels` of a VRF tensor) and what the recording is told (`arg`).
template <class T>
struct OperandOf;

template <ScalarType Type>
struct ConstantOperand {
  static constexpr OperandShape shape{OperandKind::immediate, Type, {}, false, 0};
  static constexpr const Levels* levels = nullptr;
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
/// Refused by check_numbers, with one sentence.
template <class Number>
requires std::is_integral_v<Number> struct OperandOf<Number> : ConstantOperand<ScalarType::i32> {
  static constexpr OperandArg arg(Number v) { return made(static_cast<std::uint32_t>(v)); }
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
  static constexpr const Levels* levels = nullptr;
  static constexpr OperandArg arg(StashOperand) { return {shape, nullptr}; }
};
template <>
struct OperandOf<Skip> {
  static constexpr OperandShape shape{};
  static constexpr const Levels* levels = nullptr;
  static constexpr OperandArg arg(Skip) { return {}; }
};
template <Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Element>
struct OperandOf<VrfTensor<D, Chip, Cluster, Slice, Element>> {
  using Tensor = VrfTensor<D, Chip, Cluster, Slice, Element>;
  static constexpr OperandShape shape{OperandKind::vrf, D::type, {}, false, 0};
  static constexpr const Levels* levels = &register_levels<Tensor>;
  static constexpr OperandArg arg(const Tensor& t) { return {shape, node_of(t)}; }
};

template <class T>
concept VectorOperand = requires { OperandOf<T>::shape; };

/// Whole numbers are given as int: of others it is not said whether their value or their bits are meant.
template <class T>
struct NumberOf {
  static constexpr Verdict check() {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, int>) return vec::foreign_number(8 * sizeof(T), std::is_signed_v<T>);
    else return accept();
  }
};
template <class Operand>
struct NumberOf<Guarded<Operand>> : NumberOf<Operand> {};
template <class First, class Second>
struct NumberOf<TernaryOperand<First, Second>> {
  static constexpr Verdict check() {
    auto const v = NumberOf<First>::check();
    return v ? NumberOf<Second>::check() : v;
  }
};
template <class... T>
constexpr Verdict check_numbers() {
  Verdict v = accept();
  ((v = v ? NumberOf<T>::check() : v), ...);
  return v;
}

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
  static constexpr void vrf(VrfLevels& to) { to.add(OperandOf<T>::levels); }
};
template <>
struct Slot<NoOperand> {
  static constexpr void shapes(Operands&, OperandGuard = {}) {}
  static constexpr void args(OperandList&, NoOperand, OperandGuard = {}) {}
  static constexpr void vrf(VrfLevels&) {}
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
  static constexpr void vrf(VrfLevels& to) {
    Slot<First>::vrf(to);
    Slot<Second>::vrf(to);
  }
};
template <class Operand>
struct Slot<Guarded<Operand>> {
  /// Which ids is a value; that there is a guard is known.
  static constexpr void shapes(Operands& to, OperandGuard = {}) {
    int const first = to.count;
    Slot<Operand>::shapes(to, OperandGuard::group(GroupId::Zero));
    for (int i = first; i < to.count && i < Operands::room; ++i) to.slot[i].guard_known = false;
  }
  static constexpr void args(OperandList& to, const Guarded<Operand>& g, OperandGuard = {}) { Slot<Operand>::args(to, g.operand, g.guard); }
  static constexpr void vrf(VrfLevels& to) { Slot<Operand>::vrf(to); }
};

template <class... T>
constexpr Operands shapes_of() {
  Operands all;
  (Slot<T>::shapes(all), ...);
  return all;
}
/// The shapes of two operands, each for its own group.
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

/// In the order of shapes_of, or of group_shapes.
template <bool Groups, class... T>
constexpr VrfLevels vrf_levels() {
  VrfLevels all;
  ((Groups && std::is_same_v<T, Skip> ? void() : Slot<T>::vrf(all)), ...);
  return all;
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

/// The family of an operation, told by its code.
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
template <FxpBinaryOp::Code Code>
struct OpOf<Code> {
  using type = FxpBinaryOp;
};
template <FpUnaryOp::Code Code>
struct OpOf<Code> {
  using type = FpUnaryOp;
};
template <FpBinaryOp::Code Code>
struct OpOf<Code> {
  using type = FpBinaryOp;
};
template <FpTernaryOp::Code Code>
struct OpOf<Code> {
  using type = FpTernaryOp;
};
template <FpDivBinaryOp::Code Code>
struct OpOf<Code> {
  using type = FpDivBinaryOp;
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

}  // namespace detail

// The table of a `fetch_with_table`: what stands for each value of a narrow index.

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

}  // namespace tcp
