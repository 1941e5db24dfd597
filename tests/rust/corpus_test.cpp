// Every kernel of tests/rust/corpus is read without an error, and gives the same bits on all backends.
#include <filesystem>

#include "running.hpp"
#include "tcp/lower/lower.hpp"

namespace tcp::rust {
namespace {

std::vector<std::string> crates() {
  std::vector<std::string> all;
  for (auto const& entry : std::filesystem::directory_iterator(TCP_SOURCE_DIR "/tests/rust/corpus")) all.push_back(entry.path().string());
  std::sort(all.begin(), all.end());
  return all;
}

class Corpus : public testing::TestWithParam<std::string> {};

TEST_P(Corpus, IsReadAndRunsToTheSameBitsEverywhere) {
  auto const crate = Crate::open(GetParam());
  ASSERT_TRUE(crate.ok()) << render(crate.refusal());
  EXPECT_EQ(words_of(crate->errors()), "");
  ASSERT_FALSE(crate->kernels().empty());
  for (const Kernel& kernel : crate->kernels()) {
    if (kernel.generic) continue;
    SCOPED_TRACE(kernel.name);
    KernelReading const reading = crate->read(kernel, rngd);
    EXPECT_EQ(words_of(reading.errors), "");
    if (!reading.module) continue;
    auto const module = verified(*reading.module);
    ASSERT_TRUE(module.ok()) << render(module.refusal());
    EXPECT_FALSE(module->module().results.empty());
    auto const wanted = bits_of(*module, BackendKind::reference, 7);
    EXPECT_FALSE(wanted.empty());
    EXPECT_EQ(bits_of(*module, BackendKind::vector, 7), wanted);
    EXPECT_EQ(bits_of(*module, BackendKind::device, 7), wanted);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Corpus, testing::ValuesIn(crates()),
                         [](const auto& of) { return std::filesystem::path(of.param).stem().string(); });

TEST(Corpus, HasAtLeastTwentyKernels) {
  std::size_t kernels = 0;
  for (const std::string& path : crates())
    if (auto const crate = Crate::open(path)) kernels += crate->kernels().size();
  EXPECT_GE(kernels, 20u);
}

TEST(Corpus, AFileOfACrateIsReadWithTheCrateAroundIt) {
  auto const crate = Crate::open(TCP_SOURCE_DIR "/tests/rust/corpus/crate_of_layers/src/ops/bias.rs");
  ASSERT_TRUE(crate.ok());
  ASSERT_EQ(crate->kernels().size(), 1u);
  EXPECT_EQ(crate->kernels()[0].name, "add_into");
  EXPECT_EQ(crate->edition(), 5);
  EXPECT_TRUE(crate->read(crate->kernels()[0], rngd).module.has_value());
}

}  // namespace
}  // namespace tcp::rust
