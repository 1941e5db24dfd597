// Formulas made in C++ instead of text.
//
//   formula::Builder b;
//   auto const m = b.axis("m", 1000), n = b.axis("n", 777), k = b.axis("k", 555);
//   auto const A = b.tensor("A"), B = b.tensor("B"), bias = b.tensor("bias");
//   b.make("C", {m, n}, gelu(sum({k}, A(m, k) * B(n, k)) + bias(n)));
//   Expected<formula::Formula> const f = b.formula();
#pragma once

#include <initializer_list>

#include "tcp/formula/formula.hpp"

namespace tcp::formula {

/// An axis of a builder, and what affine indices are made of: `h * 2 + fh - 1`.
struct Index {
  AffineIndex value;
  std::int64_t extent = 0;

  /// How many places the tensor has along this index; outside is zero.
  Index within(std::int64_t places) const { return {value, places}; }
};
Index operator+(Index a, const Index& b);
Index operator+(Index a, std::int64_t b);
Index operator-(Index a, std::int64_t b);
Index operator*(Index a, std::int64_t times);

/// A tensor of a builder: `A(m, k)` reads it.
class Builder;
class TensorName {
 public:
  template <class... Indices>
  Expression operator()(const Indices&... at) const {
    return read({at...});
  }
  int number() const { return tensor_; }

 private:
  friend class Builder;
  TensorName(Builder* builder, int tensor) : builder_(builder), tensor_(tensor) {}
  Expression read(std::initializer_list<Index> at) const;

  Builder* builder_;
  int tensor_;
};

class Builder {
 public:
  Index axis(std::string_view name, std::int64_t size = 0);
  TensorName tensor(std::string_view name, ScalarType type = ScalarType::bf16, StoredAs stored = {});
  /// A statement; the last one makes the result. The type is bf16 for the result unless said, f32 in between; i32 for
  /// whole numbers.
  TensorName make(std::string_view name, std::initializer_list<Index> axes, Expression value);
  TensorName make(std::string_view name, std::initializer_list<Index> axes, Expression value, ScalarType type, StoredAs stored = {});

  /// Refused: what check() refuses.
  Expected<Formula> formula() const;

 private:
  friend class TensorName;
  Formula formula_;
  std::vector<bool> typed_;  // for each statement: its type was said
};

Expression operator+(Expression a, Expression b);
Expression operator-(Expression a, Expression b);
Expression operator*(Expression a, Expression b);
Expression operator/(Expression a, Expression b);
Expression operator-(Expression a);
Expression number(double value);
Expression sum(std::initializer_list<Index> over, Expression of);
Expression max_over(std::initializer_list<Index> over, Expression of);
/// A function by its operation: apply(Operation::exp, x).
Expression apply(Operation operation, Expression a);
Expression apply(Operation operation, Expression a, Expression b);
Expression fma(Expression a, Expression b, Expression c);
inline Expression gelu(Expression a) { return apply(Operation::gelu, std::move(a)); }
inline Expression relu(Expression a) { return apply(Operation::relu, std::move(a)); }
inline Expression silu(Expression a) { return apply(Operation::silu, std::move(a)); }
inline Expression exp(Expression a) { return apply(Operation::exp, std::move(a)); }

}  // namespace tcp::formula
