// What --emit cpp prints, compiled and recorded, gives the same bits as the kernel that it was printed from.
#include "rust/emitted/emitted.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "../same_bits.hpp"
#include "tcp/ir/text.hpp"

namespace tcp::emitted {

std::vector<EmittedKernel>& all() {
  static std::vector<EmittedKernel> kernels;
  return kernels;
}

namespace {

ir::Module original_of(const EmittedKernel& emitted) {
  if (!emitted.file.ends_with(".tcp")) {
    auto const crate = rust::Crate::open(emitted.file);
    for (const rust::Kernel& k : crate->kernels())
      if (k.name == emitted.kernel) return *crate->read(k, rngd).module;
    throw std::runtime_error("no kernel " + emitted.kernel);
  }
  std::ifstream in(emitted.file);
  std::stringstream text;
  text << in.rdbuf();
  std::string const content = text.str();
  auto const modules = ir::parse_all(content, emitted.file.c_str());
  for (const ir::Module& m : *modules)
    if (m.name == emitted.kernel) return m;
  throw std::runtime_error("no module " + emitted.kernel);
}

class Emitted : public testing::TestWithParam<std::size_t> {};

TEST_P(Emitted, RunsToTheSameBits) {
  const EmittedKernel& kernel = all()[GetParam()];
  SCOPED_TRACE(kernel.file + ": " + kernel.kernel);
  ir::Module const original = original_of(kernel), printed = kernel.record();
  expect_same_bits(original, printed);
}

INSTANTIATE_TEST_SUITE_P(All, Emitted, testing::Range<std::size_t>(0, all().size()), [](const auto& of) {
  std::string name = all()[of.param].kernel + "_" + std::to_string(of.param);
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

TEST(Emitted, HasKernels) { EXPECT_GE(all().size(), 20u); }

}  // namespace
}  // namespace tcp::emitted
