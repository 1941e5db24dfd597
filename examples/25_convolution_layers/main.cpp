// Convolutions of any size, as layers of a network have them: strides, dilations and padding are numbers that the program reads when it runs. Images are plain before
// and after, so that one layer takes what another has made, in one launch.
#include <tcp/kernels/conv/conv.hpp>

#include <cstdio>
#include <tcp/tcp.hpp>

using namespace tcp;

dyn::HostTensor drawn(Random& random, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
  dyn::HostTensor t(ScalarType::bf16, dyn::map(dyn::axis("N", a), dyn::axis("K", b), dyn::axis("Y", c), dyn::axis("X", d)));
  for (std::size_t i = 0; i < t.size(); ++i) t.data<bf16>()[i] = bf16::from_double(static_cast<double>(random.between(-16, 16)) / 8);
  return t;
}

// A direct loop. All numbers are multiples of 1/8 and small, so every sum is exact, whatever its order.
float expected(const kernels::ConvSizes& s, const bf16* image, const bf16* filter, std::int64_t h, std::int64_t w) {
  float sum = 0;
  for (std::int64_t k = 0; k < s.channels; ++k)
    for (std::int64_t i = 0; i < s.filter_rows; ++i)
      for (std::int64_t j = 0; j < s.filter_columns; ++j) {
        std::int64_t const row = s.stride * h + s.dilation * i - s.padding, column = s.stride * w + s.dilation * j - s.padding;
        if (row < 0 || row >= s.rows || column < 0 || column >= s.columns) continue;
        sum +=
            image[(k * s.rows + row) * s.columns + column].to_float() * filter[(k * s.filter_rows + i) * s.filter_columns + j].to_float();
      }
  return sum;
}

// How many elements of y are not what the loop says.
int wrong_in(const dyn::HostTensor& y, const kernels::Conv2d& conv, const dyn::HostTensor& image, const dyn::HostTensor& filter) {
  kernels::ConvSizes const& s = conv.sizes();
  int wrong = 0;
  for (std::int64_t n = 0; n < s.images; ++n)
    for (std::int64_t c = 0; c < s.filters; ++c)
      for (std::int64_t h = 0; h < conv.rows(); ++h)
        for (std::int64_t w = 0; w < conv.columns(); ++w) {
          float const sum = expected(s, image.data<bf16>() + n * s.channels * s.rows * s.columns,
                                     filter.data<bf16>() + c * s.channels * s.filter_rows * s.filter_columns, h, w);
          wrong += y.data<bf16>()[((n * s.filters + c) * conv.rows() + h) * conv.columns() + w] != bf16::from_float(sum);
        }
  return wrong;
}

int check(const char* name, const kernels::ConvSizes& s) {
  auto ctx = Context::acquire();
  Random random(25);
  kernels::Conv2d const conv(rngd, s);
  auto const image = drawn(random, s.images, s.channels, s.rows, s.columns);
  auto const filter = drawn(random, s.filters, s.channels, s.filter_rows, s.filter_columns);
  auto const image_hbm = image.to_hbm(ctx.pdma, dyn::one, conv.image_layout());
  auto const filter_hbm = conv.filter(filter).to_hbm(ctx.pdma, dyn::one, conv.filter_layout());
  auto const y = launch(conv, ctx, image_hbm, filter_hbm).get().to_host(ctx.pdma, conv.host_layout());

  int const wrong = wrong_in(y, conv, image, filter);
  kernels::ConvTiling const& t = conv.tiling();
  std::printf("%s: %d x %d, in %d blocks of %d rows, %d packets per row, rings of %d; %d wrong of %d\n", name,
              static_cast<int>(conv.rows()), static_cast<int>(conv.columns()), static_cast<int>(t.blocks), static_cast<int>(t.block_rows),
              static_cast<int>(t.packets), static_cast<int>(t.ring), wrong, static_cast<int>(y.size()));
  return wrong;
}

// Two layers of 3 x 3 in one launch. The second one's loop begins with what the device says the first one made.
int check_two(const kernels::ConvSizes& first, const kernels::ConvSizes& second) {
  auto ctx = Context::acquire();
  Random random(26);
  kernels::Conv2d const one(rngd, first), two(rngd, second);
  auto const image = drawn(random, first.images, first.channels, first.rows, first.columns);
  auto const f = drawn(random, first.filters, first.channels, first.filter_rows, first.filter_columns);
  auto const g = drawn(random, second.filters, second.channels, second.filter_rows, second.filter_columns);
  auto const x = image.to_hbm(ctx.pdma, dyn::one, one.image_layout());
  auto const f_hbm = one.filter(f).to_hbm(ctx.pdma, dyn::one, one.filter_layout());
  auto const g_hbm = two.filter(g).to_hbm(ctx.pdma, dyn::one, two.filter_layout());

  auto const both = [&](Context& c, const dyn::Tensor& in, const dyn::Tensor& weights, const dyn::Tensor& more) {
    return two(c, one(c, in, weights), more);
  };
  auto const middle = launch(one, ctx, x, f_hbm).get().to_host(ctx.pdma, one.host_layout());
  auto const y = launch(both, ctx, x, f_hbm, g_hbm).get().to_host(ctx.pdma, two.host_layout());
  int const wrong = wrong_in(middle, one, image, f) + wrong_in(y, two, middle, g);
  std::printf("3 x 3 and 3 x 3 in one launch: %d wrong of %d\n", wrong, static_cast<int>(middle.size() + y.size()));
  return wrong;
}

int main() try {
  kernels::ConvSizes layer{.images = 2, .channels = 3, .filters = 16, .rows = 40, .columns = 50, .filter_rows = 7, .filter_columns = 7};
  layer.stride = 2;
  layer.padding = 3;
  int wrong = check("7 x 7, stride 2", layer);
  layer = {.images = 2, .channels = 16, .filters = 24, .rows = 14, .columns = 14, .filter_rows = 3, .filter_columns = 3, .padding = 1};
  wrong += check("3 x 3", layer);
  layer.dilation = 2;
  layer.padding = 2;
  wrong += check("3 x 3, dilation 2", layer);
  layer.stride = 2;
  wrong += check("3 x 3, both", layer);
  layer.filter_rows = layer.filter_columns = layer.dilation = 1;
  layer.padding = 0;
  wrong += check("1 x 1, stride 2", layer);
  layer = {.images = 2, .channels = 4, .filters = 8, .rows = 14, .columns = 14, .filter_rows = 3, .filter_columns = 3, .padding = 1};
  kernels::ConvSizes next = layer;
  next.channels = layer.filters;
  wrong += check_two(layer, next);
  return wrong == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
