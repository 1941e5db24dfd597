// Reads, verifies, places, lowers and runs kernels in text form, and performs command lines.
#include "helpers/asked.hpp"

#include <iomanip>
#include <sstream>

#include "tcp/exec/reference/run.hpp"
#include "tcp/ir/cpp.hpp"
#include "tcp/ir/place.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/lower/lower.hpp"
#include "tool.hpp"

namespace tcp_refuse {

tcp::Verdict checked(const char* text, const tcp::Device& device) {
  auto const module = tcp::ir::parse(text, "kernel.tcp");
  if (!module) return module.refusal();
  return tcp::verdict(tcp::ir::verify(*module, device));
}

tcp::Verdict placed(const char* text, const tcp::Device& device) {
  auto const module = tcp::ir::parse(text, "kernel.tcp");
  if (!module) return module.refusal();
  auto const verified = tcp::ir::verify(*module, device);
  return verified ? tcp::verdict(tcp::ir::placed(*verified)) : verified.refusal();
}

tcp::Verdict printed_in_cpp(const char* text) {
  auto const module = tcp::ir::parse(text, "kernel.tcp");
  return module ? verdict(tcp::ir::print_cpp(*module)) : module.refusal();
}
tcp::Verdict lowered(const char* text, const tcp::Device& device) {
  auto const module = tcp::ir::parse(text, "kernel.tcp");
  if (!module) return module.refusal();
  auto const verified = tcp::ir::verify(*module, device);
  return verified ? tcp::verdict(tcp::lower::lower(*verified)) : verified.refusal();
}

tcp::Verdict ran(const char* text, const tcp::Device& device) {
  auto const module = tcp::ir::parse(text, "kernel.tcp");
  if (!module) return module.refusal();
  auto const verified = tcp::ir::verify(*module, device);
  if (!verified) return verified.refusal();
  return tcp::verdict(tcp::reference::run(*verified, {}));
}

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

tcp::Refusal refused_command(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  tcp::tool::Terminal terminal{out, err, false, false, TCP_SOURCE_DIR "/docs"};
  return tcp::tool::perform(arguments, terminal).refusal();
}
