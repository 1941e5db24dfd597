// `tcp map`: a formula, its sizes, and the kernel that the mapper makes of it, with the reasons.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "command.hpp"
#include "map.hpp"
#include "options.hpp"
#include "tcp/formula/parse.hpp"
#include "tcp/ir/cpp.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/mapper/search.hpp"
#include "tcp/runtime/plan.hpp"
#include "tcp/trace/json.hpp"
#include "trace_page.hpp"
#include "write_file.hpp"

namespace tcp::tool {

Verdict write_program(const MapCommand& o, const Device& device, const ir::Verified& recorded, const Terminal& terminal) {
  if (!o.text_file.empty())
    if (auto v = write_file(o.text_file, ir::print(recorded.module())); !v) return v;
  if (!o.cpp_file.empty()) {
    auto const cpp = ir::print_cpp(recorded.module());
    if (!cpp) return cpp.refusal();
    if (auto v = write_file(o.cpp_file, *cpp); !v) return v;
  }
  if (o.trace_file.empty() && o.page_file.empty()) return accept();
  auto const program = lower::lower(recorded);
  if (!program) return program.refusal();
  auto const planned = plan(*program, device);
  if (!planned) return planned.refusal();
  trace::Trace const trace = trace_of(*program, *planned, device);
  if (!o.trace_file.empty()) {
    std::ostringstream text;
    trace::write_json(trace, text);
    if (auto v = write_file(o.trace_file, text.view()); !v) return v;
  }
  if (o.page_file.empty()) return accept();
  auto const page = page_of(terminal, {trace});
  if (!page) return page.refusal();
  return write_file(o.page_file, *page);
}

namespace {

constexpr const char* map_help = "tcp map --help";

/// `m=1000`.
Expected<std::vector<formula::NamedAxis>> sizes_of(const std::vector<std::string>& words) {
  std::vector<formula::NamedAxis> sizes;
  for (const std::string& word : words) {
    std::size_t const sign = word.find('=');
    char* end = nullptr;
    long long const n = sign == std::string::npos ? 0 : std::strtoll(word.c_str() + sign + 1, &end, 10);
    if (sign == std::string::npos || sign == 0 || end == word.c_str() + sign + 1 || *end != '\0')
      return misuse("'" + word.substr(0, 60) + "' is no size of an axis; write m=1000", map_help);
    sizes.push_back({word.substr(0, sign), n});
  }
  return sizes;
}

Verdict write_outputs(const MapCommand& o, const Device& device, const mapper::KernelMapping& mapping, const Terminal& terminal) {
  if (!o.store_file.empty())
    if (auto v = write_file(o.store_file, mapper::print(mapping)); !v) return v;
  if (!o.wants_program()) return accept();
  auto const kernel = mapper::make_kernel(device, mapping);
  if (!kernel) return kernel.refusal();
  auto const recorded = mapper::record(device, *kernel);
  if (!recorded) return recorded.refusal();
  return write_program(o, device, *recorded, terminal);
}

void show_json(const mapper::Found& found, const mapper::ProductBounds& bounds, std::ostream& out) {
  nlohmann::ordered_json all;
  auto const cycles = [](const mapper::Tried& t) {
    nlohmann::ordered_json one{{"book", t.book}, {"calibrated", t.calibrated}};
    if (t.detailed > 0) one["detailed"] = t.detailed;
    return one;
  };
  all["mapping"] = mapper::print(found.best.mapping);
  all["cycles"] = cycles(found.best);
  all["commands"] = found.best.commands;
  all["bounds"] = {{"rates", bounds.rates}, {"with_startups", bounds.with_startups}};
  all["order_of_sums"] = mapper::order_in_words(found.best.mapping);
  all["search"] = {{"placements", found.placements},
                   {"ruled_out", found.ruled_out},
                   {"scheduled", found.tried.size()},
                   {"proven", found.proven},
                   {"space_bound", found.space_bound}};
  for (const mapper::Tried& t : found.tried)
    all["tried"].push_back({{"bound", t.bound}, {"expected", t.expected}, {"cycles", cycles(t)}, {"mapping", mapper::print(t.mapping)}});
  for (const mapper::Reason& r : found.reasons)
    all["reasons"].push_back({{"decision", r.decision}, {"chosen", r.chosen}, {"other", r.other}, {"loses", r.loses}, {"why", r.why}});
  out << all.dump(2) << '\n';
}

void show(const mapper::Found& found, const mapper::ProductBounds& bounds, std::ostream& out) {
  const mapper::Tried& best = found.best;
  std::int64_t fastest = best.book;
  for (const mapper::Tried& t : found.tried) fastest = std::min(fastest, t.book);
  char line[200];
  out << mapper::print(best.mapping) << '\n';
  std::snprintf(line, sizeof line, "%-28s %12s  calibrated %s, detailed %s\n", "cycles (book)", with_commas(best.book).c_str(),
                with_commas(best.calibrated).c_str(), with_commas(best.detailed).c_str());
  out << line;
  std::snprintf(line, sizeof line, "%-28s %12s  %.2f times\n", "bound by rates", with_commas(bounds.rates).c_str(),
                static_cast<double>(best.book) / static_cast<double>(bounds.rates));
  out << line;
  std::snprintf(line, sizeof line, "%-28s %12s  %.2f times\n", "bound with start-ups", with_commas(bounds.with_startups).c_str(),
                static_cast<double>(best.book) / static_cast<double>(bounds.with_startups));
  out << line;
  std::snprintf(line, sizeof line, "%-28s %12zu\n", "commands", best.commands);
  out << line << "sums                         " << mapper::order_in_words(best.mapping) << '\n';
  if (found.placements == 0) return;  // nothing was searched
  out << "search                       " << with_commas(found.placements) << " placements, " << found.tried.size()
      << " mappings scheduled; ";
  if (found.proven) out << "no mapping of its space takes less in book\n";
  else
    out << "stopped at its budget: none takes less than " << with_commas(found.space_bound) << " ("
        << (fastest - found.space_bound) * 100 / std::max<std::int64_t>(fastest, 1) << " % less)\n";
  if (found.reasons.empty()) return;
  out << "\nThe best mapping with another choice:\n";
  for (const mapper::Reason& r : found.reasons) {
    std::string const change = std::string(r.decision) + ": " + r.other + " instead of " + r.chosen;
    std::snprintf(line, sizeof line, "  %-36s %9s  ", change.c_str(), ((r.loses > 0 ? "+" : "") + with_commas(r.loses)).c_str());
    out << line << r.why << '\n';
  }
}

/// The search as a picture: the mappings in the order in which they were scheduled, each from its bound up to its
/// cycles; and below what the other choices lose.
class SearchPicture {
 public:
  SearchPicture(const mapper::Found& found, const mapper::ProductBounds& bounds) : found_(found), bounds_(bounds) {
    for (const mapper::Tried& t : found.tried) most_ = std::max({most_, t.book, t.calibrated});
  }

  std::string svg() const {
    std::int64_t const reasons = static_cast<std::int64_t>(found_.reasons.size()), height = bottom + 66 + 20 * reasons;
    out_ << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width << "\" height=\"" << height << "\" viewBox=\"0 0 " << width << ' '
         << height
         << "\" role=\"img\">\n<title>the search for a mapping</title>\n<style>svg { font-family: system-ui, 'DejaVu Sans', sans-serif; "
            "font-size: 12px } text { fill: #1c1c1c } .page { fill: #ffffff } .line { stroke: #8a8a8a } .least { stroke: #009e73; "
            "stroke-dasharray: 5 4 } .book { fill: #0072b2 } .calibrated { fill: none; stroke: #e69f00; stroke-width: 2 } "
            ".chosen { fill: none; stroke: #d55e00; stroke-width: 2 } .e { text-anchor: end } "
            "@media (prefers-color-scheme: dark) { text { fill: #e8e8e8 } .page { fill: #14161a } }</style>\n<rect class=\"page\" width=\""
         << width << "\" height=\"" << height << "\"/>\n<text x=\"" << left << "\" y=\"18\">cycles of the mappings, in the order in which "
         << "they were scheduled: from the bound up to book (dot) and calibrated (ring)</text>\n";
    level(bounds_.with_startups, "bound");
    level(found_.space_bound, "none below");
    level(found_.best.book, "chosen");
    for (std::size_t i = 0; i < found_.tried.size(); ++i) tried(i);
    for (std::int64_t i = 0; i < reasons; ++i) reason(found_.reasons[static_cast<std::size_t>(i)], bottom + 50 + 20 * i);
    out_ << "</svg>\n";
    return out_.str();
  }

 private:
  static std::string words(const std::string& text) {
    std::string out;
    for (char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
    return out;
  }
  std::int64_t height_of(std::int64_t cycles) const { return bottom - (bottom - top) * cycles / std::max<std::int64_t>(most_, 1); }
  void level(std::int64_t cycles, const char* name) const {
    std::int64_t const y = height_of(cycles);
    out_ << "<path class=\"least\" d=\"M" << left << ',' << y << "H" << width - right << "\"/><text class=\"e\" x=\"" << left - 6
         << "\" y=\"" << y + 4 << "\">" << with_commas(cycles) << "</text><text x=\"" << width - right + 6 << "\" y=\"" << y + 4 << "\">"
         << name << "</text>\n";
  }
  void tried(std::size_t i) const {
    const mapper::Tried& t = found_.tried[i];
    std::int64_t const x =
        left + (width - left - right) * (2 * static_cast<std::int64_t>(i) + 1) / (2 * static_cast<std::int64_t>(found_.tried.size()));
    out_ << "<g><title>book " << with_commas(t.book) << ", calibrated " << with_commas(t.calibrated) << ", bound " << with_commas(t.bound)
         << "\n\n"
         << words(mapper::print(t.mapping)) << "</title><path class=\"line\" d=\"M" << x << ',' << height_of(t.bound) << "V"
         << height_of(t.book) << "\"/><circle class=\"calibrated\" cx=\"" << x << "\" cy=\"" << height_of(t.calibrated)
         << "\" r=\"4\"/><circle class=\"book\" cx=\"" << x << "\" cy=\"" << height_of(t.book) << "\" r=\"4\"/>";
    if (t.mapping == found_.best.mapping)
      out_ << "<circle class=\"chosen\" cx=\"" << x << "\" cy=\"" << height_of(t.book) << "\" r=\"8\"/>";
    out_ << "</g>\n";
  }
  void reason(const mapper::Reason& r, std::int64_t y) const {
    std::int64_t most = 1;
    for (const mapper::Reason& each : found_.reasons) most = std::max(most, each.loses);
    std::int64_t const begin = left + 230, length = std::max<std::int64_t>(r.loses, 0) * (width - right - begin - 70) / most;
    out_ << "<g><title>" << words(r.why) << "</title><text class=\"e\" x=\"" << begin - 8 << "\" y=\"" << y << "\">"
         << words(r.decision + ": " + r.other + " instead of " + r.chosen) << "</text><rect class=\"book\" x=\"" << begin << "\" y=\""
         << y - 10 << "\" width=\"" << length + 1 << "\" height=\"12\"/><text x=\"" << begin + length + 8 << "\" y=\"" << y << "\">"
         << (r.loses > 0 ? "+" : "") << with_commas(r.loses) << "</text></g>\n";
  }

  static constexpr std::int64_t width = 860, left = 90, right = 90, top = 40, bottom = 330;
  const mapper::Found& found_;
  const mapper::ProductBounds& bounds_;
  std::int64_t most_ = 0;
  mutable std::ostringstream out_{};
};

/// A note for each chip number of `--set` without which the mapping takes as long in every model.
void note_settings_without_effect(const MapCommand& o, const mapper::Tried& best, Terminal& terminal) {
  for (const std::string& setting : o.settings) {
    std::vector<std::string> others = o.settings;
    std::erase(others, setting);
    auto const chip = chosen_device(o.chip.empty() ? "rngd" : o.chip, others);
    auto const with = mapper::try_mapping(*chosen_device(o.chip.empty() ? "rngd" : o.chip, o.settings), best.mapping, true);
    auto const without = chip ? mapper::try_mapping(*chip, best.mapping, true) : with;
    if (with && without && chip &&
        std::tuple(with->book, with->calibrated, with->detailed) == std::tuple(without->book, without->calibrated, without->detailed))
      terminal.err << "note: " << setting.substr(0, 100) << " has no effect here: " << with_commas(best.book)
                   << " cycles with it and without it\n";
  }
}

Verdict make_map(const MapCommand& o, Terminal& terminal) {
  auto const chip = chosen_device(o.chip.empty() ? "rngd" : o.chip, o.settings);
  if (!chip) return chip.refusal();
  std::vector<std::pair<std::string, std::string>> const outputs{{"--text", o.text_file},   {"--cpp", o.cpp_file},
                                                                 {"--trace", o.trace_file}, {"--page", o.page_file},
                                                                 {"--save", o.store_file},  {"--picture", o.picture_file}};
  if (auto v = keep_apart(outputs, {o.mapping_file, o.chip}, map_help); !v) return v;
  if (o.formula.empty() == o.mapping_file.empty())
    return misuse(o.formula.empty() ? "a formula is missing, or --mapping FILE" : "a formula and --mapping: a mapping has its formula",
                  map_help);

  mapper::Found found;
  mapper::ProductBounds bounds;
  if (!o.mapping_file.empty()) {
    std::ifstream in(o.mapping_file, std::ios::binary);
    std::ostringstream text;
    if (!in || !(text << in.rdbuf())) return misuse("there is no mapping in " + o.mapping_file.substr(0, 100), map_help);
    auto const mapping = mapper::read_mapping(text.str(), *chip);
    if (!mapping) return mapping.refusal();
    auto const tried = mapper::try_mapping(*chip, *mapping, true);
    if (!tried) return tried.refusal();
    found.best = *tried;
    found.tried.push_back(*tried);
    found.space_bound = tried->book;
    bounds = mapper::bounds_of(*chip, mapping->product);
  } else {
    auto const parsed = formula::parse(o.formula);
    if (!parsed) return parsed.refusal();
    auto const sizes = sizes_of(o.sizes);
    if (!sizes) return sizes.refusal();
    auto const sized = formula::with_sizes(*parsed, *sizes);
    if (!sized) return sized.refusal();
    auto const product = mapper::product_of(*sized);
#ifndef TCP_WITHOUT_LLAMA
    if (!product && product.refusal().code == std::string_view("mapper-formula"))
      return map_rows(o, *chip, *sized, product.refusal(), terminal);
#endif
    if (!product) return product.refusal();
    mapper::SearchOptions search;
    search.dual = !o.no_dual;
    search.plans = o.plans;
    search.reasons = !o.no_reasons;
    if (!o.pin.empty()) {
      auto const pin = mapper::read_pin(o.pin, *product);
      if (!pin) return pin.refusal();
      search.pin = *pin;
    }
    auto made = mapper::search(*chip, *product, search);
    if (!made) return made.refusal();
    found = *std::move(made);
    bounds = mapper::bounds_of(*chip, *product);
  }
  if (auto v = write_outputs(o, *chip, found.best.mapping, terminal); !v) return v;
  if (!o.picture_file.empty())
    if (auto v = write_file(o.picture_file, SearchPicture(found, bounds).svg()); !v) return v;
  note_settings_without_effect(o, found.best, terminal);
  if (o.json) show_json(found, bounds, terminal.out);
  else show(found, bounds, terminal.out);
  return accept();
}

}  // namespace

Action declare_map(CLI::App& command) {
  auto const options = std::make_shared<MapCommand>();
  MapCommand& o = *options;
  command.add_option("FORMULA", o.formula, "what is to be computed: 'C[m,n] = sum[k] A[m,k] * B[n,k]{any}'")->type_name("");
  command.add_option("SIZE", o.sizes, "the sizes of its axes: m=1000 n=1000 k=1000")->type_name("");
  command.add_option("--pin", o.pin, "decisions that are given, as lines of a mapping with ';' between them: 'keep: A; ring: 128'")
      ->type_name("LINES");
  command.add_option("--mapping", o.mapping_file, "no search: the mapping of this file")->type_name("FILE")->check(file_name());
  command.add_flag("--no-dual", o.no_dual, "without main.dual");
  command.add_option("--plans", o.plans, "how many mappings are scheduled at most; default 64")->type_name("N")->check(at_least(1));
  command.add_flag("--no-reasons", o.no_reasons, "do not look for the best mapping with another choice");
  command.add_option("--save", o.store_file, "write the mapping, to be read by --mapping")->type_name("FILE")->check(file_name());
  command.add_option("--text", o.text_file, "write the kernel in text form")->type_name("FILE")->check(file_name());
  command.add_option("--cpp", o.cpp_file, "write the kernel as C++")->type_name("FILE")->check(file_name());
  command.add_option("--trace", o.trace_file, "write its plan as a trace")->type_name("FILE")->check(file_name());
  command.add_option("--page", o.page_file, "write the page of tcp view")->type_name("FILE")->check(file_name());
  command.add_option("--picture", o.picture_file, "draw the search, and what other choices lose: an SVG for a browser")
      ->type_name("FILE")
      ->check(file_name());
  command.add_option("--chip", o.chip, "the chip: rngd, or a file; default rngd")->type_name("CHIP")->check(file_name());
  command.add_option("--set", o.settings, "a number of the chip, by its key in a chip file: hbm.clock=1500")->type_name("NAME=NUMBER");
  command.add_flag("--json", o.json, "answer in JSON, with all mappings that were scheduled");
  command.footer(
      "Operands are stored row after row; {any} after one leaves it to the mapper. A mapping is cut down to its decisions,\n"
      "a line each: --save writes it, --mapping plans it again after you changed a line.\n"
      "Examples:\n"
      "  tcp map 'C[m,n] = sum[k] A[m,k] * B[n,k]{any}' m=1000 n=1000 k=1000\n"
      "  tcp map 'C[m,n] = gelu(sum[k] A[m,k] * B[n,k] + bias[n])' m=512 n=512 k=512 --pin 'keep: B'\n"
      "  tcp map 'y[n] = sum[k] x[k] * W[n,k]{any}' n=4096 k=4096 --cpp gemv.cpp --page gemv.html\n"
      "  tcp map 'S[h,q,s] = sum[d] Q[q,h,d] * K[s,h,d]' h=32 q=128 s=512 d=128\n"
      "  tcp map 'c[m] = max[n] x[m,n]; s[m] = sum[n] exp(x[m,n]-c[m]); y[m,n] = exp(x[m,n]-c[m]) / s[m]' m=64 n=4096\n"
      "  tcp map 'y[h,w,f] = sum[r,s,c] x[h+r-1 : 56, w+s-1 : 56, c]{any} * W[f,r,s,c]{any}' h=56 w=56 f=64 r=3 s=3 c=64\n"
      "Exit codes: 0 done, 1 error, 2 wrong usage; see tcp --help.");
  return [options](Terminal& terminal) { return make_map(*options, terminal); };
}

}  // namespace tcp::tool
