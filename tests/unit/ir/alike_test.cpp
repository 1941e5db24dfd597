// Commands that are alike are asked about once, and what belongs to one of them alone (addresses, which tensors they are) is asked of each.
#include <gtest/gtest.h>

#include "tcp/device/chips.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/support/render.hpp"

namespace tcp {
namespace {

/// Two passes that copy a DM tensor; `second` says what the second one reads and how it goes on.
std::string two_copies(const std::string& second_source, const std::string& second_stream, const std::string& second_sink) {
  return R"k(module copies
axes A = 2048
argument hbm in: i32 Element[A] at 0
dm one: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm two: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 64
dm off: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 2052
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 512
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 1024
move in -> one
move in -> two
main.begin(one)
  .fetch i32 Time[1] Packet[A % 8]
  .collect Time[1] Packet[A % 8]
  .commit(x)
main.begin()k" +
         second_source + ")\n  .fetch i32 " + second_stream + "\n  .collect " + second_stream + "\n  .commit(" + second_sink + ")\n";
}

Expected<ir::Verified> verified(const std::string& text) {
  auto module = ir::parse(text, "test.tcp");
  if (!module) return module.refusal();
  return ir::verify(*std::move(module), rngd);
}
const ir::PassFacts& pass(const ir::Verified& v, std::size_t command) { return v.facts().commands.at(command).as<ir::PassFacts>(); }

TEST(AlikeCommands, share_what_the_rules_found) {
  auto const v = verified(two_copies("two", "Time[1] Packet[A % 8]", "y"));
  ASSERT_TRUE(v) << render(v.refusal());
  EXPECT_EQ(&pass(*v, 2), &pass(*v, 3));
  EXPECT_EQ(&v->facts().commands[0].as<DmaPlan>(), &v->facts().commands[1].as<DmaPlan>());
}

TEST(AlikeCommands, another_stream_or_layout_is_not_alike) {
  auto const narrow = verified(two_copies("two", "Time[A / 4 % 2] Packet[A % 4 # 8]", "y"));
  ASSERT_TRUE(narrow) << render(narrow.refusal());
  EXPECT_NE(&pass(*narrow, 2), &pass(*narrow, 3));
  auto const in_place = verified(two_copies("one", "Time[1] Packet[A % 8]", "one"));
  ASSERT_FALSE(in_place);  // the first of the two reads and writes different tensors
  EXPECT_STREQ(in_place.refusal().code, "ir-pass-overwrites-source");
}

TEST(AlikeCommands, addresses_are_asked_about_one_by_one) {
  auto const v = verified(two_copies("two", "Time[1] Packet[A % 8]", "off"));
  ASSERT_FALSE(v);
  auto const alone = ir::parse(R"k(module one
axes A = 2048
dm off: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 2052
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 1024
main.begin(y)
  .fetch i32 Time[1] Packet[A % 8]
  .collect Time[1] Packet[A % 8]
  .commit(off)
)k",
                               "test.tcp");
  ASSERT_TRUE(alone) << render(alone.refusal());
  auto const refused = ir::verify(*alone, rngd);
  ASSERT_FALSE(refused);
  EXPECT_STREQ(v.refusal().code, refused.refusal().code);
  EXPECT_EQ(v.refusal().at.line, 18u);  // of the second commit
}

}  // namespace
}  // namespace tcp
