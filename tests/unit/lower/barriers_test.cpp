// Rounds of loops that are kept become barriers between commands.
#include <gtest/gtest.h>

#include "tcp/device/chips.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/lower/lower.hpp"

namespace tcp::lower {
namespace {

/// Four moves, with what is written between the first two, the next two and the last.
program::Program program_of(const std::string& regions, const std::string& second, const std::string& third, const std::string& last) {
  auto const module = ir::parse(R"(axes A = 2048
argument hbm x: i32 Element[A]
dm a: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8]
dm b: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8]
dm c: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8]
result hbm y: i32 Element[A]
)" + regions + "move x -> a\n" + second +
                                    "move x -> b\n" + third + "move x -> c\n" + last + "move c -> y\n",
                                "test.tcp");
  EXPECT_TRUE(module.ok());
  auto const verified = ir::verify(*module, rngd);
  EXPECT_TRUE(verified.ok());
  return *lower(*verified);
}
std::vector<std::int32_t> barriers_of(const std::string& regions, const std::string& second, const std::string& third,
                                      const std::string& last) {
  return program_of(regions, second, third, last).barriers;
}
std::vector<std::int32_t> loops_of(const std::string& regions, const std::string& second, const std::string& third,
                                   const std::string& last) {
  return program_of(regions, second, third, last).loops;
}

using Numbers = std::vector<std::int32_t>;

TEST(Barriers, StandWhereALoopThatIsKeptBeginsGoesOnAndEnds) {
  std::string const rounds = "region i kept\nregion i%1 index 1 kept\n";
  EXPECT_EQ(barriers_of(rounds, "in i:\n", "in i%1:\n", "in none:\n"), (Numbers{1, 2, 3}));
  EXPECT_EQ(barriers_of(rounds, "in i:\n", "", "in none:\n"), (Numbers{1, 3}));
}

TEST(Barriers, AreNotMadeByOtherRegions) {
  std::string const rounds = "region i\nregion i%1 index 1\n";
  EXPECT_EQ(barriers_of(rounds, "in i:\n", "in i%1:\n", "in none:\n"), Numbers{});
  // Inside a round, a region that is only marked changes nothing.
  EXPECT_EQ(barriers_of("region i kept\nregion part inside i\n", "in i:\n", "in part:\n", "in none:\n"), (Numbers{1, 3}));
}

TEST(Barriers, ALoopIsEnteredOnceAndAnInnerOneInEachRound) {
  std::string const rounds = "region i kept\nregion i%1 index 1 kept\n";
  EXPECT_EQ(loops_of(rounds, "in i:\n", "in i%1:\n", "in none:\n"), Numbers{1});
  EXPECT_EQ(loops_of("region i\nregion i%1 index 1\n", "in i:\n", "in i%1:\n", "in none:\n"), Numbers{}) << "it is unrolled";
  std::string const inner = "region i kept\nregion k inside i kept\nregion i%1 index 1 kept\nregion k%1 inside i%1 kept\n";
  EXPECT_EQ(loops_of(inner, "in k:\n", "in k%1:\n", "in none:\n"), (Numbers{1, 1, 2}));
  EXPECT_EQ(loops_of(inner, "in k:\n", "in i:\n", "in k:\n"), (Numbers{1, 1, 3})) << "it is entered again";
  EXPECT_EQ(loops_of("region i kept\nregion k kept\n", "in i:\n", "in k:\n", "in none:\n"), (Numbers{1, 2})) << "another loop";
}

}  // namespace
}  // namespace tcp::lower
