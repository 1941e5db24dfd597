// The rows of the ledger on the Switch and Collect Engines, as the compiler configures them.
#include <gtest/gtest.h>

#include <initializer_list>

#include "one_pass.hpp"

namespace tcp::lower {
namespace {

using program::Topology;

program::SliceSet slices(std::initializer_list<std::int64_t> all) {
  program::SliceSet s;
  for (std::int64_t each : all) s.insert(each);
  return s;
}
/// 64 bytes of i8 in each packet.
Mover switched(std::string axes, std::string slice, std::string time, SwitchConfig config, std::string to_slice, std::string to_time) {
  Mover m{std::move(axes), time + ", C # 64", time, "C # 64", to_time + ", C # 64 / 32", "C # 64 % 32"};
  m.slice = std::move(slice);
  m.config = config;
  m.switched_slice = std::move(to_slice);
  m.switched_time = std::move(to_time);
  return m;
}
Mover block(SwitchConfig config, std::string to_slice, std::string to_time) {
  Mover m{"A = 16, B = 16, C = 8, D = 8, E = 8, X = 4, Y = 2, Z = 2", "C, D, E", "C", "D, E", to_time + ", D / 4", "D % 4, E"};
  m.slice = "A, B";
  m.config = config;
  m.switched_slice = std::move(to_slice);
  m.switched_time = std::move(to_time);
  return m;
}
/// From which slice and step a packet comes: the routes, followed.
struct Source {
  std::int64_t slice, time;
  bool operator==(const Source&) const = default;
};
Source source(const program::Switch& s, std::int64_t slice, std::int64_t time) {
  Source from{0, 0};
  for (auto [route, n] : {std::pair(&s.of_slice, slice), std::pair(&s.of_time, time)})
    for (std::size_t k = route->size(); k-- > 0; n /= (*route)[k].size) {
      from.slice += n % (*route)[k].size * (*route)[k].slice;
      from.time += n % (*route)[k].size * (*route)[k].time;
    }
  return from;
}

TEST(Switch, SWI_02_config) {
  program::Exec const e = Mover{"A = 256, B = 8, C = 32", "B, C", "B", "C"}.exec();
  EXPECT_FALSE(e.switching.has_value()) << "packets stay where they are: no switch is set";
  EXPECT_TRUE(e.collect.has_value());
}

TEST(Switch, SWI_10_config) {
  Mover m{"A = 256, B = 64, C = 32", "B, C", "B", "C", "B, C / 8", "C % 8"};
  m.slice = "A";
  m.stored = m.type = ScalarType::f32;
  program::Exec const e = m.exec();
  EXPECT_EQ(e.collect.value(), (program::Collect{128, 4}));
  EXPECT_FALSE(e.switching.has_value());
}

TEST(Switch, SWI_16_config) {
  Mover m = switched("A = 256, B = 64, C = 63, D = 8, X = 4", "A", "B", SwitchConfig::Broadcast01{2, 2, 4}, "A / 4, X",
                     "B / 4, A / 2 % 2, B % 4, A % 2");
  m.chip = "D / 2";
  m.cluster = "D % 2";
  build::ModuleBuilder b = m.module();
  b.module.chips = 4;
  program::Program const p = lowered(b.module);
  program::Switch const& s = exec_at(p, 0).switching.value();
  EXPECT_EQ(s.topology, Topology::Broadcast01);
  EXPECT_EQ(s.slice1, 2);
  EXPECT_EQ(s.slice0, 2);
  EXPECT_EQ(s.time0, 4);
  EXPECT_EQ(s.ring_size, 4);
  EXPECT_EQ(s.time_out, 256);
  // Steps are B / 4, A / 2 % 2, B % 4, A % 2; so step 13 is B = 2, A % 4 = 2 + 1.
  EXPECT_EQ(source(s, 9, 13), (Source{8 + 3, 2}));
  EXPECT_EQ(p.commands[0].resources, program::bit(program::Resource::Main)) << "a regular topology takes no other command's place";
}

TEST(Switch, SWI_18_config) {
  program::Switch const s =
      switched("A = 256, B = 64, C = 63, X = 4", "A", "B", SwitchConfig::Broadcast01{2, 2, 4}, "A / 4, X", "B / 4, A / 2 % 2, B % 4, A % 2")
          .exec()
          .switching.value();
  ASSERT_EQ(s.snoop.size(), 256u);
  for (std::int64_t i = 0; i < 256; ++i)
    EXPECT_EQ(s.snoop[static_cast<std::size_t>(i)], slices({i / 4 * 4, i / 4 * 4 + 1, i / 4 * 4 + 2, i / 4 * 4 + 3})) << i;
}

TEST(Switch, SWI_24_config) {
  program::Switch const s =
      switched("A = 256, B = 64, C = 63, X = 4", "A", "B", SwitchConfig::Broadcast1{4, 8}, "A / 32, X, A % 8", "B, A / 8 % 4")
          .exec()
          .switching.value();
  EXPECT_EQ(s.topology, Topology::Broadcast1);
  EXPECT_EQ(s.ring_size, 32);
  EXPECT_EQ(s.time_out, 256);
  EXPECT_EQ(s.snoop[0], slices({0, 8, 16, 24}));
  EXPECT_EQ(s.snoop[8 * 3 + 5], slices({5, 13, 21, 29})) << "X does not matter";
  EXPECT_EQ(s.snoop[32 + 7], slices({39, 47, 55, 63}));
  EXPECT_EQ(source(s, 32 + 7, 4 * 6 + 2), (Source{32 + 16 + 7, 6}));
}

TEST(Switch, SWI_26_config) {
  program::Switch const s = switched("A = 256, B = 64, C = 63", "A", "B", SwitchConfig::Transpose{32, 2}, "A / 64, A % 2, A / 2 % 32", "B")
                                .exec()
                                .switching.value();
  EXPECT_EQ(s.topology, Topology::Transpose);
  EXPECT_EQ(s.ring_size, 64);
  EXPECT_EQ(s.time_out, 64);
  for (std::int64_t i = 0; i < 256; ++i)
    EXPECT_EQ(s.snoop[static_cast<std::size_t>(i)], slices({i / 64 * 64 + i / 32 % 2 + i % 32 * 2})) << i;
}

TEST(Switch, SWI_28_config) {
  Mover m{"A = 8, B = 32, C = 256", "A, B", "A", "B", "A / 4, A % 2, C / 16 % 2", "B"};
  m.slice = "C";
  m.config = SwitchConfig::InterTranspose{2, 16, 2};
  m.switched_slice = "C / 32, A / 2 % 2, C % 16";
  m.switched_time = "A / 4, A % 2, C / 16 % 2";
  program::Switch const s = m.exec().switching.value();
  EXPECT_EQ(s.topology, Topology::InterTranspose);
  EXPECT_EQ(s.ring_size, 32);
  // Slice 37 is C / 32 = 1, A / 2 % 2 = 0, C % 16 = 5; step 5 is A = 4, C / 16 % 2 = 1.
  EXPECT_EQ(source(s, 37, 5), (Source{32 + 16 + 5, 4}));
  EXPECT_EQ(s.snoop[37], slices({37, 53}));
}

TEST(Switch, SWI_30_config) {
  program::Program const p = block(SwitchConfig::CustomBroadcast{256}, "B % 4, B / 4, A % 4, A / 4", "C").program();
  using program::bit;
  using program::Resource;
  EXPECT_EQ(p.commands[0].resources, bit(Resource::Main) | bit(Resource::Sub) | bit(Resource::TensorDma));
}

TEST(Switch, SWI_31_config) {
  program::Switch const s = block(SwitchConfig::CustomBroadcast{256}, "B % 4, B / 4, A % 4, A / 4", "C").exec().switching.value();
  EXPECT_EQ(s.topology, Topology::CustomBroadcast);
  EXPECT_EQ(s.ring_size, 256);
  EXPECT_EQ(s.time_out, 8);
}
TEST(Switch, SWI_32_config) {
  program::Switch const s = block(SwitchConfig::CustomBroadcast{256}, "B % 4, B / 4, A % 4, A / 4", "C").exec().switching.value();
  for (auto [slice, from] :
       {std::pair(0, 0), {1, 64}, {2, 128}, {3, 192}, {255, 255}, {4, 16}, {5, 80}, {6, 144}, {7, 208}, {16, 4}, {64, 1}, {65, 65}})
    EXPECT_EQ(s.snoop[static_cast<std::size_t>(slice)], slices({from})) << slice;
}
TEST(Switch, SWI_35_config) {
  program::Switch const s = block(SwitchConfig::CustomBroadcast{32}, "A / 2, Y, B / 2, Z", "C, A % 2, B % 2").exec().switching.value();
  EXPECT_EQ(s.ring_size, 32);
  EXPECT_EQ(s.time_out, 32);
  EXPECT_EQ(s.snoop[0], slices({0, 1, 16, 17}));
  EXPECT_EQ(s.snoop[1], s.snoop[0]);
  EXPECT_EQ(s.snoop[2], slices({2, 3, 18, 19}));
  EXPECT_EQ(s.snoop[3], s.snoop[2]);
  EXPECT_EQ(s.snoop[255], slices({238, 239, 254, 255}));
}
TEST(Switch, SWI_38_config) {
  program::Switch const s = block(SwitchConfig::CustomBroadcast{4}, "A, B / 4, X", "C, B % 4 = 3").exec().switching.value();
  EXPECT_EQ(s.ring_size, 4);
  for (std::size_t i : {0u, 1u, 2u, 3u}) EXPECT_EQ(s.snoop[i], slices({0, 1, 2}));
  EXPECT_EQ(s.snoop[4], slices({4, 5, 6}));
  EXPECT_EQ(s.snoop[255], slices({252, 253, 254}));
}
TEST(Switch, SWI_39_config) {
  program::Switch const s = block(SwitchConfig::CustomBroadcast{4}, "A, B / 4, X", "C, B % 4").exec().switching.value();
  EXPECT_EQ(s.snoop[0], slices({0, 1, 2, 3}));
}
TEST(Switch, SUP_01_config) {
  Mover m{"A = 256, B = 16, C = 32, Y = 8", "B, C", "B", "C"};
  m.slice = "A";
  m.config = SwitchConfig::TransposedBroadcast1{8, 8};
  m.switched_slice = "A / 64, Y, A / 8 % 8";
  m.switched_time = "B, A % 8";
  program::Switch const s = m.exec().switching.value();
  EXPECT_EQ(s.topology, Topology::TransposedBroadcast1);
  EXPECT_EQ(s.ring_size, 64);
  EXPECT_EQ(s.time_out, 128);
  EXPECT_EQ(s.snoop[3], slices({24, 25, 26, 27, 28, 29, 30, 31}));
  EXPECT_EQ(source(s, 64 + 8 * 5 + 3, 8 * 2 + 6), (Source{64 + 24 + 6, 2}));
}
TEST(Switch, SUP_02_config) {
  EXPECT_EQ(block(SwitchConfig::CustomBroadcast{}, "A, B % 4, B / 4", "C").exec().switching.value().ring_size, 16);
  EXPECT_EQ(block(SwitchConfig::CustomBroadcast{}, "A, B", "C").exec().switching.value().ring_size, 1);
}

program::Collect collected(ScalarType type, std::string b, std::string time, std::string packet, std::string from = "B") {
  Mover m{"A = 8, B = " + b, "A, " + from, "A", from, std::move(time), std::move(packet)};
  m.stored = m.type = type;
  return m.exec().collect.value();
}
TEST(Collect, COL_03_config) { EXPECT_EQ(collected(ScalarType::i8, "32", "A", "B"), (program::Collect{32, 1})); }
TEST(Collect, COL_04_config) { EXPECT_EQ(collected(ScalarType::i8, "16", "A", "B # 32"), (program::Collect{16, 1})); }
TEST(Collect, COL_05_config) { EXPECT_EQ(collected(ScalarType::bf16, "32", "A, B / 16", "B % 16"), (program::Collect{64, 2})); }
TEST(Collect, COL_06_config) { EXPECT_EQ(collected(ScalarType::i8, "64", "A, B / 32", "B % 32"), (program::Collect{64, 2})); }
TEST(Collect, COL_07_config) { EXPECT_EQ(collected(ScalarType::i8, "32", "A", "B # 32", "B # 32"), (program::Collect{32, 1})); }
TEST(Collect, COL_08_config) { EXPECT_EQ(collected(ScalarType::i8, "16", "A", "B # 32"), (program::Collect{16, 1})); }
TEST(Collect, COL_09_config) { EXPECT_EQ(collected(ScalarType::bf16, "32", "A, B / 16", "B % 16"), (program::Collect{64, 2})); }
TEST(Collect, COL_10_config) {
  EXPECT_EQ(collected(ScalarType::i8, "56", "A, B # 64 / 32", "B # 64 % 32"), (program::Collect{56, 2})) << "8 zeros behind the last";
}

/// Rows and columns of a matrix, and what comes out of it.
void expect_matrix(Mover m, const program::Transpose& wanted) { EXPECT_EQ(m.exec().transpose.value(), wanted); }
Mover matrix(std::string axes, ScalarType type, std::string time, std::string packet, std::string flit, std::string to_time,
             std::string to_packet) {
  Mover m{std::move(axes), time + ", " + packet, time, packet, "", std::move(flit)};
  m.slice = "P";
  m.stored = m.type = type;
  m.transposed_time = std::move(to_time);
  m.transposed_packet = std::move(to_packet);
  return m;
}
TEST(Transpose, TRA_22_config) {
  expect_matrix(matrix("P = 256, C = 8, D = 8, E = 8", ScalarType::i8, "C, D", "E", "E # 32", "C, E", "D # 32"),
                {8, 8, 1, 8, 1, 8, 8, true});
}
TEST(Transpose, TRA_23_config) {
  expect_matrix(matrix("P = 64, A = 4, B = 2", ScalarType::i8, "A", "B # 8", "B # 32", "B", "A # 32"), {4, 8, 1, 8, 1, 2, 1, true});
}
TEST(Transpose, TRA_24_config) {
  expect_matrix(matrix("P = 256, B = 2, C = 8, D = 4, E = 8", ScalarType::i8, "B, C, D", "E", "E # 32", "B, D, E", "C # 32"),
                {8, 32, 4, 8, 4, 8, 2, false});
}
TEST(Transpose, TRA_25_config) {
  expect_matrix(matrix("P = 256, C = 8, D = 4, E = 8", ScalarType::bf16, "C, D", "E", "E # 16", "C, E", "D # 16"),
                {4, 8, 1, 8, 1, 8, 8, true});
}
TEST(Transpose, TRA_17_config) {
  EXPECT_TRUE(matrix("P = 256, C = 2, D = 8, E = 8, F = 2", ScalarType::i8, "C, D, F", "E", "E # 32", "C, F, E", "D # 32")
                  .exec()
                  .transpose.value()
                  .double_buffered);
  EXPECT_FALSE(matrix("P = 256, C = 2, D = 8, E = 8, F = 4", ScalarType::i8, "C, D, F", "E", "E # 32", "C, F, E", "D # 32")
                   .exec()
                   .transpose.value()
                   .double_buffered);
}

}  // namespace
}  // namespace tcp::lower
