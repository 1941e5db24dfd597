// A JSON text as a tree whose every key knows its line. The JSON library reports keys without positions; so we feed it
// the text through an iterator that counts lines, and look at the counter whenever it reports a key: the library reads
// no further than a key's closing quote.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tcp/support/expected.hpp"

namespace tcp::device_file {

enum class Kind { object, list, whole, fraction, flag, text, null };

struct Node {
  std::string key;    // empty for the root and for the items of a list
  unsigned line = 0;  // of the key; of the nearest key around it where there is none
  Kind kind = Kind::null;
  std::int64_t whole = 0;
  bool flag = false;
  std::string text;  // of a text; of a number that is not whole, or too large, as written
  std::vector<Node> children;

  const Node* find(std::string_view child) const {
    for (const Node& c : children)
      if (c.key == child) return &c;
    return nullptr;
  }
};

/// Words for a message: no more than `room` characters, none of them unprintable.
std::string shown(std::string_view text, std::size_t room);
/// How a message begins: `chip.json:12: `.
std::string shown_place(std::string_view file, unsigned line);

/// Refuses what is no JSON, a key that stands twice in one object, and nesting that no chip file has.
Expected<Node> parse_json(std::string_view text, std::string_view file);

}  // namespace tcp::device_file
