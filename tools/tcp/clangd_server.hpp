// `tcp lsp --clangd PROGRAM`: clangd for kernels in C++, with what it shows made short.
#pragma once

#include <string>

#include "editor.hpp"
#include "tcp/support/expected.hpp"
#include "tool.hpp"

namespace tcp::tool {

/// Hands messages to clangd and back, until the editor or clangd ends. Changed on the way: hovers of stages, tensors
/// and mappings (cpp_hover.hpp), with the cycles of the line where `build/trace.json` has some; errors of ours, which
/// lose what the compiler says around them; fixes are added where the help says what to write. Refused: a program that
/// cannot be started.
Verdict serve_cpp(MessageChannel& editor, const std::string& clangd, Terminal& terminal);

}  // namespace tcp::tool
