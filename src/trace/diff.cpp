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

/// Traces of before version 4 do not say.
std::int64_t ticks_of_both(const Trace& before, const Trace& after) {
  std::int64_t const first = before.ticks_per_cycle, second = after.ticks_per_cycle;
  if (first == 0 || second == 0) return first + second;
  return first == second ? first : 0;
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
  d.ticks_per_cycle = ticks_of_both(before, after);
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

namespace {

class DiffPage {
 public:
  DiffPage(const Diff& diff, const ShowDiff& how) : d_(diff), how_(how) {}

  std::string all() {
    head();
    resources();
    lines();
    return std::move(out_);
  }

 private:
  std::string ticks(std::int64_t cycles) const { return with_commas(ticks_of(Cycles{cycles}, d_.ticks_per_cycle)); }
  std::string cycles(Cycles c) const { return with_commas(c.value) + (how_.ticks ? " (" + ticks(c.value) + ")" : ""); }
  std::string change(Cycles before, Cycles after) const {
    std::int64_t const n = (after - before).value;
    return with_sign(n) + (how_.ticks ? " (" + std::string(n > 0 ? "+" : "") + ticks(n) + ")" : "");
  }
  const char* and_ticks() const { return how_.ticks ? ", and ticks in brackets" : ""; }

  void head() {
    std::string const mark = !how_.colour ? "" : d_.after > d_.before ? "\033[1;31m" : d_.after < d_.before ? "\033[1;32m" : "\033[1m";
    out_ += mark + wrapped(d_.verdict, 0) + (how_.colour ? "\033[0m\n" : "\n");
    if (how_.ticks) out_ += "In ticks: " + ticks(d_.before.value) + " -> " + ticks(d_.after.value) + "\n";
    for (const std::string& remark : d_.remarks) out_ += "note: " + wrapped(remark, 6) + "\n";
    if (d_.same_program) out_ += "The chip is given the same program in both.\n";
  }

  void resources() {
    Table t({{"resource", false}, {"busy before", true}, {"after", true}, {"", true}, {"commands before", true}, {"after", true}});
    for (const ResourceChange& r : d_.resources)
      t.row({fit(r.name, 20), cycles(r.busy_before), cycles(r.busy_after), change(r.busy_before, r.busy_after),
             with_commas(r.commands_before), with_commas(r.commands_after)});
    if (!t.empty()) out_ += std::string("\nBy resource (cycles") + and_ticks() + ")\n" + t.text();
  }

  void lines() {
    Table t({{"critical", true},
             {"busy", true},
             {"new", true},
             {"gone", true},
             {"changed", true},
             {"moved", true},
             {"line", false},
             {"", false}});
    for (std::size_t i = 0; i < std::min(how_.rows, d_.lines.size()); ++i) {
      const LineChange& l = d_.lines[i];
      t.row({change(l.critical_before, l.critical_after), change(l.busy_before, l.busy_after), with_commas(l.appeared),
             with_commas(l.vanished), with_commas(l.changed), with_commas(l.moved), fit(l.at, 24), l.text});
    }
    if (t.empty()) return;
    out_ += "\n" +
            wrapped(std::string("By source line (cycles more or less") + and_ticks() +
                        "; commands that are new, gone, of another length, or moved)",
                    0) +
            "\n" + t.text();
    if (d_.lines.size() > how_.rows)
      out_ += "  ... and " + with_commas(static_cast<std::int64_t>(d_.lines.size() - how_.rows)) + " more lines\n";
  }

  const Diff& d_;
  const ShowDiff& how_;
  std::string out_;
};

}  // namespace

std::string show(const Diff& diff, const ShowDiff& how) { return DiffPage(diff, how).all(); }

}  // namespace tcp::trace
