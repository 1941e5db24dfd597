// Where in the user's source something stands. Kept from the call in the kernel down to the trace.
#pragma once

#include <source_location>

namespace tcp {

struct Where {
  const char* file = "";  // must outlive the Where: a literal, or a name that the owner of the text keeps
  unsigned line = 0;      // 0: unknown
  unsigned column = 0;
  const char* function = "";

  constexpr Where() = default;
  constexpr Where(const char* file_name, unsigned at_line, unsigned at_column = 0) : file(file_name), line(at_line), column(at_column) {}
  constexpr Where(const std::source_location& l) : file(l.file_name()), line(l.line()), column(l.column()), function(l.function_name()) {}

  constexpr bool known() const { return line != 0; }
};

}  // namespace tcp
