// Sums up what became of the commands of two traces, and says whether the kernel became slower.
#include "tcp/trace/diff.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "tcp/trace/join.hpp"
#include "trace/texts.hpp"

namespace tcp::trace {

namespace {

/// What happened to the commands of a group: the k-th of one trace is the k-th of the other.
void count(const Trace& before, const Trace& after, const JoinedCommands& g, LineChange& line) {
  auto const command = [](const Trace& t, std::int32_t c) -> const Command& { return t.commands[static_cast<std::size_t>(c)]; };
  std::size_t const both = std::min(g.before.size(), g.after.size());
  for (std::size_t i = 0; i < both; ++i) {
    const Command &was = command(before, g.before[i]), &is = command(after, g.after[i]);
    if (was.length() != is.length()) ++line.changed;
    else if (was.start != is.start) ++line.moved;
  }
  line.vanished += static_cast<std::int64_t>(g.before.size() - both);
  line.appeared += static_cast<std::int64_t>(g.after.size() - both);
  for (std::int32_t c : g.before) {
    line.busy_before += command(before, c).length();
    if (command(before, c).critical) line.critical_before += command(before, c).length();
  }
  for (std::int32_t c : g.after) {
    line.busy_after += command(after, c).length();
    if (command(after, c).critical) line.critical_after += command(after, c).length();
  }
  if (line.at.empty() || !g.after.empty()) {
    line.at = g.at;
    line.text = g.text;
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
  std::map<std::string, LineChange> lines;
  for (const JoinedCommands& g : join(before, after)) count(before, after, g, lines[g.line]);
  std::vector<LineChange> all;
  for (auto& [identity, c] : lines)
    if (c.appeared + c.vanished + c.changed + c.moved > 0 || c.critical_before != c.critical_after) all.push_back(std::move(c));
  std::sort(all.begin(), all.end(), larger);
  return all;
}

/// Commands themselves, where a trace was imported: the largest difference first, then what has no partner.
std::vector<CommandChange> commands_of(const Trace& before, const Trace& after) {
  std::vector<CommandChange> all;
  for (const JoinedCommands& g : join(before, after))
    all.push_back(
        {g.name, g.at, g.text, count_of(before, g.before), count_of(after, g.after), busy_of(before, g.before), busy_of(after, g.after)});
  auto const rank = [](const CommandChange& c) {
    return std::make_tuple(!c.has_partner(), -size_of(c.busy_before, c.busy_after), std::cref(c.at), std::cref(c.name));
  };
  std::sort(all.begin(), all.end(), [&rank](const CommandChange& a, const CommandChange& b) { return rank(a) < rank(b); });
  return all;
}

/// Spans say of a command which context it was in, and of nothing else what it held: the Vector Engine, say.
bool tells(const Trace& trace, const std::vector<std::int32_t>& commands) { return trace.imported != "spans" || !commands.empty(); }

/// Clusters that were watched beside each other have queues of their own; here they are one.
std::vector<ResourceChange> resources_of(const Trace& before, const Trace& after) {
  using Commands = std::vector<std::int32_t>;
  std::map<std::string, std::pair<Commands, Commands>> by_name;
  for (const Trace* t : {&before, &after})
    for (std::size_t c = 0; c < t->commands.size(); ++c)
      for (std::int32_t r : t->commands[c].resources) {
        const std::string& name = t->resources[static_cast<std::size_t>(r)];
        auto& both = by_name[name.substr(0, name.find(", cluster "))];
        (t == &after ? both.second : both.first).push_back(static_cast<std::int32_t>(c));
      }
  bool const imported = !before.imported.empty() || !after.imported.empty();
  auto const busy = [imported](const Trace& t, const Commands& all) {
    if (imported) return busy_of(t, all);
    Cycles sum{};
    for (std::int32_t c : all) sum += t.commands[static_cast<std::size_t>(c)].length();
    return sum;
  };
  std::vector<ResourceChange> all;
  for (const auto& [name, both] : by_name)
    if (tells(before, both.first) && tells(after, both.second))
      all.push_back({name, count_of(before, both.first), count_of(after, both.second), busy(before, both.first), busy(after, both.second)});
  return all;
}

std::vector<std::string> remarks_of(const Trace& before, const Trace& after) {
  std::vector<std::string> all;
  auto const other = [&all](const char* what, const std::string& a, const std::string& b) {
    if (a != b) all.push_back(std::string("another ") + what + ": " + a + ", then " + b);
  };
  bool const imported = !before.imported.empty() || !after.imported.empty();
  for (const Trace* t : {&before, &after})
    if (t->imported == "spans" && t->sources.empty() && (before.imported.empty() || after.imported.empty()))
      all.push_back("spans have no source lines, and none of them has a partner: tcp import --schedule gives them those of a dump");
  if (imported) return all;
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

/// "1.23", or "-" of nothing.
std::string ratio(Cycles part, Cycles whole) {
  if (whole == Cycles{0}) return "-";
  auto const hundredths = static_cast<std::int64_t>(static_cast<double>(part.value) * 100 / static_cast<double>(whole.value) + 0.5);
  return with_commas(hundredths / 100) + "." + std::to_string(100 + hundredths % 100).substr(1);
}

/// What the times of a trace are.
std::string name_of(const Trace& t) {
  if (t.imported == "schedule") return "plan";
  if (t.imported == "spans") return "chip";
  return t.imported.empty() ? t.model : t.imported;
}

std::string verdict_of(const Diff& d) {
  std::int64_t const delta = (d.after - d.before).value;
  if (!d.commands.empty()) {
    auto const partners = std::count_if(d.commands.begin(), d.commands.end(), [](const CommandChange& c) { return c.has_partner(); });
    return d.name_after + " takes " + ratio(d.after, d.before) + " times as long as " + d.name_before + ": " + with_commas(d.after.value) +
           " against " + with_commas(d.before.value) + " cycles; " + with_commas(partners) + " of " + with_commas(std::ssize(d.commands)) +
           " calls have a partner";
  }
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
  d.same_program = before.hash == after.hash && !before.hash.empty();
  d.before = before.makespan;
  d.after = after.makespan;
  d.ticks_per_cycle = ticks_of_both(before, after);
  d.name_before = name_of(before);
  d.name_after = name_of(after);
  bool const imported = !before.imported.empty() || !after.imported.empty();
  if (imported) d.commands = commands_of(before, after);
  else d.lines = lines_of(before, after);
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
    commands();
    alone();
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

  /// Commands that both have, and what they sum up to.
  void commands() {
    Table t({{fit(d_.name_before, 12), true},
             {fit(d_.name_after, 12), true},
             {"ratio", true},
             {"commands", true},
             {"", false},
             {"call", false},
             {"", false}});
    Cycles before{}, after{};
    std::size_t joined = 0;
    for (const CommandChange& c : d_.commands) {
      if (!c.has_partner()) continue;
      before += c.busy_before;
      after += c.busy_after;
      if (++joined > how_.rows) continue;
      std::string const count = c.commands_before == c.commands_after
                                    ? with_commas(c.commands_after)
                                    : with_commas(c.commands_before) + ", " + with_commas(c.commands_after);
      t.row(
          {cycles(c.busy_before), cycles(c.busy_after), ratio(c.busy_after, c.busy_before), count, fit(c.name, 12), fit(c.at, 24), c.text});
    }
    if (joined == 0) return;
    t.row({cycles(before), cycles(after), ratio(after, before), "", "all", "", ""});
    out_ += std::string("\nBy call, the largest difference first (cycles") + and_ticks() + ")\n" + t.text();
    if (joined > how_.rows)
      out_ += "  ... and " + with_commas(static_cast<std::int64_t>(joined - how_.rows)) + " more, which are in the sum\n";
  }

  void alone() {
    Table t({{"only in", false}, {"cycles", true}, {"commands", true}, {"", false}, {"call", false}, {"", false}});
    std::size_t count = 0;
    for (const CommandChange& c : d_.commands) {
      if (c.has_partner() || ++count > how_.rows) continue;
      bool const later = c.commands_before == 0;
      t.row({fit(later ? d_.name_after : d_.name_before, 12), cycles(later ? c.busy_after : c.busy_before),
             with_commas(later ? c.commands_after : c.commands_before), fit(c.name, 24), fit(c.at, 24), c.text});
    }
    if (count == 0) return;
    out_ += "\nWithout a partner\n" + t.text();
    if (count > how_.rows) out_ += "  ... and " + with_commas(static_cast<std::int64_t>(count - how_.rows)) + " more\n";
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
                        "; commands that are new, gone, changed in duration, or moved)",
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
