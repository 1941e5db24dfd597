// Names as sentences show them.
#pragma once

#include <string_view>

#include "tcp/support/text.hpp"

namespace tcp::ir {

/// What a stranger typed may hold anything and have any length; what we show of it is plain and short.
inline Text shown(std::string_view v) {
  constexpr std::size_t most = 32;
  Text t;
  for (char c : v.substr(0, most)) t << (c >= ' ' && c <= '~' ? c : '?');
  return v.size() > most ? t << "..." : t;
}

}  // namespace tcp::ir
