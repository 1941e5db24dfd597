// What the three forms of `tcp layout` share: their options, and the two ways to show runs.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tcp/mapping/draw.hpp"
#include "tcp/mapping/parse.hpp"
#include "tool.hpp"

namespace tcp::tool {

using Json = nlohmann::ordered_json;

struct LayoutOptions {
  std::string axes, mapping, levels;
  std::vector<std::string> move;  // from, to
  std::int64_t from = 0, limit = 0;
  bool all = false, json = false, write = false;
  bool part = false;  // from, limit or all were given
  std::string svg, type, chip, memory;
  std::string absent = "refused";
};

/// One file each.
Expected<Json> show_mapping(const LayoutOptions& options, const Axes& axes, Terminal& terminal);
Expected<Json> show_levels(const LayoutOptions& options, const Axes& axes, Terminal& terminal);
Expected<Json> show_move(const LayoutOptions& options, const Axes& axes, Terminal& terminal);

/// Label and words of a line: "size     256 positions".
void say(Terminal& terminal, const std::string& label, const std::string& words);
std::string in_text(const Mapping& m);  // m![A / 8]

Shown shown_of(const LayoutOptions& options, const Terminal& terminal);

/// The table of cells, and the note about what is left out. Nothing is printed where the answer is JSON; that has the
/// same runs.
Verdict show_runs(const Levels& levels, const LayoutOptions& options, Terminal& terminal, Json& answer);

/// Draws and writes the picture, if one was asked for.
Verdict write_picture(const Levels& levels, const LayoutOptions& options, Terminal& terminal);
/// Afterwards, so that an answer is given as a whole or not at all.
void name_picture(const LayoutOptions& options, Terminal& terminal, Json& answer);

Json json_of(const Mapping& m);
Json json_of(const Census& c);

}  // namespace tcp::tool
