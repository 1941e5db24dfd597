// JSON as the commands print it. Names of files are bytes, and JSON is UTF-8: what is none becomes U+FFFD there.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tcp::tool {

inline std::string json_text(const nlohmann::ordered_json& value) {
  return value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tcp::tool
