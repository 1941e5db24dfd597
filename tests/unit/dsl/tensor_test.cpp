// Transfers and views: what each typed method writes down, in all forms in which it can be called.
#include <gtest/gtest.h>

#include "recorder.hpp"

namespace tcp {
namespace {

using build::code_of, build::module_of, build::Recorder, build::text_of_kernel;

TCP_AXES(A = 2048, B = 256, C = 8, D = 4, X = 64, Y = 16);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<A / 8>;
using Eight = m<A % 8>;
using Hbm = HbmTensor<i32, Chip, m<A>>;
using Dm = DmTensor<i32, Chip, Cluster, Slice, Eight>;
using Spm = SpmTensor<i32, Chip, Cluster, m<A / 64 % 4>, m<A / 256, A % 64>>;

Hbm in_hbm() { return Hbm::from_addr(0); }

constexpr const char* to_dm_text = R"(module kernel
axes A = 2048

from_addr hbm %0: i32 Element[A] at 0
dm %1: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 64

move %0 -> %1
)";

TEST(DslTransfer, mappings_as_template_arguments) {
  auto const kernel = [](Context& ctx) { auto const dm = in_hbm().to_dm<Cluster, Slice, Eight>(ctx.tdma, 64); };
  ir::Module found = module_of(kernel);
  found.name = "kernel";
  EXPECT_EQ(build::text_of(found), to_dm_text);
}
TEST(DslTransfer, mappings_as_tags) {
  ir::Module found = module_of([](Context& ctx) { auto const dm = in_hbm().to_dm(ctx.tdma, 64, Cluster{}, Slice{}, Eight{}); });
  found.name = "kernel";
  EXPECT_EQ(build::text_of(found), to_dm_text);
}
TEST(DslTransfer, mappings_from_the_left) {
  ir::Module found = module_of([](Context& ctx) { Dm const dm = in_hbm().to_dm(ctx.tdma, 64); });
  found.name = "kernel";
  EXPECT_EQ(build::text_of(found), to_dm_text);
}
TEST(DslTransfer, mappings_from_the_left_of_a_view) {
  ir::Module found = module_of([](Context& ctx) { Dm const dm = in_hbm().view().to_dm(ctx.tdma, 64); });
  found.name = "kernel";
  EXPECT_EQ(build::text_of(found), to_dm_text);
}
TEST(DslTransfer, an_address_may_be_left_out) {
  ir::Module const found = module_of([](Context& ctx) { Dm const dm = in_hbm().to_dm(ctx.tdma); });
  EXPECT_EQ(found.tensors[1].address, std::nullopt);
  ir::Module const zero = module_of([](Context& ctx) { Dm const dm = in_hbm().to_dm(ctx.tdma, 0); });
  EXPECT_EQ(zero.tensors[1].address, 0);
}
template <class To, class From>
concept ToHbmFits = requires(const From& from, const Tdma& dma) { To(from.to_hbm(dma)); };
template <class To, class From>
concept ToDmFits = requires(const From& from, const Tdma& dma) { To(from.to_dm(dma)); };
TEST(DslTransfer, a_memory_is_never_chosen_by_the_left_side) {
  static_assert(ToHbmFits<Hbm, Dm> && ToDmFits<Dm, Hbm>);
  static_assert(!ToHbmFits<Dm, Hbm> && !ToHbmFits<Spm, Hbm> && !ToDmFits<Hbm, Dm>);
}
TEST(DslTransfer, an_element_type_is_never_changed_by_a_transfer) {
  static_assert(!ToDmFits<DmTensor<f32, Chip, Cluster, Slice, Eight>, Hbm>);
}

TEST(DslTransfer, there_and_back) {
  EXPECT_EQ(text_of_kernel([](Context& ctx) {
              Dm const dm = in_hbm().to_dm(ctx.tdma, 0);
              auto const spm = dm.to_spm<Cluster, m<A / 64 % 4>, m<A / 256, A % 64>>(ctx.tdma, 128);
              static_assert(std::is_same_v<decltype(spm), const Spm>);
              Spm const again = dm.to_spm(ctx.tdma);
              auto const back = spm.to_dm<Cluster, Slice, Eight>(ctx.tdma, 4096);
              Hbm out = back.to_hbm(ctx.tdma, 1 << 20);
              out.named("out");
              return std::pair(out, out.to_hbm(ctx.tdma, 1 << 21, m<A % 64, A / 64>{}));
            }),
            R"(module TestBody
axes A = 2048

from_addr hbm %0: i32 Element[A] at 0
dm %1: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
spm %2: i32 Cluster[1 # 2] Pe[A / 64 % 4] Element[A / 256, A % 64] at 128
spm %3: i32 Cluster[1 # 2] Pe[A / 64 % 4] Element[A / 256, A % 64]
dm %4: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 1048576
result hbm %6: i32 Element[A % 64, A / 64] at 2097152

move %0 -> %1
move %1 -> %2
move %1 -> %3
move %2 -> %4
move %4 -> out
move out -> %6
)");
}

TEST(DslTransfer, into_a_view_with_and_without_the_shape_of_the_stream) {
  EXPECT_EQ(text_of_kernel([](Context& ctx) {
              auto const from = HbmTensor<i8, Chip, m<X, Y>>::from_addr(0);
              ctx.tdma.dma(from, HbmTensor<i8, Chip, m<X, Y>>::from_addr(1 << 21).view_mut());
              ctx.tdma.dma<m<X>, m<Y>>(from.view(), HbmTensor<i8, Chip, m<X, Y>>::from_addr(1 << 22).view_mut());
            }),
            R"(module TestBody
axes X = 64, Y = 16

from_addr hbm %0: i8 Element[X, Y] at 0
from_addr hbm %1: i8 Element[X, Y] at 2097152
hbm %2: i8 Element[X, Y] = %1.whole
from_addr hbm %3: i8 Element[X, Y] at 4194304
hbm %4: i8 Element[X, Y] = %3.whole

move %0 -> %2
move %0 -> %4 Time[X] Packet[Y]
)");
}

template <class From, class To>
concept CanDma = requires(const Tdma& dma, const From& from, const To& to) { dma.dma(from, to); };
TEST(DslTransfer, only_mutable_views_are_written_into) {
  using View = HbmTensorView<i32, Chip, m<A>>;
  static_assert(CanDma<View, HbmTensorViewMut<i32, Chip, m<A>>>);
  static_assert(!CanDma<View, View> && !CanDma<View, Hbm>);
}

TEST(DslTransfer, gather_and_scatter) {
  EXPECT_EQ(text_of_kernel([](Context& ctx) {
              auto const table = HbmTensor<i32, Chip, m<X, B>>::from_addr(0);
              auto const rows = HbmTensor<i32, Chip, m<Y>>::from_addr(1 << 20);
              auto const some = table.gather_to_hbm<X, m<Y, B>>(ctx.tdma, rows, 1 << 21);
              auto const in_dm = table.view().gather_to_dm<X, Cluster, m<Y.pad(256)>, m<B>>(ctx.tdma, rows.view());
              auto cache = HbmTensor<i32, Chip, m<X, B>>::from_addr(1 << 22);
              some.scatter<X>(ctx.tdma, rows, cache.view_mut());
            }),
            R"(module TestBody
axes X = 64, B = 256, Y = 16

from_addr hbm %0: i32 Element[X, B] at 0
from_addr hbm %1: i32 Element[Y] at 1048576
hbm %2: i32 Element[Y, B] at 2097152
dm %3: i32 Cluster[1 # 2] Slice[Y # 256] Element[B]
from_addr hbm %4: i32 Element[X, B] at 4194304
hbm %5: i32 Element[X, B] = %4.whole

gather %0 -> %2 (rows: %1, axis: X)
gather %0 -> %3 (rows: %1, axis: X)
scatter %2 -> %5 (rows: %1, axis: X)
)");
}

TEST(DslTransfer, chips_and_clusters) {
  EXPECT_EQ(text_of_kernel(
                [](Context& ctx) {
                  using Half = DmTensor<i32, m<D>, m<A / 1024>, m<A / 4 % 256>, m<A % 4, C>>;
                  auto const x = Half::from_addr(0);
                  auto const turned = x.chip_shuffle(ctx.tdma, {1, 2, 3, 0}, 4096);
                  auto const swapped = turned.cluster_shuffle(ctx.tdma, {1, 0});
                  auto const part = swapped.chip_slice<m<C / 2>, 1, m<D>, m<A % 4, (C / 2).resize(1), C % 2>>(ctx.tdma, {0, 1, 2, 3});
                },
                4),
            R"(module TestBody(chips: 4)
axes D = 4, A = 2048, C = 8

from_addr dm %0: i32 Chip[D] Cluster[A / 1024] Slice[A / 4 % 256] Element[A % 4, C] at 0
dm %1: i32 Chip[D] Cluster[A / 1024] Slice[A / 4 % 256] Element[A % 4, C] at 4096
dm %2: i32 Chip[D] Cluster[A / 1024] Slice[A / 4 % 256] Element[A % 4, C]
dm %3: i32 Chip[D] Cluster[A / 1024] Slice[A / 4 % 256] Element[A % 4, C % 2]

chip_shuffle %0 -> %1 (permutation: (1, 2, 3, 0))
cluster_shuffle %1 -> %2 (permutation: (1, 0))
chip_slice %2 -> %3 (permutation: (0, 1, 2, 3), dimension: [C / 2], length: 1)
)");
}

TEST(DslMemset, takes_values_of_the_tensors_type) {
  EXPECT_EQ(text_of_kernel([](Context& ctx) {
              auto const a = ctx.sub.memset<DmTensor<f32, m<1>, m<one.pad(2)>, m<A / 8>, m<A % 8>>>(1.0f);
              auto const b = ctx.sub.memset<DmTensor<bf16, m<1>, m<one.pad(2)>, m<A / 8>, m<A % 8>>>(1);
              auto const c = ctx.sub.memset<DmTensor<i8, m<1>, m<one.pad(2)>, m<A / 8>, m<A % 8>>>(-2);
              auto const d = ctx.sub.memset<DmTensor<i4, m<1>, m<one.pad(2)>, m<A / 8>, m<A % 8>>>(i4{3});
            }),
            R"(module TestBody
axes A = 2048

dm %0: f32 Cluster[1 # 2] Slice[A / 8] Element[A % 8]
dm %1: bf16 Cluster[1 # 2] Slice[A / 8] Element[A % 8]
dm %2: i8 Cluster[1 # 2] Slice[A / 8] Element[A % 8]
dm %3: i4 Cluster[1 # 2] Slice[A / 8] Element[A % 8]

memset %0 = 0x3f800000
memset %1 = 0x3f803f80
memset %2 = 0xfefefefe
memset %3 = 0x33333333
)");
}

TEST(DslTensor, empty_ones_are_placed_with_the_kernel_and_bits_are_seen_as_another_type) {
  EXPECT_EQ(text_of_kernel([](Context& ctx) {
              auto dm = ctx.empty<DmTensor<f32, m<1>, m<one.pad(2)>, m<A / 8>, m<A % 8>>>();
              auto hbm = ctx.empty<HbmTensor<i32, m<1>, m<A>>>();
              auto const bits = dm.view().reinterpret<i32>();
              ctx.tdma.dma(bits, hbm.view_mut());
            }),
            R"(module TestBody
axes A = 2048

dm %0: f32 Cluster[1 # 2] Slice[A / 8] Element[A % 8]
hbm %1: i32 Element[A]
dm %2: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] = %0.reshape
hbm %3: i32 Element[A] = %1.whole

move %2 -> %3
)");
}

TEST(DslMemset, a_new_tensor_or_a_view) {
  EXPECT_EQ(text_of_kernel([](Context& ctx) {
              auto dm = ctx.sub.memset<Dm>(0x01020304, 64);
              ctx.sub.memset(dm.view_mut().tile<Eight, 4>(4), 7);
              auto const placed = ctx.sub.memset<Dm>(0);
            }),
            R"(module TestBody
axes A = 2048

dm %0: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 64
dm %1: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] = %0.whole
dm %2: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 4 # 8] = %1.tile([A % 8], length: 4, start: 4)
dm %3: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8]

memset %0 = 0x1020304
memset %2 = 0x7
memset %3 = 0x0
)");
}

// Views.

TEST(DslView, reading) {
  EXPECT_EQ(text_of_kernel([](Context&) {
              auto const x = HbmTensor<i8, Chip, m<C, A>>::from_addr(0);
              auto const tile = x.tile<m<A / 64>, 2>(3);
              static_assert(std::is_same_v<decltype(tile)::Element, m<C, (A / 64).resize(2).pad(32), A % 64>>);
              auto const declared = x.view().tile<m<A / 64>, 2, m<C, (A / 64).resize(2).pad(32), A % 64>>(30);
              auto const slice = x.slice<A, 64, 192>();
              auto const flat = x.view().reshape<m<X, B>>();
              auto const tagged = x.reshape(m<X, B>{});
              auto const of_a_view = tile.tile<m<C>, 1>(7);
            }),
            R"(module kernel
axes C = 8, A = 2048, X = 64, B = 256

from_addr hbm %0: i8 Element[C, A] at 0
hbm %1: i8 Element[C, A = 128 # 2048] = %0.tile([A / 64], length: 2, start: 3)
hbm %2: i8 Element[C, A = 128 # 2048] = %0.tile([A / 64], length: 2, start: 30)
hbm %3: i8 Element[C, A = 128 # 2048] = %0.tile([A], length: 128, start: 64)
hbm %4: i8 Element[X, B] = %0.reshape
hbm %5: i8 Element[X, B] = %0.reshape
hbm %6: i8 Element[A % 128 # 16384] = %1.tile([C], length: 1, start: 7)
)");
}
TEST(DslView, writing) {
  EXPECT_EQ(text_of_kernel([](Context& ctx) {
              auto x = HbmTensor<i8, Chip, m<C, A>>::from_addr(0);
              auto const part = x.view_mut().tile<m<A / 64>, 2>(3);
              ctx.tdma.dma(x.tile<m<A / 64>, 2>(8), part);
              auto const front = x.slice<A, 0, 1024>();
              ctx.tdma.dma(front, x.view_mut().slice<A, 1024, 2048>());
              auto const other = HbmTensor<i8, Chip, m<X, B>>::from_addr(1 << 20);
              ctx.tdma.dma(other, x.view_mut().reshape<m<X, B>>());
            }),
            R"(module TestBody
axes C = 8, A = 2048, X = 64, B = 256

from_addr hbm %0: i8 Element[C, A] at 0
hbm %1: i8 Element[C, A] = %0.whole
hbm %2: i8 Element[C, A = 128 # 2048] = %1.tile([A / 64], length: 2, start: 3)
hbm %3: i8 Element[C, A = 128 # 2048] = %0.tile([A / 64], length: 2, start: 8)
hbm %4: i8 Element[C, A = 1024 # 2048] = %0.tile([A], length: 1024)
hbm %5: i8 Element[C, A] = %0.whole
hbm %6: i8 Element[C, A = 1024 # 2048] = %5.tile([A], length: 1024, start: 1024)
from_addr hbm %7: i8 Element[X, B] at 1048576
hbm %8: i8 Element[C, A] = %0.whole
hbm %9: i8 Element[X, B] = %8.reshape

move %3 -> %2
move %4 -> %6
move %7 -> %9
)");
}
TEST(DslView, a_start_beyond_the_tensor_is_refused_when_the_kernel_runs) {
  EXPECT_EQ(code_of([] { module_of([](Context&) { auto const t = HbmTensor<i8, Chip, m<C, A>>::from_addr(0).tile<m<A / 64>, 2>(31); }); }),
            "tile-out-of-range");
}
TEST(DslView, four_bits_inside_a_byte_are_refused) {
  EXPECT_EQ(code_of([] { module_of([](Context&) { auto const t = HbmTensor<i4, Chip, m<A>>::from_addr(0).tile<m<A>, 2>(1); }); }),
            "ir-view-inside-byte");
}

// Names and regions.

TEST(DslNames, of_tensors_and_of_the_kernel) {
  ir::Module const found = module_of([](Context& ctx) {
    auto x = in_hbm();
    x.named("x");
    auto const dm = x.to_dm<Cluster, Slice, Eight>(ctx.tdma, 0).named("in slices");
    auto const view = dm.tile<Eight, 4>(0);
  });
  EXPECT_EQ(found.tensors[0].name, "x");
  EXPECT_EQ(found.tensors[1].name, "in slices");
  EXPECT_EQ(found.tensors[2].name, "in slices");
}
void outer_kernel(Context& ctx) { auto const dm = in_hbm().to_dm<Cluster, Slice, Eight>(ctx.tdma, 0); }
struct Functor {
  void operator()(Context& ctx) const { auto const dm = in_hbm().to_dm<Cluster, Slice, Eight>(ctx.tdma, 0); }
};
TEST(DslNames, a_kernel_is_called_after_its_function) {
  EXPECT_EQ(module_of(outer_kernel).name, "outer_kernel");
  EXPECT_EQ(module_of(Functor{}).name, "Functor");
}
TEST(DslNames, regions_nest_and_end) {
  ir::Module const found = module_of([](Context& ctx) {
    for (int i = 0; i < 2; ++i) {
      auto const outer = ctx.region("rows", i);
      {
        auto const inner = ctx.region("load");
        auto const dm = in_hbm().to_dm<Cluster, Slice, Eight>(ctx.tdma, 0);
      }
      auto const dm = in_hbm().to_dm<Cluster, Slice, Eight>(ctx.tdma, 0);
    }
    auto const dm = in_hbm().to_dm<Cluster, Slice, Eight>(ctx.tdma, 0);
  });
  ASSERT_EQ(found.regions.size(), 4u);
  EXPECT_EQ(found.regions[0].name, "rows");
  EXPECT_EQ(found.regions[0].index, 0);
  EXPECT_EQ(found.regions[0].inside, ir::none);
  EXPECT_EQ(found.regions[1].name, "load");
  EXPECT_EQ(found.regions[1].inside, 0);
  EXPECT_EQ(found.regions[2].index, 1);
  EXPECT_EQ(found.regions[3].inside, 2);
  ASSERT_EQ(found.commands.size(), 5u);
  int const expected[] = {1, 0, 3, 2, ir::none};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(found.commands[i].region, expected[i]) << i;
}
TEST(DslNames, every_command_knows_its_line) {
  ir::Module const found = module_of([](Context& ctx) {
    auto const x = in_hbm();
    auto const dm = x.to_dm<Cluster, Slice, Eight>(ctx.tdma, 0);
    auto const again = dm.to_hbm<m<A>>(ctx.tdma);
  });
  EXPECT_EQ(found.commands[1].at.line, found.commands[0].at.line + 1);
  EXPECT_TRUE(std::string_view(found.commands[0].at.file).ends_with("tensor_test.cpp"));
  EXPECT_EQ(found.tensors[1].at.line, found.commands[0].at.line);
}

// What belongs to no kernel.

TEST(DslOutside, transfers_views_and_regions_outside_of_a_kernel) {
  Recorder r;
  auto const host = HostTensor<i32, m<A>>();
  auto x = host.to_hbm<Chip, m<A>>(r.ctx.pdma, 0);
  EXPECT_EQ(code_of([&] { (void)x.to_dm<Cluster, Slice, Eight>(r.ctx.tdma, 0); }), "dsl-outside-kernel");
  EXPECT_EQ(code_of([&] { (void)x.tile<m<A>, 2>(0); }), "dsl-outside-kernel");
  EXPECT_EQ(code_of([&] { (void)x.view_mut(); }), "dsl-outside-kernel");
  EXPECT_EQ(code_of([&] { (void)Hbm::from_addr(0); }), "dsl-outside-kernel");
  EXPECT_EQ(code_of([&] { (void)r.ctx.sub.memset<Dm>(0, 0); }), "dsl-outside-kernel");
  EXPECT_EQ(code_of([&] { (void)r.ctx.region("here"); }), "dsl-outside-kernel");
}
TEST(DslOutside, host_transfers_inside_a_kernel) {
  Recorder r;
  auto const host = HostTensor<i32, m<A>>();
  auto const x = host.to_hbm<Chip, m<A>>(r.ctx.pdma, 0);
  EXPECT_EQ(code_of([&] { r.module_of([&](Context& ctx) { (void)host.to_hbm<Chip, m<A>>(ctx.pdma, 0); }); }), "dsl-host-inside-kernel");
  EXPECT_EQ(code_of([&] { r.module_of([&](Context& ctx) { (void)x.to_host<m<A>>(ctx.pdma); }); }), "dsl-host-inside-kernel");
}
TEST(DslOutside, tensors_that_were_never_made) {
  Hbm none;
  VrfTensor<i32, Chip, Cluster, Slice, Eight> const vrf;
  TrfTensor<i8, Chip, Cluster, Slice, m<1>, m<C.pad(32)>> const trf;
  Recorder r;
  EXPECT_EQ(code_of([&] { (void)none.to_host<m<A>>(r.ctx.pdma); }), "dsl-tensor-empty");
  EXPECT_EQ(code_of([&] { r.module_of([&](Context& ctx) { (void)none.to_dm<Cluster, Slice, Eight>(ctx.tdma); }); }), "dsl-tensor-empty");
  EXPECT_EQ(code_of([&] { r.module_of([&](Context&) { (void)none.view_mut(); }); }), "dsl-tensor-empty");
  EXPECT_EQ(code_of([&] { r.module_of([&](Context&) { (void)none.tile<m<A>, 2>(0); }); }), "dsl-tensor-empty");
  EXPECT_EQ(detail::node_of(none.named("nothing")), nullptr);
}
TEST(DslOutside, tensors_of_another_kernel) {
  Recorder r;
  Dm kept;
  EXPECT_EQ(code_of([&] {
              r.module_of([&](Context& ctx) {
                kept = in_hbm().to_dm<Cluster, Slice, Eight>(ctx.tdma, 0);
                return ctx.sub.begin(kept.view()).fetch<i32, m<1>, Eight>().collect<m<1>, Eight>().to_vrf<Eight>(0);
              });
            }),
            "dsl-result-does-not-live-on");
  EXPECT_EQ(code_of([&] { r.module_of([&](Context& ctx) { (void)kept.to_hbm<m<A>>(ctx.tdma, 0); }); }), "dsl-tensor-of-another-kernel");
}
TEST(DslOutside, tensors_of_another_context) {
  Recorder one, other;
  auto x = HostTensor<i32, m<A>>().to_hbm<Chip, m<A>>(one.ctx.pdma, 0);
  EXPECT_EQ(code_of([&] { other.module_of([&](Context& ctx) { (void)x.to_dm<Cluster, Slice, Eight>(ctx.tdma, 0); }); }),
            "dsl-tensor-of-another-context");
  EXPECT_EQ(code_of([&] { other.module_of([&](Context&) { (void)x.view_mut(); }); }), "dsl-tensor-of-another-context");
  EXPECT_EQ(code_of([&] { (void)x.to_host<m<A>>(other.ctx.pdma); }), "dsl-tensor-of-another-context");
}
TEST(DslOutside, a_kernel_inside_a_kernel) {
  Recorder r;
  EXPECT_EQ(code_of([&] { r.module_of([&](Context&) { r.module_of([](Context&) {}); }); }), "dsl-launch-inside-kernel");
}

// Arguments and results.

TEST(DslArguments, a_tensor_in_memory_is_an_argument_once) {
  Recorder r;
  auto x = HostTensor<i32, m<A>>().to_hbm<Chip, m<A>>(r.ctx.pdma, 512);
  x.named("x");
  ir::Module found = r.module_of([&](Context& ctx) {
    auto const copy = x;
    auto const dm = x.to_dm<Cluster, Slice, Eight>(ctx.tdma, 0);
    auto const first = copy.to_hbm<m<A>>(ctx.tdma, 1 << 20);
    return std::pair(first, dm.to_hbm<m<A>>(ctx.tdma, 1 << 21));
  });
  found.name = "kernel";
  EXPECT_EQ(build::text_of(found), R"(module kernel
axes A = 2048

argument hbm x: i32 Element[A] at 512
dm %1: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
result hbm %2: i32 Element[A] at 1048576
result hbm %3: i32 Element[A] at 2097152

move x -> %1
move x -> %2
move %1 -> %3
)");
}
TEST(DslArguments, an_argument_that_is_written_into_is_a_result_too) {
  Recorder r;
  auto x = HostTensor<i32, m<A>>().to_hbm<Chip, m<A>>(r.ctx.pdma, 0);
  auto const y = HostTensor<i32, m<A>>().to_hbm<Chip, m<A>>(r.ctx.pdma, 1 << 20);
  ir::Module const found = r.module_of([&](Context& ctx) { ctx.tdma.dma(y.slice<A, 0, 64>(), x.view_mut().slice<A, 64, 128>()); });
  ASSERT_EQ(found.arguments.size(), 2u);
  ASSERT_EQ(found.results.size(), 1u);
  EXPECT_EQ(found.tensor(found.results[0]).address, 0);
}
TEST(DslArguments, only_what_is_held_is_a_result) {
  ir::Module const found = module_of([](Context& ctx) {
    auto const dropped = in_hbm().to_hbm<m<A>>(ctx.tdma, 1 << 20);
    return dropped.to_hbm<m<A>>(ctx.tdma, 1 << 21);
  });
  ASSERT_EQ(found.results.size(), 1u);
  EXPECT_EQ(found.tensor(found.results[0]).address, 1 << 21);
}
TEST(DslArguments, a_view_that_is_returned_is_refused) {
  EXPECT_EQ(code_of([] { module_of([](Context&) { return in_hbm().tile<m<A>, 2>(0); }); }), "dsl-result-does-not-live-on");
}

}  // namespace
}  // namespace tcp
