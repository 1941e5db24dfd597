// Writes traces, reports and diffs as JSON, by the same description of the records that the reader uses.
#include "tcp/trace/json.hpp"
#include "trace/json_writer.hpp"
#include "trace/texts.hpp"

namespace tcp::trace {

void JsonWriter::text(std::string_view t) {
  raw("\"");
  for (std::size_t at = 0; at < t.size();) {
    char const c = t[at];
    std::size_t const length = utf8_length(t.substr(at));
    if (length == 0) {
      raw("\\ufffd");
      ++at;
      continue;
    }
    if (c == '"' || c == '\\') raw("\\");
    if (static_cast<unsigned char>(c) < 0x20) {
      constexpr char digits[] = "0123456789abcdef";
      char const code[] = {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]};
      raw({code, sizeof code});
    } else {
      raw(t.substr(at, length));
    }
    at += length;
  }
  raw("\"");
}

void write_json(const Trace& trace, std::ostream& out) { JsonWriter(out).file(format, trace); }
void write_json(const Report& report, std::ostream& out) { JsonWriter(out).file("tcp-report", report); }
void write_json(const Diff& diff, std::ostream& out) { JsonWriter(out).file("tcp-diff", diff); }

}  // namespace tcp::trace
