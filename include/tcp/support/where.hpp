// Where in the user's source something is. Kept from the call in the kernel down to the trace.
#pragma once

// That a compiler is too old is said in one sentence, before anything that it lacks.
#if defined(__clang__) && __clang_major__ < 16 && !defined(__apple_build_version__)
// A fatal error is the last one that clang prints.
#pragma clang diagnostic fatal "-W#warnings"
#warning "tcp needs clang 16 or newer, or g++ 12 or newer; this clang is older. On Debian 12: clang++-19, or g++"
#elif defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 12
#error "tcp needs g++ 12 or newer, or clang 16 or newer; this g++ is older"
#elif __cplusplus < 202002L
#error "tcp needs C++20: compile with -std=c++20"
#endif

#include <source_location>

namespace tcp {

struct Where {
  const char* file = "";  // must outlive the Where: a literal, or a name that the owner of the text keeps
  unsigned line = 0;      // 0: unknown
  unsigned column = 0;
  const char* function = "";
  bool quiet = false;  // asked from a place where only the answer counts: a refusal then has a code and no words

  constexpr Where() = default;
  constexpr Where(const char* file_name, unsigned at_line, unsigned at_column = 0) : file(file_name), line(at_line), column(at_column) {}
  constexpr Where(const std::source_location& l) : file(l.file_name()), line(l.line()), column(l.column()), function(l.function_name()) {}

  constexpr bool known() const { return line != 0; }
};

namespace detail {
constexpr Where quiet_where() {
  Where w;
  w.quiet = true;
  return w;
}
}  // namespace detail

/// For a question that is about yes or no, and not about why: the words of a refusal cost far more than the answer.
inline constexpr Where quietly = detail::quiet_where();

}  // namespace tcp
