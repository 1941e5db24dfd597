// Kernels with mappings as values write down what the typed ones write down, and refuse a mistake where it is made.
#include "tcp/dsl/dynamic.hpp"

#include <gtest/gtest.h>

#include "recorder.hpp"

namespace tcp {
namespace {

using build::code_of;
using build::module_of;
using build::text_of;
using build::text_of_kernel;

TCP_AXES(A = 2048, I = 512, J = 512, K = 64, B = 256, Y = 16);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<A / 8>;
using Eight = m<A % 8>;

// The same as values. A program would read the sizes from somewhere.
Mapping const a = dyn::axis("A", 2048), x = dyn::axis("X", 2);
Mapping const idle = dyn::one.pad(2);

dyn::Tensor dm_at(std::int64_t address, ScalarType type = ScalarType::i32) {
  return dyn::Tensor::dm_at(address, type, dyn::one, idle, a / 8, a % 8);
}
dyn::Stream entered(Context& ctx, std::int64_t address = 0) {
  return dyn::main(ctx).begin(dm_at(address)).fetch(ScalarType::i32, dyn::one, a % 8).collect(dyn::one, a % 8).vector_init();
}
/// The text of a kernel whatever its name is.
template <class Kernel>
std::string nameless(Kernel&& kernel) {
  ir::Module module = module_of(kernel);
  module.name = "kernel";
  return text_of(module);
}

TEST(Dynamic, factors_are_those_of_types) {
  Mapping const j = dyn::axis("J", 512);
  EXPECT_EQ(dyn::map(a / 8, (j % 32).pad(64)), (m<A / 8, (J % 32).pad(64)>::mapping));
  EXPECT_EQ(dyn::map(4, a), (m<4, A>::mapping));
  EXPECT_EQ(dyn::map(), m<1>::mapping);
  EXPECT_EQ(dyn::map(a, j) / 8, m<group(A, J) / 8>::mapping);
  EXPECT_FALSE(dyn::axis("ANameOfSeventeenX", 3).ok());
}

TEST(Dynamic, a_product_of_matrices) {
  Mapping const i = dyn::axis("I", 512), j = dyn::axis("J", 512), k = dyn::axis("K", 64);
  Mapping const slice = dyn::map(i / 32, j / 32);
  std::string const dynamic = nameless([&](Context& ctx) {
    auto const rows = dyn::Tensor::hbm_at(0, ScalarType::bf16, dyn::one, dyn::map(i, k));
    auto const columns = dyn::Tensor::hbm_at(1 << 28, ScalarType::bf16, dyn::one, dyn::map(j, k));
    auto const a_dm = rows.to_dm(ctx.tdma, idle, slice, dyn::map(i % 32, k), 0);
    auto const b_dm = columns.to_dm(ctx.tdma, idle, slice, dyn::map(j % 32, k), 1 << 12);
    auto const weights = dyn::sub(ctx)
                             .begin(b_dm)
                             .fetch(ScalarType::bf16, dyn::map(j % 8, j / 8 % 4), k)
                             .collect(dyn::map(j % 8, j / 8 % 4, k / 16), k % 16)
                             .to_trf(j % 8, dyn::map(j / 8 % 4, k), TrfAddress::FirstHalf);
    auto const c_dm = dyn::main(ctx)
                          .begin(a_dm)
                          .fetch(ScalarType::bf16, dyn::map(i % 32, j / 8 % 4), k)
                          .collect(dyn::map(i % 32, j / 8 % 4, k / 16), k % 16)
                          .align(weights, dyn::map(i % 32, j / 8 % 4, k / 32), k % 32)
                          .contract(dyn::one)
                          .accumulate(AccumulationKind::Interleaved, dyn::map(i % 32, j / 8 % 4), j % 8)
                          .cast(ScalarType::bf16, (j % 8).pad(16))
                          .commit(dyn::map(i % 32, j % 32), 1 << 13);
    return c_dm.to_hbm(ctx.tdma, dyn::map(i, j), 2 << 28);
  });
  std::string const typed = nameless([](Context& ctx) {
    auto const rows = HbmTensor<bf16, Chip, m<I, K>>::from_addr(0);
    auto const columns = HbmTensor<bf16, Chip, m<J, K>>::from_addr(1 << 28);
    auto const a_dm = rows.to_dm<Cluster, m<I / 32, J / 32>, m<I % 32, K>>(ctx.tdma, 0);
    auto const b_dm = columns.to_dm<Cluster, m<I / 32, J / 32>, m<J % 32, K>>(ctx.tdma, 1 << 12);
    auto const weights = ctx.sub.begin(b_dm.view())
                             .fetch<bf16, m<J % 8, J / 8 % 4>, m<K>>()
                             .collect<m<J % 8, J / 8 % 4, K / 16>, m<K % 16>>()
                             .to_trf<m<J % 8>, m<J / 8 % 4, K>>(TrfAddress::FirstHalf);
    auto const c_dm = ctx.main.begin(a_dm.view())
                          .fetch<bf16, m<I % 32, J / 8 % 4>, m<K>>()
                          .collect<m<I % 32, J / 8 % 4, K / 16>, m<K % 16>>()
                          .align<m<I % 32, J / 8 % 4, K / 32>, m<K % 32>>(weights)
                          .contract<m<1>>()
                          .accumulate<m<I % 32, J / 8 % 4>, m<J % 8>>(AccumulationKind::Interleaved)
                          .cast<bf16, m<(J % 8).pad(16)>>()
                          .commit<m<I % 32, J % 32>>(1 << 13);
    return c_dm.to_hbm<m<I, J>>(ctx.tdma, 2 << 28);
  });
  EXPECT_EQ(dynamic, typed);
  EXPECT_NE(dynamic.find(".align(%"), dynamic.npos) << dynamic;
}

TEST(Dynamic, views_gather_scatter_and_memset) {
  Mapping const rows = dyn::axis("I", 512), row = dyn::axis("B", 256), picked = dyn::axis("Y", 16);
  std::string const dynamic = nameless([&](Context& ctx) {
    auto const table = dyn::Tensor::hbm_at(0, ScalarType::i32, dyn::one, dyn::map(rows, row));
    auto const index = dyn::Tensor::hbm_at(1 << 20, ScalarType::i32, dyn::one, picked);
    auto const some = table.gather_to_hbm(ctx.tdma, "I", index, dyn::map(picked, row), 1 << 21);
    auto const in_dm = table.gather_to_dm(ctx.tdma, "I", index, idle, picked.pad(256), row);
    auto const cache = dyn::Tensor::hbm_at(1 << 22, ScalarType::i32, dyn::one, dyn::map(rows, row));
    some.scatter(ctx.tdma, "I", index, cache);
    auto const part = table.tile(rows, 256, 128).to_dm(ctx.tdma, idle, rows.resize(256), row, 1 << 15);
    dyn::memset(ctx, dm_at(1 << 17).view_mut(), 7);
  });
  std::string const typed = nameless([](Context& ctx) {
    auto const table = HbmTensor<i32, Chip, m<I, B>>::from_addr(0);
    auto const index = HbmTensor<i32, Chip, m<Y>>::from_addr(1 << 20);
    auto const some = table.gather_to_hbm<I, m<Y, B>>(ctx.tdma, index, 1 << 21);
    auto const in_dm = table.gather_to_dm<I, Cluster, m<Y.pad(256)>, m<B>>(ctx.tdma, index);
    auto cache = HbmTensor<i32, Chip, m<I, B>>::from_addr(1 << 22);
    some.scatter<I>(ctx.tdma, index, cache.view_mut());
    auto const part = table.view().tile<m<I>, 256>(128).to_dm<Cluster, m<I.resize(256)>, m<B>>(ctx.tdma, 1 << 15);
    ctx.sub.memset(DmTensor<i32, Chip, Cluster, Slice, Eight>::from_addr(1 << 17).view_mut(), 7);
  });
  EXPECT_EQ(dynamic, typed);
}

TEST(Dynamic, branches_logs_filters_and_operands) {
  std::string const dynamic = nameless([](Context& ctx) {
    dyn::Tensor log, count;
    auto const y = entered(ctx)
                       .vector_intra_slice_branch(BranchMode::Comparison{InputCmp::Less(3), InputCmp::Greater(7)})
                       .vector_branch_log(a % 8, 64, log)
                       .vector_fxp(FxpBinaryOp::AddFxp, VeBranchOperand::when(1, OperandGuard::id(1)))
                       .vector_clip(ClipBinaryOpI32::Max, 0)
                       .vector_final()
                       .commit(a % 8, 128);
    auto const v = dyn::sub(ctx).begin(y).fetch(ScalarType::i32, dyn::one, a % 8).collect(dyn::one, a % 8).to_vrf(a % 8, 128);
    auto const z = entered(ctx, 1024)
                       .vector_intra_slice_branch(BranchMode::Vrf, log)
                       .vector_fxp(FxpBinaryOp::MulInt, v)
                       .vector_filter(OperandGuard::id(1), 256, count, dyn::one, a % 8)
                       .vector_final()
                       .commit(a % 8, 192);
  });
  std::string const typed = nameless([](Context& ctx) {
    using Dm = DmTensor<i32, Chip, Cluster, Slice, Eight>;
    VrfTensor<i32, Chip, Cluster, Slice, Eight> log;
    VrfTensor<i32, Chip, Cluster, Slice, m<1>> count;
    auto const y = ctx.main.begin(Dm::from_addr(0).view())
                       .fetch<i32, m<1>, Eight>()
                       .collect<m<1>, Eight>()
                       .vector_init()
                       .vector_intra_slice_branch(BranchMode::Comparison{InputCmp::Less(3), InputCmp::Greater(7)})
                       .vector_branch_log(64, log)
                       .vector_fxp(FxpBinaryOp::AddFxp, VeBranchOperand::when(1, OperandGuard::id(1)))
                       .vector_clip(ClipBinaryOpI32::Max, 0)
                       .vector_final()
                       .commit<Eight>(128);
    auto const v = ctx.sub.begin(y.view()).fetch<i32, m<1>, Eight>().collect<m<1>, Eight>().to_vrf<Eight>(128);
    auto const z = ctx.main.begin(Dm::from_addr(1024).view())
                       .fetch<i32, m<1>, Eight>()
                       .collect<m<1>, Eight>()
                       .vector_init()
                       .vector_intra_slice_branch(BranchMode::Vrf, log)
                       .vector_fxp(FxpBinaryOp::MulInt, v)
                       .vector_filter<m<1>, Eight>(OperandGuard::id(1), 256, count)
                       .vector_final()
                       .commit<Eight>(192);
  });
  EXPECT_EQ(dynamic, typed);
}

TEST(Dynamic, two_groups) {
  std::string const text = text_of_kernel([](Context& ctx) {
    auto const y = dyn::main(ctx)
                       .begin_interleaved("X", dm_at(128), dm_at(256))
                       .fetch(ScalarType::i32, x, a % 8)
                       .collect(x, a % 8)
                       .vector_init()
                       .vector_intra_slice_unzip("X", idle, dyn::one)
                       .vector_logic(LogicBinaryOpI32::BitAnd, 1, 2)
                       .vector_fxp(FxpBinaryOp::AddFxp, 3, skip)
                       .vector_fxp_with_mode(FxpBinaryOp::MulInt, BinaryArgMode::Mode10, skip, 4)
                       .vector_fxp_to_fp(31)
                       .vector_split(a % 8 / 4, a % 4)
                       .vector_fp_unary(FpUnaryOp::Exp, Groups::group0)
                       .vector_fp_ternary(FpTernaryOp::FmaF, 1.0f, 2.0f, skip, skip)
                       .vector_fp_zip(FpBinaryOp::MulF(FpMulAlu::Mul0))
                       .vector_concat(dyn::one, a % 8)
                       .vector_clip(ClipBinaryOpF32::Max, 0.0f)
                       .vector_final()
                       .commit(a % 8, 512);
  });
  EXPECT_NE(text.find(R"(  .vector_intra_slice_unzip(X, tile_time: [1 # 2]) Time[1]
  .vector_logic(BitAnd, 1 when {0..7}, 2 when {8..15})
  .vector_fxp(AddFxp, groups: group0, 3 when {0..7})
  .vector_fxp(MulInt, mode: Mode10, groups: group1, 4 when {8..15})
  .vector_fxp_to_fp(31)
  .vector_split Time[A / 4 % 2] Packet[A % 4]
  .vector_fp_unary(Exp, groups: group0)
)"),
            text.npos)
      << text;
  EXPECT_NE(text.find("  .vector_fp_zip(MulF(Mul0))\n  .vector_concat Time[1] Packet[A % 8]\n"), text.npos) << text;
}

/// The lines between vector_init and vector_final of the last pass.
std::string steps_of(const std::string& text) {
  std::size_t const begin = text.rfind("  .vector_init\n"), end = text.rfind("  .vector_final\n");
  return begin == text.npos || end == text.npos ? text : text.substr(begin + 15, end - begin - 15);
}
TEST(Dynamic, skip_is_an_operand_that_the_mode_does_not_read) {
  EXPECT_EQ(steps_of(text_of_kernel([](Context& ctx) {
              auto const y = entered(ctx)
                                 .vector_intra_slice_branch(BranchMode::Unconditional)
                                 .vector_fxp_to_fp(31)
                                 .vector_split(a % 8 / 4, a % 4)
                                 .vector_fp_ternary_with_mode(FpTernaryOp::FmaF, TernaryArgMode::Mode002, skip, 3.0f)
                                 .vector_concat(dyn::one, a % 8)
                                 .vector_final()
                                 .commit(a % 8, 128);
            })),
            R"(  .vector_intra_slice_branch(Unconditional)
  .vector_fxp_to_fp(31)
  .vector_split Time[A / 4 % 2] Packet[A % 4]
  .vector_fp_ternary(FmaF, mode: Mode002, _, 3.0)
  .vector_concat Time[1] Packet[A % 8]
)");
}
TEST(Dynamic, steps_of_the_vector_engine) {
  EXPECT_EQ(steps_of(text_of_kernel([](Context& ctx) {
              auto const v =
                  dyn::sub(ctx).begin(dm_at(64)).fetch(ScalarType::i32, dyn::one, a % 8).collect(dyn::one, a % 8).to_vrf(a % 8, 0);
              auto const y = entered(ctx)
                                 .vector_intra_slice_branch(BranchMode::Unconditional)
                                 .vector_stash()
                                 .vector_fxp(FxpBinaryOp::AddFxp, v)
                                 .vector_fxp(FxpBinaryOp::MulInt, Stash)
                                 .vector_write_operand(v, OperandGuard::id(0))
                                 .vector_fxp_to_fp(31)
                                 .vector_split(a % 8 / 4, a % 4)
                                 .vector_fp_ternary(FpTernaryOp::FmaF, 2.0f, 3.0f)
                                 .vector_concat(dyn::one, a % 8)
                                 .vector_fp_to_fxp(16)
                                 .vector_final()
                                 .commit(a % 8, 128);
            })),
            R"(  .vector_intra_slice_branch(Unconditional)
  .vector_stash
  .vector_fxp(AddFxp, %1)
  .vector_fxp(MulInt, stash)
  .vector_write_operand(%1 when {0})
  .vector_fxp_to_fp(31)
  .vector_split Time[A / 4 % 2] Packet[A % 4]
  .vector_fp_ternary(FmaF, 2.0, 3.0)
  .vector_concat Time[1] Packet[A % 8]
  .vector_fp_to_fxp(16)
)");
  Mapping const r = dyn::axis("R", 32);
  std::string const reduced = text_of_kernel([&](Context& ctx) {
    auto const in = dyn::Tensor::dm_at(0, ScalarType::f32, dyn::one, idle, a / 8, dyn::map(r, a % 8));
    auto const most = dyn::main(ctx)
                          .begin(in)
                          .fetch(ScalarType::f32, r, a % 8)
                          .collect(r, a % 8)
                          .vector_init()
                          .vector_intra_slice_branch(BranchMode::Unconditional)
                          .vector_split(dyn::map(r, a % 8 / 4), a % 4)
                          .vector_intra_slice_reduce("R", ReduceOp::Max, a % 8 / 4, a % 4)
                          .vector_concat(dyn::one, a % 8)
                          .vector_final()
                          .commit(a % 8, 2048);
    auto const y = dyn::Tensor::dm_at(4096, ScalarType::i32, dyn::one, idle, a / 8, r % 8);
    auto const over_slices = dyn::main(ctx)
                                 .begin(y)
                                 .fetch(ScalarType::i32, dyn::one, r % 8)
                                 .collect(dyn::one, r % 8)
                                 .vector_init()
                                 .vector_inter_slice_reduce(ReduceOp::AddSat, dyn::map(a / 32, dyn::one.pad(4)), dyn::one)
                                 .vector_final()
                                 .commit(r % 8, 8192);
  });
  EXPECT_NE(reduced.find("  .vector_intra_slice_reduce(R, Max) Time[A / 4 % 2]\n"), reduced.npos) << reduced;
  EXPECT_NE(reduced.find("  .vector_inter_slice_reduce(AddSat) Slice[A / 32, 1 # 4]"), reduced.npos) << reduced;
}

TEST(Dynamic, chips_clusters_and_streams_with_a_shape) {
  Mapping const d = dyn::axis("D", 4), c = dyn::axis("C", 8);
  EXPECT_EQ(text_of_kernel(
                [&](Context& ctx) {
                  auto const in = dyn::Tensor::dm_at(0, ScalarType::i32, d, a / 1024, a / 4 % 256, dyn::map(a % 4, c));
                  auto const turned = in.chip_shuffle(ctx.tdma, {1, 2, 3, 0}, d, 4096);
                  auto const swapped = turned.cluster_shuffle(ctx.tdma, {1, 0}, a / 1024);
                  auto const part = swapped.chip_slice(ctx.tdma, c / 2, 1, {0, 1, 2, 3}, d, dyn::map(a % 4, (c / 2).resize(1), c % 2));
                  auto const from = dyn::Tensor::hbm_at(0, ScalarType::i8, d, dyn::map(c, a % 16));
                  dyn::dma(ctx.tdma, from, dyn::Tensor::hbm_at(1 << 21, ScalarType::i8, d, dyn::map(c, a % 16)), c, a % 16);
                },
                4),
            R"(module TestBody(chips: 4)
axes D = 4, A = 2048, C = 8

from_addr dm %0: i32 Chip[D] Cluster[A / 1024] Slice[A / 4 % 256] Element[A % 4, C] at 0
dm %1: i32 Chip[D] Cluster[A / 1024] Slice[A / 4 % 256] Element[A % 4, C] at 4096
dm %2: i32 Chip[D] Cluster[A / 1024] Slice[A / 4 % 256] Element[A % 4, C]
dm %3: i32 Chip[D] Cluster[A / 1024] Slice[A / 4 % 256] Element[A % 4, C % 2]
from_addr hbm %4: i8 Chip[D] Element[C, A % 16] at 0
from_addr hbm %5: i8 Chip[D] Element[C, A % 16] at 2097152
hbm %6: i8 Chip[D] Element[C, A % 16] = %5.whole

chip_shuffle %0 -> %1 (permutation: (1, 2, 3, 0))
cluster_shuffle %1 -> %2 (permutation: (1, 0))
chip_slice %2 -> %3 (permutation: (0, 1, 2, 3), dimension: [C / 2], length: 1)
move %4 -> %6 Time[C] Packet[A % 16]
)");
}

TEST(Dynamic, tables_zero_points_and_transposes) {
  Mapping const c = dyn::axis("C", 16), k = dyn::axis("K", 64);
  auto const found = module_of([&](Context& ctx) {
    LookupTable<i4, i8> table("t");
    for (int i = 0; i < 16; ++i) table[i] = i8::from_int(3 * i - 20);
    auto const in = dyn::Tensor::dm_at(0, ScalarType::i4, dyn::one, idle, a / 8, dyn::map(a % 8, c));
    auto const looked_up = dyn::main(ctx)
                               .begin(in)
                               .fetch_with_table(table, ScalarType::i8, a % 8 / 2, dyn::map(a % 2, c))
                               .collect(a % 8 / 2, dyn::map(a % 2, c))
                               .commit(dyn::map(a % 8, c), 1024);
    auto const bytes = dyn::Tensor::dm_at(2048, ScalarType::i8, dyn::one, idle, a / 8, a % 8);
    auto const moved = dyn::main(ctx)
                           .begin(bytes)
                           .fetch_with_zero_points({-3}, ScalarType::i9, dyn::one, (a % 8).pad(32))
                           .collect(dyn::one, (a % 8).pad(32))
                           .to_trf(dyn::one, (a % 8).pad(32), TrfAddress::FirstHalf);
    auto const square = dyn::Tensor::dm_at(4096, ScalarType::i8, dyn::one, idle, a / 8, dyn::map(k % 8, a % 8));
    auto const turned = dyn::main(ctx)
                            .begin(square)
                            .fetch(ScalarType::i8, k % 8, (a % 8).pad(32))
                            .collect(k % 8, (a % 8).pad(32))
                            .transpose(a % 8, (k % 8).pad(32))
                            .commit(dyn::map(a % 8, k % 8), 8192);
  });
  std::string const text = text_of(found);
  ASSERT_EQ(found.tables.size(), 1u);
  EXPECT_EQ(found.tables[0].bits[1], 0xefu);  // 3 - 20
  EXPECT_NE(text.find("  .fetch(zero_points: (-3)) i9 Time[1] Packet[A % 8 # 32]\n"), text.npos) << text;
  EXPECT_NE(text.find("  .transpose Time[A % 8] Packet[K % 8 #"), text.npos) << text;
}

TEST(Dynamic, padding_has_the_kind_that_it_really_has) {
  module_of([](Context& ctx) {
    auto s = dyn::main(ctx).begin(dm_at(0)).fetch(ScalarType::i32, dyn::one, a % 8).collect(dyn::one, a % 8);
    EXPECT_EQ(s.levels()[Level::packet], a % 8);
    EXPECT_EQ(s.levels()[Level::slice], a / 8);
    EXPECT_EQ(s.type(), ScalarType::i32);
    auto const done = std::move(s).commit(a % 8, 64);
    EXPECT_EQ(done.memory(), Memory::Dm);
    EXPECT_EQ(done.levels()[Level::element], a % 8);
  });
}

TEST(Dynamic, works_on_typed_tensors) {
  EXPECT_EQ(nameless([](Context& ctx) {
              auto const typed = HbmTensor<i32, Chip, m<A>>::from_addr(0);
              return dyn::Tensor::of(typed).to_dm(ctx.tdma, idle, a / 8, a % 8, 0).to_hbm(ctx.tdma, a, 1 << 20);
            }),
            nameless([](Context& ctx) {
              auto const typed = HbmTensor<i32, Chip, m<A>>::from_addr(0);
              return typed.to_dm<Cluster, Slice, Eight>(ctx.tdma, 0).to_hbm<m<A>>(ctx.tdma, 1 << 20);
            }));
}

/// Where a kernel is refused, and by which code.
template <class Kernel>
Refusal refused(Kernel&& kernel) {
  try {
    module_of(kernel);
  } catch (const Refused& r) {
    return r.refusal();
  }
  return refuse("accepted", {});
}

TEST(Dynamic, a_mistake_is_refused_at_its_call) {
  unsigned line = 0;
  Refusal const r = refused([&](Context& ctx) {
    auto s = dyn::main(ctx).begin(dm_at(0)).fetch(ScalarType::i32, dyn::one, a % 8);
    line = __LINE__ + 1;
    auto const c = std::move(s).collect(dyn::one, a % 4);
  });
  EXPECT_STREQ(r.code, "collect-packet-not-one-flit") << r.sentence().view();
  EXPECT_EQ(r.at.line, line);
}

TEST(Dynamic, a_stage_out_of_order_is_refused) {
  auto const code = [](auto kernel) { return std::string(refused(kernel).code); };
  EXPECT_EQ(code([](Context& ctx) { auto const s = entered(ctx).collect(dyn::one, a % 8); }), "stage-order");
  EXPECT_EQ(code([](Context& ctx) { auto const s = entered(ctx).commit(a % 8, 64); }), "stage-missing");
  EXPECT_EQ(code([](Context& ctx) { auto const s = entered(ctx).vector_final(); }), "vector-not-entered");
  EXPECT_EQ(
      code([](Context& ctx) { auto const s = dyn::main(ctx).begin(dm_at(0)).fetch(ScalarType::i32, dyn::one, a % 8).contract(dyn::one); }),
      "stage-missing");
  EXPECT_EQ(code([](Context& ctx) {
              auto s = dyn::main(ctx).begin(dm_at(0)).fetch(ScalarType::i32, dyn::one, a % 8);
              auto const once = std::move(s).collect(dyn::one, a % 8);
              auto const twice = std::move(s).collect(dyn::one, a % 8);
            }),
            "dsl-stream-used-twice");
  EXPECT_EQ(code([](Context& ctx) {
              auto const s = entered(ctx)
                                 .vector_intra_slice_branch(BranchMode::Unconditional)
                                 .vector_fxp(FxpBinaryOp::AddFxp, 1)
                                 .vector_fxp(FxpBinaryOp::AddFxp, 1);
            }),
            "vector-alu-in-use");
}

TEST(Dynamic, tensors_that_cannot_be_are_refused) {
  auto const code = [](auto kernel) { return std::string(refused(kernel).code); };
  EXPECT_EQ(code([](Context&) { auto const t = dyn::Tensor::hbm_at(0, ScalarType::i32, dyn::one, a / 3); }), "mapping-stride-not-divisor");
  EXPECT_EQ(code([](Context&) { auto const t = dyn::Tensor::dm_at(0, ScalarType::i32, dyn::one, idle, a, dyn::one); }),
            "memory-slice-size");
  EXPECT_EQ(code([](Context& ctx) { auto const t = dyn::Tensor().to_hbm(ctx.tdma, a); }), "dsl-tensor-empty");
  EXPECT_EQ(code([](Context& ctx) { auto const b = dyn::main(ctx).begin(dyn::Tensor::hbm_at(0, ScalarType::i32, dyn::one, a)); }),
            "ir-wrong-tensor");
  EXPECT_EQ(code_of([] { auto const t = dyn::Tensor::hbm_at(0, ScalarType::i32, dyn::one, a); }), "dsl-outside-kernel");
  EXPECT_EQ(code_of([] {
              dyn::HostTensor t(ScalarType::bf16, a);
              (void)t.data<f32>();
            }),
            "dsl-host-type");
}

}  // namespace
}  // namespace tcp
