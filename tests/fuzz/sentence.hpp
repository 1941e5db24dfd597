// What every target asks.
#pragma once

#include "tcp/support/refusal.hpp"

namespace tcp::fuzz {

inline void must(bool holds) {
  if (!holds) __builtin_trap();
}

/// Whole, with a reason and an advice, and fit to be printed, whatever the input was.
inline void check_sentence(const Refusal& r) {
  auto const sentence = r.sentence();
  must(sentence.size() < std::size_t{Text::room} && !r.note.empty() && !r.advice.empty());
  for (char c : sentence.view()) must(c >= ' ' && c <= '~');
}

}  // namespace tcp::fuzz
