// The operations that the book names, as methods of typed tensors and streams.
#include <gtest/gtest.h>

#include <vector>

#include "recorder.hpp"
#include "tcp/tcp.hpp"

namespace tcp {
namespace {

using build::code_of, build::module_of, build::Recorder;

TCP_AXES(A = 2048, B = 512, C = 8, T = 2, R = 64, X = 16);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<A / 8>;
using Eight = m<A % 8>;
using Hbm = HbmTensor<i32, Chip, m<A>>;
template <Scalar D, MapType Element>
using Dm = DmTensor<D, Chip, Cluster, Slice, Element>;

template <class Kernel>
std::string verdict_of(Kernel&& kernel, std::int64_t chips = 1) {
  auto const facts = ir::verify(module_of(kernel, chips), rngd);
  return facts ? "accepted" : facts.refusal().code;
}
const ir::Pass& pass_of(const ir::Module& module, std::size_t i = 0) { return std::get<ir::Pass>(module.commands[i].what); }

TEST(Book, API_02_mappings_and_indices) {
  static_assert(std::is_same_v<m<B / 64, B % 64>, m<B>>);
  EXPECT_EQ(index(A.at(2), B.at(3)).get("A"), 2);
  EXPECT_EQ(index(A.at(2), B.at(3)).get("B"), 3);
  EXPECT_EQ((B / 64).at(2).get("B"), 128);
}
TEST(Book, API_03_random_host_tensor) {
  Random one_seed(7), same_seed(7);
  auto const a = HostTensor<f32, m<A>>::rand(one_seed), b = HostTensor<f32, m<A>>::rand(same_seed),
             c = HostTensor<f32, m<A>>::rand(one_seed);
  int different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].bits, b[i].bits);
    different += a[i].bits != c[i].bits;
  }
  EXPECT_GT(different, 2000);
}
TEST(Book, API_04_values_upload) {
  auto ctx = Context::acquire();
  Random seed(4);
  auto const t = HostTensor<i16, m<C, B>>::rand(seed);
  HbmTensor<i16, m<C>, m<B % 8, B / 8>> const hbm = t.to_hbm(ctx.pdma, 0x2000);  // the layout changes on the way
  EXPECT_EQ(detail::node_of(hbm)->place, (Interval{Bytes{0x2000}, Bytes{0x2000 + 1024}}));
  auto const image = detail::image_of(*ctx.session()->contents_of(*detail::node_of(hbm), {}));
  for (std::size_t c = 0; c < 8; ++c)
    for (std::size_t b = 0; b < 512; ++b) {
      std::size_t const at = (c * 512 + b % 8 * 64 + b / 8) * 2;
      ASSERT_EQ(std::to_integer<unsigned>((*image)[at]) | std::to_integer<unsigned>((*image)[at + 1]) << 8, t[c * 512 + b].bits);
    }
}
TEST(Book, API_05_values_download) {
  auto ctx = Context::acquire();
  Random seed(5);
  auto const t = HostTensor<i16, m<C, B>>::rand(seed);
  auto const hbm = t.to_hbm<m<C>, m<B>>(ctx.pdma, 0x2000);
  auto const back = hbm.to_host<m<B, C>>(ctx.pdma);
  static_assert(std::is_same_v<decltype(back), const HostTensor<i16, m<B, C>>>);
  for (std::size_t c = 0; c < 8; ++c)
    for (std::size_t b = 0; b < 512; ++b) ASSERT_EQ(back[b * 8 + c].bits, t[c * 512 + b].bits);
}
TEST(Book, API_06_from_addr) {
  auto const found = module_of([](Context& ctx) { return Hbm::from_addr(0x3000).to_hbm<m<A>>(ctx.tdma, 0x8000); });
  EXPECT_EQ(found.tensors[0].role, ir::Role::from_addr);
  EXPECT_EQ(found.tensors[0].address, 0x3000);
  auto ctx = Context::acquire();  // contents undefined: a result may not rest on them
  auto launched = launch([](Context& c) { return Hbm::from_addr(0x3000).to_hbm<m<A>>(c.tdma, 0x8000); }, ctx);
  EXPECT_EQ(code_of([&] { (void)launched.get(); }), "exec-undefined-result");
}
TEST(Book, API_07_values_to_dm_with_a_broadcast) {
  auto ctx = Context::acquire();
  Random seed(7);
  auto const t = HostTensor<i32, m<X>>::rand(seed);
  auto const back = launch(
                        [](Context& c, const HbmTensor<i32, Chip, m<X>>& in) {
                          auto const dm = in.to_dm<Cluster, m<B / 2>, m<X>>(c.tdma, 64);  // B is new: a copy in every slice
                          static_assert(std::is_same_v<decltype(dm), const DmTensor<i32, Chip, Cluster, m<B / 2>, m<X>>>);
                          HbmTensor<i32, Chip, m<B / 2, X>> const out = dm.to_hbm(c.tdma, 1 << 20);
                          return out;
                        },
                        ctx, t.to_hbm<Chip, m<X>>(ctx.pdma, 0))
                        .get()
                        .to_host<m<B / 2, X>>(ctx.pdma);
  for (std::size_t i = 0; i < 256 * 16; ++i) ASSERT_EQ(back[i].bits, t[i % 16].bits);
}
TEST(Book, API_08_values_to_hbm) {
  auto ctx = Context::acquire();
  Random seed(8);
  auto const t = HostTensor<i32, m<A>>::rand(seed);
  auto const back = launch(
                        [](Context& c, const Hbm& in) {
                          auto const dm = in.to_dm<Cluster, Slice, Eight>(c.tdma, 64);
                          return dm.to_hbm<m<A / 256, A % 8, A / 8 % 32>>(c.tdma, 1 << 20);
                        },
                        ctx, t.to_hbm<Chip, m<A>>(ctx.pdma, 0))
                        .get();
  EXPECT_EQ(detail::node_of(back)->place.begin, Bytes{1 << 20});
  auto const host = back.to_host<m<A>>(ctx.pdma);
  for (std::size_t i = 0; i < 2048; ++i) ASSERT_EQ(host[i].bits, t[i].bits);
}
TEST(Book, API_09_values_views_and_tiles) {
  auto ctx = Context::acquire();
  Random seed(9);
  auto const t = HostTensor<i32, m<C, B>>::rand(seed);
  auto const out = launch(
                       [](Context& c, const HbmTensor<i32, Chip, m<C, B>>& in) {
                         std::vector<HbmTensor<i32, Chip, m<C, (B / 32).resize(2), B % 32>>> tiles;
                         for (std::int64_t i = 0; i < 15; ++i)
                           tiles.push_back(in.view().tile<m<B / 32>, 2, m<C, (B / 32).resize(2).pad(16), B % 32>>(i).to_hbm(c.tdma));
                         return tiles;
                       },
                       ctx, t.to_hbm<Chip, m<C, B>>(ctx.pdma))
                       .get();
  for (std::size_t i = 0; i < 15; ++i) {
    auto const tile = out[i].to_host<m<C, (B / 32).resize(2), B % 32>>(ctx.pdma);
    for (std::size_t c = 0; c < 8; ++c)
      for (std::size_t b = 0; b < 64; ++b) ASSERT_EQ(tile[c * 64 + b].bits, t[c * 512 + 32 * i + b].bits) << i;
  }
}
TEST(Book, API_10_dma_between_views) {
  auto const found = module_of([](Context& ctx) {
    auto const in = HbmTensor<i8, Chip, m<R, X>>::from_addr(0);
    auto out = HbmTensor<i8, Chip, m<R, X>>::from_addr(1 << 20);
    ctx.tdma.dma<m<R>, m<X>>(in.view(), out.view_mut());
  });
  const auto& t = std::get<ir::Transfer>(found.commands[0].what);
  EXPECT_EQ(found.map(*t.time), (m<R>::mapping));
  EXPECT_EQ(found.map(*t.packet), (m<X>::mapping));
  EXPECT_TRUE(ir::verify(found, rngd));
}
TEST(Book, API_11_context) {
  auto ctx = Context::acquire();
  static_assert(std::is_same_v<decltype(ctx.main), MainContext> && std::is_same_v<decltype(ctx.sub), SubContext>);
  static_assert(std::is_same_v<decltype(ctx.tdma), Tdma> && std::is_same_v<decltype(ctx.pdma), Pdma>);
  EXPECT_TRUE(ctx.tdma.session == ctx.pdma.session && ctx.session() == ctx.tdma.session);
}
TEST(Book, API_12_launch_on_several_chips) {
  auto ctx = Context::acquire();
  Random seed(12);
  auto const t = HostTensor<i32, m<C, A>>::rand(seed);
  auto const in = t.to_hbm<m<C>, m<A>>(ctx.pdma);
  auto const kernel = [](Context& c, const HbmTensor<i32, m<C>, m<A>>& x) {
    return x.to_dm<Cluster, Slice, Eight>(c.tdma).to_hbm<m<A>>(c.tdma);
  };
  auto const back = launch<8>(kernel, ctx, in).get().to_host<m<C, A>>(ctx.pdma);
  for (std::size_t i = 0; i < t.size(); ++i) ASSERT_EQ(back[i].bits, t[i].bits);
  EXPECT_NE(code_of([&] { (void)launch<4>(kernel, ctx, in).get(); }), "accepted");  // its tensors are on eight
}
TEST(Book, API_13_begin) {
  auto const found = module_of([](Context& ctx) {
    auto const a = Dm<i32, Eight>::from_addr(0), b = Dm<i32, Eight>::from_addr(64);
    auto const one_tensor = ctx.main.begin(a.view()).fetch<i32, m<1>, Eight>().collect<m<1>, Eight>().commit<Eight>(128);
    auto const two =
        ctx.main.begin_interleaved<T>(a.view(), b.view()).fetch<i32, m<T>, Eight>().collect<m<T>, Eight>().commit<m<T, A % 8>>(256);
  });
  EXPECT_EQ(pass_of(found, 0).source, (std::vector<ir::TensorId>{ir::TensorId(0)}));
  EXPECT_EQ(pass_of(found, 1).source, (std::vector<ir::TensorId>{ir::TensorId(0), ir::TensorId(1)}));
  EXPECT_EQ(pass_of(found, 1).turns, Name("T"));
  EXPECT_TRUE(ir::verify(found, rngd));
}
TEST(Book, API_14_fetch_with_a_cast) {
  using Begin = BeginTensor<OnMain, detail::DmType<i8, Chip, Cluster, Slice, Eight>>;
  static_assert(std::is_same_v<decltype(std::declval<Begin>().fetch<i32, m<1>, Eight>()),
                               FetchTensor<OnMain, i32, Chip, Cluster, Slice, m<1>, Eight>>);
  static_assert(
      std::is_same_v<decltype(std::declval<Begin>().fetch<i8, m<1>, Eight>()), FetchTensor<OnMain, i8, Chip, Cluster, Slice, m<1>, Eight>>);
}
TEST(Book, API_15_values_lookup_table) {
  auto ctx = Context::acquire();
  Random seed(15);
  auto const t = HostTensor<i8, m<A>>::rand(seed);
  auto const squares =
      LookupTable<i8, bf16>::made([](i8 v) { return bf16::from_float(static_cast<float>(v.to_int() / 8 * (v.to_int() / 8))); });
  auto const y = launch(
                     [&](Context& c, const HbmTensor<i8, Chip, m<A>>& in) {
                       auto const dm = in.to_dm<Cluster, Slice, Eight>(c.tdma);
                       return c.main.begin(dm.view())
                           .fetch_with_table<bf16, m<1>, m<(A % 8).pad(16)>>(squares)
                           .collect<m<1>, m<(A % 8).pad(16)>>()
                           .commit<Eight>()
                           .to_hbm<m<A>>(c.tdma);
                     },
                     ctx, t.to_hbm<Chip, m<A>>(ctx.pdma))
                     .get()
                     .to_host<m<A>>(ctx.pdma);
  for (std::size_t i = 0; i < 2048; ++i) ASSERT_EQ(y[i].to_float(), static_cast<float>(t[i].to_int() / 8 * (t[i].to_int() / 8))) << i;
}
TEST(Book, API_16_zero_points) {
  using One = BeginTensor<OnMain, detail::DmType<i8, Chip, Cluster, Slice, Eight>>;
  using Two = BeginTensor<OnMain, detail::DmType<i8, Chip, Cluster, Slice, Eight>, detail::TurnsOf<T>>;
  static_assert(std::is_same_v<decltype(std::declval<One>().fetch_with_zero_point<i9, m<1>, Eight>(3)),
                               FetchTensor<OnMain, i9, Chip, Cluster, Slice, m<1>, Eight>>);
  static_assert(std::is_same_v<decltype(std::declval<Two>().fetch_with_zero_points<i9, m<T>, Eight>({3, 4})),
                               FetchTensor<OnMain, i9, Chip, Cluster, Slice, m<T>, Eight>>);
  auto const found = module_of([](Context& ctx) {
    auto const x = Dm<i8, Eight>::from_addr(0), y = Dm<i8, Eight>::from_addr(64);
    auto const w = ctx.main.begin_interleaved<T>(x.view(), y.view())
                       .fetch_with_zero_points<i9, m<T>, m<(A % 8).pad(32)>>({-3, 4})
                       .collect<m<T>, m<(A % 8).pad(32)>>()
                       .to_trf<m<1>, m<T, (A % 8).pad(32)>>(TrfAddress::Full);
  });
  EXPECT_EQ(std::get<ir::Fetch>(pass_of(found).stages[0].what).zero_points, (std::vector<std::int64_t>{-3, 4}));
}
TEST(Book, API_17_switch) {
  using Fetched = FetchTensor<OnMain, i32, Chip, Cluster, m<one.pad(256)>, m<1>, m<B % 8>>;
  static_assert(std::is_same_v<decltype(std::declval<Fetched>().switch_to<SwitchConfig::Broadcast01{256, 1, 1}, m<256>, m<one.pad(256)>>()),
                               SwitchTensor<OnMain, i32, Chip, Cluster, m<256>, m<one.pad(256)>, m<B % 8>>>);
  static_assert(SwitchConfig(SwitchConfig::Broadcast01{.slice1 = 256, .slice0 = 1, .time0 = 1}) ==
                SwitchConfig(SwitchConfig::Broadcast01{256, 1, 1}));
}
TEST(Book, API_18_collect_of_fetched_and_of_switched) {
  using Fetched = FetchTensor<OnMain, i32, Chip, Cluster, Slice, m<1>, m<R>>;
  using Switched = SwitchTensor<OnMain, i32, Chip, Cluster, Slice, m<1>, m<R>>;
  using Flits = CollectTensor<OnMain, i32, Chip, Cluster, Slice, m<R / 8>, m<R % 8>>;
  static_assert(std::is_same_v<decltype(std::declval<Fetched>().collect<m<R / 8>, m<R % 8>>()), Flits>);
  static_assert(std::is_same_v<decltype(std::declval<Switched>().collect<m<R / 8>, m<R % 8>>()), Flits>);
}
TEST(Book, API_19_register_files) {
  auto const found = module_of([](Context& ctx) {
    auto const x = Dm<bf16, m<C, R>>::from_addr(0);
    auto const y = Dm<i32, Eight>::from_addr(4096);
    TrfTensor<bf16, Chip, Cluster, Slice, m<C>, m<R>> const weights =
        ctx.sub.begin(x.view()).fetch<bf16, m<C>, m<R>>().collect<m<C, R / 16>, m<R % 16>>().to_trf(TrfAddress::Full);
    VrfTensor<i32, Chip, Cluster, Slice, Eight> const operand =
        ctx.sub.begin(y.view()).fetch<i32, m<1>, Eight>().collect<m<1>, Eight>().to_vrf(512);
  });
  EXPECT_TRUE(ir::verify(found, rngd));
  const ir::Tensor &trf = found.tensors[2], &vrf = found.tensors[3];
  EXPECT_EQ(trf.memory, Memory::Trf);
  EXPECT_EQ(trf.trf, TrfAddress::Full);
  EXPECT_EQ(found.map(trf.row), m<C>::mapping);
  EXPECT_EQ(vrf.memory, Memory::Vrf);
  EXPECT_EQ(vrf.address, 512);
}
TEST(Book, API_20_contraction) {
  EXPECT_EQ(verdict_of([](Context& ctx) {
              auto const x = Dm<bf16, m<R>>::from_addr(0);
              auto const w = Dm<bf16, m<C, R>>::from_addr(4096);
              auto const weights =
                  ctx.sub.begin(w.view()).fetch<bf16, m<C>, m<R>>().collect<m<C, R / 16>, m<R % 16>>().to_trf<m<C>, m<R>>(TrfAddress::Full);
              auto const y = ctx.main.begin(x.view())
                                 .fetch<bf16, m<1>, m<R>>()
                                 .collect<m<R / 16>, m<R % 16>>()
                                 .align<m<R / 32>, m<R % 32>>(weights)                   // pair
                                 .contract<m<1>>()                                       // within the packet
                                 .accumulate<m<1>, m<C>>(AccumulationKind::Interleaved)  // over time; rows into the packet
                                 .commit<m<C>>(8192);
              static_assert(std::is_same_v<decltype(y), const Dm<f32, m<C>>>);
            }),
            "accepted");
}
TEST(Book, API_21_cast) {
  using Sums = AccumulationTensor<OnMain, f32, Chip, Cluster, Slice, m<1>, Eight>;
  static_assert(std::is_same_v<decltype(std::declval<Sums>().cast<bf16, m<(A % 8).pad(16)>>()),
                               CastTensor<OnMain, bf16, Chip, Cluster, Slice, m<1>, m<(A % 8).pad_zero(16)>>>);
}
TEST(Book, API_23_values_commit_and_commit_view) {
  auto ctx = Context::acquire();
  Random seed(23);
  auto const t = HostTensor<i32, m<A>>::rand(seed);
  auto const y =
      launch(
          [](Context& c, const Hbm& in) {
            auto const dm = in.to_dm<Cluster, Slice, Eight>(c.tdma);
            auto rows = c.sub.memset<Dm<i32, m<T, A % 8>>>(7);
            c.main.begin(dm.view()).fetch<i32, m<1>, Eight>().collect<m<1>, Eight>().commit_view(rows.view_mut().tile<m<T>, 1>(1));
            return rows.to_hbm<m<T, A>>(c.tdma);
          },
          ctx, t.to_hbm<Chip, m<A>>(ctx.pdma))
          .get()
          .to_host<m<T, A>>(ctx.pdma);
  for (std::size_t i = 0; i < 2048; ++i) {
    ASSERT_EQ(y[i].to_int(), 7);  // what the view does not show stays
    ASSERT_EQ(y[2048 + i].bits, t[i].bits);
  }
}
TEST(Book, API_25_commands) {
  auto const found = module_of([](Context& ctx) {
    auto const dm = Hbm::from_addr(0).to_dm<Cluster, Slice, Eight>(ctx.tdma, 0);  // DMA
    auto const operand =
        ctx.sub.begin(dm.view()).fetch<i32, m<1>, Eight>().collect<m<1>, Eight>().to_vrf<Eight>(0);  // a store of the sub context
    auto const y = ctx.main.begin(dm.view()).fetch<i32, m<1>, Eight>().collect<m<1>, Eight>().commit<Eight>(64);  // exec
    auto const zeros = ctx.sub.memset<Dm<i32, Eight>>(0, 128);                                                    // ITOS
  });
  ASSERT_EQ(found.commands.size(), 4u);
  EXPECT_TRUE(std::holds_alternative<ir::Transfer>(found.commands[0].what));
  EXPECT_EQ(pass_of(found, 1).context, Tu::Sub);
  EXPECT_TRUE(std::holds_alternative<ir::ToVrf>(pass_of(found, 1).stages.back().what));
  EXPECT_EQ(pass_of(found, 2).context, Tu::Main);
  EXPECT_TRUE(std::holds_alternative<ir::Commit>(pass_of(found, 2).stages.back().what));
  EXPECT_TRUE(std::holds_alternative<ir::Memset>(found.commands[3].what));
  EXPECT_TRUE(ir::verify(found, rngd));
}
TEST(Book, PIP_15_dual_channel) {
  auto const found = module_of([](Context& ctx) {
    auto const x = Dm<i32, Eight>::from_addr(0);
    auto const y = ctx.main.dual().begin(x.view()).fetch<i32, m<1>, Eight>().collect<m<1>, Eight>().commit<Eight>(64);
  });
  EXPECT_TRUE(pass_of(found).dual);
  EXPECT_EQ(pass_of(found).context, Tu::Main);
}

}  // namespace
}  // namespace tcp
