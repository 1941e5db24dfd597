// A refusal is the answer to a user's mistake: what is wrong, with the numbers; why; and what to write instead.
//
//   return refuse("commit-row-misaligned", at)
//       .what("rows of ", name, " are ", row, " bytes; DMA writes whole rows of 64 bytes")
//       .why("a partial row is a read-modify-write")
//       .help("pad the last axis: ", axis, " # ", padded);
//
// It is a plain value that works in constant expressions. Our own mistakes are not refusals: see bug.hpp.
#pragma once

#include "tcp/support/text.hpp"
#include "tcp/support/where.hpp"

namespace tcp {

struct Refusal {
  const char* code = "";  // lower-case slug, area first, never reused; each has a page under docs/diagnostics
  Where at{};
  Text headline{};
  Text note{};
  Text advice{};

  template <class... Parts>
  constexpr Refusal& what(Parts... parts) {  // NOLINT(performance-unnecessary-value-param): text() says why
    if (!at.quiet) (detail::put<Parts>(headline, parts), ...);
    return *this;
  }
  template <class... Parts>
  constexpr Refusal& why(Parts... parts) {  // NOLINT(performance-unnecessary-value-param): text() says why
    if (!at.quiet) (detail::put<Parts>(note, parts), ...);
    return *this;
  }
  template <class... Parts>
  constexpr Refusal& help(Parts... parts) {  // NOLINT(performance-unnecessary-value-param): text() says why
    if (!at.quiet) (detail::put<Parts>(advice, parts), ...);
    return *this;
  }

  /// The one line that compile time and run time share: `error[code]: what; help: what to write`.
  constexpr Text sentence() const {
    Text t = text("error[", code, "]: ", headline);
    if (!advice.empty()) t << "; help: " << advice;
    return t;
  }
};

constexpr Refusal refuse(const char* code, Where at = {}) {
  Refusal r;
  r.code = code;
  r.at = at;
  return r;
}

}  // namespace tcp
