// Any trace that can be read can be made into a page, and the page says what the trace says. Its columns are read here as viewer/src/store.js reads them.
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "inputs.hpp"
#include "tcp/trace/json.hpp"
#include "trace_page.hpp"

namespace {

using nlohmann::json;
using tcp::fuzz::must;
using tcp::trace::Command;
using tcp::trace::Trace;

int letter(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  must(c == '+' || c == '/');
  return c == '+' ? 62 : 63;
}

std::string from_base64(std::string_view text) {
  must(text.size() % 4 == 0);
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  unsigned bits = 0;
  int have = 0;
  for (char c : text) {
    bits = (bits << 6 | static_cast<unsigned>(letter(c))) & 0xffff;
    have += 6;
    if (have < 8) continue;
    have -= 8;
    bytes += static_cast<char>(bits >> have & 0xff);
  }
  return bytes;
}

std::string inflated(std::string_view packed) {
  std::string out(1 << 20, '\0');
  uLongf size = out.size();
  while (uncompress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(packed.data()), packed.size()) != Z_OK) {
    out.resize(out.size() * 2);
    size = out.size();
    must(out.size() <= std::size_t{1} << 28);
  }
  out.resize(size);
  return out;
}

std::string block(std::string_view page, const std::string& id) {
  std::string const opening = "<script type=\"application/octet-stream\" id=\"" + id + "\">";
  std::size_t const at = page.find(opening);
  must(at != page.npos);
  page.remove_prefix(at + opening.size());
  return inflated(from_base64(page.substr(0, page.find('<'))));
}

template <class T>
double number_at(std::string_view bytes, std::size_t at, std::size_t i) {
  T value;
  must(at % sizeof(T) == 0 && at + (i + 1) * sizeof(T) <= bytes.size());
  std::memcpy(&value, bytes.data() + at + i * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}

double number_at(std::string_view bytes, const std::string& type, std::size_t at, std::size_t i) {
  if (type == "u8") return number_at<std::uint8_t>(bytes, at, i);
  if (type == "u16") return number_at<std::uint16_t>(bytes, at, i);
  if (type == "u32") return number_at<std::uint32_t>(bytes, at, i);
  if (type == "i16") return number_at<std::int16_t>(bytes, at, i);
  if (type == "i32") return number_at<std::int32_t>(bytes, at, i);
  must(type == "f64");
  return number_at<double>(bytes, at, i);
}

/// The columns of a block that have one number a command, as far as a trace has them as they are.
void compare_commands(const Trace& trace, const json& head, const json& columns, std::string_view bytes) {
  for (const json& column : columns) {
    auto const name = column["name"].get<std::string>();
    auto const type = column["type"].get<std::string>();
    auto const at = column["at"].get<std::size_t>(), size = column["size"].get<std::size_t>();
    if (size > 0) number_at(bytes, type, at, size - 1);
    bool const times = name == "start" || name == "length" || name == "slack", names = name == "name" || name == "slowest";
    if (!times && !names) continue;
    must(size == trace.commands.size());
    for (std::size_t i = 0; i < size; ++i) {
      const Command& c = trace.commands[i];
      double const number = number_at(bytes, type, at, i);
      if (times) must(number == static_cast<double>((name == "start" ? c.start : name == "slack" ? c.slack : c.length()).value));
      else must(head["texts"].at(static_cast<std::size_t>(number)).is_string());
    }
  }
}

void look_at(const Trace& trace) {
  std::string const page = tcp::tool::page_of("<html>\n<!--traces--></html>", {trace, trace});
  for (const char* prefix : {"trace0-", "trace1-"}) {
    json const head = json::parse(block(page, std::string(prefix) + "head"));
    must(head["commands"] == trace.commands.size());
    for (const json& each : head["blocks"])
      compare_commands(trace, head, each["columns"], block(page, prefix + each["name"].get<std::string>()));
  }
  must(json::parse(block(page, "diff")).is_object());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto const trace = tcp::trace::read_json({reinterpret_cast<const char*>(data), size}, "fuzz.json");
  if (trace) look_at(*trace);
  return 0;
}
