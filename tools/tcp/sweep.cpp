// `tcp sweep`: how long kernels take on chips, with numbers of these and sizes of axes changed; a table and a
// plot.
//
// A point is a kernel, a chip, one value for each changed number and one for each size. Each is planned in a process
// of its own, several at a time, and computes no value. With --resume a point that is in the file is not planned
// again.
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <ostream>
#include <regex>
#include <set>
#include <sstream>

#include "command.hpp"
#include "line_costs.hpp"
#include "machine.hpp"
#include "options.hpp"
#include "read_text.hpp"
#include "tcp/device/load.hpp"
#include "tcp/support/version.hpp"
#include "trace_file.hpp"
#include "write_file.hpp"

namespace tcp::tool {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* sweep_help = "tcp sweep --help";
constexpr std::size_t most_points = 10000;

struct SweepOptions {
  std::vector<std::string> kernels, chips, sets, sizes;
  std::string model = "book", csv, json_file, svg, resume;
  int jobs = 2;
  bool json = false;
};

/// `hbm.clock=750,1500`: a name and its values.
struct SweptNumber {
  std::string name;
  std::vector<std::string> values;
};

struct SweepPoint {
  std::string kernel, chip;
  std::vector<std::pair<std::string, std::string>> sets, sizes;
  std::string key;  // of what it depends on: the kernel's text, the chip's numbers, the model, the version

  // What came out: cycles, or why there are none.
  std::int64_t cycles = -1, mhz = 0;
  std::string error;
  bool known = false;
};

Expected<std::vector<SweptNumber>> swept_numbers(const std::vector<std::string>& texts, const char* option) {
  std::vector<SweptNumber> all;
  for (const std::string& text : texts) {
    std::size_t const equals = text.find('=');
    SweptNumber v{text.substr(0, equals), {}};
    std::istringstream values(equals == text.npos ? "" : text.substr(equals + 1));
    for (std::string value; std::getline(values, value, ',');) v.values.push_back(value);
    if (v.name.empty() || v.values.empty() || std::count(v.values.begin(), v.values.end(), "") != 0)
      return misuse("'" + plain(text) + "' is not what " + option + " takes: NAME=VALUE,VALUE,...", sweep_help);
    if (std::any_of(all.begin(), all.end(), [&](const SweptNumber& other) { return other.name == v.name; }))
      return misuse(std::string(option) + " names " + plain(v.name) + " twice; give all values at once", sweep_help);
    all.push_back(std::move(v));
  }
  return all;
}

/// Every choice of one value per variable, the last one fastest.
std::vector<std::vector<std::pair<std::string, std::string>>> all_choices(const std::vector<SweptNumber>& variables) {
  std::vector<std::vector<std::pair<std::string, std::string>>> all{{}};
  for (const SweptNumber& v : variables) {
    std::vector<std::vector<std::pair<std::string, std::string>>> next;
    for (auto const& chosen : all)
      for (const std::string& value : v.values) {
        next.push_back(chosen);
        next.back().emplace_back(v.name, value);
      }
    all = std::move(next);
  }
  return all;
}

std::string pairs_text(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::string text;
  for (auto const& [name, value] : pairs) text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

std::string whole_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

/// Sizes of axes in a program in text form: those of the statement `axes`.
Expected<std::string> resized_text(const std::string& text, const SweepPoint& p) {
  std::string out = text;
  for (auto const& [axis, size] : p.sizes) {
    if (axis.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") != axis.npos ||
        size.find_first_not_of("0123456789") != size.npos)
      return misuse("'" + plain(axis + "=" + size) + "': --size takes the name of an axis and whole numbers", sweep_help);
    std::regex const declaration("(^|\n)([ \t]*axes[^\n]*?\\b" + axis + "[ \t]*=[ \t]*)([0-9]+)");
    std::smatch found;
    if (!std::regex_search(out, found, declaration))
      return misuse("'" + plain(p.kernel) + "' declares no axis " + axis + "; --size changes what its line `axes` says", sweep_help);
    out = out.substr(0, static_cast<std::size_t>(found.position(3))) + size + std::string(found.suffix());
  }
  return out;
}

std::string key_of_text(const std::string& text) {
  std::uint64_t h = 14695981039346656037ULL;
  for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  char out[17];
  std::snprintf(out, sizeof out, "%016llx", static_cast<unsigned long long>(h));
  return out;
}

std::vector<std::string> point_settings(const SweepPoint& p) {
  std::vector<std::string> all;
  for (auto const& [name, value] : p.sets) all.push_back(name + "=" + value);
  return all;
}

Expected<std::vector<SweepPoint>> sweep_points(const SweepOptions& o) {
  auto const sets = swept_numbers(o.sets, "--set"), sizes = swept_numbers(o.sizes, "--size");
  if (!sets) return sets.refusal();
  if (!sizes) return sizes.refusal();
  std::vector<std::string> const chips = o.chips.empty() ? std::vector<std::string>{"rngd"} : o.chips;
  auto const all_sets = all_choices(*sets), all_sizes = all_choices(*sizes);
  if (o.kernels.size() * chips.size() * all_sets.size() * all_sizes.size() > most_points)
    return misuse("that is more than 10,000 points; sweep in parts", sweep_help);
  std::vector<SweepPoint> points;
  for (const std::string& kernel : o.kernels) {
    std::string const text = std::filesystem::is_regular_file(kernel) ? whole_text(kernel) : "";
    for (const std::string& chip : chips)
      for (auto const& set : all_sets)
        for (auto const& size : all_sizes) {
          SweepPoint p{kernel, chip, set, size, "", -1, 0, "", false};
          if (!size.empty() && !kernel.ends_with(".tcp") && !is_rust(kernel))
            return misuse(
                "--size changes axes of programs in text form, and parameters of kernels in Rust; '" + plain(kernel) + "' is neither",
                sweep_help);
          auto const device = chosen_device(chip, point_settings(p));
          if (!device && device.refusal().code == std::string_view("tool-usage")) return device.refusal();
          auto const changed = kernel.ends_with(".tcp") ? resized_text(text, p) : Expected<std::string>(text);
          if (!changed) return changed.refusal();
          p.key = key_of_text(kernel + "\n" + *changed + "\n" + pairs_text(size) + "\n" +
                              (device ? to_chip_file(*device) : pairs_text(set) + chip) + "\n" + o.model + "\n" + library_version());
          points.push_back(std::move(p));
        }
  }
  return points;
}

/// Plans a point; what a child process does.
Json planned_point(const SweepPoint& p, const SweepOptions& o, const Terminal& terminal) {
  std::ostringstream unread;
  Terminal silent{unread, unread, false, false, terminal.share};
  TraceChoice choice;
  choice.kernel.path = p.kernel;
  choice.model = o.model;
  choice.chip = p.chip;
  std::string scratch;
  if (!p.sizes.empty() && p.kernel.ends_with(".tcp")) {
    scratch = (std::filesystem::temp_directory_path() / ("tcp-sweep-" + std::to_string(getpid()) + ".tcp")).string();
    std::ofstream(scratch) << *resized_text(whole_text(p.kernel), p);
    choice.kernel.path = scratch;
  } else {
    for (auto const& [name, value] : p.sizes) choice.kernel.scalars.push_back(name + "=" + value);
  }
  for (const std::string& s : point_settings(p)) choice.kernel.scalars.push_back(s);
  auto const lowered = lower_choice(choice, silent);
  Json out{{"key", p.key}};
  if (!lowered) {
    out["error"] = "error[" + std::string(lowered.refusal().code) + "]: " + std::string(lowered.refusal().headline.view());
  } else if (auto const trace = plan_lowered(*lowered, choice); trace) {
    out["cycles"] = trace->makespan.value;
    out["mhz"] = lowered->device.clocks.core_mhz;
  } else {
    out["error"] = "error[" + std::string(trace.refusal().code) + "]: " + std::string(trace.refusal().headline.view());
  }
  if (!scratch.empty()) std::filesystem::remove(scratch);
  return out;
}

void take_result(SweepPoint& p, const Json& result) {
  p.known = true;
  p.cycles = result.value("cycles", std::int64_t{-1});
  p.mhz = result.value("mhz", std::int64_t{0});
  p.error = result.value("error", "");
}

/// A process that plans one point, and what it has said so far.
struct SweepWorker {
  pid_t process = -1;
  int from = -1;
  std::size_t point = 0;
  std::string said;
};

Expected<SweepWorker> started_worker(const SweepPoint& p, std::size_t index, const SweepOptions& o, Terminal& terminal) {
  int ends[2];
  if (pipe(ends) != 0) return not_written("the plan of a point, by a process of its own,", std::strerror(errno));
  terminal.out.flush();
  terminal.err.flush();
  pid_t const process = fork();
  if (process == 0) {
    close(ends[0]);
    std::string const line = planned_point(p, o, terminal).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    for (std::size_t at = 0; at < line.size();) {
      ssize_t const n = write(ends[1], line.data() + at, line.size() - at);
      if (n <= 0) _exit(1);
      at += static_cast<std::size_t>(n);
    }
    _exit(0);
  }
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    return not_written("the plan of a point, by a process of its own,", std::strerror(errno));
  }
  return SweepWorker{process, ends[0], index, ""};
}

/// Whether this rank plans a point: with several ranks, each takes every so-manieth.
bool is_mine(std::size_t point, const Terminal& terminal) {
  if (terminal.machine == nullptr) return true;
  return point % static_cast<std::size_t>(terminal.machine->size()) == static_cast<std::size_t>(terminal.machine->rank());
}

/// Plans what is not known, `jobs` at a time; each result is added to the file of --resume as it comes.
Verdict plan_points(std::vector<SweepPoint>& points, const SweepOptions& o, Terminal& terminal) {
  std::vector<SweepWorker> workers;
  std::size_t next = 0;
  while (true) {
    while (workers.size() < static_cast<std::size_t>(o.jobs) && next < points.size()) {
      if (!points[next].known && is_mine(next, terminal)) {
        auto worker = started_worker(points[next], next, o, terminal);
        if (!worker) return worker.refusal();
        workers.push_back(*std::move(worker));
      }
      ++next;
    }
    if (workers.empty()) return accept();
    std::vector<pollfd> watched;
    for (const SweepWorker& w : workers) watched.push_back({w.from, POLLIN, 0});
    if (poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) continue;
    for (std::size_t i = workers.size(); i-- > 0;) {
      if (watched[i].revents == 0) continue;
      char bytes[4096];
      ssize_t const n = read(workers[i].from, bytes, sizeof bytes);
      if (n > 0) {
        workers[i].said.append(bytes, static_cast<std::size_t>(n));
        continue;
      }
      SweepWorker const w = workers[i];
      workers.erase(workers.begin() + static_cast<std::ptrdiff_t>(i));
      close(w.from);
      int status = 0;
      waitpid(w.process, &status, 0);
      Json const result = Json::parse(w.said, nullptr, false);
      if (result.is_discarded())
        take_result(points[w.point], {{"error", "the process that planned it ended early, with status " + std::to_string(status)}});
      else take_result(points[w.point], result);
      if (!o.resume.empty() && !result.is_discarded()) std::ofstream(o.resume, std::ios::app) << w.said << std::flush;
    }
  }
}

/// The results of all ranks, on each of them.
void exchange_points(std::vector<SweepPoint>& points, Machine& machine) {
  Json mine = Json::array();
  for (std::size_t i = static_cast<std::size_t>(machine.rank()); i < points.size(); i += static_cast<std::size_t>(machine.size()))
    mine.push_back({{"point", i}, {"cycles", points[i].cycles}, {"mhz", points[i].mhz}, {"error", points[i].error}});
  for (const std::string& said : machine.gathered(mine.dump(-1, ' ', false, Json::error_handler_t::replace)))
    for (const Json& each : Json::parse(said)) {
      SweepPoint& p = points[each["point"].get<std::size_t>()];
      p.cycles = each["cycles"];
      p.mhz = each["mhz"];
      p.error = each["error"];
    }
}

/// What the file of an earlier sweep knows. Lines that are no result, such as half of the last one, are left alone.
void take_earlier(std::vector<SweepPoint>& points, const std::string& file) {
  std::map<std::string, Json> known;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    Json result = Json::parse(line, nullptr, false);
    if (result.is_object() && result.contains("key")) known[result.value("key", "")] = result;
  }
  for (SweepPoint& p : points)
    if (auto const found = known.find(p.key); found != known.end()) take_result(p, found->second);
}

std::string kernel_stem(const std::string& path) { return plain(std::filesystem::path(path).stem().string()); }

/// Names of --set whose values make no difference to any kernel, chip and size.
std::vector<std::string> without_effect(const std::vector<SweepPoint>& points, const std::vector<SweptNumber>& sets) {
  std::vector<std::string> names;
  for (const SweptNumber& v : sets) {
    if (v.values.size() < 2) continue;
    std::map<std::string, std::set<std::int64_t>> seen;
    for (const SweepPoint& p : points) {
      auto others = p.sets;
      std::erase_if(others, [&](auto const& each) { return each.first == v.name; });
      seen[p.kernel + "\n" + p.chip + "\n" + pairs_text(others) + "\n" + pairs_text(p.sizes)].insert(p.cycles);
    }
    if (std::all_of(seen.begin(), seen.end(), [](auto const& each) { return each.second.size() == 1; })) names.push_back(v.name);
  }
  return names;
}

Json point_json(const SweepPoint& p) {
  Json sets = Json::object(), sizes = Json::object();
  for (auto const& [name, value] : p.sets) sets[name] = value;
  for (auto const& [name, value] : p.sizes) sizes[name] = value;
  Json out{{"kernel", p.kernel}, {"chip", p.chip}, {"set", sets}, {"size", sizes}};
  if (p.cycles >= 0) {
    out["cycles"] = p.cycles;
    out["us"] = static_cast<double>(p.cycles) / static_cast<double>(p.mhz);
  } else {
    out["error"] = p.error;
  }
  return out;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == text.npos) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string sweep_csv(const std::vector<SweepPoint>& points) {
  std::string text = "kernel,chip";
  if (!points.empty())
    for (auto const* pairs : {&points[0].sets, &points[0].sizes})
      for (auto const& [name, value] : *pairs) text += "," + csv_cell(name);
  text += ",cycles,us,error\n";
  for (const SweepPoint& p : points) {
    text += csv_cell(p.kernel) + "," + csv_cell(p.chip);
    for (auto const* pairs : {&p.sets, &p.sizes})
      for (auto const& [name, value] : *pairs) text += "," + csv_cell(value);
    char us[32] = "";
    if (p.cycles >= 0) std::snprintf(us, sizeof us, "%.3f", static_cast<double>(p.cycles) / static_cast<double>(p.mhz));
    text += "," + (p.cycles >= 0 ? std::to_string(p.cycles) : "") + "," + us + "," + csv_cell(p.error) + "\n";
  }
  return text;
}

std::string sweep_table(const std::vector<SweepPoint>& points) {
  std::vector<std::vector<std::string>> rows{{"kernel", "chip", "set", "size", "cycles", "us", "of the first"}};
  std::map<std::string, std::int64_t> first;
  for (const SweepPoint& p : points) {
    std::int64_t const base = p.cycles >= 0 ? first.try_emplace(p.kernel + pairs_text(p.sizes), p.cycles).first->second : 0;
    char us[32] = "", share[32] = "";
    if (p.cycles >= 0) {
      std::snprintf(us, sizeof us, "%.1f", static_cast<double>(p.cycles) / static_cast<double>(p.mhz));
      std::snprintf(share, sizeof share, "%.3f", static_cast<double>(p.cycles) / static_cast<double>(std::max<std::int64_t>(base, 1)));
    }
    std::string const chip = std::filesystem::path(p.chip).filename().string();
    rows.push_back({kernel_stem(p.kernel), plain(chip), pairs_text(p.sets), pairs_text(p.sizes),
                    p.cycles >= 0          ? with_commas(p.cycles)
                    : p.error.size() > 120 ? p.error.substr(0, p.error.rfind(' ', 116)) + " ..."
                                           : p.error,
                    us, share});
  }
  std::vector<std::size_t> widths(rows[0].size());
  for (auto const& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      if (i != 4 || row[5] != "") widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (auto const& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (widths[i] == std::string(rows[0][i]).size() &&
          std::all_of(rows.begin() + 1, rows.end(), [&](auto const& r) { return r[i].empty(); }))
        continue;
      std::size_t const room = widths[i] > row[i].size() ? widths[i] - row[i].size() : 0;
      line += (line.empty() ? "" : "  ") + (i >= 4 ? std::string(room, ' ') + row[i] : row[i] + std::string(room, ' '));
    }
    while (line.ends_with(' ')) line.pop_back();
    text += line + "\n";
  }
  return text;
}

std::string svg_words(const std::string& text) {
  std::string out;
  for (char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

/// Lines over the values of the variable with most of them, one line for each choice of the others; without a variable,
/// the kernels and chips are on the axis.
class SweepPlot {
 public:
  SweepPlot(const std::vector<SweepPoint>& points, const std::vector<SweptNumber>& sets, const std::vector<SweptNumber>& sizes) {
    const SweptNumber* x = nullptr;
    for (auto const* all : {&sets, &sizes})
      for (const SweptNumber& v : *all)
        if (x == nullptr || v.values.size() > x->values.size()) x = &v;
    if (x != nullptr && x->values.size() > 1) title_ = x->name;
    for (const SweepPoint& p : points) {
      auto others = p.sets, more = p.sizes;
      others.insert(others.end(), more.begin(), more.end());
      std::string at = kernel_stem(p.kernel) + " " + std::filesystem::path(p.chip).stem().string(), series;
      for (auto const& [name, value] : others)
        if (name == title_) at = value;
        else series += " " + name + "=" + value;
      if (!title_.empty()) series = kernel_stem(p.kernel) + ", " + std::filesystem::path(p.chip).stem().string() + series;
      if (std::find(places_.begin(), places_.end(), at) == places_.end()) places_.push_back(at);
      if (lines_.find(series) == lines_.end()) order_.push_back(series);
      lines_[series][at] = p.cycles;
      most_ = std::max(most_, p.cycles);
    }
  }

  std::string svg() const {
    int const width = 760, legend = 18 * static_cast<int>(order_.size()) + 10, height = 340 + legend, left = 90, right = 20, top = 30,
              bottom = 290;
    std::ostringstream out;
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width << "\" height=\"" << height << "\" viewBox=\"0 0 " << width << ' '
        << height
        << "\" role=\"img\">\n<title>cycles</title>\n<style>svg { font-family: system-ui, 'DejaVu Sans', sans-serif; font-size: 12px } "
           "text { fill: #1c1c1c } "
           ".page { fill: #ffffff } .grid { stroke: #dddddd } .m { text-anchor: middle } .e { text-anchor: end } "
           "@media (prefers-color-scheme: dark) { text { fill: #e8e8e8 } .page { fill: #14161a } .grid { stroke: #33363c } "
           "}</style>\n<rect class=\"page\" width=\""
        << width << "\" height=\"" << height << "\"/>\n<text x=\"" << left << "\" y=\"18\">cycles</text>\n";
    double const unit = step(), scale = (bottom - top) / (unit * std::ceil(static_cast<double>(most_) / unit));
    for (double y = 0; y <= unit * std::ceil(static_cast<double>(most_) / unit) + unit / 2; y += unit)
      out << "<path class=\"grid\" d=\"M" << left << ',' << bottom - y * scale << "H" << width - right << "\"/><text class=\"e\" x=\""
          << left - 6 << "\" y=\"" << bottom - y * scale + 4 << "\">" << with_commas(static_cast<std::int64_t>(y)) << "</text>\n";
    auto const at = [&](std::size_t i) {
      return left + (width - left - right) * (static_cast<double>(i) + 0.5) / static_cast<double>(places_.size());
    };
    for (std::size_t i = 0; i < places_.size(); ++i)
      out << "<text class=\"m\" x=\"" << at(i) << "\" y=\"" << bottom + 18 << "\">" << svg_words(places_[i]) << "</text>\n";
    if (!title_.empty())
      out << "<text class=\"m\" x=\"" << (left + width - right) / 2 << "\" y=\"" << bottom + 38 << "\">" << svg_words(title_)
          << "</text>\n";
    constexpr const char* colours[] = {"#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#8a8a8a", "#6a3d9a"};
    for (std::size_t s = 0; s < order_.size(); ++s) {
      const char* const colour = colours[s % std::size(colours)];
      std::string path;
      auto const& line = lines_.at(order_[s]);
      for (std::size_t i = 0; i < places_.size(); ++i) {
        auto const found = line.find(places_[i]);
        if (found == line.end() || found->second < 0) continue;
        double const y = bottom - static_cast<double>(found->second) * scale;
        std::ostringstream place;
        place << at(i) << ',' << y;
        path += (path.empty() ? "M" : "L") + place.str();
        out << "<circle cx=\"" << at(i) << "\" cy=\"" << y << "\" r=\"4\" fill=\"" << colour << "\"><title>"
            << svg_words(order_[s] + " " + places_[i]) << ": " << with_commas(found->second) << " cycles</title></circle>\n";
      }
      if (!title_.empty()) out << "<path d=\"" << path << "\" fill=\"none\" stroke=\"" << colour << "\" stroke-width=\"2\"/>\n";
      if (!order_[s].empty())
        out << "<rect x=\"" << left << "\" y=\"" << bottom + 52 + 18 * static_cast<int>(s) << "\" width=\"12\" height=\"12\" fill=\""
            << colour << "\"/><text x=\"" << left + 18 << "\" y=\"" << bottom + 62 + 18 * static_cast<int>(s) << "\">"
            << svg_words(order_[s]) << "</text>\n";
    }
    out << "</svg>\n";
    return std::move(out).str();
  }

 private:
  /// Between the lines of the grid: 1, 2 or 5 times a power of ten.
  double step() const {
    double const rough = std::max<double>(1, static_cast<double>(most_)) / 5, power = std::pow(10, std::floor(std::log10(rough)));
    for (double n : {1.0, 2.0, 5.0})
      if (n * power >= rough) return n * power;
    return 10 * power;
  }

  std::string title_;
  std::vector<std::string> places_, order_;
  std::map<std::string, std::map<std::string, std::int64_t>> lines_;
  std::int64_t most_ = 0;
};

Verdict sweep(const SweepOptions& o, Terminal& terminal) {
  std::vector<std::string> read = o.kernels;
  read.insert(read.end(), o.chips.begin(), o.chips.end());
  if (auto v = keep_apart({{"--csv", o.csv}, {"--json-file", o.json_file}, {"--svg", o.svg}, {"--resume", o.resume}}, read, sweep_help); !v)
    return v;
  auto made = sweep_points(o);
  if (!made) return made.refusal();
  std::vector<SweepPoint> points = *std::move(made);
  if (!o.resume.empty()) take_earlier(points, o.resume);
  auto const earlier = std::count_if(points.begin(), points.end(), [](const SweepPoint& p) { return p.known; });
  if (auto v = plan_points(points, o, terminal); !v) return v;
  if (terminal.machine != nullptr) {
    exchange_points(points, *terminal.machine);
    if (terminal.machine->rank() != 0) return accept();
  }

  auto const sets = *swept_numbers(o.sets, "--set"), sizes = *swept_numbers(o.sizes, "--size");
  Json all = Json::array();
  for (const SweepPoint& p : points) all.push_back(point_json(p));
  std::vector<std::string> const idle = without_effect(points, sets);
  Json const answer{{"model", o.model}, {"points", all}, {"without_effect", idle}};
  if (!o.csv.empty())
    if (auto v = write_file(o.csv, sweep_csv(points)); !v) return v;
  if (!o.json_file.empty())
    if (auto v = write_file(o.json_file, json_text(answer)); !v) return v;
  if (!o.svg.empty())
    if (auto v = write_file(o.svg, SweepPlot(points, sets, sizes).svg()); !v) return v;
  if (o.json) {
    terminal.out << json_text(answer);
    return accept();
  }
  terminal.out << sweep_table(points);
  for (const std::string& name : idle) terminal.out << "note: " << plain(name) << " has no effect: the same cycles for all its values\n";
  if (earlier > 0) terminal.err << "note: " << earlier << " of " << points.size() << " points were in " << plain(o.resume) << '\n';
  return accept();
}

}  // namespace

Action declare_sweep(CLI::App& command) {
  auto const options = std::make_shared<SweepOptions>();
  SweepOptions& o = *options;
  command.add_option("FILE", o.kernels, "kernels: programs in text form, executables that launch one kernel, kernels in Rust")
      ->type_name("")
      ->required()
      ->check(file_name());
  command.add_option("--chip", o.chips, "a chip: rngd (the default), rngd_s, logical, or a chip file; once for each chip")
      ->type_name("CHIP")
      ->allow_extra_args(false);
  command.add_option("--set", o.sets, "a number of the chip and its values: hbm.clock=750,1500; once for each number")
      ->type_name("NAME=NUMBER")
      ->allow_extra_args(false);
  command.add_option("--size", o.sizes, "an axis of the kernels and its sizes: M=256,512; of kernels in Rust a parameter")
      ->type_name("NAME=VALUES")
      ->allow_extra_args(false);
  command.add_option("--model", o.model, "of the cycles: book (the default), planned, calibrated or detailed")
      ->type_name("book|planned|calibrated|detailed")
      ->check(one_of({"book", "planned", "calibrated", "detailed"}));
  command.add_option("--csv", o.csv, "write the table as CSV")->type_name("FILE")->check(file_name());
  command.add_option("--json-file", o.json_file, "write the answer of --json to this file")->type_name("FILE")->check(file_name());
  command.add_option("--svg", o.svg, "write a plot")->type_name("FILE")->check(file_name());
  command.add_option("--resume", o.resume, "add each result to this file, and do not plan again what is in it")
      ->type_name("FILE")
      ->check(file_name());
  command.add_option("-j,--jobs", o.jobs, "points planned at the same time; default 2")->type_name("N")->check(at_least(1));
  command.add_flag("--json", o.json, "answer in JSON");
  command.footer(
      "A point is a kernel, a chip, one value of each --set and one size of each --size; all combinations are planned, and\n"
      "no value is computed. A combination that the rules reject has its error in the place of cycles.\n"
      "Examples:\n"
      "  tcp sweep gemm.tcp --set hbm.clock=750,1500 --set hbm.partial_write_factor=4,50\n"
      "  tcp sweep gemm.tcp add_one.tcp --chip rngd --chip my_chip.json --csv sweep.csv --svg sweep.svg\n"
      "  tcp sweep gemm.tcp --size K=64,128 --resume sweep.jsonl\n"
      "Exit codes: 0 done, 1 error, 2 wrong usage; see tcp --help.");
  return [options](Terminal& terminal) { return sweep(*options, terminal); };
}

}  // namespace tcp::tool
