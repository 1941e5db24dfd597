#include "encodings.hpp"

#include "../lower_module.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/program/check.hpp"
#include "tcp/program/encode.hpp"
#include "tcp/program/print.hpp"
#include "tcp/support/render.hpp"

namespace tcp::agree {

std::string encoding_fault(const Program& program) {
  auto const lowered = build::lower_module(program.module, *program.device);
  if (!lowered) return "";
  if (auto const v = program::check(*lowered, *program.device); !v) return "check: " + render(v.refusal());
  auto const bytes = program::encode(*lowered);
  auto const decoded = program::decode(bytes);
  if (!decoded) return "binary: " + render(decoded.refusal());
  if (*decoded != *lowered) return "the binary form brings another program back";
  auto const read = program::from_json(program::to_json(*lowered));
  if (!read) return "JSON: " + render(read.refusal());
  if (*read != *lowered) return "JSON brings another program back";
  if (program::print(*lowered) != program::print(*read)) return "it is not printed alike twice";
  return "";
}

}  // namespace tcp::agree
