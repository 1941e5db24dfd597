// What a command is to the table in tool.cpp: its options, and what it then does.
#pragma once

#include <functional>

#include "tcp/support/expected.hpp"
#include "tool.hpp"

namespace CLI {
class App;
}

namespace tcp::tool {

/// Does the command; a refusal is the user's mistake and is shown by the caller.
using Action = std::function<Verdict(Terminal&)>;

/// Each declares its options on the given subcommand.
Action declare_layout(CLI::App& command);
Action declare_check(CLI::App& command);
Action declare_run(CLI::App& command);
Action declare_compile(CLI::App& command);
Action declare_fmt(CLI::App& command);
Action declare_plan(CLI::App& command);
Action declare_map(CLI::App& command);
Action declare_sweep(CLI::App& command);
Action declare_report(CLI::App& command);
Action declare_diff(CLI::App& command);
Action declare_view(CLI::App& command);
Action declare_import(CLI::App& command);
Action declare_fit(CLI::App& command);
Action declare_llama(CLI::App& command);
Action declare_new(CLI::App& command);
Action declare_explain(CLI::App& command);
Action declare_errors(CLI::App& command);
Action declare_lens(CLI::App& command);
Action declare_lsp(CLI::App& command);
Action declare_doctor(CLI::App& command);
Action declare_completion(CLI::App& command);
Action declare_manual(CLI::App& command);

/// The command was called in a way that is none of its own: exit code 2 instead of 1.
Refusal misuse(const std::string& what, const std::string& command);

}  // namespace tcp::tool
