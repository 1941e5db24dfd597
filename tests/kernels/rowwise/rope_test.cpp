// RoPE against a host loop: two exact products, one sum in f32, rounded to bf16. Equal to the last bit.
#include "kernels/rowwise/rope/rope.hpp"

#include "host_rows.hpp"
#include "kernels/nightly.hpp"

namespace tcp {
namespace {

/// [position, pair, f, j]
struct Table {
  std::int64_t positions, pairs;
  std::vector<float> value;
  float at(std::int64_t s, std::int64_t p, std::int64_t f, std::int64_t j) const {
    return value[static_cast<std::size_t>(((s * pairs + p) * 2 + f) * 2 + j)];
  }
};

host::Matrix expected(const host::Matrix& x, const Table& t, const kernels::RopeSizes& s) {
  host::Matrix y(x.rows, x.columns);
  for (std::int64_t r = 0; r < x.rows; ++r)
    for (std::int64_t h = 0; h < s.heads; ++h)
      for (std::int64_t p = 0; p < s.head / 2; ++p)
        for (std::int64_t j = 0; j < 2; ++j) {
          std::int64_t const c = h * s.head + 2 * p;
          auto const product = [&](std::int64_t f) { return host::flushed(x.at(r, c + f) * t.at(s.start + r, p, f, j)); };
          y.at(r, c + j) = product(0) + product(1);
        }
  return y;
}

void expect_right(BackendKind backend, const kernels::RopeSizes& s, const host::Matrix& x) {
  SCOPED_TRACE(testing::Message() << s.tokens << " tokens, " << s.heads << " heads of " << s.head << " from " << s.start << " of "
                                  << s.positions << " on " << name_of(backend));
  try {
    kernels::Rope const rope(rngd, s);
    dyn::HostTensor const table = kernels::rotation_table(s.positions, kernels::rope_frequencies(s.head, 500'000));
    Table t{s.positions, s.head / 2, {}};
    for (std::size_t i = 0; i < table.size(); ++i) t.value.push_back(host::of_bf16(table.data<bf16>()[i].bits));
    ContextOptions options;
    options.backend = backend;
    auto ctx = Context::acquire(options);
    auto const y = launch(rope, ctx, x.upload(ctx), table.to_hbm(ctx.pdma, dyn::one, rope.table_layout())).get();
    auto const on_host = y.to_host(ctx.pdma, dyn::map(rope.row(), rope.column()));
    std::vector<std::uint32_t> bits;
    for (std::size_t i = 0; i < on_host.size(); ++i) bits.push_back(on_host.data<bf16>()[i].bits);
    EXPECT_EQ(host::different(bits, expected(x.flushed(), t, s)), 0) << text_of(rope.spread());
  } catch (const Refused& r) {
    ADD_FAILURE() << r.what();
  }
}

void expect_right(BackendKind backend, const kernels::RopeSizes& s) {
  Random random(static_cast<std::uint64_t>(s.tokens * 1009 + s.heads * 31 + s.head));
  expect_right(backend, s, host::Matrix(s.tokens, s.heads * s.head, random));
}

TEST(Rope, LLM_07_the_table_turns_by_position_times_frequency) {
  constexpr std::int64_t positions = 5, head = 8;
  dyn::HostTensor const table = kernels::rotation_table(positions, kernels::rope_frequencies(head, 10'000));
  ASSERT_EQ(table.size(), std::size_t{positions * head / 2 * 2 * 2});
  for (std::size_t s = 0; s < positions; ++s)
    for (std::size_t p = 0; p < head / 2; ++p) {
      double const angle = static_cast<double>(s) / std::pow(10'000, 2 * static_cast<double>(p) / head);
      double const turn[] = {std::cos(angle), std::sin(angle), -std::sin(angle), std::cos(angle)};
      for (std::size_t i = 0; i < 4; ++i)
        EXPECT_EQ(table.data<bf16>()[(s * (head / 2) + p) * 4 + i].bits, host::to_bf16(static_cast<float>(turn[i]))) << s << " " << p;
    }
}
TEST(Rope, LLM_08_queries) {
  expect_right(BackendKind::vector, {.tokens = 20, .heads = 64, .head = 128, .positions = 32});
  expect_right(BackendKind::vector, {.tokens = 700, .heads = 4, .head = 64, .positions = 1024});
  expect_right(BackendKind::vector, {.tokens = 1030, .heads = 3, .head = 32, .positions = 1030});
}
TEST(Rope, LLM_09_keys) { expect_right(BackendKind::vector, {.tokens = 20, .heads = 8, .head = 128, .positions = 32}); }
TEST(Rope, LLM_10_neighbours_are_a_pair) {
  // A quarter turn of pair 1 of a head: (x, y) becomes (-y, x). All others stay.
  constexpr std::int64_t head = 8;
  host::Matrix x(1, head);
  x.value = {1, 2, 3, 4, 5, 6, 7, 8};
  dyn::HostTensor table(ScalarType::bf16, kernels::rotation_table(1, kernels::rope_frequencies(head, 1)).element());
  for (std::size_t p = 0; p < head / 2; ++p) {
    float const c = p == 1 ? 0.0f : 1.0f, s = p == 1 ? 1.0f : 0.0f;
    float const turn[] = {c, s, -s, c};
    for (std::size_t i = 0; i < 4; ++i) table.data<bf16>()[4 * p + i] = bf16::from_float(turn[i]);
  }
  kernels::Rope const rope(rngd, {.tokens = 1, .heads = 1, .head = head, .positions = 1});
  auto ctx = Context::acquire();
  auto const y =
      launch(rope, ctx, x.upload(ctx), table.to_hbm(ctx.pdma, dyn::one, rope.table_layout())).get().to_host(ctx.pdma, rope.column());
  float const right[] = {1, 2, -4, 3, 5, 6, 7, 8};
  for (std::size_t c = 0; c < head; ++c) EXPECT_EQ(y.data<bf16>()[c].to_float(), right[c]) << c;
}
TEST(Rope, LLM_27_a_token_at_a_position) {
  expect_right(BackendKind::vector, {.tokens = 1, .heads = 32, .head = 128, .positions = 100, .start = 99});
  expect_right(BackendKind::vector, {.tokens = 1, .heads = 8, .head = 128, .positions = 100, .start = 40});
}
TEST(Rope, random_sizes) {
  Random random(50);
  for (int i = 0; i < nightly::cases(16); ++i) {
    kernels::RopeSizes s{.tokens = random.between(1, 60), .heads = random.between(1, 12), .head = 8 * random.between(1, 12)};
    s.start = random.between(0, 9);
    s.positions = s.start + s.tokens + random.between(0, 3);
    expect_right(BackendKind::vector, s);
  }
}
TEST(Rope, the_same_on_every_backend) {
  for (BackendKind backend : {BackendKind::reference, BackendKind::device}) {
    expect_right(backend, {.tokens = 1, .heads = 4, .head = 32, .positions = 9, .start = 8});
    expect_right(backend, {.tokens = 12, .heads = 4, .head = 128, .positions = 12});
    expect_right(backend, {.tokens = 5, .heads = 3, .head = 24, .positions = 12, .start = 2});
  }
}

TEST(Rope, numbers_at_the_edges_of_their_format) {
  Random random(52);
  host::Matrix const x = host::at_the_edges(3 * 24, random);
  for (BackendKind backend : host::backends)
    expect_right(backend, {.tokens = x.rows, .heads = 3, .head = 24, .positions = 12, .start = 2}, x);
}

program::Program program_of(const kernels::RopeSizes& s) {
  kernels::Rope const rope(rngd, s);
  return host::program_of({s.tokens, s.heads * s.head}, 1, [&](Context& ctx, const std::vector<dyn::Tensor>& in) {
    return rope(ctx, in[0], dyn::Tensor::hbm_at(std::int64_t{1} << 34, ScalarType::bf16, dyn::one, rope.table_layout()));
  });
}
TEST(Rope, every_size_is_a_program) {
  Random random(51);
  for (int i = 0; i < nightly::cases(40); ++i) {
    kernels::RopeSizes s{.tokens = random.between(1, std::int64_t{1} << random.between(0, 13)), .heads = random.between(1, 64)};
    s.head = std::min<std::int64_t>(8 * random.between(1, 64), kernels::longest_row / s.heads / 8 * 8);
    s.positions = s.tokens + 7;
    s.start = random.between(0, 7);
    EXPECT_EQ(build::code_of([&] { program_of(s); }), "accepted") << s.tokens << " tokens, " << s.heads << " heads of " << s.head;
  }
}
TEST(Rope, is_near_its_bound) {
  for (std::int64_t heads : {64, 8}) {
    kernels::RopeSizes const s{.tokens = 4096, .heads = heads, .head = 128, .positions = 8192};
    EXPECT_LE(host::ratio_to_bound(program_of(s), kernels::Rope(rngd, s).work()), 1.3) << heads;
  }
}
TEST(Rope, refuses_odd_heads_and_positions_that_the_table_has_not) {
  auto const code = [](const kernels::RopeSizes& s) { return build::code_of([&] { kernels::Rope(rngd, s); }); };
  for (std::int64_t head : {0, 4, 12, 520}) EXPECT_EQ(code({.tokens = 1, .heads = 1, .head = head, .positions = 1}), "kernel-rope-head");
  EXPECT_EQ(code({.tokens = 1, .heads = 0, .head = 64, .positions = 1}), "kernel-rope-head");
  EXPECT_EQ(code({.tokens = 5, .heads = 1, .head = 64, .positions = 4}), "kernel-rope-position");
  EXPECT_EQ(code({.tokens = 5, .heads = 1, .head = 64, .positions = 9, .start = 5}), "kernel-rope-position");
  EXPECT_EQ(code({.tokens = 5, .heads = 1, .head = 64, .positions = 9, .start = -1}), "kernel-rope-position");
  EXPECT_EQ(code({.tokens = 5, .heads = 1, .head = 64, .positions = INT64_MIN, .start = INT64_MAX}), "kernel-rope-position");
  EXPECT_EQ(code({.tokens = 1, .heads = INT64_MAX, .head = 64, .positions = 1}), "kernel-rope-head");
  EXPECT_EQ(code({.tokens = 0, .heads = 1, .head = 64, .positions = 9}), "kernel-rope-position");
  EXPECT_EQ(code({.tokens = 1, .heads = 64, .head = 512, .positions = 1}), "kernel-rows-size");
}

}  // namespace
}  // namespace tcp
