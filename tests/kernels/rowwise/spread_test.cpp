// How rows are laid over slices: every row in some step, nothing beyond what a slice has.
#include "kernels/rowwise/spread/spread.hpp"

#include "host_rows.hpp"

namespace tcp {
namespace {

constexpr kernels::RowNeeds needs[] = {
    {}, {.passes = 3, .reduces = true, .vrf_column_bytes = 8, .vrf_row_bytes = 64}, {.column_unit = 96, .most_per_slice = 16}};

void expect_lawful(const host::Size& size, const kernels::RowNeeds& n) {
  kernels::RowSpread const s = value_or_throw(kernels::spread_rows(rngd, size.rows, size.columns, n));
  SCOPED_TRACE(text_of(s));
  EXPECT_GE(s.across * s.share, s.columns);
  EXPECT_LE(s.across, 256);
  EXPECT_EQ(s.across & (s.across - 1), 0);
  EXPECT_LE(s.step_rows, 512 / s.across * s.per_slice);
  EXPECT_LE(s.share * n.vrf_column_bytes + s.per_slice * n.vrf_row_bytes, 8192);
  EXPECT_LE(s.per_slice, n.most_per_slice);
  if (s.across > 1) {
    EXPECT_EQ(s.share * 2 % 256, 0);  // whole units of HBM
    EXPECT_EQ(s.share % n.column_unit, 0);
    EXPECT_EQ(s.columns % s.packet(), 0);
  }
  EXPECT_EQ(s.first_row(0), 0);
  for (std::int64_t step = 1; step < s.steps(); ++step) {
    EXPECT_GT(s.first_row(step), s.first_row(step - 1));
    EXPECT_LE(s.first_row(step), s.first_row(step - 1) + s.step_rows);
  }
  EXPECT_EQ(s.first_row(s.steps() - 1) + s.step_rows, s.rows);
}
TEST(RowSpread, every_row_is_done_and_everything_fits) {
  Random random(40);
  for (int i = 0; i < 300; ++i) {
    auto const any = [&](std::int64_t most) { return std::min(most, random.between(1, std::int64_t{1} << random.between(0, 20))); };
    expect_lawful({any(kernels::most_rows), any(kernels::longest_row)}, needs[i % 3]);
  }
}
TEST(RowSpread, one_row_lies_over_many_slices) {
  auto const s = value_or_throw(kernels::spread_rows(rngd, 1, 8192, needs[1]));
  EXPECT_GE(s.across, 32);
  EXPECT_EQ(s.step_rows, 1);
}
TEST(RowSpread, many_rows_go_in_steps) {
  auto const s = value_or_throw(kernels::spread_rows(rngd, 4096, 4096, needs[0]));
  EXPECT_GE(s.steps(), 2);
  EXPECT_EQ(s.across, 1);
}
TEST(RowSpread, says_what_it_chose) {
  kernels::RowSpread const s{.rows = 7, .columns = 5001, .across = 8, .share = 640, .per_slice = 1, .step_rows = 7};
  EXPECT_EQ(text_of(s),
            "7 x 5001: steps 1, rows of a step 7\n"
            "slices of a row 8, columns of a slice 640\n"
            "rows of a slice 1, columns reduced at once 1\n");
}
TEST(RowSpread, refuses_what_is_no_matrix_and_rows_that_are_too_long) {
  for (host::Size s : {host::Size{0, 1}, {1, 0}, {-1, 5}, {1, kernels::longest_row + 1}, {kernels::most_rows + 1, 1}})
    EXPECT_EQ(build::code_of([&] { value_or_throw(kernels::spread_rows(rngd, s.rows, s.columns, {})); }), "kernel-rows-size");
}
TEST(RowSpread, work_is_every_matrix_once) {
  kernels::Work const work = kernels::work_on_rows({.rows = 10, .columns = 300}, 3);
  EXPECT_EQ(work.hbm_bytes, 3 * 10 * 300 * 2);
  EXPECT_EQ(work.dm_bytes, work.hbm_bytes);
  EXPECT_EQ(work.multiply_adds, 0);
}

}  // namespace
}  // namespace tcp
