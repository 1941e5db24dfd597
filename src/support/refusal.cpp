// What the errors of users and our own say: a Bug, a Refused that is thrown, a Refusal as text.
#include <algorithm>

#include "tcp/support/bug.hpp"
#include "tcp/support/refused.hpp"
#include "tcp/support/render.hpp"

namespace tcp {

Bug::Bug(const char* condition, const char* what_broke, const Where& at)
    : text_(text("this is a bug in tcp, not in your program: ", what_broke, " (", condition, " is false at ", at.file, ":", at.line,
                 "); please send us the program that led here")) {}

void raise_bug(const char* condition, const char* what_broke, const Where& at) { throw Bug(condition, what_broke, at); }

// What an exception of a refusal says.

Refused::Refused(const Refusal& r) : refusal_(r) {
  std::string const all = render(r);
  std::copy_n(all.begin(), std::min<std::size_t>(all.size(), room), what_);
}

// Joins the parts of a refusal into lines.

std::string render(const Refusal& r) {
  std::string out;
  if (r.at.known()) {
    out += r.at.file;
    out += ":" + std::to_string(r.at.line) + ":";
    if (r.at.column != 0) out += std::to_string(r.at.column) + ":";
    out += " ";
  }
  out += "error[";
  out += r.code;
  out += "]: ";
  out += r.headline.view();
  auto line = [&out](std::string_view label, const Text& t) {
    if (t.empty()) return;
    out += "\n  ";
    out += label;
    out += ": ";
    out += t.view();
  };
  line("note", r.note);
  line("help", r.advice);
  return out;
}

}  // namespace tcp
