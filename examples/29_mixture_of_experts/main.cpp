// A mixture of experts: each token goes through 2 of 8 feed-forward layers,
// which its own numbers choose. The chip finds out which, sorts the tokens by
// expert, multiplies, and puts the results together again; the host only looks.
#include <tcp/kernels/moe/moe.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tcp/tcp.hpp>
#include <vector>

using namespace tcp;
using dyn::map;

constexpr std::int64_t tokens = 6, width = 32, hidden = 48, experts = 8, k = 2, block = 4;

// The routing by itself, to be looked at: the same kernels that the layer
// calls.
struct Routed {
  kernels::Routing routing;
  kernels::Blocks blocks;
};
struct Router {
  kernels::Gemm scores{rngd, ScalarType::bf16, tokens, experts, width};
  kernels::TopK topk{rngd, tokens, experts, k};
  kernels::BlockIndices indices{rngd, tokens, experts, k, block};

  Routed operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& weights, const dyn::Tensor& numbers) const {
    auto const routing = topk(ctx, scores(ctx, x, weights), numbers);
    return {routing, indices(ctx, routing.expert, numbers)};
  }
};

dyn::HostTensor drawn(Random& random, const Mapping& element, double size) {
  dyn::HostTensor t(ScalarType::bf16, element);
  for (std::size_t i = 0; i < t.size(); ++i)
    t.data<bf16>()[i] = bf16::from_double(static_cast<double>(random.between(-1000, 1000)) / 1000 * size);
  return t;
}

int show(const Routed& routed, std::int64_t grid, Context& ctx) {
  Mapping const choices = map(dyn::axis("T", tokens), dyn::axis("K", k));
  auto const expert = routed.routing.expert.to_host(ctx.pdma, choices), row = routed.blocks.row.to_host(ctx.pdma, choices);
  auto const weight = routed.routing.weight.to_host(ctx.pdma, choices);
  auto const owner = routed.blocks.expert.to_host(ctx.pdma, dyn::axis("G", grid));
  for (std::int64_t t = 0; t < tokens; ++t) {
    std::printf("token %lld:", static_cast<long long>(t));
    for (std::int64_t c = t * k; c < t * k + k; ++c)
      std::printf("  expert %d x %.3f in row %2d", expert.data<i32>()[c].to_int(), static_cast<double>(weight.data<f32>()[c].to_float()),
                  row.data<i32>()[c].to_int());
    std::puts("");
  }
  std::printf("experts of the %lld blocks:", static_cast<long long>(grid));
  for (std::int64_t g = 0; g < grid; ++g) std::printf(" %d", owner.data<i32>()[g].to_int());
  std::puts("");
  int misplaced = 0;
  for (std::int64_t c = 0; c < tokens * k; ++c)
    misplaced += owner.data<i32>()[row.data<i32>()[c].to_int() / block].to_int() != expert.data<i32>()[c].to_int();
  return misplaced;
}

double dot(const bf16* a, const bf16* b, std::int64_t n) {
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(a[i].to_float()) * static_cast<double>(b[i].to_float());
  return sum;
}

// Token by token, as the layer is defined.
std::vector<double> by_token(const bf16* x, const dyn::HostTensor& router, const dyn::HostTensor& up, const dyn::HostTensor& down) {
  std::vector<std::pair<float, std::int64_t>> scores;
  for (std::int64_t e = 0; e < experts; ++e)
    scores.emplace_back(bf16::from_double(dot(x, router.data<bf16>() + e * width, width)).to_float(), e);
  std::sort(scores.rbegin(), scores.rend());
  double sum = 0;
  for (int c = 0; c < k; ++c) sum += std::exp(static_cast<double>(scores[static_cast<std::size_t>(c)].first));
  std::vector<double> out(static_cast<std::size_t>(width), 0.0);
  for (std::size_t c = 0; c < k; ++c) {
    auto const [score, e] = scores[c];
    std::vector<bf16> h;
    for (std::int64_t f = 0; f < hidden; ++f) h.push_back(bf16::from_double(dot(x, up.data<bf16>() + (e * hidden + f) * width, width)));
    for (std::int64_t d = 0; d < width; ++d)
      out[static_cast<std::size_t>(d)] +=
          std::exp(static_cast<double>(score)) / sum * dot(h.data(), down.data<bf16>() + (e * width + d) * hidden, hidden);
  }
  return out;
}

int main() try {
  auto ctx = Context::acquire();
  Random random(29);
  kernels::MoeFfn const moe(rngd, tokens, width, hidden, experts, k, block);
  Mapping const expert = moe.expert();
  auto const x = drawn(random, map(dyn::axis("T", tokens), dyn::axis("D", width)), 1);
  auto const router = drawn(random, map(moe.router().n(), moe.router().k()),
                            1);  // [E, D], as checkpoints keep weights: [out, in]
  auto const up = drawn(random, map(expert, moe.up().n(), moe.up().k()), 0.5),
             down = drawn(random, map(expert, moe.down().n(), moe.down().k()), 0.5);
  auto const numbers = moe.numbers();

  auto const x_hbm = x.to_hbm(ctx.pdma, dyn::one, moe.rows()), router_hbm = router.to_hbm(ctx.pdma, dyn::one, moe.router_layout());
  auto const numbers_hbm = numbers.to_hbm(ctx.pdma, dyn::one, numbers.element());
  Routed const routed = launch(Router{}, ctx, x_hbm, router_hbm, numbers_hbm).get();
  int const misplaced = show(routed, moe.grid(), ctx);

  auto const y = launch(moe, ctx, x_hbm, router_hbm, up.to_hbm(ctx.pdma, dyn::one, moe.up_layout()),
                        down.to_hbm(ctx.pdma, dyn::one, moe.down_layout()), numbers_hbm)
                     .get()
                     .to_host(ctx.pdma, map(dyn::axis("T", tokens), dyn::axis("D", width)));
  int wrong = 0;
  for (std::int64_t t = 0; t < tokens; ++t) {
    auto const expected = by_token(x.data<bf16>() + t * width, router, up, down);
    for (std::int64_t d = 0; d < width; ++d) {
      double const got = static_cast<double>(y.data<bf16>()[t * width + d].to_float()), right = expected[static_cast<std::size_t>(d)];
      wrong += std::abs(got - right) > 0.01 * (1 + std::abs(right));  // h, y and the result are bf16
    }
  }
  std::printf("%d in a block of another expert, %d wrong of %lld\n", misplaced, wrong, static_cast<long long>(tokens * width));
  return misplaced + wrong == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
