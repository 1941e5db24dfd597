// The run-time half of tests/refuse: each file that registered itself is one test, which compares its refusal with the .expect beside it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "refuse_test.hpp"

namespace tcp_refuse {

Refusing*& first() {
  static Refusing* head = nullptr;
  return head;
}

Refusing::Refusing(const char* of_file, tcp::Refusal (*ask)()) : file(of_file), refusal(ask), next(first()) { first() = this; }

}  // namespace tcp_refuse

namespace {

using tcp_refuse::Refusing;
namespace fs = std::filesystem;

constexpr std::size_t headline_limit = 300;

std::string expectation_of(const fs::path& file) {
  std::ifstream in(fs::path(file).replace_extension(".expect"), std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

/// `mapping/mapping_size_not_divided_bad.cpp` tests the code `mapping-size-not-divided`.
std::string code_of(const fs::path& file) {
  std::string code = file.stem().string();
  if (code.ends_with("_bad")) code.resize(code.size() - 4);
  std::replace(code.begin(), code.end(), '_', '-');
  return code;
}

bool printable(char c) { return c >= ' ' && c <= '~'; }

class RefusedAtRunTime : public testing::Test {
 public:
  explicit RefusedAtRunTime(const Refusing& r) : file_(r.file), refusal_(r.refusal()) {}

  void TestBody() override {
    std::string const sentence(refusal_.sentence().view());
    EXPECT_EQ(sentence, expectation_of(file_)) << "if the new sentence is the better one: scripts/refuse-expect " << code_of(file_);
    EXPECT_EQ(refusal_.code, code_of(file_)) << "the file is named after the code it tests";
    EXPECT_LE(refusal_.headline.size(), headline_limit) << "the headline must fit a compiler's error line";
    EXPECT_LT(sentence.size(), std::size_t{tcp::Text::room}) << "the sentence was cut: shorten the headline or the help";
    EXPECT_TRUE(std::all_of(sentence.begin(), sentence.end(), printable))
        << "clang shows a text that is not plain ASCII as numbers: " << sentence;
    EXPECT_FALSE(refusal_.note.empty()) << "say why: .why(...)";
    EXPECT_FALSE(refusal_.advice.empty()) << "say what to write instead: .help(...)";
  }

 private:
  fs::path file_;
  tcp::Refusal refusal_;
};

void register_all() {
  for (Refusing* r = tcp_refuse::first(); r != nullptr; r = r->next) {
    fs::path const file(r->file);
    testing::RegisterTest(file.parent_path().filename().c_str(), file.stem().c_str(), nullptr, nullptr, r->file, 1,
                          [r]() -> testing::Test* { return new RefusedAtRunTime(*r); });
  }
}

/// For scripts/refuse-expect: one line a file, its path and its sentence.
void print_sentences() {
  for (Refusing* r = tcp_refuse::first(); r != nullptr; r = r->next) {
    std::printf("%s\t%s\n", r->file, r->refusal().sentence().s);
  }
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
