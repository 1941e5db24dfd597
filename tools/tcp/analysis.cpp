// Reads a source as `tcp check` does, plans what is right in it, and keeps what editors ask for by file and line.
#include "analysis.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <tuple>

#include "editor.hpp"
#include "line_costs.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/mapping/print.hpp"
#include "tcp/runtime/plan.hpp"
#include "tcp/support/round.hpp"
#include "tcp/trace/report.hpp"

namespace tcp::tool {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

std::string shape_of(const ir::Module& module, const ir::Tensor& t) {
  std::string out;
  Levels const levels = module.levels(t);
  for (Level l : {Level::chip, Level::cluster, Level::slice, Level::row, Level::element}) {
    std::string const mapping(text(levels[l]).view().substr(2));  // without the m!
    if (mapping != "[1]") out += std::string(out.empty() ? "" : " ") + name_of(l) + mapping;
  }
  return out.empty() ? "one element" : out;
}

/// "8,192 bytes in each of 256 slices"
std::string bytes_of(const ir::Module& module, const ir::Tensor& t) {
  std::int64_t const each = ceil_div(module.map(t.element).size * scalar_info(t.type).packet_bits * module.map(t.row).size, 8);
  std::int64_t const slices = module.map(t.slice).size * module.map(t.cluster).size;
  std::string out = with_commas(each) + (each == 1 ? " byte" : " bytes");
  if (slices > 1) out += " in each of " + with_commas(slices) + (t.memory == Memory::Spm ? " PEs" : " slices");
  if (module.map(t.chip).size > 1) out += " of each of " + with_commas(module.map(t.chip).size) + " chips";
  return out;
}

std::string words_on(const ir::Module& module, const ir::Tensor& t) {
  std::string out = "**" + (t.name.empty() ? "tensor" : t.name) + "**: " + scalar_info(t.type).name + " in " + name_of(t.memory) + "  \n";
  out += "`" + shape_of(module, t) + "`  \n" + bytes_of(module, t);
  if (t.address) out += ", at " + with_commas(*t.address);
  return out;
}

/// The engine that does a stage's work, as traces name it.
std::string engine_of(std::string_view stage) {
  static constexpr std::pair<std::string_view, const char*> engines[] = {
      {"fetch", "Fetch"},          {"switch", "Switch"},      {"collect", "Collect"}, {"align", "Contraction"},
      {"contract", "Contraction"}, {"accumulate", "Reducer"}, {"cast", "Cast"},       {"transpose", "Transpose"},
      {"commit", "Commit"},        {"to_trf", "TRF store"},   {"to_vrf", "VRF store"}};
  if (stage.starts_with("vector")) return "Vector";
  if (stage.starts_with("commit")) return "Commit";
  for (auto const& [word, engine] : engines)
    if (stage == word) return engine;
  return "";
}

std::string cycles_in_words(const trace::Command& c) {
  std::string out = with_commas(c.length().value) + " cycles, from " + with_commas(c.start.value) + " to " + with_commas(c.end.value);
  if (c.critical) out += ", on the critical path";
  if (!c.slowest.empty()) out += "; " + c.slowest + " sets the pace";
  for (const trace::Part& stall : c.stalls) out += "; " + with_commas(stall.cycles.value) + " lost to " + stall.name;
  return out;
}

std::string words_on_stage(const trace::Command& c, const trace::Configuration& how, std::size_t i) {
  const trace::Setting& stage = how.stages[i];
  std::string out = "**" + stage.name + "** gives `" + stage.text + "`  \n";
  std::string const engine = engine_of(stage.name);
  for (const trace::Part& e : c.engines)
    if (e.name == engine) {
      out += engine + ": " + with_commas(e.cycles.value) + " of the pass's " + with_commas(c.length().value) + " cycles";
      out += engine == c.slowest ? ", and sets the pace  \n" : "; " + c.slowest + " sets the pace  \n";
    }
  for (const trace::Setting& s : how.settings)
    if (s.name == stage.name) out += "`" + s.text + "`: " + s.why + "  \n";
  return out;
}

}  // namespace

Analysis::Analysis(std::string file, const rust::UnsavedTexts& unsaved, const AnalysisOptions& options)
    : file_(std::move(file)), unsaved_(unsaved), options_(options) {
  if (file_.ends_with(".rs")) read_rust(unsaved);
  else read_text();
}

std::string Analysis::text_of(const std::string& file) const {
  if (auto const open = unsaved_.find(file); open != unsaved_.end()) return open->second;
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

void Analysis::add_error(rust::SourceError error) {
  std::string const file = error.refusal.at.known() ? error.refusal.at.file : file_;
  auto fix = fix_of(error, text_of(file));
  problems_[file].push_back({std::move(error), std::move(fix)});
}

void Analysis::read_rust(const rust::UnsavedTexts& unsaved) {
  auto crate = rust::Crate::open_around(file_, unsaved);
  if (!crate) {
    rust::SourceError e;
    e.refusal = crate.refusal();
    return add_error(std::move(e));
  }
  crate_ = *std::move(crate);
  CrateCheck const found = check_crate(
      *crate_, options_.device, {}, nullptr,
      [this](const rust::Kernel& k, const CompiledKernel& compiled) { add_kernel(k.name, Where(k.file.c_str(), k.line), compiled); });
  for (const rust::SourceError& e : found.errors) add_error(e);
  for (const rust::SourceNote& n : crate_->notes()) {
    Problem p;
    p.error.refusal = refuse("rust-macro").what(n.text);
    p.error.refusal.at = n.at;
    p.error.end_line = n.end_line;
    p.error.end_column = n.end_column;
    p.is_note = true;
    problems_[n.at.file].push_back(std::move(p));
  }
}

void Analysis::read_text() {
  std::string const text = text_of(file_);
  auto const refused = [this](const Refusal& r, const std::string& kernel) {
    rust::SourceError e;
    e.refusal = r;
    if (e.refusal.at.known()) e.refusal.at.file = file_.c_str();  // the module's own names end with it
    e.kernel = kernel;
    add_error(std::move(e));
  };
  auto const modules = ir::parse_all(text, file_.c_str());
  if (!modules) return refused(modules.refusal(), "");
  for (const ir::Module& module : *modules) {
    for (const ir::Tensor& t : module.tensors)
      if (!t.name.empty()) tensors_[t.name] = words_on(module, t);
    auto const compiled = compile_module(module, options_.device);
    if (!compiled) refused(compiled.refusal(), module.name);
    else add_kernel(module.name, module.commands.empty() ? Where() : Where(file_.c_str(), module.commands[0].at.line), *compiled);
  }
}

void Analysis::add_kernel(const std::string& name, const Where& at, const CompiledKernel& kernel) {
  PlanOptions how;
  how.model = options_.model;
  auto const planned = plan(kernel.program, options_.device, how);
  if (!planned) return;
  trace::Trace const trace = trace_of(kernel.program, *planned, options_.device);
  add_spots(kernel.verified, trace);
  add_costs(name, at, trace);
}

void Analysis::add_spot(const Where& at, std::string words) {
  if (!at.known()) return;
  std::vector<Spot>& line = spots_[at.file][at.line];
  auto const same = std::find_if(line.begin(), line.end(), [&](const Spot& s) { return s.column == at.column; });
  if (same == line.end()) line.push_back({at.column, std::move(words)});
  else ++same->rounds;
}

void Analysis::add_spots(const ir::Verified& verified, const trace::Trace& trace) {
  const ir::Module& module = verified.module();
  for (const ir::Tensor& t : module.tensors)
    if (!t.view && (t.role == ir::Role::argument || t.role == ir::Role::result)) add_spot(t.at, words_on(module, t));
  // A command of the module is found again by its place, and of those at one place by its turn.
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::vector<const trace::Command*>> at_place;
  for (const trace::Command& c : trace.commands)
    if (c.source != trace::none) {
      const trace::Source& s = trace.sources[static_cast<std::size_t>(c.source)];
      at_place[{s.file, s.line, s.column}].push_back(&c);
    }
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::size_t> turn;
  for (const ir::Command& command : module.commands) {
    if (!command.at.known()) continue;
    std::tuple<std::string, std::int64_t, std::int64_t> const place{command.at.file, command.at.line, command.at.column};
    auto const found = at_place.find(place);
    std::size_t const i = turn[place]++;
    if (found == at_place.end() || i >= found->second.size()) continue;
    const trace::Command& c = *found->second[i];
    const trace::Configuration none{},
        &how = c.configuration == trace::none ? none : trace.configurations[static_cast<std::size_t>(c.configuration)];
    std::string words = "**" + c.name + "**: " + cycles_in_words(c) + "  \n";
    if (const auto* pass = std::get_if<ir::Pass>(&command.what)) {
      for (std::size_t s = 0; s < pass->stages.size() && s < how.stages.size(); ++s) {
        const Where& at = pass->stages[s].at;
        bool const own = at.known() && (at.line != command.at.line || at.column != command.at.column);
        if (own) add_spot(at, words_on_stage(c, how, s));
      }
    } else {
      if (c.dma)
        words += with_commas(c.dma->bytes.value) + " bytes in runs of " + with_commas(c.dma->run.value) + " by " +
                 std::to_string(c.dma->engines) + " of " + std::to_string(c.dma->engines_of) + " engines  \n";
      for (const trace::Setting& s : how.settings) words += s.name + ": `" + s.text + "`: " + s.why + "  \n";
    }
    add_spot(command.at, std::move(words));
  }
}

void Analysis::add_costs(const std::string& kernel, const Where& at, const trace::Trace& trace) {
  trace::Report const report = trace::make_report(trace);
  for (auto const& [place, line] : line_costs(trace, report)) {
    CostOfLine& cost = costs_[line.file][static_cast<unsigned>(line.number)];
    if (!cost.kernel.empty() && line.cycles <= cost.cycles) continue;  // of a helper: the kernel that it costs most
    cost.kernel = kernel;
    cost.cycles = line.cycles;
    cost.lens = {static_cast<unsigned>(line.number), label(line, trace.makespan), ""};
    std::string& details = cost.lens.details;
    details = "in " + kernel + ": " + with_commas(line.busy.value) + " cycles of " + with_commas(line.commands) +
              (line.commands == 1 ? " command" : " commands");
    if (line.reason_cycles > Cycles{0}) details += "; waited " + with_commas(line.reason_cycles.value) + ": " + line.reason;
    for (const trace::Finding* f : line.findings) details += "\n" + f->rule + ": " + f->what + "; help: " + f->help;
  }
  if (!at.known()) return;
  CostOfLine& head = costs_[at.file][at.line];
  std::string const whole = kernel + ": " + with_commas(trace.makespan.value) + " cycles by the model " + trace.model;
  head.lens.label = head.lens.label.empty() ? whole : whole + "; " + head.lens.label;
  head.lens.line = at.line;
  head.kernel = kernel;
  if (!report.findings.empty())
    head.lens.details += (head.lens.details.empty() ? "" : "\n") + report.findings.front().rule + ": " + report.findings.front().help;
}

std::vector<LineLens> Analysis::lenses(const std::string& file) const {
  std::vector<LineLens> all;
  if (auto const found = costs_.find(file); found != costs_.end())
    for (auto const& [line, cost] : found->second) all.push_back(cost.lens);
  return all;
}

std::string Analysis::word_at(const std::string& file, unsigned line, unsigned column) const {
  auto const lines = lines_of(text_of(file));
  if (line == 0 || line > lines.size()) return {};
  const std::string& text = lines[line - 1];
  std::size_t at = 0;
  for (unsigned c = 1; c < column && at < text.size(); ++c)
    for (++at; at < text.size() && is_inside_character(text[at]);) ++at;
  std::size_t begin = at, end = at;
  while (begin > 0 && is_word_character(text[begin - 1])) --begin;
  while (end < text.size() && is_word_character(text[end])) ++end;
  return text.substr(begin, end - begin);
}

std::optional<std::string> Analysis::hover(const std::string& file, unsigned line, unsigned column) const {
  std::string const word = word_at(file, line, column);
  if (!crate_ && file == file_)
    if (auto const tensor = tensors_.find(word); tensor != tensors_.end()) return tensor->second;
  const Spot* best = nullptr;
  if (auto const in_file = spots_.find(file); in_file != spots_.end())
    if (auto const in_line = in_file->second.find(line); in_line != in_file->second.end())
      for (const Spot& s : in_line->second)
        if (s.column <= column && (best == nullptr || s.column > best->column)) best = &s;
  // A name inside the call is asked for by itself.
  auto const defined = definition(file, line, column);
  bool const is_use = defined && (defined->line != line || defined->file != file);
  if (is_use) {
    auto const lines = lines_of(text_of(defined->file));
    if (defined->line <= lines.size()) {
      std::string text = lines[defined->line - 1];
      text.erase(0, std::min(text.find_first_not_of(" \t"), text.size()));
      return "`" + text + "`" + (best != nullptr ? "\n\n" + best->words : "");
    }
  }
  if (best == nullptr) return {};
  return best->rounds > 1 ? best->words + "the first of " + with_commas(best->rounds) + " rounds" : best->words;
}

std::optional<Where> Analysis::definition(const std::string& file, unsigned line, unsigned column) const {
  if (crate_) return crate_->definition_at(file, line, column);
  return file == file_ ? text_definition(line, column) : std::optional<Where>();
}

/// In the text form a name is defined by `axes`, `using`, `table`, or after the memory of a tensor.
std::optional<Where> Analysis::text_definition(unsigned line, unsigned column) const {
  std::string const word = word_at(file_, line, column);
  if (word.empty()) return {};
  auto const lines = lines_of(text_of(file_));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string const text = lines[i].substr(0, lines[i].find("//"));
    for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; ++at) {
      if ((at > 0 && is_word_character(text[at - 1])) || (at + word.size() < text.size() && is_word_character(text[at + word.size()])))
        continue;
      std::size_t const behind = text.find_first_not_of(' ', at + word.size());
      char const next = behind == text.npos ? '\0' : text[behind];
      std::string const before = text.substr(0, at);
      std::size_t const end_of_word = before.find_last_not_of(' ');
      std::size_t begin_of_word = end_of_word == before.npos ? 0 : end_of_word + 1;
      while (begin_of_word > 0 && is_word_character(before[begin_of_word - 1])) --begin_of_word;
      std::string const left = end_of_word == before.npos ? "" : before.substr(begin_of_word, end_of_word + 1 - begin_of_word);
      bool const is_axis = next == '=' && text.substr(std::min(text.find_first_not_of(' '), text.size())).starts_with("axes ");
      bool const is_tensor = next == ':' && !left.empty() && left != "move";
      if (is_axis || is_tensor || left == "using" || left == "table")
        return Where(file_.c_str(), static_cast<unsigned>(i + 1), static_cast<unsigned>(at + 1));
    }
  }
  return {};
}

}  // namespace tcp::tool
