// A program in text form, read from a file; and a kernel or a crate held against every rule: what `tcp check` prints
// and what an editor shows.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tcp/io/file.hpp"
#include "tcp/ir/module.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/program/program.hpp"
#include "tcp/rust/crate.hpp"
#include "tool.hpp"

namespace tcp::tool {

struct ProgramFile {
  const char* name = "";  // kept by the terminal
  std::shared_ptr<const io::MappedFile> file;
  ir::Module module;
  bool names_kept = false;  // the module's places have their own files, whose names the terminal keeps

  std::string_view text() const { return {reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()}; }
  /// Refused: a program without commands, which would do nothing and say nothing.
  Verdict check_not_empty() const;
  /// A refusal about the module, pointing into the file for as long as the terminal lives: the module's own names end
  /// with it.
  Refusal about(Refusal r) const {
    if (r.at.known() && !names_kept) r.at.file = name;
    return r;
  }
};

/// `kernels.tcp`, or `kernels.tcp#2` for the second module of a file that has several, as dumps do; or the one of that
/// name.
Expected<ProgramFile> read_program(const std::string& given, Terminal& terminal, const std::string& kernel = {});
/// All modules of a file; of `kernels.tcp#2` that one.
Expected<std::vector<ProgramFile>> read_programs(const std::string& given, Terminal& terminal);

/// A kernel that no rule refuses.
struct CompiledKernel {
  ir::Verified verified;
  program::Program program;
};

/// By the rules that see a whole kernel: bytes that tensors share, room, what the engines can be told.
Expected<CompiledKernel> compile_module(const ir::Module& module, const Device& device);

struct CrateCheck {
  std::vector<rust::SourceError> errors;  // each once, though a helper's mistake shows in each kernel that calls it
  std::vector<std::string> notes, generic;
  std::set<std::string> scalars;  // the parameters of all of them that are numbers
  std::size_t kernels = 0, wrong = 0;
};

/// Checks the kernels of a crate, or this one. `visit` gets those that are right.
CrateCheck check_crate(const rust::Crate& crate, const Device& device, const rust::LaunchScalars& scalars, const rust::Kernel* only,
                       const std::function<void(const rust::Kernel&, const CompiledKernel&)>& visit = {});

}  // namespace tcp::tool
