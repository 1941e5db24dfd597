// Uploads and downloads are commands that the backends run: on each of them what comes to HBM, and back, is what a loop over the elements says; they keep the order of
// the host's calls, and a trace has them beside the kernel.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "recorder.hpp"
#include "tcp/dsl/dynamic.hpp"
#include "tcp/runtime/launch.hpp"
#include "tcp/scalar/packing.hpp"
#include "tcp/tcp.hpp"
#include "tcp/trace/trace.hpp"

namespace tcp {
namespace {

using build::code_of;
using dyn::map;

TCP_AXES(A = 8, B = 12, C = 5, D = 2);

template <class Do>
void on_each_backend(Do&& what) {
  for (BackendKind backend : backends) {
    SCOPED_TRACE(name_of(backend));
    ContextOptions options;
    options.backend = backend;
    auto ctx = Context::acquire(options);
    what(ctx);
  }
}
template <class T>
std::int64_t number(T x) {
  return x.to_int();
}

// To HBM and back: element by element, by independent arithmetic over the axes.

template <class T>
HostTensor<T, m<A, B>> numbered() {
  HostTensor<T, m<A, B>> t;
  for (std::size_t i = 0; i < t.size(); ++i) t[i] = T::from_bits(static_cast<std::uint32_t>(i * 37 + 11));
  return t;
}
TEST(HostTransfer, pairs_of_four_bit_numbers_move_together) {
  on_each_backend([](Context& ctx) {
    auto const t = numbered<i4>();
    auto const back = t.to_hbm<m<A / 4>, m<B / 2, A % 4, B % 2>>(ctx.pdma, 0).to_host<m<B / 2, A, B % 2>>(ctx.pdma);
    for (std::size_t a = 0; a < 8; ++a)
      for (std::size_t b = 0; b < 12; ++b) EXPECT_EQ(back[b / 2 * 16 + a * 2 + b % 2].bits, t[a * 12 + b].bits);
  });
}
template <class T>
void keeps_elements(Context& ctx) {
  auto const t = numbered<T>();
  auto const same = t.template to_hbm<m<1>, m<A, B>>(ctx.pdma, 0).template to_host<m<A, B>>(ctx.pdma);
  auto const turned = t.template to_hbm<m<1>, m<B, A>>(ctx.pdma, 0);
  auto const host_turned = turned.template to_host<m<B, A>>(ctx.pdma);
  auto const back = turned.template to_host<m<B / 4, A, B % 4>>(ctx.pdma);
  for (std::size_t a = 0; a < 8; ++a)
    for (std::size_t b = 0; b < 12; ++b) {
      auto const x = t[a * 12 + b].bits;
      EXPECT_EQ(same[a * 12 + b].bits, x);
      EXPECT_EQ(host_turned[b * 8 + a].bits, x);
      EXPECT_EQ(back[b / 4 * 32 + a * 4 + b % 4].bits, x);
    }
}
TEST(HostTransfer, other_layouts_keep_every_element_of_every_type) {
  on_each_backend([](Context& ctx) {
    keeps_elements<i8>(ctx);
    keeps_elements<i16>(ctx);
    keeps_elements<i32>(ctx);
    keeps_elements<f8e4m3>(ctx);
    keeps_elements<f8e5m2>(ctx);
    keeps_elements<bf16>(ctx);
    keeps_elements<f16>(ctx);
    keeps_elements<f32>(ctx);
  });
}
TEST(HostTransfer, four_bit_numbers_lie_two_in_a_byte_lower_first) {
  on_each_backend([](Context& ctx) {
    auto const t = HostTensor<i4, m<A>>::from(std::vector<int>{1, 2, 3, 4, 5, 6, 7, -8});
    auto const hbm = t.to_hbm<m<1>, m<A>>(ctx.pdma, 0);
    auto const image = detail::image_of(*ctx.session()->contents_of(*detail::node_of(hbm), {}));
    ASSERT_EQ(image->size(), 4u);
    EXPECT_EQ((*image)[0], std::byte{0x21});
    EXPECT_EQ((*image)[3], std::byte{0x87});
  });
}
TEST(HostTransfer, each_chip_has_its_part) {
  on_each_backend([](Context& ctx) {
    auto const t = numbered<i32>();
    auto const hbm = t.to_hbm<m<A / 2>, m<A % 2, B>>(ctx.pdma, 4096);
    auto const image = detail::image_of(*ctx.session()->contents_of(*detail::node_of(hbm), {}));
    ASSERT_EQ(image->size(), 96u * 4);
    std::uint32_t word = 0;
    std::memcpy(&word, image->data() + (3 * 24 + 1 * 12 + 5) * 4, 4);  // chip 3, A % 2 = 1, B = 5
    EXPECT_EQ(word, t.at(index(A.at(7), B.at(5))).bits);
    auto const back = hbm.to_host<m<B, A>>(ctx.pdma);
    EXPECT_EQ(back.at(index(A.at(7), B.at(5))).bits, word);
  });
}
TEST(HostTransfer, four_bit_numbers_on_two_chips) {
  on_each_backend([](Context& ctx) {
    auto const t = HostTensor<i4, m<D, C.pad(6)>>::from(std::vector<int>{0, 1, 2, 3, 4, 9 - 16, 5, 6, 7, -8, -7, 1});
    auto const hbm = t.to_hbm<m<D>, m<C.pad(6)>>(ctx.pdma, 0);
    auto const image = detail::image_of(*ctx.session()->contents_of(*detail::node_of(hbm), {}));
    ASSERT_EQ(image->size(), 6u);
    EXPECT_EQ((*image)[2], std::byte{0x04});  // beside the fifth is padding
    EXPECT_EQ((*image)[3], std::byte{0x65});
    auto const back = hbm.to_host<m<D, C.pad(6)>>(ctx.pdma);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(back[i].bits, i % 6 == 5 ? 0 : t[i].bits) << i;
  });
}
TEST(HostTransfer, padding_goes_and_comes_as_zero) {
  on_each_backend([](Context& ctx) {
    Random random(5);
    auto const t = HostTensor<i8, m<C.pad(8), A>>::rand(random);  // its padding is random, too
    auto const hbm = t.to_hbm<m<1>, m<C.pad(8), A>>(ctx.pdma, 0);
    auto const image = detail::image_of(*ctx.session()->contents_of(*detail::node_of(hbm), {}));
    for (std::size_t i = 40; i < 64; ++i) EXPECT_EQ((*image)[i], std::byte{0}) << i;
    auto const back = hbm.to_host<m<A, C.pad(6)>>(ctx.pdma);
    for (std::size_t a = 0; a < 8; ++a)
      for (std::size_t c = 0; c < 6; ++c) EXPECT_EQ(back[a * 6 + c].bits, c < 5 ? t[c * 8 + a].bits : 0) << a << c;
  });
}
TEST(HostTransfer, broadcast_on_the_way) {
  on_each_backend([](Context& ctx) {
    auto const t = HostTensor<i32, m<A>>::from(std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8});
    auto const back = t.to_hbm<m<1>, m<D, A>>(ctx.pdma, 0).to_host<m<A, D>>(ctx.pdma);
    for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(number(back[i]), static_cast<int>(i / 2 + 1));
  });
}
TEST(HostTransfer, the_type_on_the_left_decides) {
  on_each_backend([](Context& ctx) {
    auto const t = numbered<i32>();
    HbmTensor<i32, m<A>, m<B>> const on_chips = t.to_hbm(ctx.pdma, 0);
    HbmTensor<i32, m<1>, m<B, A>> const placed = t.to_hbm(ctx.pdma);
    EXPECT_EQ((placed.to_host<m<A, B>>(ctx.pdma)[13].bits), t[13].bits);
    EXPECT_EQ((on_chips.to_host(ctx.pdma, m<A, B>{})[13].bits), t[13].bits);
  });
}

// Places in HBM.

TEST(Hbm, tensors_without_an_address_do_not_meet) {
  on_each_backend([](Context& ctx) {
    std::vector<HbmTensor<i32, m<1>, m<A, B>>> all;
    for (int i = 0; i < 10; ++i) all.push_back(HostTensor<i32, m<A, B>>::full(i32::from_int(i)).to_hbm<m<1>, m<A, B>>(ctx.pdma));
    all.erase(all.begin() + 4);  // its bytes are free again
    all.push_back(HostTensor<i32, m<A, B>>::full(i32::from_int(10)).to_hbm<m<1>, m<A, B>>(ctx.pdma));
    int const expected[] = {0, 1, 2, 3, 5, 6, 7, 8, 9, 10};
    for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ((number(all[i].to_host<m<A, B>>(ctx.pdma)[95])), expected[i]);
    EXPECT_EQ(detail::node_of(all[9])->place.begin.value, 4 * 512);
  });
}
TEST(Hbm, a_tensor_that_was_overwritten_is_lost_and_says_so) {
  on_each_backend([](Context& ctx) {
    auto const a = numbered<i32>().to_hbm<m<1>, m<A, B>>(ctx.pdma, 0);
    auto const beside = numbered<i32>().to_hbm<m<1>, m<A, B>>(ctx.pdma, 384);
    auto const over = numbered<i32>().to_hbm<m<1>, m<A, B>>(ctx.pdma, 128);
    EXPECT_EQ(code_of([&] { (void)a.to_host<m<A, B>>(ctx.pdma); }), "dsl-tensor-overwritten");
    EXPECT_EQ(code_of([&] { (void)beside.to_host<m<A, B>>(ctx.pdma); }), "dsl-tensor-overwritten");
    EXPECT_EQ(code_of([&] { (void)over.to_host<m<A, B>>(ctx.pdma); }), "accepted");
    EXPECT_EQ(code_of([&] { (void)launch([&](Context& c) { return a.to_hbm<m<A, B>>(c.tdma, 4096); }, ctx).get(); }),
              "dsl-tensor-overwritten");
  });
}
TEST(Hbm, an_address_outside_of_it_is_refused) {
  on_each_backend([](Context& ctx) {
    EXPECT_NE(code_of([&] { (void)numbered<i32>().to_hbm<m<1>, m<A, B>>(ctx.pdma, -4); }), "accepted");
    EXPECT_NE(code_of([&] { (void)numbered<i32>().to_hbm<m<1>, m<A, B>>(ctx.pdma, 48LL << 30); }), "accepted");
    EXPECT_EQ(code_of([&] { (void)numbered<i32>().to_hbm<m<1>, m<A, B>>(ctx.pdma, (48LL << 30) - 384); }), "accepted");
  });
}

// Any layout against any other: every index in turn, found on both sides by what mappings mean.

/// Every combination of coordinates of the axes of both levels.
template <class Visit>
void each_index(const Levels& levels, Visit&& visit) {
  std::vector<std::pair<Name, std::int64_t>> axes;
  for (Level level : {Level::chip, Level::element}) {
    const Mapping& m = levels[level];
    for (int i = 0; i < m.axes; ++i) {
      bool known = false;
      for (const auto& axis : axes) known |= axis.first == m.axis[i].name;
      if (!known) axes.emplace_back(m.axis[i].name, m.axis[i].extent);
    }
  }
  std::int64_t all = 1;
  for (const auto& axis : axes) all *= axis.second;
  for (std::int64_t i = 0; i < all; ++i) {
    Index index;
    std::int64_t rest = i;
    for (const auto& [name, size] : axes) {
      index.add(name, rest % size);
      rest /= size;
    }
    visit(index);
  }
}
Levels levels_of(const Mapping& chip, const Mapping& element) {
  Levels levels;
  return levels.set(Level::chip, chip).set(Level::element, element);
}

struct Way {
  Mapping host, chip, hbm, back;
};

template <class T>
void goes_and_comes(const Way& way) {
  on_each_backend([&](Context& ctx) {
    dyn::HostTensor given(T::type, way.host);
    // Places of a window, and padding, get numbers of their own, too.
    for (std::size_t i = 0; i < given.size(); ++i) given.data<T>()[i] = T::from_bits(static_cast<std::uint32_t>(i * 37 + 11));
    auto const there = given.to_hbm(ctx.pdma, way.chip, way.hbm);
    auto const back = there.to_host(ctx.pdma, way.back);
    const T* const returned_elements = back.template data<T>();
    auto const image = detail::image_of(*ctx.session()->contents_of(*there.node(), {}));
    Levels const host = levels_of(dyn::one, way.host), hbm = levels_of(way.chip, way.hbm), again = levels_of(dyn::one, way.back);
    auto const bytes = static_cast<std::int64_t>(image->size()) / way.chip.size;
    std::vector<bool> held(static_cast<std::size_t>(way.chip.size * way.hbm.size), false), returned(back.size(), false);
    int wrong = 0, elements = 0;
    each_index(hbm, [&](const Index& index) {
      Place from, to, end;
      if (!find_place(hbm, index, to)) return;
      ++elements;
      ASSERT_TRUE(find_place(host, index, from) && find_place(again, index, end));
      std::uint32_t const wanted = given.data<T>()[from.element].bits;
      held[static_cast<std::size_t>(to.chip * way.hbm.size + to.element)] = true;
      returned[static_cast<std::size_t>(end.element)] = true;
      wrong += load_scalar_bits(image->data() + to.chip * bytes, T::type, to.element) != wanted;
      wrong += returned_elements[end.element].bits != wanted;
    });
    EXPECT_GT(elements, 0);
    EXPECT_EQ(wrong, 0);
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(held.size()); ++i) {
      bool const zero = load_scalar_bits(image->data() + i / way.hbm.size * bytes, T::type, i % way.hbm.size) == 0;
      EXPECT_TRUE(held[static_cast<std::size_t>(i)] || zero) << "padding at " << i;
    }
    for (std::size_t i = 0; i < returned.size(); ++i)
      EXPECT_TRUE(returned[i] || returned_elements[i].bits == 0) << "padding that came back at " << i;
  });
}

Mapping const a = dyn::axis("A", 8), b = dyn::axis("B", 12), c = dyn::axis("C", 5), d = dyn::axis("D", 2), w = dyn::axis("W", 5),
              f = dyn::axis("F", 4);
Mapping window() {
  Slide const members[] = {{w, 3}, {f, 1}};
  return slide_over(members);
}

TEST(HostTransfer, padding_of_every_kind_on_either_side) {
  goes_and_comes<i8>({map(c.pad(8), a), dyn::one, map(c.pad(8), a), map(a, c)});
  goes_and_comes<i8>({map(c.pad_zero(8), a), dyn::one, map(c.pad(8), a), map(a, c.pad(7))});
  goes_and_comes<i8>({map(c.pad(8), a), dyn::one, map(c.pad_zero(8), a), map(a, c)});
  goes_and_comes<i8>({map(a, c.pad(8)), dyn::one, map(a, c.pad_zero(8)), map(a, c.pad(8))});
  goes_and_comes<i32>({map(a, c), dyn::one, map(c.pad_zero(6), a.pad_zero(16)), map(c, a)});
  goes_and_comes<bf16>({map(a, c.pad_bottom(8)), dyn::one, map(a, c.pad_bottom(6)), map(a, c.pad_bottom(8))});
  goes_and_comes<i16>({map(c, a), dyn::one, map(c.pad(6) / 2, a, c.pad(6) % 2), map(c, a)});
}
TEST(HostTransfer, several_chips) {
  goes_and_comes<i32>({map(a, b), a / 2, map(b, a % 2), map(b, a)});
  goes_and_comes<i8>({map(a, c), d, map(c, a), map(d, a, c)});  // each chip has all of it
  goes_and_comes<f32>({map(b, a), a.pad(8) / 4, map(b.pad(16), a % 4), map(a, b)});
  goes_and_comes<i16>({map(c, a), c.pad(8), map(a), map(a, c)});  // chips that have nothing
}
TEST(HostTransfer, axes_that_the_source_lacks_are_repeated) {
  goes_and_comes<i32>({a, dyn::one, map(d, a), map(a, d)});
  goes_and_comes<i8>({a, dyn::one, map(a, d, c), map(c, a, d)});
  goes_and_comes<f8e4m3>({dyn::one, dyn::one, map(a, c.pad(8)), map(a, c)});
}
TEST(HostTransfer, windows_stay_or_are_unfolded) {
  goes_and_comes<i32>({map(c, window()), dyn::one, map(c, window()), map(c, w, f)});
  goes_and_comes<i32>({map(c, window()), dyn::one, map(w, c, f), map(c, w, f)});
  goes_and_comes<i8>({map(c, window()), c.pad(8), window(), map(f, c, w)});
  goes_and_comes<i16>({map(window(), a), dyn::one, map(a, window()), map(window(), a)});
}
TEST(HostTransfer, elements_that_share_a_byte) {
  goes_and_comes<i4>({map(a, b), dyn::one, map(a, b), map(a, b)});
  goes_and_comes<i4>({map(a, b), dyn::one, map(b / 2, a, b % 2), map(a, b)});
  goes_and_comes<i4>({map(a, c.pad(6)), a / 4, map(a % 4, c.pad(6)), map(a, c.pad(6))});
  goes_and_comes<i4>({map(a, c.pad(6)), dyn::one, map(a, c.pad_zero(8)), map(a, c.pad(6))});
  goes_and_comes<f4e2m1>({map(a), d, map(c, a), map(d, c, a)});
}
TEST(HostTransfer, types_that_have_no_form_in_memory_are_refused) {
  auto ctx = Context::acquire();
  for (ScalarType type : {ScalarType::i5, ScalarType::i9})
    EXPECT_EQ(code_of([&] { (void)dyn::HostTensor(type, a).to_hbm(ctx.pdma, dyn::one, a); }), "dma-type-not-in-memory");
}

// The order of the host's calls.

using Hbm = HbmTensor<i32, m<1>, m<A, B>>;
Hbm moved(Context& ctx, const Hbm& in) { return in.to_hbm<m<A, B>>(ctx.tdma, 1 << 20); }

TEST(HostTransfer, the_order_of_the_calls_decides_what_a_kernel_reads) {
  on_each_backend([](Context& ctx) {
    auto const full = [](int n) { return HostTensor<i32, m<A, B>>::full(i32::from_int(n)); };
    std::vector<Launch<Hbm>> launched;
    std::vector<HostTensor<i32, m<A, B>>> back;
    for (int i = 0; i < 4; ++i) {
      auto const x = full(i).to_hbm<m<1>, m<A, B>>(ctx.pdma, 0);  // over the bytes of the one before
      launched.push_back(launch(moved, ctx, x));
      if (i % 2 == 1) back.push_back(launched.back().get().to_host<m<A, B>>(ctx.pdma));
    }
    ASSERT_EQ(back.size(), 2u);
    EXPECT_EQ(number(back[0][95]), 1);
    EXPECT_EQ(number(back[1][0]), 3);
    EXPECT_EQ(code_of([&] { (void)launched[2].get().to_host<m<A, B>>(ctx.pdma); }), "dsl-tensor-overwritten");
  });
}
TEST(HostTransfer, an_upload_takes_the_elements_as_they_are_when_it_is_called) {
  on_each_backend([](Context& ctx) {
    auto host = HostTensor<i32, m<A, B>>::full(i32::from_int(1));
    auto const x = host.to_hbm<m<1>, m<A, B>>(ctx.pdma);
    for (i32& each : host) each = i32::from_int(2);
    EXPECT_EQ((number(x.to_host<m<A, B>>(ctx.pdma)[50])), 1);
  });
}
TEST(HostTransfer, a_download_does_not_change_the_tensor) {
  on_each_backend([](Context& ctx) {
    auto const x = HostTensor<i32, m<A, B>>::full(i32::from_int(7)).to_hbm<m<1>, m<A, B>>(ctx.pdma);
    auto first = x.to_host<m<A, B>>(ctx.pdma);
    for (i32& each : first) each = i32::from_int(0);
    EXPECT_EQ((number(x.to_host<m<A, B>>(ctx.pdma)[95])), 7);
  });
}

// Traces.

void keep(void* user, const trace::Trace& t) { static_cast<std::vector<trace::Trace>*>(user)->push_back(t); }

TEST(HostTransfer, a_trace_has_what_was_moved_before_the_kernel_outside_its_makespan) {
  for (const char* model : {"book", "planned", "calibrated", "detailed"}) {
    SCOPED_TRACE(model);
    std::vector<trace::Trace> seen;
    ContextOptions options;
    options.backend = BackendKind::device;
    options.model = model;
    options.trace_user = &seen;
    options.on_trace = keep;
    {
      auto ctx = Context::acquire(options);
      auto const host = HostTensor<i32, m<A, B>>();
      auto const first = host.to_hbm<m<1>, m<A, B>>(ctx.pdma, 0);
      auto const second = host.to_hbm<m<1>, m<B, A>>(ctx.pdma, 4096);
      auto const made = launch(moved, ctx, first).get();
      auto const back = made.to_host<m<A, B>>(ctx.pdma);
      EXPECT_EQ(back.size(), 96u);
      (void)launch(moved, ctx, first).get();
      (void)launch(moved, ctx, first).get();
    }
    ASSERT_EQ(seen.size(), 3u);
    ASSERT_EQ(seen[0].host_transfers.size(), 2u);
    const trace::HostTransfer &up = seen[0].host_transfers[0], &turned = seen[0].host_transfers[1];
    EXPECT_EQ(up.direction, "upload");
    EXPECT_EQ(up.tensor, "first");
    EXPECT_EQ(up.bytes.value, 96 * 4);
    EXPECT_GT(up.cycles.value, 0);
    EXPECT_EQ(turned.tensor, "second");
    EXPECT_GT(turned.cycles, up.cycles);  // element by element
    ASSERT_NE(up.source, trace::none);
    EXPECT_NE(seen[0].sources[static_cast<std::size_t>(up.source)].text.find("auto const first = host.to_hbm"), std::string::npos);
    ASSERT_EQ(seen[1].host_transfers.size(), 1u);
    EXPECT_EQ(seen[1].host_transfers[0].direction, "download");
    EXPECT_EQ(seen[1].host_transfers[0].tensor, "made");
    EXPECT_TRUE(seen[2].host_transfers.empty());
    // The kernel takes as long as one with nothing before it, and is the same in everything else.
    seen[0].host_transfers.clear();
    seen[0].sources = seen[2].sources;
    EXPECT_EQ(seen[0], seen[2]);
  }
}

}  // namespace
}  // namespace tcp
