// Shuffles, the slice of each chip, and rows by an index tensor.
#include "tcp/rules/shuffle.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tcp/device/chips.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/rules/gather.hpp"

namespace tcp {
namespace {

constexpr const char* axes = "A = 4, B = 4, C = 3, E = 64, N = 32, V = 1000, I = 16, J = 8, S = 512, X = 256";

Mapping written(const std::string& text) {
  auto const m = parse(text, *parse_axes(axes));
  EXPECT_TRUE(m.ok()) << text;
  return m.ok() ? *m : Mapping{};
}
DmaTensor hbm(const std::string& chip, const std::string& element) {
  DmaTensor t{.memory = Memory::Hbm};
  t.levels.set(Level::chip, written(chip)).set(Level::element, written(element));
  return t;
}
DmaTensor dm(const std::string& chip, const std::string& element, const std::string& cluster = "1 # 2",
             const std::string& slice = "1 # 256") {
  DmaTensor t{.memory = Memory::Dm};
  t.levels.set(Level::chip, written(chip)).set(Level::cluster, written(cluster));
  t.levels.set(Level::slice, written(slice)).set(Level::element, written(element));
  return t;
}
template <class T>
std::string code(const Expected<T>& p) {
  return p.ok() ? "accepted" : p.refusal().code;
}

std::string shuffled(const DmaTensor& in, std::vector<std::int64_t> p, const DmaTensor& out, Level level = Level::chip) {
  return code(check_shuffle(rngd, ScalarType::i8, 4, level, in, p.data(), static_cast<int>(p.size()), out));
}

TEST(Shuffle, of_chips) {
  EXPECT_EQ(shuffled(hbm("A", "E"), {1, 2, 3, 0}, hbm("A", "E")), "accepted");
  EXPECT_EQ(shuffled(hbm("A", "E"), {1, 2, 3, 0}, hbm("B", "E")), "accepted") << "the result's mapping is declared";
  EXPECT_EQ(shuffled(dm("A", "E"), {1, 2, 3, 0}, dm("B", "2, N")), "accepted");
  EXPECT_EQ(shuffled(hbm("A", "E"), {1, 2, 3}, hbm("A", "E")), "shuffle-count");
  EXPECT_EQ(shuffled(hbm("A", "E"), {1, 2, 3, 4}, hbm("A", "E")), "shuffle-out-of-range");
  EXPECT_EQ(shuffled(hbm("A", "E"), {1, 2, -1, 0}, hbm("A", "E")), "shuffle-out-of-range");
  EXPECT_EQ(shuffled(hbm("A", "E"), {0, 0, 0, 0}, hbm("A", "E")), "shuffle-not-permutation");
  EXPECT_EQ(shuffled(hbm("A", "E"), {1, 2, 3, 0}, hbm("A", "N")), "shuffle-wrong-result");
  EXPECT_EQ(shuffled(hbm("A", "E"), {1, 2, 3, 0}, hbm("A", "N # 64")), "shuffle-wrong-result");
  EXPECT_EQ(shuffled(hbm("A", "E"), {1, 2, 3, 0}, dm("A", "E")), "shuffle-memory");
  // Three chips of four hold something: after a rotation another three do, which no mapping of three says.
  EXPECT_EQ(shuffled(hbm("C # 4", "E"), {1, 2, 3, 0}, hbm("C # 4", "E")), "shuffle-wrong-result");
  EXPECT_EQ(shuffled(hbm("C # 4", "E"), {1, 2, 0, 3}, hbm("C # 4", "E")), "accepted");
  EXPECT_EQ(shuffled(hbm("V # 1024 / 256", "V # 1024 % 256"), {1, 2, 3, 0}, hbm("V # 1024 / 256", "V # 1024 % 256")),
            "shuffle-wrong-result");
  auto const p = check_chip_shuffle(rngd, ScalarType::i8, 4, hbm("A", "E"), std::vector<std::int64_t>{3, 2, 1, 0}.data(), 4, hbm("A", "E"));
  EXPECT_TRUE(p->crosses_chips);
  EXPECT_EQ(p->packet, Bytes{64});
}

TEST(Shuffle, of_clusters) {
  EXPECT_EQ(shuffled(dm("A", "E", "2"), {1, 0}, dm("A", "E", "2"), Level::cluster), "accepted");
  EXPECT_EQ(shuffled(hbm("A", "E"), {1, 0}, hbm("A", "E"), Level::cluster), "shuffle-memory");
  EXPECT_EQ(shuffled(dm("A", "E", "2"), {1, 0, 2, 3}, dm("A", "E", "2"), Level::cluster), "shuffle-count");
  EXPECT_EQ(shuffled(dm("A", "E"), {1, 0}, dm("A", "E"), Level::cluster), "shuffle-wrong-result");
  std::int64_t const swap[] = {1, 0};
  EXPECT_TRUE(check_cluster_shuffle(rngd, ScalarType::i8, 4, dm("A", "E", "2"), swap, 2, dm("A", "E", "2"))->crosses_clusters);
}

std::string sliced(const Device& d, const DmaTensor& in, const std::string& dimension, std::int64_t length, std::vector<std::int64_t> s,
                   const DmaTensor& out) {
  return code(check_chip_slice(d, ScalarType::i8, 4, in, written(dimension), length, s.data(), static_cast<int>(s.size()), out));
}

TEST(ChipSlice, keeps_another_part_on_every_chip) {
  EXPECT_EQ(sliced(logical, dm("A", "B"), "B", 1, {0, 1, 2, 3}, dm("B", "1")), "accepted");
  EXPECT_EQ(sliced(logical, dm("A", "B"), "B", 1, {3, 0, 1, 2}, dm("A", "1")), "accepted");
  EXPECT_EQ(sliced(rngd, dm("A", "B"), "B", 1, {0, 1, 2, 3}, dm("B", "1")), "dma-packet-misaligned") << "one byte into DM";
  EXPECT_EQ(sliced(rngd, dm("A", "B, E"), "B", 1, {0, 1, 2, 3}, dm("B", "E")), "accepted");
  EXPECT_EQ(sliced(rngd, dm("A", "N, B, E"), "B", 2, {0, 1, 2, 2}, dm("A", "N, 2, E")), "accepted");
  EXPECT_EQ(sliced(rngd, dm("A", "N, B, E"), "B", 2, {0, 1, 2, 3}, dm("A", "N, 2, E")), "chip-slice-out-of-range");
  EXPECT_EQ(sliced(rngd, dm("A", "N, B, E"), "B", 2, {0, 1, 2, 2}, dm("A", "N, E")), "chip-slice-wrong-result");
  EXPECT_EQ(sliced(rngd, dm("A", "N, B, E"), "B", 1, {0, 1, 2, 2}, dm("A", "E, N")), "chip-slice-wrong-result");
  EXPECT_EQ(sliced(rngd, dm("A", "E"), "E / 16", 1, {0, 1, 2, 3}, dm("A", "E % 16")), "accepted");
  EXPECT_EQ(sliced(rngd, dm("A", "B, E"), "B", 1, {0, 1, 2}, dm("B", "E")), "chip-slice-count");
  EXPECT_EQ(sliced(rngd, hbm("A", "B, E"), "B", 1, {0, 1, 2, 3}, hbm("B", "E")), "chip-slice-memory");
  EXPECT_EQ(sliced(rngd, dm("A", "B, E"), "N", 1, {0, 1, 2, 3}, dm("B", "E")), "tile-not-in-source");
  EXPECT_EQ(sliced(rngd, dm("A", "B, E"), "B", 1, {0, 1, 2, 3}, dm("B", "E", "1 # 2", "X")), "chip-slice-wrong-level");
  EXPECT_EQ(sliced(rngd, dm("A", "B, E"), "B", 1, {0, 1, 2, 3}, dm("C # 4", "E")), "chip-slice-wrong-level");
}

TEST(ChipSlice, a_rotation_is_a_skew) {
  EXPECT_EQ(sliced(rngd, dm("A", "B, E"), "B", 4, {0, 1, 2, 3}, dm("A", "skew(B, A), E")), "accepted");
  EXPECT_EQ(sliced(rngd, dm("A", "B, E"), "B", 4, {1, 2, 3, 0}, dm("A", "skew(B, A), E")), "chip-slice-not-skewed");
  EXPECT_EQ(sliced(rngd, dm("A", "B, E"), "B", 4, {0, 1, 2, 3}, dm("A", "4, E")), "chip-slice-out-of-range");
  EXPECT_EQ(sliced(rngd, dm("A", "B, E"), "B", 4, {0, 0, 0, 0}, dm("A", "B, E")), "accepted");
  std::int64_t const s[] = {0, 1, 2, 3};
  auto const r = check_chip_slice(rngd, ScalarType::i8, 4, dm("A", "B, E"), written("B"), 4, s, 4, dm("A", "skew(B, A), E"));
  EXPECT_TRUE(r->rotates);
  EXPECT_EQ(r->stride, 64);
  EXPECT_EQ(r->copy.run, Bytes{64});
}

TEST(Gather, rows_by_an_index_tensor) {
  Name const rows("V");
  auto const take = [&](const DmaTensor& table, const DmaTensor& index, const DmaTensor& out, ScalarType t = ScalarType::i32) {
    return code(check_gather(rngd, ScalarType::bf16, 1, table, rows, t, index, out));
  };
  DmaTensor const table = hbm("1", "V, E"), index = hbm("1", "I");
  EXPECT_EQ(take(table, index, hbm("1", "I, E")), "accepted");
  EXPECT_EQ(take(table, index, dm("1", "E", "1 # 2", "I # 256")), "accepted");
  EXPECT_EQ(take(table, hbm("1", "I, J"), hbm("1", "J, I, E")), "accepted") << "an index tensor of two axes";
  EXPECT_EQ(take(table, index, hbm("1", "I, E"), ScalarType::i16), "gather-index-type");
  EXPECT_EQ(take(hbm("1", "V / 8, E, V % 8"), index, hbm("1", "I, E")), "gather-rows-not-whole");
  EXPECT_EQ(take(hbm("1", "E"), index, hbm("1", "I, E")), "gather-rows-not-whole");
  EXPECT_EQ(take(table, index, hbm("1", "V, E")), "gather-rows-kept");
  EXPECT_EQ(take(hbm("1", "V, I, E"), index, hbm("1", "I, E")), "gather-axis-in-table");
  EXPECT_EQ(take(table, index, hbm("1", "J, E")), "gather-index-axes");
  EXPECT_EQ(take(table, hbm("1", "I / 2"), hbm("1", "I, E")), "gather-index-axes");
  EXPECT_EQ(take(table, index, hbm("1", "I, E = 8")), "dma-drops-data");
  EXPECT_EQ(take(hbm("1", "E, V"), index, hbm("1", "I, E")), "accepted") << "slow, and legal between HBM and HBM";
  EXPECT_EQ(take(hbm("1", "V, C"), index, dm("1", "C # 4", "1 # 2", "I # 256")), "dma-packet-misaligned");
  EXPECT_EQ(take(hbm("1", "V, E # 66"), index, dm("1", "E", "1 # 2", "I # 256")), "gather-row-misaligned");
  auto const g = check_gather(rngd, ScalarType::bf16, 1, table, rows, ScalarType::i32, index, dm("1", "E", "1 # 2", "I # 256"));
  EXPECT_EQ(g->rows, 1000);
  EXPECT_EQ(g->row_stride, 64);
  EXPECT_EQ(g->row.packet, Bytes{128});
  DmaTensor host = hbm("1", "I");
  host.memory = Memory::Host;
  EXPECT_EQ(take(table, host, hbm("1", "I, E")), "gather-from-host");
}

TEST(Scatter, rows_by_an_index_tensor) {
  Name const rows("V");
  auto const put = [&](const DmaTensor& in, const DmaTensor& index, const DmaTensor& table) {
    return code(check_scatter(rngd, ScalarType::bf16, 1, in, ScalarType::i32, index, table, rows));
  };
  DmaTensor const table = hbm("1", "V, E"), index = hbm("1", "I");
  EXPECT_EQ(put(hbm("1", "I, E"), index, table), "accepted");
  EXPECT_EQ(put(dm("1", "E", "1 # 2", "I # 256"), index, table), "accepted");
  EXPECT_EQ(put(hbm("1", "I, E, J"), index, table), "dma-drops-data");
  EXPECT_EQ(put(hbm("1", "J, E"), index, table), "gather-index-axes");
  EXPECT_EQ(put(hbm("1", "V, E"), index, table), "gather-rows-kept");
  EXPECT_EQ(put(hbm("1", "I, E = 32"), index, table), "dma-insufficient-source");
}

}  // namespace
}  // namespace tcp
