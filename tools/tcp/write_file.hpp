// Writing a file so that a reader never finds half of it, and what was there before is kept if it cannot be done; and
// JSON as the commands print it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tcp/support/expected.hpp"

namespace tcp::tool {

Refusal not_written(std::string_view name, std::string_view why);

/// A file is replaced as a whole; a device or pipe is written to. Refused: whatever the system refuses.
Verdict write_file(const std::string& path, std::string_view content);

/// Refused, as wrong use of `option`: an output that is one of the files which the command reads, by whatever name. An
/// empty name is no file.
Verdict keep_apart(const std::string& option, const std::string& output, const std::vector<std::string>& inputs, const std::string& help);

/// Several options, each with its output: the same of each, and no two outputs are one file.
Verdict keep_apart(const std::vector<std::pair<std::string, std::string>>& outputs, const std::vector<std::string>& inputs,
                   const std::string& help);

/// The file that is meant, whatever its name: no links, no `..`, from the root on. It need not be there.
std::string file_meant(const std::string& path);

inline std::string json_text(const nlohmann::ordered_json& value) {
  return value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tcp::tool
