// Mappings as the ledger writes them, for tests: `Written const m{"A = 8, R = 16"}; m("A % 2 # 8")` is m![A % 2 # 8].
#pragma once

#include <stdexcept>
#include <string>

#include "tcp/mapping/levels.hpp"
#include "tcp/mapping/map.hpp"
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
