// Any bytes are a safetensors file or are refused; what was read can be looked at to its last element. The length of the header is set right unless the first byte
// says otherwise.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "inputs.hpp"
#include "tcp/io/safetensors.hpp"

namespace {

std::size_t header_length(std::string_view content) {
  std::size_t n = 0;
  for (std::size_t i = 8; i-- > 0;) n = n << 8 | static_cast<unsigned char>(content[i]);
  return n;
}

/// Every byte behind the header belongs to one tensor.
void look_at_all(const tcp::io::Safetensors& file, std::size_t behind_header) {
  std::size_t covered = 0;
  for (const auto& entry : file.entries) {
    covered += entry.bytes.size();
    if (file.find(entry.name) != &entry) __builtin_trap();
    for (auto wanted : {entry.type, std::optional(tcp::ScalarType::i4), std::optional(tcp::ScalarType::f32)}) {
      auto const array = file.read(entry.name, wanted);
      if (!array) {
        tcp::fuzz::check_sentence(array.refusal());
        continue;
      }
      std::uint32_t sum = 0;
      for (std::int64_t i = 0; i < array->size; ++i) sum |= array->bits(i);
      if ((sum & ~tcp::scalar_mask(array->type)) != 0) __builtin_trap();
    }
  }
  if (covered != behind_header) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view const input(reinterpret_cast<const char*>(data), size);
  std::string const content = input.starts_with('!') ? std::string(input.substr(1)) : tcp::fuzz::with_length(input);
  auto const file = tcp::io::parse_safetensors(std::as_bytes(std::span(content)), "fuzz.safetensors");
  if (file) look_at_all(*file, content.size() - 8 - header_length(content));
  else tcp::fuzz::check_sentence(file.refusal());
  return 0;
}
