// Any text is a module or is refused by line and column; a module that was read can be printed and read again; and verify has an
// answer for it, and place for what verify accepts.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "inputs.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/ir/place.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/ir/verify.hpp"

namespace {

using tcp::fuzz::must;

/// A sentence is fit to be printed. Those of the text form are whole as well; a rule's may have to cut a mapping short.
void must_be_readable(const tcp::Refusal& r) {
  auto const sentence = r.sentence();
  for (char c : sentence.view()) must(c >= ' ' && c <= '~');
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto const module = tcp::ir::parse({reinterpret_cast<const char*>(data), size}, "fuzz.tcp");
  if (!module) {
    must_be_readable(module.refusal());
    must(module.refusal().sentence().size() < std::size_t{tcp::Text::room});
    must(module.refusal().at.known());
    return 0;
  }
  auto const text = tcp::ir::print(*module);
  auto const again = tcp::ir::parse(text, "again.tcp");
  must(again.ok());
  must(tcp::ir::same_program(*again, *module));
  must(tcp::ir::print(*again) == text);
  auto const verified = tcp::ir::verify(*module, tcp::rngd);
  if (!verified) {
    must_be_readable(verified.refusal());
    return 0;
  }
  if (auto const placed = tcp::ir::placed(*verified); !placed) must_be_readable(placed.refusal());
  return 0;
}
