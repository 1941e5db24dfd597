// The table of contents of the interpreter: every command, with the file that runs it. The stages of a pass are in
// stages.hpp.
#pragma once

#include "exec/reference/memory.hpp"

namespace tcp::reference {

/// What a command is run with.
struct CommandRun {
  const ir::Module& module;
  Memory& memory;
  const ir::CommandFacts& found;  // what the rules found of the command
};

Verdict execute(const ir::Transfer& transfer, const CommandRun& run);           // transfer.cpp
Verdict execute(const ir::HostTransfer& host_transfer, const CommandRun& run);  // host_transfer.cpp
Verdict execute(const ir::Memset& memset, const CommandRun& run);               // memset.cpp
Verdict execute(const ir::Pass& pass, const CommandRun& run);                   // pass.cpp

}  // namespace tcp::reference
