// Reads a trace from JSON: the head first, which names format and version, then the records that fields.hpp
// describes.
#include "tcp/trace/json.hpp"
#include "trace/json_reader.hpp"

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

}  // namespace tcp::trace
