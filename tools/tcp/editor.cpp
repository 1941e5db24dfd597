// Messages of the language server protocol, and places in texts.
#include "editor.hpp"

#include <poll.h>
#include <unistd.h>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string_view>

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

namespace {

constexpr std::size_t largest = std::size_t{256} << 20, longest_header = 4096;

Refusal no_header() {
  return refuse("tool-lsp-message")
      .what("a message has no header `Content-Length: n`, or one that is too large")
      .why("tcp lsp speaks the language server protocol with an editor, and is of no use by hand")
      .help("let the editor start it; docs/editor.md says how");
}

}  // namespace

Refusal editor_gone() {
  return refuse("tool-lsp-ended")
      .what("the editor was gone before it said `shutdown`")
      .why("an editor that ends in order says so first")
      .help("nothing is lost; look at the editor's own messages if it crashed");
}

bool MessageChannel::fill() {
  char part[65536];
  while (true) {
    ssize_t const n = ::read(in_, part, sizeof part);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    read_.append(part, static_cast<std::size_t>(n));
    return true;
  }
}

bool MessageChannel::waits(int milliseconds) const {
  if (!read_.empty()) return true;
  pollfd at{in_, POLLIN, 0};
  return ::poll(&at, 1, milliseconds) != 0;
}

Expected<std::optional<nlohmann::json>> MessageChannel::next() {
  while (true) {
    std::size_t end = 0;
    while ((end = read_.find("\r\n\r\n")) == read_.npos) {
      if (read_.size() > longest_header) return no_header();
      if (fill()) continue;
      if (read_.empty()) return std::optional<nlohmann::json>();
      return no_header();
    }
    constexpr std::string_view word = "content-length:";
    std::string header = read_.substr(0, end);
    for (char& c : header) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    std::size_t at = header.find(word);
    if (at == header.npos) return no_header();
    at = header.find_first_not_of(' ', at + word.size());
    std::size_t length = 0;
    if (at == header.npos || std::from_chars(header.data() + at, header.data() + header.size(), length).ec != std::errc() ||
        length > largest)
      return no_header();
    std::size_t const body = end + 4;
    while (read_.size() < body + length)
      if (!fill()) return std::optional<nlohmann::json>();
    auto message = nlohmann::json::parse(read_.begin() + static_cast<std::ptrdiff_t>(body),
                                         read_.begin() + static_cast<std::ptrdiff_t>(body + length), nullptr, false);
    read_.erase(0, body + length);
    if (message.is_object()) return std::optional<nlohmann::json>(std::move(message));
    send({{"jsonrpc", "2.0"}, {"id", nullptr}, {"error", {{"code", -32700}, {"message", "the message is not a JSON object"}}}});
  }
}

bool MessageChannel::send(const nlohmann::json& message) {
  std::string const body = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string const all = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  for (std::size_t at = 0; at < all.size();) {
    ssize_t const n = ::write(out_, all.data() + at, all.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace tcp::tool
