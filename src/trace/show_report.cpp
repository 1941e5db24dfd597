// A report as people read it: one function a section. Sections without anything to say are left out.
#include <algorithm>

#include "tcp/trace/report.hpp"
#include "trace/texts.hpp"

namespace tcp::trace {

namespace {

class Page {
 public:
  Page(const Report& report, const Show& how) : r_(report), how_(how) {}

  std::string only_head() {
    head();
    return std::move(out_);
  }
  std::string all() {
    head();
    if (how_.what_if) {
      what_if();
      return std::move(out_);
    }
    bounds();
    path();
    units("Resources", r_.resources);
    units("Engines", r_.engines);
    usage();
    memories();
    findings();
    waits();
    gaps();
    lines();
    regions();
    assumptions();
    return std::move(out_);
  }

 private:
  void title(const std::string& words) {
    out_ += "\n";
    out_ += how_.colour ? "\033[1m" + words + "\033[0m\n" : words + "\n";
  }
  void table(const Table& t) { out_ += t.text(); }
  /// How many of a list are shown; the rest is counted below.
  std::size_t shown(std::size_t size) const { return std::min(size, how_.rows); }
  void rest(std::size_t size, const char* what) {
    if (size > how_.rows) out_ += "  ... and " + with_commas(static_cast<std::int64_t>(size - how_.rows)) + " more " + what + "\n";
  }
  std::string of_all(Cycles c) const { return percent(c.value, r_.makespan.value); }
  /// A cell of a table: 1,234, or with ticks 1,234 (2,468).
  std::string cycles(Cycles c) const { return with_commas(c.value) + (how_.ticks ? " (" + ticks(c) + ")" : ""); }
  /// In a sentence: 1,234 cycles, or with ticks 1,234 cycles (2,468 ticks).
  std::string in_cycles(Cycles c) const { return with_commas(c.value) + " cycles" + (how_.ticks ? " (" + ticks(c) + " ticks)" : ""); }
  std::string ticks(Cycles c) const { return with_commas(ticks_of(c, r_.ticks_per_cycle)); }
  std::string by_what() const { return how_.ticks ? "cycles, and ticks in brackets" : "cycles"; }
  /// What a column of cycles is called.
  std::string cycles_word() const { return how_.ticks ? "cycles (ticks)" : "cycles"; }
  std::string text_of(std::int32_t source) const { return source == none ? "" : r_.sources[static_cast<std::size_t>(source)].text; }
  std::string place(std::int32_t source) const { return place_of(r_.sources, source); }

  /// Traces of before version 4 do not say it.
  std::string order() const {
    if (r_.order_by == "program") return "; taken in program order";
    if (r_.order_by == "ready") return "; taken in the scheduler's order, as they become ready";
    if (r_.order_by == "shorter") return "; taken in the scheduler's order, which is shorter";
    return r_.order_by.empty() ? "" : "; taken by " + fit(r_.order_by, 40);
  }
  void head() {
    std::string const name = r_.program.empty() ? "kernel" : r_.program;
    std::string words = name + " on " + r_.chip + (r_.chips > 1 ? " x " + std::to_string(r_.chips) : "") + ", model " + r_.model + ": " +
                        in_cycles(r_.makespan);
    if (r_.core_mhz > 0) words += " (" + microseconds(r_.makespan) + " at " + with_commas(r_.core_mhz) + " MHz)";
    words = fit(words, page_width);
    out_ += how_.colour ? "\033[1m" + words + "\033[0m\n" : words + "\n";
    out_ += with_commas(r_.commands) + (r_.commands == 1 ? " command" : " commands");
    if (r_.imported.empty()) out_ += ", " + with_commas(r_.critical_commands) + " on the critical path" + order();
    out_ += "\n";
    if (r_.gained > Cycles{0}) out_ += "Reordering gained " + in_cycles(r_.gained) + " against program order.\n";
    for (const Part& b : r_.bounds)
      if (b.name == "any order")
        out_ += b.cycles >= r_.makespan ? "No order of these commands is shorter.\n"
                                        : "No order of these commands takes less than " + in_cycles(b.cycles) + ": the gap is " +
                                              of_all(r_.makespan - b.cycles) + ".\n";
    if (!r_.complete) out_ += "The run was interrupted: this is what was done until then.\n";
    host_transfers("upload");
    host_transfers("download");
    for (const Setting& f : r_.facts) out_ += wrapped(f.name + ": " + f.text, 2) + "\n";
  }
  /// Needs: core_mhz.
  std::string microseconds(Cycles c) const {
    auto const tenths = static_cast<std::int64_t>(static_cast<double>(c.value) * 10 / static_cast<double>(r_.core_mhz) + 0.5);
    return with_commas(tenths / 10) + "." + std::to_string(tenths % 10) + " us";
  }
  void host_transfers(const std::string& direction) {
    std::int64_t tensors = 0, bytes = 0;
    Cycles sum{};
    for (const HostTransfer& t : r_.host_transfers) {
      if (t.direction != direction) continue;
      ++tensors;
      bytes += t.bytes.value;
      sum += t.cycles;
    }
    if (tensors == 0) return;
    out_ += (direction == "upload" ? "Uploads" : "Downloads") + std::string(" before the kernel: ") + with_commas(tensors) +
            (tensors == 1 ? " tensor, " : " tensors, ") + in_bytes(bytes) + ", " + (r_.core_mhz > 0 ? microseconds(sum) : in_cycles(sum)) +
            " over PCIe, not counted.\n";
  }

  void bounds() {
    Table t({{"bound", false}, {cycles_word(), true}, {"of the makespan", true}});
    for (const Part& b : r_.bounds) t.row({b.name, cycles(b.cycles), of_all(b.cycles)});
    if (t.empty()) return;
    title("What no schedule of these commands can beat");
    table(t);
  }

  void path() {
    Table t({{"part", false}, {cycles_word(), true}, {"of the makespan", true}});
    for (const Part& p : r_.path)
      if (p.cycles > Cycles{0}) t.row({p.name, cycles(p.cycles), of_all(p.cycles)});
    if (t.empty()) return;
    title("Where the critical path goes");
    table(t);
  }

  void units(const char* heading, const std::vector<UnitUse>& all) {
    Table t({{"name", false}, {"busy", true}, {cycles_word(), true}, {"commands", true}});
    for (const UnitUse& u : all)
      if (u.commands > 0) t.row({u.name, of_all(u.busy), cycles(u.busy), with_commas(u.commands)});
    if (t.empty()) return;
    title(heading);
    table(t);
  }

  /// A line a group, then each unit with its share, unless they are all alike.
  void usage() {
    for (std::size_t begin = 0; begin < r_.usage.size();) {
      std::size_t end = begin;
      Cycles sum{}, least = r_.usage[begin].busy, most{};
      for (; end < r_.usage.size() && r_.usage[end].group == r_.usage[begin].group; ++end) {
        sum += r_.usage[end].busy;
        least = std::min(least, r_.usage[end].busy);
        most = std::max(most, r_.usage[end].busy);
      }
      auto const count = static_cast<std::int64_t>(end - begin);
      title(fit(r_.usage[begin].group, 40) + " (" + with_commas(count) + "): busy " + percent(sum.value / count, r_.makespan.value) +
            (least == most ? " each" : " on average, " + of_all(least) + " to " + of_all(most)));
      bool const alike = least == most;
      constexpr std::size_t a_line = 6, most_shown = 96;
      for (std::size_t i = begin; !alike && i < std::min(end, begin + most_shown); ++i) {
        std::string const name = fit(r_.usage[i].name, 6), share = of_all(r_.usage[i].busy);
        out_ += "  " + name + std::string(7 - std::min<std::size_t>(name.size(), 6), ' ') +
                std::string(7 - std::min<std::size_t>(share.size(), 7), ' ') + share;
        if ((i - begin) % a_line == a_line - 1 || i + 1 == std::min(end, begin + most_shown)) out_ += "\n";
      }
      begin = end;
    }
  }

  void memories() {
    Table t({{"memory", false}, {"used up to", true}, {"of", true}, {"share", true}});
    for (const MemoryUse& m : r_.memories)
      t.row({m.memory, in_bytes(m.highest.value), m.capacity.value > 0 ? in_bytes(m.capacity.value) : "-",
             percent(m.highest.value, m.capacity.value)});
    if (t.empty()) return;
    title(r_.imported.empty() ? "Memories (HBM of a chip, the others of a slice)" : "Memories (of the whole chip, as the file has them)");
    table(t);
  }

  void findings() {
    if (r_.commands == 0 || !r_.imported.empty()) return;
    title("Findings: what costs cycles, and what to write instead");
    if (r_.findings.empty()) out_ += "  none\n";
    for (std::size_t i = 0; i < shown(r_.findings.size()); ++i) {
      const Finding& f = r_.findings[i];
      std::string const number = "  " + std::to_string(i + 1) + ". ";
      std::string const cost = "saves " + in_cycles(f.gain) + ", " + of_all(f.gain);
      out_ += number + wrapped(f.rule + ", " + fit(place(f.source), 40) + ": " + cost, number.size()) + "\n";
      std::string const count = f.commands > 1 ? " (" + with_commas(f.commands) + " commands)" : "";
      out_ += "     " + wrapped(f.what + count, 5) + "\n     " + wrapped("help: " + f.help, 5) + "\n";
    }
    rest(r_.findings.size(), "findings");
    if (!r_.findings.empty()) out_ += "  tcp explain " + r_.findings.front().rule + " shows a kernel before and after.\n";
  }

  void what_if() {
    if (r_.what_if.of == 0) return;
    std::string const tried = r_.what_if.tried == r_.what_if.of
                                  ? with_commas(r_.what_if.of) + " were tried"
                                  : with_commas(r_.what_if.tried) + " of " + with_commas(r_.what_if.of) + " were tried, the likeliest";
    title("What if: waits, buffers, engines, stalls and findings, one at a time (" + tried + ")");
    if (r_.what_if.best.empty()) out_ += "  none would make the kernel shorter\n";
    for (std::size_t i = 0; i < r_.what_if.best.size(); ++i) {
      const Trial& t = r_.what_if.best[i];
      std::string const number = "  " + std::to_string(i + 1) + ". ";
      out_ +=
          number +
          wrapped(cycles(t.after) + " cycles instead of " + cycles(r_.makespan) + " (-" + of_all(t.gain) + "): " + t.kind + ", " + t.what,
                  number.size()) +
          "\n";
    }
  }

  void waits() {
    Table t({{cycles_word(), true}, {"times", true}, {"waiting", false}, {"because it", false}});
    for (std::size_t i = 0; i < shown(r_.waits.size()); ++i) {
      const Wait& w = r_.waits[i];
      t.row({cycles(w.cycles), with_commas(w.commands), fit(w.name + " " + place(w.source), 30), w.reason});
    }
    if (t.empty()) return;
    title("Longest waits: the queue was free, the command could not start");
    table(t);
    rest(r_.waits.size(), "reasons");
  }

  void gaps() {
    Table t({{cycles_word(), true}, {"from", true}, {"to", true}, {"idle", false}, {"until", false}});
    for (std::size_t i = 0; i < shown(r_.gaps.size()); ++i) {
      const Gap& g = r_.gaps[i];
      std::string const until = g.command == none ? g.reason : "#" + std::to_string(g.command) + " " + g.reason;
      t.row({cycles(g.end - g.begin), cycles(g.begin), cycles(g.end), fit(g.resource, 20), until});
    }
    if (t.empty()) return;
    title("Longest idle gaps");
    table(t);
  }

  /// Whether clusters were watched beside each other: each has its own queues.
  bool clusters_apart() const {
    return !r_.imported.empty() &&
           std::any_of(r_.resources.begin(), r_.resources.end(), [](const UnitUse& u) { return u.name.find(", cluster ") != u.name.npos; });
  }
  /// What was imported says nothing of a critical path.
  void lines() {
    bool const imported = !r_.imported.empty();
    std::vector<Table::Column> columns{{"busy", true}, {"waited", true}, {"commands", true}, {"line", false}, {"", false}};
    if (!imported) columns.insert(columns.begin(), Table::Column{"critical", true});
    Table t(std::move(columns));
    for (std::size_t i = 0; i < shown(r_.lines.size()); ++i) {
      const LineUse& l = r_.lines[i];
      std::vector<std::string> cells{cycles(l.busy), cycles(l.waited), with_commas(l.commands), fit(place(l.source), 30),
                                     text_of(l.source)};
      if (!imported) cells.insert(cells.begin(), cycles(l.critical));
      t.row(std::move(cells));
    }
    if (t.empty()) return;
    title("By source line (" + by_what() + (clusters_apart() ? ", of the slowest cluster" : "") + ")");
    table(t);
    rest(r_.lines.size(), "lines");
  }

  void regions() {
    if (!r_.imported.empty()) return;
    Table t({{"critical", true}, {"busy", true}, {"iterations", true}, {"commands", true}, {"region", false}});
    for (std::size_t i = 0; i < shown(r_.regions.size()); ++i) {
      const RegionUse& u = r_.regions[i];
      t.row({cycles(u.critical), cycles(u.busy), with_commas(u.iterations), with_commas(u.commands), u.name});
    }
    if (t.empty()) return;
    title("By region (" + by_what() + ")");
    table(t);
    rest(r_.regions.size(), "regions");
  }

  void assumptions() {
    if (!r_.imported.empty()) return;
    std::size_t const n = r_.assumptions.size();
    out_ += "\n" +
            wrapped("These cycles rest on " + with_commas(static_cast<std::int64_t>(n)) +
                        (n == 1 ? " unpublished number" : " unpublished numbers") +
                        (n == 0 || how_.all_assumptions ? "." : " (--assumptions lists them)."),
                    0) +
            "\n";
    if (!how_.all_assumptions || n == 0) return;
    Table t({{"number", false}, {"value", true}, {"where it comes from", false}});
    for (const Assumption& a : r_.assumptions) t.row({fit(a.name, 40), fit(a.value, 20), a.source});
    table(t);
  }

  const Report& r_;
  const Show& how_;
  std::string out_;
};

}  // namespace

std::string show_head(const Report& report, const Show& how) { return Page(report, how).only_head(); }
std::string show(const Report& report, const Show& how) { return Page(report, how).all(); }

}  // namespace tcp::trace
