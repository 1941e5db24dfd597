#include "tcp/trace/source_text.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace tcp::trace_test {
namespace {

TEST(SourceText, has_lines_without_the_blanks_around_them) {
  std::filesystem::path const file = std::filesystem::path(testing::TempDir()) / "source_text_test.cpp";
  std::ofstream(file) << "first\n  second();\t\n\n" << std::string(300, 'x') << "\n";
  trace::SourceText text;
  EXPECT_EQ(text.line(file, 1), "first");
  EXPECT_EQ(text.line(file, 2), "second();");
  EXPECT_EQ(text.line(file, 3), "");
  EXPECT_EQ(text.line(file, 4), std::string(200, 'x'));
  EXPECT_EQ(text.line(file, 5), "");
  EXPECT_EQ(text.line(file, 0), "");
  EXPECT_EQ(text.line("/no/such/file", 1), "");
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace tcp::trace_test
