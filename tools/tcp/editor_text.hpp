// Texts and files as an editor speaks of them: by `file://` addresses, lines from 0 and columns in UTF-16.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

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

}  // namespace tcp::tool
