// Chip files: a device as JSON that a user can copy and change, and the C++ header that makes one the target of a
// build. Run time only.
//
//   "dm": {
//     "banks_per_slice": {"value": 16, "source": "MEM-02"},
//     "slice_capacity": {"value": 512, "unit": "KiB", "source": "HEL-07, MEM-02", "note": "free text"},
//
// Every key of data/chips/rngd.json is there, once, and no other. Byte sizes are in B, KiB, MiB or GiB. A source that
// begins with `assumption` marks the value as one. What is wrong is refused by file, line and key. File and line stand
// in the headline, not in Refusal::at: a Where keeps no text of its own, and the refusal outlives the file's name.
#pragma once

#include <string>
#include <string_view>

#include "tcp/device/device.hpp"
#include "tcp/support/expected.hpp"

namespace tcp {

Expected<Device> load_device(const std::string& path);

/// The chip of a name that the program knows (rngd, rngd_s, logical), or of a chip file.
Expected<Device> find_device(const std::string& name_or_path);

/// `file_name` is for the messages alone.
/// Law: parse_device(to_chip_file(d), any) is d, for every d that check_device accepts and whose `assumed` are rows of
/// the table.
Expected<Device> parse_device(std::string_view text, std::string_view file_name);

/// Sources and notes are the table's (fields.hpp), except that a value which the device marks as assumed is written as
/// an assumption.
std::string to_chip_file(const Device& d);

/// A header that defines tcp::target; see target.hpp and cmake/TcpTargetChip.cmake.
std::string to_header(const Device& d);

}  // namespace tcp
