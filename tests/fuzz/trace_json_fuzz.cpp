// Any bytes are a trace or are refused; what was read is written and read again as the same, and can be reported, compared, replayed and exported.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

#include "inputs.hpp"
#include "tcp/trace/diff.hpp"
#include "tcp/trace/json.hpp"
#include "tcp/trace/report.hpp"
#include "tcp/trace/what_if.hpp"

namespace {

constexpr std::size_t page = 100;

/// No line of a report is wider than a page; bytes beyond ASCII count as part of a character.
void check_width(const std::string& text) {
  std::size_t width = 0;
  for (char c : text) {
    if (c == '\n') width = 0;
    else if ((c & 0xc0) != 0x80 && ++width > page) __builtin_trap();
  }
}

void look_at(tcp::trace::Trace trace) {
  std::ostringstream out;
  tcp::trace::write_json(trace, out);
  auto const again = tcp::trace::read_json(out.view(), "fuzz.json");
  if (!again || *again != trace) __builtin_trap();
  tcp::trace::Report const report = tcp::trace::make_report(trace);
  check_width(tcp::trace::show(report, {3, false, true}));
  tcp::trace::write_json(report, out);
  tcp::trace::write_perfetto(trace, out);
  if (tcp::trace::slowdown(tcp::trace::compare(trace, trace)) != 0) __builtin_trap();
  tcp::trace::replay(trace);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto const trace = tcp::trace::read_json({reinterpret_cast<const char*>(data), size}, "fuzz.json");
  if (trace) look_at(*trace);
  else tcp::fuzz::check_sentence(trace.refusal());
  return 0;
}
