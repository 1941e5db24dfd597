// Whether docs/accuracy.md says what the models say, whether the fitted constants are those that a fit finds, and how far off the models may be.
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

std::vector<Reference> references_of(Kind kind) {
  std::vector<Reference> some;
  for (const Reference& r : references())
    if (r.kind == kind) some.push_back(r);
  return some;
}
double off(const Reference& r, Model model) { return std::abs(figure_of(r, rngd, model).value() / r.figure - 1); }

TEST(Accuracy, page_is_current) {
  std::string const made = page(rngd);
  if (std::getenv("TCP_REGENERATE") != nullptr) std::ofstream(page_path) << made;
  std::stringstream text;
  text << std::ifstream(page_path).rdbuf();
  EXPECT_EQ(text.str(), made) << "scripts/accuracy writes it anew";
}

TEST(Accuracy, totals_of_the_book) {
  for (const Reference& r : references_of(Kind::Book)) EXPECT_LE(off(r, Model::Book), 0.01) << r.name;
}

TEST(Accuracy, forms_that_were_taken_over) {
  for (const Reference& r : references_of(Kind::Command)) {
    if (r.use != Use::Taken) continue;
    EXPECT_EQ(figure_of(r, rngd, Model::Planned), r.figure) << r.name;
  }
}

TEST(Accuracy, plans_of_commands_and_kernels) {
  for (const Reference& r : references_of(Kind::Command)) EXPECT_LE(off(r, Model::Planned), 0.35) << r.name;
  for (const Reference& r : references_of(Kind::Kernel)) EXPECT_LE(off(r, Model::Planned), 0.10) << r.name;
}

TEST(Accuracy, chips) {
  for (const Reference& r : references_of(Kind::Seen)) EXPECT_LE(off(r, Model::Calibrated), r.use == Use::Taken ? 0.05 : 0.35) << r.name;
}

TEST(Accuracy, a_third_of_the_points_stays_out_of_the_fit) {
  int fit = 0, out = 0;
  for (const Reference& r : references()) {
    if (r.kind == Kind::Book) continue;
    fit += r.use == Use::Fit;
    out += r.use == Use::HeldOut;
  }
  EXPECT_LE(fitted_constants().size(), 6u);
  EXPECT_GE(fit, 2 * static_cast<int>(fitted_constants().size()));
  EXPECT_GE(3 * out, fit + out);
}

TEST(Accuracy, constants_are_those_of_the_fit) {
  Device far = rngd;
  for (const Constant& c : fitted_constants()) c.of(far) /= 2;
  for (const Device& start : {rngd, far}) {
    Device found = fit(start), shipped = rngd;
    for (const Constant& c : fitted_constants()) EXPECT_EQ(c.of(found), c.of(shipped)) << c.name;
  }
}

}  // namespace
}  // namespace tcp::accuracy
