// Every program of tests/agree/*.programs is printed, compiled and run, but for those below, each for its reason.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "rust/emitted/emitted.hpp"
#include "sections.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/ir/cpp.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/ir/verify.hpp"

namespace tcp::emitted {
namespace {

/// For another chip than the one that kernels are compiled for; or refused by the typed front end, with this code.
const std::map<std::string, std::string> left_out = {
    {"count_before_inter_slice_reduce", "ir-not-in-cpp"},
    {"data_by_blocks", "chip"},
    {"fetch_by_blocks", "chip"},
    {"log_into_tile", "ir-not-in-cpp"},
    {"slice_before_axis", "ir-not-in-cpp"},
    {"turned_axis", "ir-not-in-cpp"},
    {"weights_by_blocks", "chip"},
    {"weights_through_a_view", "chip"},
    {"chip_09_memset", "ir-not-in-cpp"},
};

TEST(Emitted, EveryProgramIsPrintedOrHasAReason) {
  std::map<std::string, std::string> programs;
  for (const char* file : {"chip", "defects"})
    programs.merge(sections_of(TCP_SOURCE_DIR "/tests/agree/" + std::string(file) + ".programs"));
  EXPECT_GE(programs.size(), left_out.size());
  for (auto const& [name, content] : programs) {
    SCOPED_TRACE(name);
    bool printed = false;
    for (const EmittedKernel& k : all()) printed = printed || k.file.ends_with("/" + name + ".tcp");
    auto const reason = left_out.find(name);
    EXPECT_EQ(printed, reason == left_out.end());
    if (printed || reason == left_out.end()) continue;
    auto const module = ir::parse(content, "program.tcp");
    ASSERT_TRUE(module.ok());
    if (reason->second == "chip") EXPECT_FALSE(ir::verify(*module, rngd).ok());
    else EXPECT_EQ(std::string(ir::print_cpp(*module).refusal().code), reason->second);
  }
}

}  // namespace
}  // namespace tcp::emitted
