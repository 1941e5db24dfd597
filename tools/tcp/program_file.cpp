// Reads and parses a program, and refuses one without commands.
#include "program_file.hpp"

#include "tcp/ir/text.hpp"

namespace tcp::tool {

Verdict ProgramFile::check_not_empty() const {
  if (!module.commands.empty()) return accept();
  return refuse("tool-program-empty", {name, 1})
      .what("the program has no commands")
      .why("a program without commands moves nothing and computes nothing")
      .help("add commands such as move x -> y, or give the file that has them");
}

Expected<ProgramFile> read_program(const std::string& path, Terminal& terminal) {
  auto const file = io::MappedFile::open(path);
  if (!file) return file.refusal();
  std::string plain;
  for (char c : path) plain += c >= ' ' && c < 0x7f ? c : '?';
  ProgramFile program;
  program.name = terminal.file_names.emplace_back(std::move(plain)).c_str();
  program.file = *file;
  auto module = ir::parse(program.text(), program.name);
  if (!module) return module.refusal();
  program.module = *std::move(module);
  return program;
}

}  // namespace tcp::tool
