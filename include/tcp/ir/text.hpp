// The text form of a module, for files named *.tcp: what a person reads when a kernel was recorded, and writes when
// there is no C++ at hand.
//
//   module add_one
//   axes A = 2048
//
//   argument hbm in: i32 Element[A] at 0
//   dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
//   dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
//   result hbm out: i32 Element[A] at 268435456
//
//   move in -> x
//   main.begin(x)
//     .fetch i32 Time[1] Packet[A % 8]
//     .collect
//     .vector_init
//     .vector_intra_slice_branch(Unconditional)
//     .vector_fxp(AddFxp, 1)
//     .vector_final
//     .commit(y)
//   move y -> out
//
// docs/text-form.md has the grammar. Every field of a Module can be written; what is not said has the value that it had
// one stage before, or its default.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tcp/ir/module.hpp"
#include "tcp/support/expected.hpp"
#include "tcp/support/version.hpp"

namespace tcp::ir {

struct PrintStyle {
  bool locations = false;  // where a tensor, command or stage was written follows it, as a comment
};

/// The canonical text.
///
/// Law: same_program(parse(print(m)), m) for every module whose numbers all name something, whose mappings are sound,
/// whose views and regions refer to earlier ones, and whose vector steps are well formed (verify refuses all others).
/// Law: print(parse(t)) is a text that print(parse(.)) leaves as it is.
std::string print(const Module& module, const PrintStyle& style = {});

/// Reads a module; verify() says whether it is a program. What was read knows its line and column. Refused, by line and
/// column: whatever is not in the grammar, names that were not declared before. Takes time in proportion to the text.
///
/// A refusal refers to `file_name`, which must outlive it. The module keeps a copy.
Expected<Module> parse(std::string_view text, const char* file_name);

/// Reads all modules of a text, as a dump of several kernels has them: each begins with a line `module name`. A text
/// without such a line is one module.
/// Law: parse_all(print(a) + print(b)) is a and b, if both have a name.
Expected<std::vector<Module>> parse_all(std::string_view text, const char* file_name);

/// Equal but for source locations and the order of `maps`.
bool same_program(const Module& a, const Module& b);

}  // namespace tcp::ir
