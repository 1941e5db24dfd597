// What the vendor's tools write, read as traces: the dump of a schedule (JSON), and the spans that a chip was measured
// with (text). docs/measurements.md describes both.
//
// Nothing is refused for being unknown: other fields, types and contexts are kept, and reports and the viewer show
// them. What cannot be used (lines that are no spans, commands without a possible time) is counted and said in
// Trace::facts. A file of which nothing can be used is refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tcp/support/expected.hpp"
#include "tcp/support/version.hpp"
#include "tcp/trace/trace.hpp"

namespace tcp::io {

enum class DumpKind { none, schedule, spans };

/// What a text is, by its contents.
DumpKind dump_kind(std::string_view text);

/// What the files do not say: the chip.
struct DumpOptions {
  std::string chip = "rngd";
  std::int64_t core_mhz = 1000;
  std::int64_t ticks_per_cycle = 2;  // spans are in ticks, traces in cycles
  /// A trace that was imported from the schedule of the same program: spans take their source lines from it.
  const trace::Trace* schedule = nullptr;
  /// The test whose spans are read. Empty: there must be one.
  std::string test{};
  /// Which of several runs of a test is read: the median of all, command by command; all of them, one after the other;
  /// or the one with this number, from 1 on.
  static constexpr std::int64_t median_of_runs = 0, all_runs = -1;
  std::int64_t run = median_of_runs;
};

/// Either of the two. `file` is the name for messages. Refused: a text that is neither, broken JSON, times further
/// apart than a trace counts, nothing that can be used, several tests of which none is chosen, and a test or a run that
/// there is not.
/// Law: trace::check accepts it.
Expected<trace::Trace> read_dump(std::string_view text, std::string_view file, const DumpOptions& options = {});

}  // namespace tcp::io
