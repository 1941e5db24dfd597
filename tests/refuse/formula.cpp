// Formulas: what is to be computed, as text or built in C++.
#include "refuse_test.hpp"
#include "tcp/formula/evaluate.hpp"
#include "tcp/formula/parse.hpp"

using namespace tcp;
using namespace tcp_refuse;

// # formula-arrays
// The evaluator computes a formula from arrays: one for each tensor that is read, in the order in which the formula names them, of its type, with an element for each place.
// run time only: arrays are given when a program runs
// no kernel: formulas are values, which the page makes
namespace formula_arrays {
// error[formula-arrays]: array 1 has 3 elements, and x has 4; help: give the inputs in the order in which the formula names them
REFUSED_AT_RUN_TIME {
  return formula::evaluate(*formula::parse("y[m] = x[m] where m = 4"), {{ScalarType::bf16, {3}, {0, 0, 0}}}).refusal();
}
}  // namespace formula_arrays

// # formula-axis-free
// Every axis of a tensor that is read is either an axis of the result, or one that a reduction goes over. An axis that is neither would have no value.
//
// Write `sum[k]` or `max[k]` before the product, or put the axis on the left.
// run time only: a formula is text
namespace formula_axis_free {
constexpr const char* before = R"(
C[m, n] = A[m, k] * B[n, k]
)";
constexpr const char* after = R"(
C[m, n] = sum[k] A[m, k] * B[n, k]
)";
// error[formula-axis-free]: at column 12: axis k of A is neither on the left nor summed; help: write sum[k] before it, or put k on the left
REFUSED_AT_RUN_TIME { return formula::parse(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return verdict(formula::parse(after)); }
}  // namespace formula_axis_free

// # formula-axis-size
// A kernel is made for sizes that are known. They stand in the formula after `where`, or are given beside it.
// run time only: a formula is text
namespace formula_axis_size {
constexpr const char* before = R"(
y[m] = 2 * x[m] where m = 0
)";
constexpr const char* after = R"(
y[m] = 2 * x[m] where m = 1
)";
// error[formula-axis-size]: axis m cannot have the size 0; help: write m = n with n from 1 to 2147483648
REFUSED_AT_RUN_TIME { return formula::parse(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return verdict(formula::parse(after)); }
// error[formula-axis-size]: axis m has no size; help: write m=1000 after the formula, or 'where m = 1000' in it
REFUSED_AT_RUN_TIME { return formula::check_sizes(*formula::parse("y[m] = x[m]")).refusal(); }
// error[formula-axis-size]: there is no axis 'k' to be 8; help: the axes are m
REFUSED_AT_RUN_TIME { return formula::with_sizes(*formula::parse("y[m] = x[m]"), {{"k", 8}}).refusal(); }
}  // namespace formula_axis_size

// # formula-axis-twice
// A name is one axis. A reduction over an axis that is already counted at that place would give it two values at once.
// run time only: a formula is text
namespace formula_axis_twice {
constexpr const char* before = R"(
y[m] = sum[m] x[m]
)";
constexpr const char* after = R"(
y[m] = sum[k] x[m, k]
)";
// error[formula-axis-twice]: at column 9: axis m is used for two things: it is already counted at this place; help: take another name for one of the two axes
REFUSED_AT_RUN_TIME { return formula::parse(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return verdict(formula::parse(after)); }
}  // namespace formula_axis_twice

// # formula-axis-unused
// Every axis of the result, and of a reduction, is an axis of something that is read there. Otherwise all elements along it would be the same.
// run time only: a formula is text
namespace formula_axis_unused {
constexpr const char* before = R"(
C[m, n] = sum[k] A[m, k]
)";
constexpr const char* after = R"(
C[m] = sum[k] A[m, k]
)";
// error[formula-axis-unused]: at column 2: nothing is read along axis n of C; help: read a tensor at n, or leave the axis out
REFUSED_AT_RUN_TIME { return formula::parse(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return verdict(formula::parse(after)); }
}  // namespace formula_axis_unused

// # formula-function
// Functions are those that the Vector Engine computes, each with its number of arguments.
// run time only: a formula is text
namespace formula_function {
constexpr const char* before = R"(
y[m] = gellu(x[m])
)";
constexpr const char* after = R"(
y[m] = gelu(x[m])
)";
// error[formula-function]: at column 9: there is no function 'gellu'; help: perhaps you meant gelu; there are min, max, relu, gelu, silu, exp, sqrt, tanh, sigmoid, erf, log, sin, cos, fma
REFUSED_AT_RUN_TIME { return formula::parse(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return verdict(formula::parse(after)); }
// error[formula-function]: at column 8: exp has 2 arguments here, and takes 1; help: write exp(x)
REFUSED_AT_RUN_TIME { return formula::parse("y[m] = exp(x[m], 2)").refusal(); }
}  // namespace formula_function

// # formula-index-outside
// An index such as `h + r - 1` may leave the tensor. What is outside is zero in a sum and takes no part in a maximum; but where the tensor ends must then be
// said: `x[h + r - 1 : 56]` has 56 places.
// run time only: a formula is text
namespace formula_index_outside {
constexpr const char* before = R"(
y[h] = sum[r] x[h + r - 1] * w[r] where h = 56, r = 3
)";
constexpr const char* after = R"(
y[h] = sum[r] x[h + r - 1 : 56] * w[r] where h = 56, r = 3
)";
// error[formula-index-outside]: index 1 of x goes from -1 to 56; it has places 0 to 56; help: say how many places there are, and what is outside is zero: x[... : 57]
REFUSED_AT_RUN_TIME { return formula::check_sizes(*formula::parse(before)).refusal(); }
ACCEPTED_AT_RUN_TIME { return formula::check_sizes(*formula::parse(after)); }
}  // namespace formula_index_outside

// # formula-layout
// A tensor is stored row after row, or with its last index in blocks (`{blocks 256}`), or as the mapper likes (`{any}`).
// run time only: a formula is text
namespace formula_layout {
constexpr const char* before = R"(
C[m, n] = sum[k] A[m, k] * B[n, k]{columns}
)";
constexpr const char* after = R"(
C[m, n] = sum[k] A[m, k] * B[n, k]{any}
)";
// error[formula-layout]: at column 37: 'columns' is no way to store a tensor; help: write {rows}, {blocks 256} or {any}
REFUSED_AT_RUN_TIME { return formula::parse(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return verdict(formula::parse(after)); }
}  // namespace formula_layout

// # formula-left-side
// A statement makes an element for each step of the axes on its left, so these are axes and nothing else. Windows belong to tensors that are read.
// run time only: a formula is text
namespace formula_left_side {
constexpr const char* before = R"(
y[2 * h] = x[h]
)";
constexpr const char* after = R"(
y[h] = x[h]
)";
// error[formula-left-side]: at column 2: index 1 of y is not one axis as it is; help: write axes only: y[m, n] = ...
REFUSED_AT_RUN_TIME { return formula::parse(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return verdict(formula::parse(after)); }
}  // namespace formula_left_side

// # formula-name
// Names of axes have at most 15 characters, names of tensors at most 31, and neither is a word of the language.
// run time only: a formula is text
namespace formula_name {
constexpr const char* before = R"(
exp[m] = x[m]
)";
constexpr const char* after = R"(
y[m] = x[m]
)";
// error[formula-name]: at column 2: 'exp' cannot be the name of a tensor; help: take another name
REFUSED_AT_RUN_TIME { return formula::parse(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return verdict(formula::parse(after)); }
}  // namespace formula_name

// # formula-number
// Sizes and steps are whole numbers up to 2,147,483,648; other numbers are values of the type in which the formula computes, f32 or i32.
// run time only: a formula is text
namespace formula_number {
constexpr const char* before = R"(
y[m] = x[m] * 1e39
)";
constexpr const char* after = R"(
y[m] = x[m] * 1e38
)";
// error[formula-number]: at column 16: '1e39' is no number that a formula can have; help: write a smaller number
REFUSED_AT_RUN_TIME { return formula::parse(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return verdict(formula::parse(after)); }
// error[formula-number]: at column 19: the number is no value of i32; help: write a whole number
REFUSED_AT_RUN_TIME { return formula::parse("y[m] = x: i8[m] * 0.5").refusal(); }
}  // namespace formula_number

// # formula-syntax
// A formula is `tensor[axes] = expression`, several of them with `;` in between, and `where m = 1000` after the last.
// run time only: a formula is text
namespace formula_syntax {
constexpr const char* before = R"(
C[m, n] = sum k A[m, k] * B[n, k]
)";
constexpr const char* after = R"(
C[m, n] = sum[k] A[m, k] * B[n, k]
)";
// error[formula-syntax]: at column 16: '[' is expected, and the indices of the tensor, but found 'k A[m, k] * B[n,...'; help: as in C[m, n] = sum[k] A[m, k] * B[n, k] + bias[n]
REFUSED_AT_RUN_TIME { return formula::parse(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return verdict(formula::parse(after)); }
}  // namespace formula_syntax

// # formula-tensor-differs
// A name is one tensor. Its type, its extents and its layout are said where it is mentioned first, and it has as many indices everywhere.
// run time only: a formula is text
namespace formula_tensor_differs {
constexpr const char* before = R"(
y[m] = x[m] * x[m, m]
)";
constexpr const char* after = R"(
y[m] = x[m] * x[m]
)";
// error[formula-tensor-differs]: at column 16: x was mentioned before with another type, layout, extent or number of indices (1 then, 2 here); help: say them at the first mention only, and give x 1 indices
REFUSED_AT_RUN_TIME { return formula::parse(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return verdict(formula::parse(after)); }
}  // namespace formula_tensor_differs

// # formula-tensor-order
// Statements follow each other. Each makes a tensor of its own, from inputs and from what statements before it made.
// run time only: a formula is text
namespace formula_tensor_order {
constexpr const char* before = R"(
y[m] = x[m] * s[m]; s[m] = x[m] * x[m]
)";
constexpr const char* after = R"(
s[m] = x[m] * x[m]; y[m] = x[m] * s[m]
)";
// error[formula-tensor-order]: at column 22: s is read before it is made; help: give this one another name, or put it before its use
REFUSED_AT_RUN_TIME { return formula::parse(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return verdict(formula::parse(after)); }
}  // namespace formula_tensor_order

// # formula-too-deep
// Parentheses, functions and signs may be nested up to 64 deep.
// run time only: a formula is text
// no kernel: formulas are values, which the page makes
namespace formula_too_deep {
// error[formula-too-deep]: at column 72: the formula is nested 65 deep; at most 64 are read; help: make a statement of an inner part: t[m] = ...; C[m] = ... t[m]
REFUSED_AT_RUN_TIME { return formula::parse("y[m] = " + std::string(80, '(') + "x[m]" + std::string(80, ')')).refusal(); }
}  // namespace formula_too_deep

// # formula-too-long
// A formula has at most 4,096 characters.
// run time only: a formula is text
// no kernel: formulas are values, which the page makes
namespace formula_too_long {
// error[formula-too-long]: the formula has 5011 characters; at most 4096 are read; help: make it of several formulas
REFUSED_AT_RUN_TIME { return formula::parse("y[m] = x[m]" + std::string(5000, ' ')).refusal(); }
}  // namespace formula_too_long

// # formula-types
// A formula computes in f32 or, where its inputs are whole numbers, in i32. The chip converts between the two only by its fixed-point stages, so one formula
// does not mix them; and whole numbers have `+`, `-`, `*`, `min`, `max` and `relu` only.
// run time only: a formula is text
namespace formula_types {
constexpr const char* before = R"(
C[m, n] = sum[k] A: i8[m, k] * B[n, k]
)";
constexpr const char* after = R"(
C[m, n] = sum[k] A: i8[m, k] * B: i8[n, k]
)";
// error[formula-types]: at column 33: B is bf16 in a formula of whole numbers; help: write B: i8 or i32
REFUSED_AT_RUN_TIME { return formula::parse(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return verdict(formula::parse(after)); }
// error[formula-types]: at column 8: 'exp' of whole numbers; help: use floating-point tensors: A: bf16[...]
REFUSED_AT_RUN_TIME { return formula::parse("y[m] = exp(x: i8[m])").refusal(); }
}  // namespace formula_types
