// Reads a formula into nodes, and divides them into passes.
#include "kernels/rowwise/formula/row_program.hpp"

#include <algorithm>
#include <utility>

#include "tcp/scalar/arithmetic.hpp"

namespace tcp::kernels {
namespace {

using formula::Expression;
using formula::Operation;
using Kind = RowNodeKind;

constexpr bool commutes(Operation o) { return o == Operation::add || o == Operation::mul || o == Operation::min || o == Operation::max; }
constexpr bool has_two(Operation o) { return commutes(o) || o == Operation::sub || o == Operation::div; }

class RowReader {
 public:
  RowReader(const formula::Formula& f, Where at) : at_(at) { p_.formula = f; }

  Expected<RowProgram> read() {
    const formula::Formula& f = p_.formula;
    if (auto v = formula::check_sizes(f); !v) return v.refusal();
    const formula::Statement& last = f.statements.back();
    if (last.axes.size() != 2) return no_rows(text("the result has ", last.axes.size(), last.axes.size() == 1 ? " axis" : " axes"));
    p_.rows = size_of(last.axes[0]);
    p_.columns = size_of(last.axes[1]);
    made_.assign(f.tensors.size(), -1);
    for (const formula::Statement& s : f.statements)
      if (auto v = statement(s); !v) return v.refusal();
    return std::move(p_);
  }

 private:
  std::int64_t size_of(int axis) const { return p_.formula.axes[static_cast<std::size_t>(axis)].size; }
  const std::string& name_of(int axis) const { return p_.formula.axes[static_cast<std::size_t>(axis)].name; }
  std::string print(const Expression& e) const { return formula::print(p_.formula, e); }
  Refusal no_rows(const Text& what) const {
    return refuse("kernel-row-formula", at_)
        .what(what)
        .why(
            "a row formula makes a matrix, [rows, columns], of bf16 matrices like it, of bf16 numbers of columns, and of reductions of its "
            "rows")
        .help("write c[m] = max[n] x[m, n]; y[m, n] = exp(x[m, n] - c[m])");
  }

  Verdict statement(const formula::Statement& s) {
    bool const last = &s == &p_.formula.statements.back();
    const formula::FormulaTensor& t = p_.formula.tensors[static_cast<std::size_t>(s.tensor)];
    row_ = s.axes[0];
    column_ = s.axes.size() == 2 ? s.axes[1] : -1;
    bool const fits = s.axes.size() <= 2 && size_of(row_) == p_.rows && (column_ < 0 || size_of(column_) == p_.columns);
    if (!fits) return no_rows(text(t.name, " has other axes than the result, or other sizes"));
    if (t.type != (last ? ScalarType::bf16 : ScalarType::f32))
      return no_rows(text(t.name, " is ", t.type, last ? ", and the result of a row kernel bf16" : ", and what is made in between f32"));
    auto const made = expression(s.value);
    if (!made) return made.refusal();
    if (p_.node(*made).kind != (column_ < 0 ? Kind::row : Kind::matrix))
      return no_rows(text(t.name, " is made of ", print(s.value), ", which ",
                          column_ < 0 ? "is no reduction of rows" : "has no element for each row and column"));
    made_[static_cast<std::size_t>(s.tensor)] = *made;
    p_.result = *made;
    return accept();
  }

  int kept(const RowNode& n) {
    auto const same = std::find(p_.nodes.begin(), p_.nodes.end(), n);
    if (same != p_.nodes.end()) return static_cast<int>(same - p_.nodes.begin());
    p_.nodes.push_back(n);
    return static_cast<int>(p_.nodes.size()) - 1;
  }
  int number(f32 value) { return kept({Operation::number, Kind::number, value}); }

  Expected<int> expression(const Expression& e) {
    switch (e.operation) {
      case Operation::number: return number(f32::from_double(e.number));
      case Operation::read: return read(e);
      case Operation::sum:
      case Operation::max_over: return reduction(e);
      default: break;
    }
    auto const a = expression(e.of[0]);
    if (!a) return a.refusal();
    if (e.of.size() == 1) return e.operation == Operation::relu ? two(e, Operation::max, *a, number(f32{0.0f})) : one(e, *a);
    auto const b = expression(e.of[1]);
    if (!b) return b.refusal();
    if (e.operation != Operation::fma) return two(e, e.operation, *a, *b);
    auto const c = expression(e.of[2]);
    if (!c) return c.refusal();
    return fused(e, *a, *b, *c);
  }
  Expected<int> read(const Expression& e) {
    const formula::FormulaTensor& t = p_.formula.tensors[static_cast<std::size_t>(e.tensor)];
    std::vector<int> axes;
    for (const formula::AffineIndex& x : e.index) {
      if (!x.plain()) return no_rows(text(print(e), " is read at an index that is no axis"));
      axes.push_back(x.parts[0].axis);
    }
    bool const matrix = axes.size() == 2 && axes[0] == row_ && axes[1] == column_;
    if (int const made = made_[static_cast<std::size_t>(e.tensor)]; made >= 0) {
      if (matrix || (axes.size() == 1 && axes[0] == row_)) return made;
      return no_rows(text(print(e), " is another row than the one that is made"));
    }
    bool const column = axes.size() == 1 && axes[0] == column_;
    if (!matrix && !column) return no_rows(text(print(e), " is neither the same row of a matrix nor a number of the column"));
    std::vector<std::int64_t> const extents = p_.formula.extents(e.tensor);
    if (t.type != ScalarType::bf16 || t.stored.kind == formula::StoredAs::Kind::blocks || extents.back() != p_.columns ||
        (matrix && extents[0] != p_.rows))
      return no_rows(text(t.name, " is ", t.type, t.stored.kind == formula::StoredAs::Kind::blocks ? ", stored in blocks" : "", ", with ",
                          extents.back(), " columns"));
    return kept({Operation::read, matrix ? Kind::matrix : Kind::column, {}, e.tensor});
  }
  Expected<int> reduction(const Expression& e) {
    if (e.over.size() != 1 || size_of(e.over[0]) != p_.columns)
      return no_rows(text(print(e), " is not over the ", p_.columns, " columns of a row"));
    int const outside = std::exchange(column_, e.over[0]);
    auto const body = expression(e.of[0]);
    column_ = outside;
    if (!body) return body.refusal();
    if (p_.node(*body).kind != Kind::matrix) return no_rows(text(print(e), " is of no matrix"));
    return kept({e.operation, Kind::row, {}, -1, *body});
  }
  Expected<int> one(const Expression& e, int a) {
    Kind const kind = p_.node(a).kind;
    if (kind == Kind::number && e.operation == Operation::negate)
      return number(arithmetic::sub(f32{0.0f}, p_.node(a).number, NumericModel::rngd));
    if (kind == Kind::number || kind == Kind::column) return alone(e);
    if (e.operation == Operation::negate) return two(e, Operation::sub, number(f32{0.0f}), a);
    return kept({e.operation, kind, {}, -1, a});
  }
  Refusal alone(const Expression& e) const {
    return refuse("kernel-row-formula", at_)
        .what(print(e), " has nothing of a row")
        .why("what streams through the Vector Engine are rows, or numbers of rows; numbers of columns and constants meet them on the way")
        .help("bring the row in first, as in (x[m, n] * w[n]) * 2, or store the numbers as they are needed");
  }
  Expected<int> fused(const Expression& e, int a, int b, int c) {
    Kind const ka = p_.node(a).kind, kb = p_.node(b).kind, most = std::max(ka, kb);
    if (most == Kind::number || most == Kind::column) return alone(e);
    if (ka == kb || p_.node(c).kind >= most || (most == Kind::row && p_.node(c).kind == Kind::column))
      return no_rows(text(print(e), " multiplies or adds two streams"));
    if (p_.node(ka == most ? b : a).kind != Kind::number && p_.node(c).kind != Kind::number)
      return refuse("kernel-row-formula", at_)
          .what(print(e), " takes two numbers of rows or columns at once")
          .why("the Vector Engine reads one of them beside the stream; constants do not count")
          .help("write a product and a sum, which round twice");
    return kept({Operation::fma, most, {}, -1, a, b, c});
  }
  Expected<int> two(const Expression& e, Operation o, int a, int b) {
    Kind const ka = p_.node(a).kind, kb = p_.node(b).kind;
    if (ka == Kind::number && kb == Kind::number) {
      f32 const x = p_.node(a).number, y = p_.node(b).number;
      constexpr NumericModel model = NumericModel::rngd;
      switch (o) {
        case Operation::add: return number(arithmetic::add(x, y, model));
        case Operation::sub: return number(arithmetic::sub(x, y, model));
        case Operation::mul: return number(arithmetic::mul(x, y, model));
        case Operation::div: return number(arithmetic::div(x, y, model));
        case Operation::min: return number(arithmetic::min(x, y, model));
        default: return number(arithmetic::max(x, y, model));
      }
    }
    Kind const most = std::max(ka, kb);
    if (most == Kind::column) return alone(e);
    bool const limits = o == Operation::min || o == Operation::max;
    if (limits && ka == kb && (most == Kind::matrix || a == b))
      return no_rows(text(print(e), " takes the ", o == Operation::min ? "least" : "greatest", " of two matrices"));
    return kept({o, most, {}, -1, a, b});
  }

  Where at_;
  RowProgram p_{};
  std::vector<int> made_{};
  int row_ = -1, column_ = -1;
};

}  // namespace

int RowProgram::streamed(int n) const {
  const RowNode& e = node(n);
  if (e.b < 0) return e.a;
  return node(e.a).kind == e.kind ? e.a : e.b;
}
int RowProgram::other(int n) const {
  const RowNode& e = node(n);
  return e.b < 0 ? -1 : streamed(n) == e.a ? e.b : e.a;
}
bool RowProgram::zips(int n) const {
  const RowNode& e = node(n);
  return has_two(e.operation) && e.a != e.b && node(e.a).kind == Kind::matrix && node(e.b).kind == Kind::matrix;
}

std::optional<unsigned> RowProgram::alus(int n, unsigned used, bool reducing) const {
  using namespace row_alu;
  const RowNode& e = node(n);
  // What belongs to columns is counted eight by eight, and a reduction perhaps in other packets.
  for (int m : {other(n), added(n)})
    if (reducing && m >= 0 && node(m).kind == Kind::column) return std::nullopt;
  auto const first_of = [&](std::initializer_list<unsigned> choices) -> std::optional<unsigned> {
    for (unsigned need : choices) {
      bool const late = (need & clips) != 0, limited = (used & clips) != 0, divided = (used & divider) != 0;
      if ((used & need) != 0 || (late && reducing) || (!late && (limited || divided))) continue;
      return need;
    }
    return std::nullopt;
  };
  bool const squares = e.a == e.b, swapped = streamed(n) != e.a;
  switch (e.operation) {
    case Operation::add: return squares ? first_of({fma}) : first_of({fma, clip_add});
    case Operation::sub:
    case Operation::fma: return first_of({fma});
    case Operation::mul: return first_of({mul0, mul1});
    case Operation::div: return first_of({divider});
    case Operation::min: return first_of({clip_min});
    case Operation::max: return first_of({clip_max});
    case Operation::exp: return first_of({exponent});
    case Operation::gelu: return first_of({fma | fpu | mul0 | mul1 | stash});
    case Operation::silu: return first_of({fpu | mul0 | stash});
    default: return swapped ? std::nullopt : first_of({fpu});
  }
}

RowProgram::Way RowProgram::way(int n, bool reducing) const {
  const RowNode& e = node(n);
  if (e.operation == Operation::read || e.reduces()) return {From::own_tensor, 0};
  if (zips(n)) {
    if (reducing) return {From::own_tensor, 0};
    unsigned const alu = e.operation == Operation::mul ? row_alu::mul0 : e.operation == Operation::div ? row_alu::fpu : row_alu::fma;
    return {From::argument_tensor, alu};
  }
  unsigned const before = way(streamed(n), reducing).used;
  if (auto const more = alus(n, before, reducing)) return {From::argument, before | *more};
  if (auto const more = alus(n, 0, reducing)) return {From::argument_tensor, *more};
  return {From::own_tensor, 0};
}

RowProgram::Uses RowProgram::uses() const {
  Uses uses{.needs = {.matrices = 1, .passes = 1}, .columns = {}};
  RowNeeds& needs = uses.needs;
  std::vector<bool> tensor(nodes.size()), wide(nodes.size()), operand(nodes.size());
  auto const visit = [&](auto&& self, int n, bool reducing) -> void {
    auto const own = [&](int m) {
      if (node(m).operation == Operation::read || tensor[static_cast<std::size_t>(m)]) return;
      tensor[static_cast<std::size_t>(m)] = true;
      if (node(m).reduces()) self(self, node(m).a, true);
      else self(self, m, false);
    };
    Way const w = way(n, reducing);
    if (w.from == From::own_tensor) return own(n);
    if (zips(n)) {
      ++needs.passes;  // two streams, one after the other
      bool const plain = node(node(n).a).operation == Operation::read && node(node(n).b).operation == Operation::read;
      for (int m : {node(n).a, node(n).b}) {
        own(m);
        if (!plain) wide[static_cast<std::size_t>(m)] = true;
      }
      return;
    }
    if (w.from == From::argument_tensor) own(streamed(n));
    else self(self, streamed(n), reducing);
    for (int m : {other(n), added(n)}) {
      if (m < 0 || m == streamed(n)) continue;
      operand[static_cast<std::size_t>(m)] = true;
      if (node(m).kind == Kind::row) own(m);
    }
  };
  visit(visit, result, false);
  std::int64_t between = 0, rows_made = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const RowNode& e = nodes[i];
    if (e.operation == Operation::read && e.kind == Kind::matrix) ++needs.matrices;
    if (e.kind == Kind::matrix && (tensor[i] || wide[i])) ++between;
    if (e.kind == Kind::matrix && tensor[i]) ++needs.passes;
    if (e.reduces() && tensor[i]) ++needs.passes, ++uses.reductions;
    if (e.kind == Kind::row && tensor[i]) ++rows_made;
    if (operand[i] && e.kind == Kind::column) {
      needs.vrf_column_bytes += 4;
      uses.columns.push_back(static_cast<int>(i));
    }
    if (operand[i] && e.kind == Kind::row) needs.vrf_row_bytes += 32;
  }
  needs.reduces = uses.reductions > 0;
  // A spread counts four numbers of each row.
  needs.dm_column_bytes = 4 * needs.matrices + 4 * between + std::max<std::int64_t>(rows_made - 4, 0);
  return uses;
}

Expected<RowProgram> row_program(const formula::Formula& formula, Where at) { return RowReader(formula, at).read(); }

}  // namespace tcp::kernels
