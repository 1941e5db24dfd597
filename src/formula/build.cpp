// The builder: numbers its axes and tensors as the reader of text does, by their first use.
#include "tcp/formula/build.hpp"

#include <utility>

namespace tcp::formula {

Index operator+(Index a, const Index& b) {
  for (const AffineIndex::Part& p : b.value.parts) {
    bool found = false;
    for (AffineIndex::Part& q : a.value.parts)
      if (q.axis == p.axis) {
        q.times += p.times;
        found = true;
      }
    if (!found) a.value.parts.push_back(p);
  }
  std::erase_if(a.value.parts, [](const AffineIndex::Part& p) { return p.times == 0; });
  a.value.offset += b.value.offset;
  return a;
}
Index operator+(Index a, std::int64_t b) {
  a.value.offset += b;
  return a;
}
Index operator-(Index a, std::int64_t b) { return std::move(a) + -b; }
Index operator*(Index a, std::int64_t times) {
  if (times == 0) a.value.parts.clear();
  for (AffineIndex::Part& p : a.value.parts) p.times *= times;
  a.value.offset *= times;
  return a;
}

Expression TensorName::read(std::initializer_list<Index> at) const {
  Expression e;
  e.operation = Operation::read;
  e.tensor = tensor_;
  std::vector<std::int64_t>& extent = builder_->formula_.tensors[static_cast<std::size_t>(tensor_)].extent;
  for (const Index& i : at) {
    if (extent.size() < at.size() && extent.size() == e.index.size()) extent.push_back(0);
    if (i.extent > 0 && e.index.size() < extent.size()) extent[e.index.size()] = i.extent;
    e.index.push_back(i.value);
  }
  return e;
}

Index Builder::axis(std::string_view name, std::int64_t size) {
  formula_.axes.push_back({std::string(name), size});
  return {{{{static_cast<int>(formula_.axes.size()) - 1, 1}}, 0}, 0};
}
TensorName Builder::tensor(std::string_view name, ScalarType type, StoredAs stored) {
  FormulaTensor t;
  t.name = name;
  t.type = type;
  t.stored = stored;
  formula_.tensors.push_back(t);
  return {this, static_cast<int>(formula_.tensors.size()) - 1};
}
TensorName Builder::make(std::string_view name, std::initializer_list<Index> axes, Expression value, ScalarType type, StoredAs stored) {
  TensorName const made = tensor(name, type, stored);
  FormulaTensor& t = formula_.tensors.back();
  t.made_by = static_cast<int>(formula_.statements.size());
  t.extent.assign(axes.size(), 0);
  Statement s{made.number(), {}, std::move(value)};
  for (const Index& a : axes) s.axes.push_back(a.value.plain() ? a.value.parts[0].axis : -1);
  formula_.statements.push_back(std::move(s));
  typed_.push_back(true);
  return made;
}
TensorName Builder::make(std::string_view name, std::initializer_list<Index> axes, Expression value) {
  TensorName const made = make(name, axes, std::move(value), ScalarType::bf16);
  typed_.back() = false;
  return made;
}

namespace {

void first_uses(const Formula& f, const Expression& e, std::vector<int>& tensors, std::vector<int>& axes) {
  auto const note = [](std::vector<int>& all, int x) {
    for (int known : all)
      if (known == x) return;
    all.push_back(x);
  };
  for (int a : e.over) note(axes, a);
  if (e.operation == Operation::read) {
    note(tensors, e.tensor);
    for (const AffineIndex& x : e.index)
      for (const AffineIndex::Part& p : x.parts) note(axes, p.axis);
  }
  for (const Expression& of : e.of) first_uses(f, of, tensors, axes);
}
int place_of(const std::vector<int>& order, int x) {
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order[i] == x) return static_cast<int>(i);
  return -1;
}
void renumber(Expression& e, const std::vector<int>& tensors, const std::vector<int>& axes) {
  for (int& a : e.over) a = place_of(axes, a);
  if (e.operation == Operation::read) e.tensor = place_of(tensors, e.tensor);
  for (AffineIndex& x : e.index)
    for (AffineIndex::Part& p : x.parts) p.axis = place_of(axes, p.axis);
  for (Expression& of : e.of) renumber(of, tensors, axes);
}

}  // namespace

Expected<Formula> Builder::formula() const {
  Formula f;
  f.statements = formula_.statements;
  std::vector<int> tensors, axes;
  for (const Statement& s : f.statements) {
    tensors.push_back(s.tensor);
    for (int a : s.axes) {
      if (a < 0)
        return refuse("formula-left-side")
            .what("an index of ", formula_.tensors[static_cast<std::size_t>(s.tensor)].name, " is not one axis as it is")
            .why("an element is made for each step of the axes on the left; windows belong to tensors that are read")
            .help("write axes only: make(\"C\", {m, n}, ...)");
      if (place_of(axes, a) < 0) axes.push_back(a);
    }
    first_uses(f, s.value, tensors, axes);
  }
  for (Statement& s : f.statements) {
    s.tensor = place_of(tensors, s.tensor);
    for (int& a : s.axes) a = place_of(axes, a);
    renumber(s.value, tensors, axes);
  }
  for (int a : axes) f.axes.push_back(formula_.axes[static_cast<std::size_t>(a)]);
  for (int t : tensors) f.tensors.push_back(formula_.tensors[static_cast<std::size_t>(t)]);
  bool const integer = f.integer();
  for (std::size_t s = 0; s < f.statements.size(); ++s)
    if (!typed_[s])
      f.tensors[static_cast<std::size_t>(f.statements[s].tensor)].type = integer                        ? ScalarType::i32
                                                                         : s + 1 == f.statements.size() ? ScalarType::bf16
                                                                                                        : ScalarType::f32;
  if (auto v = check(f); !v) return v.refusal();
  return f;
}

Expression apply(Operation operation, Expression a) {
  if (operation == Operation::negate && a.operation == Operation::number) return number(-a.number);
  Expression e;
  e.operation = operation;
  e.of.push_back(std::move(a));
  return e;
}
Expression apply(Operation operation, Expression a, Expression b) {
  Expression e = apply(operation, std::move(a));
  e.of.push_back(std::move(b));
  return e;
}
Expression fma(Expression a, Expression b, Expression c) {
  Expression e;
  e.operation = Operation::fma;
  for (Expression* of : {&a, &b, &c}) e.of.push_back(std::move(*of));
  return e;
}
Expression operator+(Expression a, Expression b) { return apply(Operation::add, std::move(a), std::move(b)); }
Expression operator-(Expression a, Expression b) { return apply(Operation::sub, std::move(a), std::move(b)); }
Expression operator*(Expression a, Expression b) { return apply(Operation::mul, std::move(a), std::move(b)); }
Expression operator/(Expression a, Expression b) { return apply(Operation::div, std::move(a), std::move(b)); }
Expression operator-(Expression a) { return apply(Operation::negate, std::move(a)); }
Expression number(double value) {
  Expression e;
  e.number = value;
  return e;
}
namespace {
Expression reduced(Operation operation, std::initializer_list<Index> over, Expression of) {
  Expression e = apply(operation, std::move(of));
  for (const Index& a : over)
    if (a.value.plain()) e.over.push_back(a.value.parts[0].axis);
  return e;
}
}  // namespace
Expression sum(std::initializer_list<Index> over, Expression of) { return reduced(Operation::sum, over, std::move(of)); }
Expression max_over(std::initializer_list<Index> over, Expression of) { return reduced(Operation::max_over, over, std::move(of)); }

}  // namespace tcp::formula
