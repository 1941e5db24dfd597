// What clangd shows of a stage, a tensor or a mapping of a kernel, in two lines: what it is, and its shape, bytes and
// cycles. clangd prints types of 900 characters, which have all of that inside.
#pragma once

#include <optional>
#include <string>

namespace tcp::tool {

/// Two lines. Nothing if it is about something else, which stays as clangd shows it.
struct ShortHover {
  std::string what, shape;  // "collect: ...", "i32 Slice[A / 8] Time[1] Packet[A % 8] (A = 2048): ..."
};
std::optional<ShortHover> short_hover(const std::string& shown);

}  // namespace tcp::tool
