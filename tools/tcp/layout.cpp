// `tcp layout`: a mapping, a tensor spread over levels, or a move between two mappings.
#include "layout.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <sstream>

#include "command.hpp"
#include "options.hpp"
#include "write_file.hpp"

namespace tcp::tool {
namespace {

constexpr int lines_of_a_short_table = 40;

Verdict layout(const LayoutOptions& options, Terminal& terminal) {
  constexpr const char* help = "tcp layout --help";
  int const forms = !options.mapping.empty() + !options.levels.empty() + !options.move.empty();
  if (forms == 0) return misuse("a mapping is missing, or --levels, or --move", help);
  if (forms > 1) return misuse("a mapping, --levels and --move are three different questions; ask one at a time", help);
  bool const moves = !options.move.empty();
  if (moves && (options.part || !options.svg.empty() || !options.memory.empty()))
    return misuse("--move shows no cells: --from, --limit, --all, --svg and --memory do not go with it", help);
  if (!moves && (options.write || options.absent != "refused")) return misuse("--store and --absent belong to --move", help);
  bool const bytes = !options.type.empty() || !options.chip.empty() || !options.memory.empty();
  if (!options.mapping.empty() && bytes) return misuse("--type, --chip and --memory belong to --levels and --move", help);
  if (options.all && options.limit > 0) return misuse("--all and --limit contradict each other", help);
  if (!options.memory.empty() && options.type.empty()) return misuse("--memory needs --type, to count bytes", help);
  if (auto v = keep_apart("--svg", options.svg, {options.chip}, help); !v) return v;

  auto const answer = [&]() -> Expected<Json> {
    Axes axes;
    if (!options.axes.empty()) {
      auto const read = parse_axes(options.axes);
      if (!read) return read.refusal();
      axes = *read;
    }
    if (moves) return show_move(options, axes, terminal);
    return options.levels.empty() ? show_mapping(options, axes, terminal) : show_levels(options, axes, terminal);
  }();
  if (options.json && answer) terminal.out << json_text(*answer);
  return verdict(answer);
}

Json json_of(const Index& index) {
  Json out = Json::object();
  for (int a = 0; a < index.n; ++a) out[text(index.axis[a]).s] = index.at[a];
  return out;
}

Json json_of(const Places& places, const CellRun& run) {
  Json out;
  out["from"] = run.from;
  out["count"] = run.count;
  if (places.counted().size() > 1) {
    Place const at = places.place(run.from);
    for (Level l : places.counted()) out["place"][name_of(l)] = at.on(static_cast<int>(l));
  }
  if (run.first.kind == CellKind::padding) {
    out["kind"] = "padding";
    out["padding"] = name_of(run.first.pad);
  } else if (run.first.live()) {
    out["kind"] = "element";
    out["index"] = json_of(run.first.index);
    if (run.step != 0) {
      out["moving"] = text(run.moving).s;
      out["step"] = run.step;
    }
  } else {
    constexpr int most = 1000;
    out["kind"] = "several";
    out["elements"] = Json::array();
    for (Index const& each : elements_at(places, run.from, most)) out["elements"].push_back(json_of(each));
  }
  return out;
}

}  // namespace

void say(Terminal& terminal, const std::string& label, const std::string& words) {
  std::string const blanks(label.size() < 9 ? 9 - label.size() : 1, ' ');
  terminal.out << (terminal.colour_out ? "\033[1m" + label + "\033[0m" : label) << blanks << words << '\n';
}

std::string in_text(const Mapping& m) { return "m![" + text_of(m) + "]"; }

Shown shown_of(const LayoutOptions& options, const Terminal& terminal) {
  Shown shown;
  shown.from = options.from;
  if (options.limit > 0) shown.count = options.limit;
  shown.colour = terminal.colour_out;
  return shown;
}

Verdict show_runs(const Levels& levels, const LayoutOptions& options, Terminal& terminal, Json& answer) {
  Shown shown = shown_of(options, terminal);
  if (!options.part) shown.lines = lines_of_a_short_table;
  auto const table = draw_cells(levels, shown);
  if (!table) return table.refusal();
  Places const places(levels);
  bool const some = table->next >= 0 && !options.part;
  if (!options.json) {
    terminal.out << '\n' << (some ? draw_runs(places, telling_runs(places), shown.colour) : table->text);
    if (some) terminal.out << "... some of them, where factors step on; --all lists all, --from I and --limit N a part\n";
    else if (table->next >= 0) terminal.out << "... continues with --from " << table->next << "\n";
    return accept();
  }
  Json runs = Json::array();
  if (some) {
    for (CellRun const& run : telling_runs(places)) runs.push_back(json_of(places, run));
  } else {
    std::int64_t const end = shown.count > places.size() - shown.from ? places.size() : shown.from + shown.count;
    for (std::int64_t at = shown.from; at < end && at != table->next;) {
      CellRun run = run_from(places, at);
      run.count = std::min(run.count, end - at);
      at += run.count;
      runs.push_back(json_of(places, run));
    }
  }
  answer["runs"] = std::move(runs);
  answer["runs_are"] = some ? "some" : table->next >= 0 ? "the first" : "all";
  if (table->next >= 0 && !some) answer["next"] = table->next;
  return accept();
}

Verdict write_picture(const Levels& levels, const LayoutOptions& options, Terminal& terminal) {
  if (options.svg.empty()) return accept();
  auto const svg = draw_svg(levels, shown_of(options, terminal));
  return svg ? write_file(options.svg, *svg) : svg.refusal();
}

void name_picture(const LayoutOptions& options, Terminal& terminal, Json& answer) {
  if (options.svg.empty()) return;
  if (options.json) answer["svg"] = options.svg;
  else terminal.out << '\n', say(terminal, "picture", options.svg);
}

Json json_of(const Mapping& m) {
  Footprints const foot = footprints(m);
  Json out;
  out["mapping"] = text_of(m);
  out["size"] = m.size;
  out["axes"] = Json::object();
  out["starts"] = Json::object();
  for (int a = 0; a < m.axes; ++a) {
    out["axes"][text(m.axis[a].name).s] = m.axis[a].extent;
    if (m.axis[a].start != 0) out["starts"][text(m.axis[a].name).s] = m.axis[a].start;
  }
  out["digits"] = Json::array();
  for (int k = 0; k < m.digits; ++k) {
    Digit const& d = m.digit[k];
    Json digit;
    digit["axis"] = d.axis == no_axis ? Json(nullptr) : Json(text(m.axis[d.axis].name).s);
    digit["stride"] = d.stride;
    digit["size"] = d.size;
    digit["slot"] = d.slot;
    digit["apart"] = foot.inside[k];
    digit["padding"] = name_of(d.pad);
    if (d.in_window()) digit["window"] = {{"step", d.step}, {"joined", d.joined}};
    if (d.skewed_by != no_axis) digit["skewed_by"] = text(m.axis[d.skewed_by].name).s;
    out["digits"].push_back(std::move(digit));
  }
  out["tails"] = Json::array();
  for (int t = 0; t < m.tails; ++t) {
    Tail const& tail = m.tail[t];
    out["tails"].push_back(
        {{"first", tail.first}, {"last", tail.last}, {"live", foot.tail_live[t]}, {"slot", tail.slot}, {"padding", name_of(tail.pad)}});
  }
  return out;
}

Json json_of(const Census& c) {
  if (!c.known) return nullptr;
  return {{"elements", c.elements}, {"zero", c.zero}, {"top", c.top}, {"bottom", c.bottom}};
}

Action declare_layout(CLI::App& command) {
  auto const options = std::make_shared<LayoutOptions>();
  LayoutOptions& o = *options;
  auto text = [&](const char* name, std::string& value, const char* type, const char* does) {
    return command.add_option(name, value, does)->type_name(type);
  };
  text("MAPPING", o.mapping, "", "such as 'A / 2, B % 32 # 64'");
  text("--axes", o.axes, "AXES", "the axes with their sizes: 'A=8,B=512'");
  text("--levels", o.levels, "LEVELS",
       "instead of MAPPING: a tensor spread over levels, 'Slice: ...; Element: ...';\n"
       "they are Chip, Cluster, Slice, Row, Element, Time and Packet");
  command
      .add_option("--move", o.move,
                  "instead of MAPPING: how a sequencer reads the buffer FROM as the stream TO,\n"
                  "'Time: ...; Packet: ...', or one mapping for the packet")
      ->type_name("FROM TO")
      ->expected(2);
  auto* const all = command.add_flag("--all", o.all, "list all positions");
  auto* const from = command.add_option("--from", o.from, "show positions from this one on")->type_name("I")->check(at_least(0));
  auto* const limit = command.add_option("--limit", o.limit, "show this many positions")->type_name("N")->check(at_least(1));
  text("--svg", o.svg, "FILE", "write a picture to this file")->check(file_name());
  text("--type", o.type, "TYPE", "the elements' type, to count bytes: i4, i8, bf16, f32, ...");
  text("--chip", o.chip, "CHIP", "check against rngd (the default), rngd_s, logical, or a chip file");
  text("--memory", o.memory, "hbm|dm|trf|vrf", "with --levels: check against this memory; default: by the levels")
      ->check(one_of({"hbm", "dm", "trf", "vrf"}));
  command.add_flag("--store", o.write, "with --move: the stream TO is written into the buffer FROM");
  text("--absent", o.absent, "refused|broadcast",
       "with --move: how to treat steps of an axis that the buffer holds only in part;\n"
       "refused, as the book says, is the default")
      ->check(one_of({"refused", "broadcast"}));
  command.add_flag("--json", o.json, "answer in JSON");
  command.footer(
      "Notation: E / n counts blocks of n, E % n inside a block, E = n keeps the first n, E # n pads to n (#z zero,\n"
      "#! never to be touched), E #< n pads in front, E @ k starts at k, [E, F] groups, a bare n copies.\n"
      "Examples:\n"
      "  tcp layout --axes 'A=8,B=512' 'A / 2, B % 32 # 64'\n"
      "  tcp layout --axes 'A=8,B=512' 'B % 64, B / 64' --svg transposed.svg\n"
      "  tcp layout --axes 'A=8,B=512' 'A, B' --from 512 --limit 64\n"
      "  tcp layout --axes 'I=512,K=64' --levels 'Slice: I / 2; Element: I % 2, K' --type bf16 --chip rngd\n"
      "  tcp layout --axes 'I=32,J=8,K=64' --move 'I, K' 'Time: J, I; Packet: K' --type bf16\n"
      "Exit codes: 0 done, 1 error, 2 wrong usage; see tcp --help.");
  return [options, all, from, limit](Terminal& terminal) {
    options->part = all->count() + from->count() + limit->count() > 0;
    return layout(*options, terminal);
  };
}

}  // namespace tcp::tool
