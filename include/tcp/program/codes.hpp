// What the numbers in a step of the Vector Engine's programme mean: the order of the book's tables.
//
// The steps have them as plain numbers, because each family has a table of its own. An executor looks here; check.hpp
// refuses a number beyond its table.
#pragma once

#include <cstdint>
#include <span>

#include "tcp/program/program.hpp"

namespace tcp::program {

namespace codes {

inline constexpr const char* logic_i32[] = {"BitAnd", "BitOr", "BitXor", "LeftShift", "LogicRightShift", "ArithRightShift"};
inline constexpr const char* logic_f32[] = {"BitAnd", "BitOr", "BitXor"};
inline constexpr const char* fxp[] = {"AddFxp", "AddFxpSat", "SubFxp",          "SubFxpSat",       "LeftShift",           "LeftShiftSat",
                                      "MulFxp", "MulInt",    "LogicRightShift", "ArithRightShift", "ArithRightShiftRound"};
inline constexpr const char* fp_unary[] = {"Exp", "NegExp", "Sqrt", "Tanh", "Sigmoid", "Erf", "Log", "Sin", "Cos"};
inline constexpr const char* fp_binary[] = {"AddF",      "SubF",           "DivF",           "MulF(Mul0)",   "MulF(Mul1)",
                                            "MulF(Fma)", "MaskMulF(Mul0)", "MaskMulF(Mul1)", "MaskMulF(Fma)"};
inline constexpr const char* fp_ternary[] = {"FmaF", "MaskFmaF"};
inline constexpr const char* fp_div[] = {"DivF"};
inline constexpr const char* clip_i32[] = {"Min", "Max", "AbsMin", "AbsMax", "AddFxp", "AddFxpSat"};
inline constexpr const char* clip_f32[] = {"Min", "Max", "AbsMin", "AbsMax", "Add"};

/// The digits say what each argument is: 0 the stream, 1 the first operand, 2 the second.
inline constexpr const char* unary_modes[] = {"0", "1"};
inline constexpr const char* binary_modes[] = {"00", "01", "10", "11"};
inline constexpr const char* ternary_modes[] = {"012", "002", "102", "112", "020", "021", "120"};

inline constexpr const char* alus[] = {"none",      "LogicAnd",      "LogicOr",     "LogicXor", "LogicLshift", "LogicRshift", "FxpAdd",
                                       "FxpLshift", "FxpMul",        "FxpRshift",   "FpFma",    "FpFpu",       "FpExp",       "FpMul0",
                                       "FpMul1",    "ReduceAccTree", "ReduceFpDiv", "ClipAdd",  "ClipMax",     "ClipMin"};
/// The ALU of every intra-slice reduce.
inline constexpr std::uint8_t reduce_acc_tree = 15;
inline constexpr const char* reduces[] = {"Add", "AddSat", "Max", "Min", "Mul"};

}  // namespace codes

using CodeNames = std::span<const char* const>;

/// The operations of a family.
constexpr CodeNames operations_of(OperateStep::Family family) {
  using enum OperateStep::Family;
  switch (family) {
    case LogicI32: return codes::logic_i32;
    case LogicF32: return codes::logic_f32;
    case Fxp: return codes::fxp;
    case FpUnary: return codes::fp_unary;
    case FpBinary: return codes::fp_binary;
    case FpTernary: return codes::fp_ternary;
    case FpDiv: return codes::fp_div;
    case ClipI32: return codes::clip_i32;
    case ClipF32: return codes::clip_f32;
  }
  return {};
}

/// The argument modes of a family's operations.
constexpr CodeNames modes_of(OperateStep::Family family) {
  using enum OperateStep::Family;
  if (family == FpUnary) return codes::unary_modes;
  if (family == FpTernary) return codes::ternary_modes;
  return codes::binary_modes;
}

}  // namespace tcp::program
