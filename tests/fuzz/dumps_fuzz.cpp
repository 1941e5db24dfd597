// Any bytes are what the vendor's tools wrote or are refused; what was read is a trace that can be checked, written, read again and reported.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string_view>

#include "inputs.hpp"
#include "tcp/io/dumps.hpp"
#include "tcp/trace/diff.hpp"
#include "tcp/trace/json.hpp"
#include "tcp/trace/report.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto const trace = tcp::io::read_dump({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!trace) {
    tcp::fuzz::check_sentence(trace.refusal());
    return 0;
  }
  if (!tcp::trace::check(*trace, "fuzz")) __builtin_trap();
  std::ostringstream out;
  tcp::trace::write_json(*trace, out);
  auto const again = tcp::trace::read_json(out.view(), "fuzz.json");
  if (!again || again->commands.size() != trace->commands.size()) __builtin_trap();
  (void)tcp::trace::show(tcp::trace::make_report(*trace));
  if (tcp::trace::slowdown(tcp::trace::compare(*trace, *again)) != 0) __builtin_trap();
  return 0;
}
