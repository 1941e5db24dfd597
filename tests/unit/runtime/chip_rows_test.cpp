// What chips do beyond the book, in both front ends and on every backend, against plain loops on the host. The number of a test is that of the row in
// docs/claims/chip.md.
#include <gtest/gtest.h>

#include "tcp/dsl/dynamic.hpp"
#include "tcp/tcp.hpp"

namespace tcp {
namespace {

TCP_AXES(A = 8, B = 4, W = 8, L = 4, P = 2, E = 2, H = 13, T = 300, D = 3, K = 32, N = 8);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Second = m<E.pad_left(1).resize(2)>;
using Idle = m<one.pad(256)>;
using Rows = m<A.pad(256)>;
constexpr BackendKind backends[] = {BackendKind::vector, BackendKind::reference, BackendKind::device};

Context on(BackendKind backend) {
  ContextOptions options;
  options.backend = backend;
  return Context::acquire(options);
}
template <class Scalar, class Element>
HostTensor<Scalar, Element> numbered() {
  HostTensor<Scalar, Element> t;
  for (std::size_t i = 0; i < t.size(); ++i) t[i] = Scalar::from_bits(static_cast<std::uint32_t>(i * 7 + 1) & scalar_mask(Scalar::type));
  return t;
}

/// Runs one kernel in two forms: `typed` and `dynamic` take and give [A, B, W] of i32, and add nothing to it.
template <class Typed, class Dynamic>
void expect_unchanged(Typed typed, Dynamic dynamic) {
  using Element = m<A, B, W>;
  auto const x = numbered<i32, Element>();
  for (BackendKind b : backends) {
    auto ctx = on(b);
    auto const y = launch(typed, ctx, x.template to_hbm<Chip, Element>(ctx.pdma)).get().template to_host<Element>(ctx.pdma);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i].bits, x[i].bits) << name_of(b) << " " << i;
    Mapping const element = Element::mapping;
    dyn::HostTensor host(ScalarType::i32, element);
    for (std::size_t i = 0; i < x.size(); ++i) host.template data<i32>()[i] = x[i];
    auto const z = launch(dynamic, ctx, host.to_hbm(ctx.pdma, dyn::one, element)).get().to_host(ctx.pdma, element);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(z.template data<i32>()[i].bits, x[i].bits) << name_of(b) << " " << i;
  }
}
using Hbm = HbmTensor<i32, Chip, m<A, B, W>>;
Mapping const a = m<A>::mapping, b = m<B>::mapping, w = m<W>::mapping, l = m<L>::mapping, p = m<P>::mapping, e = m<E>::mapping,
              idle = dyn::one.pad(2);

TEST(ChipRows, CHIP_01_a_switch_into_the_first_of_n) {
  expect_unchanged(
      [](Context& c, const Hbm& x) {
        return c.main.begin(x.to_dm<Cluster, Rows, m<B, W>>(c.tdma).view())
            .fetch<i32, m<B>, m<W>>()
            .switch_to<SwitchConfig::Broadcast1{.slice1 = 8, .slice0 = 1}, Idle, m<B, A>>()
            .collect<m<B, A>, m<W>>()
            .commit<m<B, A, W>>()
            .to_hbm<m<A, B, W>>(c.tdma);
      },
      [](Context& c, const dyn::Tensor& x) {
        return dyn::main(c)
            .begin(x.to_dm(c.tdma, idle, a.pad(256), dyn::map(b, w)))
            .fetch(ScalarType::i32, b, w)
            .switch_to(SwitchConfig::CustomBroadcast{.ring_size = 8}, dyn::one.pad(256), dyn::map(b, a))  // CHIP-13 as well
            .collect(dyn::map(b, a), w)
            .commit(dyn::map(b, a, w))
            .to_hbm(c.tdma, dyn::map(a, b, w));
      });
}

TEST(ChipRows, CHIP_02_copies_counted_by_parts_of_a_new_axis) {
  // A in slices, repeated over L and P; of the copies one goes back.
  expect_unchanged(
      [](Context& c, const Hbm& x) {
        auto all = c.main.begin(x.to_dm<Cluster, m<A, one.pad(32)>, m<B, W>>(c.tdma).view())
                       .fetch<i32, m<B>, m<W>>()
                       .switch_to<SwitchConfig::CustomBroadcast{}, m<A, L / 2, P, L % 2, 4>, m<B>>()
                       .collect<m<B>, m<W>>()
                       .commit<m<B, W>>()
                       .to_hbm<m<L, P, A, B, W>>(c.tdma);
        return all.tile<m<L>, 1>(3).to_hbm<m<P, A, B, W>>(c.tdma).tile<m<P>, 1>(1).to_hbm<m<A, B, W>>(c.tdma);
      },
      [](Context& c, const dyn::Tensor& x) {
        auto const all = dyn::main(c)
                             .begin(x.to_dm(c.tdma, idle, dyn::map(a, dyn::one.pad(32)), dyn::map(b, w)))
                             .fetch(ScalarType::i32, b, w)
                             .switch_to(SwitchConfig::CustomBroadcast{}, dyn::map(a, l / 2, p, l % 2, copies(4)), b)
                             .collect(b, w)
                             .commit(dyn::map(b, w))
                             .to_hbm(c.tdma, dyn::map(l, p, a, b, w));
        return all.tile(l, 1, 2).to_hbm(c.tdma, dyn::map(p, a, b, w)).tile(p, 1, 0).to_hbm(c.tdma, dyn::map(a, b, w));
      });
}

TEST(ChipRows, CHIP_03_names_for_copies_and_for_all_levels) {
  // A in slices, its copies in the others named afterwards; B and W renamed. Both go back under the old names.
  expect_unchanged(
      [](Context& c, const Hbm& x) {
        auto copied = x.to_dm<Cluster, m<32, A>, m<B, W>>(c.tdma);
        auto named = copied.relabel<Chip, Cluster, m<K, A>, m<L, N>>();
        auto all =
            c.main.begin(named.view()).fetch<i32, m<L>, m<N>>().collect<m<L>, m<N>>().commit<m<L, N>>().to_hbm<m<K, A, L, N>>(c.tdma);
        return all.tile<m<K>, 1>(17).to_hbm<m<A, L, N>>(c.tdma).relabel<Chip, m<A, B, W>>();
      },
      [](Context& c, const dyn::Tensor& x) {
        Mapping const k = m<K>::mapping, n = m<N>::mapping;
        auto const named =
            x.to_dm(c.tdma, idle, dyn::map(copies(32), a), dyn::map(b, w)).relabel(dyn::one, idle, dyn::map(k, a), dyn::map(l, n));
        auto const all = named.to_hbm(c.tdma, dyn::map(k, a, l, n));
        return all.tile(k, 1, 5).to_hbm(c.tdma, dyn::map(a, l, n)).relabel(dyn::one, dyn::map(a, b, w));
      });
}

TEST(ChipRows, CHIP_03_elements_are_forgotten_and_padding_is_undefined) {
  auto const x = numbered<i32, m<A, W>>();
  for (BackendKind each : backends) {
    auto ctx = on(each);
    auto const in = x.to_hbm<Chip, m<A, W>>(ctx.pdma);
    auto const y =
        launch(
            [](Context& c, const HbmTensor<i32, Chip, m<A, W>>& of) {
              return of.to_dm<Cluster, Rows, m<W>>(c.tdma).relabel<Chip, Cluster, m<D.pad(256)>, m<B.pad(8)>>().to_hbm<m<D, B>>(c.tdma);
            },
            ctx, in)
            .get()
            .to_host<m<D, B>>(ctx.pdma);
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i].bits, x[i / 4 * 8 + i % 4].bits) << name_of(each) << " " << i;
    auto undefined = launch(
        [](Context& c, const HbmTensor<i32, Chip, m<A, W>>& of) {
          return of.to_dm<Cluster, Rows, m<W>>(c.tdma).relabel<Chip, Cluster, m<K.pad(256)>, m<W>>().to_hbm<m<K, W>>(c.tdma);
        },
        ctx, in);
    try {
      (void)undefined.get().to_host<m<K, W>>(ctx.pdma);
      ADD_FAILURE() << name_of(each) << ": slices 8 to 31 hold nothing";
    } catch (const Refused& refused) {
      EXPECT_STREQ(refused.refusal().code, "exec-undefined-result") << name_of(each);
    }
  }
}

TEST(ChipRows, CHIP_11_and_15_from_cluster_to_cluster) {
  expect_unchanged(
      [](Context& c, const Hbm& x) {
        return x.to_dm<Cluster, Rows, m<B, W>>(c.tdma)
            .to_dm<Second, m<B.pad(256)>, m<A, W>>(c.tdma)
            .to_dm<m<A / 4>, m<(A % 4).pad(256)>, m<B, W>>(c.tdma)
            .to_hbm<m<A, B, W>>(c.tdma);
      },
      [](Context& c, const dyn::Tensor& x) {
        Mapping const second = e.pad_left(1).resize(2);
        auto const there = x.to_dm(c.tdma, second, a.pad(256), dyn::map(b, w));
        auto const passed = dyn::main(c).begin(there).fetch(ScalarType::i32, b, w).collect(b, w).commit(dyn::map(b, w));
        return passed.to_dm(c.tdma, idle, a.pad(256), dyn::map(b, w)).to_hbm(c.tdma, dyn::map(a, b, w));
      });
}

TEST(ChipRows, CHIP_24_rows_by_byte_offsets_and_the_first_of_them) {
  using Table = HbmTensor<i32, Chip, m<A, W>>;
  using Index = HbmTensor<i32, Chip, m<B>>;
  auto const table = numbered<i32, m<A, W>>();
  HostTensor<i32, m<B>> positions, offsets;
  constexpr int picked[] = {5, 0, 7, 2};
  for (std::size_t i = 0; i < 4; ++i) {
    positions[i] = i32::from_bits(static_cast<std::uint32_t>(picked[i]));
    offsets[i] = i32::from_bits(static_cast<std::uint32_t>(picked[i] * 32));
  }
  auto const expect_rows = [&](const auto& out, std::int64_t count, const char* what) {
    for (std::int64_t i = 0; i < count * 8; ++i)
      ASSERT_EQ(out[static_cast<std::size_t>(i)].bits, table[static_cast<std::size_t>(picked[i / 8] * 8 + i % 8)].bits) << what << " " << i;
  };
  for (BackendKind each : backends) {
    auto ctx = on(each);
    auto const rows = table.to_hbm<Chip, m<A, W>>(ctx.pdma);
    auto const by_number = positions.to_hbm<Chip, m<B>>(ctx.pdma), by_byte = offsets.to_hbm<Chip, m<B>>(ctx.pdma);
    auto const bytes = [](Context& c, const Table& t, const Index& i) {
      return t.gather_to_dm<A, Cluster, Idle, m<B, W>>(c.tdma, by_byte_offsets(i)).template to_hbm<m<B, W>>(c.tdma);
    };
    expect_rows(launch(bytes, ctx, rows, by_byte).get().to_host<m<B, W>>(ctx.pdma), 4, name_of(each));
    // The number of rows comes with the launch, and the others are never read.
    auto const first = [](Context& c, const dyn::Tensor& t, const dyn::Tensor& i, std::int64_t count) {
      auto const all = t.gather_to_hbm(c.tdma, "A", dyn::by_byte_offsets(i).first(count), dyn::map(b, w));
      return all.tile(b, count, 0).reshape(dyn::map(dyn::axis("R", count).pad(4), w)).to_hbm(c.tdma, dyn::map(dyn::axis("R", count), w));
    };
    for (std::int64_t count = 1; count < 4; ++count) {
      auto const out = launch(first, ctx, dyn::Tensor::of(rows), dyn::Tensor::of(by_byte), count).get();
      auto const host = out.to_host(ctx.pdma, dyn::map(dyn::axis("R", count), w));
      expect_rows(std::vector<i32>(host.data<i32>(), host.data<i32>() + count * 8), count, name_of(each));
    }
    try {
      (void)launch(bytes, ctx, rows, by_number).get().to_host<m<B, W>>(ctx.pdma);
      ADD_FAILURE() << name_of(each) << ": 5 is no offset of a row";
    } catch (const Refused& refused) {
      EXPECT_STREQ(refused.refusal().code, "exec-no-such-row") << name_of(each);
    }
  }
}

TEST(ChipRows, CHIP_08_a_load_ends_in_padding_of_its_destination) {
  auto const x = numbered<i8, m<H>>();
  for (BackendKind each : backends) {
    auto ctx = on(each);
    auto const y =
        launch([](Context& c,
                  const HbmTensor<i8, Chip, m<H>>& in) { return in.to_dm<Cluster, Idle, m<H.pad(16)>>(c.tdma).to_hbm<m<H>>(c.tdma); },
               ctx, x.to_hbm<Chip, m<H>>(ctx.pdma))
            .get()
            .to_host<m<H>>(ctx.pdma);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i].bits, x[i].bits) << name_of(each);
  }
}

TEST(ChipRows, CHIP_09_a_memset_of_any_size) {
  for (BackendKind each : backends) {
    auto ctx = on(each);
    auto const y = launch(
                       [](Context& c) {
                         return c.sub.memset<DmTensor<i8, Chip, Cluster, Rows, m<T, H.pad(16)>>>(-77).template to_hbm<m<A, T, H>>(c.tdma);
                       },
                       ctx)
                       .get()
                       .to_host<m<A, T, H>>(ctx.pdma);
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i].to_int(), -77) << name_of(each) << " " << i;
  }
}

TEST(ChipRows, CHIP_10_packets_below_eight_bytes_are_widened) {
  auto const x = numbered<i8, m<A, W>>();
  for (BackendKind each : backends) {
    auto ctx = on(each);
    auto const y = launch(
                       [](Context& c, const HbmTensor<i8, Chip, m<A, W>>& in) {
                         return c.main.begin(in.to_dm<Cluster, Rows, m<W>>(c.tdma).view())
                             .fetch<i32, m<W / 2>, m<W % 2>>()
                             .collect<m<W / 2>, m<(W % 2).pad(8)>>()
                             .commit<m<W>>()
                             .to_hbm<m<A, W>>(c.tdma);
                       },
                       ctx, x.to_hbm<Chip, m<A, W>>(ctx.pdma))
                       .get()
                       .to_host<m<A, W>>(ctx.pdma);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i].to_int(), x[i].to_int()) << name_of(each);
  }
}

TEST(ChipRows, CHIP_14_an_axis_that_neither_operand_has_repeats_the_sums) {
  auto const x = numbered<i8, m<B, K>>();
  auto const y = numbered<i8, m<N, K>>();
  for (BackendKind each : backends) {
    auto ctx = on(each);
    auto const z = launch(
                       [](Context& c, const HbmTensor<i8, Chip, m<B, K>>& in, const HbmTensor<i8, Chip, m<N, K>>& weights) {
                         auto const trf = c.sub.begin(weights.to_dm<Cluster, Idle, m<N, K>>(c.tdma).view())
                                              .fetch<i8, m<N>, m<K>>()
                                              .collect<m<N>, m<K>>()
                                              .to_trf<m<N>, m<K>>(TrfAddress::Full);
                         return c.main.begin(in.to_dm<Cluster, Idle, m<B, K>>(c.tdma).view())
                             .fetch<i8, m<B>, m<K>>()
                             .collect<m<B>, m<K>>()
                             .align<m<B, D>, m<K.pad(64)>>(trf)
                             .contract<m<1>>()
                             .accumulate<m<B, D>, m<N>>(AccumulationKind::Interleaved)
                             .commit<m<B, D, N>>()
                             .to_hbm<m<B, D, N>>(c.tdma);
                       },
                       ctx, x.to_hbm<Chip, m<B, K>>(ctx.pdma), y.to_hbm<Chip, m<N, K>>(ctx.pdma))
                       .get()
                       .to_host<m<B, D, N>>(ctx.pdma);
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t d = 0; d < 3; ++d)
        for (std::size_t n = 0; n < 8; ++n) {
          int sum = 0;
          for (std::size_t k = 0; k < 32; ++k) sum += x[i * 32 + k].to_int() * y[n * 32 + k].to_int();
          ASSERT_EQ(z[(i * 3 + d) * 8 + n].to_int(), sum) << name_of(each);
        }
  }
}

}  // namespace
}  // namespace tcp
