// Any bytes are a program or are refused, in binary form and as JSON; what was read is written again as it was; check has an answer for it, and it can be printed.
//
// A checksum keeps mutations out of the records, so the input is also taken as the body of a file with a right header.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "inputs.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/program/check.hpp"
#include "tcp/program/encode.hpp"
#include "tcp/program/print.hpp"

namespace {

using tcp::fuzz::must;
using tcp::program::Program;
using Bytes = std::vector<std::byte>;

constexpr std::size_t header = 24;

Bytes sealed(std::span<const std::byte> body) {
  Bytes file = tcp::program::encode({});
  file.resize(header);
  std::uint32_t crc = ~0u;
  for (std::byte b : body) {
    file.push_back(b);
    crc ^= static_cast<std::uint32_t>(b);
    for (int k = 0; k < 8; ++k) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320u : 0u);
  }
  for (std::size_t i = 0; i < 4; ++i) file[12 + i] = static_cast<std::byte>(~crc >> (8 * i));
  for (std::size_t i = 0; i < 8; ++i) file[16 + i] = static_cast<std::byte>(body.size() >> (8 * i));
  return file;
}

void use(const Program& p) {
  for (const tcp::Device* device : {&tcp::rngd, &tcp::logical})
    if (auto const v = tcp::program::check(p, *device); !v) tcp::fuzz::check_sentence(v.refusal());
  must(!tcp::program::print(p).empty());
}

void read_binary(const Bytes& file) {
  auto const p = tcp::program::decode(file);
  if (!p) return tcp::fuzz::check_sentence(p.refusal());
  must(tcp::program::encode(*p) == file);
  auto const twin = tcp::program::from_json(tcp::program::to_json(*p));
  must(twin && *twin == *p);
  use(*p);
}

void read_json(std::string_view text) {
  auto const p = tcp::program::from_json(text);
  if (!p) return tcp::fuzz::check_sentence(p.refusal());
  auto const twin = tcp::program::decode(tcp::program::encode(*p));
  must(twin && *twin == *p);
  use(*p);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::span const bytes(reinterpret_cast<const std::byte*>(data), size);
  read_binary(Bytes(bytes.begin(), bytes.end()));
  read_binary(sealed(bytes.subspan(tcp::program::looks_encoded(bytes) ? std::min(header, size) : 0)));
  read_json({reinterpret_cast<const char*>(data), size});
  return 0;
}
