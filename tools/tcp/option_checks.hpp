// What options accept, refused in our words; CLI11's own checks end up in the help as well.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace tcp::tool {

CLI::Validator at_least(std::int64_t least);
CLI::Validator one_of(const std::vector<std::string>& words);
CLI::Validator not_empty(const std::string& what);
/// Any but the empty one, and `-`, which elsewhere means standard input or output.
CLI::Validator file_name();

}  // namespace tcp::tool
