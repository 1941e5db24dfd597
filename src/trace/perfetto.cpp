// Trace events: https://perfetto.dev reads the JSON of Chrome's tracing. Its times are microseconds, written with three
// decimals, so that a cycle is a nanosecond.
#include "tcp/trace/json.hpp"
#include "tcp/trace/report.hpp"

#include "trace/json_writer.hpp"
#include "trace/texts.hpp"

namespace tcp::trace {

namespace {

class Events {
 public:
  Events(const Trace& trace, std::ostream& out) : trace_(trace), json_(out) {}

  void all() {
    json_.raw("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"tool\":");
    json_.text(trace_.tool);
    json_.raw(",\"model\":");
    json_.text(trace_.model);
    json_.raw("},\"traceEvents\":[");
    name_of("process_name", 0, trace_.program.empty() ? "kernel" : trace_.program);
    for (std::size_t r = 0; r < trace_.resources.size(); ++r) name_of("thread_name", track(r), trace_.resources[r]);
    for (std::size_t i = 0; i < trace_.commands.size(); ++i) {
      for (std::int32_t r : trace_.commands[i].resources) slice(i, static_cast<std::size_t>(r));
      arrow(i);
    }
    json_.raw("\n]}\n");
  }

 private:
  static std::size_t track(std::size_t resource) { return resource + 1; }

  void begin(const char* phase, std::size_t thread) {
    json_.raw(first_ ? "\n" : ",\n");
    first_ = false;
    json_.raw(std::string("{\"ph\":\"") + phase + "\",\"pid\":1,\"tid\":" + std::to_string(thread));
  }
  void time(const char* key, Cycles at) {
    std::string const thousandth = std::to_string(1000 + at.value % 1000).substr(1);
    json_.raw(std::string(",\"") + key + "\":" + std::to_string(at.value / 1000) + "." + thousandth);
  }
  void text(const char* key, std::string_view value) {
    json_.raw(std::string(",\"") + key + "\":");
    json_.text(value);
  }

  void name_of(const char* what, std::size_t thread, const std::string& name) {
    begin("M", thread);
    text("name", what);
    json_.raw(",\"args\":{\"name\":");
    json_.text(name);
    json_.raw("}}");
  }

  void slice(std::size_t number, std::size_t resource) {
    const Command& c = trace_.commands[number];
    begin("X", track(resource));
    time("ts", c.start);
    time("dur", c.length());
    text("name", c.name + " " + place_of(trace_.sources, c.source));
    text("cat", c.critical ? "critical" : "command");
    json_.raw(",\"args\":{\"command\":" + std::to_string(number) + ",\"slack\":" + std::to_string(c.slack.value) +
              ",\"startup\":" + std::to_string(c.startup.value) + ",\"streaming\":" + std::to_string(c.streaming.value));
    for (const Part& p : c.stalls) {
      json_.raw(",");
      json_.text(stall_name(p.name));
      json_.raw(":" + std::to_string(p.cycles.value));
    }
    if (c.binding != none) text("waited", reason_of(trace_, c));
    if (c.source != none) text("line", trace_.sources[static_cast<std::size_t>(c.source)].text);
    json_.raw("}}");
  }

  /// From the end of what it waited for to its start.
  void arrow(std::size_t number) {
    const Command& c = trace_.commands[number];
    if (c.binding == none) return;
    const Edge& e = c.after[static_cast<std::size_t>(c.binding)];
    const Command& from = trace_.commands[static_cast<std::size_t>(e.from)];
    end_of_arrow("s", from, from.start, e.kind, number);
    end_of_arrow("f", c, c.start, e.kind, number);
  }
  /// A flow belongs to the slice that holds its time; so it leaves at the start of the first, whose end is another's
  /// start.
  void end_of_arrow(const char* phase, const Command& c, Cycles at, const std::string& kind, std::size_t number) {
    begin(phase, track(static_cast<std::size_t>(c.resources.front())));
    time("ts", at);
    text("name", kind);
    text("cat", "waited");
    json_.raw(",\"id\":" + std::to_string(number) + (*phase == 'f' ? ",\"bp\":\"e\"}" : "}"));
  }

  const Trace& trace_;
  JsonWriter json_;
  bool first_ = true;
};

}  // namespace

void write_perfetto(const Trace& trace, std::ostream& out) { Events(trace, out).all(); }

}  // namespace tcp::trace
