// Reads a trace from JSON: the head first, which names format and version, then the records that fields.hpp
// describes. Writes traces, reports and diffs by the same description.
#include "tcp/trace/json.hpp"

#include "trace/json_reader.hpp"
#include "trace/json_writer.hpp"
#include "trace/texts.hpp"

namespace tcp::trace {

namespace {

/// What later versions add to version 1 may be left out.
constexpr std::int64_t oldest = 1;

/// Format and version come first: what follows can only be understood if they are ours.
Verdict read_head(JsonReader& json) {
  std::string key, name;
  std::int64_t number = 0;
  bool there = false;
  if (!json.begin_object() || !json.key(key, there, true)) return json.refusal();
  bool const has_format = there && key == "format";
  if (has_format && !json.value(name)) return json.refusal();
  if (!has_format || name != format)
    return refuse("trace-format")
        .what(json.place(), "the file does not begin with {\"format\":\"", format, "\"")
        .why("other files of JSON are not mistaken for traces")
        .help("give the file that TCP_TRACE or --trace named");
  if (!json.key(key, there, false)) return json.refusal();
  bool const has_version = there && key == "version";
  if (has_version && !json.value(number)) return json.refusal();
  if (!has_version || number < oldest || number > version) {
    Refusal r = refuse("trace-version").what(json.place());
    if (has_version) r.what("the trace has version ", number);
    else r.what("the trace has no version after its format");
    return r.what("; this tool reads versions ", oldest, " to ", version)
        .why("a later version may mean other things by the same keys")
        .help("write the trace again with the tool that shall read it");
  }
  return accept();
}

}  // namespace

Expected<Trace> read_json(std::string_view text, std::string_view file) {
  JsonReader json(text, file);
  if (Verdict v = read_head(json); !v) return v.refusal();
  Trace trace;
  if (!json.members(trace, true) || !json.end()) return json.refusal();
  if (Verdict v = check(trace, file); !v) return v.refusal();
  return trace;
}

// Writes traces, reports and diffs as JSON, by the same description of the records that the reader uses.

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
