// Places for tensors without an address: what shares bytes and what does not, alignment, what the author has placed, walks that leave their tensor.
#include "tcp/ir/place.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "module_builder.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/support/render.hpp"

namespace {

using namespace tcp;
using build::ModuleBuilder;

/// A builder that leaves addresses out.
struct Unplaced : ModuleBuilder {
  using ModuleBuilder::ModuleBuilder;

  ir::TensorId without(ir::TensorId id) {
    module.tensors[id].address.reset();
    return id;
  }
  ir::TensorId dm_anywhere(std::string name, std::string_view slice, std::string_view element, ScalarType type = ScalarType::i32) {
    return without(dm(std::move(name), type, slice, element, 0));
  }
  ir::TensorId hbm_anywhere(std::string name, std::string_view element, ir::Role role, ScalarType type = ScalarType::i32) {
    return without(hbm(std::move(name), type, element, 0, role));
  }
  /// A pass that copies.
  void copy(ir::TensorId from, ir::TensorId to) { main(from).stage(ir::Fetch{}).stage(ir::Collect{}).into(ir::Commit{to, {}, false}); }
  std::int64_t address(ir::TensorId id) const { return module.tensor(id).address.value(); }
};

Expected<ir::Verified> placed_by(const ir::Module& module) {
  auto verified = ir::verify(module, rngd);
  return verified ? ir::placed(*std::move(verified)) : verified;
}
void expect_placed(ir::Module& module) {
  auto const placed = placed_by(module);
  ASSERT_TRUE(placed) << render(placed.refusal());
  module = placed->module();
  auto const verified = ir::verify(module, rngd);
  ASSERT_TRUE(verified) << render(verified.refusal());
}

TEST(Place, a_kernel_without_addresses_becomes_one_that_verifies) {
  Unplaced b("A = 2048");
  auto const in = b.hbm_anywhere("in", "A", ir::Role::argument), out = b.hbm_anywhere("out", "A", ir::Role::result);
  auto const dm = b.dm_anywhere("dm", "A / 8", "A % 8"), sum = b.dm_anywhere("sum", "A / 8", "A % 8");
  b.move(in, dm);
  b.copy(dm, sum);
  b.move(sum, out);
  expect_placed(b.module);
  EXPECT_EQ(b.address(in), 0);
  EXPECT_EQ(b.address(out), 8192) << "both live in the whole kernel";
  EXPECT_EQ(b.address(dm), 0);
  EXPECT_EQ(b.address(sum), 32) << "the pass reads one while it writes the other";
}

TEST(Place, addresses_of_the_author_stay) {
  Unplaced b("A = 2048");
  auto const in = b.hbm("in", ScalarType::i32, "A", 4096, ir::Role::argument), out = b.hbm_anywhere("out", "A", ir::Role::result);
  auto const dm = b.dm("dm", ScalarType::i32, "A / 8", "A % 8", 16), sum = b.dm_anywhere("sum", "A / 8", "A % 8");
  b.move(in, dm);
  b.copy(dm, sum);
  b.move(sum, out);
  expect_placed(b.module);
  EXPECT_EQ(b.address(in), 4096);
  EXPECT_EQ(b.address(dm), 16);
  EXPECT_EQ(b.address(out), 4096 + 8192) << "8192 bytes do not fit in front of it";
  EXPECT_EQ(b.address(sum), 48);
}

TEST(Place, makes_room_for_what_the_author_places_later) {
  Unplaced b("A = 2048");
  auto const in = b.hbm_anywhere("in", "A", ir::Role::argument);
  auto const early = b.dm_anywhere("early", "A / 8", "A % 8"), late = b.dm("late", ScalarType::i32, "A / 8", "A % 8", 24);
  b.move(in, early);
  b.copy(early, late);
  expect_placed(b.module);
  EXPECT_EQ(b.address(early), 56) << "the author's begins while early still lives; below it are 24 bytes only";
}

TEST(Place, bytes_of_the_dead_are_used_again_only_when_there_are_no_others) {
  // 40 tensors of 32 KiB one after the other in a slice of 512 KiB: sixteen side by side, then from the begin again.
  Unplaced b("A = 256, B = 8192");
  auto const in = b.hbm_anywhere("in", "B", ir::Role::argument);
  std::vector<ir::TensorId> tile;
  for (int i = 0; i < 40; ++i) {
    tile.push_back(b.dm_anywhere("t" + std::to_string(i), "A", "B"));
    b.move(in, tile.back());
  }
  expect_placed(b.module);
  for (int i = 0; i < 40; ++i) EXPECT_EQ(b.address(tile[static_cast<std::size_t>(i)]), i % 16 * 32768) << i;
}

TEST(Place, packs_from_the_lowest_where_spreading_finds_no_room) {
  // Spread, the small ones would lie behind the large ones and leave no 384 KiB in one piece.
  Unplaced b("A = 256, B = 65536, C = 98304, D = 8");
  auto const large = b.hbm_anywhere("l", "B", ir::Role::argument), larger = b.hbm_anywhere("m", "C", ir::Role::argument),
             small = b.hbm_anywhere("s", "D", ir::Role::argument), out = b.hbm_anywhere("out", "D", ir::Role::result);
  auto const first = b.dm_anywhere("first", "A", "B"), keep = b.dm_anywhere("keep", "1 # 256", "D"),
             second = b.dm_anywhere("second", "A", "C");
  b.move(large, first);
  b.move(small, keep);
  b.move(larger, second);
  b.move(keep, out);
  expect_placed(b.module);
  EXPECT_EQ(b.address(keep), 0);
  EXPECT_EQ(b.address(second), 32);
}

TEST(Place, a_view_keeps_its_tensor_alive_and_moves_with_it) {
  Unplaced b("A = 256, B = 64, C = 16");
  auto const in = b.hbm_anywhere("in", "B", ir::Role::argument), part = b.hbm_anywhere("part", "C", ir::Role::argument),
             out = b.hbm_anywhere("out", "B", ir::Role::result);
  auto const whole = b.dm("whole", ScalarType::i32, "1 # 256", "B", 0);
  b.without(whole);
  auto const other = b.dm_anywhere("other", "1 # 256", "C");
  ir::Tensor view = b.module.tensor(whole);
  view.name = "view";
  view.view = ir::ViewOf{whole, ir::ViewOf::Kind::reshape, {}, 0, 0};
  b.module.tensors.push_back(view);
  b.move(in, whole);
  b.move(part, other);
  b.move(ir::TensorId(b.module.tensors.size() - 1), out);
  expect_placed(b.module);
  EXPECT_FALSE(b.module.tensors.back().address.has_value()) << "a view has no address of its own";
  EXPECT_EQ(b.module.address_of(ir::TensorId(b.module.tensors.size() - 1)), b.address(whole));
  bool const apart = b.address(other) >= b.address(whole) + 256 || b.address(other) + 64 <= b.address(whole);
  EXPECT_TRUE(apart) << b.address(other);
}

TEST(Place, HBM_begins_at_requests_and_DM_at_rows) {
  Unplaced b("A = 2048, B = 24");
  auto const odd = b.hbm_anywhere("odd", "B", ir::Role::argument, ScalarType::i8),
             in = b.hbm_anywhere("in", "B", ir::Role::argument, ScalarType::i8);
  auto const one = b.dm_anywhere("one", "1 # 256", "B", ScalarType::i8), two = b.dm_anywhere("two", "1 # 256", "B # 28", ScalarType::i8),
             three = b.dm_anywhere("three", "1 # 256", "B", ScalarType::i8);
  b.move(odd, one);
  b.move(in, two);
  b.move(one, three);
  b.move(two, three);
  expect_placed(b.module);
  EXPECT_EQ(b.address(in), rngd.dma.request_bytes.value);
  EXPECT_EQ(b.address(one), 0);
  EXPECT_EQ(b.address(two), 24);
  EXPECT_EQ(b.address(three), 56) << "24 + 28 bytes, and the next row of 8";
}

TEST(Place, a_walk_that_begins_in_front_finds_memory_there) {
  // Left padding is read from what lies before the tensor: at address 0 there is nothing.
  Unplaced b("A = 256, B = 8");
  auto const in = b.hbm_anywhere("in", "A, B", ir::Role::argument);
  auto const dm = b.dm_anywhere("dm", "A", "B");
  auto const out = b.dm_anywhere("out", "A", "B #< 2 #z 16");
  b.move(in, dm);
  b.main(dm)
      .time("[B #< 2 #z 16] / 8")
      .packet("[B #< 2 #z 16] % 8")
      .stage(ir::Fetch{})
      .stage(ir::Collect{})
      .into(ir::Commit{out, {}, false});
  expect_placed(b.module);
  EXPECT_EQ(b.address(dm), 8) << "two elements of 4 bytes in front";
}

TEST(Place, registers_of_vectors_too) {
  Unplaced b("A = 2048");
  auto const in = b.hbm_anywhere("in", "A", ir::Role::argument);
  auto const dm = b.dm_anywhere("dm", "A / 8", "A % 8"), sum = b.dm_anywhere("sum", "A / 8", "A % 8");
  auto const one = b.without(b.vrf("one", ScalarType::i32, "A / 8", "A % 8", 0)),
             two = b.without(b.vrf("two", ScalarType::i32, "A / 8", "A % 8", 0));
  b.move(in, dm);
  for (ir::TensorId vrf : {one, two}) b.sub(dm).stage(ir::Fetch{}).stage(ir::Collect{}).into(ir::ToVrf{vrf});
  auto const plus = [](ir::TensorId id) {
    return ir::VectorOperation{step_of(FxpBinaryOp::AddFxp), {{{OperandKind::vrf, ScalarType::i32, {}, false, 0}, id}}};
  };
  auto const times = [](ir::TensorId id) {
    return ir::VectorOperation{step_of(FxpBinaryOp::MulInt), {{{OperandKind::vrf, ScalarType::i32, {}, false, 0}, id}}};
  };
  b.main(dm)
      .stage(ir::Fetch{})
      .stage(ir::Collect{})
      .stage(ir::VectorInit{})
      .stage(ir::Branch{})
      .stage(times(one))
      .stage(plus(two))
      .stage(ir::VectorFinal{})
      .into(ir::Commit{sum, {}, false});
  expect_placed(b.module);
  EXPECT_EQ(b.address(one), 0);
  EXPECT_EQ(b.address(two), 32);
}

TEST(Place, a_tensor_that_nobody_uses_takes_no_room) {
  Unplaced b("A = 2048");
  auto const in = b.hbm("in", ScalarType::i32, "A", 0, ir::Role::argument);
  auto const dm = b.dm("dm", ScalarType::i32, "A / 8", "A % 8", 0), idle = b.dm_anywhere("idle", "A / 8", "A % 8");
  b.move(in, dm);
  expect_placed(b.module);
  EXPECT_EQ(b.address(idle), 0);
}

TEST(Place, a_wrong_module_is_refused_by_its_own_mistake) {
  Unplaced b("A = 2048");
  auto const in = b.hbm_anywhere("in", "A", ir::Role::argument);
  b.move(in, ir::TensorId(77));
  auto const placed = placed_by(b.module);
  ASSERT_FALSE(placed);
  EXPECT_STREQ(placed.refusal().code, "ir-dangling-reference");
}

TEST(Place, a_full_memory_lists_who_lives_in_it_and_changes_nothing) {
  Unplaced b("A = 256, B = 65536, C = 16384, D = 98304");
  auto const in = b.hbm_anywhere("in", "B", ir::Role::argument), in2 = b.hbm_anywhere("in2", "C", ir::Role::argument),
             in3 = b.hbm_anywhere("in3", "D", ir::Role::argument), out = b.hbm_anywhere("out", "B", ir::Role::result),
             out2 = b.hbm_anywhere("out2", "C", ir::Role::result);
  auto const one = b.dm_anywhere("one", "1 # 256", "B"), two = b.dm_anywhere("two", "1 # 256", "C"),
             three = b.dm_anywhere("three", "1 # 256", "D");
  b.move(in, one);
  b.move(in2, two);
  b.move(in3, three);
  b.move(two, out2);
  b.move(one, out);
  auto const placed = placed_by(b.module);
  ASSERT_FALSE(placed);
  EXPECT_STREQ(placed.refusal().code, "ir-memory-full");
  EXPECT_EQ(placed.refusal().headline.view(),
            "no room in DM for three, 393216 bytes, in command 2: others alive then take 327680 of 524288 bytes, and the largest piece "
            "left has 196608");
  EXPECT_EQ(placed.refusal().note.view(),
            "alive with it: one, 262144 bytes at 0, in commands 0 to 4; two, 65536 bytes at 262144, in commands 1 to 3");
  for (ir::TensorId id : {in, out, one, two, three}) EXPECT_FALSE(b.module.tensor(id).address.has_value());
}

TEST(Place, a_long_list_of_the_living_ends_in_their_sum) {
  Unplaced b("A = 256, B = 8192");
  auto const in = b.hbm_anywhere("in", "B", ir::Role::argument);
  std::vector<ir::TensorId> all;
  for (int i = 0; i < 17; ++i) {
    all.push_back(b.dm_anywhere("t" + std::to_string(i), "1 # 256", "B"));
    b.move(in, all.back());
  }
  for (ir::TensorId id : all) b.move(id, in);
  auto const placed = placed_by(b.module);
  ASSERT_FALSE(placed);
  std::string const note(placed.refusal().note.view());
  EXPECT_NE(note.find("t0, 32768 bytes at 0, in commands 0 to 17; t1, 32768 bytes at 32768"), std::string::npos) << note;
  EXPECT_NE(note.find(" more, "), std::string::npos) << note;
  EXPECT_EQ(note.substr(note.size() - 6), " bytes") << note;
}

}  // namespace
