// Records of a program as words of a trace: which cause, which engine, which slices.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tcp/program/schedule.hpp"
#include "tcp/trace/trace.hpp"

namespace tcp::timeline {

const char* word_of(program::Engine engine);
const char* word_of(program::Stall cause);
const char* word_of(program::EdgeKind kind);
const char* word_of(program::Memory memory);
const char* word_of(program::Resource resource);
const char* word_of(program::OrderKind kind);

trace::Units units_of(const program::Units& units);

/// Those of 0 to 63 whose bit is set, as a text: "0-3,8".
std::string numbers_of(std::uint64_t bits);
/// Numbers that stand in order, as such a text.
std::string numbers_of(const std::set<std::int32_t>& numbers);

/// How the engines are set.
std::vector<trace::Setting> setting_texts(const program::Command& command);

}  // namespace tcp::timeline
