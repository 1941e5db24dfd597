// One token at a time: two sequences of different lengths grow by a token a step, and each new token attends to all of its own sequence.
#include <tcp/kernels/attention/decode.hpp>

#include <cmath>
#include <cstdio>
#include <tcp/tcp.hpp>
#include <vector>

using namespace tcp;

constexpr kernels::AttentionSizes sizes{.q_heads = 8, .kv_heads = 2, .head_dim = 32, .capacity = 300, .sequences = 2};
constexpr int steps = 6;

// What the host keeps of a sequence: a number for each [token, head, column].
struct Story {
  std::vector<double> k, v;
  std::int64_t length = 0;
};

// A new token of each sequence, as rows.
struct Token {
  Token(Random& random, const Mapping& layout) : rows(ScalarType::bf16, layout) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows.data<bf16>()[i] = bf16::from_double(static_cast<double>(random.between(-2000, 2000)) / 1000);
  }
  double at(std::int64_t sequence, std::int64_t column) const {
    return double{rows.data<bf16>()[sequence * static_cast<std::int64_t>(rows.size()) / sizes.sequences + column].to_float()};
  }
  dyn::HostTensor rows;
};

void grow(std::vector<Story>& all, const Token& k, const Token& v) {
  for (std::size_t b = 0; b < all.size(); ++b) {
    for (std::int64_t c = 0; c < sizes.kv_heads * sizes.head_dim; ++c) {
      all[b].k.push_back(k.at(static_cast<std::int64_t>(b), c));
      all[b].v.push_back(v.at(static_cast<std::int64_t>(b), c));
    }
    ++all[b].length;
  }
}

double attended(const Story& s, const Token& q, std::int64_t sequence, std::int64_t head, std::int64_t column) {
  std::int64_t const kv = head / sizes.heads_per_kv(), dim = sizes.head_dim;
  auto const place = [&](std::int64_t token, std::int64_t d) { return static_cast<std::size_t>((token * sizes.kv_heads + kv) * dim + d); };
  double total = 0, sum = 0;
  for (std::int64_t j = 0; j < s.length; ++j) {
    double score = 0;
    for (std::int64_t d = 0; d < dim; ++d) score += q.at(sequence, head * dim + d) * s.k[place(j, d)];
    double const weight = std::exp(score / std::sqrt(double{sizes.head_dim}));
    total += weight;
    sum += weight * s.v[place(j, column)];
  }
  return sum / total;
}

int main() try {
  auto ctx = Context::acquire();
  Random random(27);
  Mapping const keys = kernels::new_keys_layout(rngd, sizes, sizes.sequences),
                queries = kernels::query_layout(rngd, sizes, sizes.sequences);
  auto const upload = [&](const dyn::HostTensor& t) { return t.to_hbm(ctx.pdma, dyn::one, t.element()); };
  dyn::HostTensor const empty(ScalarType::bf16, kernels::cache_layout(sizes));
  auto const k_cache = upload(empty), v_cache = upload(empty);  // they stay on the chip

  std::vector<Story> all(2);
  int wrong = 0, checked = 0;
  for (int step = 0; step < steps; ++step) {
    Token const q(random, queries), k(random, keys), v(random, keys);
    if (step == 3) all[1] = {};  // the second one begins anew: what is left in its cache no longer counts
    grow(all, k, v);
    // Sizes are numbers: every step has a kernel of its own, for the lengths that the sequences have now.
    kernels::DecodeAttention const attend(rngd, sizes, {all[0].length, all[1].length});
    auto const out = launch(attend, ctx, upload(q.rows), upload(k.rows), upload(v.rows), k_cache, v_cache).get().to_host(ctx.pdma, queries);
    if (step == 0) std::printf("%s", text_of(attend.tiling()).c_str());
    double const allowed = 3 * 2.0 / 512;
    std::int64_t const row = static_cast<std::int64_t>(out.size()) / sizes.sequences;
    for (std::int64_t b = 0; b < sizes.sequences; ++b)
      for (std::int64_t h = 0; h < sizes.q_heads; ++h)
        for (std::int64_t d = 0; d < sizes.head_dim; ++d) {
          double const is = double{out.data<bf16>()[b * row + h * sizes.head_dim + d].to_float()};
          wrong += !(std::fabs(is - attended(all[static_cast<std::size_t>(b)], q, b, h, d)) <= allowed);
          ++checked;
        }
    std::printf("step %d: sequences of %lld and %lld tokens, %d wrong of %d so far\n", step, static_cast<long long>(all[0].length),
                static_cast<long long>(all[1].length), wrong, checked);
  }
  return wrong == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
