// Questions about a formula that several of the library's files ask.
#include "tcp/formula/formula.hpp"

#include <algorithm>

#include "formula/words.hpp"

namespace tcp::formula {

const char* name_of(Operation operation) {
  for (const Word& w : words)
    if (w.operation == operation) return w.name;
  switch (operation) {
    case Operation::add: return "+";
    case Operation::sub:
    case Operation::negate: return "-";
    case Operation::mul: return "*";
    case Operation::div: return "/";
    case Operation::sum: return "sum";
    case Operation::max_over: return "max";
    default: return "";
  }
}

std::vector<int> Formula::inputs() const {
  std::vector<int> all;
  for (std::size_t t = 0; t < tensors.size(); ++t)
    if (tensors[t].made_by < 0) all.push_back(static_cast<int>(t));
  return all;
}

int Formula::axis(std::string_view name) const {
  for (std::size_t a = 0; a < axes.size(); ++a)
    if (axes[a].name == name) return static_cast<int>(a);
  return -1;
}

bool Formula::integer() const {
  for (const FormulaTensor& t : tensors)
    if (t.made_by < 0) return is_integer(t.type);
  return !statements.empty() && is_integer(result().type);
}

namespace {

/// One more than the largest index with which an expression reads a tensor, for each index.
void widen(const Formula& f, const Expression& e, int tensor, std::vector<std::int64_t>& extents) {
  if (e.operation == Operation::read && e.tensor == tensor)
    for (std::size_t i = 0; i < e.index.size() && i < extents.size(); ++i) {
      std::int64_t last = e.index[i].offset;
      for (const AffineIndex::Part& p : e.index[i].parts)
        if (p.times > 0) last += p.times * (f.axes[static_cast<std::size_t>(p.axis)].size - 1);
      extents[i] = std::max(extents[i], last + 1);
    }
  for (const Expression& of : e.of) widen(f, of, tensor, extents);
}

}  // namespace

std::vector<std::int64_t> Formula::extents(int tensor) const {
  const FormulaTensor& t = tensors[static_cast<std::size_t>(tensor)];
  std::vector<std::int64_t> found(t.extent.size(), 0);
  if (t.made_by >= 0) {
    const Statement& s = statements[static_cast<std::size_t>(t.made_by)];
    for (std::size_t i = 0; i < s.axes.size(); ++i) found[i] = axes[static_cast<std::size_t>(s.axes[i])].size;
    return found;
  }
  for (const Statement& s : statements) widen(*this, s.value, tensor, found);
  for (std::size_t i = 0; i < found.size(); ++i)
    if (t.extent[i] > 0) found[i] = t.extent[i];
  return found;
}

Expected<Formula> with_sizes(Formula formula, const std::vector<NamedAxis>& sizes) {
  for (const NamedAxis& s : sizes) {
    int const a = formula.axis(s.name);
    if (a < 0) {
      Refusal r = refuse("formula-axis-size");
      r.what("there is no axis '", plain_words(s.name, 24), "' to be ", s.size)
          .why("sizes are given to the axes that the formula names")
          .help("the axes are");
      const char* separator = " ";
      for (const NamedAxis& named : formula.axes) {
        r.help(separator, named.name);
        separator = ", ";
      }
      return r;
    }
    if (s.size < 1 || s.size > largest_axis)
      return refuse("formula-axis-size")
          .what("axis ", s.name, " cannot have the size ", s.size)
          .why("an axis has at least one place, and at most ", largest_axis)
          .help("write ", s.name, " = n with n from 1 to ", largest_axis);
    formula.axes[static_cast<std::size_t>(a)].size = s.size;
  }
  return formula;
}

}  // namespace tcp::formula
