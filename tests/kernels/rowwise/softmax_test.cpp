// Softmax against a host loop that adds in the chip's order: equal to the last bit.
#include "kernels/rowwise/softmax/softmax.hpp"

#include "host_rows.hpp"

namespace tcp {
namespace {

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

}  // namespace
}  // namespace tcp
