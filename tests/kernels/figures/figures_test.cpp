// Whether docs/kernels.md says what the kernels take now. Cheap cases are scheduled again at every run; scripts/kernel-figures writes the page anew, all cases.
#include "kernels/figures/figures.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace tcp::figures {
namespace {

const char* const page_path = TCP_SOURCE_DIR "/docs/kernels.md";
std::string content(const char* path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string table() {
  std::string text =
      "| kernel | size | bound | by | `book` | times the bound | `calibrated` | times the bound "
      "|\n|---|---|---:|---|---:|---:|---:|---:|\n";
  for (Case const& c : all_cases()) text += row_of(c, figure_of(c)) + "\n";
  return text;
}
std::string throughput_table() {
  std::string text = "| model | step | tokens/s at the bound | `book` | `calibrated` | published |\n|---|---|---:|---:|---:|---:|\n";
  for (Throughput const& t : throughputs()) text += row_of(t) + "\n";
  return text;
}

/// What stands between `<!-- name -->` and `<!-- end of name -->`.
void replace_part(std::string& page, const std::string& name, const std::string& with) {
  std::string const begin_mark = "<!-- " + name + " -->\n";
  std::size_t const begin = page.find(begin_mark), end = page.find("<!-- end of " + name + " -->\n");
  ASSERT_NE(begin, page.npos) << name;
  ASSERT_NE(end, page.npos) << name;
  page.replace(begin + begin_mark.size(), end - begin - begin_mark.size(), with);
}
void write_page() {
  std::string page = content(page_path);
  replace_part(page, "figures", table());
  replace_part(page, "throughput", throughput_table());
  std::ofstream(page_path) << page;
}

TEST(KernelFigures, page_is_current) {
  if (std::getenv("TCP_REGENERATE") != nullptr) return write_page();
  std::string const page = content(page_path);
  for (Case const& c : all_cases()) {
    std::string const expected = c.quick ? row_of(c, figure_of(c)) + "\n" : head_of(c);
    EXPECT_NE(page.find(expected), page.npos) << expected << "scripts/kernel-figures writes the page anew";
  }
}

TEST(KernelFigures, bars_are_reached) {
  int watched = 0;
  for (Case const& c : all_cases()) {
    if (c.ratio == nullptr) continue;
    Figure const f = figure_of(c);
    EXPECT_GE(f.of_bound(f.book), c.bar) << c.ratio;
    ++watched;
  }
  EXPECT_EQ(watched, 4);
}

}  // namespace
}  // namespace tcp::figures
