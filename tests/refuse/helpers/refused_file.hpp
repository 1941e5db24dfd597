// What is refused of a file with these bytes.
#pragma once

#include "file_bytes.hpp"
#include "tcp/io/npy.hpp"
#include "tcp/io/safetensors.hpp"

namespace tcp::io_test {

inline Refusal refused_npy(const std::string& file, std::optional<ScalarType> wanted = {}) {
  return io::parse_npy(bytes_of(file), "x.npy", wanted).refusal();
}

inline Refusal refused_safetensors(const std::string& file) { return io::parse_safetensors(bytes_of(file), "w.safetensors").refusal(); }

inline Refusal refused_tensor(const std::string& file, std::string_view name) {
  return io::parse_safetensors(bytes_of(file), "w.safetensors")->read(name).refusal();
}

}  // namespace tcp::io_test
