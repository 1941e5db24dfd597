// Any bytes are an npy file or are refused; what was read can be looked at to its last element, and written and read again.
// The first byte chooses the wanted type: one of the chip's, or none.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "inputs.hpp"
#include "tcp/io/npy.hpp"

namespace {

void check_written_again(const tcp::io::Array& array) {
  static const std::string path = "/tmp/tcp_npy_fuzz_" + std::to_string(getpid()) + ".npy";
  if (array.shape.size() > 32) return;  // which may be read, and not written
  if (!tcp::io::write_npy(path, array.type, array.shape, tcp::io::packed(array))) __builtin_trap();
  auto const again = tcp::io::read_npy(path, array.type);
  if (!again || again->type != array.type || again->shape != array.shape || again->size != array.size) __builtin_trap();
  for (std::int64_t i = 0; i < array.size; ++i)
    if (again->bits(i) != array.bits(i)) __builtin_trap();
  unlink(path.c_str());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::optional<tcp::ScalarType> wanted;
  if (data[0] < std::size(tcp::scalar_types)) wanted = tcp::scalar_types[data[0]];
  auto const array = tcp::io::parse_npy(std::as_bytes(std::span(data + 1, size - 1)), "fuzz.npy", wanted);
  if (!array) tcp::fuzz::check_sentence(array.refusal());
  else check_written_again(*array);
  return 0;
}
