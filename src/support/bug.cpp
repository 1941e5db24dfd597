// Raises a Bug; out of line, so that the check in a header stays small.
#include "tcp/support/bug.hpp"

namespace tcp {

Bug::Bug(const char* condition, const char* what_broke, const Where& at)
    : text_(text("this is a bug in tcp, not in your program: ", what_broke, " (", condition, " is false at ", at.file, ":", at.line,
                 "); please send us the program that led here")) {}

void raise_bug(const char* condition, const char* what_broke, const Where& at) { throw Bug(condition, what_broke, at); }

}  // namespace tcp
