// Reads the spans that a chip was measured with: a line each, `SPAN test cl=0 beg=10 end=20 dur=10 name=Main#7`, in
// ticks of one counter. A command that is in a loop has a line for each round.
//
// A harness often runs a test several times into one file. Runs are the parts of equal size into which the spans fall
// so that each has the same commands, the chip stands still between them, and longer than ever within one. A program
// that is one loop and nothing else looks the same; what was taken for runs is said.
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
    if (key == "beg") begins = read_number(value, span.begin);
    if (key == "end") ends = read_number(value, span.end);
    if ((key == "beg" && !begins) || (key == "end" && !ends)) return false;
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

/// Ticks in which nothing runs before each span, spans being in the order of their begins; -1: something does.
std::vector<std::int64_t> standstills(const std::vector<ChipSpan>& spans) {
  std::vector<std::int64_t> all;
  std::int64_t end = -1;
  for (const ChipSpan& s : spans) {
    all.push_back(end < 0 ? 0 : std::max<std::int64_t>(s.begin - end, -1));
    end = std::max(end, s.end);
  }
  return all;
}

bool same_commands(const std::vector<ChipSpan>& spans, std::size_t run, std::size_t size) {
  auto const commands = [&](std::size_t begin) {
    std::vector<std::tuple<std::int64_t, std::string_view, std::string_view>> all;
    for (std::size_t i = begin; i < begin + size; ++i) all.emplace_back(spans[i].cluster, spans[i].type, spans[i].index);
    std::sort(all.begin(), all.end());
    return all;
  };
  return commands(0) == commands(run * size);
}

/// How many runs of the same commands the spans are; of several answers, the one whose pauses are longest beside those
/// within a run.
std::size_t count_runs(const std::vector<ChipSpan>& spans) {
  std::vector<std::int64_t> const pause = standstills(spans);
  std::size_t best = 1;
  double best_ratio = 1;
  for (std::size_t runs = 2; runs <= spans.size(); ++runs) {
    if (spans.size() % runs != 0) continue;
    std::size_t const size = spans.size() / runs;
    std::int64_t between = INT64_MAX, within = 0;
    for (std::size_t i = 1; i < spans.size(); ++i) {
      if (i % size == 0) between = std::min(between, pause[i]);
      else within = std::max(within, pause[i]);
    }
    if (between < 0 || between <= within) continue;
    double const ratio = static_cast<double>(between + 1) / static_cast<double>(within + 1);
    bool alike = ratio > best_ratio;
    for (std::size_t run = 1; run < runs && alike; ++run) alike = same_commands(spans, run, size);
    if (!alike) continue;
    best = runs;
    best_ratio = ratio;
  }
  return best;
}

std::int64_t median(std::vector<std::int64_t> all) {
  auto const middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  if (all.size() % 2 != 0) return *middle;
  std::int64_t const below = *std::max_element(all.begin(), middle);
  return below + (*middle - below) / 2;
}

/// One run whose spans have the median begin and length of all runs. Rounds of a loop are told apart by their order.
std::vector<ChipSpan> median_run(const std::vector<ChipSpan>& spans, std::size_t runs) {
  std::size_t const size = spans.size() / runs;
  struct Seen {
    const ChipSpan* first = nullptr;
    std::vector<std::int64_t> begins, lengths;
  };
  std::map<std::tuple<std::int64_t, std::string_view, std::string_view, std::size_t>, Seen> seen;
  for (std::size_t run = 0; run < runs; ++run) {
    std::map<std::tuple<std::int64_t, std::string_view, std::string_view>, std::size_t> rounds;
    for (std::size_t i = run * size; i < (run + 1) * size; ++i) {
      const ChipSpan& s = spans[i];
      Seen& of = seen[{s.cluster, s.type, s.index, rounds[{s.cluster, s.type, s.index}]++}];
      if (of.first == nullptr) of.first = &s;
      of.begins.push_back(s.begin - spans[run * size].begin);
      of.lengths.push_back(s.end - s.begin);
    }
  }
  std::vector<ChipSpan> made;
  for (auto& [key, of] : seen) {
    made.push_back(*of.first);
    made.back().begin = spans.front().begin + median(std::move(of.begins));
    made.back().end = made.back().begin + median(std::move(of.lengths));
  }
  return made;
}

class SpanReader {
 public:
  SpanReader(std::string_view file, const DumpOptions& options)
      : file_(file), options_(options), lines_(options.schedule), trace_(empty_trace(options)), resources_(trace_) {}

  Expected<trace::Trace> read(std::string_view text) {
    find_spans(text);
    read_ = std::ssize(spans_);
    if (auto v = choose_test(); !v) return v.refusal();
    if (spans_.empty()) return nothing_to_import(file_, "no span in it has a possible time");
    sort_spans();
    for (const ChipSpan& span : spans_)
      if (span.end - spans_.front().begin > most_ticks) return too_far_apart(file_, "line " + std::to_string(span.line));
    if (auto v = choose_run(); !v) return v.refusal();
    trace_.imported = "spans";
    trace_.model = "spans of a chip";
    std::int64_t const base = spans_.front().begin;
    for (const ChipSpan& span : spans_) {
      clusters_.insert(span.cluster);
      if (in_cycles(span.end - base) > most_dump_cycles) return too_far_apart(file_, "line " + std::to_string(span.line));
    }
    trace_.program = spans_.front().test;
    for (const ChipSpan& span : spans_) add(span, base);
    say_what_else(base);
    return std::move(trace_);
  }

 private:
  std::int64_t in_cycles(std::int64_t ticks) const { return ticks / std::max<std::int64_t>(options_.ticks_per_cycle, 1); }

  void sort_spans() {
    std::sort(spans_.begin(), spans_.end(),
              [](const ChipSpan& a, const ChipSpan& b) { return std::tie(a.begin, a.line) < std::tie(b.begin, b.line); });
  }

  Verdict choose_test() {
    std::set<std::string> tests;
    for (const ChipSpan& span : spans_) tests.insert(span.test);
    std::string names;
    std::size_t listed = 0;
    for (const std::string& name : tests)
      if (listed++ < 4) names += (listed > 1 ? ", " : "") + (name.empty() ? "one without a name" : printable(name, 30));
    if (listed > 4) names += ", ...";
    if (options_.test.empty() && tests.size() > 1)
      return refuse("import-several-tests")
          .what(printable(file_, 60), " has the spans of ", std::ssize(tests), " tests: ", names)
          .why("each is a program of its own; put together, their times are those of none")
          .help("choose one: tcp import FILE --test NAME");
    if (options_.test.empty()) return accept();
    if (!tests.contains(options_.test) && !spans_.empty())
      return refuse("import-no-such-test")
          .what(printable(file_, 60), " has no spans of a test '", printable(options_.test, 40), "', but of ", names)
          .why("a test is the first word after SPAN")
          .help("give one of these names to --test");
    left_by_test_ = std::ssize(spans_);
    std::erase_if(spans_, [this](const ChipSpan& span) { return span.test != options_.test; });
    left_by_test_ -= std::ssize(spans_);
    return accept();
  }

  Verdict choose_run() {
    runs_ = count_runs(spans_);
    if (options_.run > static_cast<std::int64_t>(runs_))
      return refuse("import-no-such-run")
          .what(printable(file_, 60), " has ", static_cast<std::int64_t>(runs_), runs_ == 1 ? " run" : " runs", ", and not ", options_.run)
          .why("runs are told apart by the chip standing still between them, and by having the same commands")
          .help("give --run a number from 1 to ", static_cast<std::int64_t>(runs_), ", or leave it out");
    if (runs_ == 1 || options_.run == DumpOptions::all_runs) return accept();
    if (options_.run == DumpOptions::median_of_runs) {
      spans_ = median_run(spans_, runs_);
    } else {
      auto const size = static_cast<std::ptrdiff_t>(spans_.size() / runs_);
      auto const first = spans_.begin() + (options_.run - 1) * size;
      spans_ = std::vector<ChipSpan>(first, first + size);
    }
    sort_spans();
    return accept();
  }
  std::string said_of_runs() const {
    std::string const all = std::to_string(runs_) + " of the same commands, ";
    if (options_.run == DumpOptions::all_runs) return all + "one after the other";
    if (options_.run == DumpOptions::median_of_runs)
      return all + "put together: each command begins and lasts as in the median of them (--run chooses one)";
    return all + "this is number " + std::to_string(options_.run);
  }

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
    trace_.makespan = std::max(trace_.makespan, c.end);
    trace_.commands.push_back(std::move(c));
  }
  void say_what_else(std::int64_t base) {
    auto const fact = [this](std::string name, std::string text) { trace_.facts.push_back({std::move(name), std::move(text), ""}); };
    auto const count = [](std::int64_t n, const char* what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); };
    fact("imported from", std::string(printable(file_)) + ": " + count(read_, "span") + " in ticks, " +
                              std::to_string(options_.ticks_per_cycle) + " per cycle");
    fact("the counter at the first span", std::to_string(base));
    if (other_ > 0) fact("skipped", count(other_, "line") + (other_ == 1 ? " that is no span" : " that are no spans"));
    if (broken_ > 0)
      fact("left out", count(broken_, "span") + " without a possible time, the first in line " + std::to_string(first_broken_));
    if (left_by_test_ > 0) fact("other tests", count(left_by_test_, "span") + " left out");
    if (runs_ > 1) fact("runs", said_of_runs());
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
  std::set<std::int64_t> clusters_;
  static constexpr std::int64_t most_ticks = std::int64_t{1} << 60;  // between spans of a file, so that sums fit
  std::int64_t read_ = 0, other_ = 0, broken_ = 0, with_line_ = 0, left_by_test_ = 0;
  std::size_t first_broken_ = 0, runs_ = 1;
};

}  // namespace

Expected<trace::Trace> read_chip_spans(std::string_view text, std::string_view file, const DumpOptions& options) {
  return SpanReader(file, options).read(text);
}

}  // namespace tcp::io
