// Formulas as text: blanks and parentheses in one way only.
#include <charconv>

#include "tcp/formula/formula.hpp"

namespace tcp::formula {
namespace {

/// How tightly what is printed must hold together.
enum Binding { loose = 1, product = 2, single = 3 };

class Printer {
 public:
  explicit Printer(const Formula& f) : f_(f), said_(f.tensors.size(), false) {}

  void statement(const Statement& s, bool last) {
    const FormulaTensor& t = tensor(s.tensor);
    head(t, last ? usual_result() : f_.integer() ? ScalarType::i32 : ScalarType::f32);
    out += '[';
    for (std::size_t i = 0; i < s.axes.size(); ++i) out += (i > 0 ? ", " : "") + axis(s.axes[i]);
    out += ']';
    layout(t);
    said_[static_cast<std::size_t>(s.tensor)] = true;
    out += " = ";
    expression(s.value, loose);
  }
  void expression(const Expression& e, Binding needed) {
    Binding const has = binding(e);
    bool const group = has < needed;
    if (group) out += '(';
    switch (e.operation) {
      case Operation::number: number(e.number); break;
      case Operation::read: read(e); break;
      case Operation::sum:
      case Operation::max_over:
        out += name_of(e.operation);
        out += '[';
        for (std::size_t i = 0; i < e.over.size(); ++i) out += (i > 0 ? ", " : "") + axis(e.over[i]);
        out += "] ";
        expression(e.of[0], product);
        break;
      case Operation::add:
      case Operation::sub:
        expression(e.of[0], loose);
        out += e.operation == Operation::add ? " + " : " - ";
        expression(e.of[1], product);
        break;
      case Operation::mul:
      case Operation::div:
        // A reduction takes all factors after it.
        expression(e.of[0], is_reduction(e.of[0]) ? single : product);
        out += e.operation == Operation::mul ? " * " : " / ";
        expression(e.of[1], single);
        break;
      case Operation::negate:
        out += '-';
        expression(e.of[0], single);
        break;
      default:
        out += name_of(e.operation);
        out += '(';
        for (std::size_t i = 0; i < e.of.size(); ++i) {
          if (i > 0) out += ", ";
          expression(e.of[i], loose);
        }
        out += ')';
    }
    if (group) out += ')';
  }
  void sizes() {
    bool first = true;
    for (const NamedAxis& a : f_.axes) {
      if (a.size == 0) continue;
      out += (first ? " where " : ", ") + a.name + " = " + std::to_string(a.size);
      first = false;
    }
  }

  std::string out{};

 private:
  static bool is_reduction(const Expression& e) { return e.operation == Operation::sum || e.operation == Operation::max_over; }
  static Binding binding(const Expression& e) {
    switch (e.operation) {
      case Operation::add:
      case Operation::sub: return loose;
      case Operation::mul:
      case Operation::div:
      case Operation::sum:
      case Operation::max_over: return product;
      default: return single;
    }
  }
  ScalarType usual_result() const { return f_.integer() ? ScalarType::i32 : ScalarType::bf16; }
  const FormulaTensor& tensor(int t) const { return f_.tensors[static_cast<std::size_t>(t)]; }
  std::string axis(int a) const { return f_.axes[static_cast<std::size_t>(a)].name; }
  void head(const FormulaTensor& t, ScalarType usual) {
    out += t.name;
    if (t.type != usual) out += std::string(": ") + scalar_info(t.type).name;
  }
  void layout(const FormulaTensor& t) {
    if (t.stored.kind == StoredAs::Kind::any) out += "{any}";
    if (t.stored.kind == StoredAs::Kind::blocks) out += "{blocks " + std::to_string(t.stored.block) + "}";
  }
  void number(double value) {
    char digits[40];
    auto const end = std::to_chars(digits, digits + sizeof digits, value);
    out.append(digits, end.ptr);
  }
  void read(const Expression& e) {
    const FormulaTensor& t = tensor(e.tensor);
    bool const first = !said_[static_cast<std::size_t>(e.tensor)];
    head(t, first ? ScalarType::bf16 : t.type);
    out += '[';
    for (std::size_t i = 0; i < e.index.size(); ++i) {
      if (i > 0) out += ", ";
      index(e.index[i]);
      if (first && t.extent[i] > 0) out += " : " + std::to_string(t.extent[i]);
    }
    out += ']';
    if (first) layout(t);
    said_[static_cast<std::size_t>(e.tensor)] = true;
  }
  void index(const AffineIndex& x) {
    bool first = true;
    for (const AffineIndex::Part& p : x.parts) {
      std::int64_t const times = p.times < 0 ? -p.times : p.times;
      out += first ? (p.times < 0 ? "-" : "") : (p.times < 0 ? " - " : " + ");
      out += axis(p.axis);
      if (times != 1) out += " * " + std::to_string(times);
      first = false;
    }
    if (x.offset != 0 || first) {
      std::int64_t const by = x.offset < 0 ? -x.offset : x.offset;
      out += (first ? (x.offset < 0 ? "-" : "") : (x.offset < 0 ? " - " : " + ")) + std::to_string(by);
    }
  }

  const Formula& f_;
  std::vector<bool> said_;  // type, extents and layout stand at the first mention
};

}  // namespace

std::string print(const Formula& formula) {
  Printer p(formula);
  for (std::size_t i = 0; i < formula.statements.size(); ++i) {
    if (i > 0) p.out += "; ";
    p.statement(formula.statements[i], i + 1 == formula.statements.size());
  }
  p.sizes();
  return p.out;
}
std::string print(const Formula& formula, const Expression& expression) {
  Printer p(formula);
  p.expression(expression, loose);
  return p.out;
}

}  // namespace tcp::formula
