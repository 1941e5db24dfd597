// Records of a program as words of a trace: which cause, which engine, which slices.
#pragma once

#include <string>
#include <vector>

#include "tcp/program/schedule.hpp"
#include "tcp/trace/trace.hpp"

namespace tcp::sched {

const char* word_of(program::Engine engine);
const char* word_of(program::Stall cause);
const char* word_of(program::EdgeKind kind);
const char* word_of(program::Memory memory);
const char* word_of(program::Resource resource);

trace::Units units_of(const program::Units& units);

/// How the engines are set.
std::vector<trace::Setting> settings_of(const program::Command& command);

}  // namespace tcp::sched
