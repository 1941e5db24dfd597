// Adds up the commands of each line.
#include "line_costs.hpp"

namespace tcp::tool {
namespace {

void count_causes(const trace::Command& c, std::map<std::string, Cycles>& spent) {
  spent["start-up"] += c.startup;
  std::string const pace = trace::pace_engine(c);
  spent[pace.empty() ? "streaming" : pace] += c.streaming;
  for (const trace::Part& stall : c.stalls)
    spent[stall.name == "engine" && !pace.empty() ? pace : trace::stall_name(stall.name)] += stall.cycles;
}

}  // namespace

LineCosts line_costs(const trace::Trace& trace, const trace::Report& report) {
  LineCosts lines;
  auto const line_at = [&](std::int32_t source) -> LineCost* {
    if (source == trace::none) return nullptr;
    const trace::Source& s = trace.sources[static_cast<std::size_t>(source)];
    LineCost& line = lines[{s.file, s.line}];
    line.file = s.file;
    line.number = s.line;
    return &line;
  };
  for (const trace::LineUse& use : report.lines)
    if (LineCost* const line = line_at(use.source)) {
      line->commands += use.commands;
      line->cycles += use.critical;
      line->busy += use.busy;
      line->waited += use.waited;
    }
  for (const trace::Command& c : trace.commands)
    if (LineCost* const line = line_at(c.source)) count_causes(c, line->spent);
  for (const trace::Wait& wait : report.waits)
    if (LineCost* const line = line_at(wait.source); line != nullptr && wait.cycles > line->reason_cycles) {
      line->reason = wait.reason;
      line->reason_cycles = wait.cycles;
    }
  for (const trace::Finding& finding : report.findings)
    if (LineCost* const line = line_at(finding.source)) line->findings.push_back(&finding);
  return lines;
}

std::string with_commas(std::int64_t n) {
  std::string digits = std::to_string(n < 0 ? -n : n);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return (n < 0 ? "-" : "") + digits;
}

namespace {

/// Tenths of a percent: "37.4 %".
std::string share(Cycles part, Cycles whole) {
  std::int64_t const tenths = whole.value == 0 ? 0 : (part.value * 1000 + whole.value / 2) / whole.value;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

}  // namespace

std::string label(const LineCost& line, Cycles makespan) {
  std::string text = with_commas(line.cycles.value) + " cycles, " + share(line.cycles, makespan);
  if (auto const [cause, cycles] = line.bottleneck(); !cause.empty()) text += "; " + cause;
  if (line.cycles == Cycles{0} && line.busy > Cycles{0}) text = with_commas(line.busy.value) + " cycles beside others";
  if (!line.findings.empty()) text += "; " + line.findings.front()->rule;
  return text;
}

}  // namespace tcp::tool
