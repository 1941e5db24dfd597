// Small formulas over coordinates and tensors, in which a row of the ledger says what must come out: `x + 1`, `sum(K < 64, a * b)`.
//
// They are worked out element by element in double, by nothing that the project computes with.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tcp::rows {

/// What names mean while a formula is worked out: coordinates of axes, and tensors at coordinates.
struct Scope {
  std::map<std::string, std::int64_t, std::less<>> coordinates;
  std::map<std::string, std::function<double(const std::map<std::string, std::int64_t, std::less<>>&)>, std::less<>> tensors;
};

/// A formula that has been read. `/` and `%` are those of mappings (rounded down), `quotient(a, b)` is the other division.
///
///   A * 10 + B         coordinates
///   x, x[A = A + 1]    the element of a tensor at the same coordinates, or with some of them changed
///   sum(K < 64, a * b), max(K < 64, x), min(...), product(...)      over coordinates 0, 1, … of an axis
///   A < 3 ? x : 0      also <=, >, >=, ==, !=, &&, ||
///   min(a, b), max(a, b), abs(a), floor(a), exp(a), sqrt(a), quotient(a, b), and(a, b), or(a, b), xor(a, b)
///   f32(a), bf16(a), f16(a), f8e4m3(a), f8e5m2(a)       rounded to the nearest of a type, ties to even
///   wrap8(a), wrap16(a), wrap32(a)                      as two's complement of so many bits
class Formula {
 public:
  /// Throws std::invalid_argument with the place where it stops making sense.
  explicit Formula(std::string_view text);
  double operator()(Scope& scope) const { return value_(scope); }

 private:
  std::function<double(Scope&)> value_;
};

}  // namespace tcp::rows
