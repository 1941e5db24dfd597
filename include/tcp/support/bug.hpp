// A Bug is our mistake, where a Refusal is the user's. Tests may expect a refusal; none may ever expect a bug.
#pragma once

#include <exception>

#include "tcp/support/text.hpp"
#include "tcp/support/where.hpp"

namespace tcp {

class Bug : public std::exception {
 public:
  Bug(const char* condition, const char* what_broke, const Where& at);

  const char* what() const noexcept override { return text_.s; }

 private:
  Text text_;
};

/// Not constexpr on purpose: a bug reached in a constant expression is a compile error.
[[noreturn]] void raise_bug(const char* condition, const char* what_broke, const Where& at);

}  // namespace tcp

#define TCP_BUG_UNLESS(condition, what_broke) \
  ((condition) ? static_cast<void>(0) : ::tcp::raise_bug(#condition, what_broke, ::tcp::Where(::std::source_location::current())))
