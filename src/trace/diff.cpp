// Matches the commands of two traces line by line, sums up what changed, and says whether the kernel became slower.
#include "tcp/trace/diff.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "trace/table.hpp"
#include "trace/words.hpp"

namespace tcp::trace {

namespace {

/// What a line is, wherever it stands: its text, or its number where the text is not known.
std::string identity_of(const Trace& trace, std::int32_t source) {
  if (source == none) return "";
  const Source& s = trace.sources[static_cast<std::size_t>(source)];
  std::size_t const slash = s.file.rfind('/');
  std::string const file = s.file.substr(slash == s.file.npos ? 0 : slash + 1);
  return file + '\n' + (s.text.empty() ? std::to_string(s.line) : s.text);
}

struct Line {
  LineChange change;
  std::map<std::string, std::pair<std::vector<const Command*>, std::vector<const Command*>>> by_name;
};

void add(const Trace& trace, bool later, std::map<std::string, Line>& lines) {
  for (const Command& c : trace.commands) {
    Line& line = lines[identity_of(trace, c.source)];
    if (later || line.change.at.empty()) {
      line.change.at = place_of(trace.sources, c.source);
      line.change.text = c.source == none ? "" : trace.sources[static_cast<std::size_t>(c.source)].text;
    }
    auto& pair = line.by_name[c.name];
    (later ? pair.second : pair.first).push_back(&c);
    (later ? line.change.busy_after : line.change.busy_before) += c.length();
    if (c.critical) (later ? line.change.critical_after : line.change.critical_before) += c.length();
  }
}

void match(Line& line) {
  for (const auto& [name, pair] : line.by_name) {
    auto const& [before, after] = pair;
    std::size_t const both = std::min(before.size(), after.size());
    for (std::size_t i = 0; i < both; ++i) {
      if (before[i]->length() != after[i]->length()) ++line.change.changed;
      else if (before[i]->start != after[i]->start) ++line.change.moved;
    }
    line.change.vanished += static_cast<std::int64_t>(before.size() - both);
    line.change.appeared += static_cast<std::int64_t>(after.size() - both);
  }
}

std::int64_t size_of(Cycles before, Cycles after) { return std::abs((after - before).value); }

/// The critical path first: it is what the makespan is made of.
bool larger(const LineChange& a, const LineChange& b) {
  std::pair const of_a(size_of(a.critical_before, a.critical_after), size_of(a.busy_before, a.busy_after));
  std::pair const of_b(size_of(b.critical_before, b.critical_after), size_of(b.busy_before, b.busy_after));
  return of_a != of_b ? of_a > of_b : std::tie(a.at, a.text) < std::tie(b.at, b.text);
}

std::vector<LineChange> lines_of(const Trace& before, const Trace& after) {
  std::map<std::string, Line> lines;
  add(before, false, lines);
  add(after, true, lines);
  std::vector<LineChange> all;
  for (auto& [identity, line] : lines) {
    match(line);
    const LineChange& c = line.change;
    if (c.appeared + c.vanished + c.changed + c.moved > 0 || c.critical_before != c.critical_after) all.push_back(c);
  }
  std::sort(all.begin(), all.end(), larger);
  return all;
}

std::vector<ResourceChange> resources_of(const Trace& before, const Trace& after) {
  std::map<std::string, ResourceChange> by_name;
  for (const Trace* t : {&before, &after})
    for (const Command& c : t->commands)
      for (std::int32_t r : c.resources) {
        ResourceChange& change = by_name[t->resources[static_cast<std::size_t>(r)]];
        ++(t == &after ? change.commands_after : change.commands_before);
        (t == &after ? change.busy_after : change.busy_before) += c.length();
      }
  std::vector<ResourceChange> all;
  for (auto& [name, change] : by_name) {
    change.name = name;
    all.push_back(change);
  }
  return all;
}

std::vector<std::string> remarks_of(const Trace& before, const Trace& after) {
  std::vector<std::string> all;
  auto const other = [&all](const char* what, const std::string& a, const std::string& b) {
    if (a != b) all.push_back(std::string("another ") + what + ": " + a + ", then " + b);
  };
  other("kernel", before.program, after.program);
  other("chip", before.chip, after.chip);
  other("number of chips", std::to_string(before.chips), std::to_string(after.chips));
  other("timing model", before.model, after.model);
  if (!before.complete) all.push_back("the first run was interrupted");
  if (!after.complete) all.push_back("the second run was interrupted");
  return all;
}

std::string with_sign(std::int64_t n) { return (n > 0 ? "+" : "") + with_commas(n); }

std::string verdict_of(const Diff& d) {
  std::int64_t const delta = (d.after - d.before).value;
  std::string const numbers = with_commas(d.before.value) + " -> " + with_commas(d.after.value) + " cycles";
  if (delta == 0 && d.lines.empty()) return "nothing changed: " + with_commas(d.after.value) + " cycles";
  if (delta == 0) return "as long as before, in another way: " + numbers;
  std::string words = std::string(delta > 0 ? "slower by " : "faster by ") + percent(std::abs(delta), d.before.value) + ": " + numbers +
                      " (" + with_sign(delta) + ")";
  for (const LineChange& l : d.lines) {  // sorted: the first that goes the same way explains most
    std::int64_t const own = (l.critical_after - l.critical_before).value;
    if (own == 0 || (own > 0) != (delta > 0)) continue;
    return words + ", most of it at " + l.at + " (" + with_sign(own) + ")";
  }
  return words;
}

}  // namespace

Diff compare(const Trace& before, const Trace& after) {
  Diff d;
  d.remarks = remarks_of(before, after);
  d.same_program = before.hash == after.hash;
  d.before = before.makespan;
  d.after = after.makespan;
  d.lines = lines_of(before, after);
  d.resources = resources_of(before, after);
  d.verdict = verdict_of(d);
  return d;
}

std::int64_t slowdown(const Diff& diff) {
  if (diff.after == diff.before) return 0;
  double const before = std::max(1.0, static_cast<double>(diff.before.value));
  return static_cast<std::int64_t>(std::ceil(static_cast<double>((diff.after - diff.before).value) * 10000.0 / before));
}

std::string show(const Diff& diff, std::size_t rows, bool colour) {
  std::string const mark = !colour ? "" : diff.after > diff.before ? "\033[1;31m" : diff.after < diff.before ? "\033[1;32m" : "\033[1m";
  std::string out = mark + wrapped(diff.verdict, 0) + (colour ? "\033[0m\n" : "\n");
  for (const std::string& remark : diff.remarks) out += "note: " + wrapped(remark, 6) + "\n";
  if (diff.same_program) out += "The chip is given the same program in both.\n";

  Table resources({{"resource", false}, {"busy before", true}, {"after", true}, {"", true}, {"commands before", true}, {"after", true}});
  for (const ResourceChange& r : diff.resources)
    resources.row({fit(r.name, 20), with_commas(r.busy_before.value), with_commas(r.busy_after.value),
                   with_sign((r.busy_after - r.busy_before).value), with_commas(r.commands_before), with_commas(r.commands_after)});
  if (!resources.empty()) out += "\nBy resource (cycles)\n" + resources.text();

  Table lines({{"critical", true},
               {"busy", true},
               {"new", true},
               {"gone", true},
               {"changed", true},
               {"moved", true},
               {"line", false},
               {"", false}});
  for (std::size_t i = 0; i < std::min(rows, diff.lines.size()); ++i) {
    const LineChange& l = diff.lines[i];
    lines.row({with_sign((l.critical_after - l.critical_before).value), with_sign((l.busy_after - l.busy_before).value),
               with_commas(l.appeared), with_commas(l.vanished), with_commas(l.changed), with_commas(l.moved), fit(l.at, 24), l.text});
  }
  if (lines.empty()) return out;
  out += "\nBy source line (cycles more or less; commands that are new, gone, of another length, or moved)\n" + lines.text();
  if (diff.lines.size() > rows) out += "  ... and " + with_commas(static_cast<std::int64_t>(diff.lines.size() - rows)) + " more lines\n";
  return out;
}

}  // namespace tcp::trace
