// The chip that a command works for: `--chip`, with the numbers that `--set GROUP.KEY=VALUE` changes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tcp/device/device.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::tool {

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
