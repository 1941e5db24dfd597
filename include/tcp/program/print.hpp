// A program as people read it: sequencers in the book's form, [size : stride, ...] @ base / bytes at once, outermost
// first, and what every setting is for.
//
//   command 1, main: Main, VectorEngine; add_one.tcp:11
//     fetch        [8192 : 32] @ 0 / 32
//
// Nothing reads it back; encode.hpp and json.hpp have the forms that are read.
#pragma once

#include <string>
#include <vector>

#include "tcp/program/program.hpp"

namespace tcp::program {

/// How one stage of a command is set, and why.
struct Setting {
  std::string stage;          // as the text form of the IR names it: fetch, align, commit, ...; of a transfer, dma
  std::string configuration;  // in the book's form
  std::string why;            // one sentence with the numbers
};

/// One setting for each stage of a pass, in their order, or for each descriptor of a transfer.
std::vector<Setting> settings_of(const Command& command);

std::string print(const std::vector<Loop>& loops);  // [4 : 512, 32 : 2]
std::string print(const Sequencer& sequencer);      // [4 : 512] @ 4096 / 32
std::string print(const SliceSet& slices);          // 0-15,32
std::string print(const Units& units);              // cluster 0, slices 0-255
std::string print_resources(Resources resources);   // Main, VectorEngine

/// What the debug section knows of a command; nothing if it has no entry.
const DebugCommand* debug_of(const Program& program, const Command& command);
/// A line of the debug section by its number; nothing if it is none of them.
const SourceLine* line_of(const Program& program, std::int32_t number);
/// The place as `file:line`; empty if that is not known.
std::string place_of(const SourceLine* line);
/// i32 in DM Slice[A / 8] Element[A % 8].
std::string shape_of(const DebugTensor& tensor);
/// The name that people see of a tensor of Debug::tensors: its own, or its number.
std::string name_of(const Program& program, std::int32_t tensor);

/// The whole program.
std::string print(const Program& program);

}  // namespace tcp::program
