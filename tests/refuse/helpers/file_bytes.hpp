// Files as the published descriptions of the formats make them, byte by byte, without the code under test.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tcp::io_test {

inline std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
  return out;
}

inline std::string npy_file(std::string_view dictionary, std::string_view elements, int major = 1) {
  std::string header(dictionary);
  header += '\n';
  return "\x93NUMPY" + std::string{static_cast<char>(major), '\0'} + little_endian(header.size(), major == 1 ? 2 : 4) + header +
         std::string(elements);
}
inline std::string npy_of(std::string_view type, std::string_view shape, std::string_view elements) {
  return npy_file("{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': " + std::string(shape) + ", }", elements);
}

inline std::string safetensors_file(std::string_view header, std::string_view elements) {
  return little_endian(header.size(), 8) + std::string(header) + std::string(elements);
}

}  // namespace tcp::io_test
