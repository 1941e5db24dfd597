// What every refusal must be, whatever the input was.
#pragma once

#include "tcp/support/refusal.hpp"

namespace tcp::fuzz {

/// Whole, with a reason and an advice, and fit to be printed.
inline void check_sentence(const Refusal& r) {
  auto const sentence = r.sentence();
  if (sentence.size() >= std::size_t{Text::room} || r.note.empty() || r.advice.empty()) __builtin_trap();
  for (char c : sentence.view())
    if (c < ' ' || c > '~') __builtin_trap();
}

}  // namespace tcp::fuzz
