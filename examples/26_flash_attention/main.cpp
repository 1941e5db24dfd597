// Attention of a prompt: every token to itself and all before it, block by block, so that the matrix of scores is never there.
#include <tcp/kernels/attention/flash.hpp>

#include <cmath>
#include <cstdio>
#include <tcp/tcp.hpp>
#include <vector>

using namespace tcp;

// 4 heads of queries share 2 heads of keys and values.
constexpr kernels::AttentionSizes sizes{.q_heads = 4, .kv_heads = 2, .head_dim = 32, .capacity = 200};
constexpr std::int64_t tokens = 150;

// Two steps, one program: keys and values go into the cache, from where a decoder will read them again and again, and then everyone attends.
struct Prefill {
  kernels::FlashAttention attend{rngd, sizes, tokens};

  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& q, const dyn::Tensor& k, const dyn::Tensor& v, const dyn::Tensor& k_cache,
                         const dyn::Tensor& v_cache) const {
    kernels::append_to_cache(ctx, sizes, k, tokens, k_cache, 0, 0);
    kernels::append_to_cache(ctx, sizes, v, tokens, v_cache, 0, 0);
    return attend(ctx, q, k_cache, v_cache);
  }
};

dyn::HostTensor drawn(Random& random, const Mapping& elements) {
  dyn::HostTensor t(ScalarType::bf16, elements);
  for (std::size_t i = 0; i < t.size(); ++i) t.data<bf16>()[i] = bf16::from_double(static_cast<double>(random.between(-2000, 2000)) / 1000);
  return t;
}

// Plain loops, in double precision. Rows may be padded.
struct Rows {
  const dyn::HostTensor& t;
  double at(std::int64_t token, std::int64_t head, std::int64_t d) const {
    std::int64_t const row = static_cast<std::int64_t>(t.size()) / tokens;
    return double{t.data<bf16>()[token * row + head * sizes.head_dim + d].to_float()};
  }
};
double attended(const Rows& q, const Rows& k, const Rows& v, std::int64_t i, std::int64_t head, std::int64_t column) {
  std::int64_t const kv = head / sizes.heads_per_kv();
  double total = 0, sum = 0;
  for (std::int64_t j = 0; j <= i; ++j) {
    double score = 0;
    for (std::int64_t d = 0; d < sizes.head_dim; ++d) score += q.at(i, head, d) * k.at(j, kv, d);
    double const weight = std::exp(score / std::sqrt(double{sizes.head_dim}));
    total += weight;
    sum += weight * v.at(j, kv, column);
  }
  return sum / total;
}

int main() try {
  auto ctx = Context::acquire();
  Random random(26);
  Prefill const prefill;
  Mapping const queries = prefill.attend.layout(), keys = kernels::new_keys_layout(rngd, sizes, tokens);
  auto const q = drawn(random, queries), k = drawn(random, keys), v = drawn(random, keys);
  auto const upload = [&](const dyn::HostTensor& t) { return t.to_hbm(ctx.pdma, dyn::one, t.element()); };
  dyn::HostTensor const empty(ScalarType::bf16, kernels::cache_layout(sizes));
  auto const out = launch(prefill, ctx, upload(q), upload(k), upload(v), upload(empty), upload(empty)).get().to_host(ctx.pdma, queries);

  std::printf("%s", text_of(prefill.attend.tiling()).c_str());
  int wrong = 0;
  double const allowed = 3 * 2.0 / 512;  // weights and results have 8 bits: half a step each, of values up to 2
  for (std::int64_t i = 0; i < tokens; ++i)
    for (std::int64_t h = 0; h < sizes.q_heads; ++h)
      for (std::int64_t d = 0; d < sizes.head_dim; ++d)
        wrong += !(std::fabs(Rows{out}.at(i, h, d) - attended({q}, {k}, {v}, i, h, d)) <= allowed);
  std::printf("%d wrong of %lld, as far as bf16 tells\n", wrong, static_cast<long long>(tokens * sizes.q_heads * sizes.head_dim));
  return wrong == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
