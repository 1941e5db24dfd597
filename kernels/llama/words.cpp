// Only printable characters, and no more of them than a message has room for.
#include "kernels/llama/words.hpp"

namespace tcp::kernels {

std::string shown(std::string_view text, std::size_t room) {
  std::string out;
  for (char c : text.substr(0, room)) out += c >= ' ' && c < 0x7f ? c : '?';
  if (text.size() > room) out += "...";
  return out;
}
std::string shown_file(std::string_view path) {
  constexpr std::size_t room = 60;
  std::string const end = path.size() > room ? "..." + shown(path.substr(path.size() - room), room) : shown(path, room);
  return end.empty() ? "" : end + ": ";
}

}  // namespace tcp::kernels
