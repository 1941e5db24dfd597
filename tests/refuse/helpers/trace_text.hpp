// A small trace as text, and what the reader says of it after a change.
#pragma once

#include <string>
#include <string_view>

#include "tcp/trace/json.hpp"

namespace tcp::trace_test {

inline const std::string whole =
    R"({"format":"tcp-trace","version":1,"tool":"tcp","program":"add","hash":"0","chip":"rngd","model":"book","makespan":9,)"
    R"("resources":["main"],"commands":[{"name":"main","resources":[0],"start":0,"end":9,"streaming":9}]})";

inline Refusal read_with(std::string_view from, std::string_view to) {
  std::string text = whole;
  text.replace(text.find(from), from.size(), to);
  return trace::read_json(text, "add.json").refusal();
}

}  // namespace tcp::trace_test
