// Examples of the book as it writes them: mappings, sequencers, chains of the Vector Engine.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tcp/device/chips.hpp"
#include "tcp/mapping/levels.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/rules/sequence.hpp"
#include "tcp/rules/vector.hpp"
#include "tcp/support/render.hpp"

namespace tcp {

struct Written {
  const char* axes;

  Mapping operator()(const char* expression) const {
    auto const m = Expr(expression, axes).mapping();
    if (!m) throw std::invalid_argument(render(m.refusal()));
    return *m;
  }
  /// A stream with Chip and Cluster m![1].
  Levels stream(const char* slice, const char* time, const char* packet) const {
    Levels l;
    l.set(Level::slice, (*this)(slice)).set(Level::time, (*this)(time)).set(Level::packet, (*this)(packet));
    return l;
  }
};

/// The mapping as it stands between m![ and ].
inline std::string text_of(const Mapping& m) {
  std::string const whole(text(m).view());
  return whole.substr(3, whole.size() - 4);
}

template <class T>
std::string code_of(const Expected<T>& e) {
  return e ? "accepted" : e.refusal().code;
}

}  // namespace tcp

// A pass through the Vector Engine as tests write it: steps one after the other, until one is refused.

namespace tcp::chain {

/// A step, and its operands: one constant of the stream's type for an operation that reads one, unless others are given.
struct Step {
  VectorStep step{};
  Operands operands{};
  bool given = false;

  Step(const VectorStep& s) : step(s) {}
  Step(const VectorStep& s, const Operands& o) : step(s), operands(o), given(true) {}
  Step(VectorMethod m) : step(step_of(m)) {}
};

inline Operands constants(const VectorStep& step, ScalarType type) {
  Operands o;
  if (step.groups != Groups::zip)
    for (int i = 1; i < arguments_of(step).count; ++i) o.immediate(type);
  return o;
}

struct Outcome {
  std::string code = "accepted";
  std::string headline;
  int refused_at = -1;
  VectorState state{};
};

inline Outcome run(ScalarType type, std::initializer_list<Step> steps) {
  Outcome out;
  out.state.type = type;
  int n = 0;
  for (const Step& s : steps) {
    auto const next = advanced(out.state, s.step, s.given ? s.operands : constants(s.step, out.state.type));
    if (!next) {
      out.code = next.refusal().code;
      out.headline = next.refusal().headline.view();
      out.refused_at = n;
      return out;
    }
    out.state = *next;
    ++n;
  }
  return out;
}

inline std::string code(const Verdict& v) { return v ? "accepted" : v.refusal().code; }
template <class T>
std::string code(const Expected<T>& e) {
  return code(verdict(e));
}

inline Levels stream(const Mapping& slice, const Mapping& time, const Mapping& packet) {
  return Levels{}.set(Level::slice, slice).set(Level::time, time).set(Level::packet, packet);
}
inline Levels in_vrf(const Mapping& slice, const Mapping& element) {
  return Levels{}.set(Level::slice, slice).set(Level::element, element);
}

}  // namespace tcp::chain

// An example of the book's sequencer chapter: axes, a buffer, and the Time and Packet that it is read as or written from.

namespace tcp {

inline void PrintTo(const Entry& e, std::ostream* out) { *out << e.size << " : " << (e.indirect ? "table * " : "") << e.stride; }

namespace book {

using Entries = std::vector<Entry>;

inline Entries entries(const Loops& l) { return {l.entry, l.entry + l.entries}; }

inline Mapping mapping(const Axes& axes, std::string_view text) { return parse(text, axes).value(); }

/// Every buffer position that the loops visit, in order.
inline std::vector<std::int64_t> walk(const Loops& l, const std::int64_t* table = nullptr) {
  std::int64_t rounds = 1;
  for (int k = 0; k < l.entries; ++k) rounds *= l.entry[k].size;
  std::vector<std::int64_t> visited;
  for (std::int64_t i = 0; i < rounds; ++i) visited.push_back(l.at(i, table));
  return visited;
}

struct Example {
  Axes axes;
  Mapping buffer, time, packet;

  Example(std::string_view declared, std::string_view buf, std::string_view time_text, std::string_view packet_text)
      : axes(parse_axes(declared).value()),
        buffer(mapping(axes, buf)),
        time(mapping(axes, time_text)),
        packet(mapping(axes, packet_text)) {}

  Expected<Loops> derive(Access access) const { return derive_loops(buffer, time, packet, {.access = access}); }
  Loops read() const { return derive(Access::read).value(); }
  Loops write() const { return derive(Access::write).value(); }
  Sequence read_as(ScalarType type) const { return sequence(rngd, type, buffer, time, packet).value(); }
};

/// The book's teaching model of a sequencer: a buffer whose positions hold what its mapping says, and streams of values read from and written to it.
/// An element's value is its index; what lies in padding is not ours to know.
class BufTensor {
 public:
  using Value = std::optional<Index>;

  explicit BufTensor(const Mapping& m) : mapping_(m), held_(static_cast<std::size_t>(m.size)) {}

  static BufTensor holding(const Mapping& m) {
    BufTensor t(m);
    for (std::int64_t i = 0; i < m.size; ++i)
      if (Cell const c = cell(m, i); c.live()) t.held_[static_cast<std::size_t>(i)] = c.index;
    return t;
  }

  std::vector<Value> read(const Mapping& time, const Mapping& packet) const {
    auto const loops = derive_loops(mapping_, time, packet).value();
    std::vector<Value> stream;
    for (std::int64_t at : walk(loops)) {
      bool const inside = at >= 0 && at < mapping_.size;  // a read may run over the end, and then brings anything
      stream.push_back(inside ? held_[static_cast<std::size_t>(at)] : Value{});
    }
    return stream;
  }
  void write(const std::vector<Value>& stream, const Mapping& time, const Mapping& packet) {
    auto const loops = derive_loops(mapping_, time, packet, {.access = Access::write}).value();
    std::size_t i = 0;
    for (std::int64_t at : walk(loops)) held_.at(static_cast<std::size_t>(at)) = stream.at(i++);
  }
  /// Whether every live position holds its own element.
  bool is_whole() const { return holds_its_elements(held_, mapping_); }

  static bool holds_its_elements(const std::vector<Value>& values, const Mapping& m) {
    for (std::int64_t i = 0; i < m.size; ++i) {
      Value const& v = values[static_cast<std::size_t>(i)];
      if (Cell const c = cell(m, i); c.live() && !(v && *v == c.index)) return false;
    }
    return true;
  }

 private:
  Mapping mapping_;
  std::vector<Value> held_;
};

/// Reads a full buffer into a stream, checks that each live position of the stream brings the element that it stands for, writes the stream into an empty
/// buffer, and says whether that is then whole.
inline bool round_trip_is_identity(const Example& e) {
  auto const stream = BufTensor::holding(e.buffer).read(e.time, e.packet);
  Mapping const whole = pair(e.time, e.packet);
  if (static_cast<std::int64_t>(stream.size()) != whole.size) return false;
  if (!BufTensor::holds_its_elements(stream, whole)) return false;
  BufTensor back(e.buffer);
  back.write(stream, e.time, e.packet);
  return back.is_whole();
}

}  // namespace book
}  // namespace tcp
