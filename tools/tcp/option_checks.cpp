// Checks for CLI11 options, with our own sentences.
#include "option_checks.hpp"

#include <charconv>

namespace tcp::tool {

CLI::Validator at_least(std::int64_t least) {
  return CLI::Validator(
      [least](std::string& given) {
        std::int64_t value = 0;
        auto const [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
        if (!given.empty() && error == std::errc() && end == given.data() + given.size() && value >= least) {
          given = std::to_string(value);  // CLI11 would read a leading 0 as octal
          return std::string();
        }
        return "'" + given.substr(0, 40) + "' is not a whole number from " + std::to_string(least) + " on";
      },
      "");
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  return CLI::Validator(
      [words](std::string& given) {
        std::string all;
        for (std::string const& each : words) {
          if (given == each) return std::string();
          all += (all.empty() ? "" : ", ") + each;
        }
        return "'" + given.substr(0, 40) + "' is none of " + all;
      },
      "");
}

CLI::Validator not_empty(const std::string& what) {
  return CLI::Validator([what](std::string& given) { return given.empty() ? what + " is empty" : ""; }, "");
}

CLI::Validator file_name() {
  return CLI::Validator(
      [](std::string& given) -> std::string {
        if (given.empty()) return "the name of the file is empty";
        return given == "-" ? "'-' names no file: what comes out of a pipe is stored first, and /dev/stdout is standard output" : "";
      },
      "");
}

}  // namespace tcp::tool
