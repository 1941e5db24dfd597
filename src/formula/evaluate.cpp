// The direct evaluator: a walk over the expression for every element, in the chip's arithmetic.
#include "tcp/formula/evaluate.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "tcp/scalar/arithmetic.hpp"
#include "tcp/scalar/cast.hpp"
#include "tcp/scalar/elementary.hpp"
#include "tcp/scalar/fixed_point.hpp"

namespace tcp::formula {
namespace {

/// A value of f32 or i32, by its bits; nothing where an index left its tensor within a maximum.
using Bits = std::uint32_t;

struct Math {
  bool integer;
  NumericModel model;

  Bits two(Operation o, Bits a, Bits b) const {
    if (integer) {
      i32 const x = i32::from_bits(a), y = i32::from_bits(b);
      switch (o) {
        case Operation::add: return arithmetic::add_fxp(x, y).bits;
        case Operation::sub: return arithmetic::sub_fxp(x, y).bits;
        case Operation::mul: return arithmetic::mul_int(x, y).bits;
        case Operation::min: return arithmetic::min(x, y).bits;
        default: return arithmetic::max(x, y).bits;
      }
    }
    f32 const x = f32::from_bits(a), y = f32::from_bits(b);
    switch (o) {
      case Operation::add: return arithmetic::add(x, y, model).bits;
      case Operation::sub: return arithmetic::sub(x, y, model).bits;
      case Operation::mul: return arithmetic::mul(x, y, model).bits;
      case Operation::div: return arithmetic::div(x, y, model).bits;
      case Operation::min: return arithmetic::min(x, y, model).bits;
      default: return arithmetic::max(x, y, model).bits;
    }
  }
  Bits fma(Bits a, Bits b, Bits c) const { return arithmetic::fma(f32::from_bits(a), f32::from_bits(b), f32::from_bits(c), model).bits; }
  Bits one(Operation o, Bits a) const {
    if (o == Operation::relu) return two(Operation::max, a, 0);
    if (o == Operation::negate) return two(Operation::sub, 0, a);
    f32 const x = f32::from_bits(a);
    switch (o) {
      case Operation::gelu: {
        f32 const half{0.5f}, inner = arithmetic::erf(arithmetic::mul(x, f32::from_float(0.70710678f), model), model);
        return arithmetic::mul(arithmetic::fma(inner, half, half, model), x, model).bits;
      }
      case Operation::silu: return arithmetic::mul(arithmetic::sigmoid(x, model), x, model).bits;
      case Operation::exp: return arithmetic::exp(x, model).bits;
      case Operation::sqrt: return arithmetic::sqrt(x, model).bits;
      case Operation::tanh: return arithmetic::tanh(x, model).bits;
      case Operation::sigmoid: return arithmetic::sigmoid(x, model).bits;
      case Operation::erf: return arithmetic::erf(x, model).bits;
      case Operation::log: return arithmetic::log(x, model).bits;
      case Operation::sin: return arithmetic::sin(x, model).bits;
      default: return arithmetic::cos(x, model).bits;
    }
  }
  ScalarType wide() const { return integer ? ScalarType::i32 : ScalarType::f32; }
};

class Evaluation {
 public:
  Evaluation(const Formula& f, const SumOrder& order, NumericModel model)
      : f_(f), order_(order), math_{f.integer(), model}, values_(f.tensors.size()), at_(f.axes.size(), 0) {}

  void give(int tensor, const Elements& elements) {
    Elements wide = elements;
    for (Bits& b : wide.bits) b = scalar_cast_bits(elements.type, math_.wide(), b, math_.model);
    values_[static_cast<std::size_t>(tensor)] = std::move(wide);
  }
  void make(std::size_t statement) {
    const Statement& s = f_.statements[statement];
    Elements made{f_.tensors[static_cast<std::size_t>(s.tensor)].type, f_.extents(s.tensor), {}};
    std::int64_t count = 1;
    for (std::int64_t e : made.extent) count *= e;
    for (std::int64_t i = 0; i < count; ++i) made.bits.push_back(element(statement, i));
    results_ = made;
    give(s.tensor, made);
  }
  /// One element of what a statement makes, in the type of its tensor.
  Bits element(std::size_t statement, std::int64_t position) {
    const Statement& s = f_.statements[statement];
    for (std::size_t i = s.axes.size(); i-- > 0;) {
      auto const a = static_cast<std::size_t>(s.axes[i]);
      at_[a] = position % f_.axes[a].size;
      position /= f_.axes[a].size;
    }
    Bits const wide = value(s.value).value_or(0);
    return scalar_cast_bits(math_.wide(), f_.tensors[static_cast<std::size_t>(s.tensor)].type, wide, math_.model);
  }
  const Elements& results() const { return results_; }

 private:
  std::optional<Bits> value(const Expression& e) {
    switch (e.operation) {
      case Operation::number:
        return math_.integer ? i32::from_int(static_cast<std::int64_t>(e.number)).bits : f32::from_double(e.number).bits;
      case Operation::read: return read(e);
      case Operation::sum: return sum(e);
      case Operation::max_over: return largest(e);
      default: break;
    }
    auto const a = value(e.of[0]);
    if (!a || e.of.size() == 1) return a ? std::optional(math_.one(e.operation, *a)) : a;
    auto const b = value(e.of[1]);
    if (e.operation == Operation::fma) {
      auto const c = value(e.of[2]);
      return b && c ? std::optional(math_.fma(*a, *b, *c)) : std::nullopt;
    }
    return b ? std::optional(math_.two(e.operation, *a, *b)) : b;
  }
  std::optional<Bits> read(const Expression& e) {
    const Elements& t = values_[static_cast<std::size_t>(e.tensor)];
    std::int64_t position = 0;
    for (std::size_t i = 0; i < e.index.size(); ++i) {
      std::int64_t x = e.index[i].offset;
      for (const AffineIndex::Part& p : e.index[i].parts) x += p.times * at_[static_cast<std::size_t>(p.axis)];
      if (x < 0 || x >= t.extent[i]) return in_max_ ? std::nullopt : std::optional<Bits>(0);
      position = position * t.extent[i] + x;
    }
    return t.bits[static_cast<std::size_t>(position)];
  }
  std::int64_t terms(const Expression& e) const {
    std::int64_t n = 1;
    for (int a : e.over) n *= f_.axes[static_cast<std::size_t>(a)].size;
    return n;
  }
  void go_to(const Expression& e, std::int64_t term) {
    for (std::size_t i = e.over.size(); i-- > 0;) {
      auto const a = static_cast<std::size_t>(e.over[i]);
      at_[a] = term % f_.axes[a].size;
      term /= f_.axes[a].size;
    }
  }
  std::optional<Bits> sum(const Expression& e) {
    bool const was = std::exchange(in_max_, false);
    std::int64_t const all = terms(e);
    std::optional<Bits> total;
    std::vector<Bits> tree(static_cast<std::size_t>(order_.packet));
    std::size_t part = 0;
    for (std::int64_t begin = 0; begin < all;) {
      std::int64_t const length = part < order_.parts.size() ? std::min(order_.parts[part], all - begin) : all - begin;
      ++part;
      if (length < 1) continue;
      std::optional<Bits> of_part;
      std::int64_t const run = order_.run > 0 ? order_.run : length, of_run = (run + order_.packet - 1) / order_.packet;
      std::int64_t const packets = (length + run - 1) / run * of_run, shares = packets % order_.shares == 0 ? order_.shares : 1;
      for (std::int64_t number = 0; number < packets; ++number) {
        std::int64_t const packet = number % shares * (packets / shares) + number / shares, begin_of_run = begin + packet / of_run * run;
        std::int64_t const first = begin_of_run + packet % of_run * order_.packet;
        for (std::int64_t lane = 0; lane < order_.packet; ++lane) {
          bool const filled = first + lane < std::min(begin + length, begin_of_run + run);
          if (filled) go_to(e, first + lane);
          tree[static_cast<std::size_t>(lane)] = filled ? *value(e.of[0]) : 0;
        }
        for (std::size_t width = tree.size(); width > 1; width = (width + 1) / 2)
          for (std::size_t i = 0; i < (width + 1) / 2; ++i)
            tree[i] = 2 * i + 1 < width ? math_.two(Operation::add, tree[2 * i], tree[2 * i + 1]) : tree[2 * i];
        of_part = of_part ? math_.two(Operation::add, *of_part, tree[0]) : tree[0];
      }
      total = total ? math_.two(Operation::add, *total, *of_part) : *of_part;
      begin += length;
    }
    in_max_ = was;
    return total;
  }
  std::optional<Bits> largest(const Expression& e) {
    bool const was = std::exchange(in_max_, true);
    std::optional<Bits> most;
    for (std::int64_t i = 0, all = terms(e); i < all; ++i) {
      go_to(e, i);
      auto const v = value(e.of[0]);
      if (v) most = most ? math_.two(Operation::max, *most, *v) : *v;
    }
    in_max_ = was;
    return most ? most : was ? most : std::optional<Bits>(0);
  }

  const Formula& f_;
  const SumOrder& order_;
  Math math_;
  std::vector<Elements> values_;  // widened
  std::vector<std::int64_t> at_;  // the value of each axis now
  bool in_max_ = false;
  Elements results_{};
};

Verdict check_inputs(const Formula& f, const std::vector<Elements>& inputs, const SumOrder& order) {
  if (auto v = check_sizes(f); !v) return v;
  std::vector<int> const wanted = f.inputs();
  Refusal r = refuse("formula-arrays");
  r.why("an input has its formula's type, its extents and an element for each place")
      .help("give the inputs in the order in which the formula names them");
  if (inputs.size() != wanted.size())
    return r.what("the formula reads ", wanted.size(), " tensors, and there are ", inputs.size(), " arrays");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const FormulaTensor& t = f.tensors[static_cast<std::size_t>(wanted[i])];
    std::vector<std::int64_t> const extents = f.extents(wanted[i]);
    std::int64_t count = 1;
    for (std::int64_t e : extents) count *= e;
    if (inputs[i].type != t.type) return r.what("array ", i + 1, " is ", inputs[i].type, ", and ", t.name, " is ", t.type);
    if (inputs[i].extent != extents || static_cast<std::int64_t>(inputs[i].bits.size()) != count)
      return r.what("array ", i + 1, " has ", inputs[i].bits.size(), " elements, and ", t.name, " has ", count);
  }
  if (order.packet < 1 || order.packet > 4096) return r.what("packets of ", order.packet, " terms").why("; a tree has 1 to 4096 leaves");
  if (order.run < 0) return r.what("runs of ", order.run, " terms").why("; a run has at least one term");
  if (order.shares < 1) return r.what(order.shares, " shares of a part").why("; a part has at least one share");
  return accept();
}

}  // namespace

Expected<Elements> evaluate(const Formula& formula, const std::vector<Elements>& inputs, const SumOrder& order, NumericModel model) {
  if (auto v = check_inputs(formula, inputs, order); !v) return v.refusal();
  Evaluation run(formula, order, model);
  std::vector<int> const given = formula.inputs();
  for (std::size_t i = 0; i < given.size(); ++i) run.give(given[i], inputs[i]);
  for (std::size_t s = 0; s < formula.statements.size(); ++s) run.make(s);
  return run.results();
}

Expected<std::vector<std::uint32_t>> evaluate_at(const Formula& formula, const std::vector<Elements>& inputs,
                                                 const std::vector<std::int64_t>& positions, const SumOrder& order, NumericModel model) {
  if (auto v = check_inputs(formula, inputs, order); !v) return v.refusal();
  std::int64_t count = 1;
  for (std::int64_t e : formula.extents(formula.statements.back().tensor)) count *= e;
  Evaluation run(formula, order, model);
  std::vector<int> const given = formula.inputs();
  for (std::size_t i = 0; i < given.size(); ++i) run.give(given[i], inputs[i]);
  for (std::size_t s = 0; s + 1 < formula.statements.size(); ++s) run.make(s);
  std::vector<std::uint32_t> found;
  for (std::int64_t p : positions) {
    if (p < 0 || p >= count)
      return refuse("formula-arrays")
          .what("element ", p, " is asked for, and the result has ", count)
          .why("elements are counted row after row, from 0 on")
          .help("ask for 0 to ", count - 1);
    found.push_back(run.element(formula.statements.size() - 1, p));
  }
  return found;
}

}  // namespace tcp::formula
