// The one place of our libraries that reads the environment: the defaults of Context::acquire().
#include <cstdlib>
#include <cstring>

#include "tcp/runtime/options.hpp"

namespace tcp {

namespace {

/// The value of a variable, empty if it is not set.
std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

Refusal bad_value(const char* name, std::string_view value, const char* wanted, Where at) {
  return refuse("runtime-environment", at)
      .what(name, " is '", value.substr(0, 40), "'")
      .why("the environment sets the defaults of Context::acquire()")
      .help("set it to ", wanted, ", or unset it");
}

}  // namespace

Expected<ContextOptions> options_from_environment(Where at) {
  ContextOptions options;
  if (std::string_view const v = variable("TCP_BACKEND"); !v.empty()) {
    if (v != "reference" && v != "vector") return bad_value("TCP_BACKEND", v, "reference or vector", at);
    options.backend = v == "reference" ? BackendKind::reference : BackendKind::vector;
  }
  if (std::string_view const v = variable("TCP_CHECK"); !v.empty()) {
    if (v != "on" && v != "off") return bad_value("TCP_CHECK", v, "on or off", at);
    options.check = v == "on";
  }
  if (std::string_view const v = variable("TCP_CHIPS"); !v.empty()) {
    char* end = nullptr;
    options.chips = std::strtoll(v.data(), &end, 10);
    if (*end != '\0' || options.chips < 1 || options.chips > 4096)
      return bad_value("TCP_CHIPS", v, "the number of chips, from 1 to 4096", at);
  }
  if (std::string_view const v = variable("TCP_THREADS"); !v.empty()) {
    char* end = nullptr;
    long const threads = std::strtol(v.data(), &end, 10);
    if (*end != '\0' || threads < 1 || threads > 1024) return bad_value("TCP_THREADS", v, "the number of threads, from 1 to 1024", at);
    options.threads = static_cast<int>(threads);
  }
  if (std::string_view const v = variable("TCP_NUMERIC"); !v.empty()) {
    auto const model = parse_numeric_model(v, at);
    if (!model) return bad_value("TCP_NUMERIC", v, "rngd or ieee", at);
    options.numeric = *model;
  }
  if (!variable("TCP_DUMP").empty()) options.dump = std::getenv("TCP_DUMP");
  if (std::string_view const v = variable("TCP_PROGRESS"); !v.empty()) {
    if (v != "on" && v != "off") return bad_value("TCP_PROGRESS", v, "on or off", at);
    if (v == "on") options.on_progress = terminal_progress;
  }
  return options;
}

}  // namespace tcp
