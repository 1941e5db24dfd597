// What the sections with a kernel in text form ask of the libraries.
#include "helpers/text_kernel.hpp"

#include "tcp/exec/reference/run.hpp"
#include "tcp/ir/place.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/lower/lower.hpp"

namespace tcp_refuse {

tcp::Verdict checked(const char* text, const tcp::Device& device) {
  auto const module = tcp::ir::parse(text, "kernel.tcp");
  if (!module) return module.refusal();
  return tcp::verdict(tcp::ir::verify(*module, device));
}

tcp::Verdict placed(const char* text, const tcp::Device& device) {
  auto const module = tcp::ir::parse(text, "kernel.tcp");
  if (!module) return module.refusal();
  tcp::ir::Module with_addresses = *module;
  return tcp::ir::place(with_addresses, device);
}

tcp::Verdict lowered(const char* text, const tcp::Device& device) {
  auto const module = tcp::ir::parse(text, "kernel.tcp");
  if (!module) return module.refusal();
  return tcp::verdict(tcp::lower::lower(*module, device));
}

tcp::Verdict ran(const char* text, const tcp::Device& device) {
  auto const module = tcp::ir::parse(text, "kernel.tcp");
  if (!module) return module.refusal();
  auto const facts = tcp::ir::verify(*module, device);
  if (!facts) return facts.refusal();
  return tcp::verdict(tcp::reference::run(*module, *facts, {}));
}

}  // namespace tcp_refuse
