// The file of a trace, and what is made of it, as JSON (docs/trace.md).
// //
// The writer goes through the records and keeps no second form of them. The reader believes nothing: every key must be
// known and occur once, every number must name something that is there, and the times must be possible; what it refuses
// it names with the byte at which it stopped. After it, reports need no checks. Perfetto reads a JSON of its own.
#pragma once

#include <iosfwd>
#include <string_view>

#include "tcp/support/expected.hpp"
#include "tcp/support/version.hpp"
#include "tcp/trace/trace.hpp"

namespace tcp::trace {

struct Report;
struct Diff;

void write_json(const Trace& trace, std::ostream& out);
void write_json(const Report& report, std::ostream& out);
void write_json(const Diff& diff, std::ostream& out);

/// `file` is the name for messages. Law: read_json(write_json(t)) == t for every t that check accepts and whose texts
/// are UTF-8.
Expected<Trace> read_json(std::string_view text, std::string_view file);

/// Whether all numbers name something that is there, and the times are possible: what the reader asks for after the
/// form.
Verdict check(const Trace& trace, std::string_view file);

// A trace for Perfetto (ui.perfetto.dev) and other viewers of trace events: one track per resource, one slice per
// command, an arrow from what it waited for. A cycle is shown as a nanosecond.

void write_perfetto(const Trace& trace, std::ostream& out);

}  // namespace tcp::trace
