// `tcp layout --levels`: a tensor spread over levels, and whether a chip's memories take it.
#include <limits>
#include <ostream>
#include <sstream>

#include "layout.hpp"
#include "read_text.hpp"
#include "tcp/device/load.hpp"
#include "tcp/rules/memory.hpp"

namespace tcp::tool {
namespace {

/// The memory that a tensor of such levels lives in: what has Rows in the TRF, what has Slices in DM.
std::string memory_of(const WrittenLevels& w) {
  if (w.has(Level::time) || w.has(Level::packet)) return "";  // a stream lives in none
  return w.has(Level::row) ? "trf" : w.has(Level::slice) ? "dm" : "hbm";
}

struct Fit {
  std::string memory, unit;
  Bytes needs{}, holds{};
};

Expected<Fit> fit_of(const Device& device, ScalarType type, const std::string& memory, const Levels& levels) {
  Mapping const &element = levels[Level::element], &row = levels[Level::row];
  Fit fit;
  auto const bytes = element_bytes(type, element);
  if (!bytes) return bytes.refusal();
  Verdict v = accept();
  Bytes const start{0};
  if (memory == "trf") {
    v = check_trf(device, type, row, element, TrfAddress::Full);
    Checked const elements = Checked(element.size) * row.size;
    auto const rows = packed_size(type, Elements{elements.fits ? elements.value : std::numeric_limits<std::int64_t>::max()});
    if (v && !rows) return rows.refusal();
    fit = {"TRF", "slice", rows ? *rows : Bytes{0}, device.trf.slice_capacity};
  } else if (memory == "vrf") {
    fit = {"VRF", "slice", *bytes, device.vrf.slice_capacity};
    v = check_vrf(device, type, element, start);
  } else if (memory == "dm") {
    fit = {"DM", "slice", *bytes, device.dm.slice_capacity};
    v = check_dm(device, type, element, start);
  } else {
    fit = {"HBM", "chip", *bytes, device.hbm.capacity};
    v = check_hbm(device, type, element, start);
  }
  if (!v) return v.refusal();
  return fit;
}

/// In tenths of a percent, rounded up, so that nothing seems free.
std::string percent(Bytes part, Bytes whole) {
  auto const tenths = static_cast<std::int64_t>((static_cast<__int128>(part.value) * 1000 + whole.value - 1) / whole.value);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

/// Only levels that were written are checked: the others are not decided yet.
Verdict check_sizes(const Device& device, const WrittenLevels& w) {
  if (w.has(Level::cluster))
    if (auto v = check_cluster_size(device, w.levels[Level::cluster]); !v) return v;
  if (w.has(Level::slice)) return check_slice_size(device, w.levels[Level::slice]);
  return accept();
}

}  // namespace

Expected<Json> show_levels(const LayoutOptions& options, const Axes& axes, Terminal& terminal) {
  auto const read = read_levels(options.levels, axes);
  if (!read) return read.refusal();
  Levels const& levels = read->levels;
  if (auto v = check_shown(Places(levels), shown_of(options, terminal)); !v) return v.refusal();

  Json answer;
  for (int i = 0; i < level_count; ++i)
    if (read->written[i]) answer["levels"][name_of(static_cast<Level>(i))] = json_of(levels.at[i]);
  answer["census"] = json_of(census(levels));

  std::string check;
  bool const wants_check = !options.type.empty() || !options.chip.empty();
  if (wants_check) {
    auto const device = find_device(options.chip.empty() ? "rngd" : options.chip);
    if (!device) return device.refusal();
    if (auto v = check_sizes(*device, *read); !v) return v.refusal();
    answer["device"] = std::string(device->name.view());
    check = std::string(device->name.view()) + ": sizes accepted";
    std::string const memory = options.memory.empty() ? memory_of(*read) : options.memory;
    if (!options.type.empty() && !memory.empty()) {
      auto const type = parse_scalar_type(options.type);
      if (!type) return type.refusal();
      auto const fit = fit_of(*device, *type, memory, levels);
      if (!fit) return fit.refusal();
      std::ostringstream words;
      words << device->name.view() << ": " << fit->needs.value << " bytes of " << options.type << " in the " << fit->memory << " of a "
            << fit->unit << ", " << percent(fit->needs, fit->holds) << " of its " << fit->holds.value;
      check = words.str();
      answer["memory"] = {{"name", fit->memory}, {"type", options.type}, {"bytes", fit->needs.value}, {"capacity", fit->holds.value}};
    }
  }

  if (auto v = write_picture(levels, options, terminal); !v) return v.refusal();
  if (!options.json) {
    std::ostringstream used;
    for (int a = 0; a < axes.n; ++a) used << (a > 0 ? ", " : "") << axes.name[a] << " = " << axes.size[a];
    if (axes.n > 0) say(terminal, "axes", used.str());
    for (int i = 0; i < level_count; ++i)
      if (read->written[i]) say(terminal, name_of(static_cast<Level>(i)), in_text(levels.at[i]));
    say(terminal, "size", draw_summary(levels));
    if (!check.empty()) say(terminal, "check", check);
    terminal.out << '\n' << draw_factors(levels, terminal.colour_out);
  }
  if (auto v = show_runs(levels, options, terminal, answer); !v) return v.refusal();
  name_picture(options, terminal, answer);
  return answer;
}

}  // namespace tcp::tool
