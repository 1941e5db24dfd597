// The vocabulary of the Vector Engine: operations by the book's names, the ALU each takes, argument modes, branch
// modes, guards.
//
// An operation must tell the compiler which ALU it takes, for each ALU runs once per pass. So `FxpBinaryOp::AddFxp` is
// an object whose type holds its value (`Known`), which a typed method deduces; wherever no type is needed it turns
// into the plain value, one byte, that IR, interpreters and lowering keep:
//
//   FxpBinaryOp op = FxpBinaryOp::AddFxp;
//   switch (op) { case FxpBinaryOp::AddFxp: … }
//
// What may follow what is the business of vector_state.hpp.
#pragma once

#include <cstdint>
#include <type_traits>

#include "tcp/device/tensor_unit.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/scalar/arithmetic.hpp"
#include "tcp/scalar/fixed_point.hpp"
#include "tcp/support/known.hpp"

namespace tcp {

/// Each ALU runs once per pass. ReduceAccTree and ReduceFpDiv are what the IntraSliceReduce and FpDiv stages have
/// instead of a choice.
enum class VectorAlu : std::uint8_t {
  none,
  LogicAnd,
  LogicOr,
  LogicXor,
  LogicLshift,
  LogicRshift,
  FxpAdd,
  FxpLshift,
  FxpMul,
  FxpRshift,
  FpFma,
  FpFpu,
  FpExp,
  FpMul0,
  FpMul1,
  ReduceAccTree,
  ReduceFpDiv,
  ClipAdd,
  ClipMax,
  ClipMin,
};

constexpr const char* name_of(VectorAlu alu) {
  constexpr const char* names[] = {"none",      "LogicAnd",      "LogicOr",     "LogicXor", "LogicLshift", "LogicRshift", "FxpAdd",
                                   "FxpLshift", "FxpMul",        "FxpRshift",   "FpFma",    "FpFpu",       "FpExp",       "FpMul0",
                                   "FpMul1",    "ReduceAccTree", "ReduceFpDiv", "ClipAdd",  "ClipMax",     "ClipMin"};
  return names[static_cast<int>(alu)];
}

/// A row of an operation's table.
struct VectorOpInfo {
  const char* name;
  VectorAlu alu;
};

struct LogicBinaryOpI32 {
  enum class Code : std::uint8_t { BitAnd, BitOr, BitXor, LeftShift, LogicRightShift, ArithRightShift };
  static constexpr const char* family = "LogicBinaryOpI32";
  static constexpr VectorOpInfo table[] = {{"BitAnd", VectorAlu::LogicAnd},
                                           {"BitOr", VectorAlu::LogicOr},
                                           {"BitXor", VectorAlu::LogicXor},
                                           {"LeftShift", VectorAlu::LogicLshift},
                                           {"LogicRightShift", VectorAlu::LogicRshift},
                                           {"ArithRightShift", VectorAlu::LogicRshift}};
  Code code{};

  constexpr LogicBinaryOpI32(Code c = {}) : code(c) {}
  template <Code C>
  constexpr LogicBinaryOpI32(Known<C>) : code(C) {}
  constexpr operator Code() const { return code; }

  static constexpr Known<Code::BitAnd> BitAnd{};
  static constexpr Known<Code::BitOr> BitOr{};
  static constexpr Known<Code::BitXor> BitXor{};
  static constexpr Known<Code::LeftShift> LeftShift{};
  static constexpr Known<Code::LogicRightShift> LogicRightShift{};
  static constexpr Known<Code::ArithRightShift> ArithRightShift{};
};

struct LogicBinaryOpF32 {
  enum class Code : std::uint8_t { BitAnd, BitOr, BitXor };
  static constexpr const char* family = "LogicBinaryOpF32";
  static constexpr VectorOpInfo table[] = {{"BitAnd", VectorAlu::LogicAnd}, {"BitOr", VectorAlu::LogicOr}, {"BitXor", VectorAlu::LogicXor}};
  Code code{};

  constexpr LogicBinaryOpF32(Code c = {}) : code(c) {}
  template <Code C>
  constexpr LogicBinaryOpF32(Known<C>) : code(C) {}
  constexpr operator Code() const { return code; }

  static constexpr Known<Code::BitAnd> BitAnd{};
  static constexpr Known<Code::BitOr> BitOr{};
  static constexpr Known<Code::BitXor> BitXor{};
};

struct FxpBinaryOp {
  enum class Code : std::uint8_t {
    AddFxp,
    AddFxpSat,
    SubFxp,
    SubFxpSat,
    LeftShift,
    LeftShiftSat,
    MulFxp,
    MulInt,
    LogicRightShift,
    ArithRightShift,
    ArithRightShiftRound
  };
  static constexpr const char* family = "FxpBinaryOp";
  static constexpr VectorOpInfo table[] = {{"AddFxp", VectorAlu::FxpAdd},
                                           {"AddFxpSat", VectorAlu::FxpAdd},
                                           {"SubFxp", VectorAlu::FxpAdd},
                                           {"SubFxpSat", VectorAlu::FxpAdd},
                                           {"LeftShift", VectorAlu::FxpLshift},
                                           {"LeftShiftSat", VectorAlu::FxpLshift},
                                           {"MulFxp", VectorAlu::FxpMul},
                                           {"MulInt", VectorAlu::FxpMul},
                                           {"LogicRightShift", VectorAlu::FxpRshift},
                                           {"ArithRightShift", VectorAlu::FxpRshift},
                                           {"ArithRightShiftRound", VectorAlu::FxpRshift}};
  Code code{};

  constexpr FxpBinaryOp(Code c = {}) : code(c) {}
  template <Code C>
  constexpr FxpBinaryOp(Known<C>) : code(C) {}
  constexpr operator Code() const { return code; }

  static constexpr Known<Code::AddFxp> AddFxp{};
  static constexpr Known<Code::AddFxpSat> AddFxpSat{};
  static constexpr Known<Code::SubFxp> SubFxp{};
  static constexpr Known<Code::SubFxpSat> SubFxpSat{};
  static constexpr Known<Code::LeftShift> LeftShift{};
  static constexpr Known<Code::LeftShiftSat> LeftShiftSat{};
  static constexpr Known<Code::MulFxp> MulFxp{};
  static constexpr Known<Code::MulInt> MulInt{};
  static constexpr Known<Code::LogicRightShift> LogicRightShift{};
  static constexpr Known<Code::ArithRightShift> ArithRightShift{};
  static constexpr Known<Code::ArithRightShiftRound> ArithRightShiftRound{};
};

struct FpUnaryOp {
  enum class Code : std::uint8_t { Exp, NegExp, Sqrt, Tanh, Sigmoid, Erf, Log, Sin, Cos };
  static constexpr const char* family = "FpUnaryOp";
  static constexpr VectorOpInfo table[] = {{"Exp", VectorAlu::FpExp},  {"NegExp", VectorAlu::FpExp},  {"Sqrt", VectorAlu::FpFpu},
                                           {"Tanh", VectorAlu::FpFpu}, {"Sigmoid", VectorAlu::FpFpu}, {"Erf", VectorAlu::FpFpu},
                                           {"Log", VectorAlu::FpFpu},  {"Sin", VectorAlu::FpFpu},     {"Cos", VectorAlu::FpFpu}};
  Code code{};

  constexpr FpUnaryOp(Code c = {}) : code(c) {}
  template <Code C>
  constexpr FpUnaryOp(Known<C>) : code(C) {}
  constexpr operator Code() const { return code; }

  static constexpr Known<Code::Exp> Exp{};
  static constexpr Known<Code::NegExp> NegExp{};
  static constexpr Known<Code::Sqrt> Sqrt{};
  static constexpr Known<Code::Tanh> Tanh{};
  static constexpr Known<Code::Sigmoid> Sigmoid{};
  static constexpr Known<Code::Erf> Erf{};
  static constexpr Known<Code::Log> Log{};
  static constexpr Known<Code::Sin> Sin{};
  static constexpr Known<Code::Cos> Cos{};
};

/// Which multiplier a MulF or MaskMulF takes.
struct FpMulAlu {
  enum class Code : std::uint8_t { Mul0, Mul1, Fma };
  Code code{};

  constexpr FpMulAlu(Code c = {}) : code(c) {}
  template <Code C>
  constexpr FpMulAlu(Known<C>) : code(C) {}
  constexpr operator Code() const { return code; }

  static constexpr Known<Code::Mul0> Mul0{};
  static constexpr Known<Code::Mul1> Mul1{};
  static constexpr Known<Code::Fma> Fma{};
};

/// MulF and MaskMulF name their multiplier: `FpBinaryOp::MulF(FpMulAlu::Mul0)`. Law: mul_alu(MulF(a)) == a.
struct FpBinaryOp {
  enum class Code : std::uint8_t { AddF, SubF, DivF, MulF0, MulF1, MulFma, MaskMulF0, MaskMulF1, MaskMulFma };
  static constexpr const char* family = "FpBinaryOp";
  static constexpr VectorOpInfo table[] = {{"AddF", VectorAlu::FpFma},
                                           {"SubF", VectorAlu::FpFma},
                                           {"DivF", VectorAlu::FpFpu},
                                           {"MulF(FpMulAlu::Mul0)", VectorAlu::FpMul0},
                                           {"MulF(FpMulAlu::Mul1)", VectorAlu::FpMul1},
                                           {"MulF(FpMulAlu::Fma)", VectorAlu::FpFma},
                                           {"MaskMulF(FpMulAlu::Mul0)", VectorAlu::FpMul0},
                                           {"MaskMulF(FpMulAlu::Mul1)", VectorAlu::FpMul1},
                                           {"MaskMulF(FpMulAlu::Fma)", VectorAlu::FpFma}};
  Code code{};

  constexpr FpBinaryOp(Code c = {}) : code(c) {}
  template <Code C>
  constexpr FpBinaryOp(Known<C>) : code(C) {}
  constexpr operator Code() const { return code; }

  constexpr bool is_mul() const { return code >= Code::MulF0 && code <= Code::MulFma; }
  constexpr bool is_mask_mul() const { return code >= Code::MaskMulF0; }

  static constexpr Known<Code::AddF> AddF{};
  static constexpr Known<Code::SubF> SubF{};
  static constexpr Known<Code::DivF> DivF{};
  template <FpMulAlu::Code A>
  static constexpr auto MulF(Known<A>) {
    return Known<on(Code::MulF0, A)>{};
  }
  template <FpMulAlu::Code A>
  static constexpr auto MaskMulF(Known<A>) {
    return Known<on(Code::MaskMulF0, A)>{};
  }
  static constexpr FpBinaryOp MulF(FpMulAlu a) { return on(Code::MulF0, a); }
  static constexpr FpBinaryOp MaskMulF(FpMulAlu a) { return on(Code::MaskMulF0, a); }

 private:
  static constexpr Code on(Code first, FpMulAlu::Code a) { return static_cast<Code>(static_cast<int>(first) + static_cast<int>(a)); }
};

struct FpTernaryOp {
  enum class Code : std::uint8_t { FmaF, MaskFmaF };
  static constexpr const char* family = "FpTernaryOp";
  static constexpr VectorOpInfo table[] = {{"FmaF", VectorAlu::FpFma}, {"MaskFmaF", VectorAlu::FpFma}};
  Code code{};

  constexpr FpTernaryOp(Code c = {}) : code(c) {}
  template <Code C>
  constexpr FpTernaryOp(Known<C>) : code(C) {}
  constexpr operator Code() const { return code; }

  static constexpr Known<Code::FmaF> FmaF{};
  static constexpr Known<Code::MaskFmaF> MaskFmaF{};
};

struct FpDivBinaryOp {
  enum class Code : std::uint8_t { DivF };
  static constexpr const char* family = "FpDivBinaryOp";
  static constexpr VectorOpInfo table[] = {{"DivF", VectorAlu::ReduceFpDiv}};
  Code code{};

  constexpr FpDivBinaryOp(Code c = {}) : code(c) {}
  template <Code C>
  constexpr FpDivBinaryOp(Known<C>) : code(C) {}
  constexpr operator Code() const { return code; }

  static constexpr Known<Code::DivF> DivF{};
};

struct ClipBinaryOpI32 {
  enum class Code : std::uint8_t { Min, Max, AbsMin, AbsMax, AddFxp, AddFxpSat };
  static constexpr const char* family = "ClipBinaryOpI32";
  static constexpr VectorOpInfo table[] = {{"Min", VectorAlu::ClipMin},    {"Max", VectorAlu::ClipMax},
                                           {"AbsMin", VectorAlu::ClipMin}, {"AbsMax", VectorAlu::ClipMax},
                                           {"AddFxp", VectorAlu::ClipAdd}, {"AddFxpSat", VectorAlu::ClipAdd}};
  Code code{};

  constexpr ClipBinaryOpI32(Code c = {}) : code(c) {}
  template <Code C>
  constexpr ClipBinaryOpI32(Known<C>) : code(C) {}
  constexpr operator Code() const { return code; }

  static constexpr Known<Code::Min> Min{};
  static constexpr Known<Code::Max> Max{};
  static constexpr Known<Code::AbsMin> AbsMin{};
  static constexpr Known<Code::AbsMax> AbsMax{};
  static constexpr Known<Code::AddFxp> AddFxp{};
  static constexpr Known<Code::AddFxpSat> AddFxpSat{};
};

struct ClipBinaryOpF32 {
  enum class Code : std::uint8_t { Min, Max, AbsMin, AbsMax, Add };
  static constexpr const char* family = "ClipBinaryOpF32";
  static constexpr VectorOpInfo table[] = {{"Min", VectorAlu::ClipMin},
                                           {"Max", VectorAlu::ClipMax},
                                           {"AbsMin", VectorAlu::ClipMin},
                                           {"AbsMax", VectorAlu::ClipMax},
                                           {"Add", VectorAlu::ClipAdd}};
  Code code{};

  constexpr ClipBinaryOpF32(Code c = {}) : code(c) {}
  template <Code C>
  constexpr ClipBinaryOpF32(Known<C>) : code(C) {}
  constexpr operator Code() const { return code; }

  static constexpr Known<Code::Min> Min{};
  static constexpr Known<Code::Max> Max{};
  static constexpr Known<Code::AbsMin> AbsMin{};
  static constexpr Known<Code::AbsMax> AbsMax{};
  static constexpr Known<Code::Add> Add{};
};

template <class Op>
constexpr const VectorOpInfo& info_of(Op op) {
  return Op::table[static_cast<int>(op.code)];
}

/// Where an argument of an operation comes from: the stream, or its first or second operand. In a `_zip` operation,
/// `stream` is group 0 and `operand0` group 1.
enum class Argument : std::uint8_t { stream, operand0, operand1 };

struct UnaryArgMode {
  enum class Code : std::uint8_t { Mode0, Mode1 };
  Code code{};

  constexpr UnaryArgMode(Code c = {}) : code(c) {}
  template <Code C>
  constexpr UnaryArgMode(Known<C>) : code(C) {}
  constexpr operator Code() const { return code; }

  static constexpr Known<Code::Mode0> Mode0{};
  static constexpr Known<Code::Mode1> Mode1{};
};

struct BinaryArgMode {
  enum class Code : std::uint8_t { Mode00, Mode01, Mode10, Mode11 };
  Code code = Code::Mode01;

  constexpr BinaryArgMode(Code c = Code::Mode01) : code(c) {}
  template <Code C>
  constexpr BinaryArgMode(Known<C>) : code(C) {}
  constexpr operator Code() const { return code; }

  static constexpr Known<Code::Mode00> Mode00{};
  static constexpr Known<Code::Mode01> Mode01{};
  static constexpr Known<Code::Mode10> Mode10{};
  static constexpr Known<Code::Mode11> Mode11{};
};

struct TernaryArgMode {
  enum class Code : std::uint8_t { Mode012, Mode002, Mode102, Mode112, Mode020, Mode021, Mode120 };
  Code code{};

  constexpr TernaryArgMode(Code c = {}) : code(c) {}
  template <Code C>
  constexpr TernaryArgMode(Known<C>) : code(C) {}
  constexpr operator Code() const { return code; }

  static constexpr Known<Code::Mode012> Mode012{};
  static constexpr Known<Code::Mode002> Mode002{};
  static constexpr Known<Code::Mode102> Mode102{};
  static constexpr Known<Code::Mode112> Mode112{};
  static constexpr Known<Code::Mode020> Mode020{};
  static constexpr Known<Code::Mode021> Mode021{};
  static constexpr Known<Code::Mode120> Mode120{};
};

/// The arguments of an operation, in order.
struct Arguments {
  Argument of[3]{};
  int count = 0;

  constexpr bool reads(Argument a) const {
    for (int i = 0; i < count; ++i)
      if (of[i] == a) return true;
    return false;
  }
  constexpr bool operator==(const Arguments&) const = default;
};

namespace detail {

/// The digits of a mode's name: 0 the stream, 1 the first operand, 2 the second.
constexpr Arguments arguments(const char* digits) {
  Arguments a;
  for (; digits[a.count] != '\0'; ++a.count) a.of[a.count] = static_cast<Argument>(digits[a.count] - '0');
  return a;
}

}  // namespace detail

constexpr Arguments arguments_of(UnaryArgMode m) { return detail::arguments(m == UnaryArgMode::Mode0 ? "0" : "1"); }
constexpr Arguments arguments_of(BinaryArgMode m) {
  constexpr const char* digits[] = {"00", "01", "10", "11"};
  return detail::arguments(digits[static_cast<int>(m.code)]);
}
constexpr Arguments arguments_of(TernaryArgMode m) {
  constexpr const char* digits[] = {"012", "002", "102", "112", "020", "021", "120"};
  return detail::arguments(digits[static_cast<int>(m.code)]);
}

/// The two groups of two-group mode: bit 3 of the execution id.
enum class GroupId : std::uint8_t { Zero, One };

/// The execution ids, 0 to 15, for which an operand is meant, one bit each.
struct OperandGuard {
  static constexpr int group_bit = 3;

  static constexpr int all_ids = 16;  // Device::vector.execution_ids, a bit each
  std::uint16_t ids = 0xffff;

  static constexpr OperandGuard always() { return {0xffff}; }
  static constexpr OperandGuard group(GroupId g) { return bit(group_bit, g == GroupId::One); }
  /// The ids whose bit i is `set`.
  static constexpr OperandGuard bit(int i, bool set = true) {
    OperandGuard g{0};
    for (int id = 0; id < all_ids; ++id)
      if ((id >> i & 1) == (set ? 1 : 0)) g.ids = static_cast<std::uint16_t>(g.ids | 1u << id);
    return g;
  }
  /// Exactly one id; `|` joins several.
  static constexpr OperandGuard id(int i) { return {static_cast<std::uint16_t>(1u << i)}; }
  friend constexpr OperandGuard operator|(OperandGuard a, OperandGuard b) { return {static_cast<std::uint16_t>(a.ids | b.ids)}; }
  friend constexpr OperandGuard operator&(OperandGuard a, OperandGuard b) { return {static_cast<std::uint16_t>(a.ids & b.ids)}; }

  constexpr bool holds(int execution_id) const { return (ids >> execution_id & 1) != 0; }
  constexpr OperandGuard without(OperandGuard other) const { return {static_cast<std::uint16_t>(ids & ~other.ids)}; }
  constexpr bool operator==(const OperandGuard&) const = default;

  /// In a sentence: "0, 8".
  friend constexpr Text& operator<<(Text& out, const OperandGuard& g) {
    const char* before = "";
    for (int id = 0; id < all_ids; ++id)
      if (g.holds(id)) {
        out << before << id;
        before = ", ";
      }
    return out;
  }
};

/// One comparison of a branch: of the input value with a boundary, whose type must be the stream's. The unsigned forms
/// compare raw bits.
struct InputCmp {
  using Kind = Compare;

  Kind kind = Kind::False;
  ScalarType type = ScalarType::i32;
  std::uint32_t boundary = 0;

  constexpr bool operator==(const InputCmp&) const = default;
  constexpr bool has_boundary() const { return kind < Kind::True; }

  template <ScalarType Type>
  struct Of;
  template <bool Holds>
  struct Fixed;

  static constexpr Of<ScalarType::i32> Equal(std::int32_t boundary);
  static constexpr Of<ScalarType::i32> Less(std::int32_t boundary);
  static constexpr Of<ScalarType::i32> Greater(std::int32_t boundary);
  static constexpr Of<ScalarType::i32> LessUnsigned(std::int32_t boundary);
  static constexpr Of<ScalarType::i32> GreaterUnsigned(std::int32_t boundary);
  static constexpr Of<ScalarType::f32> Equal(float boundary);
  static constexpr Of<ScalarType::f32> Less(float boundary);
  static constexpr Of<ScalarType::f32> Greater(float boundary);
  static constexpr Of<ScalarType::f32> LessUnsigned(float boundary);
  static constexpr Of<ScalarType::f32> GreaterUnsigned(float boundary);
  static const Fixed<true> True;
  static const Fixed<false> False;
};

/// A comparison whose type the compiler knows.
template <ScalarType Type>
struct InputCmp::Of : InputCmp {};
/// True or False: of every type.
template <bool Holds>
struct InputCmp::Fixed : InputCmp {};

namespace detail {
constexpr InputCmp::Of<ScalarType::i32> compare(InputCmp::Kind kind, std::int32_t b) {
  return {{kind, ScalarType::i32, i32::from_int(b).bits}};
}
constexpr InputCmp::Of<ScalarType::f32> compare(InputCmp::Kind kind, float b) { return {{kind, ScalarType::f32, f32::from_float(b).bits}}; }
}  // namespace detail

constexpr InputCmp::Of<ScalarType::i32> InputCmp::Equal(std::int32_t b) { return detail::compare(Kind::Equal, b); }
constexpr InputCmp::Of<ScalarType::i32> InputCmp::Less(std::int32_t b) { return detail::compare(Kind::Less, b); }
constexpr InputCmp::Of<ScalarType::i32> InputCmp::Greater(std::int32_t b) { return detail::compare(Kind::Greater, b); }
constexpr InputCmp::Of<ScalarType::i32> InputCmp::LessUnsigned(std::int32_t b) { return detail::compare(Kind::LessUnsigned, b); }
constexpr InputCmp::Of<ScalarType::i32> InputCmp::GreaterUnsigned(std::int32_t b) { return detail::compare(Kind::GreaterUnsigned, b); }
constexpr InputCmp::Of<ScalarType::f32> InputCmp::Equal(float b) { return detail::compare(Kind::Equal, b); }
constexpr InputCmp::Of<ScalarType::f32> InputCmp::Less(float b) { return detail::compare(Kind::Less, b); }
constexpr InputCmp::Of<ScalarType::f32> InputCmp::Greater(float b) { return detail::compare(Kind::Greater, b); }
constexpr InputCmp::Of<ScalarType::f32> InputCmp::LessUnsigned(float b) { return detail::compare(Kind::LessUnsigned, b); }
constexpr InputCmp::Of<ScalarType::f32> InputCmp::GreaterUnsigned(float b) { return detail::compare(Kind::GreaterUnsigned, b); }
inline constexpr InputCmp::Fixed<true> InputCmp::True{{InputCmp::Kind::True}};
inline constexpr InputCmp::Fixed<false> InputCmp::False{{InputCmp::Kind::False}};

/// How the execution id of an element comes about: 4 bits, 0 where nothing is said.
///
///   Unconditional       0
///   AxisToggle{A}       bit 3 = coordinate of A, modulo 2
///   ValidCount          1 where the lane is below the valid count, else 0
///   Comparison{c0, …}   bit i = comparison i of the value; comparisons left out are False
///   Vrf                 bits 0 to 3 of an i32 in VRF: what a branch log wrote in an earlier pass
struct BranchMode {
  enum class Kind : std::uint8_t { Unconditional, AxisToggle, ValidCount, Comparison, Vrf };
  static constexpr int comparisons = 4;

  Kind kind = Kind::Unconditional;
  Name axis{};
  InputCmp compare[comparisons]{};

  constexpr BranchMode(Kind k = Kind::Unconditional) : kind(k) {}
  template <Kind K>
  constexpr BranchMode(Known<K>) : kind(K) {}
  constexpr bool operator==(const BranchMode&) const = default;

  static constexpr BranchMode toggle(Name axis_name) {
    BranchMode m(Kind::AxisToggle);
    m.axis = axis_name;
    return m;
  }
  static constexpr BranchMode comparing(const InputCmp& c0, const InputCmp& c1 = InputCmp::False, const InputCmp& c2 = InputCmp::False,
                                        const InputCmp& c3 = InputCmp::False) {
    BranchMode m(Kind::Comparison);
    m.compare[0] = c0;
    m.compare[1] = c1;
    m.compare[2] = c2;
    m.compare[3] = c3;
    return m;
  }

  static constexpr Known<Kind::Unconditional> Unconditional{};
  static constexpr Known<Kind::ValidCount> ValidCount{};
  static constexpr Known<Kind::Vrf> Vrf{};
  template <detail::Declaration D>
  struct AxisToggle;
  template <class... Cmp>
  struct Comparison;
};

/// `BranchMode::AxisToggle{I}`: the compiler knows the axis.
template <detail::Declaration D>
struct BranchMode::AxisToggle {
  constexpr AxisToggle(const Axis<D>&) {}
  constexpr operator BranchMode() const { return toggle(Name(D.name())); }
};

/// `BranchMode::Comparison{InputCmp::Less(0), InputCmp::Greater(9)}`: the compiler knows the types.
template <class... Cmp>
struct BranchMode::Comparison {
  static_assert(sizeof...(Cmp) >= 1 && sizeof...(Cmp) <= comparisons, "a branch has one to four comparisons");
  BranchMode mode;

  constexpr Comparison(const Cmp&... c) : mode(comparing(c...)) {}
  constexpr operator BranchMode() const { return mode; }
};

namespace detail {

template <class Cmp>
struct CmpShape;
template <ScalarType Type>
struct CmpShape<InputCmp::Of<Type>> {
  static constexpr InputCmp value{InputCmp::Kind::Equal, Type, 0};
};
template <bool Holds>
struct CmpShape<InputCmp::Fixed<Holds>> {
  static constexpr InputCmp value{Holds ? InputCmp::Kind::True : InputCmp::Kind::False, ScalarType::i32, 0};
};

template <class Mode>
struct BranchShape;
template <BranchMode::Kind K>
struct BranchShape<Known<K>> {
  static constexpr BranchMode value{K};
};
template <Declaration D>
struct BranchShape<BranchMode::AxisToggle<D>> {
  static constexpr BranchMode value = BranchMode::toggle(Name(D.name()));
};
template <class... Cmp>
struct BranchShape<BranchMode::Comparison<Cmp...>> {
  static constexpr BranchMode value = BranchMode::comparing(CmpShape<Cmp>::value...);
};

}  // namespace detail

/// The execution ids that a branch can give to lanes: a comparison with a boundary may hold or not.
/// Law: a shape (branch_shape) can give the same ids as the mode it is made of.
constexpr OperandGuard ids_given(const BranchMode& mode) {
  switch (mode.kind) {
    case BranchMode::Kind::Unconditional: return OperandGuard::id(0);
    case BranchMode::Kind::AxisToggle: return OperandGuard::id(0) | OperandGuard::id(1 << OperandGuard::group_bit);
    case BranchMode::Kind::ValidCount: return OperandGuard::id(0) | OperandGuard::id(1);
    case BranchMode::Kind::Comparison: break;
    case BranchMode::Kind::Vrf: return OperandGuard::always();
  }
  OperandGuard given = OperandGuard::always();
  for (int i = 0; i < BranchMode::comparisons; ++i)
    if (!mode.compare[i].has_boundary()) given = given & OperandGuard::bit(i, mode.compare[i].kind == InputCmp::Kind::True);
  return given;
}

/// What the type of a branch mode tells while a kernel compiles: all but the boundaries. Rules look at nothing else.
template <class Mode>
inline constexpr BranchMode branch_shape = detail::BranchShape<Mode>::value;

constexpr bool holds(const InputCmp& c, std::uint32_t bits, NumericModel model) {
  bool const floating = c.type == ScalarType::f32;
  f32 const x = f32::from_bits(bits), boundary = f32::from_bits(c.boundary);
  i32 const n = i32::from_bits(bits), limit = i32::from_bits(c.boundary);
  switch (c.kind) {
    case InputCmp::Kind::Equal: return floating ? arithmetic::equal(x, boundary, model) : arithmetic::equal(n, limit);
    case InputCmp::Kind::Less: return floating ? arithmetic::less(x, boundary, model) : arithmetic::less(n, limit);
    case InputCmp::Kind::Greater: return floating ? arithmetic::greater(x, boundary, model) : arithmetic::greater(n, limit);
    case InputCmp::Kind::LessUnsigned: return bits < c.boundary;
    case InputCmp::Kind::GreaterUnsigned: return bits > c.boundary;
    case InputCmp::Kind::True: return true;
    case InputCmp::Kind::False: break;
  }
  return false;
}

/// The execution id that comparisons give to a value. Law: bit i is comparison i.
constexpr int execution_id(const BranchMode& mode, std::uint32_t bits, NumericModel model) {
  int id = 0;
  for (int i = 0; i < BranchMode::comparisons; ++i)
    if (holds(mode.compare[i], bits, model)) id |= 1 << i;
  return id;
}

}  // namespace tcp
