// Turns addresses into paths, and columns of UTF-16 into characters.
#include "editor_text.hpp"

#include <filesystem>
#include <string_view>

#include "characters.hpp"

namespace tcp::tool {

std::string path_of(const std::string& uri) {
  constexpr std::string_view scheme = "file://";
  if (!uri.starts_with(scheme)) return {};
  std::string out;
  for (std::size_t i = scheme.size(); i < uri.size(); ++i) {
    auto const digit = [](char c) {
      return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
    };
    if (uri[i] == '%' && i + 2 < uri.size() && digit(uri[i + 1]) >= 0 && digit(uri[i + 2]) >= 0) {
      out += static_cast<char>(16 * digit(uri[i + 1]) + digit(uri[i + 2]));
      i += 2;
    } else {
      out += uri[i];
    }
  }
  return std::filesystem::path(out).lexically_normal().string();
}

std::string uri_of(const std::string& path) {
  std::error_code failed;
  std::string out = "file://";
  for (char c : std::filesystem::absolute(path, failed).lexically_normal().string()) {
    bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/-_.~").find(c) != std::string_view::npos;
    constexpr char digits[] = "0123456789ABCDEF";
    if (plain) out += c;
    else out += {'%', digits[(static_cast<unsigned char>(c) >> 4) & 15], digits[static_cast<unsigned char>(c) & 15]};
  }
  return out;
}

EditorPlaces::EditorPlaces(const std::string& text) {
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find('\n', begin)) != text.npos; begin = end + 1) lines_.push_back(text.substr(begin, end - begin));
  lines_.push_back(text.substr(begin));
}

nlohmann::json EditorPlaces::position(unsigned line, unsigned column) const {
  if (line == 0) return {{"line", 0}, {"character", 0}};
  if (line > lines_.size()) return {{"line", lines_.size()}, {"character", 0}};
  unsigned units = 0, characters = 1;
  for (char c : lines_[line - 1]) {
    if (is_inside_character(c)) continue;
    if (characters++ >= column) break;
    units += (static_cast<unsigned char>(c) & 0xf8) == 0xf0 ? 2 : 1;
  }
  return {{"line", line - 1}, {"character", units}};
}

std::pair<unsigned, unsigned> EditorPlaces::place(const nlohmann::json& position) const {
  auto const line = position.at("line").get<unsigned>(), units = position.at("character").get<unsigned>();
  unsigned column = 1, passed = 0;
  if (line < lines_.size())
    for (char c : lines_[line]) {
      if (is_inside_character(c)) continue;
      if (passed >= units) break;
      passed += (static_cast<unsigned char>(c) & 0xf8) == 0xf0 ? 2 : 1;
      ++column;
    }
  return {line + 1, column};
}

unsigned EditorPlaces::end_of(unsigned line) const {
  unsigned characters = 1;
  if (line >= 1 && line <= lines_.size())
    for (char c : lines_[line - 1]) characters += !is_inside_character(c) && c != '\r';
  return characters;
}

}  // namespace tcp::tool
