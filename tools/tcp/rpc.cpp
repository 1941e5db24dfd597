// Frames messages by the header `Content-Length: n`.
#include "rpc.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

namespace tcp::tool {

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
