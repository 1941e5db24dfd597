// A pass through the Vector Engine as tests write it: steps one after the other, until one is refused.
#pragma once

#include <initializer_list>
#include <string>

#include "tcp/rules/vector.hpp"

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
