// Rows by number, against plain copies.
#include "kernels/gather/gather.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kernels/lowered.hpp"
#include "kernels/nightly.hpp"
#include "recorder.hpp"
#include "tcp/runtime/launch.hpp"
#include "tcp/runtime/plan.hpp"
#include "tcp/support/random.hpp"

namespace tcp {
namespace {

constexpr BackendKind backends[] = {BackendKind::reference, BackendKind::vector, BackendKind::device};

Context context_on(BackendKind backend) {
  ContextOptions options;
  options.backend = backend;
  return Context::acquire(options);
}
dyn::HostTensor random_bf16(Random& random, const Mapping& element) {
  dyn::HostTensor t(ScalarType::bf16, element);
  for (std::size_t i = 0; i < t.size(); ++i) t.data<bf16>()[i] = bf16::from_bits(static_cast<std::uint32_t>(random.next() & 0xffff));
  return t;
}
dyn::HostTensor numbers_of(const std::vector<std::int64_t>& numbers) {
  dyn::HostTensor t(ScalarType::i32, dyn::axis("Which", static_cast<std::int64_t>(numbers.size())));
  for (std::size_t i = 0; i < numbers.size(); ++i) t.data<i32>()[i] = i32::from_int(numbers[i]);
  return t;
}

/// Wrong bits of tokens looked up in a table: patterns of all kinds, NaN among them, arrive as they are.
int wrong_words(BackendKind backend, std::int64_t words, std::int64_t columns, const std::vector<std::int64_t>& text) {
  auto ctx = context_on(backend);
  Random random(static_cast<std::uint64_t>(words + columns));
  auto const tokens = static_cast<std::int64_t>(text.size());
  kernels::Embedding const embed(rngd, tokens, words, columns);
  Mapping const w = dyn::axis("Word", words), c = dyn::axis("Column", columns), t = dyn::axis("T", tokens), d = dyn::axis("D", columns);
  auto const table = random_bf16(random, dyn::map(w, c));
  auto const in_hbm = table.to_hbm(ctx.pdma, dyn::one, kernels::rows_layout(rngd, ScalarType::bf16, w, c));
  auto const numbers = numbers_of(text);
  auto const rows =
      launch(embed, ctx, in_hbm, numbers.to_hbm(ctx.pdma, dyn::one, numbers.element())).get().to_host(ctx.pdma, dyn::map(t, d));
  int wrong = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    for (std::int64_t k = 0; k < columns; ++k)
      wrong += rows.data<bf16>()[static_cast<std::int64_t>(i) * columns + k] != table.data<bf16>()[text[i] * columns + k];
  return wrong;
}
std::vector<std::int64_t> any_text(Random& random, std::int64_t tokens, std::int64_t words) {
  std::vector<std::int64_t> text;
  for (std::int64_t i = 0; i < tokens; ++i) text.push_back(random.between(0, words - 1));
  return text;
}

TEST(Embedding, picks_rows_on_every_backend) {
  for (BackendKind backend : backends) {
    EXPECT_EQ(wrong_words(backend, 2, 1, {1}), 0);
    EXPECT_EQ(wrong_words(backend, 5, 128, {4, 4, 0, 4}), 0);  // a word twice
    EXPECT_EQ(wrong_words(backend, 50, 300, {0, 49, 7, 7, 21, 1, 2}), 0);
  }
}
TEST(Embedding, random_sizes) {
  Random random(8);
  for (int i = 0; i < nightly::cases(20); ++i) {
    std::int64_t const words = random.between(2, 400), columns = random.between(1, 700);
    EXPECT_EQ(wrong_words(BackendKind::vector, words, columns, any_text(random, random.between(1, 90), words)), 0)
        << words << " x " << columns;
  }
}
/// Vocabulary split nowhere, columns over four chips: each has its own part of every row.
TEST(Embedding, columns_over_chips) {
  for (BackendKind backend : backends) {
    auto ctx = context_on(backend);
    Random random(4);
    Mapping const w = dyn::axis("Word", 30), part = dyn::axis("Part", 4), c = dyn::axis("Column", 100), t = dyn::axis("T", 6),
                  d = dyn::axis("D", 100);
    kernels::Embedding const embed(rngd, 6, 30, 100);
    std::vector<std::int64_t> const text{3, 29, 0, 3, 11, 12};
    auto const table = random_bf16(random, dyn::map(part, w, c));
    auto const in_hbm = table.to_hbm(ctx.pdma, part, kernels::rows_layout(rngd, ScalarType::bf16, w, c));
    auto const numbers = numbers_of(text);
    auto const rows = launch<4>(embed, ctx, in_hbm, numbers.to_hbm(ctx.pdma, dyn::map(4), numbers.element()))
                          .get()
                          .to_host(ctx.pdma, dyn::map(part, t, d));
    for (std::int64_t p = 0; p < 4; ++p)
      for (std::int64_t i = 0; i < 6; ++i)
        for (std::int64_t k = 0; k < 100; ++k)
          ASSERT_EQ(rows.data<bf16>()[(p * 6 + i) * 100 + k], table.data<bf16>()[(p * 30 + text[static_cast<std::size_t>(i)]) * 100 + k])
              << name_of(backend);
  }
}
TEST(Embedding, a_number_beyond_the_table_is_refused) {
  for (BackendKind backend : {BackendKind::reference, BackendKind::vector})
    for (std::int64_t word : {50, -1}) EXPECT_EQ(build::code_of([&] { wrong_words(backend, 50, 10, {0, word}); }), "exec-no-such-row");
}

/// Rows into a cache of pages, here and there, then pages of it in some order.
void expect_pages_right(BackendKind backend, std::int64_t pages, std::int64_t page_rows, std::int64_t columns,
                        const std::vector<std::int64_t>& stored, const std::vector<std::int64_t>& list) {
  auto ctx = context_on(backend);
  Random random(static_cast<std::uint64_t>(pages * page_rows + columns));
  kernels::PagedRows const paged(rngd, ScalarType::bf16, pages, page_rows, columns);
  auto const rows = static_cast<std::int64_t>(stored.size()), loaded = static_cast<std::int64_t>(list.size());
  Mapping const all = dyn::axis("All", pages * page_rows), c = dyn::axis("Column", columns), t = dyn::axis("Row", rows);
  auto const before = random_bf16(random, dyn::map(all, c)), fresh = random_bf16(random, dyn::map(t, c));
  std::vector<bf16> expected(before.data<bf16>(), before.data<bf16>() + before.size());
  for (std::int64_t i = 0; i < rows; ++i)
    std::copy_n(fresh.data<bf16>() + i * columns, columns, expected.begin() + stored[static_cast<std::size_t>(i)] * columns);

  auto const cache = before.to_hbm(ctx.pdma, dyn::one, kernels::rows_layout(rngd, ScalarType::bf16, all, c));
  auto const new_rows = fresh.to_hbm(ctx.pdma, dyn::one, kernels::rows_layout(rngd, ScalarType::bf16, t, c));
  auto const where = numbers_of(stored), which = numbers_of(list);
  auto const step = [&paged](Context& on, const dyn::Tensor& in, const dyn::Tensor& to, const dyn::Tensor& put, const dyn::Tensor& from) {
    paged.store(on, in, to, put);
    return paged.load(on, in, from);
  };
  auto const got = launch(step, ctx, cache, where.to_hbm(ctx.pdma, dyn::one, where.element()), new_rows,
                          which.to_hbm(ctx.pdma, dyn::one, which.element()))
                       .get()
                       .to_host(ctx.pdma, dyn::map(dyn::axis("List", loaded), dyn::axis("Place", page_rows), dyn::axis("D", columns)));
  std::int64_t const page = page_rows * columns;
  for (std::int64_t i = 0; i < loaded; ++i)
    for (std::int64_t k = 0; k < page; ++k)
      ASSERT_EQ(got.data<bf16>()[i * page + k], expected[static_cast<std::size_t>(list[static_cast<std::size_t>(i)] * page + k)])
          << "page " << i << ", element " << k << " on " << name_of(backend);
}
TEST(PagedRows, stores_and_loads_on_every_backend) {
  for (BackendKind backend : backends) {
    expect_pages_right(backend, 2, 1, 1, {1}, {1});
    expect_pages_right(backend, 9, 16, 128, {5, 17, 143, 0}, {8, 0, 1});
    expect_pages_right(backend, 6, 4, 70, {23, 2}, {5, 0, 5, 2});
  }
}
TEST(PagedRows, random_pages) {
  Random random(9);
  for (int i = 0; i < nightly::cases(12); ++i) {
    std::int64_t const pages = random.between(2, 20), page_rows = std::int64_t{1} << random.between(0, 4), columns = random.between(1, 300);
    std::vector<std::int64_t> stored;
    for (std::int64_t row = 0; row < pages * page_rows; ++row)
      if (random.below(4) == 0 || row == 0) stored.push_back(row);
    for (std::size_t k = stored.size(); k > 1; --k) std::swap(stored[k - 1], stored[random.below(k)]);
    expect_pages_right(BackendKind::vector, pages, page_rows, columns, stored, any_text(random, random.between(1, 12), pages));
  }
}
TEST(PagedRows, a_row_stored_twice_is_refused) {
  EXPECT_EQ(build::code_of([] { expect_pages_right(BackendKind::vector, 2, 2, 8, {3, 3}, {0}); }), "exec-row-twice");
}
TEST(Gather, sizes_that_are_none) {
  for (std::int64_t none : {std::int64_t{0}, std::int64_t{-1}, INT64_MIN}) {
    EXPECT_EQ(build::code_of([&] { kernels::Embedding(rngd, none, 10, 10); }), "kernel-table-size") << none;
    EXPECT_EQ(build::code_of([&] { kernels::Embedding(rngd, 1, none, 10); }), "kernel-table-size") << none;
    EXPECT_EQ(build::code_of([&] { kernels::Embedding(rngd, 1, 10, none); }), "kernel-table-size") << none;
    EXPECT_EQ(build::code_of([&] { kernels::PagedRows(rngd, ScalarType::bf16, none, 4, 10); }), "kernel-table-size") << none;
    EXPECT_EQ(build::code_of([&] { kernels::PagedRows(rngd, ScalarType::bf16, 4, none, 10); }), "kernel-table-size") << none;
    EXPECT_EQ(build::code_of([&] { kernels::PagedRows(rngd, ScalarType::bf16, 4, 4, none); }), "kernel-table-size") << none;
  }
}
TEST(Gather, sizes_that_are_refused) {
  EXPECT_EQ(build::code_of([] { kernels::Embedding(rngd, 0, 10, 10); }), "kernel-table-size");
  EXPECT_EQ(build::code_of([] { kernels::Embedding(rngd, 1, 1, 10); }), "kernel-table-size");  // nothing to choose from
  EXPECT_EQ(build::code_of([] { kernels::Embedding(rngd, 1, std::int64_t{1} << 40, 8192); }), "kernel-table-size");
  EXPECT_EQ(build::code_of([] { kernels::PagedRows(rngd, ScalarType::bf16, std::int64_t{1} << 40, std::int64_t{1} << 40, 1); }),
            "kernel-table-size");
}

/// Bound / cycles in `book` for the largest published table: what is picked is read and written at the rate of HBM.
TEST(Embedding, is_near_its_bound) {
  kernels::Embedding const embed(rngd, 4096, 128256, 8192);
  ir::Module module = build::module_of([&](Context& ctx) {
    auto const table = dyn::Tensor::hbm_at(0, ScalarType::bf16, dyn::one, embed.table_layout());
    auto const numbers = dyn::Tensor::hbm_at(std::int64_t{1} << 32, ScalarType::i32, dyn::one, embed.numbers_layout());
    return embed(ctx, table, numbers);
  });
  auto const timed = value_or_throw(plan(build::lowered(std::move(module)), rngd));
  double const bound = static_cast<double>(cycles_of(embed.work(), rngd).bound().value);
  EXPECT_GE(bound / static_cast<double>(timed.schedule.makespan.value), 0.9);
  RecordProperty("cycles", std::to_string(timed.schedule.makespan.value));
}

}  // namespace
}  // namespace tcp
