// The book's transformer, step by step: each row of its tables as the kernels compute it, in the shapes that the book gives, against host loops.
//
// Rows of [B, s_in, ...] lie one behind the other, [h, d_k] side by side in a row. Kernels round once, to bf16: half a unit in the last of 8 bits, and a little for
// sums that the chip adds in another order.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "kernels/gather/gather.hpp"
#include "kernels/llama/configuration.hpp"
#include "kernels/llama/model.hpp"
#include "recorder.hpp"
#include "tcp/runtime/launch.hpp"
#include "tcp/runtime/options.hpp"
#include "tcp/support/random.hpp"

namespace tcp {
namespace {

constexpr ScalarType bf = ScalarType::bf16;

/// Row after row, each number one that bf16 has.
struct Matrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<float> value{};

  float& at(std::int64_t r, std::int64_t c) { return value[static_cast<std::size_t>(r * columns + c)]; }
  float at(std::int64_t r, std::int64_t c) const { return value[static_cast<std::size_t>(r * columns + c)]; }
};
Matrix random_matrix(std::uint64_t seed, std::int64_t rows, std::int64_t columns) {
  Random random(seed);
  Matrix m{rows, columns, {}};
  for (std::int64_t i = 0; i < rows * columns; ++i)
    m.value.push_back(bf16::from_double(static_cast<double>(random.between(-1000, 1000)) / 500).to_float());
  return m;
}
Matrix matrix_of(std::int64_t rows, std::int64_t columns, const std::function<double(std::int64_t, std::int64_t)>& f) {
  Matrix m{rows, columns, {}};
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) m.value.push_back(static_cast<float>(f(r, c)));
  return m;
}

class Chip {
 public:
  dyn::Tensor up(const Matrix& m) {
    Mapping const row = dyn::axis("Rows", m.rows), column = dyn::axis("Columns", m.columns);
    return up(m, dyn::map(row, column), kernels::rows_layout(rngd, bf, row, column));
  }
  dyn::Tensor up(const Matrix& m, const Mapping& axes, const Mapping& layout) {
    dyn::HostTensor host(bf, axes);
    for (std::size_t i = 0; i < m.value.size(); ++i) host.data<bf16>()[i] = bf16::from_float(m.value[i]);
    return host.to_hbm(ctx.pdma, dyn::one, layout);
  }
  /// B of a product, [N, K].
  dyn::Tensor up(const Matrix& m, const kernels::Gemm& gemm) { return up(m, dyn::map(gemm.n(), gemm.k()), gemm.b_layout()); }
  Matrix down(const dyn::Tensor& t, std::int64_t rows, std::int64_t columns) {
    Mapping const row = dyn::axis("Rows", rows), column = dyn::axis("Columns", columns);
    std::int64_t const padded = kernels::padded_columns(rngd, bf, columns);
    // Whatever its axes are called: a kernel gives the elements our names.
    auto const renamed = launch(
                             [&](Context& c, const dyn::Tensor& from) {
                               auto const to = dyn::Tensor::hbm(c, bf, dyn::one, dyn::map(row, column.pad(padded)));
                               dyn::dma(c.tdma, from.reshape(dyn::map(row, column.pad(padded))), to);
                               return to;
                             },
                             ctx, t)
                             .get();
    auto const host = renamed.to_host(ctx.pdma, dyn::map(row, column));
    Matrix m{rows, columns, {}};
    for (std::size_t i = 0; i < host.size(); ++i) m.value.push_back(host.data<bf16>()[i].to_float());
    return m;
  }

  Context ctx = Context::acquire(ContextOptions{});
};

void expect_rounded(const Matrix& found, const Matrix& exact, double sums_of = 1) {
  ASSERT_EQ(found.rows, exact.rows);
  ASSERT_EQ(found.columns, exact.columns);
  int wrong = 0;
  for (std::size_t i = 0; i < found.value.size(); ++i) {
    double const e = static_cast<double>(exact.value[i]), off = std::abs(static_cast<double>(found.value[i]) - e);
    wrong += !(off <= std::abs(e) / 256 + sums_of * 1e-6);
  }
  EXPECT_EQ(wrong, 0) << "of " << found.value.size();
}

/// x W, W as checkpoints have it: [out, in].
Matrix host_product(const Matrix& x, const Matrix& w) {
  return matrix_of(x.rows, w.rows, [&](std::int64_t r, std::int64_t o) {
    double sum = 0;
    for (std::int64_t i = 0; i < x.columns; ++i) sum += static_cast<double>(x.at(r, i)) * static_cast<double>(w.at(o, i));
    return sum;
  });
}
Matrix host_norm(const Matrix& x, const Matrix& weight, double epsilon) {
  return matrix_of(x.rows, x.columns, [&](std::int64_t r, std::int64_t c) {
    double squares = 0;
    for (std::int64_t i = 0; i < x.columns; ++i) squares += static_cast<double>(x.at(r, i)) * static_cast<double>(x.at(r, i));
    return static_cast<double>(x.at(r, c)) / std::sqrt(squares / static_cast<double>(x.columns) + epsilon) *
           static_cast<double>(weight.at(0, c));
  });
}
Matrix host_sum(const Matrix& a, const Matrix& b) {
  return matrix_of(a.rows, a.columns,
                   [&](std::int64_t r, std::int64_t c) { return static_cast<double>(a.at(r, c)) + static_cast<double>(b.at(r, c)); });
}

// Small sizes with the names of the book: B sequences of s_in tokens, D, F, h_q, h_kv, d_k, V.
constexpr std::int64_t B = 2, s_in = 5, D = 48, F = 72, h_q = 6, h_kv = 2, d_k = 16, V = 70;

void check_product(std::uint64_t seed, std::int64_t rows, std::int64_t out, std::int64_t in) {
  Chip chip;
  kernels::Gemm const gemm(rngd, bf, rows, out, in);
  Matrix const x = random_matrix(seed, rows, in), w = random_matrix(seed + 1, out, in);
  auto const y = launch(gemm, chip.ctx, chip.up(x), chip.up(w, gemm)).get();
  expect_rounded(chip.down(y, rows, out), host_product(x, w), static_cast<double>(in));
}
void check_norm(std::uint64_t seed, std::int64_t rows) {
  Chip chip;
  kernels::RmsNorm const norm(rngd, rows, D, 1e-5f);
  Matrix const x = random_matrix(seed, rows, D), w = random_matrix(seed + 1, 1, D);
  auto const y = launch(norm, chip.ctx, chip.up(x), chip.up(w, norm.column(), norm.column_layout())).get();
  expect_rounded(chip.down(y, rows, D), host_norm(x, w, 1e-5));
}
void check_sum(std::uint64_t seed, std::int64_t rows) {
  Chip chip;
  Matrix const a = random_matrix(seed, rows, D), b = random_matrix(seed + 1, rows, D);
  auto const y = launch(kernels::Residual(rngd, rows, D), chip.ctx, chip.up(a), chip.up(b)).get();
  expect_rounded(chip.down(y, rows, D), host_sum(a, b));
}
/// Embedding of B sequences of so many tokens: rows of the table to the bit, and nothing but the DMA engine at work.
void check_embedding(std::int64_t tokens) {
  Chip chip;
  kernels::Embedding const embed(rngd, B * tokens, V, D);
  Matrix const table = random_matrix(3, V, D);
  dyn::HostTensor numbers(ScalarType::i32, embed.numbers_layout());
  std::vector<std::int64_t> ids;
  Random random(7);
  for (std::int64_t i = 0; i < B * tokens; ++i) {
    ids.push_back(random.between(0, V - 1));
    numbers.data<i32>()[i] = i32::from_int(ids.back());
  }
  auto const x = launch(embed, chip.ctx, chip.up(table), numbers.to_hbm(chip.ctx.pdma, dyn::one, embed.numbers_layout())).get();
  Matrix const expected =
      matrix_of(B * tokens, D, [&](std::int64_t r, std::int64_t c) { return table.at(ids[static_cast<std::size_t>(r)], c); });
  EXPECT_EQ(chip.down(x, B * tokens, D).value, expected.value);
  ir::Module const module = build::module_of([&](Context& ctx) {
    return embed(ctx, dyn::Tensor::hbm_at(0, bf, dyn::one, embed.table_layout()),
                 dyn::Tensor::hbm_at(1 << 20, ScalarType::i32, dyn::one, embed.numbers_layout()));
  });
  ASSERT_EQ(module.commands.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<ir::Transfer>(module.commands[0].what));
}

/// [rows, heads * d_k] turned by the rotations of these positions, against angles by hand.
void check_rope(std::int64_t heads, std::int64_t tokens, std::int64_t start) {
  Chip chip;
  kernels::LlamaConfig config = kernels::llama_3_8b();
  config.head_dim = d_k;
  kernels::Rope const rope(rngd, {.tokens = tokens, .heads = heads, .head = d_k, .positions = 32, .start = start});
  auto const table = kernels::rotation_table(32, kernels::rope_frequencies(config)).to_hbm(chip.ctx.pdma, dyn::one, rope.table_layout());
  Matrix const x = random_matrix(11, tokens, heads * d_k);
  Matrix const exact = matrix_of(tokens, heads * d_k, [&](std::int64_t t, std::int64_t c) {
    std::int64_t const first = c - c % 2;
    double const angle = static_cast<double>(start + t) * std::pow(500000.0, -static_cast<double>(c % d_k - c % 2) / d_k);
    // The table is of bf16, too.
    double const cosine = bf16::from_double(std::cos(angle)).to_float(), sine = bf16::from_double(std::sin(angle)).to_float();
    double const a = x.at(t, first), b = x.at(t, first + 1);
    return c % 2 == 0 ? a * cosine - b * sine : a * sine + b * cosine;
  });
  expect_rounded(chip.down(launch(rope, chip.ctx, chip.up(x), table).get(), tokens, heads * d_k), exact);
}

TEST(LlamaBook, LLM_03_embedding_is_a_gather) { check_embedding(s_in); }
TEST(LlamaBook, LLM_04_norm_of_the_input) { check_norm(21, B * s_in); }
TEST(LlamaBook, LLM_05_queries_keys_and_values) {
  check_product(31, B * s_in, h_q * d_k, D);
  check_product(33, B * s_in, h_kv * d_k, D);
  kernels::LlamaConfig const c = kernels::llama_3_70b();
  EXPECT_EQ(kernels::shape_of(c, kernels::LayerWeight::query).rows, 64 * 128);
  EXPECT_EQ(kernels::shape_of(c, kernels::LayerWeight::query).columns, 8192);
  for (auto which : {kernels::LayerWeight::key, kernels::LayerWeight::value}) EXPECT_EQ(kernels::shape_of(c, which).rows, 8 * 128);
}
/// Where sums are added up: what a kernel's text says.
std::string text_of(const std::function<void(Context&)>& kernel, std::int64_t chips = 1) {
  return ir::print(build::module_of(kernel, chips));
}
bool has(const std::string& text, const char* words) { return text.find(words) != text.npos; }
TEST(LlamaBook, LLM_06_where_sums_are_added) {
  auto const product = [](std::int64_t k) {
    return text_of([k](Context& ctx) {
      kernels::Gemm const gemm(rngd, bf, 256, 256, k);
      (void)gemm(ctx, dyn::Tensor::hbm_at(0, bf, dyn::one, gemm.a_layout()), dyn::Tensor::hbm_at(1 << 28, bf, dyn::one, gemm.b_layout()));
    });
  };
  // Over packets and time: the Reducer, and nothing else.
  EXPECT_TRUE(has(product(64), ".contract") && has(product(64), ".accumulate"));
  EXPECT_FALSE(has(product(64), "AddF"));
  // Over parts of a split axis: two tensors that take turns, and the Vector Engine.
  EXPECT_TRUE(has(product(8192), "begin_interleaved") && has(product(8192), "AddF"));
  // Over slices: the Inter-Slice Block.
  std::string const norm = text_of([](Context& ctx) {
    kernels::RmsNorm const n(rngd, 1, 8192, 1e-5f);
    (void)n(ctx, dyn::Tensor::hbm_at(0, bf, dyn::one, n.layout()), dyn::Tensor::hbm_at(1 << 20, bf, dyn::one, n.column_layout()));
  });
  EXPECT_TRUE(has(norm, "vector_inter_slice_reduce"));
  // Over chips: DMA, then the same as for a split axis.
  std::string const sums = text_of(
      [](Context& ctx) {
        kernels::AllReduce const sum(rngd, bf, 4, 16, 1024, kernels::Moves::rotations);
        (void)sum(ctx, dyn::Tensor::hbm_at(0, bf, dyn::axis("Of4", 4), sum.layout()));
      },
      4);
  EXPECT_TRUE(has(sums, "begin_interleaved") && has(sums, "AddF"));
  EXPECT_TRUE(has(sums, "chip_shuffle"));
  EXPECT_FALSE(has(sums, "vector_inter_slice_reduce"));
}
TEST(LlamaBook, LLM_07_rotations_are_gathered_by_position) {
  // w_rope [s_max, d_k', 2, 2]; t_rope = gather(position, w_rope), position(i) = i.
  Chip chip;
  kernels::LlamaConfig const c = kernels::llama_3_8b();
  constexpr std::int64_t positions = 12, tokens = 7, columns = 256;
  auto const table = kernels::rotation_table(positions, kernels::rope_frequencies(c));
  Matrix w{positions, columns, {}};
  for (std::size_t i = 0; i < table.size(); ++i) w.value.push_back(table.data<bf16>()[i].to_float());
  kernels::Embedding const gather(rngd, tokens, positions, columns);
  dyn::HostTensor position(ScalarType::i32, gather.numbers_layout());
  for (std::int64_t i = 0; i < tokens; ++i) position.data<i32>()[i] = i32::from_int(i);
  auto const t = launch(gather, chip.ctx, chip.up(w), position.to_hbm(chip.ctx.pdma, dyn::one, gather.numbers_layout())).get();
  Matrix const t_rope = chip.down(t, tokens, columns);
  for (std::int64_t p = 0; p < tokens; ++p)
    for (std::int64_t pair = 0; pair < 64; ++pair) {
      double const angle = static_cast<double>(p) / std::pow(500000.0, static_cast<double>(pair) / 64);
      auto const at = [&](std::int64_t from, std::int64_t to) { return static_cast<double>(t_rope.at(p, pair * 4 + from * 2 + to)); };
      EXPECT_NEAR(at(0, 0), std::cos(angle), 1.0 / 256);
      EXPECT_NEAR(at(0, 1), std::sin(angle), 1.0 / 256);
      EXPECT_EQ(at(1, 0), -at(0, 1));
      EXPECT_EQ(at(1, 1), at(0, 0));
    }
}
TEST(LlamaBook, LLM_08_rotated_queries) { check_rope(h_q, s_in, 0); }
TEST(LlamaBook, LLM_09_rotated_keys) { check_rope(h_kv, s_in, 0); }
TEST(LlamaBook, LLM_17_output_projection) { check_product(41, B * s_in, D, h_q * d_k); }
TEST(LlamaBook, LLM_18_residual_of_attention) { check_sum(51, B * s_in); }
TEST(LlamaBook, LLM_19_norm_before_the_feed_forward_layer) { check_norm(61, B * s_in); }
void check_activation(std::int64_t rows) {
  Chip chip;
  Matrix const gate = random_matrix(71, rows, F), up = random_matrix(72, rows, F);
  Matrix const exact = matrix_of(rows, F, [&](std::int64_t r, std::int64_t c) {
    double const g = gate.at(r, c);
    return g / (1 + std::exp(-g)) * static_cast<double>(up.at(r, c));
  });
  expect_rounded(chip.down(launch(kernels::SwiGlu(rngd, rows, F), chip.ctx, chip.up(gate), chip.up(up)).get(), rows, F), exact);
}
void check_feed_forward(std::int64_t rows) {
  check_activation(rows);
  check_product(74, rows, F, D);
  check_product(76, rows, D, F);
}
TEST(LlamaBook, LLM_20_swiglu) { check_feed_forward(B * s_in); }
TEST(LlamaBook, LLM_21_residual_of_the_feed_forward_layer) { check_sum(81, B * s_in); }

/// The head's own kernel: the norm of the last row, and the product, of weights that are not the embedding's.
void check_head(std::int64_t rows) {
  Chip chip;
  kernels::LlamaConfig config;
  config.vocabulary = V;
  config.hidden = D;
  kernels::LlamaHead const head(rngd, config, rows);
  Matrix const x = random_matrix(91, rows, D), w = random_matrix(92, 1, D), lm = random_matrix(93, V, D);
  auto const logits =
      launch(head, chip.ctx, chip.up(x), chip.up(w, head.norm().column(), head.norm().column_layout()), chip.up(lm, head.product())).get();
  Matrix const last = matrix_of(1, D, [&](std::int64_t, std::int64_t c) { return x.at(rows - 1, c); });
  Matrix normed = host_norm(last, w, config.norm_epsilon);
  Matrix const exact = host_product(normed, lm), found = chip.down(logits, 1, V);
  // The norm is rounded to bf16 before it is multiplied: each product is off by up to 2^-9 of itself.
  for (std::int64_t v = 0; v < V; ++v) {
    double sizes = 0;
    for (std::int64_t i = 0; i < D; ++i) sizes += std::abs(static_cast<double>(normed.at(0, i)) * static_cast<double>(lm.at(v, i)));
    EXPECT_NEAR(found.at(0, v), exact.at(0, v), sizes / 512 + std::abs(static_cast<double>(exact.at(0, v))) / 256) << v;
  }
}
TEST(LlamaBook, LLM_22_final_norm) { check_norm(101, s_in); }
TEST(LlamaBook, LLM_23_head_of_the_last_token) { check_head(s_in); }
TEST(LlamaBook, LLM_25_embedding_of_one_token) { check_embedding(1); }
TEST(LlamaBook, LLM_26_query_key_and_value_of_one_token) {
  check_product(111, B, h_q * d_k, D);
  check_product(113, B, h_kv * d_k, D);
  check_product(115, 1, h_q * d_k, D);
}
TEST(LlamaBook, LLM_27_the_token_after_s_others_has_position_s) {
  // The book counts s with the new token, and positions from 0: position s - 1.
  check_rope(h_q, 1, 9);
  check_rope(h_kv, 1, 9);
}
TEST(LlamaBook, LLM_31_feed_forward_layer_of_one_token) { check_feed_forward(B); }
TEST(LlamaBook, LLM_32_head_without_slicing) { check_head(1); }

}  // namespace
}  // namespace tcp
