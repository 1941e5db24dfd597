// What clangd shows of a stage, a tensor or a mapping of a kernel, in two lines: what it is, and its shape, bytes and
// cycles. clangd prints types of 900 characters, which have all of that inside.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tcp::tool {

/// Two lines. Nothing if it is about something else, which stays as clangd shows it.
struct ShortHover {
  std::string what, shape;  // "collect: ...", "i32 Slice[A / 8] Time[1] Packet[A % 8] (A = 2048): ..."
};
std::optional<ShortHover> short_hover(const std::string& shown);

struct CppMethod {
  std::string_view name;
  std::string_view arguments;  // levels in the order of the template arguments; `Type` is a scalar, `-` something else
  std::string_view does;
};

/// Null for a name that is no method of tensors, contexts and streams.
const CppMethod* cpp_method(std::string_view name);

}  // namespace tcp::tool
