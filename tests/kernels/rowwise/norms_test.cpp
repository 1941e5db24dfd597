// RMS norm, layer norm and softmax against a loop on the host.
#include "kernels/rowwise/norms.hpp"

#include "host_rows.hpp"
#include "kernels/rowwise/softmax/softmax.hpp"

namespace tcp {
namespace {

constexpr float epsilon = 1e-5f;

host::Matrix expected(const host::Matrix& x, const host::Matrix& weight, const kernels::RowSpread& s) {
  host::Matrix y(x.rows, x.columns);
  using host::flushed;
  for (std::int64_t r = 0; r < x.rows; ++r) {
    std::vector<float> squares = x.row(r);
    for (float& each : squares) each = flushed(each * each);
    float const sum = host::folded(squares, s, host::add);
    float const scale = 1.0f / std::sqrt(std::fma(sum, 1.0f / static_cast<float>(x.columns), epsilon));
    for (std::int64_t c = 0; c < x.columns; ++c) y.at(r, c) = flushed(flushed(x.at(r, c) * scale) * weight.at(0, c));
  }
  return y;
}

void expect_right(BackendKind backend, const host::Matrix& x, const host::Matrix& weight) {
  host::expect_no_refusal(x, backend, [&] {
    kernels::RmsNorm const norm(rngd, x.rows, x.columns, epsilon);
    auto const y =
        host::run(backend, {x, weight}, [&](Context& ctx, const std::vector<dyn::Tensor>& in) { return norm(ctx, in[0], in[1]); });
    EXPECT_EQ(host::different(y, expected(x.flushed(), weight.flushed(), norm.spread())), 0) << text_of(norm.spread());
  });
}
void expect_right(BackendKind backend, const host::Size& s) {
  Random random(static_cast<std::uint64_t>(s.rows * 100'003 + s.columns));
  host::Matrix const x(s.rows, s.columns, random), weight(1, s.columns, random);
  expect_right(backend, x, weight);
}

TEST(RmsNorm, LLM_04_rows_of_every_kind) {
  for (host::Size s : host::all_kinds) expect_right(BackendKind::vector, s);
}
TEST(RmsNorm, random_sizes) {
  host::for_random_sizes(4, [](const host::Size& s) { expect_right(BackendKind::vector, s); });
}
TEST(RmsNorm, the_same_on_every_backend) {
  for (BackendKind backend : {BackendKind::reference, BackendKind::device})
    for (host::Size s : host::small_kinds) expect_right(backend, s);
}
TEST(RmsNorm, numbers_that_are_none) {
  Random random(5);
  host::Matrix x(6, 300, random);
  host::Matrix const weight(1, 300, random);
  x.at(0, 17) = NAN;
  x.at(1, 299) = INFINITY;
  x.at(2, 0) = -INFINITY;
  for (std::int64_t c = 0; c < 300; ++c) x.at(3, c) = c % 2 == 0 ? 0.0f : -0.0f;
  for (std::int64_t c = 0; c < 300; ++c) x.at(4, c) = host::rounded(1e30f);  // whose square is none
  for (BackendKind backend : host::backends) expect_right(backend, x, weight);
}

TEST(RmsNorm, numbers_at_the_edges_of_their_format) {
  Random random(6);
  for (std::int64_t columns : {1, 37, 2100}) {
    host::Matrix const x = host::at_the_edges(columns, random);
    host::Matrix weight(1, columns, random);
    weight.at(0, columns / 3) = host::of_bf16(0x8001);
    for (BackendKind backend : host::backends)
      if (columns < 2000 || backend == BackendKind::vector) expect_right(backend, x, weight);
  }
}
TEST(RmsNorm, sizes_that_are_none) {
  for (host::Size s : {host::Size{0, 5}, {5, 0}, {-1, 5}, {5, -1}})
    EXPECT_EQ(build::code_of([&] { kernels::RmsNorm(rngd, s.rows, s.columns, epsilon); }), "kernel-rows-size");
}

program::Program program_of(const host::Size& s) {
  kernels::RmsNorm const norm(rngd, s.rows, s.columns, epsilon);
  return host::program_of(s, 1, [&](Context& ctx, const std::vector<dyn::Tensor>& in) {
    return norm(ctx, in[0], dyn::Tensor::hbm_at(std::int64_t{1} << 34, ScalarType::bf16, dyn::one, norm.column_layout()));
  });
}
TEST(RmsNorm, every_size_is_a_program) { host::expect_programs(7, program_of); }
TEST(RmsNorm, is_near_its_bound) {
  for (host::Size s : {host::Size{4096, 8192}, {4096, 28'672}, {2048, 4096}})
    EXPECT_LE(host::ratio_to_bound(program_of(s), kernels::RmsNorm(rngd, s.rows, s.columns, epsilon).work()), 1.3)
        << s.rows << " x " << s.columns;
}

/// Rows over two chips, and the weight on both.
TEST(RmsNorm, each_chip_does_its_own_rows) {
  constexpr std::int64_t rows = 3, columns = 2050;
  auto ctx = Context::acquire(ContextOptions{.chips = 2});
  Mapping const chip = dyn::axis("K", 2), row = dyn::axis("T", rows), column = dyn::axis("H", columns);
  Random random(8);
  host::Matrix const x(2 * rows, columns, random), weight(1, columns, random);
  auto const host_tensor = [](const host::Matrix& m, const Mapping& elements) {
    dyn::HostTensor t(ScalarType::bf16, elements);
    for (std::size_t i = 0; i < m.value.size(); ++i) t.data<bf16>()[i] = bf16::from_bits(host::to_bf16(m.value[i]));
    return t;
  };
  kernels::RmsNorm const norm(rngd, rows, columns, epsilon);
  auto const x_hbm =
      host_tensor(x, dyn::map(chip, row, column)).to_hbm(ctx.pdma, chip, kernels::rows_layout(rngd, ScalarType::bf16, row, column));
  auto const weight_hbm =
      host_tensor(weight, column).to_hbm(ctx.pdma, dyn::map(2), kernels::rows_layout(rngd, ScalarType::bf16, dyn::one, column));
  auto const y = launch<2>(norm, ctx, x_hbm, weight_hbm).get().to_host(ctx.pdma, dyn::map(chip, norm.row(), norm.column()));
  host::Matrix const right = expected(x, weight, norm.spread());
  for (std::size_t i = 0; i < right.value.size(); ++i) ASSERT_EQ(y.data<bf16>()[i].bits, host::to_bf16(right.value[i])) << i;
}

// Layer normalisation against a host loop that adds in the chip's order: equal to the last bit.

namespace layernorm {

constexpr float epsilon = 1e-5f;

host::Matrix expected(const host::Matrix& x, const host::Matrix& weight, const host::Matrix& bias, const kernels::RowSpread& s) {
  host::Matrix y(x.rows, x.columns);
  float const share = 1.0f / static_cast<float>(x.columns);
  using host::flushed;
  for (std::int64_t r = 0; r < x.rows; ++r) {
    float const mean = flushed(host::folded(x.row(r), s, host::add) * share);
    std::vector<float> squares = x.row(r);
    for (float& each : squares) each = flushed(flushed(each - mean) * flushed(each - mean));
    float const scale = 1.0f / std::sqrt(std::fma(host::folded(squares, s, host::add), share, epsilon));
    for (std::int64_t c = 0; c < x.columns; ++c)
      y.at(r, c) = flushed(flushed(flushed(flushed(x.at(r, c) - mean) * scale) * weight.at(0, c)) + bias.at(0, c));
  }
  return y;
}

void expect_right(BackendKind backend, const host::Matrix& x, const host::Matrix& weight, const host::Matrix& bias) {
  host::expect_no_refusal(x, backend, [&] {
    kernels::LayerNorm const norm(rngd, x.rows, x.columns, epsilon);
    auto const y = host::run(backend, {x, weight, bias},
                             [&](Context& ctx, const std::vector<dyn::Tensor>& in) { return norm(ctx, in[0], in[1], in[2]); });
    EXPECT_EQ(host::different(y, expected(x.flushed(), weight.flushed(), bias.flushed(), norm.spread())), 0) << text_of(norm.spread());
  });
}
void expect_right(BackendKind backend, const host::Size& s) {
  Random random(static_cast<std::uint64_t>(s.rows * 100'003 + s.columns));
  host::Matrix const x(s.rows, s.columns, random), weight(1, s.columns, random), bias(1, s.columns, random);
  expect_right(backend, x, weight, bias);
}

TEST(LayerNorm, rows_of_every_kind) {
  for (host::Size s : host::all_kinds) expect_right(BackendKind::vector, s);
}
TEST(LayerNorm, random_sizes) {
  host::for_random_sizes(14, [](const host::Size& s) { expect_right(BackendKind::vector, s); });
}
TEST(LayerNorm, the_same_on_every_backend) {
  for (BackendKind backend : {BackendKind::reference, BackendKind::device})
    for (host::Size s : host::small_kinds) expect_right(backend, s);
}
TEST(LayerNorm, numbers_that_are_none) {
  Random random(15);
  host::Matrix x(5, 300, random);
  host::Matrix const weight(1, 300, random), bias(1, 300, random);
  x.at(0, 17) = NAN;
  x.at(1, 299) = INFINITY;
  for (std::int64_t c = 0; c < 300; ++c) x.at(2, c) = 3;  // no variance: the bias remains
  for (std::int64_t c = 0; c < 300; ++c) x.at(3, c) = host::rounded(x.at(3, c) + 1024);
  for (BackendKind backend : host::backends) expect_right(backend, x, weight, bias);
}

TEST(LayerNorm, numbers_at_the_edges_of_their_format) {
  Random random(16);
  for (std::int64_t columns : {1, 37, 2100}) {
    host::Matrix const x = host::at_the_edges(columns, random);
    host::Matrix weight(1, columns, random), bias(1, columns, random);
    weight.at(0, columns / 3) = host::of_bf16(0x8001);
    bias.at(0, columns / 2) = host::of_bf16(0x8001);
    for (BackendKind backend : host::backends)
      if (columns < 2000 || backend == BackendKind::vector) expect_right(backend, x, weight, bias);
  }
}
TEST(LayerNorm, sizes_that_are_none) {
  for (host::Size s : {host::Size{0, 5}, {5, 0}, {-1, 5}, {5, -1}})
    EXPECT_EQ(build::code_of([&] { kernels::LayerNorm(rngd, s.rows, s.columns, epsilon); }), "kernel-rows-size");
}

program::Program program_of(const host::Size& s) {
  kernels::LayerNorm const norm(rngd, s.rows, s.columns, epsilon);
  return host::program_of(s, 1, [&](Context& ctx, const std::vector<dyn::Tensor>& in) {
    auto const vector = [&](std::int64_t address) {
      return dyn::Tensor::hbm_at(address, ScalarType::bf16, dyn::one, norm.column_layout());
    };
    return norm(ctx, in[0], vector(std::int64_t{1} << 34), vector(std::int64_t{1} << 35));
  });
}
TEST(LayerNorm, every_size_is_a_program) { host::expect_programs(17, program_of); }
TEST(LayerNorm, is_near_its_bound) {
  for (host::Size s : {host::Size{4096, 8192}, {4096, 4096}})
    EXPECT_LE(host::ratio_to_bound(program_of(s), kernels::LayerNorm(rngd, s.rows, s.columns, epsilon).work()), 1.3)
        << s.rows << " x " << s.columns;
}

}  // namespace layernorm

namespace softmax_of_rows {

/// Rounded to f32, subnormals to zero.
float exponential(float x) {
  auto const e = static_cast<float>(std::exp(double{x}));
  return e < 1.17549435e-38f ? 0.0f : e;  // NaN is not
}

host::Matrix expected(const host::Matrix& x, const kernels::RowSpread& s) {
  host::Matrix y(x.rows, x.columns);
  for (std::int64_t r = 0; r < x.rows; ++r) {
    float const greatest = host::folded(x.row(r), s, host::greater);
    std::vector<float> e = x.row(r);
    for (float& each : e) each = exponential(host::flushed(each - greatest));
    float const sum = host::folded(e, s, host::add);
    for (std::int64_t c = 0; c < x.columns; ++c) y.at(r, c) = e[static_cast<std::size_t>(c)] / sum;
  }
  return y;
}

std::vector<std::uint32_t> softmax(BackendKind backend, const host::Matrix& x) {
  kernels::Softmax const kernel(rngd, x.rows, x.columns);
  return host::run(backend, {x}, [&](Context& ctx, const std::vector<dyn::Tensor>& in) { return kernel(ctx, in[0]); });
}
void expect_right(BackendKind backend, const host::Matrix& x) {
  host::expect_no_refusal(x, backend, [&] {
    kernels::RowSpread const s = kernels::Softmax(rngd, x.rows, x.columns).spread();
    EXPECT_EQ(host::different(softmax(backend, x), expected(x.flushed(), s)), 0) << text_of(s);
  });
}
void expect_right(BackendKind backend, const host::Size& s) {
  Random random(static_cast<std::uint64_t>(s.rows * 100'003 + s.columns));
  expect_right(backend, host::Matrix(s.rows, s.columns, random));
}

TEST(Softmax, LLM_15_rows_of_every_kind) {
  for (host::Size s : host::all_kinds) expect_right(BackendKind::vector, s);
}
TEST(Softmax, random_sizes) {
  host::for_random_sizes(24, [](const host::Size& s) { expect_right(BackendKind::vector, s); });
}
TEST(Softmax, the_same_on_every_backend) {
  for (BackendKind backend : {BackendKind::reference, BackendKind::device})
    for (host::Size s : host::small_kinds) expect_right(backend, s);
}
TEST(Softmax, large_and_small_numbers) {
  Random random(25);
  host::Matrix x(3, 1025, random);
  for (float& each : x.value) each *= 32;  // most exponentials are no normal numbers
  for (BackendKind backend : host::backends) expect_right(backend, x);
}

constexpr std::uint32_t one = 0x3f80, half = 0x3f00, quarter = 0x3e80, zero = 0, nan = 0x7fc0;

TEST(Softmax, of_one_element_is_one) {
  host::Matrix x(3, 1);
  x.value = {5, -300, 0};
  for (BackendKind backend : host::backends) EXPECT_EQ(softmax(backend, x), (std::vector<std::uint32_t>{one, one, one}));
}
TEST(Softmax, of_equal_elements_is_equal) {
  host::Matrix x(2, 4);
  x.value = {7, 7, 7, 7, -3e38f, -3e38f, -3e38f, -3e38f};
  for (BackendKind backend : host::backends) EXPECT_EQ(softmax(backend, x), std::vector<std::uint32_t>(8, quarter));
}
TEST(Softmax, infinities_and_nan) {
  host::Matrix x(4, 4);
  x.value = {-INFINITY, 1,         1,         -INFINITY,  // masked
             -INFINITY, -INFINITY, -INFINITY, -INFINITY,  // nothing left
             0,         INFINITY,  0,         0,          //
             0,         NAN,       0,         0};
  std::vector<std::uint32_t> right{zero, half, half, zero};
  right.resize(16, nan);
  for (BackendKind backend : host::backends) EXPECT_EQ(softmax(backend, x), right) << name_of(backend);
}
TEST(Softmax, masked_columns_over_several_slices) {
  Random random(26);
  host::Matrix x(2, 3001, random);
  for (std::int64_t c = 1000; c < 3001; ++c) x.at(0, c) = -INFINITY;
  for (std::int64_t c = 0; c < 2990; ++c) x.at(1, c) = -INFINITY;
  for (BackendKind backend : host::backends) expect_right(backend, x);
}

TEST(Softmax, numbers_at_the_edges_of_their_format) {
  Random random(28);
  for (std::int64_t columns : {1, 37, 2100}) {
    host::Matrix const x = host::at_the_edges(columns, random);
    for (BackendKind backend : host::backends)
      if (columns < 2000 || backend == BackendKind::vector) expect_right(backend, x);
  }
}
TEST(Softmax, sizes_that_are_none) {
  for (host::Size s : {host::Size{0, 5}, {5, 0}, {-1, 5}, {5, -1}})
    EXPECT_EQ(build::code_of([&] { kernels::Softmax(rngd, s.rows, s.columns); }), "kernel-rows-size");
}

program::Program program_of(const host::Size& s) {
  kernels::Softmax const kernel(rngd, s.rows, s.columns);
  return host::program_of(s, 1, [&](Context& ctx, const std::vector<dyn::Tensor>& in) { return kernel(ctx, in[0]); });
}
TEST(Softmax, every_size_is_a_program) { host::expect_programs(27, program_of); }
TEST(Softmax, is_near_its_bound) {
  for (host::Size s : {host::Size{4096, 8192}, {4096, 4096}})
    EXPECT_LE(host::ratio_to_bound(program_of(s), kernels::Softmax(rngd, s.rows, s.columns).work()), 1.3) << s.rows << " x " << s.columns;
}

}  // namespace softmax_of_rows

}  // namespace
}  // namespace tcp
