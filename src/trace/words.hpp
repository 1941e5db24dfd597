// How commands, lines and reasons are called in reports.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tcp/trace/trace.hpp"

namespace tcp::trace {

/// `gemm.cpp:12`, or `-`.
std::string place_of(const Source& source);
std::string place_of(const std::vector<Source>& sources, std::int32_t source);

/// "tile[3]" is one of the tiles, "tile[...]".
std::string family_of(const std::string& name);
/// Whether a tensor of many, "tile[3]", goes by its own name or by that of all.
enum class Naming { own, family };
/// Why the command could not start earlier: "reads x in DM, which main at gemm.cpp:12 writes". Needs a binding edge.
std::string reason_of(const Trace& trace, const Command& command, Naming naming = Naming::own);

/// "0-2,7" as numbers below `most_queues`.
inline constexpr std::int64_t most_queues = 1024;
std::vector<std::int64_t> numbers_of(std::string_view set);

/// 1,234,567.
std::string with_commas(std::int64_t n);
/// Ticks of the counter that chips are measured with; the most that a number holds where there are more.
std::int64_t ticks_of(Cycles cycles, std::int64_t per_cycle);
/// "12.3 %" of a whole; "-" of nothing.
std::string percent(std::int64_t part, std::int64_t whole);
/// "12 B", "1.5 KiB".
std::string in_bytes(std::int64_t bytes);

}  // namespace tcp::trace
