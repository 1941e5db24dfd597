// Reads the programs and figures of tests/timing/points, and holds our models against them.
#include "points.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

#include "lower_module.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/sched/calibrated.hpp"
#include "tcp/sched/fit.hpp"
#include "tcp/sched/schedule.hpp"
#include "tcp/support/render.hpp"

namespace tcp::accuracy {

namespace {

const std::string folder = TCP_SOURCE_DIR "/tests/timing/points/";

/// The texts of all programs, by their names.
const std::map<std::string, std::string>& texts() {
  static const std::map<std::string, std::string> made = [] {
    std::map<std::string, std::string> all;
    for (const char* file : {"attention", "commands", "feed_forward", "kernels", "loads", "projections"}) {
      std::ifstream in(folder + file + ".tcp");
      std::string name;
      constexpr std::string_view head = "// program ";
      for (std::string line; std::getline(in, line);)
        if (line.starts_with(head)) name = line.substr(head.size());
        else if (!name.empty()) all[name] += line + "\n";
    }
    return all;
  }();
  return made;
}

const program::Program& program_of(const std::string& name) {
  static std::map<std::string, program::Program> made;
  if (auto const found = made.find(name); found != made.end()) return found->second;
  auto const module = ir::parse(texts().at(name), name.c_str());
  if (!module) throw std::runtime_error(render(module.refusal()));
  auto program = build::lower_module(*module, rngd);
  if (!program) throw std::runtime_error(render(program.refusal()));
  return made[name] = *std::move(program);
}

std::vector<std::string> cells(const std::string& line) {
  constexpr std::string_view between = " | ";
  std::vector<std::string> all;
  for (std::size_t at = 0; at <= line.size();) {
    std::size_t const end = std::min(line.find(between, at), line.size());
    all.push_back(line.substr(at, end - at));
    at = end + between.size();
  }
  return all;
}

template <class Visit>
void each_line(const char* kind, const Visit& visit) {
  std::ifstream in(folder + "points.txt");
  for (std::string line; std::getline(in, line);)
    if (auto const row = cells(line); !row.empty() && row[0] == kind) visit(row);
}

sched::CalibratedDuration model_of(Seen seen, const Device& device) {
  return sched::CalibratedDuration(device, seen == Seen::Plan ? sched::Figures::Planned : sched::Figures::Seen);
}

/// The length of a program.
double makespan(const std::string& program, Seen seen, const Device& device) {
  auto const model = model_of(seen, device);
  double length = static_cast<double>(sched::schedule(program_of(program), device, model).value().makespan.value);
  if (seen == Seen::Chip) length -= static_cast<double>((model.prologue() + model.synchronisation()).value);
  return length;
}
double of_last_command(const std::string& program, Seen seen, const Device& device) {
  const auto& commands = program_of(program).commands;
  return static_cast<double>(model_of(seen, device).cost(commands.back(), commands.size() - 1).value().total().value);
}

}  // namespace

std::optional<double> Point::figure(Seen seen) const {
  auto const found = figures.find(seen);
  if (found == figures.end()) return {};
  std::vector<double> sorted = found->second;
  std::sort(sorted.begin(), sorted.end());
  std::size_t const half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

const std::vector<Point>& points() {
  static const std::vector<Point> made = [] {
    std::vector<Point> all;
    each_line("row", [&all](const std::vector<std::string>& row) {
      bool const whole = row.at(3) == "makespan";
      auto const same = [&](const Point& p) { return p.program == row.at(2) && p.makespan == whole; };
      auto found = std::find_if(all.begin(), all.end(), same);
      if (found == all.end()) found = all.insert(all.end(), {row.at(1), row.at(2), row.at(6), whole, {}});
      for (Seen seen : {Seen::Plan, Seen::Chip})
        if (const std::string& figure = row.at(seen == Seen::Plan ? 4 : 5); figure != "-")
          found->figures[seen].push_back(std::stod(figure));
    });
    return all;
  }();
  return made;
}

const std::vector<Change>& changes() {
  static const std::vector<Change> made = [] {
    std::vector<Change> all;
    auto const seen = [](const std::string& who) { return who == "plan" ? Seen::Plan : Seen::Chip; };
    each_line("change", [&](const std::vector<std::string>& row) {
      std::size_t const to = row.at(2).find(" > ");
      all.push_back({row.at(1), row.at(2).substr(0, to), row.at(2).substr(to + 3), row.at(5), true, seen(row.at(3)), std::stod(row.at(4))});
    });
    each_line("pair", [&](const std::vector<std::string>& row) {
      std::string const name = "pair-" + row.at(2);
      all.push_back({row.at(1), name + "-a", name + "-b", row.at(5), false, seen(row.at(3)), std::stod(row.at(4))});
    });
    return all;
  }();
  return made;
}

double ours(const Point& point, Seen seen, const Device& device) {
  return point.makespan ? makespan(point.program, seen, device) : of_last_command(point.program, seen, device);
}
std::pair<double, double> ours(const Change& c, const Device& device) {
  auto const length = c.command ? of_last_command : makespan;
  return {length(c.before, c.seen, device), length(c.after, c.seen, device)};
}

bool agrees(const Change& change, const Device& device) {
  auto const [before, after] = ours(change, device);
  double const by = after - before;
  if (std::abs(change.cycles) < 0.01 * before) return std::abs(by) < 0.02 * before;
  return by * change.cycles > 0;
}

double mean_error(Seen seen, const Device& device) {
  double sum = 0;
  int count = 0;
  for (const Point& p : points())
    if (auto const theirs = p.figure(seen)) {
      sum += std::abs(std::log(ours(p, seen, device) / *theirs));
      ++count;
    }
  return sum / count;
}

double mean_error_without_mechanism(Seen seen, const Device& device) {
  auto const figures = seen == Seen::Plan ? sched::Figures::Planned : sched::Figures::Seen;
  std::set<std::string> mechanisms;
  for (const Point& p : points())
    if (p.figure(seen)) mechanisms.insert(p.mechanism);
  double sum = 0;
  int count = 0;
  for (const std::string& left_out : mechanisms) {
    std::vector<sched::MeasuredCall> calls;
    for (const Point& p : points()) {
      if (p.mechanism == left_out || p.makespan || !p.figure(seen)) continue;
      calls.push_back({p.program, "", {&program_of(p.program).commands.back()}, Cycles{std::llround(*p.figure(seen))}});
    }
    Device const fitted = sched::fit(calls, device, figures).value().device;
    for (const Point& p : points())
      if (auto const theirs = p.figure(seen); theirs && p.mechanism == left_out) {
        double const off = std::log(ours(p, seen, fitted) / *theirs);
        if (std::getenv("TCP_SHOW") != nullptr && std::abs(off) > 0.2)
          std::printf("without %-20s %-18s %9.0f %+.3f\n", left_out.c_str(), p.program.c_str(), *theirs, off);
        sum += std::abs(off);
        ++count;
      }
  }
  return sum / count;
}

double changes_right(Seen seen, const Device& device) {
  int right = 0, count = 0;
  for (const Change& c : changes())
    if (c.seen == seen) {
      right += agrees(c, device);
      ++count;
    }
  return static_cast<double>(right) / count;
}

}  // namespace tcp::accuracy
