#include "write_file.hpp"

#include <span>

#include "tcp/io/file.hpp"

namespace tcp::tool {

Refusal not_written(std::string_view name, std::string_view why) {
  std::string plain;
  for (char c : name.substr(0, 160)) plain += c >= ' ' && c < 0x7f ? c : '?';
  return refuse("tool-file-not-written")
      .what(plain, " cannot be written: ", why)
      .why("a file that was there before is left as it was")
      .help("write to a folder that exists and is yours, with room on its disk");
}

Verdict write_file(const std::string& path, std::string_view content) {
  if (path.empty()) return not_written("''", "it has no name");
  std::span<const std::byte> const parts[] = {std::as_bytes(std::span(content))};
  if (auto const error = io::write_whole(path, parts)) return not_written(path, error.message());
  return accept();
}

}  // namespace tcp::tool
