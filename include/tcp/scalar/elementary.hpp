// The functions of the float stage, exactly: the true real value, rounded once to f32.
//
// They run at run time only. Each first takes the machine's double-precision function and asks whether anything within
// 2^-44 of it, relatively, rounds to the same f32; that settles all but a few inputs in a million. For the rest,
// detail::wide_function computes some 150 digits in integers. No input needs more: the closest that any of them comes
// to the middle between two numbers was found by trying all (elementary_test.cpp has the closest).
//
// So the result does not depend on the machine, as long as its double-precision functions are right to 2^-44 (glibc's
// are right to 2^-51), and is the same in both numeric models but for the flushing of subnormals. Single-precision
// functions of the platform are never used.
#pragma once

#include "tcp/scalar/float_formats.hpp"
#include "tcp/scalar/numeric_model.hpp"

namespace tcp {

enum class Elementary : std::uint8_t { exp, neg_exp, sqrt, tanh, sigmoid, erf, log, sin, cos };

inline constexpr Elementary elementary_functions[] = {Elementary::exp,  Elementary::neg_exp, Elementary::sqrt,
                                                      Elementary::tanh, Elementary::sigmoid, Elementary::erf,
                                                      Elementary::log,  Elementary::sin,     Elementary::cos};

constexpr const char* elementary_name(Elementary f) {
  constexpr const char* names[] = {"exp", "neg_exp", "sqrt", "tanh", "sigmoid", "erf", "log", "sin", "cos"};
  return names[static_cast<int>(f)];
}

}  // namespace tcp

namespace tcp::arithmetic {

/// At infinities, zeros and outside the domain as Annex F of C says. Law: the operand is made canonical, the real value
/// rounded to nearest even, the result made canonical.
f32 elementary(Elementary function, f32 x, NumericModel model);

inline f32 exp(f32 x, NumericModel model) { return elementary(Elementary::exp, x, model); }
/// exp(-x).
inline f32 neg_exp(f32 x, NumericModel model) { return elementary(Elementary::neg_exp, x, model); }
inline f32 sqrt(f32 x, NumericModel model) { return elementary(Elementary::sqrt, x, model); }
inline f32 tanh(f32 x, NumericModel model) { return elementary(Elementary::tanh, x, model); }
/// 1 / (1 + exp(-x)).
inline f32 sigmoid(f32 x, NumericModel model) { return elementary(Elementary::sigmoid, x, model); }
inline f32 erf(f32 x, NumericModel model) { return elementary(Elementary::erf, x, model); }
inline f32 log(f32 x, NumericModel model) { return elementary(Elementary::log, x, model); }
inline f32 sin(f32 x, NumericModel model) { return elementary(Elementary::sin, x, model); }
inline f32 cos(f32 x, NumericModel model) { return elementary(Elementary::cos, x, model); }

}  // namespace tcp::arithmetic

namespace tcp::detail {

/// The wide computation alone, as IEEE rounds. Needs: an x for which it is wanted (needs_digits), and no sqrt, which
/// double settles always.
f32 wide_function(Elementary function, f32 x);

/// Whether the result is neither a special case nor settled by x being tiny or huge; where it is not, double is far
/// enough from every middle.
bool needs_digits(Elementary function, f32 x);

}  // namespace tcp::detail
