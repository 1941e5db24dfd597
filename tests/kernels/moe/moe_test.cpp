// The layer as a whole, against the definition token by token: the book's rows on what it takes, computes and gives.
#include "kernels/moe/moe.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/lowered.hpp"
#include "kernels/nightly.hpp"
#include "moe_oracle.hpp"
#include "recorder.hpp"
#include "tcp/runtime/plan.hpp"

namespace tcp {
namespace {

using namespace moe_tests;
using dyn::map;
using kernels::MoeFfn;

struct Layer {
  std::int64_t tokens, d, f, experts, k, block;
};
/// Weights and rows as bits and as numbers.
struct Drawn {
  dyn::HostTensor tensor;
  std::vector<float> value;

  /// Small integers with many zeros, or any numbers near 1.
  Drawn(Random& random, const Mapping& element, bool integers) : tensor(ScalarType::bf16, element) {
    for (std::size_t i = 0; i < tensor.size(); ++i) {
      float const v = !integers              ? static_cast<float>(random.between(-256, 256)) / 256
                      : random.below(4) == 0 ? static_cast<float>(random.between(-1, 1))
                                             : 0.0f;
      tensor.data<bf16>()[i] = bf16::from_bits(to_bf16(v));
      value.push_back(of_bf16(tensor.data<bf16>()[i].bits));
    }
  }
};
struct Inputs {
  Drawn x, router, up, down;
  Inputs(Random& random, const Layer& l, bool integers)
      : x(random, map(dyn::axis("T", l.tokens), dyn::axis("D", l.d)), integers),
        router(random, map(dyn::axis("N", l.experts), dyn::axis("K", l.d)), integers),
        up(random, map(dyn::axis("Of", l.experts), dyn::axis("N", l.f), dyn::axis("K", l.d)), integers),
        down(random, map(dyn::axis("Of", l.experts), dyn::axis("N", l.d), dyn::axis("K", l.f)), integers) {}
};
dyn::HostTensor run(BackendKind backend, const Layer& l, const Inputs& in, const Drawn* gate = nullptr) {
  auto ctx = context_on(backend);
  MoeFfn const moe(rngd, l.tokens, l.d, l.f, l.experts, l.k, l.block);
  auto const numbers = moe.numbers();
  auto const up_to = [&](const Drawn& drawn, const Mapping& layout) { return drawn.tensor.to_hbm(ctx.pdma, dyn::one, layout); };
  return launch(moe, ctx, up_to(in.x, moe.rows()), up_to(in.router, moe.router_layout()), up_to(in.up, moe.up_layout()),
                up_to(in.down, moe.down_layout()), numbers.to_hbm(ctx.pdma, dyn::one, numbers.element()),
                gate == nullptr ? dyn::Tensor() : up_to(*gate, moe.up_layout()))
      .get()
      .to_host(ctx.pdma, map(dyn::axis("T", l.tokens), dyn::axis("D", l.d)));
}
double dot(const float* a, const float* b, std::int64_t n) {
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}
float rounded(double v) { return of_bf16(to_bf16(static_cast<float>(v))); }

/// Token by token, expert by expert: MOE-03 to 06, with every intermediate rounded to bf16 as the layer keeps it, and the last sum in f32.
std::vector<float> token_centric(const Layer& l, const Inputs& in) {
  std::vector<float> out;
  for (std::int64_t t = 0; t < l.tokens; ++t) {
    const float* const x = in.x.value.data() + t * l.d;
    std::vector<bf16> scores;
    for (std::int64_t e = 0; e < l.experts; ++e)
      scores.push_back(bf16::from_bits(to_bf16(static_cast<float>(dot(x, in.router.value.data() + e * l.d, l.d)))));
    auto const best = best_of(scores.data(), l.experts, l.k);
    float largest = -INFINITY, sum = 0;
    for (std::int32_t e : best) largest = std::max(largest, of_bf16(scores[static_cast<std::size_t>(e)].bits));
    std::vector<float> weight;
    for (std::int32_t e : best)
      weight.push_back(static_cast<float>(std::exp(static_cast<double>(of_bf16(scores[static_cast<std::size_t>(e)].bits) - largest))));
    // As the Vector Engine folds: pairs of the first four and of the last four, then one after the other.
    auto const four = [&](std::size_t from) {
      float s[4];
      std::size_t const n = std::min<std::size_t>(4, weight.size() - from);
      std::copy_n(weight.begin() + static_cast<std::ptrdiff_t>(from), n, s);
      if (n == 1) return s[0];
      if (n == 2) return s[0] + s[1];
      return n == 3 ? (s[0] + s[1]) + s[2] : (s[0] + s[1]) + (s[2] + s[3]);
    };
    sum = four(0);
    if (weight.size() > 4) sum += four(4);
    if (weight.size() > 1)
      for (float& w : weight) w = w / sum;
    std::vector<float> token(static_cast<std::size_t>(l.d), 0.0f);
    for (std::size_t c = 0; c < best.size(); ++c) {
      std::vector<float> h;
      for (std::int64_t f = 0; f < l.f; ++f) h.push_back(rounded(dot(x, in.up.value.data() + (best[c] * l.f + f) * l.d, l.d)));
      for (std::int64_t d = 0; d < l.d; ++d) {
        float const y = rounded(dot(h.data(), in.down.value.data() + (best[c] * l.d + d) * l.f, l.f)), part = y * weight[c];
        float& all = token[static_cast<std::size_t>(d)];
        all = c == 0 ? part : all + part;
      }
    }
    out.insert(out.end(), token.begin(), token.end());
  }
  return out;
}
/// With small integers every sum of a product is exact, whatever its order, and so the layer's result is known to the last bit.
int wrong_bits(BackendKind backend, const Layer& l, std::uint64_t seed = 1) {
  Random random(seed);
  Inputs const in(random, l, true);
  auto const got = run(backend, l, in);
  auto const expected = token_centric(l, in);
  int wrong = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) wrong += got.data<bf16>()[i].bits != to_bf16(expected[i]);
  return wrong;
}

TEST(Moe, MOE_27_equals_the_token_centric_reference) {
  for (std::int64_t k : {1, 4, 8}) EXPECT_EQ(wrong_bits(BackendKind::vector, {20, 32, 40, 16, k, 4}), 0) << k;
}
/// Numbers of any kind: each of the two products rounds, which one ulp of bf16 of the largest sums bounds.
TEST(Moe, MOE_05_experts_of_a_token) {
  Layer const l{12, 64, 48, 8, 2, 8};
  Random random(5);
  Inputs const in(random, l, false);
  auto const got = run(BackendKind::vector, l, in);
  auto const expected = token_centric(l, in);
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(of_bf16(got.data<bf16>()[i].bits), expected[i], 0.02 * (1 + std::abs(static_cast<double>(expected[i])))) << i;
}
/// All tokens alike, all experts alike: whatever the weights, they sum to one, and the result is that of a single expert.
TEST(Moe, MOE_06_weights_of_a_token_sum_to_one) {
  Layer const l{3, 16, 16, 8, 4, 4};
  Random random(6);
  Inputs in(random, l, true);
  for (std::int64_t e = 1; e < l.experts; ++e)
    for (std::int64_t i = 0; i < l.d * l.f; ++i) {
      in.up.tensor.data<bf16>()[e * l.d * l.f + i] = in.up.tensor.data<bf16>()[i];
      in.down.tensor.data<bf16>()[e * l.d * l.f + i] = in.down.tensor.data<bf16>()[i];
    }
  auto const got = run(BackendKind::vector, l, in);
  for (std::int64_t t = 0; t < l.tokens; ++t) {
    std::vector<float> h;
    for (std::int64_t f = 0; f < l.f; ++f) h.push_back(rounded(dot(in.x.value.data() + t * l.d, in.up.value.data() + f * l.d, l.d)));
    for (std::int64_t d = 0; d < l.d; ++d) {
      double const y = dot(h.data(), in.down.value.data() + d * l.f, l.f);
      EXPECT_NEAR(of_bf16(got.data<bf16>()[t * l.d + d].bits), y, 0.01 * (1 + std::abs(y)));
    }
  }
}
/// One expert that all choose is a feed-forward layer: up, then down, nothing between.
TEST(Moe, MOE_01_basic_FFN) {
  Layer const l{6, 24, 32, 8, 1, 8};
  Random random(7);
  Inputs in(random, l, true);
  for (std::int64_t e = 0; e < l.experts; ++e)
    for (std::int64_t d = 0; d < l.d; ++d) {  // scores: expert 5 has the same positive one for every x whose first element is 1
      in.router.tensor.data<bf16>()[e * l.d + d] = bf16::from_bits(to_bf16(e == 5 && d == 0 ? 1.0f : 0.0f));
    }
  for (std::int64_t t = 0; t < l.tokens; ++t) {
    in.x.tensor.data<bf16>()[t * l.d] = bf16::from_bits(to_bf16(1.0f));
    in.x.value[static_cast<std::size_t>(t * l.d)] = 1.0f;
  }
  auto const got = run(BackendKind::vector, l, in);
  for (std::int64_t t = 0; t < l.tokens; ++t) {
    std::vector<float> h;
    for (std::int64_t f = 0; f < l.f; ++f)
      h.push_back(rounded(dot(in.x.value.data() + t * l.d, in.up.value.data() + (5 * l.f + f) * l.d, l.d)));
    for (std::int64_t d = 0; d < l.d; ++d)
      EXPECT_EQ(got.data<bf16>()[t * l.d + d].bits, to_bf16(rounded(dot(h.data(), in.down.value.data() + (5 * l.d + d) * l.f, l.f))));
  }
}
TEST(Moe, MOE_02_parameters) {
  for (std::int64_t k : {1, 4, 8}) {  // llama4, gpt-oss, qwen3
    MoeFfn const prefill(rngd, 2 * 1024, 2048, 1024, 128, k), decode(rngd, 2, 2048, 1024, 128, k);
    EXPECT_EQ(prefill.rows().size, 2 * 1024 * 2048);
    EXPECT_EQ(decode.rows().size, 2 * 2048);
    EXPECT_EQ(decode.grid(), 2 * k);
    EXPECT_EQ(prefill.up_layout().size, 128 * 1024 * 2048);
  }
}
TEST(Moe, MOE_03_router) {
  auto ctx = context_on(BackendKind::vector);
  MoeFfn const moe(rngd, 5, 40, 16, 8, 2, 4);
  Random random(3);
  Layer const l{5, 40, 16, 8, 2, 4};
  Inputs const in(random, l, true);
  auto const scores = launch(moe.router(), ctx, in.x.tensor.to_hbm(ctx.pdma, dyn::one, moe.rows()),
                             in.router.tensor.to_hbm(ctx.pdma, dyn::one, moe.router_layout()))
                          .get()
                          .to_host(ctx.pdma, map(moe.router().m(), moe.router().n()));
  for (std::int64_t t = 0; t < 5; ++t)
    for (std::int64_t e = 0; e < 8; ++e)
      EXPECT_EQ(scores.data<bf16>()[t * 8 + e].bits,
                to_bf16(static_cast<float>(dot(in.x.value.data() + t * 40, in.router.value.data() + e * 40, 40))));
}
TEST(Moe, MOE_14_about_as_many_rows_as_choices) {
  MoeFfn const moe(rngd, 4096, 64, 64, 128, 8);
  std::int64_t const rows = moe.grid() * moe.block();
  EXPECT_GE(rows, 4096 * 8);
  EXPECT_LE(rows, 4096 * 8 + 128 * moe.block());
  EXPECT_LT(8 * rows, 128 * 4096);  // of the naive E x T
}
/// The rows that the blocks hold, and the weights that they are multiplied with.
TEST(Moe, MOE_25_dispatch) {
  auto ctx = context_on(BackendKind::vector);
  MoeFfn const moe(rngd, 5, 20, 16, 8, 2, 4);
  Random random(25);
  Drawn const x(random, map(dyn::axis("T", 5), dyn::axis("D", 20)), false);
  std::vector<std::int64_t> const rows{3, 17, 0, 9, 1, 12, 8, 30, 2, 31};
  dyn::HostTensor row(ScalarType::i32, map(dyn::axis("T", 5), dyn::axis("K", 2)));
  for (std::size_t i = 0; i < rows.size(); ++i) row.data<i32>()[i] = i32::from_int(rows[i]);
  auto const kernel = [&](Context& on, const dyn::Tensor& in, const dyn::Tensor& to) {
    // Rows that no token names are undefined: they are not looked at.
    dyn::Tensor const blocked = moe.dispatched(on, in, to);
    return blocked.gather_to_hbm(on.tdma, "Row", to, map(dyn::axis("T", 5), dyn::axis("K", 2).pad(8), dyn::axis("D", 20).pad(128)));
  };
  ASSERT_GE(moe.grid() * moe.block(), 32);
  auto const got = launch(kernel, ctx, x.tensor.to_hbm(ctx.pdma, dyn::one, moe.rows()),
                          row.to_hbm(ctx.pdma, dyn::one, map(dyn::axis("T", 5), dyn::axis("K", 2).pad(8))))
                       .get()
                       .to_host(ctx.pdma, map(dyn::axis("T", 5), dyn::axis("K", 2), dyn::axis("D", 20)));
  for (std::int64_t i = 0; i < 10; ++i)
    for (std::int64_t d = 0; d < 20; ++d) EXPECT_EQ(got.data<bf16>()[i * 20 + d], x.tensor.data<bf16>()[i / 2 * 20 + d]);
}
TEST(Moe, MOE_26_weights_by_expert) {
  auto ctx = context_on(BackendKind::vector);
  Layer const l{8, 24, 16, 8, 1, 2};
  MoeFfn const moe(rngd, l.tokens, l.d, l.f, l.experts, l.k, l.block);
  Random random(26);
  Inputs const in(random, l, true);
  std::int64_t const rows = moe.grid() * moe.block();
  Drawn const blocked(random, map(dyn::axis("Row", rows), dyn::axis("D", l.d)), true);
  std::vector<std::int64_t> ids;
  for (std::int64_t g = 0; g < moe.grid(); ++g) ids.push_back((5 * g + 3) % 8);
  dyn::HostTensor expert(ScalarType::i32, dyn::axis("G", moe.grid()));
  for (std::size_t g = 0; g < ids.size(); ++g) expert.data<i32>()[g] = i32::from_int(ids[g]);
  auto const kernel = [&](Context& on, const dyn::Tensor& x, const dyn::Tensor& of, const dyn::Tensor& up, const dyn::Tensor& down) {
    return moe.computed(on, x, of, up, down);
  };
  auto const y = launch(kernel, ctx, blocked.tensor.to_hbm(ctx.pdma, dyn::one, moe.blocked_layout()),
                        expert.to_hbm(ctx.pdma, dyn::one, expert.element()), in.up.tensor.to_hbm(ctx.pdma, dyn::one, moe.up_layout()),
                        in.down.tensor.to_hbm(ctx.pdma, dyn::one, moe.down_layout()))
                     .get()
                     .to_host(ctx.pdma, map(moe.down().batch(), moe.down().m(), moe.down().n()));
  for (std::int64_t r = 0; r < rows; ++r) {
    std::int64_t const e = ids[static_cast<std::size_t>(r / l.block)];
    std::vector<float> h;
    for (std::int64_t f = 0; f < l.f; ++f)
      h.push_back(rounded(dot(blocked.value.data() + r * l.d, in.up.value.data() + (e * l.f + f) * l.d, l.d)));
    for (std::int64_t d = 0; d < l.d; ++d)
      EXPECT_EQ(y.data<bf16>()[r * l.d + d].bits, to_bf16(rounded(dot(h.data(), in.down.value.data() + (e * l.d + d) * l.f, l.f)))) << r;
  }
}
/// All tokens choose the same two of many experts: most of the grid stays empty, and the result is the same.
TEST(Moe, MOE_28_empty_blocks) {
  Layer const l{16, 16, 16, 32, 2, 8};
  Random random(28);
  Inputs in(random, l, true);
  for (std::int64_t e = 0; e < l.experts; ++e)
    for (std::int64_t d = 0; d < l.d; ++d) {
      float const w = d == 0 ? (e == 9 ? 2.0f : e == 30 ? 1.0f : 0.0f) : 0.0f;
      in.router.tensor.data<bf16>()[e * l.d + d] = bf16::from_bits(to_bf16(w));
      in.router.value[static_cast<std::size_t>(e * l.d + d)] = w;
    }
  for (std::int64_t t = 0; t < l.tokens; ++t) {
    in.x.tensor.data<bf16>()[t * l.d] = bf16::from_bits(to_bf16(1.0f));
    in.x.value[static_cast<std::size_t>(t * l.d)] = 1.0f;
  }
  MoeFfn const moe(rngd, l.tokens, l.d, l.f, l.experts, l.k, l.block);
  EXPECT_EQ(moe.grid(), 32);  // of which 4 are in use
  auto const got = run(BackendKind::vector, l, in);
  auto const expected = token_centric(l, in);
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(got.data<bf16>()[i].bits, to_bf16(expected[i])) << i;
}

program::Program program_of(const Layer& l) {
  MoeFfn const moe(rngd, l.tokens, l.d, l.f, l.experts, l.k, l.block);
  constexpr std::int64_t gib = std::int64_t{1} << 30;
  ir::Module module = build::module_of([&](Context& ctx) {
    auto const at = [](std::int64_t address, const Mapping& layout) {
      return dyn::Tensor::hbm_at(address, ScalarType::bf16, dyn::one, layout);
    };
    auto const numbers = dyn::Tensor::hbm_at(2 * gib, ScalarType::i32, dyn::one, moe.numbers_layout());
    return moe(ctx, at(0, moe.rows()), at(gib, moe.router_layout()), at(4 * gib, moe.up_layout()), at(12 * gib, moe.down_layout()),
               numbers);
  });
  return build::lowered(std::move(module));
}
/// No value decides what is done: a program is made before any score is known, and it is one list of commands.
TEST(Moe, MOE_29_one_program_for_all_scores) {
  auto const program = program_of({64, 128, 64, 32, 4, 16});
  int gathers = 0, passes = 0;
  for (const program::Command& c : program.commands) {
    passes += std::holds_alternative<program::Exec>(c.what);
    if (const auto* dma = std::get_if<program::Dma>(&c.what))
      gathers += std::any_of(dma->descriptors.begin(), dma->descriptors.end(), [](const program::DmaDescriptor& d) { return d.index; });
  }
  EXPECT_GT(passes, 0);
  EXPECT_GT(gathers, 0);  // what depends on values is an address that a DMA engine reads
  for (std::uint64_t seed : {1u, 2u, 3u}) EXPECT_EQ(wrong_bits(BackendKind::vector, {9, 16, 16, 8, 2, 4}, seed), 0);
}
TEST(MoeFfn, the_same_on_every_backend) {
  for (BackendKind backend : every_backend) {
    EXPECT_EQ(wrong_bits(backend, {2, 16, 16, 8, 2, 8}), 0) << name_of(backend);
    EXPECT_EQ(wrong_bits(backend, {1, 16, 24, 8, 1, 2}), 0) << name_of(backend);
  }
  EXPECT_EQ(wrong_bits(BackendKind::device, {9, 40, 20, 16, 4, 4}), 0);
}
TEST(MoeFfn, four_and_eight_choices_on_every_backend) {
  EXPECT_EQ(wrong_bits(BackendKind::reference, {1, 8, 8, 8, 4, 2}), 0);  // one operation at a time: as few as show it
  for (std::int64_t k : {4, 8}) EXPECT_EQ(wrong_bits(BackendKind::device, {3, 16, 8, 16, k, 2}), 0) << k;
}
/// A token with a NaN is none; the others, which share experts and blocks with it, are what they were.
TEST(MoeFfn, a_token_that_is_no_number_is_alone) {
  Layer const l{4, 8, 8, 8, 2, 4};
  Random random(43);
  Inputs in(random, l, true);
  for (BackendKind backend : {BackendKind::vector, BackendKind::device}) {
    auto const without = run(backend, l, in);
    Inputs with = in;
    with.x.tensor.data<bf16>()[2 * l.d + 7] = bf16::from_bits(0x7fc0);
    auto const got = run(backend, l, with);
    for (std::int64_t i = 0; i < l.tokens * l.d; ++i)
      if (i / l.d == 2) EXPECT_TRUE(std::isnan(got.data<bf16>()[i].to_float())) << i;
      else EXPECT_EQ(got.data<bf16>()[i], without.data<bf16>()[i]) << i << " on " << name_of(backend);
  }
}
/// silu(x W_gate) * (x W_up), then W_down.
TEST(MoeFfn, with_a_gate) {
  Layer const l{10, 32, 24, 8, 2, 4};
  Random random(41);
  Inputs const in(random, l, false);
  Drawn const gate(random, map(dyn::axis("Of", l.experts), dyn::axis("N", l.f), dyn::axis("K", l.d)), false);
  auto const got = run(BackendKind::vector, l, in, &gate);
  for (std::int64_t t = 0; t < l.tokens; ++t) {
    const float* const x = in.x.value.data() + t * l.d;
    std::vector<bf16> scores;
    for (std::int64_t e = 0; e < l.experts; ++e)
      scores.push_back(bf16::from_bits(to_bf16(static_cast<float>(dot(x, in.router.value.data() + e * l.d, l.d)))));
    auto const best = best_of(scores.data(), l.experts, l.k);
    double sum = 0;
    auto const power = [&](std::int32_t e) { return std::exp(static_cast<double>(of_bf16(scores[static_cast<std::size_t>(e)].bits))); };
    for (std::int32_t e : best) sum += power(e);
    for (std::int64_t d = 0; d < l.d; ++d) {
      double out = 0;
      for (std::int32_t e : best) {
        std::vector<float> h;
        for (std::int64_t f = 0; f < l.f; ++f) {
          double const g = static_cast<double>(rounded(dot(x, gate.value.data() + (e * l.f + f) * l.d, l.d)));
          double const u = static_cast<double>(rounded(dot(x, in.up.value.data() + (e * l.f + f) * l.d, l.d)));
          h.push_back(rounded(g / (1 + std::exp(-g)) * u));
        }
        out += power(e) / sum * dot(h.data(), in.down.value.data() + (e * l.d + d) * l.f, l.f);
      }
      EXPECT_NEAR(of_bf16(got.data<bf16>()[t * l.d + d].bits), out, 0.02 * (1 + std::abs(out)));
    }
  }
}
TEST(MoeFfn, random_sizes) {
  Random random(40);
  for (int i = 0; i < nightly::cases(5); ++i) {
    Layer const l{random.between(1, 24),    random.between(1, 60), random.between(1, 50),
                  8 * random.between(1, 3), random.between(1, 8),  std::int64_t{1} << random.between(1, 4)};
    EXPECT_EQ(wrong_bits(BackendKind::vector, l, static_cast<std::uint64_t>(i)), 0)
        << l.tokens << " tokens, D " << l.d << ", F " << l.f << ", " << l.k << " of " << l.experts << ", blocks of " << l.block;
  }
}
TEST(MoeFfn, what_is_refused) {
  EXPECT_EQ(build::code_of([] { MoeFfn(rngd, 1, 0, 8, 8, 1); }), "kernel-gemm-size");
  EXPECT_EQ(build::code_of([] { MoeFfn(rngd, 1, 8, 0, 8, 1); }), "kernel-gemm-size");
  EXPECT_EQ(build::code_of([] { MoeFfn(rngd, 0, 8, 8, 8, 1); }), "kernel-topk-size");
  EXPECT_EQ(build::code_of([] { MoeFfn(rngd, 1, 8, 8, 8, 0); }), "kernel-topk-size");
  EXPECT_EQ(build::code_of([] { MoeFfn(rngd, 1, 8, 8, 0, 1); }), "kernel-topk-size");
}

}  // namespace
}  // namespace tcp
