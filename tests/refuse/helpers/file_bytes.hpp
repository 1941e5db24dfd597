// Files as the published descriptions of the formats make them, byte by byte, without the code under test; and what is refused of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tcp/io/npy.hpp"
#include "tcp/io/safetensors.hpp"

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

inline Refusal refused_npy(const std::string& file, std::optional<ScalarType> wanted = {}) {
  return io::parse_npy(bytes_of(file), "x.npy", wanted).refusal();
}

inline Refusal refused_safetensors(const std::string& file) { return io::parse_safetensors(bytes_of(file), "w.safetensors").refusal(); }

inline Refusal refused_tensor(const std::string& file, std::string_view name) {
  return io::parse_safetensors(bytes_of(file), "w.safetensors")->read(name).refusal();
}

}  // namespace tcp::io_test
