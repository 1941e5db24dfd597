// What the tests of row-by-row kernels have in common: bf16 by hand, sums in the chip's order, and kernels run on matrices. The oracles share no code with the
// library; they take from a kernel's spread only which columns lie in which slice.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include "kernels/lowered.hpp"
#include "kernels/rowwise/spread/spread.hpp"
#include "recorder.hpp"
#include "tcp/runtime/launch.hpp"
#include "tcp/runtime/plan.hpp"
#include "tcp/support/random.hpp"

namespace tcp::host {

inline float of_bf16(std::uint32_t bits) {
  std::uint32_t const w = bits << 16;
  float f;
  std::memcpy(&f, &w, sizeof f);
  return f;
}
/// To the nearest, ties to even. No subnormals, one NaN.
inline std::uint32_t to_bf16(float f) {
  if (std::isnan(f)) return 0x7fc0;
  std::uint32_t w;
  std::memcpy(&w, &f, sizeof w);
  std::uint32_t const rounded = (w + 0x7fff + ((w >> 16) & 1)) >> 16;
  return (rounded & 0x7f80) == 0 ? rounded & 0x8000 : rounded;
}

/// The chip has no subnormals: zeros of their sign are in their place, of operands and of results.
inline float flushed(float f) { return std::fpclassify(f) == FP_SUBNORMAL ? std::copysign(0.0f, f) : f; }

/// The next number of bf16.
inline float rounded(float f) { return of_bf16(to_bf16(f)); }

struct Size {
  std::int64_t rows, columns;
};

/// One element; rows of some lanes, of several slices, of columns that divide by nothing; few rows, many rows, several steps.
constexpr Size all_kinds[] = {{1, 1},    {5, 2},     {3, 3},    {700, 5},   {1, 8192}, {2, 28'672}, {1, 28'671},
                              {3, 1026}, {33, 4096}, {2, 5001}, {600, 300}, {64, 130}, {1030, 520}, {9, 2048}};
constexpr Size small_kinds[] = {{1, 1}, {7, 33}, {2, 2049}, {65, 300}, {1, 4096}};

template <class Check>
void for_random_sizes(std::uint64_t seed, const Check& check) {
  Random random(seed);
  for (int i = 0; i < 16; ++i) {
    auto const any = [&](int most) { return random.between(1, std::int64_t{1} << random.between(0, most)); };
    check(Size{any(8), any(12)});
  }
}

/// Rows, one behind the other.
struct Matrix {
  std::int64_t rows = 1, columns = 1;
  std::vector<float> value;

  Matrix(std::int64_t r, std::int64_t c) : rows(r), columns(c), value(static_cast<std::size_t>(r * c)) {}
  /// Numbers of bf16, of size 2^-3 to 2^3.
  Matrix(std::int64_t r, std::int64_t c, Random& random) : Matrix(r, c) {
    for (float& each : value) {
      auto const bits = static_cast<std::uint32_t>(random.next());
      each = of_bf16((bits & 0x807f) | (124 + (bits >> 16) % 6) << 7);
    }
  }
  /// What the chip takes the numbers for.
  Matrix flushed() const {
    Matrix m = *this;
    for (float& each : m.value) each = host::flushed(each);
    return m;
  }
  float& at(std::int64_t r, std::int64_t c) { return value[static_cast<std::size_t>(r * columns + c)]; }
  float at(std::int64_t r, std::int64_t c) const { return value[static_cast<std::size_t>(r * columns + c)]; }
  std::vector<float> row(std::int64_t r) const { return {value.begin() + r * columns, value.begin() + (r + 1) * columns}; }

  dyn::Tensor upload(Context& ctx, const char* row_name = "T", const char* column_name = "H") const {
    Mapping const r = dyn::axis(row_name, rows), c = dyn::axis(column_name, columns);
    dyn::HostTensor t(ScalarType::bf16, dyn::map(r, c));
    for (std::size_t i = 0; i < value.size(); ++i) t.data<bf16>()[i] = bf16::from_bits(upper_half(value[i]));
    return t.to_hbm(ctx.pdma, dyn::one, kernels::rows_layout(rngd, ScalarType::bf16, r, c));
  }

 private:
  /// All of a number of bf16, subnormals and kinds of NaN included.
  static std::uint32_t upper_half(float f) {
    std::uint32_t w;
    std::memcpy(&w, &f, sizeof w);
    return w >> 16;
  }
};

/// Rows of what arithmetic does not like, a kind each: subnormals; zeros of both signs among them; numbers whose squares vanish; numbers whose squares are infinite; one
/// infinity, one of the other sign, both; one NaN; and all of it.
inline Matrix at_the_edges(std::int64_t columns, Random& random) {
  constexpr std::int64_t kinds = 10;
  Matrix m(kinds, columns, random);
  auto const any = [&](std::uint32_t lowest, std::uint32_t highest) {
    return of_bf16(static_cast<std::uint32_t>(random.between(lowest, highest)) | static_cast<std::uint32_t>(random.below(2)) << 15);
  };
  std::int64_t const last = columns - 1;
  for (std::int64_t c = 0; c < columns; ++c) {
    m.at(0, c) = any(0x0001, 0x007f);
    m.at(1, c) = any(0x0000, 0x0003);
    m.at(2, c) = any(0x0080, 0x1000);
    m.at(3, c) = any(0x7000, 0x7f7f);
    m.at(8, c) = any(0x0000, 0x7f7f);
    m.at(9, c) = c % 3 == 0 ? any(0x0000, 0x0100) : m.at(9, c);
  }
  m.at(4, last) = INFINITY;
  m.at(5, 0) = -INFINITY;
  m.at(6, 0) = INFINITY;
  m.at(6, last) = -INFINITY;
  m.at(7, last / 2) = of_bf16(0xff81);
  return m;
}

using Fold = float (*)(float, float);
inline float add(float a, float b) { return flushed(a + b); }
inline float greater(float a, float b) { return std::fmax(a, b); }

/// In each slice four neighbours as two pairs, or as many as come at once, these one after the other; then slice after slice.
inline float folded(const std::vector<float>& x, const kernels::RowSpread& s, Fold op) {
  auto const n = static_cast<std::int64_t>(x.size()), at_once = std::min<std::int64_t>(s.packet(), 4);
  auto const at = [&](std::int64_t i) { return x[static_cast<std::size_t>(i)]; };
  float total = 0;
  for (std::int64_t begin = 0; begin < n; begin += s.share) {
    float sum = 0;
    std::int64_t const end = std::min(begin + s.share, n);
    for (std::int64_t i = begin; i < end; i += at_once) {
      std::int64_t const some = std::min(at_once, end - i);
      float part = some > 1 ? op(at(i), at(i + 1)) : at(i);
      if (some == 3) part = op(part, at(i + 2));
      if (some == 4) part = op(part, op(at(i + 2), at(i + 3)));
      sum = i == begin ? part : op(sum, part);
    }
    total = begin == 0 ? sum : op(total, sum);
  }
  return total;
}

/// What the kernel makes of matrices in HBM, as bits of bf16.
using Kernel = std::function<dyn::Tensor(Context&, const std::vector<dyn::Tensor>&)>;
inline std::vector<std::uint32_t> run(BackendKind backend, const std::vector<Matrix>& in, const Kernel& kernel) {
  ContextOptions options;
  options.backend = backend;
  auto ctx = Context::acquire(options);
  std::vector<dyn::Tensor> tensors;
  for (const Matrix& m : in) tensors.push_back(m.upload(ctx));
  auto const whole = [&kernel](Context& c, const std::vector<dyn::Tensor>& t) { return kernel(c, t); };
  dyn::Tensor const out = launch(whole, ctx, tensors).get();
  Mapping const flat = dyn::map(dyn::axis("R", in[0].rows), dyn::axis("C", in[0].columns));
  auto const y = out.to_host(ctx.pdma, flat);
  std::vector<std::uint32_t> bits;
  for (std::size_t i = 0; i < y.size(); ++i) bits.push_back(y.data<bf16>()[i].bits);
  return bits;
}

inline int different(const std::vector<std::uint32_t>& bits, const Matrix& expected) {
  if (bits.size() != expected.value.size()) return -1;
  int n = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) n += bits[i] != to_bf16(expected.value[i]);
  return n;
}

constexpr BackendKind backends[] = {BackendKind::vector, BackendKind::reference, BackendKind::device};

/// What throws is a failure, with the matrix that it happened to.
template <class Check>
void expect_no_refusal(const Matrix& x, BackendKind backend, const Check& check) {
  SCOPED_TRACE(testing::Message() << x.rows << " rows of " << x.columns << " on " << name_of(backend));
  try {
    check();
  } catch (const Refused& r) {
    ADD_FAILURE() << r.what();
  }
}

/// The kernel over matrices that lie in HBM as rows do, as the chip would be given it.
inline program::Program program_of(const Size& s, std::size_t matrices, const Kernel& kernel) {
  ir::Module module = build::module_of([&](Context& ctx) {
    Mapping const layout = kernels::rows_layout(rngd, ScalarType::bf16, dyn::axis("T", s.rows), dyn::axis("H", s.columns));
    std::vector<dyn::Tensor> in;
    for (std::size_t i = 0; i < matrices; ++i)
      in.push_back(dyn::Tensor::hbm_at(static_cast<std::int64_t>(i) << 32, ScalarType::bf16, dyn::one, layout));
    return kernel(ctx, in);
  });
  return build::lowered(std::move(module));
}
/// Sizes up to those of the largest models; the longest and the shortest rows among them.
template <class ProgramOf>
void expect_programs(std::uint64_t seed, const ProgramOf& program_of_size) {
  Random random(seed);
  std::vector<Size> sizes{{1, 28'672}, {16'384, 1}, {1, 28'671}, {4096, 28'672}};
  for (int i = 0; i < 24; ++i) {
    auto const any = [&](int most) { return random.between(1, std::int64_t{1} << random.between(0, most)); };
    sizes.push_back({any(14), std::min<std::int64_t>(any(15), 28'672)});
  }
  for (Size const& s : sizes) EXPECT_EQ(build::code_of([&] { program_of_size(s); }), "accepted") << s.rows << " rows of " << s.columns;
}
/// The cycles that the book counts, against the bound of its work.
inline double ratio_to_bound(const program::Program& program, const kernels::Work& work) {
  auto const timed = value_or_throw(plan(program, rngd));
  return static_cast<double>(timed.schedule.makespan.value) / static_cast<double>(kernels::cycles_of(work, rngd).bound().value);
}

}  // namespace tcp::host
