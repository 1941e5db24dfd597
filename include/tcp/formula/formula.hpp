// A formula: what a kernel computes, and nothing about how.
//
//   C[m, n] = gelu(sum[k] A[m, k] * B[n, k] + bias[n]) where m = 1000, n = 777, k = 555
//
// Axes have names and sizes. A tensor is read at affine indices of axes (`x[h * 2 + fh - 1 : 56]` is a window over 56
// places; outside of them is zero). An expression is pointwise but for its reductions, `sum[k] ...` and `max[k] ...`,
// whose body ends before the next `+` or `-`. Statements follow each other with `;`: all but the last make tensors
// that exist only in between, so that the reductions of a softmax come in sequence. parse.hpp reads the text,
// build.hpp makes the same in C++, evaluate.hpp computes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tcp/scalar/format.hpp"

namespace tcp::formula {

/// A part of the text, from `begin` up to `end`; empty where a formula was built and not read. No part of its value.
struct TextPart {
  std::size_t begin = 0, end = 0;
  constexpr bool operator==(const TextPart&) const { return true; }
};

/// A named axis. Size 0: not said yet.
struct NamedAxis {
  std::string name;
  std::int64_t size = 0;
  bool operator==(const NamedAxis&) const = default;
};

/// An index: the sum of `times` steps for each step of an axis, and a constant.
struct AffineIndex {
  struct Part {
    int axis;
    std::int64_t times;
    bool operator==(const Part&) const = default;
  };
  std::vector<Part> parts;
  std::int64_t offset = 0;

  /// Whether it is one axis, as it is.
  bool plain() const { return offset == 0 && parts.size() == 1 && parts[0].times == 1; }
  bool operator==(const AffineIndex&) const = default;
};

enum class Operation : std::uint8_t {
  number,
  read,
  sum,
  max_over,  // leaves, and reductions over axes
  add,
  sub,
  mul,
  div,
  min,
  max,  // of two
  negate,
  relu,
  gelu,
  silu,  // of one
  exp,
  sqrt,
  tanh,
  sigmoid,
  erf,
  log,
  sin,
  cos,
  fma,  // of three: a * b + c, rounded once
};

/// The word of a function or a reduction, the sign of an operator.
const char* name_of(Operation operation);

struct Expression {
  Operation operation = Operation::number;
  double number = 0;               // number
  int tensor = -1;                 // read
  std::vector<AffineIndex> index;  // read
  std::vector<int> over;           // sum, max_over: the first axis is the outermost
  std::vector<Expression> of;      // arguments
  TextPart at{};

  bool operator==(const Expression&) const = default;
};

/// How a tensor is stored in HBM. `rows`: row after row as its indices are written, each row padded to whole units.
/// `blocks`: the last index in blocks, block after block, in each all rows. `any`: the maker of the kernel may choose.
struct StoredAs {
  enum class Kind : std::uint8_t { rows, blocks, any };
  Kind kind = Kind::rows;
  std::int64_t block = 0;  // elements
  bool operator==(const StoredAs&) const = default;
};

/// A tensor that a formula reads or makes.
struct FormulaTensor {
  std::string name;
  ScalarType type = ScalarType::bf16;
  StoredAs stored;
  std::vector<std::int64_t> extent;  // for each index: places, as written; 0: as far as the indices reach
  int made_by = -1;                  // the statement that makes it; -1: an input
  TextPart at{};
  bool operator==(const FormulaTensor&) const = default;
};

/// One tensor made of others: an element for each value of `axes`.
struct Statement {
  int tensor = -1;
  std::vector<int> axes;
  Expression value;
  bool operator==(const Statement&) const = default;
};

struct Formula {
  std::vector<NamedAxis> axes;         // in the order in which they come first
  std::vector<FormulaTensor> tensors;  // so, too
  std::vector<Statement> statements;   // the last one makes the result

  const FormulaTensor& result() const { return tensors[static_cast<std::size_t>(statements.back().tensor)]; }
  /// The tensors that are given, in the order in which they come first.
  std::vector<int> inputs() const;
  /// -1: there is none.
  int axis(std::string_view name) const;
  /// Whether all of it is in whole numbers: i32 where a formula in floating point has f32.
  bool integer() const;
  /// How many places each index of a tensor has. Needs: all sizes.
  std::vector<std::int64_t> extents(int tensor) const;

  bool operator==(const Formula&) const = default;
};

/// Gives axes their sizes. Refused: an axis that there is not, a size below 1 or beyond largest_axis.
Expected<Formula> with_sizes(Formula formula, const std::vector<NamedAxis>& sizes);
inline constexpr std::int64_t largest_axis = std::int64_t{1} << 31;

/// Refused: an axis without a size, and indices that leave their tensor though its extent is not written.
Verdict check_sizes(const Formula& formula, std::string_view text = {});

/// What a formula must keep whatever the sizes are. `text` is what it was read from, to be shown in errors.
Verdict check(const Formula& formula, std::string_view text = {});

/// The canonical text. Law: parse(print(f)) == f.
std::string print(const Formula& formula);
std::string print(const Formula& formula, const Expression& expression);

}  // namespace tcp::formula
