// Small texts about mappings, which tables, pictures and hover texts share.
#include <sstream>

#include "tcp/mapping/draw.hpp"

namespace tcp {

std::string text_of(const Mapping& m) {
  std::ostringstream out;
  print(out, m);
  return out.str();
}

std::vector<Factor> factors(const Mapping& m) {
  std::vector<Factor> found;
  int t = 0;
  for (int k = 0; k < m.digits;) {
    Factor f{k, k, m.digit[k].slot, {}};
    if (t < m.tails && m.tail[t].first == k) f.last = m.tail[t].last, f.slot = m.tail[t].slot;
    else
      while (f.last + 1 < m.digits && m.digit[f.last + 1].joined) ++f.last;
    std::ostringstream out;
    detail::print_digits(out, m, k, f.last + 1, t);
    f.text = out.str();
    k = f.last + 1;
    found.push_back(std::move(f));
  }
  return found;
}

std::string describe(Pad kind) {
  switch (kind) {
    case Pad::zero: return "zero padding may be read, and is zero";
    case Pad::bottom: return "bottom padding must never be touched";
    default: return "top padding may be read, but is undefined";
  }
}

std::string describe(const Index& index) {
  std::ostringstream out;
  for (int a = 0; a < index.n; ++a) out << (a > 0 ? ", " : "") << index.axis[a] << " " << index.at[a];
  return index.n == 0 ? "the one element" : out.str();
}

std::string describe(const Places& places, std::int64_t number) {
  Cell const c = places.at(number);
  switch (c.kind) {
    case CellKind::live: return describe(c.index);
    case CellKind::padding: return std::string(name_of(c.pad)) + " padding";
    case CellKind::outside: return "no such place";
    case CellKind::several: break;
  }
  std::vector<Index> const elements = elements_at(places, number, 5);
  std::ostringstream out;
  out << "several elements: ";
  for (std::size_t i = 0; i < elements.size() && i < 4; ++i) out << (i > 0 ? "; " : "") << describe(elements[i]);
  if (elements.size() > 4) out << "; ...";
  return out.str();
}

std::vector<Index> elements_at(const Places& places, std::int64_t number, int most) {
  Place const at = places.place(number);
  std::vector<Index> found;
  std::int64_t there = 1;
  for (std::int64_t i = 0; i < there && i < most; ++i) {
    detail::Sum sum;
    std::int64_t choice = i;
    there = 1;
    for (int l = 0; l < level_count; ++l) {
      std::int64_t const here = detail::add_position(sum, places.levels().at[l], at.on(l), choice);
      choice /= here;
      there *= here;
    }
    if (Cell const c = sum.conclude(); c.live()) found.push_back(c.index);
  }
  return found;
}

std::string draw_summary(const Levels& levels) {
  Places const places(levels);
  std::ostringstream out;
  bool const plain = places.counted().size() == 1;
  if (!plain) {
    for (Level l : places.counted()) out << (l == places.counted().front() ? "" : " x ") << levels[l].size;
    out << " = ";
  }
  if (!places.all()) out << "more than ";
  out << places.size() << (plain ? " position" : " place") << (places.size() == 1 ? "" : "s");
  Census const c = census(levels);
  if (!c.known) return out.str();
  out << ": ";
  if (c.padding() == 0) {
    out << (places.size() == 1 ? "it holds an element" : "all hold an element");
    return out.str();
  }
  out << c.elements << (c.elements == 1 ? " holds an element, " : " hold an element, ");
  out << c.padding() << (c.padding() == 1 ? " is padding (" : " are padding (");
  struct Part {
    std::int64_t n;
    const char* name;
  };
  Part const parts[] = {{c.zero, "zero"}, {c.top, "top"}, {c.bottom, "bottom"}};
  int kinds = 0;
  for (Part const& p : parts) kinds += p.n > 0;
  bool first = true;
  for (Part const& p : parts) {
    if (p.n == 0) continue;
    out << (first ? "" : ", ");
    if (kinds > 1) out << p.n << " ";
    out << p.name;
    first = false;
  }
  out << ")";
  return out.str();
}

}  // namespace tcp
