// Reads formulas by recursive descent into functions.
#include "book/rows/formula.hpp"

#include <cctype>
#include <cmath>

#include "tcp/scalar/float_formats.hpp"

namespace tcp::rows {
namespace {

using Value = std::function<double(Scope&)>;

std::int64_t whole(double v) { return static_cast<std::int64_t>(std::floor(v)); }
double floor_quotient(double a, double b) { return std::floor(a / b); }
double remainder_of(double a, double b) { return a - b * std::floor(a / b); }
double wrapped(double v, int bits) {
  double const all = std::ldexp(1.0, bits), low = remainder_of(v, all);
  return low >= all / 2 ? low - all : low;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Value all() {
    Value v = choice();
    if (blank(); at_ != text_.size()) stop("an operator or the end");
    return v;
  }

 private:
  [[noreturn]] void stop(const std::string& wanted) const {
    throw std::invalid_argument("formula '" + std::string(text_) + "', character " + std::to_string(at_ + 1) + ": " + wanted +
                                " is expected");
  }
  void blank() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool next(std::string_view sign) {
    blank();
    if (text_.substr(at_, sign.size()) != sign) return false;
    at_ += sign.size();
    return true;
  }
  void need(std::string_view sign) {
    if (!next(sign)) stop("'" + std::string(sign) + "'");
  }
  std::string word() {
    blank();
    std::size_t const from = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) ++at_;
    return std::string(text_.substr(from, at_ - from));
  }

  Value choice() {
    Value c = either();
    if (!next("?")) return c;
    Value yes = choice();
    need(":");
    Value no = choice();
    return [=](Scope& s) { return c(s) != 0 ? yes(s) : no(s); };
  }
  Value either() {
    Value a = both();
    while (next("||")) {
      Value b = both();
      a = [=](Scope& s) { return static_cast<double>(a(s) != 0 || b(s) != 0); };
    }
    return a;
  }
  Value both() {
    Value a = compared();
    while (next("&&")) {
      Value b = compared();
      a = [=](Scope& s) { return static_cast<double>(a(s) != 0 && b(s) != 0); };
    }
    return a;
  }
  Value compared() {
    Value a = sum();
    if (next("<=")) return with(a, sum(), [](double x, double y) { return static_cast<double>(x <= y); });
    if (next(">=")) return with(a, sum(), [](double x, double y) { return static_cast<double>(x >= y); });
    if (next("==")) return with(a, sum(), [](double x, double y) { return static_cast<double>(x == y); });
    if (next("!=")) return with(a, sum(), [](double x, double y) { return static_cast<double>(x != y); });
    if (next("<")) return with(a, sum(), [](double x, double y) { return static_cast<double>(x < y); });
    if (next(">")) return with(a, sum(), [](double x, double y) { return static_cast<double>(x > y); });
    return a;
  }
  static Value with(Value a, Value b, double (*f)(double, double)) {
    return [=](Scope& s) { return f(a(s), b(s)); };
  }
  Value sum() {
    Value a = term();
    while (true) {
      if (next("+")) a = with(a, term(), [](double x, double y) { return x + y; });
      else if (next("-")) a = with(a, term(), [](double x, double y) { return x - y; });
      else return a;
    }
  }
  Value term() {
    Value a = factor();
    while (true) {
      if (next("*")) a = with(a, factor(), [](double x, double y) { return x * y; });
      else if (next("/")) a = with(a, factor(), floor_quotient);
      else if (next("%")) a = with(a, factor(), remainder_of);
      else return a;
    }
  }
  Value factor() {
    if (next("-")) {
      Value a = factor();
      return [=](Scope& s) { return -a(s); };
    }
    if (next("(")) {
      Value a = choice();
      need(")");
      return a;
    }
    blank();
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) return number();
    std::string const name = word();
    if (name.empty()) stop("a number, a name or '('");
    if (next("(")) return call(name);
    if (next("[")) return element(name);
    if (name == "inf") return [](Scope&) { return INFINITY; };
    return [=](Scope& s) {
      if (auto const c = s.coordinates.find(name); c != s.coordinates.end()) return static_cast<double>(c->second);
      return tensor(s, name, s.coordinates);
    };
  }
  Value number() {
    std::size_t used = 0;
    double const v = std::stod(std::string(text_.substr(at_)), &used);
    at_ += used;
    return [=](Scope&) { return v; };
  }
  static double tensor(Scope& s, const std::string& name, const std::map<std::string, std::int64_t, std::less<>>& at) {
    auto const t = s.tensors.find(name);
    if (t == s.tensors.end()) throw std::invalid_argument("a formula names '" + name + "', which is neither an axis here nor an argument");
    return t->second(at);
  }
  Value element(const std::string& name) {
    std::vector<std::pair<std::string, Value>> moved;
    do {
      std::string axis = word();
      need("=");
      moved.emplace_back(std::move(axis), choice());
    } while (next(","));
    need("]");
    return [=](Scope& s) {
      auto at = s.coordinates;
      for (const auto& [axis, c] : moved) at[axis] = whole(c(s));
      return tensor(s, name, at);
    };
  }
  Value call(const std::string& name) {
    if (name == "sum" || name == "product" || name == "max" || name == "min")
      if (auto over = folded(name)) return over;
    std::vector<Value> a{choice()};
    while (next(",")) a.push_back(choice());
    need(")");
    using Two = double (*)(double, double);
    using One = double (*)(double);
    static const std::map<std::string, Two> twos{{"min", [](double x, double y) { return x < y ? x : y; }},
                                                 {"max", [](double x, double y) { return x > y ? x : y; }},
                                                 {"quotient", [](double x, double y) { return x / y; }},
                                                 {"and", [](double x, double y) { return static_cast<double>(whole(x) & whole(y)); }},
                                                 {"or", [](double x, double y) { return static_cast<double>(whole(x) | whole(y)); }},
                                                 {"xor", [](double x, double y) { return static_cast<double>(whole(x) ^ whole(y)); }}};
    static const std::map<std::string, One> ones{{"abs", [](double x) { return std::fabs(x); }},
                                                 {"floor", [](double x) { return std::floor(x); }},
                                                 {"exp", [](double x) { return std::exp(x); }},
                                                 {"sqrt", [](double x) { return std::sqrt(x); }},
                                                 {"f32", [](double x) { return f32::from_double(x).to_double(); }},
                                                 {"bf16", [](double x) { return bf16::from_double(x).to_double(); }},
                                                 {"f16", [](double x) { return f16::from_double(x).to_double(); }},
                                                 {"f8e4m3", [](double x) { return f8e4m3::from_double(x).to_double(); }},
                                                 {"f8e5m2", [](double x) { return f8e5m2::from_double(x).to_double(); }},
                                                 {"wrap8", [](double x) { return wrapped(x, 8); }},
                                                 {"wrap16", [](double x) { return wrapped(x, 16); }},
                                                 {"wrap32", [](double x) { return wrapped(x, 32); }}};
    if (auto const f = twos.find(name); f != twos.end() && a.size() == 2) return with(a[0], a[1], f->second);
    if (auto const f = ones.find(name); f != ones.end() && a.size() == 1) return [f = f->second, x = a[0]](Scope& s) { return f(x(s)); };
    stop("a function that takes " + std::to_string(a.size()) + " instead of " + name);
  }
  /// `sum(K < 64, …)`; nothing if it does not begin like this.
  Value folded(const std::string& name) {
    std::size_t const back = at_;
    std::string const axis = word();
    if (axis.empty() || !next("<")) return at_ = back, Value();
    Value const count = sum();
    if (!next(",")) return at_ = back, Value();
    Value const each = choice();
    if (!next(")")) return at_ = back, Value();
    return [=](Scope& s) {
      auto const n = whole(count(s));
      auto const kept = s.coordinates;
      double all = name == "product" ? 1 : 0;
      for (std::int64_t i = 0; i < n; ++i) {
        s.coordinates[axis] = i;
        double const v = each(s);
        if (name == "sum") all += v;
        if (name == "product") all *= v;
        if (name == "max") all = i == 0 || v > all ? v : all;
        if (name == "min") all = i == 0 || v < all ? v : all;
      }
      s.coordinates = kept;
      return all;
    };
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Formula::Formula(std::string_view text) : value_(Reader(text).all()) {}

}  // namespace tcp::rows
