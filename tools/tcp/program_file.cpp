// Reads programs from files, and checks them.
#include "program_file.hpp"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "read_text.hpp"
#include "tcp/ir/place.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/lower/lower.hpp"

namespace tcp::tool {

Verdict ProgramFile::check_not_empty() const {
  if (!module.commands.empty()) return accept();
  return refuse("tool-program-empty", {name, 1})
      .what("the program has no commands")
      .why("a program without commands moves nothing and computes nothing")
      .help("add commands such as move x -> y, or give the file that has them");
}

namespace {

/// `kernels.tcp#2` is the second module of a file; without a number it must have one only.
struct NumberedFile {
  std::string path;
  std::size_t number = 0;
};
NumberedFile numbered(const std::string& path) {
  std::size_t const sign = path.rfind('#');
  bool const digits =
      sign != path.npos && sign + 1 < path.size() && path.size() - sign < 9 && path.find_first_not_of("0123456789", sign + 1) == path.npos;
  std::error_code failed;
  if (!digits || std::filesystem::exists(path, failed)) return {path};
  return {path.substr(0, sign), static_cast<std::size_t>(std::stoul(path.substr(sign + 1)))};
}

Refusal which_module(const std::vector<ir::Module>& all, std::size_t asked) {
  Refusal r = refuse("tool-several-modules");
  if (asked == 0) r.what("the file has ", all.size(), " modules:");
  else r.what("the file has no module ", asked, "; it has ", all.size(), ":");
  for (std::size_t i = 0; i < all.size() && i < 8; ++i) r.what(i == 0 ? " " : ", ", i + 1, " ", plain(all[i].name));
  if (all.size() > 8) r.what(", ...");
  return r.why("a dump has every kernel that was launched, one after the other")
      .help("name one by its number after the file's name, as in kernels.tcp#", all.size());
}

/// A file in text form, of which no module is chosen yet.
Expected<ProgramFile> opened(const std::string& path, Terminal& terminal) {
  auto const file = io::MappedFile::open(path);
  if (!file) return file.refusal();
  std::string shown;
  for (char c : path) shown += c >= ' ' && c < 0x7f ? c : '?';
  ProgramFile program;
  program.name = terminal.file_names.emplace_back(std::move(shown)).c_str();
  program.file = *file;
  return program;
}

}  // namespace

Expected<std::vector<std::string>> names_of_modules(const std::string& given, Terminal& terminal) {
  auto const [path, number] = numbered(given);
  if (number != 0) {
    auto const one = read_program(given, terminal);
    if (!one) return one.refusal();
    return std::vector<std::string>{one->module.name};
  }
  auto const program = opened(path, terminal);
  if (!program) return program.refusal();
  auto const all = ir::parse_all(program->text(), program->name);
  if (!all) return all.refusal();
  std::vector<std::string> names;
  for (const ir::Module& m : *all) names.push_back(m.name);
  return names;
}

Expected<ProgramFile> read_program(const std::string& given, Terminal& terminal) {
  auto const [path, number] = numbered(given);
  auto found = opened(path, terminal);
  if (!found) return found.refusal();
  ProgramFile program = *std::move(found);
  auto all = ir::parse_all(program.text(), program.name);
  if (!all) return all.refusal();
  if (number > all->size() || (number == 0 && all->size() > 1)) return which_module(*all, number);
  program.module = std::move((*all)[number == 0 ? 0 : number - 1]);
  return program;
}

Expected<CompiledKernel> compile_module(const ir::Module& module, const Device& device) {
  auto verified = ir::verify(module, device);
  if (verified) verified = ir::placed(*std::move(verified));
  if (!verified) return verified.refusal();
  auto lowered = lower::lower(*verified);
  if (!lowered) return lowered.refusal();
  return CompiledKernel{*std::move(verified), *std::move(lowered)};
}

namespace {

/// What no kernel calls was not looked at.
void note_unread_helpers(const std::vector<rust::Helper>& helpers, const std::set<std::size_t>& called, std::vector<std::string>& notes) {
  constexpr std::size_t shown = 5;
  std::string names;
  std::size_t count = 0;
  for (std::size_t i = 0; i < helpers.size(); ++i) {
    if (called.contains(i)) continue;
    if (++count <= shown)
      names += (names.empty() ? "" : ", ") + helpers[i].name + " (" + helpers[i].file + ":" + std::to_string(helpers[i].line) + ")";
  }
  if (count > shown) names += " and " + std::to_string(count - shown) + " more";
  if (count != 0)
    notes.push_back(
        (count == 1 ? "no kernel calls this helper, which was not checked: " : "no kernel calls these helpers, which were not checked: ") +
        names);
}

}  // namespace

CrateCheck check_crate(const rust::Crate& crate, const Device& device, const rust::LaunchScalars& scalars, const rust::Kernel* only,
                       const std::function<void(const rust::Kernel&, const CompiledKernel&)>& visit) {
  CrateCheck found;
  found.errors = crate.errors();
  std::set<std::size_t> called, helped;
  std::vector<const rust::Kernel*> generic;
  for (const rust::Kernel& each : crate.kernels()) {
    if (only != nullptr && each.number != only->number) continue;
    const rust::Kernel& kernel = only != nullptr ? *only : each;
    if (kernel.generic && only == nullptr) {
      generic.push_back(&each);
      continue;
    }
    ++found.kernels;
    rust::KernelReading reading = crate.read(kernel, device, scalars);
    called.merge(reading.kernels);
    helped.merge(reading.helpers);
    found.scalars.insert(reading.scalars.begin(), reading.scalars.end());
    for (const std::string& note : reading.notes) found.notes.push_back(kernel.name + ": " + note);
    if (reading.module) {
      if (reading.module->results.empty())
        found.generic.push_back(kernel.name + " gives no result: it returns nothing, and writes to none of its arguments");
      auto const compiled = compile_module(*reading.module, device);
      if (!compiled) reading.errors.push_back(crate.error_at(compiled.refusal(), kernel));
      else if (visit) visit(kernel, *compiled);
    }
    if (!reading.errors.empty()) ++found.wrong;
    found.errors.insert(found.errors.end(), reading.errors.begin(), reading.errors.end());
  }
  for (const rust::Kernel* k : generic)
    found.generic.push_back(called.contains(k->number) ? k->name + " is generic, and was checked where other kernels call it"
                                                       : k->name + " is generic over " + crate.generics_of(*k) +
                                                             ", and no kernel calls it: it was not checked; --kernel '" + k->name +
                                                             "::<...>' says what its generics are");
  if (only == nullptr && found.errors.empty()) note_unread_helpers(crate.helpers(), helped, found.generic);
  std::set<std::string> seen;
  std::erase_if(found.errors, [&](const rust::SourceError& e) {
    return !seen.insert(std::string(e.refusal.code) + e.refusal.at.file + ":" + std::to_string(e.refusal.at.line) + ":" +
                        std::to_string(e.refusal.at.column))
                .second;
  });
  return found;
}

}  // namespace tcp::tool
