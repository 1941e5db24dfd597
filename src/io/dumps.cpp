// Tells the vendor's files apart, and has what their readers share.
#include "tcp/io/dumps.hpp"

#include <algorithm>

#include "io/dump_names.hpp"
#include "tcp/support/version.hpp"

namespace tcp::io {

namespace {

struct Renamed {
  std::string_view theirs, ours;
};
constexpr Renamed context_names[] = {
    {"DmaEngine", "tensor DMA"}, {"MainContext", "main"}, {"SubContext", "sub"}, {"VectorEngine", "vector engine"}, {"PeCore", "core"}};
constexpr Renamed type_names[] = {{"Main", "main"}, {"Sub", "sub"}, {"Core", "core"}};
constexpr Renamed buffer_names[] = {{"Dram", "HBM"}, {"Sram", "DM"}, {"Trf", "TRF"}, {"Vrf", "VRF"}, {"Spm", "SPM"}};

template <std::size_t N>
std::string renamed(const Renamed (&all)[N], std::string_view word) {
  auto const at = std::find_if(std::begin(all), std::end(all), [word](const Renamed& r) { return r.theirs == word; });
  return std::string(at == std::end(all) ? word : at->ours);
}

/// Whether a line begins with `SPAN `.
bool has_span(std::string_view text) {
  constexpr std::string_view word = "SPAN ";
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
    if (at == 0 || text[at - 1] == '\n') return true;
  return false;
}

}  // namespace

std::string resource_of_context(std::string_view context) { return renamed(context_names, context); }
std::string resource_of_type(std::string_view type) {
  if (type.starts_with("Dma")) return "tensor DMA";
  return type.empty() ? "unknown" : renamed(type_names, type);
}
std::string memory_of_buffer(std::string_view buffer) { return renamed(buffer_names, buffer); }

std::string printable(std::string_view text, std::size_t most) {
  std::string out;
  for (char c : text.substr(0, most)) out += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > most ? out + "..." : out;
}

trace::Trace empty_trace(const DumpOptions& options) {
  trace::Trace t;
  t.tool = std::string("tcp ") + library_version();
  t.chip = options.chip;
  t.core_mhz = options.core_mhz;
  t.ticks_per_cycle = options.ticks_per_cycle;
  return t;
}

Refusal too_far_apart(std::string_view file, std::string_view where) {
  return refuse("import-too-long")
      .what(printable(file), ": ", printable(where), " is further from the first time in the file than a trace counts")
      .why("cycles of a trace are below 2^40, which is eighteen minutes; a number that is greater was not read from a counter")
      .help("look at the number, and leave the line out if the harness went wrong there");
}

Refusal nothing_to_import(std::string_view file, std::string_view why) {
  return refuse("import-nothing")
      .what(printable(file), ": nothing can be used: ", why)
      .why("a trace is made of commands, each with a begin and an end after it")
      .help("look at the file: a harness that went wrong, or a scheduler that planned no command, writes such a one");
}

DumpKind dump_kind(std::string_view text) {
  std::size_t const first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && text[first] == '{' && text.find("\"instructions\"") != text.npos) return DumpKind::schedule;
  return has_span(text) ? DumpKind::spans : DumpKind::none;
}

Expected<trace::Trace> read_dump(std::string_view text, std::string_view file, const DumpOptions& options) {
  switch (dump_kind(text)) {
    case DumpKind::schedule: return read_schedule_dump(text, file, options);
    case DumpKind::spans: return read_chip_spans(text, file, options);
    case DumpKind::none: break;
  }
  return refuse("import-format")
      .what(printable(file), ": this is neither the dump of a schedule nor a text with spans")
      .why("a dump is a JSON object with a list `instructions`; spans are lines SPAN test cl=0 beg=1 end=2 dur=1 name=Main#7")
      .help("give the file that the vendor's scheduler wrote, or what the harness printed on the chip");
}

}  // namespace tcp::io
