// What the `tcp` command refuses, from the arguments as one types them.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "tool.hpp"

inline tcp::Refusal refused_command(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  tcp::tool::Terminal terminal{out, err, false, false, TCP_SOURCE_DIR "/docs"};
  return tcp::tool::perform(arguments, terminal).refusal();
}
