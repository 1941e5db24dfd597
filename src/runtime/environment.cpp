// The one place of our libraries that reads the environment: the defaults of Context::acquire().
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iterator>
#include <mutex>
#include <string>
#include <utility>

#include "tcp/device/load.hpp"
#include "tcp/runtime/options.hpp"
#include "tcp/runtime/plan.hpp"

namespace tcp {

namespace {

/// The value of a variable, empty if it is not set.
std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

/// The whole text is a number.
template <class Number>
bool read_number(std::string_view text, Number& to) {
  auto const [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), to);
  return wrong == std::errc{} && end == text.data() + text.size();
}

Refusal bad_value(const char* name, std::string_view value, const char* wanted, Where at) {
  return refuse("runtime-environment", at)
      .what(name, " is '", value.substr(0, 40), "'")
      .why("the environment sets the defaults of Context::acquire()")
      .help("set it to ", wanted, ", or unset it");
}

/// Options point to their device: one that was read from a file stays until the program ends.
const Device* kept(const Device& device) {
  static std::mutex mutex;
  static std::deque<Device> all;
  std::lock_guard const lock(mutex);
  auto const same = std::find(all.begin(), all.end(), device);
  return same != all.end() ? &*same : &all.emplace_back(device);
}

}  // namespace

Expected<ContextOptions> options_from_environment(Where at, const Device& chip) {
  ContextOptions options;
  options.device = &chip;
  if (std::string_view const v = variable("TCP_CHIP"); !v.empty()) {
    auto device = find_device(std::string(v));
    if (!device) return device.refusal();
    options.device = kept(*std::move(device));
  }
  if (std::string_view const v = variable("TCP_BACKEND"); !v.empty()) {
    constexpr BackendKind all[] = {BackendKind::reference, BackendKind::vector, BackendKind::device, BackendKind::plan};
    auto const backend = std::find_if(std::begin(all), std::end(all), [v](BackendKind kind) { return v == name_of(kind); });
    if (backend == std::end(all)) return bad_value("TCP_BACKEND", v, "reference, vector, device or plan", at);
    options.backend = *backend;
  }
  if (std::string_view const v = variable("TCP_CHECK"); !v.empty()) {
    if (v != "on" && v != "off") return bad_value("TCP_CHECK", v, "on or off", at);
    options.check = v == "on";
  }
  if (std::string_view const v = variable("TCP_CHIPS"); !v.empty()) {
    bool const number = read_number(v, options.chips);
    if (!number || options.chips < 1 || options.chips > 4096) return bad_value("TCP_CHIPS", v, "the number of chips, from 1 to 4096", at);
  }
  if (std::string_view const v = variable("TCP_THREADS"); !v.empty()) {
    int threads = 0;
    if (!read_number(v, threads) || threads < 1 || threads > 1024)
      return bad_value("TCP_THREADS", v, "the number of threads, from 1 to 1024", at);
    options.threads = threads;
  }
  if (std::string_view const v = variable("TCP_NUMERIC"); !v.empty()) {
    auto const model = parse_numeric_model(v, at);
    if (!model) return bad_value("TCP_NUMERIC", v, "rngd or ieee", at);
    options.numeric = *model;
  }
  if (std::string_view const v = variable("TCP_MODEL"); !v.empty()) {
    if (std::find(std::begin(timing_models), std::end(timing_models), v) == std::end(timing_models))
      return bad_value("TCP_MODEL", v, "book, planned, calibrated or detailed", at);
    options.model = v.data();
  }
  if (std::string_view const v = variable("TCP_REORDER"); !v.empty()) {
    if (v != "on" && v != "off") return bad_value("TCP_REORDER", v, "on or off", at);
    options.reorder = v == "on";
  }
  if (std::string_view const v = variable("TCP_TRACE"); !v.empty()) {
    options.trace = v.data();
    options.stop = interrupt_asked;
  }
  if (!variable("TCP_DUMP").empty()) options.dump = std::getenv("TCP_DUMP");
  std::string_view const progress = variable("TCP_PROGRESS");
  if (!progress.empty() && progress != "on" && progress != "off") return bad_value("TCP_PROGRESS", progress, "on or off", at);
  if (progress != "off") options.on_progress = terminal_progress;
  return options;
}

}  // namespace tcp
