// Names and paths from outside as messages print them: cut to length, without unprintable characters.
#include "io/words.hpp"

namespace tcp::io {

std::string shown(std::string_view text, std::size_t room) {
  std::string out;
  for (char c : text.substr(0, room)) out += c >= ' ' && c <= '~' ? c : '?';
  if (text.size() > room) out.replace(room - 3, 3, "...");
  return out;
}

std::string shown_file(std::string_view path) {
  constexpr std::size_t room = 50;
  if (path.size() > room) return "..." + shown(path.substr(path.size() - room + 3), room) + ": ";
  return shown(path, room) + ": ";
}

}  // namespace tcp::io
