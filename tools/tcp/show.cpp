// The answers of `tcp layout`: one mapping, the levels of a tensor, a move between two.
#include <limits>
#include <ostream>
#include <sstream>

#include "layout.hpp"
#include "read_text.hpp"
#include "tcp/device/load.hpp"
#include "tcp/rules/memory.hpp"
#include "tcp/rules/sequence.hpp"

namespace tcp::tool {

Expected<Json> show_mapping(const LayoutOptions& options, const Axes& axes, Terminal& terminal) {
  auto const read = read_mapping(options.mapping, axes);
  if (!read) return read.refusal();
  Mapping const& m = *read;
  Levels const levels = spread(m);
  Json answer = json_of(m);
  answer["census"] = json_of(census(levels));
  if (auto v = check_shown(Places(levels), shown_of(options, terminal)); !v) return v.refusal();
  if (auto v = write_picture(levels, options, terminal); !v) return v.refusal();
  if (!options.json) {
    say(terminal, "mapping", in_text(m));
    std::ostringstream used;
    print_axes(used, m);
    if (m.axes > 0) say(terminal, "axes", used.str());
    say(terminal, "size", draw_summary(levels));
    terminal.out << '\n' << draw_factors(levels, terminal.colour_out);
  }
  if (auto v = show_runs(levels, options, terminal, answer); !v) return v.refusal();
  name_picture(options, terminal, answer);
  return answer;
}

}  // namespace tcp::tool

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

namespace tcp::tool {
namespace {

/// One factor of the stream, and the loops it became.
struct Term {
  const char* level;
  Factor factor;
  int first = 0, count = 0;  // entries
};

/// Loops come in the order of the stream's factors, and those of a factor make as many rounds together as it has
/// positions.
std::vector<Term> terms_of(const Mapping& time, const Mapping& packet, const Loops& loops) {
  std::vector<Term> terms;
  int next = 0;
  for (Mapping const* m : {&time, &packet})
    for (Factor& f : factors(*m)) {
      Term term{m == &time ? "Time" : "Packet", std::move(f), next, 0};
      for (std::int64_t rounds = 1; rounds < term.factor.slot && next < loops.entries; ++next, ++term.count)
        rounds *= loops.entry[next].size;
      terms.push_back(std::move(term));
    }
  return terms;
}

std::string text_of_loops(const Loops& loops) {
  std::ostringstream out;
  print(out, loops);
  return out.str();
}
std::string text_of_entries(const Loops& loops, const Term& term) {
  std::ostringstream out;
  for (int k = term.first; k < term.first + term.count; ++k)
    out << (k > term.first ? ", " : "") << loops.entry[k].size << " : " << loops.entry[k].stride;
  return term.count == 0 ? "none" : out.str();
}

/// Why a loop goes nowhere, if one of the term's does.
std::string why_repeated(const Mapping& buffer, const Mapping& stream, const Loops& loops, const Term& term) {
  bool repeated = false;
  for (int k = term.first; k < term.first + term.count; ++k) repeated |= loops.entry[k].stride == 0;
  if (!repeated) return "";
  Digit const& d = stream.digit[term.factor.first];
  if (d.axis == no_axis) return d.size > 1 ? "copies" : "padding";
  Name const axis = stream.axis[d.axis].name;
  int const held = find_axis(buffer, axis);
  bool const lacks = held < 0 || coarsest_digit(buffer, held) < 0;
  return std::string("repeated: the buffer ") + (lacks ? "has no " : "lacks steps of ") + text(axis).s;
}

Json json_of(const Loops& loops) {
  Json out = Json::array();
  for (int k = 0; k < loops.entries; ++k) out.push_back({{"size", loops.entry[k].size}, {"stride", loops.entry[k].stride}});
  return out;
}

void show_terms(Terminal& terminal, const std::vector<Term>& terms, const Mapping& buffer, const Mapping& time, const Mapping& packet,
                const Loops& loops) {
  std::size_t term_w = 4, entry_w = 5;
  for (Term const& t : terms) {
    term_w = std::max(term_w, t.factor.text.size());
    entry_w = std::max(entry_w, text_of_entries(loops, t).size());
  }
  auto padded = [](const std::string& s, std::size_t width) { return s + std::string(width - std::min(width, s.size()), ' '); };
  terminal.out << '\n' << "stream  " << padded("term", term_w) << "  entry\n";
  for (Term const& t : terms) {
    std::string const entries = text_of_entries(loops, t);
    std::string const why = why_repeated(buffer, t.level == std::string_view("Time") ? time : packet, loops, t);
    terminal.out << padded(t.level, 6) << "  " << padded(t.factor.text, term_w) << "  "
                 << (why.empty() ? entries : padded(entries, entry_w) + "  " + why) << '\n';
  }
}

}  // namespace

Expected<Json> show_move(const LayoutOptions& options, const Axes& axes, Terminal& terminal) {
  auto const from = read_mapping(options.move[0], axes);
  if (!from) return from.refusal();
  Mapping time, packet;
  if (names_level(options.move[1])) {
    auto const to = read_levels(options.move[1], axes);
    if (!to) return to.refusal();
    for (int i = 0; i < level_count; ++i)
      if (to->written[i] && i != static_cast<int>(Level::time) && i != static_cast<int>(Level::packet))
        return refuse("tool-stream-level")
            .what("a stream has Time and Packet, not ", name_of(static_cast<Level>(i)))
            .why("each slice has a sequencer of its own, which steps through the slice's part of the tensor")
            .help("write --move with the mapping of one slice, and 'Time: ...; Packet: ...'");
    time = to->levels[Level::time];
    packet = to->levels[Level::packet];
  } else {
    auto const to = read_mapping(options.move[1], axes);
    if (!to) return to.refusal();
    packet = *to;
  }
  auto const device = find_device(options.chip.empty() ? "rngd" : options.chip);
  if (!device) return device.refusal();

  Walks const how{options.write ? Access::write : Access::read, options.absent == "broadcast" ? Absent::broadcast : Absent::refused};
  auto const derived = derive_loops(*from, time, packet, how);
  if (!derived) return derived.refusal();
  auto const fitted = fit_sequencer(*device, *derived);
  if (!fitted) return fitted.refusal();
  std::vector<Term> const terms = terms_of(time, packet, *derived);
  std::string const derived_text = text_of_loops(*derived), fitted_text = text_of_loops(*fitted),
                    merged_text = text_of_loops(merged(*derived));

  Json answer;
  answer["direction"] = options.write ? "write" : "read";
  answer["buffer"] = tool::json_of(*from);
  answer["time"] = tool::json_of(time);
  answer["packet"] = tool::json_of(packet);
  answer["device"] = std::string(device->name.view());
  answer["entries"] = json_of(*derived);
  answer["merged"] = json_of(merged(*derived));
  answer["sequencer"] = json_of(*fitted);
  answer["packet_elements"] = derived->packet;
  answer["base"] = derived->base;
  answer["contiguous"] = derived->contiguous();
  answer["terms"] = Json::array();
  for (Term const& t : terms)
    answer["terms"].push_back(
        {{"level", t.level}, {"term", t.factor.text}, {"positions", t.factor.slot}, {"first_entry", t.first}, {"entries", t.count}});
  if (!options.json) {
    say(terminal, "buffer", in_text(*from));
    say(terminal, options.write ? "from" : "to", "Time " + in_text(time) + ", Packet " + in_text(packet));
    say(terminal, "entries", derived_text);
    if (merged_text != derived_text) say(terminal, "merged", merged_text);
    if (fitted_text != derived_text && fitted_text != merged_text) say(terminal, "as run", fitted_text);
    say(terminal, "base", std::to_string(derived->base));
    say(terminal, "run", std::to_string(derived->contiguous()) + (derived->contiguous() == 1 ? " element" : " neighbouring elements"));
  }
  if (!options.type.empty()) {
    auto const type = parse_scalar_type(options.type);
    if (!type) return type.refusal();
    auto const s = sequence(*device, *type, *from, time, packet, how);
    if (!s) return s.refusal();
    answer["type"] = options.type;
    answer["access_bytes"] = s->access.value;
    answer["accesses_a_packet"] = s->accesses_a_packet;
    answer["packets"] = s->packets;
    answer["cycles"] = s->accesses();
    std::ostringstream words;
    words << s->access.value << " bytes of " << options.type << " at once; " << s->accesses_a_packet
          << (s->accesses_a_packet == 1 ? " access" : " accesses") << " per packet x " << s->packets
          << (s->packets == 1 ? " packet" : " packets") << " = " << s->accesses() << " cycles";
    if (!options.json) say(terminal, "access", words.str());
  }
  if (!options.json) show_terms(terminal, terms, *from, time, packet, *derived);
  return answer;
}

}  // namespace tcp::tool
