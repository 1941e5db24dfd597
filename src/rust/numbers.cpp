// Arithmetic on the numbers of a kernel, and what a value is called in sentences.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "rust/evaluator.hpp"
#include "rust/value.hpp"

namespace tcp::rust {

NumberRange range_of(NumberType type) {
  switch (type) {
    case NumberType::i8: return {-128, 127};
    case NumberType::i16: return {-32768, 32767};
    case NumberType::i32: return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    case NumberType::u8: return {0, 255};
    case NumberType::u16: return {0, 65535};
    case NumberType::u32: return {0, std::numeric_limits<std::uint32_t>::max()};
    case NumberType::u64:
    case NumberType::usize: return {0, std::numeric_limits<std::int64_t>::max()};
    default: return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  }
}

namespace {

NumberType joined(NumberType a, NumberType b) { return a == NumberType::integer || a == NumberType::floating ? b : a; }

[[noreturn]] void overflow(const Span& span, std::string_view op) {
  Evaluator::fail(Wrong::number, span, "the result of `" + std::string(op) + "` is not a number of its type",
                  "a whole number that leaves its type stops a Rust program", "use a wider type, or other numbers");
}

RustValue compared(std::string_view op, const auto& x, const auto& y) {
  if (op == "==") return x == y;
  if (op == "!=") return x != y;
  if (op == "<") return x < y;
  if (op == ">") return x > y;
  if (op == "<=") return x <= y;
  return x >= y;
}
bool compares(std::string_view op) { return op == "==" || op == "!=" || op == "<" || op == ">" || op == "<=" || op == ">="; }

template <class Real>
Real computed(std::string_view op, Real x, Real y) {
  if (op == "+") return x + y;
  if (op == "-") return x - y;
  if (op == "*") return x * y;
  if (op == "/") return x / y;
  return std::fmod(x, y);
}

int width_of(NumberType type) {
  switch (type) {
    case NumberType::i8:
    case NumberType::u8: return 8;
    case NumberType::i16:
    case NumberType::u16: return 16;
    case NumberType::i32:
    case NumberType::u32: return 32;
    default: return 64;
  }
}

/// Bits that a shift moves out of the type are gone, as in Rust; a shift by its whole width stops a program.
RustValue shifted(std::string_view op, std::int64_t x, std::int64_t y, NumberType type, const Span& span) {
  if (int const width = width_of(type); y < 0 || y >= width)
    Evaluator::fail(Wrong::number, span, "a number of " + std::to_string(width) + " bits is shifted by " + std::to_string(y),
                    "it stops a Rust program", "shift by 0 to " + std::to_string(width - 1) + ", or use a wider type");
  if (op == ">>") return whole(x >> y, type);
  auto const bits = static_cast<std::int64_t>(static_cast<std::uint64_t>(x) << y);
  if (width_of(type) < 64) return converted(whole(bits), type);
  bool const is_unsigned = type == NumberType::u64 || type == NumberType::usize;
  if (is_unsigned ? bits < 0 : type == NumberType::integer && bits >> y != x) overflow(span, op);
  return whole(bits, type);
}

std::int64_t whole_result(std::string_view op, std::int64_t x, std::int64_t y, const Span& span) {
  std::int64_t out = 0;
  if (op == "+") return __builtin_add_overflow(x, y, &out) ? (overflow(span, op), 0) : out;
  if (op == "-") return __builtin_sub_overflow(x, y, &out) ? (overflow(span, op), 0) : out;
  if (op == "*") return __builtin_mul_overflow(x, y, &out) ? (overflow(span, op), 0) : out;
  if (op == "/" || op == "%") {
    if (y == 0) Evaluator::fail(Wrong::number, span, "a division by zero", "it stops a Rust program", "look where the divisor comes from");
    if (y == -1) return op == "%" ? 0 : whole_result("-", 0, x, span);
    return op == "/" ? x / y : x % y;
  }
  if (op == "&") return x & y;
  if (op == "|") return x | y;
  return x ^ y;
}

}  // namespace

RustValue calculated(std::string_view op, const Number& a, const Number& b, const Span& span) {
  if (a.floating() != b.floating())
    Evaluator::fail(Wrong::type_mismatch, span, "`" + std::string(op) + "` between a whole number and a floating one",
                    "Rust converts nothing by itself", "write one of them `as f32`, or with a fraction: 2.0");
  bool const shift = op == "<<" || op == ">>";
  NumberType const type = shift ? a.type : joined(a.type, b.type);
  if (compares(op)) {
    if (!a.floating()) return compared(op, a.whole, b.whole);
    if (type == NumberType::f32) return compared(op, a.as_f32(), b.as_f32());
    return compared(op, a.as_double(), b.as_double());
  }
  if (a.floating()) {
    if (std::string_view("+-*/%").find(op) == std::string_view::npos)
      Evaluator::fail(Wrong::type_mismatch, span, "`" + std::string(op) + "` is for whole numbers",
                      "floating numbers have no bits to shift or mask", "convert with `as i32` first");
    Number out;
    out.type = type;
    out.real = computed(op, a.real, b.real);
    out.single = computed(op, a.single, b.single);
    if (type == NumberType::f32) out.real = static_cast<double>(out.single);
    if (type == NumberType::f64) out.single = static_cast<float>(out.real);
    return out;
  }
  if (shift) return shifted(op, a.whole, b.whole, type, span);
  std::int64_t const result = whole_result(op, a.whole, b.whole, span);
  NumberRange const range = range_of(type);
  if (result < range.least || result > range.most) overflow(span, op);
  return whole(result, type);
}

RustValue converted(const Number& n, NumberType to) {
  if (to == NumberType::f32) {
    float const v = n.floating() ? (n.type == NumberType::f32 ? n.single : static_cast<float>(n.real)) : static_cast<float>(n.whole);
    return real(static_cast<double>(v), NumberType::f32);
  }
  if (to == NumberType::f64 || to == NumberType::floating) return real(n.as_double(), to);
  NumberRange const range = range_of(to);
  if (n.floating()) {  // cut to the nearest that there is
    double const v = std::trunc(n.as_double());
    if (std::isnan(v)) return whole(0, to);
    if (v <= static_cast<double>(range.least)) return whole(range.least, to);
    if (v >= static_cast<double>(range.most)) return whole(range.most, to);
    return whole(static_cast<std::int64_t>(v), to);
  }
  auto const bits = static_cast<std::uint64_t>(n.whole);
  switch (to) {
    case NumberType::i8: return whole(static_cast<std::int8_t>(bits), to);
    case NumberType::i16: return whole(static_cast<std::int16_t>(bits), to);
    case NumberType::i32: return whole(static_cast<std::int32_t>(bits), to);
    case NumberType::u8: return whole(static_cast<std::uint8_t>(bits), to);
    case NumberType::u16: return whole(static_cast<std::uint16_t>(bits), to);
    case NumberType::u32: return whole(static_cast<std::uint32_t>(bits), to);
    default: return whole(n.whole, to);
  }
}

RustValue Evaluator::method_on_number(MethodCall& call, const Number& n) {
  std::string_view const name = call.name();
  const Span& span = call.expr->name_span;
  auto const other = [&](std::size_t i) -> const Number& {
    if (i >= call.arguments.size())
      fail(Wrong::arguments, span, "`" + std::string(name) + "` of a number takes another number", "nothing is given", "give it");
    return number(call.arguments[i], span, "an argument");
  };
  // What a launch brings along is a number already.
  for (std::string_view same : {"clone", "value", "get", "read", "load", "into", "to_owned"})
    if (name == same) return n;
  if (n.floating()) {
    auto const by = [&](auto f) {
      Number out = n;
      out.real = f(n.real);
      out.single = f(n.single);
      if (n.type == NumberType::f32) out.real = static_cast<double>(out.single);
      if (n.type == NumberType::f64) out.single = static_cast<float>(out.real);
      return out;
    };
    if (name == "sqrt") return by([](auto x) { return std::sqrt(x); });
    if (name == "abs") return by([](auto x) { return std::abs(x); });
    if (name == "exp") return by([](auto x) { return std::exp(x); });
    if (name == "exp2") return by([](auto x) { return std::exp2(x); });
    if (name == "ln") return by([](auto x) { return std::log(x); });
    if (name == "log2") return by([](auto x) { return std::log2(x); });
    if (name == "recip") return by([](auto x) { return 1 / x; });
    if (name == "floor") return by([](auto x) { return std::floor(x); });
    if (name == "ceil") return by([](auto x) { return std::ceil(x); });
    if (name == "round") return by([](auto x) { return std::round(x); });
    if (name == "sin") return by([](auto x) { return std::sin(x); });
    if (name == "cos") return by([](auto x) { return std::cos(x); });
    if (name == "tanh") return by([](auto x) { return std::tanh(x); });
    if (name == "powi") {
      auto const k = integer(other(0), span, "an exponent");
      return by([k](auto x) { return static_cast<decltype(x)>(std::pow(x, static_cast<decltype(x)>(k))); });
    }
    if (name == "powf") {
      double const k = other(0).as_double();
      return by([k](auto x) { return static_cast<decltype(x)>(std::pow(x, static_cast<decltype(x)>(k))); });
    }
    if (name == "min" || name == "max") {
      Number const& o = other(0);
      bool const first = std::isnan(o.as_double()) || (name == "min" ? n.as_double() <= o.as_double() : n.as_double() >= o.as_double());
      Number out = first ? n : o;
      out.type = joined(n.type, o.type);
      return out;
    }
    if (name == "clamp") {
      Number const low = other(0), high = other(1);
      Number out = n.as_double() < low.as_double() ? low : n.as_double() > high.as_double() ? high : n;
      out.type = joined(n.type, low.type);
      return out;
    }
    if (name == "mul_add") {
      Number const a = other(0), b = other(1);
      Number out = n;
      out.real = std::fma(n.real, a.real, b.real);
      out.single = std::fma(n.single, a.single, b.single);
      if (n.type == NumberType::f32) out.real = static_cast<double>(out.single);
      if (n.type == NumberType::f64) out.single = static_cast<float>(out.real);
      return out;
    }
    if (name == "signum") return by([](auto x) { return std::isnan(x) ? x : std::copysign(decltype(x){1}, x); });
    if (name == "trunc") return by([](auto x) { return std::trunc(x); });
    if (name == "fract") return by([](auto x) { return x - std::trunc(x); });
    if (name == "log10") return by([](auto x) { return std::log10(x); });
    if (name == "to_bits") {
      float const f = n.as_f32();
      std::uint32_t bits = 0;
      static_assert(sizeof bits == sizeof f);
      std::memcpy(&bits, &f, sizeof bits);
      return whole(bits, NumberType::u32);
    }
  } else {
    auto const checked = [&](std::int64_t v) -> RustValue {
      NumberRange const range = range_of(n.type);
      if (v < range.least || v > range.most) overflow(span, name);
      return whole(v, n.type);
    };
    if (name == "min" || name == "max") {
      std::int64_t const o = integer(other(0), span, "an argument");
      return whole(name == "min" ? std::min(n.whole, o) : std::max(n.whole, o), joined(n.type, other(0).type));
    }
    if (name == "abs") return checked(n.whole < 0 ? whole_result("-", 0, n.whole, span) : n.whole);
    if (name == "pow") {
      std::int64_t const k = integer(other(0), span, "an exponent");
      std::int64_t out = 1;
      if (k < 0) overflow(span, name);
      bool const same = n.whole >= -1 && n.whole <= 1;  // of these, all even and all odd powers are alike
      for (std::int64_t i = 0; i < (same && k > 2 ? 2 + k % 2 : k); ++i) out = whole_result("*", out, n.whole, span);
      return checked(out);
    }
    if (name == "div_ceil") {
      std::int64_t const d = integer(other(0), span, "a divisor"), q = whole_result("/", n.whole, d, span);
      return checked(q + (n.whole % d != 0 && (n.whole < 0) == (d < 0) ? 1 : 0));
    }
    if (name == "next_multiple_of") {
      std::int64_t const d = integer(other(0), span, "a divisor"), r = whole_result("%", n.whole, d, span);
      return checked(r == 0 ? n.whole : whole_result("+", n.whole, d - r, span));
    }
    if (name == "rem_euclid" || name == "div_euclid") {
      std::int64_t const d = integer(other(0), span, "a divisor");
      std::int64_t r = whole_result("%", n.whole, d, span), q = whole_result("/", n.whole, d, span);
      if (r < 0) r += d < 0 ? -d : d, q += d < 0 ? 1 : -1;
      return checked(name == "rem_euclid" ? r : q);
    }
    if (name == "saturating_sub" || name == "saturating_add") {
      std::int64_t const o = integer(other(0), span, "an argument");
      std::int64_t out = 0;
      NumberRange const range = range_of(n.type == NumberType::integer ? other(0).type : n.type);
      bool const sub = name == "saturating_sub";
      bool const over = sub ? __builtin_sub_overflow(n.whole, o, &out) : __builtin_add_overflow(n.whole, o, &out);
      if (over) out = sub ? range.least : range.most;
      return whole(std::clamp(out, range.least, range.most), n.type);
    }
    auto const bits_of = [&]() -> std::int64_t {
      switch (n.type) {
        case NumberType::i8:
        case NumberType::u8: return 8;
        case NumberType::i16:
        case NumberType::u16: return 16;
        case NumberType::i64:
        case NumberType::u64:
        case NumberType::isize:
        case NumberType::usize: return 64;
        default: return 32;
      }
    };
    auto const raw = [&]() {
      return static_cast<std::uint64_t>(n.whole) & (bits_of() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits_of()) - 1);
    };
    if (name == "wrapping_shl" || name == "wrapping_shr") {
      NumberType const type = n.type == NumberType::integer ? NumberType::i32 : n.type;
      std::int64_t const by = integer(other(0), span, "an argument") & (width_of(type) - 1);
      return shifted(name == "wrapping_shl" ? "<<" : ">>", n.whole, by, type, span);
    }
    if (name == "count_ones") return whole(std::popcount(raw()), NumberType::u32);
    if (name == "leading_zeros") return whole(bits_of() - static_cast<std::int64_t>(std::bit_width(raw())), NumberType::u32);
    if (name == "signum") return whole(n.whole > 0 ? 1 : n.whole < 0 ? -1 : 0, n.type);
    if (name == "abs_diff") {
      std::int64_t const o = integer(other(0), span, "an argument");
      return whole(whole_result("-", std::max(n.whole, o), std::min(n.whole, o), span),
                   n.type == NumberType::i32 ? NumberType::u32 : n.type);
    }
    if (name == "clamp") {
      std::int64_t const low = integer(other(0), span, "an argument"), high = integer(other(1), span, "an argument");
      if (low > high) overflow(span, name);
      return whole(std::clamp(n.whole, low, high), n.type);
    }
    if (name == "isqrt") {
      if (n.whole < 0) overflow(span, name);
      auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n.whole)));
      while (root > 0 && root > n.whole / root) --root;
      while (root + 1 <= n.whole / (root + 1)) ++root;
      return whole(root, n.type);
    }
    for (auto const& [word, op] :
         {std::pair<std::string_view, std::string_view>{"add", "+"}, {"sub", "-"}, {"mul", "*"}, {"div", "/"}, {"rem", "%"}}) {
      bool const wraps = name.starts_with("wrapping_") && name.substr(9) == word,
                 checks = name.starts_with("checked_") && name.substr(8) == word;
      if (!wraps && !checks) continue;
      Number const o = other(0);
      NumberType const type = joined(n.type, o.type) == NumberType::integer ? NumberType::i32 : joined(n.type, o.type);
      if (wraps) {
        auto const a = static_cast<std::uint64_t>(n.whole), b = static_cast<std::uint64_t>(o.whole);
        if (op == "+" || op == "-" || op == "*")
          return converted(whole(static_cast<std::int64_t>(op == "+" ? a + b : op == "-" ? a - b : a * b)), type);
        return converted(whole(whole_result(op, n.whole, o.whole, span)), type);
      }
      std::int64_t out = 0;
      bool fits = (op != "/" && op != "%") || o.whole != 0;
      if (op == "+") fits = !__builtin_add_overflow(n.whole, o.whole, &out);
      else if (op == "-") fits = !__builtin_sub_overflow(n.whole, o.whole, &out);
      else if (op == "*") fits = !__builtin_mul_overflow(n.whole, o.whole, &out);
      else if (fits) out = whole_result(op, n.whole, o.whole, span);
      NumberRange const range = range_of(type);
      if (!fits || out < range.least || out > range.most) return Named({"None"}, {});
      return Named({"Some"}, {RustValue(whole(out, type))});
    }
    if (name == "is_power_of_two") return n.whole > 0 && (n.whole & (n.whole - 1)) == 0;
    if (name == "next_power_of_two") {
      std::int64_t p = 1;
      while (p < n.whole && p < (std::int64_t{1} << 61)) p *= 2;
      return checked(p);
    }
    if (name == "ilog2" || name == "trailing_zeros") {
      if (n.whole == 0 && name == "trailing_zeros") return whole(bits_of(), NumberType::u32);
      if (n.whole == 0 || (n.whole < 0 && name == "ilog2")) overflow(span, name);
      std::int64_t k = 0;
      if (name == "ilog2")
        while (n.whole >> (k + 1) != 0) ++k;
      else
        while ((n.whole >> k & 1) == 0) ++k;  // a number below zero has the same bits at its end
      return whole(k, NumberType::u32);
    }
    if (name == "is_multiple_of") return whole_result("%", n.whole, integer(other(0), span, "a divisor"), span) == 0;
  }
  fail(Wrong::unknown_method, span, "numbers of kernels have no method `" + std::string(name) + "`",
       "kernels are read, not compiled: they know the arithmetic that kernels use", "compute it with + - * / % and a constant");
}

namespace {

/// As the formats' classes say; numbers that have no class are returned as they are.
double number_of(ScalarType type, std::uint32_t bits) {
  switch (type) {
    case ScalarType::f4e2m1: return double{f4e2m1::from_bits(static_cast<std::uint8_t>(bits)).to_float()};
    case ScalarType::f8e4m3: return double{f8e4m3::from_bits(static_cast<std::uint8_t>(bits)).to_float()};
    case ScalarType::f8e5m2: return double{f8e5m2::from_bits(static_cast<std::uint8_t>(bits)).to_float()};
    case ScalarType::f16: return double{f16::from_bits(static_cast<std::uint16_t>(bits)).to_float()};
    case ScalarType::bf16: return double{bf16::from_bits(static_cast<std::uint16_t>(bits)).to_float()};
    case ScalarType::f32: return double{f32::from_bits(bits).to_float()};
    default: return double(detail::sign_extend(bits, scalar_info(type).bits));
  }
}

}  // namespace

ScalarElement element_of_bits(ScalarType type, std::uint32_t bits) { return {type, number_of(type, bits)}; }

ScalarElement element_of(ScalarType type, double value) {
  switch (type) {
    case ScalarType::f8e4m3: return {type, double{f8e4m3::from_double(value).to_float()}};
    case ScalarType::f8e5m2: return {type, double{f8e5m2::from_double(value).to_float()}};
    case ScalarType::f16: return {type, double{f16::from_double(value).to_float()}};
    case ScalarType::bf16: return {type, double{bf16::from_double(value).to_float()}};
    default: return {type, value};
  }
}

std::optional<ScalarElement> element_constant(ScalarType type, std::string_view name) {
  if (scalar_info(type).kind != ScalarKind::floating || type == ScalarType::f4e2m1) return {};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr std::pair<std::string_view, double> everywhere[] = {{"ZERO", 0.0}, {"NEG_ZERO", -0.0}, {"ONE", 1.0}, {"NEG_ONE", -1.0}};
  for (auto const& [known, value] : everywhere)
    if (known == name) return element_of(type, value);
  if (type != ScalarType::bf16 && type != ScalarType::f16) return {};  // those of 8 bits are no types of the crate `half`
  if (name == "INFINITY") return element_of(type, infinity);
  if (name == "NEG_INFINITY") return element_of(type, -infinity);
  if (name == "NAN") return element_of(type, std::numeric_limits<double>::quiet_NaN());
  std::uint32_t const most = type == ScalarType::bf16 ? 0x7f7f : 0x7bff;
  if (name == "MAX") return element_of_bits(type, most);
  if (name == "MIN") return element_of_bits(type, most | 0x8000);
  return {};
}

// Copies of values that hold values: written where those are complete.

Aggregate::Aggregate() = default;
Aggregate::Aggregate(const Aggregate& o) = default;
Aggregate::Aggregate(Aggregate&& o) noexcept = default;
Aggregate& Aggregate::operator=(const Aggregate& o) = default;
Aggregate& Aggregate::operator=(Aggregate&& o) noexcept = default;
Aggregate::~Aggregate() = default;

Named::Named() = default;
Named::Named(std::vector<std::string> names, std::vector<RustValue> values) : path(std::move(names)), arguments(std::move(values)) {}
Named::Named(const Named& o) = default;
Named::Named(Named&& o) noexcept = default;
Named& Named::operator=(const Named& o) = default;
Named& Named::operator=(Named&& o) noexcept = default;
Named::~Named() = default;

}  // namespace tcp::rust
