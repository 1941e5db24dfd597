// What options accept, refused in our words: numbers, words, file names, and chips (`--chip`, with the numbers that
// `--set GROUP.KEY=VALUE` changes); and which of the known names a user may have meant.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tcp/device/device.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::tool {

CLI::Validator at_least(std::int64_t least);
CLI::Validator one_of(const std::vector<std::string>& words);
CLI::Validator not_empty(const std::string& what);
/// Any but the empty one, and `-`, which elsewhere means standard input or output.
CLI::Validator file_name();

/// At most four of `names`, the likeliest first: those that hold what was asked for, and those that few letters
/// separate from it.
std::vector<std::string> nearest(const std::string& asked, const std::vector<std::string>& names);

/// Whether the text of a `--set` names a number of the chip: its name has a dot, which a kernel's parameter never has.
bool sets_chip(std::string_view text);
/// Those of the texts that do, in their order.
std::vector<std::string> chip_settings(const std::vector<std::string>& texts);

/// The chip of a name or a file, changed by those of the texts that are for chips. Keys are those of a chip file,
/// `hbm.partial_write_factor`, and two short ones: `hbm.clock` and `core.clock`, in MHz. Sizes have the unit that the
/// chip's file has, unless they name one: `dm.slice_capacity=256KiB`. Refused: a key that there is not, a chip that
/// cannot be.
Expected<Device> chosen_device(const std::string& chip, const std::vector<std::string>& texts);

}  // namespace tcp::tool
