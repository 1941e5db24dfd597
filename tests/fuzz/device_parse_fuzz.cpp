// Any text is a chip file or is refused; a device that was read can be written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tcp/device/check.hpp"
#include "tcp/device/load.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto const device = tcp::parse_device({reinterpret_cast<const char*>(data), size}, "fuzz.json");
  if (!device) {
    // The sentence of a refusal is whole, and fit to be printed.
    auto const sentence = device.refusal().sentence();
    if (sentence.size() >= std::size_t{tcp::Text::room}) __builtin_trap();
    for (char c : sentence.view())
      if (c < ' ' || c > '~') __builtin_trap();
    return 0;
  }
  if (!tcp::check_device(*device)) __builtin_trap();
  auto const again = tcp::parse_device(tcp::to_chip_file(*device), "again.json");
  if (!again || !(*again == *device)) __builtin_trap();
  return 0;
}
