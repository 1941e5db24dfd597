// Row by row, for sizes that are known when the program runs: a residual connection and RMSNorm in one launch, then softmax of rows with masked columns.
#include <tcp/kernels/rowwise/elementwise.hpp>
#include <tcp/kernels/rowwise/norms.hpp>
#include <tcp/kernels/rowwise/softmax/softmax.hpp>

#include <cmath>
#include <cstdio>
#include <tcp/tcp.hpp>
#include <vector>

using namespace tcp;

constexpr float epsilon = 1e-5f;

// Two kernels called one after the other are one program. Between them is a tensor in HBM; the second names its axes as it likes.
struct AddAndNorm {
  kernels::Residual add;
  kernels::RmsNorm norm;

  AddAndNorm(std::int64_t rows, std::int64_t columns) : add(rngd, rows, columns), norm(rngd, rows, columns, epsilon) {}

  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& y, const dyn::Tensor& weight) const {
    return norm(ctx, add(ctx, x, y), weight);
  }
};

dyn::HostTensor drawn(Random& random, const Mapping& elements) {
  dyn::HostTensor t(ScalarType::bf16, elements);
  for (std::size_t i = 0; i < t.size(); ++i) t.data<bf16>()[i] = bf16::from_double(static_cast<double>(random.between(-4000, 4000)) / 1000);
  return t;
}

// A row's numbers added as the chip adds: in each slice four neighbours as two pairs (or as many as come at once), packet after packet; then slice after slice.
float sum_of(const std::vector<float>& x, const kernels::RowSpread& spread) {
  auto const n = static_cast<std::int64_t>(x.size()), at_once = std::min<std::int64_t>(spread.packet(), 4);
  auto const at = [&](std::int64_t i) { return x[static_cast<std::size_t>(i)]; };
  float total = 0;
  for (std::int64_t begin = 0; begin < n; begin += spread.share) {
    float sum = 0;
    std::int64_t const end = std::min(begin + spread.share, n);
    for (std::int64_t i = begin; i < end; i += at_once) {
      std::int64_t const some = std::min(at_once, end - i);
      float packet = some > 1 ? at(i) + at(i + 1) : at(i);
      if (some == 3) packet += at(i + 2);
      if (some == 4) packet += at(i + 2) + at(i + 3);
      sum = i == begin ? packet : sum + packet;
    }
    total = begin == 0 ? sum : total + sum;
  }
  return total;
}

int check_norm(std::int64_t rows, std::int64_t columns) {
  auto ctx = Context::acquire();
  Random random(24);
  AddAndNorm const kernel(rows, columns);
  Mapping const token = dyn::axis("Token", rows), hidden = dyn::axis("Hidden", columns);
  auto const x = drawn(random, dyn::map(token, hidden)), y = drawn(random, dyn::map(token, hidden)), weight = drawn(random, hidden);
  auto const upload = [&](const dyn::HostTensor& t) {
    return t.to_hbm(ctx.pdma, dyn::one, kernels::rows_layout(rngd, ScalarType::bf16, token, hidden));
  };
  auto const weight_hbm = weight.to_hbm(ctx.pdma, dyn::one, kernels::rows_layout(rngd, ScalarType::bf16, dyn::one, hidden));
  auto const z =
      launch(kernel, ctx, upload(x), upload(y), weight_hbm).get().to_host(ctx.pdma, dyn::map(kernel.norm.row(), kernel.norm.column()));

  kernels::RowSpread const& spread = kernel.norm.spread();
  std::printf("%s", text_of(spread).c_str());
  int wrong = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    std::vector<float> sum, squares;
    for (std::int64_t i = r * columns; i < (r + 1) * columns; ++i) {
      sum.push_back(bf16::from_float(x.data<bf16>()[i].to_float() + y.data<bf16>()[i].to_float()).to_float());
      squares.push_back(sum.back() * sum.back());
    }
    float const scale = 1 / std::sqrt(std::fma(sum_of(squares, spread), 1 / static_cast<float>(columns), epsilon));
    for (std::int64_t c = 0; c < columns; ++c)
      wrong +=
          z.data<bf16>()[r * columns + c] != bf16::from_float(sum[static_cast<std::size_t>(c)] * scale * weight.data<bf16>()[c].to_float());
  }
  std::printf("%d wrong of %lld\n\n", wrong, static_cast<long long>(rows * columns));
  return wrong;
}

// Scores of 6 queries against 1,000 keys of which query q sees the first 100 q: minus infinity becomes 0, and a row without any key NaN.
int check_softmax() {
  auto ctx = Context::acquire();
  constexpr std::int64_t rows = 6, columns = 1000;
  kernels::Softmax const softmax(rngd, rows, columns);
  Random random(25);
  auto scores = drawn(random, dyn::map(softmax.row(), softmax.column()));
  for (std::int64_t q = 0; q < rows; ++q)
    for (std::int64_t k = 100 * q; k < columns; ++k) scores.data<bf16>()[q * columns + k] = bf16::from_float(-INFINITY);
  auto const y = launch(softmax, ctx, scores.to_hbm(ctx.pdma, dyn::one, softmax.layout())).get().to_host(ctx.pdma, scores.element());
  int wrong = 0;
  for (std::int64_t q = 0; q < rows; ++q) {
    double sum = 0;
    for (std::int64_t k = 0; k < columns; ++k) sum += double{y.data<bf16>()[q * columns + k].to_float()};
    std::printf("query %d sees %3d keys; its weights add up to %.2f\n", static_cast<int>(q), static_cast<int>(100 * q), sum);
    for (std::int64_t k = 100 * q; q > 0 && k < columns; ++k) wrong += y.data<bf16>()[q * columns + k].to_float() != 0;
  }
  std::printf("%d keys with a weight that they must not have\n", wrong);
  return wrong;
}

int main() try {
  int wrong = check_norm(1, 4096);  // one token: a row is spread over many slices
  wrong += check_norm(100, 1002);   // many tokens; 1,002 columns fill no packet evenly
  return wrong + check_softmax() == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
