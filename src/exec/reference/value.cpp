// A tensor as a function of named coordinates: where an element is in the array, which coordinates some levels hold,
// and how a value is cut to them or repeated over them.
#include "tcp/exec/reference/value.hpp"

#include <algorithm>

#include "tcp/support/bug.hpp"

namespace tcp::reference {

Value::Value(ScalarType element_type, std::vector<Axis> all_axes) : type(element_type), axes_(std::move(all_axes)) {
  std::int64_t n = 1;
  for (const Axis& a : axes_) n *= a.size;
  elements_.resize(static_cast<std::size_t>(n));
}

std::size_t Value::offset(const Index& index) const {
  std::int64_t at = 0;
  for (const Axis& a : axes_) {
    std::int64_t const c = index.get(a.name);
    TCP_BUG_UNLESS(c >= 0 && c < a.size, "an element outside its value was asked for");
    at = at * a.size + c;
  }
  return static_cast<std::size_t>(at);
}

bool Value::holds(const Index& index) const {
  for (const Axis& a : axes_)
    if (std::int64_t const c = index.get(a.name); c < 0 || c >= a.size) return false;
  return true;
}

Index Value::index_of(std::int64_t i) const {
  Index index;
  for (auto a = axes_.rbegin(); a != axes_.rend(); ++a) {
    index.add(a->name, i % a->size);
    i /= a->size;
  }
  return index;
}

void Value::undefine(Origin origin) {
  for (Element& e : elements_) e = {0, origin};
}

std::vector<bool> live_coordinates(const Levels& levels, Name axis) {
  std::int64_t extent = 0, start = 0;
  std::vector<Digit> digits;
  for (const Mapping& m : levels.at) {
    int const a = find_axis(m, axis);
    if (a < 0) continue;
    extent = m.axis[a].extent;
    start += m.axis[a].start;
    for (int k = 0; k < m.digits; ++k)
      if (m.digit[k].axis == a) digits.push_back(m.digit[k]);
  }
  std::vector<bool> live(static_cast<std::size_t>(extent), false);
  std::vector<std::int64_t> sums{start};
  for (const Digit& d : digits) {
    std::vector<std::int64_t> next;
    next.reserve(sums.size() * static_cast<std::size_t>(d.size));
    for (std::int64_t sum : sums)
      for (std::int64_t step = 0; step < d.size; ++step) next.push_back(sum + step * d.stride);
    sums = std::move(next);
  }
  for (std::int64_t sum : sums)
    if (sum >= 0 && sum < extent) live[static_cast<std::size_t>(sum)] = true;
  return live;
}

std::vector<Value::Axis> axes_of(const Levels& levels) {
  std::vector<Value::Axis> axes;
  for (const Mapping& m : levels.at) {
    for (int a = 0; a < m.axes; ++a) {
      Name const name = m.axis[a].name;
      bool const known = std::any_of(axes.begin(), axes.end(), [name](const Value::Axis& x) { return x.name == name; });
      if (known) continue;
      auto const live = live_coordinates(levels, name);
      std::int64_t reach = 0;
      for (std::size_t c = 0; c < live.size(); ++c)
        if (live[c]) reach = static_cast<std::int64_t>(c) + 1;
      axes.push_back({name, std::max<std::int64_t>(reach, 1)});
    }
  }
  return axes;
}

Value restrict_to(const Levels& levels, const Value& value) {
  std::vector<Value::Axis> axes;
  for (const Value::Axis& held : axes_of(levels))
    for (const Value::Axis& a : value.axes())
      if (a.name == held.name) axes.push_back({a.name, std::min(a.size, held.size)});
  if (axes == value.axes()) return value;
  Value out(value.type, std::move(axes));
  for (std::int64_t i = 0; i < out.size(); ++i) out[i] = value.at(out.index_of(i));
  return out;
}

Value spread_over(const Levels& levels, const Value& value) {
  std::vector<Value::Axis> axes = value.axes();
  for (const Value::Axis& counted : axes_of(levels)) {
    bool const known = std::any_of(axes.begin(), axes.end(), [&counted](const Value::Axis& a) { return a.name == counted.name; });
    if (!known) axes.push_back(counted);
  }
  if (axes.size() == value.axes().size()) return value;
  Value out(value.type, std::move(axes));
  for (std::int64_t i = 0; i < out.size(); ++i) out[i] = value.at(out.index_of(i));
  return out;
}

namespace {

/// The steps of one axis that some levels count, and where they begin.
struct Counted {
  std::int64_t start = 0;
  std::vector<Digit> digits;

  /// The coordinate with the same steps, all others taken to be 0.
  std::int64_t of(std::int64_t coordinate) const {
    std::int64_t at = start;
    for (const Digit& d : digits) at += (coordinate - start) / d.stride % d.size * d.stride;
    return at;
  }
};

Counted counted(const Levels& levels, Name axis) {
  Counted c;
  for (const Mapping& m : levels.at) {
    int const a = find_axis(m, axis);
    if (a < 0) continue;
    c.start += m.axis[a].start;
    for (int k = 0; k < m.digits; ++k)
      if (m.digit[k].axis == a) c.digits.push_back(m.digit[k]);
  }
  return c;
}

}  // namespace

Value repeated(const Levels& held, const Levels& shown, const Value& value) {
  struct Along {
    Name name{};
    Counted counted{};
    std::vector<bool> live;
  };
  std::vector<Along> repeats;
  std::vector<Value::Axis> axes;
  std::vector<Value::Axis> const reach = axes_of(shown);
  for (const Value::Axis& a : value.axes()) {
    std::vector<bool> const have = live_coordinates(held, a.name), want = live_coordinates(shown, a.name);
    std::int64_t size = a.size;
    bool missing = false;
    for (std::size_t c = 0; c < want.size() && !have.empty(); ++c) missing |= want[c] && !have[c];
    if (missing) {
      for (const Value::Axis& r : reach)
        if (r.name == a.name) size = r.size;
      repeats.push_back({a.name, counted(held, a.name), want});
    }
    axes.push_back({a.name, size});
  }
  if (repeats.empty()) return value;
  Value out(value.type, std::move(axes));
  for (std::int64_t i = 0; i < out.size(); ++i) {
    Index const index = out.index_of(i);
    Index from = index;
    bool asked = true;
    for (const Along& along : repeats) {
      std::int64_t const c = index.get(along.name);
      asked &= along.live[static_cast<std::size_t>(c)];
      from.add(along.name, along.counted.of(c) - c);
    }
    if (asked && value.holds(from)) out[i] = value.at(from);
  }
  return out;
}

std::vector<Position> positions(const Mapping& m) {
  std::vector<Position> all;
  all.reserve(static_cast<std::size_t>(m.size));
  for (std::int64_t i = 0; i < m.size; ++i) {
    Cell const c = cell(m, i);
    all.push_back({c.kind, c.pad, c.index});
  }
  return all;
}

}  // namespace tcp::reference
