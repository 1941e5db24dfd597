// RMS norm and layer norm against a loop on the host.
#include "kernels/rowwise/norms.hpp"
#include "host_rows.hpp"

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

}  // namespace
}  // namespace tcp
