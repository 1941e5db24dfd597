// Writes C++ files with what `--emit cpp` prints of each kernel of a list, to be compiled into a test: write_emitted
// FOLDER COUNT plain|kept FILE...
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "tcp/device/chips.hpp"
#include "tcp/ir/cpp.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/rust/crate.hpp"
#include "tcp/support/render.hpp"

namespace {

using namespace tcp;

struct Printed {
  std::string file, kernel, text;
  std::int64_t chips;
};

/// The name of the function: what stands before the context of the last one.
std::string function_of(const std::string& text) {
  std::size_t const plain = text.rfind("(Context& "), quiet = text.rfind("([[maybe_unused]] Context& ");
  std::size_t const end = quiet == text.npos || (plain != text.npos && plain > quiet) ? plain : quiet;
  std::size_t const begin = text.find_last_of(" :*&", end - 1) + 1;
  return text.substr(begin, end - begin);
}

[[noreturn]] void give_up(const std::string& why) {
  std::cerr << why << '\n';
  std::exit(1);
}

void add(std::vector<Printed>& to, const std::string& file, const std::string& kernel, const Expected<std::string>& text,
         std::int64_t chips) {
  if (!text) give_up(file + ": " + kernel + ": " + render(text.refusal()));
  to.push_back({file, kernel, *text, chips});
}

void print_crate(std::vector<Printed>& to, const std::string& file, bool plain) {
  auto const crate = rust::Crate::open(file);
  if (!crate) give_up(render(crate.refusal()));
  for (const rust::Kernel& kernel : crate->kernels()) {
    if (kernel.generic) continue;
    auto const reading = crate->read(kernel, rngd);
    if (!reading.module) give_up(file + ": " + kernel.name + " is refused");
    add(to, file, kernel.name, plain ? ir::print_cpp(*reading.module) : crate->print_cpp(kernel, rngd), reading.module->chips);
  }
}

/// Left out: programs for another chip than the one that kernels are compiled for, and those that the typed front end
/// has no words for, which are tested to be refused.
void print_program(std::vector<Printed>& to, const std::string& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  std::string const content = text.str();
  auto const modules = ir::parse_all(content, file.c_str());
  if (!modules) give_up(render(modules.refusal()));
  for (const ir::Module& m : *modules) {
    if (!ir::verify(m, rngd)) continue;
    auto const printed = ir::print_cpp(m);
    if (!printed && printed.refusal().code == std::string_view("ir-not-in-cpp")) continue;
    add(to, file, m.name, printed, m.chips);
  }
}

/// Without its first lines, which include headers.
std::string without_includes(const std::string& text) {
  std::string out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with("#include")) out += line + "\n";
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) give_up("write_emitted FOLDER COUNT plain|kept FILE...");
  std::string const folder = argv[1], how = argv[3];
  auto const count = static_cast<std::size_t>(std::atoi(argv[2]));
  std::vector<Printed> all;
  for (int i = 4; i < argc; ++i) {
    std::string const file = argv[i];
    if (file.ends_with(".tcp")) print_program(all, file);
    else print_crate(all, file, how == "plain");
  }
  for (std::size_t n = 0; n < count; ++n) {
    std::ofstream out(folder + "/emitted_" + std::to_string(n) + ".cpp");
    out << "// What --emit cpp printed, written by write_emitted.\n#include <array>\n#include <tuple>\n\n#include "
           "\"rust/emitted/emitted.hpp\"\n";
    for (std::size_t i = n; i < all.size(); i += count) {
      std::string const scope = "emitted_" + std::to_string(i);
      out << "\nnamespace " << scope << " {\n"
          << without_includes(all[i].text) << "}  // namespace " << scope << "\nstatic tcp::emitted::Registered const of_" << scope << "(\""
          << all[i].file << "\", \"" << all[i].kernel << "\", [] { return tcp::emitted::module_of<" << all[i].chips << ">(&" << scope
          << "::kernels::" << function_of(all[i].text) << "); });\n";
    }
  }
}
