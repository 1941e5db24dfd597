// Reads the spans that a chip was measured with: a line each, `SPAN test cl=0 beg=10 end=20 dur=10 name=Main#7`, in
// ticks of one counter. A command that is in a loop has a line for each round.
#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "io/dump_names.hpp"

namespace tcp::io {

namespace {

struct ChipSpan {
  std::string test, type, index;
  std::int64_t begin = 0, end = 0, cluster = -1;  // -1: the line does not say it
  std::size_t line = 0;
};

bool read_number(std::string_view text, std::int64_t& number) {
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0;
}

/// `DmaLoad#1` is a type and an index; what has no such sign is all type.
void split_name(std::string_view name, ChipSpan& span) {
  while (name.ends_with('\r') || name.ends_with(' ')) name.remove_suffix(1);
  std::size_t const sign = name.rfind('#');
  span.type = name.substr(0, sign);
  if (sign != name.npos) span.index = name.substr(sign + 1);
}

/// False: the line is no span, or its numbers contradict each other.
bool read_span(std::string_view line, ChipSpan& span) {
  constexpr std::string_view word = "SPAN ";
  if (!line.starts_with(word)) return false;
  line.remove_prefix(word.size());
  std::size_t const name = line.find(" name=");
  if (name != line.npos) split_name(line.substr(name + 6), span);
  line = line.substr(0, name);
  std::int64_t duration = -1;
  bool begins = false, ends = false;
  for (bool first = true; !line.empty(); first = false) {
    std::size_t const blank = std::min(line.find(' '), line.size());
    std::string_view const part = line.substr(0, blank);
    line.remove_prefix(std::min(blank + 1, line.size()));
    std::size_t const sign = part.find('=');
    if (first && sign == part.npos) span.test = part;
    if (sign == part.npos) continue;
    std::string_view const key = part.substr(0, sign), value = part.substr(sign + 1);
    if (key == "beg" && !(begins = read_number(value, span.begin))) return false;
    if (key == "end" && !(ends = read_number(value, span.end))) return false;
    if (key == "dur" && !read_number(value, duration)) return false;
    if (key == "cl" && (!read_number(value, span.cluster) || span.cluster >= 1 << 16)) return false;
  }
  if (begins && !ends && duration >= 0 && span.begin <= INT64_MAX - duration) {
    span.end = span.begin + duration;
    ends = true;
  }
  return begins && ends && span.begin <= span.end;
}

/// Source lines of the commands of a schedule, by type and index.
class ScheduleLines {
 public:
  explicit ScheduleLines(const trace::Trace* schedule) {
    if (schedule == nullptr) return;
    for (const trace::Command& c : schedule->commands)
      if (c.source != trace::none) known_[{c.name, c.index}] = &schedule->sources[static_cast<std::size_t>(c.source)];
  }
  std::int32_t number(const ChipSpan& span, trace::Trace& made) {
    auto const at = known_.find({span.type, span.index});
    if (at == known_.end() || span.index.empty()) return trace::none;
    auto const [number, fresh] = numbers_.try_emplace(at->second, static_cast<std::int32_t>(made.sources.size()));
    if (fresh) made.sources.push_back(*at->second);
    return number->second;
  }

 private:
  std::map<std::pair<std::string, std::string>, const trace::Source*> known_;
  std::map<const trace::Source*, std::int32_t> numbers_;
};

class SpanReader {
 public:
  SpanReader(std::string_view file, const DumpOptions& options)
      : file_(file), options_(options), lines_(options.schedule), trace_(empty_trace(options)), resources_(trace_) {}

  Expected<trace::Trace> read(std::string_view text) {
    find_spans(text);
    std::sort(spans_.begin(), spans_.end(),
              [](const ChipSpan& a, const ChipSpan& b) { return std::tie(a.begin, a.line) < std::tie(b.begin, b.line); });
    trace_.imported = "spans";
    trace_.model = "spans of a chip";
    std::int64_t const base = spans_.empty() ? 0 : spans_.front().begin;
    for (const ChipSpan& span : spans_) {
      tests_.insert(span.test);
      clusters_.insert(span.cluster);
      if (in_cycles(span.end - base) > most_dump_cycles) return too_far_apart(file_, "line " + std::to_string(span.line));
    }
    trace_.program = tests_.size() == 1 ? *tests_.begin() : std::to_string(tests_.size()) + " tests";
    for (const ChipSpan& span : spans_) add(span, base);
    say_what_else(base);
    return std::move(trace_);
  }

 private:
  std::int64_t in_cycles(std::int64_t ticks) const { return ticks / std::max<std::int64_t>(options_.ticks_per_cycle, 1); }

  void find_spans(std::string_view text) {
    for (std::size_t number = 1; !text.empty(); ++number) {
      std::size_t const end = std::min(text.find('\n'), text.size());
      std::string_view const line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      ChipSpan span;
      span.line = number;
      if (read_span(line, span)) {
        spans_.push_back(std::move(span));
        continue;
      }
      if (line.find_first_not_of(" \t\r") == line.npos) continue;
      ++(line.starts_with("SPAN ") ? broken_ : other_);
      if (line.starts_with("SPAN ") && first_broken_ == 0) first_broken_ = number;
    }
  }

  void add(const ChipSpan& span, std::int64_t base) {
    trace::Command c;
    c.name = span.type.empty() ? "span" : span.type;
    c.index = span.index;
    c.cluster = static_cast<std::int32_t>(span.cluster);
    // A cluster that was watched beside another has queues of its own.
    std::string const own = resource_of_type(span.type);
    bool const several = clusters_.size() > 1;
    c.resources = {resources_.of(several ? own + ", cluster " + (span.cluster < 0 ? "unknown" : std::to_string(span.cluster)) : own)};
    c.start = Cycles{in_cycles(span.begin - base)};
    c.end = Cycles{in_cycles(span.end - base)};
    c.streaming = c.length();
    c.source = lines_.number(span, trace_);
    if (c.source != trace::none) ++with_line_;
    if (tests_.size() > 1) c.region = region_of(span.test);
    trace_.makespan = std::max(trace_.makespan, c.end);
    trace_.commands.push_back(std::move(c));
  }
  std::int32_t region_of(const std::string& test) {
    auto const [at, fresh] = regions_.try_emplace(test, static_cast<std::int32_t>(trace_.regions.size()));
    if (fresh) trace_.regions.push_back({test, 0});
    return at->second;
  }

  void say_what_else(std::int64_t base) {
    auto const fact = [this](std::string name, std::string text) { trace_.facts.push_back({std::move(name), std::move(text), ""}); };
    auto const count = [](std::int64_t n, const char* what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); };
    fact("imported from", std::string(printable(file_)) + ": " + count(std::ssize(spans_), "span") + " in ticks, " +
                              std::to_string(options_.ticks_per_cycle) + " a cycle");
    fact("the counter at the first span", std::to_string(base));
    if (other_ > 0) fact("skipped", count(other_, "line") + (other_ == 1 ? " that is no span" : " that are no spans"));
    if (broken_ > 0)
      fact("left out", count(broken_, "span") + " without a possible time, the first in line " + std::to_string(first_broken_));
    if (options_.schedule != nullptr)
      fact("source lines",
           std::to_string(with_line_) + " of " + count(std::ssize(spans_), "span") + " have one, by type and index of the schedule");
  }

  std::string_view file_;
  const DumpOptions& options_;
  ScheduleLines lines_;
  trace::Trace trace_;
  ResourceNumbers resources_;
  std::vector<ChipSpan> spans_;
  std::set<std::string> tests_;
  std::set<std::int64_t> clusters_;
  std::map<std::string, std::int32_t> regions_;
  std::int64_t other_ = 0, broken_ = 0, with_line_ = 0;
  std::size_t first_broken_ = 0;
};

}  // namespace

Expected<trace::Trace> read_chip_spans(std::string_view text, std::string_view file, const DumpOptions& options) {
  return SpanReader(file, options).read(text);
}

}  // namespace tcp::io
