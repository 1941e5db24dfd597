// The stages of a pass outside of the Vector Engine: types that they give, and what they write down.
#include <gtest/gtest.h>

#include "recorder.hpp"

namespace tcp {
namespace {

using build::code_of, build::module_of, build::text_of_kernel;

TCP_AXES(A = 2048, B = 256, I = 512, J = 512, K = 64, X = 2, C = 16);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<A / 8>;
using Eight = m<A % 8>;
template <Scalar D, MapType Element>
using Dm = DmTensor<D, Chip, Cluster, Slice, Element>;

TEST(DslStream, fetch_in_all_forms) {
  EXPECT_EQ(text_of_kernel([](Context& ctx) {
              auto const x = Dm<i8, m<A % 8, C>>::from_addr(0);
              auto const a =
                  ctx.main.begin(x.view()).fetch<i8, m<A % 8>, m<C.pad(32)>>().collect<m<A % 8>, m<C.pad(32)>>().commit<m<A % 8, C>>(1024);
              auto const b = ctx.main.begin(x.view())
                                 .fetch(i8{}, m<A % 8>{}, m<C.pad(32)>{})
                                 .collect(m<A % 8>{}, m<C.pad(32)>{})
                                 .commit(2048, m<A % 8, C>{});
              Dm<i8, m<A % 8, C>> const c =
                  ctx.main.begin(x.view()).fetch<i8, m<A % 8>, m<C.pad(32)>>().collect<m<A % 8>, m<C.pad(32)>>().commit();
            }),
            R"(module TestBody
axes A = 2048, C = 16

from_addr dm %0: i8 Cluster[1 # 2] Slice[A / 8] Element[A % 8, C] at 0
dm %1: i8 Cluster[1 # 2] Slice[A / 8] Element[A % 8, C] at 1024
dm %2: i8 Cluster[1 # 2] Slice[A / 8] Element[A % 8, C] at 2048
dm %3: i8 Cluster[1 # 2] Slice[A / 8] Element[A % 8, C]

main.begin(%0)
  .fetch i8 Time[A % 8] Packet[C # 32]
  .collect
  .commit(%1)
main.begin(%0)
  .fetch i8 Time[A % 8] Packet[C # 32]
  .collect
  .commit(%2)
main.begin(%0)
  .fetch i8 Time[A % 8] Packet[C # 32]
  .collect
  .commit(%3)
)");
}
TEST(DslStream, fetch_with_a_cast_and_zero_points) {
  EXPECT_EQ(text_of_kernel([](Context& ctx) {
              auto const x = Dm<i8, m<A % 8>>::from_addr(0), y = Dm<i8, m<A % 8>>::from_addr(512);
              auto const wide = ctx.main.begin(x.view()).fetch<i32, m<1>, Eight>().collect<m<1>, Eight>().commit<Eight>(64);
              auto const moved = ctx.main.begin(x.view())
                                     .fetch_with_zero_point<i9, m<1>, m<(A % 8).pad(32)>>(-3)
                                     .collect<m<1>, m<(A % 8).pad(32)>>()
                                     .to_trf<m<1>, m<(A % 8).pad(32)>>(TrfAddress::FirstHalf);
              auto const turns = ctx.main.begin_interleaved<X>(x.view(), y.view())
                                     .fetch_with_zero_points<i9, m<X>, m<(A % 8).pad(32)>>({1, 2})
                                     .collect<m<X>, m<(A % 8).pad(32)>>()
                                     .to_trf<m<1>, m<X, (A % 8).pad(32)>>(TrfAddress::SecondHalf);
            }),
            R"(module TestBody
axes A = 2048, X = 2

from_addr dm %0: i8 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
from_addr dm %1: i8 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 512
dm %2: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 64
trf %3: i9 Cluster[1 # 2] Slice[A / 8] Element[A % 8 # 32] FirstHalf
trf %4: i9 Cluster[1 # 2] Slice[A / 8] Element[X, A % 8 # 32] SecondHalf

main.begin(%0)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .commit(%2)
main.begin(%0)
  .fetch(zero_points: (-3)) i9 Time[1] Packet[A % 8 # 32]
  .collect
  .to_trf(%3)
main.begin_interleaved(X, %0, %1)
  .fetch(zero_points: (1, 2)) i9 Time[X] Packet[A % 8 # 32]
  .collect
  .to_trf(%4)
)");
}
TEST(DslStream, a_table_holds_its_entries_by_the_unsigned_index) {
  auto const found = module_of([](Context& ctx) {
    auto const x = Dm<i4, m<A % 8, C>>::from_addr(0);
    LookupTable<i4, i8> table("t");
    static_assert(LookupTable<i4, i8>::entries == 16);
    for (int i = 0; i < 16; ++i) table[i] = i8::from_int(3 * i - 20);
    auto const y = ctx.main.begin(x.view())
                       .fetch_with_table<i8, m<A % 8 / 2>, m<A % 2, C>>(table)
                       .collect<m<A % 8 / 2>, m<A % 2, C>>()
                       .commit<m<A % 8, C>>(1024);
  });
  ASSERT_EQ(found.tables.size(), 1u);
  EXPECT_EQ(found.tables[0].name, "t");
  EXPECT_EQ(found.tables[0].from, ScalarType::i4);
  EXPECT_EQ(found.tables[0].to, ScalarType::i8);
  ASSERT_EQ(found.tables[0].bits.size(), 16u);
  EXPECT_EQ(found.tables[0].bits[15], 25u);
  EXPECT_EQ(found.tables[0].bits[0], 0xecu);  // -20
}
TEST(DslStream, a_table_of_a_function) {
  constexpr auto halves = LookupTable<i8, bf16>::made([](i8 v) { return bf16::from_float(static_cast<float>(v.to_int()) / 2); });
  static_assert(halves.entries == 256);
  static_assert(halves[3].to_float() == 1.5f && halves[255].to_float() == -0.5f && halves[128].to_float() == -64.0f);
}
TEST(DslStream, contexts) {
  auto const found = module_of([](Context& ctx) {
    auto const x = Dm<i32, Eight>::from_addr(0);
    auto const a = ctx.main.begin(x.view()).fetch<i32, m<1>, Eight>().collect<m<1>, Eight>().commit<Eight>(64);
    auto const b = ctx.sub.begin(x.view()).fetch<i32, m<1>, Eight>().commit<Eight>(128);
    auto const c = ctx.main.dual().begin(x.view()).fetch<i32, m<1>, Eight>().collect<m<1>, Eight>().commit<Eight>(192);
  });
  auto const pass = [&](std::size_t i) { return std::get<ir::Pass>(found.commands[i].what); };
  EXPECT_EQ(pass(0).context, Tu::Main);
  EXPECT_FALSE(pass(0).dual);
  EXPECT_EQ(pass(1).context, Tu::Sub);
  EXPECT_EQ(pass(2).context, Tu::Main);
  EXPECT_TRUE(pass(2).dual);
  EXPECT_EQ(pass(0).stages.size(), 3u);
  EXPECT_EQ(pass(1).stages.size(), 2u);
}
TEST(DslStream, a_gemm_stage_by_stage) {
  using Grid = m<I / 32, J / 32>;
  EXPECT_EQ(
      text_of_kernel([](Context& ctx) {
        auto const a = DmTensor<bf16, Chip, Cluster, Grid, m<I % 32, K>>::from_addr(0);
        auto const b = DmTensor<bf16, Chip, Cluster, Grid, m<J % 32, K>>::from_addr(4096);
        TrfTensor<bf16, Chip, Cluster, Grid, m<J % 8>, m<J / 8 % 4, K>> const weights =
            ctx.sub.begin(b.view()).fetch<bf16, m<J % 8, J / 8 % 4>, m<K>>().collect<m<J % 8, J / 8 % 4, K / 16>, m<K % 16>>().to_trf(
                TrfAddress::Full);
        auto pair = ctx.main.begin(a.view())
                        .fetch<bf16, m<I % 32, J / 8 % 4>, m<K>>()
                        .collect<m<I % 32, J / 8 % 4, K / 16>, m<K % 16>>()
                        .align<m<I % 32, J / 8 % 4, K / 32>, m<K % 32>>(weights);
        static_assert(
            std::is_same_v<decltype(pair),
                           AlignedPair<OnMain, bf16, bf16, Chip, Cluster, Grid, m<J % 8>, m<I % 32, J / 8 % 4, K / 32>, m<K % 32>>>);
        auto sums = std::move(pair).contract<m<1>>();
        static_assert(std::is_same_v<decltype(sums), ContractionTensor<OnMain, f32, Chip, Cluster, Grid, m<J % 8>,
                                                                       m<I % 32, J / 8 % 4, K / 32>, m<1>, ContractOp::Add>>);
        auto totals = std::move(sums).accumulate<m<I % 32, J / 8 % 4>, m<J % 8>>(AccumulationKind::Interleaved);
        static_assert(
            std::is_same_v<decltype(totals), AccumulationTensor<OnMain, f32, Chip, Cluster, Grid, m<I % 32, J / 8 % 4>, m<J % 8>>>);
        auto narrow = std::move(totals).cast<bf16, m<(J % 8).pad(16)>>();
        static_assert(
            std::is_same_v<decltype(narrow), CastTensor<OnMain, bf16, Chip, Cluster, Grid, m<I % 32, J / 8 % 4>, m<(J % 8).pad_zero(16)>>>);
        auto const c = std::move(narrow).commit<m<I % 32, J % 32>>(8192);
        static_assert(std::is_same_v<decltype(c), const DmTensor<bf16, Chip, Cluster, Grid, m<I % 32, J % 32>>>);
      }),
      R"(module TestBody
axes I = 512, J = 512, K = 64

from_addr dm %0: bf16 Cluster[1 # 2] Slice[I / 32, J / 32] Element[I % 32, K] at 0
from_addr dm %1: bf16 Cluster[1 # 2] Slice[I / 32, J / 32] Element[J % 32, K] at 4096
trf %2: bf16 Cluster[1 # 2] Slice[I / 32, J / 32] Row[J % 8] Element[J / 8 % 4, K]
dm %3: bf16 Cluster[1 # 2] Slice[I / 32, J / 32] Element[I % 32, J % 32] at 8192

sub.begin(%1)
  .fetch bf16 Time[J % 8, J / 8 % 4] Packet[K]
  .collect Time[J % 8, J / 8 % 4, K / 16] Packet[K % 16]
  .to_trf(%2)
main.begin(%0)
  .fetch bf16 Time[I % 32, J / 8 % 4] Packet[K]
  .collect Time[I % 32, J / 8 % 4, K / 16] Packet[K % 16]
  .align(%2) Row[J % 8] Time[I % 32, J / 8 % 4, K / 32] Packet[K % 32]
  .contract Packet[1]
  .accumulate(Interleaved) Row[1] Time[I % 32, J / 8 % 4] Packet[J % 8]
  .cast bf16 Packet[J % 8 #z 16]
  .commit(%3)
)");
}
TEST(DslStream, contract_max_and_the_other_way_of_accumulating) {
  EXPECT_EQ(text_of_kernel([](Context& ctx) {
              using S = m<one.pad(256)>;
              auto const a = DmTensor<bf16, Chip, Cluster, S, m<K>>::from_addr(0),
                         b = DmTensor<bf16, Chip, Cluster, S, m<K>>::from_addr(4096);
              auto const w =
                  ctx.sub.begin(b.view()).fetch<bf16, m<1>, m<K>>().collect<m<K / 16>, m<K % 16>>().to_trf<m<1>, m<K>>(TrfAddress::Full);
              auto const greatest = ctx.main.begin(a.view())
                                        .fetch<bf16, m<1>, m<K>>()
                                        .collect<m<K / 16>, m<K % 16>>()
                                        .align<m<K / 32>, m<K % 32>>(w)
                                        .contract_max<m<1>>()
                                        .accumulate<m<1>, m<one.pad(8)>>(AccumulationKind::Sequential)
                                        .commit<m<one.pad(2)>>(8192);
            }),
            R"(module TestBody
axes K = 64

from_addr dm %0: bf16 Cluster[1 # 2] Slice[1 # 256] Element[K] at 0
from_addr dm %1: bf16 Cluster[1 # 2] Slice[1 # 256] Element[K] at 4096
trf %2: bf16 Cluster[1 # 2] Slice[1 # 256] Element[K]
dm %3: f32 Cluster[1 # 2] Slice[1 # 256] Element[1 # 2] at 8192

sub.begin(%1)
  .fetch bf16 Time[1] Packet[K]
  .collect Time[K / 16] Packet[K % 16]
  .to_trf(%2)
main.begin(%0)
  .fetch bf16 Time[1] Packet[K]
  .collect Time[K / 16] Packet[K % 16]
  .align(%2) Time[K / 32] Packet[K % 32]
  .contract(Max) Packet[1]
  .accumulate(Sequential) Time[1] Packet[1 #z 8]
  .commit(%3)
)");
}
TEST(DslStream, switch_transpose_and_sinks) {
  EXPECT_EQ(text_of_kernel([](Context& ctx) {
              auto const x = DmTensor<i32, Chip, Cluster, m<one.pad(256)>, m<K % 8>>::from_addr(0);
              auto const copies = ctx.main.begin(x.view())
                                      .fetch<i32, m<1>, m<K % 8>>()
                                      .switch_to<SwitchConfig::Broadcast01{256, 1, 1}, m<B>, m<one.pad(256)>>()
                                      .collect<m<one.pad(256)>, m<K % 8>>()
                                      .commit<m<one.pad(256), K % 8>>(4096);
            }),
            R"(module TestBody
axes K = 64, B = 256

from_addr dm %0: i32 Cluster[1 # 2] Slice[1 # 256] Element[K % 8] at 0
dm %1: i32 Cluster[1 # 2] Slice[B] Element[K % 8 # 2048] at 4096

main.begin(%0)
  .fetch i32 Time[1] Packet[K % 8]
  .switch(Broadcast01, slice1: 256) Slice[B] Time[1 # 256]
  .collect
  .commit(%1)
)");
  EXPECT_EQ(text_of_kernel([](Context& ctx) {
              auto const x = Dm<i8, m<K % 8, A % 8>>::from_addr(0);
              auto turned = ctx.main.begin(x.view())
                                .fetch<i8, m<K % 8>, m<(A % 8).pad(32)>>()
                                .collect<m<K % 8>, m<(A % 8).pad(32)>>()
                                .transpose<m<A % 8>, m<(K % 8).pad(32)>>();
              auto const t = std::move(turned).commit<m<A % 8, K % 8>>(4096);
              auto const y = Dm<i32, Eight>::from_addr(8192);
              VrfTensor<i32, Chip, Cluster, Slice, Eight> const v =
                  ctx.sub.begin(y.view()).fetch<i32, m<1>, Eight>().collect<m<1>, Eight>().to_vrf(96);
              auto const w = ctx.sub.begin(y.view()).fetch<i32, m<1>, Eight>().collect<m<1>, Eight>().to_vrf<Eight>();
            }),
            R"(module TestBody
axes A = 2048, K = 64

from_addr dm %0: i8 Cluster[1 # 2] Slice[A / 8] Element[K % 8, A % 8] at 0
dm %1: i8 Cluster[1 # 2] Slice[A / 8] Element[A % 8, K % 8] at 4096
from_addr dm %2: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 8192
vrf %3: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 96
vrf %4: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8]

main.begin(%0)
  .fetch i8 Time[K % 8] Packet[A % 8 # 32]
  .collect
  .transpose Time[A % 8] Packet[K % 8 # 32]
  .commit(%1)
sub.begin(%2)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .to_vrf(%3)
sub.begin(%2)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .to_vrf(%4)
)");
}
TEST(DslStream, commits) {
  EXPECT_EQ(text_of_kernel([](Context& ctx) {
              auto const x = Dm<i32, Eight>::from_addr(0);
              auto out = Dm<i32, m<C, A % 8>>::from_addr(4096);
              auto const stream = [&] { return ctx.main.begin(x.view()).fetch<i32, m<1>, Eight>().collect<m<1>, Eight>(); };
              stream().commit_view(out.view_mut().tile<m<C>, 1>(3));
              stream().commit_view(out.view_mut().tile<m<C>, 1>(4), SliceMask::below(8));
              auto const some = stream().commit<Eight>(64, SliceMask::only(255));
              auto const straight = ctx.sub.begin(x.view()).fetch<i32, m<1>, Eight>().commit<Eight>(128);
            }),
            R"(module TestBody
axes A = 2048, C = 16

from_addr dm %0: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
from_addr dm %1: i32 Cluster[1 # 2] Slice[A / 8] Element[C, A % 8] at 4096
dm %2: i32 Cluster[1 # 2] Slice[A / 8] Element[C, A % 8] = %1.whole
dm %3: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8 # 128] = %2.tile([C], length: 1, start: 3)
dm %4: i32 Cluster[1 # 2] Slice[A / 8] Element[C, A % 8] = %1.whole
dm %5: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8 # 128] = %4.tile([C], length: 1, start: 4)
dm %6: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 64
dm %7: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 128

main.begin(%0)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .commit(%3)
main.begin(%0)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .commit(%5, slices: {0..7})
main.begin(%0)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .commit(%6, slices: {255})
sub.begin(%0)
  .fetch i32 Time[1] Packet[A % 8]
  .commit(%7)
)");
}

// What may follow what: a call that may not is there for its error, and gives AfterRefusal.

template <class Result>
concept GoesOn = !std::is_same_v<std::remove_cvref_t<Result>, detail::AfterRefusal>;

template <class T>
concept CanFetch = requires(T t) {
  { std::move(t).template fetch<i32, m<1>, Eight>() } -> GoesOn;
};
template <class T>
concept CanSwitch = requires(T t) {
  { std::move(t).template switch_to<SwitchConfig::Forwarding{}, Slice, m<1>>() } -> GoesOn;
};
template <class T>
concept CanCollect = requires(T t) {
  { std::move(t).template collect<m<1>, Eight>() } -> GoesOn;
};
template <class T>
concept CanToTrf = requires(T t) {
  { std::move(t).template to_trf<m<1>, m<K % 16>>(TrfAddress::Full) } -> GoesOn;
};
template <class T>
concept CanToVrf = requires(T t) {
  { std::move(t).template to_vrf<Eight>(0) } -> GoesOn;
};
template <class T>
concept CanContract = requires(T t) {
  { std::move(t).template contract<m<1>>() } -> GoesOn;
};
template <class T>
concept CanAccumulate = requires(T t) {
  { std::move(t).template accumulate<m<1>, m<one.pad(8)>>(AccumulationKind::Interleaved) } -> GoesOn;
};
template <class T>
concept CanVectorInit = requires(T t) {
  { std::move(t).vector_init() } -> GoesOn;
};
template <class T>
concept CanCast = requires(T t) {
  { std::move(t).template cast<i8, m<(A % 8).pad(32)>>() } -> GoesOn;
};
template <class T>
concept CanTranspose = requires(T t) {
  { std::move(t).template transpose<Eight, m<one.pad(8)>>() } -> GoesOn;
};
template <class T>
concept CanCommit = requires(T t) {
  { std::move(t).commit(0) } -> GoesOn;
};
template <class T>
concept OfferedToNamedStreams = requires(T t) {
  { t.vector_init() } -> GoesOn;
} || requires(T t) {
  { t.template collect<m<1>, Eight>() } -> GoesOn;
} || requires(T t) {
  { t.commit(0) } -> GoesOn;
} || requires(T t) {
  { t.template fetch<i32, m<1>, Eight>() } -> GoesOn;
};

template <template <class, Scalar, MapType, MapType, MapType, MapType, MapType> class Stage>
using In = Stage<OnMain, i32, Chip, Cluster, Slice, m<1>, Eight>;
using Begin = BeginTensor<OnMain, detail::DmType<i32, Chip, Cluster, Slice, Eight>>;
using Pair = AlignedPair<OnMain, bf16, bf16, Chip, Cluster, Slice, m<1>, m<1>, m<K % 32>>;
using Contraction = ContractionTensor<OnMain, f32, Chip, Cluster, Slice, m<1>, m<1>, m<1>, ContractOp::Add>;

TEST(DslStages, each_offers_what_may_follow) {
  static_assert(CanFetch<Begin> && !CanCollect<Begin> && !CanCommit<Begin> && !CanVectorInit<Begin> && !CanCast<Begin>);
  using F = In<FetchTensor>;
  static_assert(CanSwitch<F> && CanCollect<F> && !CanCommit<F>);
  static_assert(CanCommit<FetchTensor<OnSub, i32, Chip, Cluster, Slice, m<1>, Eight>>);
  static_assert(!CanFetch<F> && !CanToTrf<F> && !CanToVrf<F> && !CanVectorInit<F> && !CanCast<F> && !CanTranspose<F> && !CanContract<F>);
  using S = In<SwitchTensor>;
  static_assert(CanCollect<S>);
  static_assert(!CanSwitch<S> && !CanFetch<S> && !CanCommit<S> && !CanToTrf<S> && !CanVectorInit<S> && !CanCast<S> && !CanTranspose<S>);
  using C2 = In<CollectTensor>;
  static_assert(CanToTrf<CollectTensor<OnMain, bf16, Chip, Cluster, Slice, m<1>, m<K % 16>>> && CanToVrf<C2> && CanVectorInit<C2> &&
                CanCast<C2> && CanTranspose<C2> && CanCommit<C2>);
  static_assert(!CanCollect<C2> && !CanSwitch<C2> && !CanFetch<C2> && !CanContract<C2> && !CanAccumulate<C2>);
  static_assert(CanContract<Pair> && !CanAccumulate<Pair> && !CanCommit<Pair> && !CanVectorInit<Pair> && !CanCast<Pair>);
  static_assert(CanAccumulate<Contraction> && !CanContract<Contraction> && !CanCommit<Contraction> && !CanVectorInit<Contraction>);
  using Sum = In<AccumulationTensor>;
  static_assert(CanVectorInit<Sum> && CanCast<Sum> && CanTranspose<Sum> && CanCommit<Sum>);
  static_assert(!CanAccumulate<Sum> && !CanContract<Sum> && !CanToTrf<Sum> && !CanToVrf<Sum> && !CanCollect<Sum>);
  using V = In<VectorFinalTensor>;
  static_assert(CanCast<V> && CanTranspose<V> && CanCommit<V>);
  static_assert(!CanVectorInit<V> && !CanToTrf<V> && CanToVrf<V> && !CanCollect<V>);  // to_vrf: CHIP-07
  using Narrow = In<CastTensor>;
  static_assert(CanTranspose<Narrow> && CanCommit<Narrow> && !CanCast<Narrow> && !CanVectorInit<Narrow> && !CanToVrf<Narrow>);
  using Turned = In<TransposeTensor>;
  static_assert(CanCommit<Turned> && !CanTranspose<Turned> && !CanCast<Turned> && !CanVectorInit<Turned>);
}
TEST(DslStages, a_stream_with_a_name_must_be_moved) {
  static_assert(!OfferedToNamedStreams<Begin> && !OfferedToNamedStreams<FetchTensor<OnSub, i32, Chip, Cluster, Slice, m<1>, Eight>> &&
                !OfferedToNamedStreams<In<CollectTensor>> && !OfferedToNamedStreams<In<VectorFinalTensor>> &&
                !OfferedToNamedStreams<In<CastTensor>>);
}
// Passes run in the order of their sinks.
TEST(DslStages, passes_may_overlap_in_the_source) {
  auto const overlapping = [](Context& ctx) {
    auto const x = Dm<i32, Eight>::from_addr(0);
    auto s = ctx.main.begin(x.view()).fetch<i32, m<1>, Eight>();
    (void)ctx.sub.begin(x.view()).fetch<i32, m<1>, Eight>().commit<Eight>(64);
    (void)std::move(s).collect<m<1>, Eight>().commit<Eight>(128);
  };
  auto const apart = [](Context& ctx) {
    auto const x = Dm<i32, Eight>::from_addr(0);
    (void)ctx.sub.begin(x.view()).fetch<i32, m<1>, Eight>().commit<Eight>(64);
    (void)ctx.main.begin(x.view()).fetch<i32, m<1>, Eight>().collect<m<1>, Eight>().commit<Eight>(128);
  };
  EXPECT_EQ(ir::print(module_of(overlapping)), ir::print(module_of(apart)));
}
TEST(DslStages, an_open_stream_is_not_overtaken_by_a_write_to_its_source) {
  auto const overtaken = [](Context& ctx, bool same) {
    auto x = Dm<i32, Eight>::from_addr(0);
    auto other = Dm<i32, Eight>::from_addr(64);
    auto s = ctx.main.begin(x.view()).fetch<i32, m<1>, Eight>();
    ctx.sub.begin(other.view()).fetch<i32, m<1>, Eight>().commit_view((same ? x : other).view_mut());
    (void)std::move(s).collect<m<1>, Eight>().commit<Eight>(128);
  };
  EXPECT_EQ(code_of([&] { module_of([&](Context& ctx) { overtaken(ctx, true); }); }), "dsl-stream-overtaken");
  EXPECT_EQ(code_of([&] { module_of([&](Context& ctx) { overtaken(ctx, false); }); }), "accepted");
}

}  // namespace
}  // namespace tcp
