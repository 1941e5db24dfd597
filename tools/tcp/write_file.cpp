// Writes files as a whole.
#include "write_file.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <span>

#include "command.hpp"
#include "on_interrupt.hpp"
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
  // The file beside its place, in which it grows, is not to stay there. A pipe may have to wait for its reader, and
  // then Ctrl-C is the way out.
  std::error_code absent;
  std::optional<OnInterrupt> finish;
  if (auto const there = std::filesystem::status(path, absent); !exists(there) || is_regular_file(there))
    finish.emplace(OnInterrupt::Do::go_on);
  if (auto const error = io::write_whole(path, parts)) return not_written(path, error.message());
  return accept();
}

Verdict keep_apart(const std::string& option, const std::string& output, const std::vector<std::string>& inputs, const std::string& help) {
  for (std::string const& input : inputs) {
    if (output.empty() || input.empty()) continue;
    std::error_code absent;
    if (output == input || std::filesystem::equivalent(output, input, absent))
      return misuse(option + " " + output.substr(0, 100) + " would overwrite what the command reads", help);
  }
  return accept();
}

Verdict keep_apart(const std::vector<std::pair<std::string, std::string>>& outputs, const std::vector<std::string>& inputs,
                   const std::string& help) {
  std::map<std::string, const std::string*> written;
  for (auto const& [option, output] : outputs) {
    if (auto v = keep_apart(option, output, inputs, help); !v) return v;
    if (output.empty()) continue;
    auto const [other, first] = written.emplace(file_meant(output), &option);
    if (!first) return misuse(*other->second + " and " + option + " both write " + output.substr(0, 100), help);
  }
  return accept();
}

std::string file_meant(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code absent;
  fs::path name = path;
  for (int links = 0; links < 40 && fs::is_symlink(name, absent); ++links) name = name.parent_path() / fs::read_symlink(name, absent);
  fs::path const meant = fs::weakly_canonical(fs::absolute(name, absent), absent);
  return absent ? path : meant.string();
}

}  // namespace tcp::tool
