// Any module that verifies is lowered or refused; a program that came out is one that the checker accepts, and is read again from what is written of it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "inputs.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/program/check.hpp"
#include "tcp/program/encode.hpp"
#include "tcp/program/print.hpp"

namespace {

using tcp::fuzz::must;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto const module = tcp::ir::parse({reinterpret_cast<const char*>(data), size}, "fuzz.tcp");
  if (!module) return 0;
  auto const verified = tcp::ir::verify(*module, tcp::rngd);
  if (!verified) {
    must(!verified.refusal().sentence().empty());
    return 0;
  }
  auto const program = tcp::lower::lower(*verified);
  if (!program) {
    must(!program.refusal().sentence().empty());
    return 0;
  }
  must(tcp::program::check(*program, tcp::rngd).ok());
  auto const again = tcp::program::decode(tcp::program::encode(*program));
  must(again && *again == *program);
  auto const twin = tcp::program::from_json(tcp::program::to_json(*program));
  must(twin && *twin == *program);
  must(!tcp::program::print(*program).empty());
  return 0;
}
