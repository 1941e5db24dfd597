// `tcp lens`: what each line of a source costs, for the margin of an editor.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <set>

#include "command.hpp"
#include "line_costs.hpp"
#include "options.hpp"
#include "read_text.hpp"
#include "tcp/trace/report.hpp"
#include "trace_file.hpp"
#include "write_file.hpp"

namespace tcp::tool {
namespace {

using Json = nlohmann::ordered_json;

struct LensOptions {
  TraceChoice trace;
  std::string file;
  bool json = false;
};

/// Whether two names mean one file: traces have them as the compiler was given them, editors as they are on the disk.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code failed;
  if (a == b || std::filesystem::equivalent(a, b, failed)) return true;
  auto const path_a = std::filesystem::path(a).lexically_normal(), path_b = std::filesystem::path(b).lexically_normal();
  std::vector<std::filesystem::path> const parts_a(path_a.begin(), path_a.end()), parts_b(path_b.begin(), path_b.end());
  std::size_t const common = std::min(parts_a.size(), parts_b.size());
  return common > 0 && std::equal(parts_a.rbegin(), parts_a.rbegin() + static_cast<std::ptrdiff_t>(common), parts_b.rbegin());
}

Json json_of(const LineCost& line, Cycles makespan) {
  Json out{{"line", line.number},
           {"label", label(line, makespan)},
           {"commands", line.commands},
           {"cycles", line.cycles.value},
           {"share", makespan.value == 0 ? 0.0 : static_cast<double>(line.cycles.value) / static_cast<double>(makespan.value)},
           {"busy", line.busy.value},
           {"waited", line.waited.value}};
  auto const [cause, cycles] = line.bottleneck();
  out["bottleneck"] = cause.empty() ? Json(nullptr) : Json{{"name", cause}, {"cycles", cycles.value}};
  out["wait"] = line.reason.empty() ? Json(nullptr) : Json{{"reason", line.reason}, {"cycles", line.reason_cycles.value}};
  out["findings"] = Json::array();
  for (const trace::Finding* f : line.findings)
    out["findings"].push_back({{"rule", f->rule}, {"gain", f->gain.value}, {"what", f->what}, {"help", f->help}});
  return out;
}

void show_json(const trace::Trace& trace, const LineCosts& lines, std::ostream& out) {
  Json files = Json::array();
  for (auto const& [place, line] : lines) {
    if (files.empty() || files.back()["file"] != line.file) files.push_back({{"file", line.file}, {"lines", Json::array()}});
    files.back()["lines"].push_back(json_of(line, trace.makespan));
  }
  out << json_text(
      {{"program", trace.program}, {"chip", trace.chip}, {"model", trace.model}, {"makespan", trace.makespan.value}, {"files", files}});
}

void show_text(const trace::Trace& trace, const LineCosts& lines, std::ostream& out) {
  out << trace.program << " on " << trace.chip << ", model " << trace.model << ": " << with_commas(trace.makespan.value) << " cycles\n";
  for (auto const& [place, line] : lines) {
    out << line.file << ':' << line.number << ": " << label(line, trace.makespan) << '\n';
    if (line.reason_cycles > Cycles{0}) out << "  waited " << with_commas(line.reason_cycles.value) << " cycles: " << line.reason << '\n';
    for (const trace::Finding* f : line.findings) out << "  " << f->what << "; help: " << f->help << '\n';
  }
}

Refusal no_line_of(const std::string& file, const LineCosts& lines) {
  std::set<std::string> files;
  for (auto const& [place, line] : lines) files.insert(line.file);
  Refusal r = refuse("tool-lens-no-line");
  r.what("no command of the trace comes from ", plain(file)).why("a trace has the lines that gave the chip something to do");
  if (files.empty()) return r.help("compile the kernel with its source at hand, and trace it again");
  r.help("it has lines of ", plain(std::filesystem::path(*files.begin()).filename().string()));
  return files.size() == 1 ? r : r.help(" and ", files.size() - 1, " more; leave --file out to see them all");
}

Verdict lens(const LensOptions& options, Terminal& terminal) {
  if (options.trace.kernel.list) return list_kernels(options.trace.kernel, terminal);
  auto const trace = read_trace(options.trace, terminal);
  if (!trace) return trace.refusal();
  trace::Report const report = trace::make_report(*trace);
  LineCosts all = line_costs(*trace, report), asked;
  for (auto const& [place, line] : all)
    if (options.file.empty() || same_file(line.file, options.file)) asked.emplace(place, line);
  if (asked.empty()) return no_line_of(options.file, all);
  if (options.json) show_json(*trace, asked, terminal.out);
  else show_text(*trace, asked, terminal.out);
  return accept();
}

}  // namespace

Action declare_lens(CLI::App& command) {
  auto const options = std::make_shared<LensOptions>();
  command
      .add_option("TRACE", options->trace.kernel.path,
                  "a trace file (TCP_TRACE=FILE writes one); or a kernel, which is planned: *.tcp, *.rs, a crate,\nan executable, what tcp "
                  "compile wrote")
      ->type_name("")
      ->required()
      ->check(file_name());
  add_trace_options(command, options->trace);
  command.add_option("--file", options->file, "lines of this source only; default: of all")->type_name("FILE")->check(file_name());
  command.add_flag("--json", options->json, "answer in JSON; docs/editor.md describes it");
  command.footer(
      "Cycles are those on the critical path, with their share of the whole kernel; then what delays the line.\n"
      "Examples:\n"
      "  tcp lens gemm.json --file main.cpp\n"
      "  tcp lens gemm.json --json\n"
      "  tcp lens gemm.tcp --chip rngd_s --set hbm.clock=1500\n"
      "Exit codes: 0 done, 1 error, 2 wrong usage; see tcp --help.");
  return [options](Terminal& terminal) { return lens(*options, terminal); };
}

}  // namespace tcp::tool
