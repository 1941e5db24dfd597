// What random laws draw from. A case is one seed: expressions do not shrink well, and the message shows the one that broke the law.
#pragma once

#include <rapidcheck.h>

#include "tcp/support/random.hpp"

class Draw {
 public:
  Draw() : random_(*rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>()))) {}

  std::int64_t between(std::int64_t from, std::int64_t to) { return random_.between(from, to); }
  bool chance(int percent) { return between(1, 100) <= percent; }
  template <class List>
  const auto& of(const List& list) {
    return list[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(std::size(list)) - 1))];
  }

 private:
  tcp::Random random_;
};
