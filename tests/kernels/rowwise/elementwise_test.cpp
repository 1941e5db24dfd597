// Kernels that work element by element, and how rows are spread over slices.
#include "kernels/rowwise/elementwise.hpp"
#include "host_rows.hpp"
#include "kernels/rowwise/spread/spread.hpp"

namespace tcp {
namespace {

using host::flushed;

float sigmoid(float x) { return flushed(static_cast<float>(1 / (1 + std::exp(-double{x})))); }
float silu(float x, float) { return flushed(x * sigmoid(x)); }
float erf_of(float x) { return flushed(static_cast<float>(std::erf(double{x}))); }
float gelu(float x, float) { return flushed(std::fma(erf_of(flushed(x * 0.70710678f)), 0.5f, 0.5f) * x); }
float swiglu(float gate, float up) { return flushed(silu(gate, 0) * up); }
float geglu(float gate, float up) {
  float const polynomial = flushed(std::fma(flushed(gate * gate), 0.0713548162f, 1.59576912f));
  return flushed(sigmoid(flushed(polynomial * gate)) * flushed(gate * up));
}

struct Function {
  const char* name;
  float (*of)(float, float);
  host::Kernel (*kernel)(const host::Size&);
  std::int64_t matrices;
};
template <kernels::ActivationFunction F>
host::Kernel activation(const host::Size& s) {
  return [kernel = kernels::Activation(rngd, F, s.rows, s.columns)](Context& ctx, const std::vector<dyn::Tensor>& in) {
    return kernel(ctx, in[0]);
  };
}
template <class Of>
host::Kernel of_two(const host::Size& s) {
  return [kernel = Of(rngd, s.rows, s.columns)](Context& ctx, const std::vector<dyn::Tensor>& in) { return kernel(ctx, in[0], in[1]); };
}
constexpr Function functions[] = {{"residual", host::add, of_two<kernels::Residual>, 2},
                                  {"SwiGLU", swiglu, of_two<kernels::SwiGlu>, 2},
                                  {"GeGLU", geglu, of_two<kernels::GeGlu>, 2},
                                  {"SiLU", silu, activation<kernels::ActivationFunction::silu>, 1},
                                  {"GELU", gelu, activation<kernels::ActivationFunction::gelu>, 1}};

void expect_right(BackendKind backend, const Function& f, const host::Matrix& x, const host::Matrix& y) {
  SCOPED_TRACE(f.name);
  host::Matrix expected(x.rows, x.columns);
  for (std::size_t i = 0; i < x.value.size(); ++i) expected.value[i] = f.of(flushed(x.value[i]), flushed(y.value[i]));
  host::expect_no_refusal(x, backend, [&] {
    std::vector<host::Matrix> in{x};
    if (f.matrices == 2) in.push_back(y);
    EXPECT_EQ(host::different(host::run(backend, in, f.kernel({x.rows, x.columns})), expected), 0);
  });
}
void expect_right(BackendKind backend, const host::Size& s) {
  Random random(static_cast<std::uint64_t>(s.rows * 100'003 + s.columns));
  host::Matrix const x(s.rows, s.columns, random), y(s.rows, s.columns, random);
  for (const Function& f : functions) expect_right(backend, f, x, y);
}

TEST(Elementwise, rows_of_every_kind) {
  for (host::Size s : host::all_kinds) expect_right(BackendKind::vector, s);
}
TEST(Elementwise, random_sizes) {
  host::for_random_sizes(34, [](const host::Size& s) { expect_right(BackendKind::vector, s); });
}
TEST(Elementwise, the_same_on_every_backend) {
  for (BackendKind backend : {BackendKind::reference, BackendKind::device})
    for (host::Size s : host::small_kinds) expect_right(backend, s);
}
TEST(Elementwise, infinities_and_nan) {
  host::Matrix x(1, 9), y(1, 9);
  float const large = host::rounded(3e38f);
  x.value = {0, -0.0f, INFINITY, -INFINITY, NAN, large, -large, 100, -100};
  y.value = {-0.0f, -0.0f, -INFINITY, 1, 1, large, large, INFINITY, 2};
  for (BackendKind backend : host::backends)
    for (const Function& f : functions) expect_right(backend, f, x, y);
}
/// All there are, against as many others.
TEST(Elementwise, every_number_of_bf16) {
  host::Matrix x(256, 256), y(256, 256);
  for (std::uint32_t i = 0; i < 65'536; ++i) {
    x.value[i] = host::of_bf16(i);
    y.value[i] = host::of_bf16((i * 40'503 + 7) & 0xffff);
  }
  for (const Function& f : functions) expect_right(BackendKind::vector, f, x, y);
}
TEST(Elementwise, numbers_at_the_edges_of_their_format) {
  Random random(39);
  host::Matrix const x = host::at_the_edges(33, random), y = host::at_the_edges(33, random);
  for (BackendKind backend : host::backends)
    for (const Function& f : functions) expect_right(backend, f, x, y);
}
TEST(Elementwise, sizes_that_are_none) {
  for (host::Size s : {host::Size{0, 5}, {5, 0}, {-1, 5}, {5, -1}})
    for (const Function& f : functions) EXPECT_EQ(build::code_of([&] { f.kernel(s); }), "kernel-rows-size") << f.name;
}
TEST(Elementwise, every_size_is_a_program) {
  for (const Function& f : functions) host::expect_programs(37, [&](const host::Size& s) { return host::program_of(s, 2, f.kernel(s)); });
}
TEST(Elementwise, is_near_its_bound) {
  host::Size const s{4096, 14'336};
  auto const ratio = [&](const Function& f, const kernels::Work& work) {
    return host::ratio_to_bound(host::program_of(s, 2, f.kernel(s)), work);
  };
  EXPECT_LE(ratio(functions[0], kernels::Residual(rngd, s.rows, s.columns).work()), 1.2);
  EXPECT_LE(ratio(functions[1], kernels::SwiGlu(rngd, s.rows, s.columns).work()), 1.2);
  EXPECT_LE(ratio(functions[3], kernels::Activation(rngd, kernels::ActivationFunction::gelu, s.rows, s.columns).work()), 1.2);
}

/// Columns over two chips, as a layer that is split over chips has them.
TEST(Elementwise, each_chip_does_its_own_columns) {
  constexpr std::int64_t rows = 5, columns = 200;
  auto ctx = Context::acquire(ContextOptions{.chips = 2});
  Mapping const chip = dyn::axis("K", 2), row = dyn::axis("T", rows), column = dyn::axis("H", columns);
  Random random(38);
  host::Matrix const gate(2 * rows, columns, random), up(2 * rows, columns, random);
  auto const upload = [&](const host::Matrix& m) {
    dyn::HostTensor t(ScalarType::bf16, dyn::map(chip, row, column));
    for (std::size_t i = 0; i < m.value.size(); ++i) t.data<bf16>()[i] = bf16::from_bits(host::to_bf16(m.value[i]));
    return t.to_hbm(ctx.pdma, chip, kernels::rows_layout(rngd, ScalarType::bf16, row, column));
  };
  kernels::SwiGlu const kernel(rngd, rows, columns);
  auto const y = launch<2>(kernel, ctx, upload(gate), upload(up)).get().to_host(ctx.pdma, dyn::map(chip, kernel.row(), kernel.column()));
  for (std::size_t i = 0; i < gate.value.size(); ++i)
    ASSERT_EQ(y.data<bf16>()[i].bits, host::to_bf16(swiglu(gate.value[i], up.value[i]))) << i;
}

// How rows are laid over slices: every row in some step, nothing beyond what a slice has.

constexpr kernels::RowNeeds needs[] = {
    {}, {.passes = 3, .reduces = true, .vrf_column_bytes = 8, .vrf_row_bytes = 64}, {.column_unit = 96, .most_per_slice = 16}};

void expect_lawful(const host::Size& size, const kernels::RowNeeds& n) {
  kernels::RowSpread const s = value_or_throw(kernels::spread_rows(rngd, size.rows, size.columns, n));
  SCOPED_TRACE(text_of(s));
  EXPECT_GE(s.across * s.share, s.columns);
  EXPECT_LE(s.across, 256);
  EXPECT_EQ(s.across & (s.across - 1), 0);
  EXPECT_LE(s.step_rows, 512 / s.across * s.per_slice);
  EXPECT_LE(s.share * n.vrf_column_bytes + s.per_slice * n.vrf_row_bytes, 8192);
  EXPECT_LE(s.per_slice, n.most_per_slice);
  if (s.across > 1) {
    EXPECT_EQ(s.share * 2 % 256, 0);  // whole units of HBM
    EXPECT_EQ(s.share % n.column_unit, 0);
    EXPECT_EQ(s.columns % s.packet(), 0);
  }
  EXPECT_EQ(s.first_row(0), 0);
  for (std::int64_t step = 1; step < s.steps(); ++step) {
    EXPECT_GT(s.first_row(step), s.first_row(step - 1));
    EXPECT_LE(s.first_row(step), s.first_row(step - 1) + s.step_rows);
  }
  EXPECT_EQ(s.first_row(s.steps() - 1) + s.step_rows, s.rows);
}
TEST(RowSpread, every_row_is_done_and_everything_fits) {
  Random random(40);
  for (int i = 0; i < 300; ++i) {
    auto const any = [&](std::int64_t most) { return std::min(most, random.between(1, std::int64_t{1} << random.between(0, 20))); };
    expect_lawful({any(kernels::most_rows), any(kernels::longest_row)}, needs[i % 3]);
  }
}
TEST(RowSpread, one_row_lies_over_many_slices) {
  auto const s = value_or_throw(kernels::spread_rows(rngd, 1, 8192, needs[1]));
  EXPECT_GE(s.across, 32);
  EXPECT_EQ(s.step_rows, 1);
}
TEST(RowSpread, many_rows_go_in_steps) {
  auto const s = value_or_throw(kernels::spread_rows(rngd, 4096, 4096, needs[0]));
  EXPECT_GE(s.steps(), 2);
  EXPECT_EQ(s.across, 1);
}
TEST(RowSpread, says_what_it_chose) {
  kernels::RowSpread const s{.rows = 7, .columns = 5001, .across = 8, .share = 640, .per_slice = 1, .step_rows = 7};
  EXPECT_EQ(text_of(s),
            "7 x 5001: steps 1, rows of a step 7\n"
            "slices of a row 8, columns of a slice 640\n"
            "rows of a slice 1, columns reduced at once 1\n");
}
TEST(RowSpread, refuses_what_is_no_matrix_and_rows_that_are_too_long) {
  for (host::Size s : {host::Size{0, 1}, {1, 0}, {-1, 5}, {1, kernels::longest_row + 1}, {kernels::most_rows + 1, 1}})
    EXPECT_EQ(build::code_of([&] { value_or_throw(kernels::spread_rows(rngd, s.rows, s.columns, {})); }), "kernel-rows-size");
}
TEST(RowSpread, work_is_every_matrix_once) {
  kernels::Work const work = kernels::work_on_rows({.rows = 10, .columns = 300}, 3);
  EXPECT_EQ(work.hbm_bytes, 3 * 10 * 300 * 2);
  EXPECT_EQ(work.dm_bytes, work.hbm_bytes);
  EXPECT_EQ(work.multiply_adds, 0);
}

}  // namespace
}  // namespace tcp
