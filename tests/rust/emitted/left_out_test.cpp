// Every program of tests/agree/programs is printed, compiled and run, but for those below, each for its reason.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "rust/emitted/emitted.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/ir/cpp.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/ir/verify.hpp"

namespace tcp::emitted {
namespace {

/// For another chip than the one that kernels are compiled for; or refused by the typed front end, with this code.
const std::map<std::string, std::string> left_out = {
    {"count_before_inter_slice_reduce.tcp", "ir-not-in-cpp"},
    {"data_by_blocks.tcp", "chip"},
    {"fetch_by_blocks.tcp", "chip"},
    {"log_into_tile.tcp", "ir-not-in-cpp"},
    {"slice_before_axis.tcp", "ir-not-in-cpp"},
    {"turned_axis.tcp", "ir-not-in-cpp"},
    {"weights_by_blocks.tcp", "chip"},
    {"weights_through_a_view.tcp", "chip"},
    {"chip_09_memset.tcp", "ir-not-in-cpp"},
};

TEST(Emitted, EveryProgramIsPrintedOrHasAReason) {
  for (auto const& entry : std::filesystem::directory_iterator(TCP_SOURCE_DIR "/tests/agree/programs")) {
    std::string const name = entry.path().filename().string();
    if (!name.ends_with(".tcp")) continue;
    SCOPED_TRACE(name);
    bool printed = false;
    for (const EmittedKernel& k : all()) printed = printed || k.file.ends_with("/" + name);
    auto const reason = left_out.find(name);
    EXPECT_EQ(printed, reason == left_out.end());
    if (printed || reason == left_out.end()) continue;
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    std::string const content = text.str();
    auto const module = ir::parse(content, "program.tcp");
    ASSERT_TRUE(module.ok());
    if (reason->second == "chip") EXPECT_FALSE(ir::verify(*module, rngd).ok());
    else EXPECT_EQ(std::string(ir::print_cpp(*module).refusal().code), reason->second);
  }
}

}  // namespace
}  // namespace tcp::emitted
