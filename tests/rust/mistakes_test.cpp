// Mistakes that people make, one to a kernel (mistakes.txt): each gives one error and no other, at its place, with the
// reason and with what to write instead. TCP_WRITE_MISTAKES=1 writes the errors again; read the difference.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "program_file.hpp"
#include "running.hpp"

namespace tcp::rust {
namespace {

constexpr const char* file_of_mistakes = TCP_SOURCE_DIR "/tests/rust/mistakes.txt";

/// `=== name`, with the edition behind it if one is asked for; the source; `---`; the error.
struct Case {
  std::string name, source, wanted;
  Edition edition;
};

struct CaseFile {
  std::string head, opening;
  std::vector<Case> cases;
};

CaseFile read_cases() {
  CaseFile file;
  std::ifstream in(file_of_mistakes);
  bool in_error = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("=== ")) {
      in_error = false;
      Case c;
      c.name = line.substr(4);
      if (std::size_t const at = c.name.find(" @ 0."); at != c.name.npos) c.edition = c.name[at + 5] == '1' ? 0 : c.name[at + 5] - '0';
      file.cases.push_back(std::move(c));
    } else if (line == "---") {
      in_error = true;
    } else if (file.cases.empty()) {
      (line.starts_with("#") ? file.head : file.opening) += line + "\n";
    } else if (in_error) {
      if (!line.empty()) file.cases.back().wanted += line + "\n";
    } else {
      file.cases.back().source += line + "\n";
    }
  }
  return file;
}

/// A whole kernel if it is one, otherwise the body of one that has `x` and `dm`.
std::string text_of(const CaseFile& file, const Case& c) {
  if (c.source.find("fn ") != std::string::npos && c.source.find("#[dev") != std::string::npos) return file.opening + c.source;
  return file.opening + "#[device(chip = 1)]\nfn kernel(ctx: &mut Context, x: &Hbm) -> Hbm {\n    let dm: Dm = x.to_dm(&mut ctx.tdma);\n" +
         c.source + "}\n";
}

std::string errors_in(const std::string& text, Edition edition) {
  Crate const crate = Crate::of_text("mistake.rs", text, edition);
  tool::CrateCheck const found = tool::check_crate(crate, rngd, {}, nullptr);
  std::string out;
  for (const SourceError& e : found.errors) {
    const Refusal& r = e.refusal;
    out += std::to_string(r.at.line) + ":" + std::to_string(r.at.column) + " " + r.code + ": " + std::string(r.headline.view()) + "\n";
    // The piece that is underlined: what is wrong, and no more.
    if (!e.line_text.empty() && e.end_line == r.at.line)
      out += "  at " + e.line_text.substr(r.at.column - 1, e.end_column - r.at.column) + "\n";
    out += "  help " + std::string(r.advice.view()) + "\n";
  }
  for (const SourceNote& n : crate.notes())
    out += std::to_string(n.at.line) + ":" + std::to_string(n.at.column) + " note: " + n.text + "\n";
  return out;
}

TEST(Mistakes, EachGivesOneErrorThatSaysWhatToWrite) {
  CaseFile const file = read_cases();
  bool const writes = std::getenv("TCP_WRITE_MISTAKES") != nullptr;
  std::string again = file.head + file.opening;
  EXPECT_GE(file.cases.size(), 40u);
  for (const Case& c : file.cases) {
    SCOPED_TRACE(c.name);
    std::string const said = errors_in(text_of(file, c), c.edition);
    if (!writes) {
      EXPECT_EQ(said, c.wanted);
    }
    std::istringstream lines(said);
    int errors = 0;
    for (std::string line; std::getline(lines, line);) errors += !line.starts_with("  ");
    EXPECT_EQ(errors, 1) << said;
    again += "=== " + c.name + "\n" + c.source + "---\n" + said + "\n";
  }
  again.pop_back();  // a file ends with one newline
  if (writes) std::ofstream(file_of_mistakes) << again;
}

/// All mistakes in one crate: as many errors as there are mistakes.
TEST(Mistakes, NoneHidesAnother) {
  CaseFile const file = read_cases();
  std::string text = file.opening;
  std::size_t kernels = 0;
  for (const Case& c : file.cases) {
    if (c.edition || c.source.find("fn ") != std::string::npos || c.source.find("axes!") != std::string::npos) continue;
    text += "#[device(chip = 1)]\nfn kernel_" + std::to_string(kernels++) +
            "(ctx: &mut Context, x: &Hbm) -> Hbm {\n    let dm: Dm = x.to_dm(&mut ctx.tdma);\n" + c.source + "}\n";
  }
  Crate const crate = Crate::of_text("mistakes.rs", text);
  tool::CrateCheck const found = tool::check_crate(crate, rngd, {}, nullptr);
  EXPECT_EQ(crate.kernels().size(), kernels);
  EXPECT_EQ(found.wrong, kernels);
  EXPECT_EQ(found.errors.size(), kernels);
}

}  // namespace
}  // namespace tcp::rust
