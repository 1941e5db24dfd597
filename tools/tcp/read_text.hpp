// What people type: mappings, mappings by level, devices.
#pragma once

#include <string>
#include <string_view>

#include "tcp/device/device.hpp"
#include "tcp/mapping/levels.hpp"
#include "tcp/mapping/parse.hpp"

namespace tcp::tool {

/// `A / 8, B`, also as it is copied from a message: `m![A / 8, B]`.
Expected<Mapping> read_mapping(const std::string& text, const Axes& axes);

struct WrittenLevels {
  Levels levels{};
  bool written[level_count]{};

  bool has(Level l) const { return written[static_cast<int>(l)]; }
};

/// True if the text begins with `Name:`, as the text of levels does and that of a mapping never.
bool names_level(const std::string& text);

/// `Slice: I / 32, J / 32; Element: I % 32, K`. A level may splice in one that stands before it: `Time: { Slice }, K`.
Expected<WrittenLevels> read_levels(const std::string& text, const Axes& axes);

/// What was typed, for a message: short, and nothing in it unprintable.
std::string plain(std::string_view words);

}  // namespace tcp::tool
