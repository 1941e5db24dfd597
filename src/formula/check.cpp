// What a formula must keep, be it read or built: every axis has one meaning, every tensor one type and one maker.
#include <algorithm>
#include <cmath>

#include "formula/words.hpp"
#include "tcp/formula/formula.hpp"

namespace tcp::formula {
namespace {

constexpr std::int64_t largest_step = 1 << 24;
constexpr std::size_t longest_axis_name = 15, longest_tensor_name = 31, most_axes = 16;

class Checker {
 public:
  Checker(const Formula& f, std::string_view text) : f_(f), text_(text) {}

  Verdict all() {
    if (f_.statements.empty())
      return refuse("formula-syntax")
          .what("the formula makes nothing")
          .why("a formula is tensor[axes] = expression")
          .help("write C[m] = ...");
    for (const NamedAxis& a : f_.axes)
      if (auto v = name(a.name, longest_axis_name, "axis", {}); !v) return v;
    if (f_.axes.size() > most_axes)
      return refuse("formula-axis-twice")
          .what("the formula has ", f_.axes.size(), " axes; at most ", most_axes, " are taken")
          .why("mappings are made of at most 16 axes")
          .help("join axes that always go together");
    for (const FormulaTensor& t : f_.tensors)
      if (auto v = tensor(t); !v) return v;
    for (std::size_t s = 0; s < f_.statements.size(); ++s)
      if (auto v = statement(static_cast<int>(s)); !v) return v;
    return accept();
  }

 private:
  Refusal shown(Refusal r, const TextPart& at) const {
    show_place(r, text_, at);
    return r;
  }
  Text column(const TextPart& at) const { return column_of(text_, at); }
  std::string axis(int a) const { return f_.axes[static_cast<std::size_t>(a)].name; }

  Verdict name(const std::string& n, std::size_t longest, const char* what, const TextPart& at) const {
    bool taken = n == "sum" || n == "where";
    for (const Word& w : words) taken |= n == w.name;
    if (!taken && !n.empty() && n.size() <= longest) return accept();
    return shown(
        refuse("formula-name")
            .what(column(at), "'", plain_words(n, 40), "' cannot be the name of ", what[0] == 'a' ? "an " : "a ", what)
            .why(taken ? "the word has a meaning in formulas" : "names have 1 to ", taken ? "" : tcp::text(longest, " characters").view())
            .help("take another name"),
        at);
  }
  Verdict tensor(const FormulaTensor& t) const {
    if (auto v = name(t.name, longest_tensor_name, "tensor", t.at); !v) return v;
    bool const integer = f_.integer();
    if (is_integer(t.type) != integer || !scalar_info(t.type).in_memory || (t.made_by >= 0 && t.type == ScalarType::f4e2m1))
      return shown(
          refuse("formula-types")
              .what(column(t.at), t.name, " is ", t.type, " in a formula of ", integer ? "whole numbers" : "floating-point numbers")
              .why(is_integer(t.type) != integer ? "a formula computes in f32 or in i32, and nothing converts between them on the way"
                                                 : "this type is never written to memory")
              .help("write ", t.name, integer ? ": i8 or i32" : ": bf16 or f32"),
          t.at);
    if (t.stored.kind == StoredAs::Kind::blocks && t.stored.block < 1)
      return shown(refuse("formula-layout")
                       .what(column(t.at), t.name, " is stored in blocks of ", t.stored.block)
                       .why("a block has at least one element")
                       .help("write {blocks 256}"),
                   t.at);
    return accept();
  }
  Verdict statement(int number) {
    const Statement& s = f_.statements[static_cast<std::size_t>(number)];
    const FormulaTensor& made = f_.tensors[static_cast<std::size_t>(s.tensor)];
    scope_.clear();
    for (int a : s.axes) {
      if (std::find(scope_.begin(), scope_.end(), a) != scope_.end()) return twice(a, made.at);
      scope_.push_back(a);
    }
    now_ = number;
    used_.assign(f_.axes.size(), false);
    if (auto v = expression(s.value); !v) return v;
    for (int a : s.axes)
      if (!used_[static_cast<std::size_t>(a)]) return unused(a, made.at, made.name.c_str());
    return accept();
  }
  Refusal twice(int a, const TextPart& at) const {
    return shown(refuse("formula-axis-twice")
                     .what(column(at), "axis ", axis(a), " is used for two things: it is already counted at this place")
                     .why("within a reduction, its axis has one value after the other; outside, another one")
                     .help("take another name for one of the two axes"),
                 at);
  }
  Refusal unused(int a, const TextPart& at, const char* where) const {
    return shown(refuse("formula-axis-unused")
                     .what(column(at), "nothing is read along axis ", axis(a), " of ", where)
                     .why("every element along it would be the same")
                     .help("read a tensor at ", axis(a), ", or leave the axis out"),
                 at);
  }
  Verdict expression(const Expression& e) {
    switch (e.operation) {
      case Operation::number: return number(e);
      case Operation::read: return read(e);
      case Operation::sum:
      case Operation::max_over: return reduction(e);
      default: break;
    }
    if (f_.integer() && !whole(e.operation))
      return shown(refuse("formula-types")
                       .what(column(e.at), "'", name_of(e.operation), "' of whole numbers")
                       .why("in i32 there are +, -, *, min, max and relu")
                       .help("use floating-point tensors: A: bf16[...]"),
                   e.at);
    for (const Expression& of : e.of)
      if (auto v = expression(of); !v) return v;
    return accept();
  }
  static bool whole(Operation o) {
    return o == Operation::add || o == Operation::sub || o == Operation::mul || o == Operation::min || o == Operation::max ||
           o == Operation::negate || o == Operation::relu;
  }
  Verdict number(const Expression& e) const {
    bool const fits = f_.integer() ? e.number == std::floor(e.number) && std::abs(e.number) < 2147483648.0 : std::abs(e.number) < 3.4e38;
    if (fits) return accept();
    return shown(refuse("formula-number")
                     .what(column(e.at), "the number is no value of ", f_.integer() ? "i32" : "f32")
                     .why("a formula computes in ", f_.integer() ? "i32" : "f32")
                     .help(f_.integer() ? "write a whole number" : "write a smaller number"),
                 e.at);
  }
  Verdict read(const Expression& e) {
    const FormulaTensor& t = f_.tensors[static_cast<std::size_t>(e.tensor)];
    if (t.made_by >= now_)
      return shown(refuse("formula-tensor-order")
                       .what(column(e.at), t.name, " is read before it is made")
                       .why("statements follow each other, and each reads what came before it")
                       .help("make ", t.name, " in a statement before this one, or read another tensor"),
                   e.at);
    if (e.index.size() != t.extent.size())
      return shown(refuse("formula-tensor-differs")
                       .what(column(e.at), t.name, " has ", t.extent.size(), " indices, and ", e.index.size(), " here")
                       .why("a name is one tensor")
                       .help("give it ", t.extent.size(), " indices"),
                   e.at);
    for (const AffineIndex& x : e.index) {
      bool small = std::abs(x.offset) <= largest_step;
      for (const AffineIndex::Part& p : x.parts) {
        small &= std::abs(p.times) <= largest_step;
        if (std::find(scope_.begin(), scope_.end(), p.axis) == scope_.end())
          return shown(refuse("formula-axis-free")
                           .what(column(e.at), "axis ", axis(p.axis), " of ", t.name, " is neither on the left nor summed")
                           .why("an element of the result would have no value for it")
                           .help("write sum[", axis(p.axis), "] before it, or put ", axis(p.axis), " on the left"),
                       e.at);
        used_[static_cast<std::size_t>(p.axis)] = true;
      }
      if (!small)
        return shown(refuse("formula-number")
                         .what(column(e.at), "an index of ", t.name, " has steps of more than ", largest_step)
                         .why("places are counted in 64 bits")
                         .help("take smaller steps"),
                     e.at);
    }
    return accept();
  }
  Verdict reduction(const Expression& e) {
    std::vector<bool> outside(used_);
    for (int a : e.over) {
      if (std::find(scope_.begin(), scope_.end(), a) != scope_.end()) return twice(a, e.at);
      scope_.push_back(a);
      used_[static_cast<std::size_t>(a)] = false;
    }
    if (auto v = expression(e.of[0]); !v) return v;
    for (int a : e.over) {
      if (!used_[static_cast<std::size_t>(a)]) return unused(a, e.at, name_of(e.operation));
      used_[static_cast<std::size_t>(a)] = outside[static_cast<std::size_t>(a)];
    }
    scope_.resize(scope_.size() - e.over.size());
    return accept();
  }

  const Formula& f_;
  std::string_view text_;
  std::vector<int> scope_{};
  std::vector<bool> used_{};
  int now_ = 0;
};

Verdict check_indices(const Formula& f, const Expression& e, std::string_view text) {
  if (e.operation == Operation::read) {
    const FormulaTensor& t = f.tensors[static_cast<std::size_t>(e.tensor)];
    std::vector<std::int64_t> const extents = f.extents(e.tensor);
    for (std::size_t i = 0; i < e.index.size(); ++i) {
      if (t.extent[i] > 0) continue;
      std::int64_t least = e.index[i].offset, most = least;
      for (const AffineIndex::Part& p : e.index[i].parts)
        (p.times < 0 ? least : most) += p.times * (f.axes[static_cast<std::size_t>(p.axis)].size - 1);
      if (least >= 0 && most < extents[i]) continue;
      Refusal r = refuse("formula-index-outside");
      r.what(column_of(text, e.at), "index ", i + 1, " of ", t.name, " goes from ", least, " to ", most, "; it has places 0 to ",
             extents[i] - 1)
          .why("without its number of places nothing says where a tensor ends and zeros begin")
          .help(t.made_by < 0
                    ? tcp::text("say how many places there are, and what is outside is zero: ", t.name, "[", "... : ", extents[i], "]")
                    : tcp::text("read ", t.name, " within its axes"));
      show_place(r, text, e.at);
      return r;
    }
  }
  for (const Expression& of : e.of)
    if (auto v = check_indices(f, of, text); !v) return v;
  return accept();
}

}  // namespace

Verdict check(const Formula& formula, std::string_view text) { return Checker(formula, text).all(); }

Verdict check_sizes(const Formula& formula, std::string_view text) {
  for (const NamedAxis& a : formula.axes)
    if (a.size == 0)
      return refuse("formula-axis-size")
          .what("axis ", a.name, " has no size")
          .why("a kernel is made for sizes that are known")
          .help("write ", a.name, "=1000 after the formula, or 'where ", a.name, " = 1000' in it");
  for (const Statement& s : formula.statements)
    if (auto v = check_indices(formula, s.value, text); !v) return v;
  return accept();
}

}  // namespace tcp::formula
