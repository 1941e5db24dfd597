// Whether docs/accuracy.md says what the models say, and whether the book's own totals come out.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "references.hpp"
#include "tcp/device/chips.hpp"

namespace tcp::accuracy {
namespace {

const char* const page_path = TCP_SOURCE_DIR "/docs/accuracy.md";

TEST(Accuracy, page_is_current) {
  std::string const made = page(rngd);
  if (std::getenv("TCP_REGENERATE") != nullptr) std::ofstream(page_path) << made;
  std::stringstream text;
  text << std::ifstream(page_path).rdbuf();
  EXPECT_EQ(text.str(), made) << "scripts/accuracy writes it anew";
}

TEST(Accuracy, totals_of_the_book) {
  for (const Reference& r : book_totals()) EXPECT_LE(std::abs(figure_of(r, rngd, Model::Book).value() / r.figure - 1), 0.01) << r.name;
}

}  // namespace
}  // namespace tcp::accuracy
