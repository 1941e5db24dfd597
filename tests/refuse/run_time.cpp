// The run-time half of tests/refuse: each REFUSED and REFUSED_AT_RUN_TIME is one test, which compares the refusal with the nearest comment `// error[…` above it;
// each ACCEPTED_AT_RUN_TIME is one that must not be refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "refuse_test.hpp"

namespace tcp_refuse {

Asked*& first() {
  static Asked* head = nullptr;
  return head;
}

Asked::Asked(const char* of_file, int at_line, tcp::Refusal (*refuse)())
    : file(of_file), line(at_line), refusal(refuse), accepted(nullptr), next(first()) {
  first() = this;
}
Asked::Asked(const char* of_file, int at_line, tcp::Verdict (*accept)())
    : file(of_file), line(at_line), refusal(nullptr), accepted(accept), next(first()) {
  first() = this;
}

}  // namespace tcp_refuse

namespace {

using tcp_refuse::Asked;

constexpr std::size_t headline_limit = 300;

/// The compiler may name the file relative to the folder in which it ran.
std::filesystem::path file_of(const Asked& asked) {
  return std::filesystem::path(TCP_SOURCE_DIR) / "tests/refuse" / std::filesystem::path(asked.file).filename();
}

/// What the file says above a line: the code of its section, and the sentence that is expected.
struct Above {
  std::string code, sentence;
};

Above above(const Asked& asked) {
  Above found;
  std::ifstream in(file_of(asked));
  std::string line;
  for (int number = 1; number < asked.line && std::getline(in, line); ++number) {
    if (line.starts_with("// # ")) found = {line.substr(5), ""};
    std::size_t const begin = line.find_first_not_of(' ');
    if (begin != line.npos && line.compare(begin, 9, "// error[") == 0) found.sentence = line.substr(begin + 3);
  }
  return found;
}

bool printable(char c) { return c >= ' ' && c <= '~'; }

class AtRunTime : public testing::Test {
 public:
  explicit AtRunTime(const Asked& asked) : asked_(asked) {}

  void TestBody() override {
    if (asked_.accepted != nullptr) {
      tcp::Verdict const v = asked_.accepted();
      if (!v) ADD_FAILURE_AT(asked_.file, asked_.line) << "it must be accepted: " << v.refusal().sentence().view();
      return;
    }
    Above const expected = above(asked_);
    tcp::Refusal const refusal = asked_.refusal();
    std::string const sentence(refusal.sentence().view());
    EXPECT_EQ(sentence, expected.sentence) << "if the new sentence is the better one: scripts/refuse-expect " << expected.code;
    EXPECT_EQ(refusal.code, expected.code) << "the section is named after the code it tests";
    EXPECT_LE(refusal.headline.size(), headline_limit) << "the headline must fit a compiler's error line";
    EXPECT_LT(sentence.size(), std::size_t{tcp::Text::room}) << "the sentence was cut: shorten the headline or the help";
    EXPECT_TRUE(std::all_of(sentence.begin(), sentence.end(), printable))
        << "clang shows a text that is not plain ASCII as numbers: " << sentence;
    if (std::string_view(refusal.code) == "tool-check-failed") return;  // counts errors, each of which was printed with reason and help
    bool const says_it_all = std::string_view(refusal.code) == "tool-usage";  // the headline of a slip on the command line has the reason
    EXPECT_TRUE(says_it_all || !refusal.note.empty()) << "say why: .why(...)";
    EXPECT_FALSE(refusal.advice.empty()) << "say what to write instead: .help(...)";
  }

 private:
  const Asked& asked_;
};

void register_all() {
  std::vector<const Asked*> all;
  for (Asked* a = tcp_refuse::first(); a != nullptr; a = a->next) all.push_back(a);
  auto const order = [](const Asked* a) { return std::pair(std::string_view(a->file), a->line); };
  std::sort(all.begin(), all.end(), [&](const Asked* a, const Asked* b) { return order(a) < order(b); });
  for (const Asked* a : all) {
    std::string name = above(*a).code + (a->accepted != nullptr ? "_accepted" : "") + "_" + std::to_string(a->line);
    std::replace(name.begin(), name.end(), '-', '_');
    testing::RegisterTest(std::filesystem::path(a->file).stem().c_str(), name.c_str(), nullptr, nullptr, a->file, a->line,
                          [a]() -> testing::Test* { return new AtRunTime(*a); });
  }
}

/// For scripts/refuse-expect: file, line and sentence of each refusal.
void print_sentences() {
  for (Asked* a = tcp_refuse::first(); a != nullptr; a = a->next)
    if (a->refusal != nullptr) std::printf("%s\t%d\t%s\n", file_of(*a).c_str(), a->line, a->refusal().sentence().s);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--print-sentences") {
    print_sentences();
    return 0;
  }
  register_all();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
