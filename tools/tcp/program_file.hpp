// A program in text form, read from a file.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tcp/io/file.hpp"
#include "tcp/ir/module.hpp"
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

/// `kernels.tcp`, or `kernels.tcp#2` for the second module of a file that has several, as dumps do.
Expected<ProgramFile> read_program(const std::string& given, Terminal& terminal);

}  // namespace tcp::tool
