// Convolutions against a direct loop over the image, added in the chip's order: equal to the last bit.
#include "kernels/conv/conv.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/lowered.hpp"
#include "kernels/nightly.hpp"
#include "recorder.hpp"
#include "tcp/runtime/launch.hpp"
#include "tcp/runtime/plan.hpp"
#include "tcp/support/random.hpp"

namespace tcp {
namespace {

float of_bf16(std::uint32_t bits) {
  std::uint32_t const w = bits << 16;
  float f;
  std::memcpy(&f, &w, sizeof f);
  return f;
}
/// The chip has no subnormals: zeros of their sign are in their place, of operands and of results.
float flushed(float f) { return std::fpclassify(f) == FP_SUBNORMAL ? std::copysign(0.0f, f) : f; }
/// To the nearest, ties to even; one NaN.
std::uint32_t to_bf16(float f) {
  if (std::isnan(f)) return 0x7fc0;
  std::uint32_t w;
  std::memcpy(&w, &f, sizeof w);
  std::uint32_t const rounded = (w + 0x7fff + ((w >> 16) & 1)) >> 16;
  return (rounded & 0x7f80) == 0 ? rounded & 0x8000 : rounded;
}

/// Four coordinates, the last one the fastest.
struct Image {
  std::int64_t a, b, c, d;
  std::vector<float> value;

  Image(std::int64_t n0, std::int64_t n1, std::int64_t n2, std::int64_t n3)
      : a(n0), b(n1), c(n2), d(n3), value(static_cast<std::size_t>(n0 * n1 * n2 * n3)) {}
  Image(std::int64_t n0, std::int64_t n1, std::int64_t n2, std::int64_t n3, Random& random) : Image(n0, n1, n2, n3) {
    for (float& each : value) {
      auto const bits = static_cast<std::uint32_t>(random.next());
      each = of_bf16((bits & 0x807f) | (124 + (bits >> 16) % 6) << 7);
    }
  }
  std::size_t place(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t l) const {
    return static_cast<std::size_t>(((i * b + j) * c + k) * d + l);
  }
  float at(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t l) const { return value[place(i, j, k, l)]; }
  /// Zero outside.
  float around(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t l) const {
    return k < 0 || k >= c || l < 0 || l >= d ? 0 : at(i, j, k, l);
  }
  dyn::HostTensor host() const {
    dyn::HostTensor t(ScalarType::bf16, dyn::map(dyn::axis("N", a), dyn::axis("K", b), dyn::axis("Y", c), dyn::axis("X", d)));
    for (std::size_t i = 0; i < value.size(); ++i) {  // numbers of bf16, subnormals among them
      std::uint32_t w;
      std::memcpy(&w, &value[i], sizeof w);
      t.data<bf16>()[i] = bf16::from_bits(w >> 16);
    }
    return t;
  }
};

/// One result: `together` neighbouring weights, these over channels, rows and columns of the filter, parts of the channels one after the other.
float expected(const kernels::Conv2d& conv, const Image& x, const Image& f, std::int64_t n, std::int64_t c, std::int64_t h,
               std::int64_t w) {
  kernels::ConvSizes const& s = conv.sizes();
  kernels::ConvTiling const& t = conv.tiling();
  float total = 0;
  for (std::int64_t k0 = 0; k0 < s.channels; k0 += t.part_channels) {
    float sum = 0;
    bool first = true;
    for (std::int64_t k = k0; k < std::min(k0 + t.part_channels, s.channels); ++k)
      for (std::int64_t i = 0; i < s.filter_rows; ++i)
        for (std::int64_t j = 0; j < s.filter_columns; j += t.together) {
          float packet = 0;
          for (std::int64_t m = 0; m < t.together; ++m) {
            std::int64_t const row = s.stride * h + s.dilation * i - s.padding, column = s.stride * w + s.dilation * (j + m) - s.padding;
            float const product = flushed(flushed(x.around(n, k, row, column)) * flushed(f.at(c, k, i, j + m)));
            packet = m == 0 ? product : flushed(packet + product);
          }
          sum = first ? packet : flushed(sum + packet);
          first = false;
        }
    total = k0 == 0 ? sum : flushed(total + sum);
  }
  return total;
}

int wrong_in(const dyn::HostTensor& y, const kernels::Conv2d& conv, const Image& x, const Image& f) {
  kernels::ConvSizes const& s = conv.sizes();
  int bad = 0;
  for (std::int64_t n = 0; n < s.images; ++n)
    for (std::int64_t c = 0; c < s.filters; ++c)
      for (std::int64_t h = 0; h < conv.rows(); ++h)
        for (std::int64_t w = 0; w < conv.columns(); ++w) {
          std::int64_t const place = ((n * s.filters + c) * conv.rows() + h) * conv.columns() + w;
          float const sum = expected(conv, x, f, n, c, h, w);
          // A sum of zeros may be a negative one here: zeros that fill up channels are added there.
          bad += y.data<bf16>()[place].bits != to_bf16(sum) && !(sum == 0 && y.data<bf16>()[place].to_float() == 0);
        }
  return bad;
}

int wrong(BackendKind backend, const kernels::Conv2d& conv, const Image& x, const Image& f) {
  ContextOptions options;
  options.backend = backend;
  auto ctx = Context::acquire(options);
  auto const image = x.host().to_hbm(ctx.pdma, dyn::one, conv.image_layout());
  auto const filter = conv.filter(f.host()).to_hbm(ctx.pdma, dyn::one, conv.filter_layout());
  auto const y = launch(conv, ctx, image, filter).get().to_host(ctx.pdma, conv.host_layout());
  return wrong_in(y, conv, x, f);
}

std::string text_of(const kernels::ConvSizes& s) {
  auto const n = [](std::int64_t v) { return std::to_string(v); };
  return n(s.images) + " images of " + n(s.channels) + " x " + n(s.rows) + " x " + n(s.columns) + ", " + n(s.filters) + " filters of " +
         n(s.filter_rows) + " x " + n(s.filter_columns) + ", stride " + n(s.stride) + ", dilation " + n(s.dilation) + ", padding " +
         n(s.padding);
}

void expect_right(BackendKind backend, const kernels::ConvSizes& s) {
  SCOPED_TRACE(text_of(s) + " on " + name_of(backend));
  Random random(static_cast<std::uint64_t>(s.rows * 10'007 + s.columns * 101 + s.channels));
  Image const x(s.images, s.channels, s.rows, s.columns, random), f(s.filters, s.channels, s.filter_rows, s.filter_columns, random);
  try {
    EXPECT_EQ(wrong(backend, kernels::Conv2d(rngd, s), x, f), 0);
  } catch (const Refused& r) {
    ADD_FAILURE() << r.what();
  }
}

/// Strides and dilations with filters of several shapes.
std::vector<kernels::ConvSizes> every_kind() {
  std::vector<kernels::ConvSizes> all;
  for (std::int64_t stride : {1, 2})
    for (std::int64_t dilation : {1, 2})
      for (std::int64_t filter : {1, 2, 3, 5})
        all.push_back({.images = 2,
                       .channels = 3,
                       .filters = 10,
                       .rows = 11,
                       .columns = 13,
                       .filter_rows = filter,
                       .filter_columns = filter,
                       .stride = stride,
                       .dilation = dilation,
                       .padding = filter / 2});
  return all;
}

TEST(Conv2d, strides_and_dilations) {
  for (const kernels::ConvSizes& s : every_kind()) expect_right(BackendKind::vector, s);
}
TEST(Conv2d, the_same_on_every_backend) {
  for (BackendKind backend : {BackendKind::reference, BackendKind::device})
    for (kernels::ConvSizes s : every_kind()) {
      s.images = 1;
      s.rows = 7;
      expect_right(backend, s);
    }
}
TEST(Conv2d, wide_images) {
  expect_right(BackendKind::vector,
               {.images = 1, .channels = 2, .filters = 9, .rows = 20, .columns = 100, .filter_rows = 3, .filter_columns = 3, .padding = 1});
  expect_right(BackendKind::vector, {.images = 1,
                                     .channels = 3,
                                     .filters = 8,
                                     .rows = 30,
                                     .columns = 90,
                                     .filter_rows = 7,
                                     .filter_columns = 7,
                                     .stride = 2,
                                     .padding = 3});
}
TEST(Conv2d, several_steps) {
  kernels::ConvSizes const s{.images = 37, .channels = 1, .filters = 500, .rows = 4, .columns = 3, .filter_rows = 2, .filter_columns = 2};
  kernels::ConvTiling const t = kernels::Conv2d(rngd, s).tiling();
  EXPECT_NE(s.images % t.step_images, 0);  // the last one does some images again
  EXPECT_GT(s.images, t.step_images);
  expect_right(BackendKind::vector, s);
  expect_right(BackendKind::device, s);
}
TEST(Conv2d, parts_of_the_channels_are_added) {
  for (kernels::ConvSizes s :
       {kernels::ConvSizes{.channels = 500, .filters = 4, .rows = 4, .columns = 9, .filter_rows = 3, .filter_columns = 3, .padding = 1},
        {.channels = 520, .filters = 5, .rows = 3, .columns = 5, .filter_rows = 2, .filter_columns = 3, .stride = 2}}) {
    EXPECT_GT(kernels::Conv2d(rngd, s).tiling().parts, 1);
    expect_right(BackendKind::vector, s);
    expect_right(BackendKind::device, s);
  }
}
/// What a layer makes, as a host would see it.
Image made_by(const kernels::Conv2d& conv, const Image& x, const Image& f) {
  Image y(conv.sizes().images, conv.sizes().filters, conv.rows(), conv.columns());
  for (std::int64_t n = 0; n < y.a; ++n)
    for (std::int64_t c = 0; c < y.b; ++c)
      for (std::int64_t h = 0; h < y.c; ++h)
        for (std::int64_t w = 0; w < y.d; ++w) y.value[y.place(n, c, h, w)] = of_bf16(to_bf16(expected(conv, x, f, n, c, h, w)));
  return y;
}
/// Layers that follow on each other are one program: what one makes, the next one takes, border and all, without the host between them.
void expect_chain(BackendKind backend, const std::vector<kernels::ConvSizes>& sizes) {
  SCOPED_TRACE(text_of(sizes.front()) + " and so on, on " + name_of(backend));
  ContextOptions options;
  options.backend = backend;
  auto ctx = Context::acquire(options);
  Random random(62);
  std::vector<kernels::Conv2d> layers;
  std::vector<Image> images, filters;
  std::vector<dyn::Tensor> weights;
  for (const kernels::ConvSizes& s : sizes) {
    layers.emplace_back(rngd, s);
    if (images.empty()) images.emplace_back(s.images, s.channels, s.rows, s.columns, random);
    filters.emplace_back(s.filters, s.channels, s.filter_rows, s.filter_columns, random);
    weights.push_back(layers.back().filter(filters.back().host()).to_hbm(ctx.pdma, dyn::one, layers.back().filter_layout()));
    images.push_back(made_by(layers.back(), images.back(), filters.back()));
  }
  auto const x = images.front().host().to_hbm(ctx.pdma, dyn::one, layers.front().image_layout());
  auto const all = [&](Context& c, const dyn::Tensor& in, const dyn::Tensor& one, const dyn::Tensor& two, const dyn::Tensor& three) {
    return layers[2](c, layers[1](c, layers[0](c, in, one), two), three);
  };
  try {
    auto const y = launch(all, ctx, x, weights[0], weights[1], weights[2]).get().to_host(ctx.pdma, layers.back().host_layout());
    EXPECT_EQ(wrong_in(y, layers.back(), images[2], filters[2]), 0);
  } catch (const Refused& r) {
    ADD_FAILURE() << r.what();
  }
}
TEST(Conv2d, layers_follow_on_each_other_in_one_launch) {
  std::vector<kernels::ConvSizes> const wide{
      {.images = 2, .channels = 3, .filters = 16, .rows = 9, .columns = 41, .filter_rows = 3, .filter_columns = 3, .padding = 1},
      {.images = 2,
       .channels = 16,
       .filters = 8,
       .rows = 9,
       .columns = 41,
       .filter_rows = 3,
       .filter_columns = 3,
       .stride = 2,
       .padding = 1},
      {.images = 2, .channels = 8, .filters = 24, .rows = 5, .columns = 21}};
  std::vector<kernels::ConvSizes> const small{
      {.channels = 2, .filters = 6, .rows = 7, .columns = 7, .filter_rows = 3, .filter_columns = 3, .padding = 1},
      {.channels = 6, .filters = 9, .rows = 7, .columns = 7},
      {.channels = 9, .filters = 3, .rows = 7, .columns = 7, .filter_rows = 3, .filter_columns = 3, .dilation = 2, .padding = 2}};
  expect_chain(BackendKind::vector, wide);
  expect_chain(BackendKind::device, wide);
  for (BackendKind backend : {BackendKind::vector, BackendKind::reference, BackendKind::device}) expect_chain(backend, small);
}
/// Images come as they lie: in rows without padding, or with more of it than needed.
TEST(Conv2d, rows_of_the_image_may_be_padded_in_any_way) {
  kernels::ConvSizes s{
      .images = 2, .channels = 3, .filters = 4, .rows = 6, .columns = 7, .filter_rows = 3, .filter_columns = 3, .padding = 1};
  for (std::int64_t columns : {7, 8, 12})
    for (std::int64_t padded : {12, 13, 40, 128}) {
      s.columns = columns;
      SCOPED_TRACE(text_of(s) + ", padded to " + std::to_string(padded));
      Random random(63);
      Image const x(s.images, s.channels, s.rows, s.columns, random), f(s.filters, s.channels, s.filter_rows, s.filter_columns, random);
      kernels::Conv2d const conv(rngd, s);
      auto ctx = Context::acquire();
      auto const layout =
          dyn::map(dyn::axis("N", s.images), dyn::axis("K", s.channels), dyn::axis("Y", s.rows), dyn::axis("X", columns).pad(padded));
      auto const image = x.host().to_hbm(ctx.pdma, dyn::one, layout);
      auto const filter = conv.filter(f.host()).to_hbm(ctx.pdma, dyn::one, conv.filter_layout());
      EXPECT_EQ(wrong_in(launch(conv, ctx, image, filter).get().to_host(ctx.pdma, conv.host_layout()), conv, x, f), 0);
    }
}
/// Rows and columns of the result that look at nothing but zeros.
TEST(Conv2d, borders_wider_than_the_filter) {
  for (std::int64_t padding : {3, 4, 5, 9})
    for (BackendKind backend : {BackendKind::vector, BackendKind::device})
      expect_right(backend,
                   {.channels = 2, .filters = 3, .rows = 4, .columns = 5, .filter_rows = 2, .filter_columns = 3, .padding = padding});
}
/// Images of which the slices hold some rows at a time.
TEST(Conv2d, large_images) {
  kernels::ConvSizes const s{.channels = 1, .filters = 8, .rows = 600, .columns = 130, .filter_rows = 3, .filter_columns = 3, .padding = 1};
  kernels::ConvTiling const t = kernels::Conv2d(rngd, s).tiling();
  EXPECT_LT(t.step_blocks, t.blocks);
  expect_right(BackendKind::vector, s);
}
TEST(Conv2d, pointwise_sizes) {
  for (std::int64_t columns : {1, 2, 7, 8, 31, 33, 70})
    expect_right(BackendKind::vector, {.images = 3, .channels = 1 + columns % 5, .filters = 20, .rows = 5, .columns = columns});
  expect_right(BackendKind::vector, {.images = 2, .channels = 4099, .filters = 9, .rows = 2, .columns = 3});  // parts that are filled up
  expect_right(BackendKind::device, {.images = 3, .channels = 6, .filters = 100, .rows = 2, .columns = 9});
}
TEST(Conv2d, of_one_element) {
  for (BackendKind backend : {BackendKind::vector, BackendKind::reference, BackendKind::device}) expect_right(backend, {});
}
TEST(Conv2d, random_sizes) {
  Random random(60);
  for (int i = 0; i < nightly::cases(24); ++i) {
    kernels::ConvSizes s{.images = random.between(1, 3), .channels = random.between(1, 9), .filters = random.between(1, 30)};
    s.filter_rows = random.between(1, 5);
    s.filter_columns = random.between(1, 7);
    s.stride = random.between(1, 2);
    s.dilation = random.between(1, 2);
    s.padding = random.between(0, 6);
    s.rows = s.dilation * (s.filter_rows - 1) + random.between(1, 9);
    s.columns = s.dilation * (s.filter_columns - 1) + random.between(1, 40);
    expect_right(BackendKind::vector, s);
  }
}
TEST(Conv2d, infinities_and_nan_reach_their_neighbours_only) {
  kernels::ConvSizes const s{.channels = 2, .filters = 3, .rows = 6, .columns = 9, .filter_rows = 3, .filter_columns = 3, .padding = 1};
  Random random(61);
  Image x(1, 2, 6, 9, random);
  Image const f(3, 2, 3, 3, random);
  x.value[x.place(0, 0, 1, 1)] = NAN;
  x.value[x.place(0, 1, 4, 7)] = INFINITY;
  for (BackendKind backend : {BackendKind::vector, BackendKind::reference, BackendKind::device})
    EXPECT_EQ(wrong(backend, kernels::Conv2d(rngd, s), x, f), 0) << name_of(backend);
}

TEST(Conv2d, numbers_at_the_edges_of_their_format) {
  Random random(63);
  auto const to_the_edges = [&](Image& image) {
    constexpr std::uint32_t edges[] = {0x0000, 0x8000, 0x0001, 0x807f, 0x0080, 0x8080, 0x1234, 0x7f7f};
    for (float& each : image.value)
      if (random.below(2) == 0) each = of_bf16(edges[random.below(8)]);
  };
  for (kernels::ConvSizes s : every_kind()) {
    s.images = 1;
    s.rows = 7;
    Image x(1, s.channels, s.rows, s.columns, random), f(s.filters, s.channels, s.filter_rows, s.filter_columns, random);
    to_the_edges(x);
    to_the_edges(f);
    x.value[x.place(0, 1, 3, 5)] = -INFINITY;
    for (BackendKind backend : {BackendKind::vector, BackendKind::reference, BackendKind::device})
      EXPECT_EQ(wrong(backend, kernels::Conv2d(rngd, s), x, f), 0) << text_of(s) << " on " << name_of(backend);
  }
}

program::Program program_of(const kernels::ConvSizes& s) {
  kernels::Conv2d const conv(rngd, s);
  ir::Module module = build::module_of([&](Context& ctx) {
    auto const image = dyn::Tensor::hbm_at(0, ScalarType::bf16, dyn::one, conv.image_layout());
    auto const filter = dyn::Tensor::hbm_at(std::int64_t{1} << 34, ScalarType::bf16, dyn::one, conv.filter_layout());
    return conv(ctx, image, filter);
  });
  return build::lowered(std::move(module));
}
double ratio_to_bound(const kernels::ConvSizes& s) {
  auto const timed = value_or_throw(plan(program_of(s), rngd));
  return static_cast<double>(timed.schedule.makespan.value) /
         static_cast<double>(kernels::cycles_of(kernels::Conv2d(rngd, s).work(), rngd).bound().value);
}
/// The layers of a well-known network of 50 layers, for so many images.
std::vector<kernels::ConvSizes> layers(std::int64_t images) {
  std::vector<kernels::ConvSizes> all{
      {.channels = 3, .filters = 64, .rows = 224, .columns = 224, .filter_rows = 7, .filter_columns = 7, .stride = 2, .padding = 3}};
  for (std::int64_t channels = 64, size = 56; channels <= 512; channels *= 2, size /= 2) {
    all.push_back(
        {.channels = channels, .filters = channels, .rows = size, .columns = size, .filter_rows = 3, .filter_columns = 3, .padding = 1});
    all.push_back({.channels = channels, .filters = 4 * channels, .rows = size, .columns = size});
  }
  for (kernels::ConvSizes& s : all) s.images = images;
  return all;
}
TEST(Conv2d, layers_of_networks_are_programs) {
  for (std::int64_t images : {1, 7, 32})
    for (const kernels::ConvSizes& s : layers(images)) EXPECT_EQ(build::code_of([&] { program_of(s); }), "accepted") << text_of(s);
}
/// Blocks share rows, packets are filled up, and every block has its own copy of the weights.
TEST(Conv2d, is_not_too_far_from_its_bound) {
  auto const three_by_three = [](std::int64_t images, std::int64_t channels, std::int64_t size) {
    return kernels::ConvSizes{.images = images,
                              .channels = channels,
                              .filters = channels,
                              .rows = size,
                              .columns = size,
                              .filter_rows = 3,
                              .filter_columns = 3,
                              .padding = 1};
  };
  EXPECT_LE(ratio_to_bound(three_by_three(32, 64, 56)), 2.8);
  EXPECT_LE(ratio_to_bound(three_by_three(32, 128, 28)), 2.2);
  EXPECT_LE(ratio_to_bound(three_by_three(32, 256, 14)), 2);
  EXPECT_LE(ratio_to_bound(three_by_three(1, 64, 56)), 10);
  EXPECT_LE(ratio_to_bound({.images = 32, .channels = 64, .filters = 256, .rows = 56, .columns = 56}), 1.5);
  EXPECT_LE(ratio_to_bound({.images = 32,
                            .channels = 3,
                            .filters = 64,
                            .rows = 224,
                            .columns = 224,
                            .filter_rows = 7,
                            .filter_columns = 7,
                            .stride = 2,
                            .padding = 3}),
            3.3);
}
/// A write of less than a unit of HBM is read first, and slower by far.
TEST(Conv2d, results_are_written_in_whole_units_of_hbm) {
  for (std::int64_t images : {1, 32})
    for (const kernels::ConvSizes& s : layers(images)) {
      kernels::ConvTiling const t = kernels::Conv2d(rngd, s).tiling();
      std::int64_t const together = t.blocks == 1 ? t.filters_of_slice(rngd) : 1;
      EXPECT_EQ(2 * together * t.block_rows * t.row_columns % rngd.hbm.access_bytes.value, 0) << text_of(s);
      EXPECT_EQ(t.blocks * t.block_rows, t.rows.results) << text_of(s);
    }
}
/// Channels that several slices need are loaded once and passed around.
TEST(Conv2d, shares_of_the_channels_are_handed_round) {
  kernels::ConvSizes const s{.channels = 12, .filters = 61, .rows = 3, .columns = 6, .filter_rows = 3, .filter_columns = 3, .padding = 1};
  EXPECT_GT(kernels::Conv2d(rngd, s).tiling().ring, 1);
  for (BackendKind backend : {BackendKind::vector, BackendKind::reference, BackendKind::device}) expect_right(backend, s);
}
TEST(Conv2d, work_is_every_weight_for_every_result) {
  kernels::Work const work =
      kernels::Conv2d(
          rngd, {.images = 2, .channels = 3, .filters = 5, .rows = 8, .columns = 9, .filter_rows = 3, .filter_columns = 2, .stride = 2})
          .work();
  constexpr std::int64_t results = 2 * 5 * 3 * 4;
  EXPECT_EQ(work.multiply_adds, results * 3 * 3 * 2);
  EXPECT_EQ(work.hbm_bytes, 2 * (2 * 3 * 8 * 9 + results + 5 * 3 * 3 * 2));
}
TEST(Conv2d, refuses_what_it_cannot_do) {
  auto const code = [](const kernels::ConvSizes& s) { return build::code_of([&] { kernels::Conv2d(rngd, s); }); };
  EXPECT_EQ(code({.images = 0}), "kernel-conv-size");
  EXPECT_EQ(code({.channels = 0}), "kernel-conv-size");
  EXPECT_EQ(code({.filters = 0}), "kernel-conv-size");
  EXPECT_EQ(code({.padding = -1}), "kernel-conv-size");
  EXPECT_EQ(code({.padding = INT64_MAX}), "kernel-conv-size");
  EXPECT_EQ(code({.rows = INT64_MAX, .columns = INT64_MIN}), "kernel-conv-size");
  EXPECT_EQ(code({.dilation = INT64_MIN}), "kernel-conv-size");
  EXPECT_EQ(code({.rows = 2, .columns = 9, .filter_rows = 3, .filter_columns = 3}), "kernel-conv-size");
  EXPECT_EQ(code({.rows = 4, .columns = 9, .filter_rows = 3, .filter_columns = 3, .dilation = 2}), "kernel-conv-size");
  EXPECT_EQ(code({.rows = 9, .columns = 9, .stride = 3}), "kernel-conv-filter");
  EXPECT_EQ(code({.rows = 9, .columns = 9, .dilation = 0}), "kernel-conv-filter");
  EXPECT_EQ(code({.rows = 9, .columns = 40, .filter_columns = 18}), "kernel-conv-filter");
  EXPECT_EQ(code({.rows = 40, .columns = 40, .filter_rows = 17}), "kernel-conv-filter");
  EXPECT_EQ(code({.filters = 8193, .rows = 9, .columns = 9}), "kernel-conv-weights");
  EXPECT_EQ(code({.channels = 4096, .rows = 9, .columns = 9, .filter_rows = 3, .filter_columns = 3}), "kernel-conv-weights");
}

}  // namespace
}  // namespace tcp
