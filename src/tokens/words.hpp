// How messages of this library show what came from outside.
#pragma once

#include <string>
#include <string_view>

namespace tcp::tokens {

/// At most `room` characters, none of them unprintable.
inline std::string shown(std::string_view text, std::size_t room) {
  std::string out;
  for (char c : text.substr(0, room)) out += c >= ' ' && c < 0x7f ? c : '?';
  return text.size() > room ? out + "..." : out;
}
/// How a message begins: `tokenizer.json: `. The end of a path says most.
inline std::string shown_file(std::string_view path) {
  constexpr std::size_t room = 60;
  std::string const end = path.size() > room ? "..." + shown(path.substr(path.size() - room), room) : shown(path, room);
  return end.empty() ? "" : end + ": ";
}

}  // namespace tcp::tokens
