// The introduction and the first chapter of the book as typed kernels: types, acceptance at run time, and values against plain loops on the host.
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "recorder.hpp"
#include "tcp/tcp.hpp"

namespace tcp {
namespace {

using build::code_of, build::module_of, build::Recorder;

using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Idle = m<one.pad(256)>;

namespace introduction {

TCP_AXES(A = 8, B = 512);

TEST(Book, INTRO_01_host_tensor) {
  Random one_seed(42), same_seed(42);
  auto const t = HostTensor<i8, m<A, B>>::rand(one_seed), again = HostTensor<i8, m<A, B>>::rand(same_seed);
  ASSERT_EQ(t.size(), 4096u);
  for (std::size_t i = 0; i < 4096; ++i) ASSERT_EQ(t[i].bits, again[i].bits);
  for (std::int64_t a = 0; a < 8; ++a)
    for (std::int64_t b = 0; b < 512; b += 37) ASSERT_EQ(&t.at(index(A.at(a), B.at(b))) - t.data(), a * 512 + b);
}
TEST(Book, INTRO_02_values_one_row_a_chip) {
  auto ctx = Context::acquire();
  Random seed(42);
  auto const t = HostTensor<i8, m<A, B>>::rand(seed);
  HbmTensor<i8, m<A>, m<B>> const hbm = t.to_hbm(ctx.pdma, 0x1000);
  EXPECT_EQ(detail::node_of(hbm)->place, (Interval{Bytes{0x1000}, Bytes{0x1000 + 512}}));
  auto const image = detail::image_of(*ctx.session()->contents_of(*detail::node_of(hbm), {}));
  ASSERT_EQ(image->size(), 8u * 512);
  for (std::size_t chip = 0; chip < 8; ++chip)
    for (std::size_t b = 0; b < 512; ++b) ASSERT_EQ(std::to_integer<unsigned>((*image)[chip * 512 + b]), t[chip * 512 + b].bits);
}
TEST(Book, INTRO_04_values_one_chip) {
  auto ctx = Context::acquire();
  Random seed(42);
  auto const t = HostTensor<i8, m<A, B>>::rand(seed);
  auto const x = t.to_hbm<Chip, m<A, B>>(ctx.pdma, 0x1000);
  auto const back = launch(
                        [](Context& c, const HbmTensor<i8, Chip, m<A, B>>& in) {
                          auto const dm = in.to_dm<Cluster, m<A, B / 16>, m<B % 16>>(c.tdma, 0);
                          return dm.to_hbm<m<A, B>>(c.tdma, 1 << 20);
                        },
                        ctx, x)
                        .get()
                        .to_host<m<A, B>>(ctx.pdma);
  for (std::size_t i = 0; i < 4096; ++i) ASSERT_EQ(back[i].bits, t[i].bits);
}
template <class From>
concept GoesToDm = requires(const From& from, const Pdma& pdma, const Tdma& tdma) {
  from.template to_dm<Cluster, m<A, B / 16>, m<B % 16>>(pdma, 0);
} || requires(const From& from, const Tdma& tdma) { from.template to_dm<Cluster, m<A, B / 16>, m<B % 16>>(tdma, 0); };
template <class From>
concept GoesToHost = requires(const From& from, const Pdma& pdma) { from.template to_host<m<A, B>>(pdma); };
template <class Dma>
concept UploadsBy = requires(const HostTensor<i8, m<A, B>>& from, const Dma& dma) { from.template to_hbm<Chip, m<A, B>>(dma, 0); };
TEST(Book, INTRO_05_links_of_the_types) {
  using Host = HostTensor<i8, m<A, B>>;
  using Hbm = HbmTensor<i8, Chip, m<A, B>>;
  using Dm = DmTensor<i8, Chip, Cluster, m<A, B / 16>, m<B % 16>>;
  static_assert(GoesToDm<Hbm> && !GoesToDm<Host>);
  static_assert(GoesToHost<Hbm> && !GoesToHost<Dm>);
  static_assert(UploadsBy<Pdma> && !UploadsBy<Tdma>);
}

}  // namespace introduction

namespace vectors {

TCP_AXES(A = 2048);
using Slice = m<(A / 8).pad(256)>;
using Eight = m<A % 8>;
using Hbm = HbmTensor<i32, Chip, m<A>>;
using Host = HostTensor<i32, m<A>>;

Hbm add_one(Context& ctx, const Hbm& in) {
  auto const dm = in.to_dm<Cluster, Slice, Eight>(ctx.tdma, 0);
  auto const out = ctx.main.begin(dm.view())
                       .fetch<i32, m<1>, Eight>()
                       .collect<m<1>, Eight>()
                       .vector_init()
                       .vector_intra_slice_branch(BranchMode::Unconditional)
                       .vector_fxp(FxpBinaryOp::AddFxp, 1)
                       .vector_final()
                       .commit<Eight>(1 << 12);
  return out.to_hbm<m<A>>(ctx.tdma, 1 << 28);
}

TEST(Book, INTRO_06_launch) {
  auto ctx = Context::acquire();
  Random seed(6);
  auto const x = Host::rand(seed);
  auto const in = x.to_hbm<Chip, m<A>>(ctx.pdma, 0);
  auto launched = launch(add_one, ctx, in);
  auto next = launch([](Context& c, const Hbm& y) { return add_one(c, y).to_hbm<m<A>>(c.tdma, 2 << 28); }, ctx, in);  // the host went on
  next.wait();
  EXPECT_TRUE(next.done());
  EXPECT_TRUE(launched.done());  // the first had the device until it was done
  auto const y = next.get().to_host<m<A>>(ctx.pdma);
  for (std::size_t a = 0; a < 2048; ++a) ASSERT_EQ(y[a].bits, x[a].bits + 1);
}
TEST(Book, INTRO_07_acquire) {
  ContextOptions refused;
  refused.wait = false;
  std::atomic<bool> second = false;
  std::thread waiting;
  std::string code;
  {
    auto ctx = Context::acquire();
    std::thread([&] { code = code_of([&] { auto const other = Context::acquire(refused); }); }).join();
    waiting = std::thread([&] {
      auto const other = Context::acquire();
      second = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(second);
  }
  waiting.join();
  EXPECT_TRUE(second);
  EXPECT_EQ(code, "runtime-device-in-use");
}

TEST(Book, HEL_08_types) {
  using Dm = DmTensor<bf16, m<1>, m<one.pad(2)>, m<(A / 8).pad(256)>, m<A % 8>>;
  static_assert(std::is_same_v<Dm, DmTensor<bf16, m<1>, m<one.pad(2)>, m<A / 8>, m<A % 8>>>);  // # 256 is a no-op
  constexpr Levels levels = Dm::tensor_type::levels();
  static_assert(levels[Level::cluster].size == 2 && levels[Level::slice].size == 256 && levels[Level::element].size == 8);
  for (std::int64_t a = 0; a < 2048; ++a) {
    Place p;
    ASSERT_TRUE(find_place(levels, A.at(a), p));
    ASSERT_EQ(p.cluster, 0);
    ASSERT_EQ(p.slice, a / 8);
    ASSERT_EQ(p.element, a % 8);
  }
}
TEST(Book, HEL_10_addresses) {
  auto const kernel = [](std::int64_t second) {
    return [second](Context& ctx) {
      auto const x = Hbm::from_addr(0), y = Hbm::from_addr(1 << 20);
      auto const a = x.to_dm<Cluster, Slice, Eight>(ctx.tdma, 64);
      auto const b = y.to_dm<Cluster, Slice, Eight>(ctx.tdma, second);
      return std::pair(a.to_hbm<m<A>>(ctx.tdma, 2 << 20), b.to_hbm<m<A>>(ctx.tdma, 3 << 20));
    };
  };
  auto const code = [&](std::int64_t second) {
    auto const facts = ir::verify(module_of(kernel(second)), rngd);
    return facts ? std::string("accepted") : std::string(facts.refusal().code);
  };
  EXPECT_EQ(code(96), "accepted");    // behind it
  EXPECT_EQ(code(4096), "accepted");  // with a gap
  EXPECT_EQ(code(32), "accepted");    // before it
  EXPECT_EQ(code(64), "ir-tensors-overlap");
  EXPECT_EQ(code(88), "ir-tensors-overlap");
  auto const reused = module_of([](Context& ctx) {  // the first is dead when the second begins
    auto const a = Hbm::from_addr(0).to_dm<Cluster, Slice, Eight>(ctx.tdma, 64);
    auto const first = a.to_hbm<m<A>>(ctx.tdma, 2 << 20);
    auto const b = Hbm::from_addr(1 << 20).to_dm<Cluster, Slice, Eight>(ctx.tdma, 64);
    return std::pair(first, b.to_hbm<m<A>>(ctx.tdma, 3 << 20));
  });
  EXPECT_TRUE(ir::verify(reused, rngd));
}
TEST(Book, HEL_11_values_typed) {
  auto ctx = Context::acquire();
  Random seed(11);
  auto const x = Host::rand(seed);
  auto const y = launch(add_one, ctx, x.to_hbm<Chip, m<A>>(ctx.pdma, 0)).get().to_host<m<A>>(ctx.pdma);
  for (std::size_t a = 0; a < 2048; ++a) ASSERT_EQ(y[a].bits, x[a].bits + 1) << a;
}
TEST(Book, HEL_13_unconditional) {
  // Every element goes through every operation: none is left as it was.
  auto ctx = Context::acquire();
  auto const zeros = Host().to_hbm<Chip, m<A>>(ctx.pdma, 0);
  for (i32 v : launch(add_one, ctx, zeros).get().to_host<m<A>>(ctx.pdma)) ASSERT_EQ(v.to_int(), 1);
}

Hbm multiply(Context& ctx, const Hbm& lhs, const Hbm& rhs, std::int64_t result) {
  auto const l = lhs.to_dm<Cluster, Slice, Eight>(ctx.tdma, 0);
  auto const r = rhs.to_dm<Cluster, Slice, Eight>(ctx.tdma, 1 << 12);
  auto const operand = ctx.sub.begin(r.view()).fetch<i32, m<1>, Eight>().collect<m<A % 8 / 8>, m<A % 8 % 8>>().to_vrf<Eight>(0);
  auto const product = ctx.main.begin(l.view())
                           .fetch<i32, m<1>, Eight>()
                           .collect<m<1>, Eight>()
                           .vector_init()
                           .vector_intra_slice_branch(BranchMode::Unconditional)
                           .vector_fxp(FxpBinaryOp::MulInt, operand)
                           .vector_final()
                           .commit<Eight>(1 << 13);
  return product.to_hbm<m<A>>(ctx.tdma, result);
}
TEST(Book, HEL_14_values_typed) {
  auto ctx = Context::acquire();
  Random seed(14);
  auto const x = Host::rand(seed), y = Host::rand(seed);
  auto const lhs = x.to_hbm<Chip, m<A>>(ctx.pdma, 0), rhs = y.to_hbm<Chip, m<A>>(ctx.pdma, 1 << 28);
  auto const z = launch(multiply, ctx, lhs, rhs, 2LL << 28).get().to_host<m<A>>(ctx.pdma);
  for (std::size_t a = 0; a < 2048; ++a) ASSERT_EQ(z[a].bits, x[a].bits * y[a].bits) << a;
}
TEST(Book, HEL_15_collect_of_a_factor_that_is_one) {
  static_assert(std::is_same_v<m<A % 8 / 8>, m<1>> && std::is_same_v<m<A % 8 % 8>, m<A % 8>>);
  using Fetched = FetchTensor<OnSub, i32, Chip, Cluster, Slice, m<1>, Eight>;
  static_assert(std::is_same_v<decltype(std::declval<Fetched>().collect<m<A % 8 / 8>, m<A % 8 % 8>>()),
                               CollectTensor<OnSub, i32, Chip, Cluster, Slice, m<1>, Eight>>);
}
TEST(Book, HEL_16_a_result_over_an_argument) {
  auto ctx = Context::acquire();
  auto const lhs = Host().to_hbm<Chip, m<A>>(ctx.pdma, 0), rhs = Host().to_hbm<Chip, m<A>>(ctx.pdma, 1 << 28);
  auto aliased = launch(multiply, ctx, lhs, rhs, 1LL << 28);
  EXPECT_EQ(code_of([&] { (void)aliased.get(); }), "ir-tensors-overlap");
  EXPECT_EQ(code_of([&] { (void)launch(multiply, ctx, lhs, rhs, 2LL << 28).get(); }), "accepted");
}
template <class Operand>
concept CanMultiplyBy = requires(Context& ctx, const DmTensor<i32, Chip, Cluster, Slice, Eight>& dm, const Operand& operand) {
  ctx.main.begin(dm.view())
      .template fetch<i32, m<1>, Eight>()
      .template collect<m<1>, Eight>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_fxp(FxpBinaryOp::MulInt, operand);
};
TEST(Book, HEL_17_second_operand) {
  static_assert(CanMultiplyBy<VrfTensor<i32, Chip, Cluster, Slice, Eight>> && CanMultiplyBy<int> && CanMultiplyBy<i32>);
  static_assert(!detail::VectorOperand<DmTensor<i32, Chip, Cluster, Slice, Eight>> && !detail::VectorOperand<Hbm>);
}

}  // namespace vectors

namespace products {

TCP_AXES(A = 2048, I = 256, J = 2048);

HbmTensor<bf16, Chip, m<1>> dot(Context& ctx, const HbmTensor<bf16, Chip, m<A>>& lhs, const HbmTensor<bf16, Chip, m<A>>& rhs) {
  auto const l = lhs.to_dm<Cluster, Idle, m<A>>(ctx.tdma, 0);
  auto const r = rhs.to_dm<Cluster, Idle, m<A>>(ctx.tdma, 1 << 12);
  auto const weights =
      ctx.sub.begin(r.view()).fetch<bf16, m<1>, m<A>>().collect<m<A / 16>, m<A % 16>>().to_trf<m<1>, m<A>>(TrfAddress::Full);
  auto const sum = ctx.main.begin(l.view())
                       .fetch<bf16, m<1>, m<A>>()
                       .collect<m<A / 16>, m<A % 16>>()
                       .align<m<A / 32>, m<A % 32>>(weights)
                       .contract<m<1>>()
                       .accumulate<m<1>, m<one.pad(8)>>(AccumulationKind::Interleaved)
                       .cast<bf16, m<one.pad(16)>>()
                       .commit<m<one.pad(8)>>(1 << 13);
  return sum.to_hbm<m<1>>(ctx.tdma, 2LL << 28);
}
/// Small whole numbers, whose sums are exact in any order.
template <class T>
void fill(T& t, Random& random) {
  for (auto& x : t) x = bf16::from_float(static_cast<float>(random.between(-4, 4)));
}
TEST(Book, HEL_19_values_typed) {
  auto ctx = Context::acquire();
  Random random(19);
  HostTensor<bf16, m<A>> x, y;
  fill(x, random);
  fill(y, random);
  auto const l = x.to_hbm<Chip, m<A>>(ctx.pdma, 0), r = y.to_hbm<Chip, m<A>>(ctx.pdma, 1 << 28);
  auto const out = launch(dot, ctx, l, r).get().to_host<m<1>>(ctx.pdma);
  float expected = 0;
  for (std::size_t a = 0; a < 2048; ++a) expected += x[a].to_float() * y[a].to_float();
  EXPECT_EQ(out[0].to_float(), bf16::from_float(expected).to_float());
}
TEST(Book, HEL_20_addresses_side_by_side) {
  auto const found = module_of(
      [](Context& ctx) { return dot(ctx, HbmTensor<bf16, Chip, m<A>>::from_addr(0), HbmTensor<bf16, Chip, m<A>>::from_addr(1 << 28)); });
  EXPECT_TRUE(ir::verify(found, rngd));
  std::vector<std::pair<std::int64_t, std::int64_t>> bytes;
  for (const ir::Tensor& t : found.tensors)
    if (t.memory == Memory::Dm) bytes.emplace_back(*t.address, *t.address + found.map(t.element).size * 2);
  EXPECT_EQ(bytes, (std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 4096}, {4096, 8192}, {8192, 8208}}));
}
TEST(Book, HEL_21_align_types) {
  using Collected = CollectTensor<OnMain, bf16, Chip, Cluster, Idle, m<A / 16>, m<A % 16>>;
  using Weights = TrfTensor<bf16, Chip, Cluster, Idle, m<1>, m<A>>;
  static_assert(std::is_same_v<decltype(std::declval<Collected>().align<m<A / 32>, m<A % 32>>(std::declval<const Weights&>())),
                               AlignedPair<OnMain, bf16, bf16, Chip, Cluster, Idle, m<1>, m<A / 32>, m<A % 32>>>);
}
TEST(Book, HEL_22_types_of_the_sums) {
  using Pair = AlignedPair<OnMain, bf16, bf16, Chip, Cluster, Idle, m<1>, m<A / 32>, m<A % 32>>;
  using Sums = decltype(std::declval<Pair>().contract<m<1>>());
  static_assert(std::is_same_v<Sums, ContractionTensor<OnMain, f32, Chip, Cluster, Idle, m<1>, m<A / 32>, m<1>, ContractOp::Add>>);
  using Total = decltype(std::declval<Sums>().accumulate<m<1>, m<one.pad(8)>>(AccumulationKind::Interleaved));
  static_assert(std::is_same_v<Total, AccumulationTensor<OnMain, f32, Chip, Cluster, Idle, m<1>, m<one.pad(8)>>>);  // idle rows
  static_assert(std::is_same_v<decltype(std::declval<Total>().cast<bf16, m<one.pad(16)>>()),
                               CastTensor<OnMain, bf16, Chip, Cluster, Idle, m<1>, m<one.pad(16)>>>);
}
TEST(Book, HEL_23_collect_type) {
  using Fetched = FetchTensor<OnMain, bf16, Chip, m<1>, Idle, m<1>, m<A>>;
  static_assert(std::is_same_v<decltype(std::declval<Fetched>().collect<m<A / 16>, m<A % 16>>()),
                               CollectTensor<OnMain, bf16, Chip, m<1>, Idle, m<A / 16>, m<A % 16>>>);
}
TEST(Book, HEL_24_switch_type) {
  using Fetched = FetchTensor<OnMain, bf16, Chip, Cluster, Idle, m<1>, m<J>>;
  using Switched = decltype(std::declval<Fetched>().switch_to<SwitchConfig::Broadcast01{256, 1, 1}, m<I>, m<one.pad(256)>>());
  static_assert(std::is_same_v<Switched, SwitchTensor<OnMain, bf16, Chip, Cluster, m<I>, m<one.pad(256)>, m<J>>>);
}

HbmTensor<bf16, Chip, m<I>> gemv(Context& ctx, const HbmTensor<bf16, Chip, m<I, J>>& matrix, const HbmTensor<bf16, Chip, m<J>>& x) {
  auto const a = matrix.to_dm<Cluster, m<I>, m<J>>(ctx.tdma, 0);
  auto const v = x.to_dm<Cluster, m<I>, m<J>>(ctx.tdma, 1 << 12);  // the DMA copies it to every slice
  auto const weights =
      ctx.sub.begin(v.view()).fetch<bf16, m<1>, m<J>>().collect<m<J / 16>, m<J % 16>>().to_trf<m<1>, m<J>>(TrfAddress::Full);
  auto const y = ctx.main.begin(a.view())
                     .fetch<bf16, m<1>, m<J>>()
                     .collect<m<J / 16>, m<J % 16>>()
                     .align<m<J / 32>, m<J % 32>>(weights)
                     .contract<m<1>>()
                     .accumulate<m<1>, m<one.pad(8)>>(AccumulationKind::Interleaved)
                     .cast<bf16, m<one.pad(16)>>()
                     .commit<m<one.pad(4)>>(1 << 13);
  return y.to_hbm<m<I>>(ctx.tdma, 2LL << 28);
}
TEST(Book, HEL_26_values_typed) {
  auto ctx = Context::acquire();
  Random random(26);
  HostTensor<bf16, m<I, J>> a;
  HostTensor<bf16, m<J>> x;
  fill(a, random);
  fill(x, random);
  auto const matrix = a.to_hbm<Chip, m<I, J>>(ctx.pdma, 0);
  auto const vector = x.to_hbm<Chip, m<J>>(ctx.pdma, 1 << 28);
  auto const y = launch(gemv, ctx, matrix, vector).get().to_host<m<I>>(ctx.pdma);
  for (std::size_t i = 0; i < 256; ++i) {
    float sum = 0;
    for (std::size_t j = 0; j < 2048; ++j) sum += a[i * 2048 + j].to_float() * x[j].to_float();
    ASSERT_EQ(y[i].to_float(), bf16::from_float(sum).to_float()) << i;
  }
}

}  // namespace products

namespace shapes {

TCP_AXES(N = 4, C = 3, I = 512, J = 512, K = 64);

TEST(Book, HEL_01_axes_are_an_unordered_set) {
  // One tensor under two layouts: every element is found by the same index, and moves between them lose nothing.
  auto ctx = Context::acquire();
  HostTensor<i32, m<N, C>> nc;
  for (std::size_t i = 0; i < 12; ++i) nc[i] = i32::from_int(static_cast<std::int64_t>(i));
  HostTensor<i32, m<C, N>> const cn = nc.to_hbm<Chip, m<N, C>>(ctx.pdma, 0).to_host<m<C, N>>(ctx.pdma);
  for (std::int64_t n = 0; n < 4; ++n)
    for (std::int64_t c = 0; c < 3; ++c) {
      ASSERT_EQ(cn.at(index(N.at(n), C.at(c))).to_int(), n * 3 + c);
      ASSERT_EQ(cn.at(index(C.at(c), N.at(n))).to_int(), n * 3 + c);
    }
}
TEST(Book, HEL_02_index_set) {
  std::set<std::pair<std::int64_t, std::int64_t>> found;
  for (std::int64_t i = 0; i < m<N, C>::size; ++i) {
    Cell const c = cell(m<N, C>::mapping, i);
    ASSERT_TRUE(c.live());
    found.emplace(c.index.get("N"), c.index.get("C"));
  }
  EXPECT_EQ(found.size(), 12u);
  EXPECT_EQ(*found.begin(), (std::pair<std::int64_t, std::int64_t>(0, 0)));
  EXPECT_EQ(*found.rbegin(), (std::pair<std::int64_t, std::int64_t>(3, 2)));
}

using Grid = m<I / 32, J / 32>;
HbmTensor<bf16, Chip, m<I, J>> gemm(Context& ctx, const HbmTensor<bf16, Chip, m<I, K>>& a, const HbmTensor<bf16, Chip, m<J, K>>& b) {
  auto const left = a.to_dm<Cluster, Grid, m<I % 32, K>>(ctx.tdma, 0);
  auto const right = b.to_dm<Cluster, Grid, m<J % 32, K>>(ctx.tdma, 1 << 12);
  auto const weights = ctx.sub.begin(right.view())
                           .fetch<bf16, m<J % 8, J / 8 % 4>, m<K>>()
                           .collect<m<J % 8, J / 8 % 4, K / 16>, m<K % 16>>()
                           .to_trf<m<J % 8>, m<J / 8 % 4, K>>(TrfAddress::Full);
  auto const c = ctx.main.begin(left.view())
                     .fetch<bf16, m<I % 32, J / 8 % 4>, m<K>>()
                     .collect<m<I % 32, J / 8 % 4, K / 16>, m<K % 16>>()
                     .align<m<I % 32, J / 8 % 4, K / 32>, m<K % 32>>(weights)
                     .contract<m<1>>()
                     .accumulate<m<I % 32, J / 8 % 4>, m<J % 8>>(AccumulationKind::Interleaved)
                     .cast<bf16, m<(J % 8).pad(16)>>()
                     .commit<m<I % 32, J % 32>>(1 << 13);
  return c.to_hbm<m<I, J>>(ctx.tdma, 2LL << 28);
}
TEST(Book, HEL_03_values_contraction) {
  // Products are summed over the axis that both inputs have and the result lacks; all others stay.
  auto ctx = Context::acquire();
  Random random(35);
  HostTensor<bf16, m<I, K>> a;
  HostTensor<bf16, m<J, K>> b;
  products::fill(a, random);
  products::fill(b, random);
  auto const x = a.to_hbm<Chip, m<I, K>>(ctx.pdma, 0);
  auto const y = b.to_hbm<Chip, m<J, K>>(ctx.pdma, 1 << 28);
  auto const c = launch(gemm, ctx, x, y).get().to_host<m<I, J>>(ctx.pdma);
  for (std::size_t i = 0; i < 512; ++i)
    for (std::size_t j = 0; j < 512; ++j) {
      float sum = 0;
      for (std::size_t k = 0; k < 64; ++k) sum += a[i * 64 + k].to_float() * b[j * 64 + k].to_float();
      ASSERT_EQ(c[i * 512 + j].to_float(), bf16::from_float(sum).to_float()) << i << ", " << j;
    }
}

TEST(Book, HEL_04_values_broadcast) {
  // Before they are multiplied, A is broadcast over J and B over I: each slice holds its rows of both.
  auto ctx = Context::acquire();
  Random random(4);
  HostTensor<bf16, m<I, K>> a;
  products::fill(a, random);
  auto const spread = launch(
                          [](Context& c, const HbmTensor<bf16, Chip, m<I, K>>& x) {
                            auto const left = x.to_dm<Cluster, Grid, m<I % 32, K>>(c.tdma, 0);
                            return left.to_hbm<m<J / 32, I, K>>(c.tdma, 1 << 28);
                          },
                          ctx, a.to_hbm<Chip, m<I, K>>(ctx.pdma, 0))
                          .get()
                          .to_host<m<J / 32, I, K>>(ctx.pdma);
  for (std::size_t j = 0; j < 16; ++j)
    for (std::size_t i = 0; i < 512 * 64; ++i) ASSERT_EQ(spread[j * 512 * 64 + i].bits, a[i].bits) << j << ", " << i;
}
namespace deep {
TCP_AXES(I = 512, J = 512, K = 2048);
}
template <auto K2, auto I2, auto J2>
std::string two_operands_of_depth() {
  auto const found = module_of([](Context& ctx) {
    using Tiles = m<I2 / 32, J2 / 32>;
    auto const a = HbmTensor<bf16, Chip, m<I2, K2>>::from_addr(0).template to_dm<Cluster, Tiles, m<I2 % 32, K2>>(ctx.tdma, 0);
    auto const b = HbmTensor<bf16, Chip, m<J2, K2>>::from_addr(1 << 28).template to_dm<Cluster, Tiles, m<J2 % 32, K2>>(ctx.tdma, 1 << 12);
    auto const first = a.template to_hbm<m<J2 / 32, I2, K2>>(ctx.tdma, 2LL << 28);
    return std::pair(first, b.template to_hbm<m<I2 / 32, J2, K2>>(ctx.tdma, 3LL << 28));
  });
  auto const facts = ir::verify(found, rngd);
  return facts ? "accepted" : facts.refusal().code;
}
TEST(Book, HEL_30_two_operands_side_by_side) {
  EXPECT_EQ((two_operands_of_depth<K, I, J>()), "accepted");
  EXPECT_EQ((two_operands_of_depth<deep::K, deep::I, deep::J>()), "ir-tensors-overlap");
}

// The order of the stages is in the types: each row is a stream behind a stage, each column the next one.
template <class Result>
concept GoesOn = !std::is_same_v<std::remove_cvref_t<Result>, detail::AfterRefusal>;
template <class T>
concept ThenCollect = requires(T t) {
  { std::move(t).template collect<m<1>, m<I % 8>>() } -> GoesOn;
};
template <class T>
concept ThenVector = requires(T t) {
  { std::move(t).vector_init() } -> GoesOn;
};
template <class T>
concept ThenCast = requires(T t) {
  { std::move(t).template cast<i8, m<(I % 8).pad(32)>>() } -> GoesOn;
};
template <class T>
concept ThenTranspose = requires(T t) {
  { std::move(t).template transpose<m<I % 8>, m<one.pad(8)>>() } -> GoesOn;
};
template <class T>
concept ThenSwitch = requires(T t) {
  { std::move(t).template switch_to<SwitchConfig::Forwarding{}, m<J / 2>, m<1>>() } -> GoesOn;
};
template <template <class, Scalar, MapType, MapType, MapType, MapType, MapType> class Stage>
using Behind = Stage<OnMain, i32, Chip, Cluster, m<J / 2>, m<1>, m<I % 8>>;
template <class T, bool Switch, bool Collect, bool Vector, bool Cast, bool Transpose>
constexpr bool goes_on =
    ThenSwitch<T> == Switch && ThenCollect<T> == Collect && ThenVector<T> == Vector && ThenCast<T> == Cast && ThenTranspose<T> == Transpose;
TEST(Book, HEL_06_stage_order) {
  static_assert(goes_on<Behind<FetchTensor>, true, true, false, false, false>);
  static_assert(goes_on<Behind<SwitchTensor>, false, true, false, false, false>);
  static_assert(goes_on<Behind<CollectTensor>, false, false, true, true, true>);
  static_assert(goes_on<Behind<AccumulationTensor>, false, false, true, true, true>);
  static_assert(goes_on<Behind<VectorFinalTensor>, false, false, false, true, true>);
  static_assert(goes_on<Behind<CastTensor>, false, false, false, false, true>);
  static_assert(goes_on<Behind<TransposeTensor>, false, false, false, false, false>);
}

}  // namespace shapes

}  // namespace
}  // namespace tcp
