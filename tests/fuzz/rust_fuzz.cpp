// Any text is a crate, and each of its kernels is commands or has errors that can be printed; commands that were read are verified or refused.
#include <cstddef>
#include <cstdint>
#include <string>

#include "inputs.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/rust/crate.hpp"

namespace {

using tcp::fuzz::must;

void must_be_readable(const tcp::Refusal& r) {
  auto const sentence = r.sentence();
  for (char c : sentence.view()) must(c >= ' ' && c <= '~');
}

void must_be_readable(const tcp::rust::SourceError& e) {
  must_be_readable(e.refusal);
  must(e.refusal.at.known() && e.end_line >= e.refusal.at.line);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string const text(reinterpret_cast<const char*>(data), size);
  auto const crate =
      tcp::rust::Crate::of_text("fuzz.rs", text, size % 3 == 0 ? tcp::rust::Edition(static_cast<int>(size % 10)) : tcp::rust::Edition());
  for (const tcp::rust::SourceError& e : crate.errors()) must_be_readable(e);
  for (const tcp::rust::Kernel& kernel : crate.kernels()) {
    if (kernel.generic) continue;
    auto const reading = crate.read(kernel, tcp::rngd);
    must(reading.module.has_value() == reading.errors.empty());
    for (const tcp::rust::SourceError& e : reading.errors) must_be_readable(e);
    if (!reading.module) continue;
    if (auto const verified = tcp::ir::verify(*reading.module, tcp::rngd); !verified) must_be_readable(verified.refusal());
  }
  return 0;
}
