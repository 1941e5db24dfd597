// `macro_rules!`: patterns over tokens, and the tokens that take the place of a call.
#pragma once

#include "rust/syntax.hpp"

namespace tcp::rust {

/// Numbers macro expansions. A word that a macro writes is another variable than the same word of its caller.
class Marks {
 public:
  /// For the words of a macro whose rules were written under `outer`.
  int next(int outer) {
    outer_.push_back(outer);
    return static_cast<int>(outer_.size()) - 1;
  }
  int outer(int mark) const { return mark > 0 && mark < static_cast<int>(outer_.size()) ? outer_[static_cast<std::size_t>(mark)] : 0; }

 private:
  std::vector<int> outer_{0};
};

/// What a call of the macro becomes. Throws Mistake: no rule has this form.
Tokens expand(Arena& arena, Marks& marks, const Item& rules, const TokenRange& arguments, const Span& call);

}  // namespace tcp::rust
