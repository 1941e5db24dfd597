// The vendor's words for queues and memories, as traces call them; words that we do not know stay as they are.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "tcp/io/dumps.hpp"

namespace tcp::io {

/// More than a trace counts.
inline constexpr std::int64_t most_dump_cycles = std::int64_t{1} << 40;

/// `MainContext` is main.
std::string resource_of_context(std::string_view context);
/// `DmaLoad` is a command of the tensor DMA; a type that is not known has a queue of its own.
std::string resource_of_type(std::string_view type);
/// `Sram` is DM.
std::string memory_of_buffer(std::string_view buffer);

/// The resources of a trace, each by its number.
class ResourceNumbers {
 public:
  explicit ResourceNumbers(trace::Trace& trace) : trace_(trace) {}
  std::int32_t of(const std::string& name) {
    auto const [at, fresh] = known_.try_emplace(name, static_cast<std::int32_t>(trace_.resources.size()));
    if (fresh) trace_.resources.push_back(name);
    return at->second;
  }

 private:
  trace::Trace& trace_;
  std::map<std::string, std::int32_t> known_;
};

/// Words for a message: none of them unprintable, and not too many.
std::string printable(std::string_view text, std::size_t most = 80);

trace::Trace empty_trace(const DumpOptions& options);

Refusal too_far_apart(std::string_view file, std::string_view where);
Refusal nothing_to_import(std::string_view file, std::string_view why);

Expected<trace::Trace> read_schedule_dump(std::string_view text, std::string_view file, const DumpOptions& options);
Expected<trace::Trace> read_chip_spans(std::string_view text, std::string_view file, const DumpOptions& options);

}  // namespace tcp::io
