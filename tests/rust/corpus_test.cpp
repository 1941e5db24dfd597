// Every kernel of tests/rust/corpus is read without an error, and gives the same bits on all backends.
#include <filesystem>
#include <set>

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

TEST(Corpus, HasAtLeastSixtyKernels) {
  std::size_t kernels = 0;
  for (const std::string& path : crates())
    if (auto const crate = Crate::open(path)) kernels += crate->kernels().size();
  EXPECT_GE(kernels, 60u);
}

/// One line of a kernel on a tensor in DM.
KernelReading reading_of(const std::string& line) {
  Crate const crate = Crate::of_text("line.rs", R"(axes![A = 2048];
#[device(chip = 1)]
fn kernel(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) -> HbmTensor<i32, m![1], m![A]> {
    let dm: DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]> = x.to_dm(&mut ctx.tdma);
    )" + line + R"(;
    dm.to_hbm(&mut ctx.tdma)
})");
  return crate.read(crate.kernels().at(0), rngd);
}

TEST(Corpus, ReachesEveryCallOfTheVendors) {
  std::set<std::string> reached;
  for (const std::string& path : crates()) {
    auto const crate = Crate::open(path);
    ASSERT_TRUE(crate.ok());
    for (const Kernel& kernel : crate->kernels())
      if (!kernel.generic) reached.merge(crate->read(kernel, rngd).calls);
  }
  // Calls whose arguments are not published are known, and refused.
  for (const char* name : {"hbm_chip_shuffle", "chip_slice", "cluster_slice", "parallel_copy"}) {
    SCOPED_TRACE(name);
    KernelReading reading = reading_of("dm." + std::string(name) + "(1)");
    ASSERT_EQ(reading.errors.size(), 1u);
    EXPECT_STREQ(reading.errors[0].refusal.code, "rust-unsupported");
    EXPECT_NE(std::string(reading.errors[0].refusal.headline.view()).find("not published"), std::string::npos);
    reached.merge(reading.calls);
  }
  {
    KernelReading reading = reading_of("let table = 1;\n    ctx.main.begin(dm.view()).fetch_with_table::<i32, m![1], m![A % 8]>(&table)");
    ASSERT_EQ(reading.errors.size(), 1u);
    EXPECT_STREQ(reading.errors[0].refusal.code, "rust-unsupported");
    reached.merge(reading.calls);
  }
  for (const VendorCall& call : vendor_calls())
    EXPECT_TRUE(reached.contains(call.name)) << call.name << " is in the table, and no kernel of tests/rust/corpus calls it: " << call.form;
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
