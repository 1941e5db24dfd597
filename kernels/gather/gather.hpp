// Rows by number. A DMA engine reads the numbers from a tensor of i32 and goes to one row after the other, so that rows
// are picked, or put back, by one command.
//
//   kernels::Embedding const embed(rngd, tokens, words, columns);
//   auto const x = launch(embed, ctx, table, numbers).get();          // x[t] = table[numbers[t]]
//
// PagedRows is a cache whose rows lie in pages of a fixed number of rows, any page anywhere: a sequence is a list of
// page numbers. Who hands the pages out (the host) also says where new rows go: row `page * page_rows + place in the
// page`.
//
// A number beyond the table is refused when the program runs (exec-no-such-row), and so is one that a scatter names
// twice (exec-row-twice).
#pragma once

#include "kernels/rows/rows.hpp"
#include "kernels/work/work.hpp"
#include "tcp/dsl/dynamic.hpp"

namespace tcp::kernels {

/// out[t, :] = table[number[t], :].
class Embedding {
 public:
  /// Refused, by throwing: sizes below 1, tables of less than two rows or beyond HBM.
  Embedding(const Device& device, std::int64_t tokens, std::int64_t words, std::int64_t columns, ScalarType type = ScalarType::bf16,
            Where at = std::source_location::current());

  Mapping numbers_layout() const { return token_; }  // i32
  Mapping table_layout() const { return rows_layout(device_, type_, word_, column_); }
  Mapping out_layout() const { return rows_layout(device_, type_, token_, column_); }

  /// On several chips each picks from the table that it has: all columns, or a part of them.
  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& table, const dyn::Tensor& numbers) const;

  /// The work of a chip: each picked row is read and written.
  Work work() const;

 private:
  Device device_;
  ScalarType type_;
  Mapping token_, word_, column_;
};

class PagedRows {
 public:
  /// Refused, by throwing: sizes below 1, caches of less than two pages or beyond HBM.
  PagedRows(const Device& device, ScalarType type, std::int64_t pages, std::int64_t page_rows, std::int64_t columns,
            Where at = std::source_location::current());

  std::int64_t page_rows() const { return place_.size; }
  Mapping cache_layout() const { return rows_layout(device_, type_, dyn::map(page_, place_), column_); }
  /// Layouts of `rows` rows that are stored, and of `pages` pages that are loaded.
  Mapping stored_layout(std::int64_t rows) const { return rows_layout(device_, type_, dyn::axis("T", rows), column_); }
  Mapping loaded_layout(std::int64_t pages) const;

  /// All rows of the pages that the list names (i32), one page after the other. Rows of the last page that no one has
  /// stored yet are undefined.
  dyn::Tensor load(Context& ctx, const dyn::Tensor& cache, const dyn::Tensor& list) const;
  /// cache[number[t], :] = rows[t, :], with rows of all pages numbered from 0 on.
  void store(Context& ctx, const dyn::Tensor& cache, const dyn::Tensor& numbers, const dyn::Tensor& rows) const;

  Work work_of_load(std::int64_t pages) const;
  Work work_of_store(std::int64_t rows) const;

 private:
  Device device_;
  ScalarType type_;
  Mapping page_, place_, column_;
};

}  // namespace tcp::kernels
