// The codes of a vector step (program/codes.hpp) are the rules' enumerations, which program does not see.
#include "tcp/program/codes.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tcp/rules/reduce.hpp"
#include "tcp/rules/vector_op.hpp"

namespace tcp::program {
namespace {

/// MulF(FpMulAlu::Mul0) is MulF(Mul0) in a program.
std::string short_name(std::string name) {
  std::size_t const at = name.find("FpMulAlu::");
  return at == name.npos ? name : name.erase(at, 10);
}

template <class Op>
void compare(OperateStep::Family family) {
  CodeNames const names = operations_of(family);
  ASSERT_EQ(names.size(), std::size(Op::table));
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(names[i], short_name(Op::table[i].name));
}

TEST(Codes, are_those_of_the_rules) {
  compare<LogicBinaryOpI32>(OperateStep::Family::LogicI32);
  compare<LogicBinaryOpF32>(OperateStep::Family::LogicF32);
  compare<FxpBinaryOp>(OperateStep::Family::Fxp);
  compare<FpUnaryOp>(OperateStep::Family::FpUnary);
  compare<FpBinaryOp>(OperateStep::Family::FpBinary);
  compare<FpTernaryOp>(OperateStep::Family::FpTernary);
  compare<FpDivBinaryOp>(OperateStep::Family::FpDiv);
  compare<ClipBinaryOpI32>(OperateStep::Family::ClipI32);
  compare<ClipBinaryOpF32>(OperateStep::Family::ClipF32);
  for (std::size_t i = 0; i < std::size(codes::alus); ++i) EXPECT_STREQ(codes::alus[i], name_of(static_cast<VectorAlu>(i)));
  for (std::size_t i = 0; i < std::size(codes::reduces); ++i) EXPECT_STREQ(codes::reduces[i], name_of(static_cast<ReduceOp>(i)));
}

template <class Mode>
void compare_modes(CodeNames names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    Arguments const a = arguments_of(Mode(static_cast<typename Mode::Code>(i)));
    std::string digits;
    for (int k = 0; k < a.count; ++k) digits += static_cast<char>('0' + static_cast<int>(a.of[k]));
    EXPECT_EQ(digits, names[i]);
  }
}

TEST(Codes, modes_are_those_of_the_rules) {
  compare_modes<UnaryArgMode>(codes::unary_modes);
  compare_modes<BinaryArgMode>(codes::binary_modes);
  compare_modes<TernaryArgMode>(codes::ternary_modes);
}

}  // namespace
}  // namespace tcp::program
