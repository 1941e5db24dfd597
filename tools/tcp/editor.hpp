// What an editor and a language server say to each other: messages, JSON after a header with its length; and texts and
// files as an editor speaks of them, by `file://` addresses, lines from 0 and columns in UTF-16.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tcp/support/expected.hpp"

namespace tcp::tool {

/// `file:///home/a%20b.rs` as a path; other schemes have none.
std::string path_of(const std::string& uri);
std::string uri_of(const std::string& path);

/// A text by places: the protocol counts lines from 0 and columns in UTF-16, everything else here counts lines from 1
/// and columns in characters from 1.
class EditorPlaces {
 public:
  explicit EditorPlaces(const std::string& text);

  nlohmann::json position(unsigned line, unsigned column) const;
  nlohmann::json range(unsigned line, unsigned column, unsigned end_line, unsigned end_column) const {
    return {{"start", position(line, column)}, {"end", position(end_line, end_column)}};
  }
  std::pair<unsigned, unsigned> place(const nlohmann::json& position) const;
  unsigned end_of(unsigned line) const;
  unsigned lines() const { return static_cast<unsigned>(lines_.size()); }

 private:
  std::vector<std::string> lines_;
};

/// Reads from a descriptor and writes to another.
class MessageChannel {
 public:
  MessageChannel(int in, int out) : in_(in), out_(out) {}

  /// The next message; nothing at the end of the input. A message that is no JSON is answered, and the next one is
  /// taken. Refused: a header that does not say how long its message is, and one of more than 256 MiB.
  Expected<std::optional<nlohmann::json>> next();
  /// Whether a message is there, or comes within this time.
  bool waits(int milliseconds) const;
  /// False: the reader is gone.
  bool send(const nlohmann::json& message);

 private:
  bool fill();

  int in_, out_;
  std::string read_;
};

/// An editor that ended without `shutdown`.
Refusal editor_gone();

constexpr bool is_word_character(char c) { return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_'; }
/// True of the second and further bytes of a character in UTF-8.
constexpr bool is_inside_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace tcp::tool
