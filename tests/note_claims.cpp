// Writes down which rows passed on which paths: one line `FET-12 machine` for each, at the end of the file that TCP_CLAIMS_TO names. Without it nothing is written.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <regex>
#include <set>

#include "every_path.hpp"

namespace tcp::paths {
namespace {

std::set<Path> all_noted;

class Log : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override { all_noted.clear(); }
  void OnTestEnd(const testing::TestInfo& test) override {
    const char* const file = std::getenv("TCP_CLAIMS_TO");
    if (file == nullptr || !test.result()->Passed() || test.result()->Skipped()) return;
    std::FILE* const out = std::fopen(file, "a");
    if (out == nullptr) return;
    std::string const name = test.name();
    static const std::regex id("([A-Z]{3,5})_([0-9]+)");
    for (auto row = std::sregex_iterator(name.begin(), name.end(), id); row != std::sregex_iterator(); ++row) {
      std::fprintf(out, "%s-%s %s\n", (*row)[1].str().c_str(), (*row)[2].str().c_str(), TCP_PATH_OF_PROGRAM);
      for (Path p : all_noted) std::fprintf(out, "%s-%s %s\n", (*row)[1].str().c_str(), (*row)[2].str().c_str(), name_of(p));
    }
    std::fclose(out);
  }
};

const bool listening = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new Log);
  return true;
}();

}  // namespace

const char* name_of(Path path) {
  constexpr const char* names[] = {"rules", "reference", "vector", "lowering", "machine", "cycles"};
  return names[static_cast<int>(path)];
}

void note(Path path) { all_noted.insert(path); }
const std::set<Path>& noted() { return all_noted; }

}  // namespace tcp::paths
