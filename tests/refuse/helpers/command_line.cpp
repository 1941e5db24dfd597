// What the sections with a command line ask of the tool.
#include "helpers/command_line.hpp"

#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

#include "tool.hpp"

namespace tcp_refuse {

tcp::Verdict commanded(const char* line) {
  std::istringstream words(line);
  std::vector<std::string> arguments;
  for (std::string word; words >> std::quoted(word);) arguments.push_back(word);
  if (!arguments.empty()) arguments.erase(arguments.begin());  // tcp itself
  std::ostringstream out, err;
  tcp::tool::Terminal terminal{out, err, false, false, ""};
  return tcp::tool::perform(arguments, terminal);
}

}  // namespace tcp_refuse
