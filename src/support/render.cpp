// Joins the parts of a refusal into lines.
#include "tcp/support/render.hpp"

namespace tcp {

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
