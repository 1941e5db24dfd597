// Kernels of row formulas against formula::evaluate, in the kernel's order of sums, and against the kernels of the library that compute the same.
#include "kernels/rowwise/formula/row_formula.hpp"

#include <string>

#include "host_rows.hpp"
#include "kernels/rowwise/softmax/softmax.hpp"
#include "tcp/formula/parse.hpp"

namespace tcp {
namespace {

constexpr const char* softmax = "c[m] = max[n] x[m,n]; s[m] = sum[n] exp(x[m,n] - c[m]); y[m,n] = exp(x[m,n] - c[m]) / s[m]";

/// `m` are rows, all others columns.
formula::Formula sized(const std::string& text, const host::Size& s) {
  formula::Formula f = value_or_throw(formula::parse(text));
  std::vector<formula::NamedAxis> sizes;
  for (const formula::NamedAxis& a : f.axes) sizes.push_back({a.name, a.name == "m" ? s.rows : s.columns});
  return value_or_throw(formula::with_sizes(std::move(f), sizes));
}
std::uint32_t upper_half(float f) {
  std::uint32_t w;
  std::memcpy(&w, &f, sizeof w);
  return w >> 16;
}
formula::Elements elements(const host::Matrix& m, bool matrix) {
  formula::Elements e{ScalarType::bf16, matrix ? std::vector{m.rows, m.columns} : std::vector{m.columns}, {}};
  for (float f : m.value) e.bits.push_back(upper_half(f));
  return e;
}

/// Law: the kernel has the bits of its formula, in the order of sums that it says.
void expect_right(const std::string& text, const host::Size& s, std::initializer_list<BackendKind> backends) {
  SCOPED_TRACE(text);
  Random random(static_cast<std::uint64_t>(s.rows * 100'003 + s.columns));
  host::expect_no_refusal(host::Matrix(s.rows, s.columns), BackendKind::vector, [&] {
    kernels::RowFormula const kernel(rngd, sized(text, s));
    std::vector<host::Matrix> in;
    std::vector<formula::Elements> plain;
    for (int t : kernel.inputs()) {
      bool const matrix = kernel.layout_of(t) == kernel.layout();
      in.emplace_back(matrix || s.rows == 1 ? s.rows : 1, s.columns, random);
      plain.push_back(elements(in.back(), kernel.formula().tensors[static_cast<std::size_t>(t)].extent.size() == 2));
    }
    formula::Elements const wanted = value_or_throw(formula::evaluate(kernel.formula(), plain, kernel.order()));
    for (BackendKind backend : backends)
      EXPECT_EQ(host::run(backend, in, [&](Context& ctx, const std::vector<dyn::Tensor>& t) { return kernel(ctx, t); }), wanted.bits)
          << name_of(backend) << '\n'
          << text_of(kernel.spread());
  });
}

constexpr const char* formulas[] = {
    softmax,
    // RMS norm and layer norm.
    "s[m] = sum[n] x[m,n] * x[m,n]; y[m,n] = x[m,n] * (1 / sqrt(s[m] * 0.001 + 0.00001)) * w[n]",
    "a[m] = (sum[n] x[m,n]) * 0.01; v[m] = sum[k] (x[m,k] - a[m]) * (x[m,k] - a[m]); "
    "y[m,n] = (x[m,n] - a[m]) * (1 / sqrt(v[m] * 0.01 + 0.00001)) * w[n] + b[n]",
    // Within one statement, and of two matrices.
    "y[m,n] = x[m,n] * z[m,n] - (max[k] relu(x[m,k]) * w[k])",
    "y[m,n] = gelu(x[m,n] + z[m,n]) / (1 + sum[k] silu(z[m,k])) + 1",
    // Several passes: one adder, one exponent, limits in the middle.
    "y[m,n] = exp(min(max(exp(x[m,n] + w[n]) - 0.5, -1), 1)) + b[n] - 2",
    "g[m,n] = sigmoid(x[m,n]) * x[m,n]; s[m] = sum[n] g[m,n] * g[m,n]; y[m,n] = -g[m,n] * min(s[m], 3)",
    "y[m,n] = 2 - x[m,n]",
    "s[m] = sum[n] x[m,n]; y[m,n] = fma(fma(2, x[m,n], b[n]), s[m], 0.5) * fma(z[m,n], 2, s[m])",
};

TEST(RowFormula, has_the_bits_of_its_formula) {
  for (const char* text : formulas) {
    for (host::Size s : {host::Size{5, 40}, host::Size{70, 300}, host::Size{3, 2049}, host::Size{600, 64}})
      expect_right(text, s, {BackendKind::vector});
    expect_right(text, {7, 33}, {BackendKind::reference, BackendKind::device});
    expect_right(text, {2, 1030}, {BackendKind::reference, BackendKind::device});
  }
}

/// The softmax of the library is this formula, command for command.
TEST(RowFormula, makes_the_softmax_of_the_library) {
  for (host::Size s : {host::Size{1, 8192}, host::Size{64, 4096}, host::Size{1030, 520}, host::Size{5, 2}}) {
    kernels::RowFormula const made(rngd, sized(softmax, s));
    kernels::Softmax const library(rngd, s.rows, s.columns);
    EXPECT_EQ(text_of(made.spread()), text_of(library.spread()));
    EXPECT_EQ(made.passes(), 3);
    auto const cycles = [&](const host::Kernel& kernel) {
      return value_or_throw(plan(host::program_of(s, 1, kernel), rngd)).schedule.makespan.value;
    };
    EXPECT_EQ(cycles([&](Context& ctx, const std::vector<dyn::Tensor>& in) { return made(ctx, in); }),
              cycles([&](Context& ctx, const std::vector<dyn::Tensor>& in) { return library(ctx, in[0]); }));
  }
}

}  // namespace
}  // namespace tcp
