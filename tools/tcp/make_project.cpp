// `tcp new`: a folder with a kernel, its host program and what builds them, from the files in share/tcp/project.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "command.hpp"
#include "options.hpp"
#include "read_text.hpp"
#include "tcp/io/file.hpp"
#include "tcp/support/version.hpp"
#include "write_file.hpp"

namespace tcp::tool {
namespace {

struct ProjectFile {
  const char* name;
  const char* in_share;  // hidden files are not hidden there
};
constexpr ProjectFile project_files[] = {
    {"CMakeLists.txt", "CMakeLists.txt"}, {"Makefile", "Makefile"}, {"README.md", "README.md"},       {"main.cpp", "main.cpp"},
    {".gitignore", "gitignore"},          {".clangd", "clangd"},    {".clang-format", "clang-format"}};

Verdict check_name(const std::string& name) {
  auto const is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  bool good = !name.empty() && name.size() <= 60 && is_letter(name[0]);
  for (char c : name) good = good && (is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-');
  if (good) return accept();
  return refuse("tool-project-name")
      .what("'", plain(name), "' cannot be the name of a project")
      .why("it names a folder and a project of CMake")
      .help("use at most 60 letters, digits, - and _, and begin with a letter");
}

/// Where the package that belongs to this program is installed; empty if it is not.
std::filesystem::path installed_prefix(const std::filesystem::path& share) {
  std::filesystem::path const prefix = share.parent_path().parent_path();
  std::error_code failed;
  return std::filesystem::exists(prefix / TCP_PACKAGE_IN_PREFIX / "TcpVisaConfig.cmake", failed) ? prefix : std::filesystem::path();
}

void replace_all(std::string& text, std::string_view from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) text.replace(at, from.size(), to);
}

Verdict make_project(const std::string& path, Terminal& terminal) {
  std::filesystem::path folder = std::filesystem::path(path).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // a slash at the end
  std::string const name = folder.filename().string();
  if (auto v = check_name(name); !v) return v;
  std::error_code failed;
  if (std::filesystem::exists(std::filesystem::symlink_status(folder, failed)))
    return refuse("tool-project-exists")
        .what(plain(folder.string()), " is there already")
        .why("nothing that you wrote is ever overwritten")
        .help("choose another name, or remove it first");
  std::filesystem::path const prefix = installed_prefix(terminal.share);
  std::vector<std::string> contents;
  for (const ProjectFile& each : project_files) {
    auto const file = io::MappedFile::open((terminal.share / "project" / each.in_share).string());
    if (!file) return file.refusal();
    std::string text(reinterpret_cast<const char*>((*file)->bytes().data()), (*file)->bytes().size());
    replace_all(text, "@NAME@", name);
    replace_all(text, "@VERSION@", library_version());
    if (prefix.empty()) replace_all(text, ", -I@PREFIX@/include", "");
    replace_all(text, "@PREFIX@", prefix.string());
    replace_all(text, "?= \n", "?=\n");
    contents.push_back(std::move(text));
  }
  if (!std::filesystem::create_directories(folder, failed)) return not_written(folder.string(), failed.message());
  for (std::size_t i = 0; i < contents.size(); ++i) {
    auto v = write_file((folder / project_files[i].name).string(), contents[i]);
    if (v) continue;
    std::filesystem::remove_all(folder, failed);  // ours since a moment ago: half a project is none
    return v;
  }
  terminal.out << "made " << folder.string() << ": a kernel in main.cpp, and what builds and checks it\n"
               << "next: cd " << folder.string() << " && make run" << (prefix.empty() ? " TCP=PREFIX" : "") << '\n';
  if (prefix.empty()) terminal.out << "where PREFIX is the folder into which tcp is installed; this program is not\n";
  return accept();
}

}  // namespace

Action declare_new(CLI::App& command) {
  auto const name = std::make_shared<std::string>();
  command.add_option("FOLDER", *name, "the folder to make; its last part is the name of the project")
      ->type_name("")
      ->required()
      ->check(not_empty("the name"));
  command.footer(
      "Examples:\n"
      "  tcp new hello && cd hello && make run\n"
      "Exit codes: 0 done, 1 error, 2 wrong usage; see tcp --help.");
  return [name](Terminal& terminal) { return make_project(*name, terminal); };
}

}  // namespace tcp::tool
