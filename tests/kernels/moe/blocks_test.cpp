// Where rows go when they are sorted by expert, against counting.
#include "kernels/moe/blocks.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "kernels/nightly.hpp"
#include "moe_oracle.hpp"
#include "recorder.hpp"

namespace tcp {
namespace {

using namespace moe_tests;
using dyn::map;
using kernels::BlockIndices;

/// Choices of tokens: k different experts each, ascending.
std::vector<i32> random_choices(Random& random, std::int64_t tokens, std::int64_t experts, std::int64_t k, bool crowded = false) {
  std::vector<i32> v;
  for (std::int64_t t = 0; t < tokens; ++t) {
    std::set<std::int64_t> of_token;
    while (static_cast<std::int64_t>(of_token.size()) < k)
      of_token.insert(random.between(0, crowded ? std::min(k, experts - 1) : experts - 1));
    for (std::int64_t e : of_token) v.push_back(i32::from_int(e));
  }
  return v;
}
std::vector<std::int32_t> counts_of(const std::vector<i32>& choices, std::int64_t experts) {
  std::vector<std::int32_t> count(static_cast<std::size_t>(experts), 0);
  for (i32 c : choices) ++count[static_cast<std::size_t>(c.to_int())];
  return count;
}
std::int32_t ceil_of(std::int32_t n, std::int64_t b) { return static_cast<std::int32_t>((n + b - 1) / b); }

struct Sizes {
  std::int64_t tokens, experts, k, block;
};

/// What BlockIndices computes on the way.
struct Computed {
  std::vector<std::int32_t> count, blocks, first, place, row, expert;
};
struct InHbm {
  dyn::Tensor count, blocks, first, place, row, expert;
};
Computed computed(BackendKind backend, const Sizes& s, const std::vector<i32>& choices) {
  auto ctx = context_on(backend);
  BlockIndices const indices(rngd, s.tokens, s.experts, s.k, s.block);
  Mapping const t = dyn::axis("T", s.tokens), k = dyn::axis("K", s.k), x = indices.all_experts();
  auto const kernel = [&](Context& on, const dyn::Tensor& chosen, const dyn::Tensor& numbers) {
    BlockIndices::Counted const counted = indices.counted(on, chosen, numbers);
    dyn::Tensor const blocks = indices.blocks_of(on, counted.count, numbers), first = indices.first_blocks_of(on, blocks);
    return InHbm{counted.count,
                 blocks,
                 first,
                 counted.place,
                 indices.rows_of(on, chosen, first, counted.place),
                 indices.experts_of(on, blocks, numbers)};
  };
  auto const host = tensor_of(map(t, k), choices);
  auto const numbers = numbers_up_to(indices.numbers());
  InHbm const all =
      launch(kernel, ctx, host.to_hbm(ctx.pdma, dyn::one, map(t, k.pad(8))), numbers.to_hbm(ctx.pdma, dyn::one, numbers.element())).get();
  auto const of_experts = [&](const dyn::Tensor& tensor) {
    auto v = integers(tensor.to_host(ctx.pdma, x));
    v.resize(static_cast<std::size_t>(s.experts));
    return v;
  };
  auto const of_choices = [&](const dyn::Tensor& tensor) { return integers(tensor.to_host(ctx.pdma, map(t, k))); };
  return {of_experts(all.count), of_experts(all.blocks), of_experts(all.first),
          of_choices(all.place), of_choices(all.row),    integers(all.expert.to_host(ctx.pdma, dyn::axis("G", indices.grid())))};
}

constexpr Sizes some_sizes{20, 8, 2, 4};
Computed some_computed(std::vector<i32>& choices) {
  Random random(17);
  choices = random_choices(random, some_sizes.tokens, some_sizes.experts, some_sizes.k);
  return computed(BackendKind::vector, some_sizes, choices);
}

TEST(Moe, MOE_17_the_mask_is_one_at_the_chosen_expert_alone) {
  // One choice: it is counted for its own expert, and for no other.
  for (std::int32_t e : {0, 3, 7}) {
    auto const c = computed(BackendKind::vector, {1, 8, 1, 4}, {i32::from_int(e)});
    for (std::int32_t other = 0; other < 8; ++other) EXPECT_EQ(c.count[static_cast<std::size_t>(other)], other == e ? 1 : 0);
  }
}
TEST(Moe, MOE_18_histogram) {
  std::vector<i32> choices;
  auto const c = some_computed(choices);
  EXPECT_EQ(c.count, counts_of(choices, some_sizes.experts));
  std::int32_t all = 0;
  for (std::int32_t n : c.count) all += n;
  EXPECT_EQ(all, some_sizes.tokens * some_sizes.k);
}
TEST(Moe, MOE_19_blocks_of_an_expert) {
  std::vector<i32> choices;
  auto const c = some_computed(choices);
  auto const counts = counts_of(choices, some_sizes.experts);
  for (std::size_t e = 0; e < counts.size(); ++e) EXPECT_EQ(c.blocks[e], ceil_of(counts[e], some_sizes.block));
}
TEST(Moe, MOE_20_first_block_of_an_expert) {
  std::vector<i32> choices;
  auto const c = some_computed(choices);
  std::int32_t before = 0;
  auto const counts = counts_of(choices, some_sizes.experts);
  for (std::size_t e = 0; e < counts.size(); ++e) {
    EXPECT_EQ(c.first[e], before);
    before += ceil_of(counts[e], some_sizes.block);
  }
}
TEST(Moe, MOE_21_place_among_those_of_the_same_expert) {
  std::vector<i32> choices;
  auto const c = some_computed(choices);
  std::vector<std::int32_t> seen(8, 0);
  for (std::size_t i = 0; i < choices.size(); ++i) EXPECT_EQ(c.place[i], seen[static_cast<std::size_t>(choices[i].to_int())]++) << i;
}
/// Whose the blocks are, from the counts alone; behind the last one in use the last expert.
std::vector<std::int32_t> experts_of_blocks(const std::vector<std::int32_t>& counts, std::int64_t block, std::size_t grid) {
  std::vector<std::int32_t> ids;
  for (std::size_t e = 0; e < counts.size(); ++e)
    for (std::int32_t b = 0; b < ceil_of(counts[e], block); ++b) ids.push_back(static_cast<std::int32_t>(e));
  ids.resize(grid, static_cast<std::int32_t>(counts.size()) - 1);
  return ids;
}
TEST(Moe, MOE_22_expert_of_a_block) {
  std::vector<i32> choices;
  auto const c = some_computed(choices);
  EXPECT_EQ(c.expert, experts_of_blocks(counts_of(choices, some_sizes.experts), some_sizes.block, c.expert.size()));
}
TEST(Moe, MOE_23_two_three_none_and_three_blocks) {
  std::vector<i32> choices;
  auto const choose = [&](std::int64_t e, int times) {
    for (int i = 0; i < times; ++i) choices.push_back(i32::from_int(e));
  };
  choose(0, 7), choose(1, 9), choose(3, 12);  // blocks of 4: 2, 3 and 3
  auto const c = computed(BackendKind::vector, {28, 8, 1, 4}, choices);
  EXPECT_EQ((std::vector<std::int32_t>(c.expert.begin(), c.expert.begin() + 8)), (std::vector<std::int32_t>{0, 0, 1, 1, 1, 3, 3, 3}));
}
TEST(Moe, MOE_24_rows) {
  std::vector<i32> choices;
  auto const c = some_computed(choices);
  auto const counts = counts_of(choices, some_sizes.experts);
  std::set<std::int32_t> rows;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    auto const e = static_cast<std::size_t>(choices[i].to_int());
    std::int32_t first = 0;
    for (std::size_t before = 0; before < e; ++before) first += ceil_of(counts[before], some_sizes.block);
    EXPECT_EQ(c.row[i], first * some_sizes.block + c.place[i]);
    EXPECT_GE(c.row[i], 0);
    EXPECT_LT(c.row[i], static_cast<std::int32_t>(c.expert.size()) * some_sizes.block);
    EXPECT_EQ(c.expert[static_cast<std::size_t>(c.row[i] / some_sizes.block)], choices[i].to_int());
    rows.insert(c.row[i]);
  }
  EXPECT_EQ(rows.size(), choices.size());  // no row twice
}
TEST(Moe, MOE_15_blocks_in_use) {
  std::vector<i32> choices;
  auto const c = some_computed(choices);
  std::int32_t in_use = 0, of_chip = 0;
  for (std::int32_t n : counts_of(choices, some_sizes.experts)) in_use += ceil_of(n, some_sizes.block);
  for (std::int32_t n : c.blocks) of_chip += n;
  EXPECT_EQ(of_chip, in_use);
}
/// The most blocks over all ways to share choices out among experts: whatever the first gets, and the most of the rest.
std::int64_t most_by_trial(std::int64_t choices, std::int64_t experts, std::int64_t block) {
  std::vector<std::int64_t> most(static_cast<std::size_t>(choices + 1), -1);
  most[0] = 0;
  for (std::int64_t e = 0; e < experts; ++e) {
    std::vector<std::int64_t> next(most.size(), -1);
    for (std::size_t before = 0; before < most.size(); ++before)
      for (std::size_t here = 0; most[before] >= 0 && before + here < most.size(); ++here)
        next[before + here] = std::max(next[before + here], most[before] + (static_cast<std::int64_t>(here) + block - 1) / block);
    most = next;
  }
  return most.back();
}
TEST(Moe, MOE_16_most_blocks) {
  for (std::int64_t pairs = 1; pairs < 40; ++pairs)
    for (std::int64_t experts : {1, 3, 8})
      for (std::int64_t block : {1, 2, 4, 8})
        EXPECT_EQ(kernels::most_blocks(pairs, experts, block), most_by_trial(pairs, experts, block))
            << pairs << " " << experts << " " << block;
  EXPECT_EQ(BlockIndices(rngd, 4096, 128, 8, 128).grid(), (4096 * 8 - 128) / 128 + 128);
  EXPECT_EQ(BlockIndices(rngd, 1, 128, 8, 16).grid(), 8);
}
void expect_indices_right(BackendKind backend, const Sizes& s, const std::vector<i32>& choices) {
  SCOPED_TRACE(testing::Message() << s.tokens << " tokens, " << s.k << " of " << s.experts << ", blocks of " << s.block << ", "
                                  << name_of(backend));
  auto const c = computed(backend, s, choices);
  auto const counts = counts_of(choices, s.experts);
  EXPECT_EQ(c.count, counts);
  EXPECT_EQ(c.expert, experts_of_blocks(counts, s.block, c.expert.size()));
  std::vector<std::int32_t> first(counts.size(), 0), seen(counts.size(), 0);
  for (std::size_t e = 1; e < counts.size(); ++e) first[e] = first[e - 1] + ceil_of(counts[e - 1], s.block);
  int wrong = 0;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    auto const e = static_cast<std::size_t>(choices[i].to_int());
    wrong += c.row[i] != first[e] * s.block + seen[e]++;
  }
  EXPECT_EQ(wrong, 0);
}
TEST(BlockIndices, the_same_on_every_backend) {
  Random random(30);
  for (BackendKind backend : every_backend)
    for (Sizes s : {Sizes{5, 8, 4, 2}, {3, 16, 8, 2}, {9, 8, 1, 4}})
      expect_indices_right(backend, s, random_choices(random, s.tokens, s.experts, s.k));
}
TEST(BlockIndices, random_routing) {
  Random random(31);
  for (int i = 0; i < nightly::cases(12); ++i) {
    Sizes const s{random.between(1, 80), 8 * random.between(1, 16), random.between(1, 8), std::int64_t{1} << random.between(1, 6)};
    expect_indices_right(BackendKind::vector, s, random_choices(random, s.tokens, s.experts, s.k, i % 3 == 0));
  }
  Sizes const many{700, 16, 8, 32};  // more than one tile, and more than one round
  expect_indices_right(BackendKind::vector, many, random_choices(random, many.tokens, many.experts, many.k));
}
TEST(BlockIndices, what_is_refused) {
  EXPECT_EQ(build::code_of([] { BlockIndices(rngd, 1, 8, 1, 3); }), "kernel-moe-block");
  EXPECT_EQ(build::code_of([] { BlockIndices(rngd, 1, 8, 1, 1); }), "kernel-moe-block");
  EXPECT_EQ(build::code_of([] { BlockIndices(rngd, 1, 8, 1, 2048); }), "kernel-moe-block");
  for (std::int64_t block : {0, -2}) EXPECT_EQ(build::code_of([&] { BlockIndices(rngd, 1, 8, 1, block); }), "kernel-moe-block");
  EXPECT_EQ(build::code_of([] { BlockIndices(rngd, 0, 8, 1, 4); }), "kernel-topk-size");
  EXPECT_EQ(build::code_of([] { BlockIndices(rngd, 1, 0, 1, 4); }), "kernel-topk-size");
  EXPECT_EQ(build::code_of([] { BlockIndices(rngd, 1, 8, 0, 4); }), "kernel-topk-size");
}

// Cumsum as the book configures it: a table of branches says who reads and who stores.

std::vector<std::int32_t> running_sum(const std::vector<std::int32_t>& x, const std::vector<std::int32_t>& branch) {
  auto ctx = context_on(BackendKind::vector);
  auto const n = static_cast<std::int64_t>(x.size());
  Mapping const i = dyn::axis("I", n), cells = map(i, dyn::one.pad(8)), alone = dyn::one.pad(2), slice = dyn::one.pad(256);
  auto const kernel = [&](Context& on, const dyn::Tensor& in, const dyn::Tensor& table) {
    auto const stored = dyn::Tensor::dm(on, ScalarType::i32, dyn::one, alone, slice, dyn::one.pad(8));
    dyn::memset(on, stored, 0x5a5a5a5a);  // must not matter
    auto const vrf = [&](const dyn::Tensor& t, const Mapping& steps) {
      return dyn::sub(on)
          .begin(t)
          .fetch(ScalarType::i32, steps, dyn::one.pad(8))
          .collect(steps, dyn::one.pad(8))
          .to_vrf(map(steps, dyn::one.pad(8)));
    };
    auto const operand = vrf(stored, dyn::one), log = vrf(table.to_dm(on.tdma, alone, slice, cells), i);
    auto const dm = in.to_dm(on.tdma, alone, slice, cells);
    return dyn::main(on)
        .begin(dm)
        .fetch(ScalarType::i32, i, dyn::one.pad(8))
        .collect(i, dyn::one.pad(8))
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Vrf, log)
        .vector_fxp(FxpBinaryOp::AddFxp, VeBranchOperand::when(operand, OperandGuard::id(1) | OperandGuard::id(2)))
        .vector_write_operand(operand, OperandGuard::id(0) | OperandGuard::id(1))
        .vector_final()
        .commit(cells)
        .to_hbm(on.tdma, cells);
  };
  auto const as_tensor = [&](const std::vector<std::int32_t>& v) {
    dyn::HostTensor t(ScalarType::i32, i);
    for (std::size_t at = 0; at < v.size(); ++at) t.data<i32>()[at] = i32::from_int(v[at]);
    return t;
  };
  auto const host = as_tensor(x), table = as_tensor(branch);
  return integers(
      launch(kernel, ctx, host.to_hbm(ctx.pdma, dyn::one, cells), table.to_hbm(ctx.pdma, dyn::one, cells)).get().to_host(ctx.pdma, i));
}
std::vector<std::int32_t> branches(std::size_t n) {
  std::vector<std::int32_t> b(n, 1);
  if (n > 1) b[n - 1] = 2;
  b[0] = 0;
  return b;
}
TEST(Moe, MOE_30_branch_table) {
  // 0 at the first step, 2 at the last, 1 between them: with this table, and with no other, sums run from the first to the last.
  using Table = std::vector<std::int32_t>;
  Table const x{1, 2, 4, 8}, right{1, 3, 7, 15};
  EXPECT_EQ(running_sum(x, {0, 1, 1, 2}), right);
  EXPECT_EQ(branches(4), (Table{0, 1, 1, 2}));
  for (Table const& wrong : {Table{0, 0, 0, 0}, {0, 0, 1, 2}, {0, 1, 0, 2}, {0, 1, 1, 0}, {0, 2, 1, 2}, {0, 1, 2, 2}})
    EXPECT_NE(running_sum(x, wrong), right) << wrong[1] << wrong[2] << wrong[3];
  EXPECT_EQ(running_sum({3, 5}, {0, 2}), (Table{3, 8}));
  EXPECT_EQ(running_sum({3}, {0}), (Table{3}));
}
TEST(Moe, MOE_31_branches_0_and_1_store_and_1_and_2_read) {
  // 2 in the middle reads and does not store: the next one finds the sum of before.
  EXPECT_EQ(running_sum({1, 2, 3, 4}, {0, 2, 1, 2}), (std::vector<std::int32_t>{1, 3, 4, 8}));
}
TEST(Moe, MOE_32_running_sum) {
  EXPECT_EQ(running_sum({1, 2, 3, 4}, branches(4)), (std::vector<std::int32_t>{1, 3, 6, 10}));
  EXPECT_EQ(running_sum({5, -7}, branches(2)), (std::vector<std::int32_t>{5, -2}));
  EXPECT_EQ(running_sum({9}, branches(1)), (std::vector<std::int32_t>{9}));
  Random random(32);
  std::vector<std::int32_t> x, sums;
  std::uint32_t sum = 0;
  for (int i = 0; i < nightly::cases(40); ++i) {
    x.push_back(static_cast<std::int32_t>(random.next()));
    sum += static_cast<std::uint32_t>(x.back());
    sums.push_back(static_cast<std::int32_t>(sum));
  }
  EXPECT_EQ(running_sum(x, branches(x.size())), sums);
}

}  // namespace
}  // namespace tcp
