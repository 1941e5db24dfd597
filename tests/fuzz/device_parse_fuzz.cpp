// Any text is a chip file or is refused; a device that was read can be written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "inputs.hpp"
#include "tcp/device/check.hpp"
#include "tcp/device/load.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto const device = tcp::parse_device({reinterpret_cast<const char*>(data), size}, "fuzz.json");
  if (!device) {
    tcp::fuzz::check_sentence(device.refusal());
    return 0;
  }
  tcp::fuzz::must(tcp::check_device(*device).ok());
  auto const again = tcp::parse_device(tcp::to_chip_file(*device), "again.json");
  tcp::fuzz::must(again && *again == *device);
  return 0;
}
