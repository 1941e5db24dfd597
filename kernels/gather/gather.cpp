// The look-ups, each one command of a DMA engine, and the check of their sizes.
#include "kernels/gather/gather.hpp"

#include "tcp/support/checked.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::kernels {
namespace {

std::int64_t bytes_of(ScalarType type, std::int64_t elements) { return elements * scalar_info(type).packet_bits / 8; }

void check_table(const Device& device, ScalarType type, std::int64_t picked, std::int64_t rows, std::int64_t columns, Where at) {
  bool const positive = picked >= 1 && rows >= 2 && columns >= 1;
  Checked const bytes = Checked(rows) * columns * scalar_info(type).packet_bits;
  if (positive && bytes.fits && bytes.value / 8 <= device.hbm.capacity.value && picked <= device.hbm.capacity.value / 4) return;
  throw Refused(refuse("kernel-table-size", at)
                    .what("a table of ", rows, " rows of ", columns, " ", type, ", of which ", picked, " are picked at once")
                    .why("there are at least two rows to pick from and one of each of the others, and the table is stored in the HBM of a "
                         "chip, which has ",
                         device.hbm.capacity)
                    .help("split the columns over several chips, or the rows over several tables"));
}

}  // namespace

Embedding::Embedding(const Device& device, std::int64_t tokens, std::int64_t words, std::int64_t columns, ScalarType type, Where at)
    : device_(device), type_(type) {
  check_table(device, type, tokens, words, columns, at);
  token_ = dyn::axis("T", tokens);
  word_ = dyn::axis("V", words);
  column_ = dyn::axis("D", columns);
}

dyn::Tensor Embedding::operator()(Context& ctx, const dyn::Tensor& table, const dyn::Tensor& numbers) const {
  return table.reshape(table_layout()).gather_to_hbm(ctx.tdma, "V", numbers.reshape(token_), out_layout());
}

Work Embedding::work() const { return {.type = type_, .hbm_bytes = 2 * bytes_of(type_, out_layout().size) + 4 * token_.size}; }

PagedRows::PagedRows(const Device& device, ScalarType type, std::int64_t pages, std::int64_t page_rows, std::int64_t columns, Where at)
    : device_(device), type_(type) {
  Checked const rows = Checked(pages) * page_rows;
  check_table(device, type, page_rows, pages < 2 || !rows.fits ? pages : rows.value, columns, at);
  page_ = dyn::axis("Page", pages);
  place_ = dyn::axis("Place", page_rows);
  column_ = dyn::axis("D", columns);
}

Mapping PagedRows::loaded_layout(std::int64_t pages) const {
  return rows_layout(device_, type_, dyn::map(dyn::axis("List", pages), place_), column_);
}

dyn::Tensor PagedRows::load(Context& ctx, const dyn::Tensor& cache, const dyn::Tensor& list) const {
  std::int64_t const pages = list.levels()[Level::element].size;
  return cache.reshape(cache_layout()).gather_to_hbm(ctx.tdma, "Page", list.reshape(dyn::axis("List", pages)), loaded_layout(pages));
}

void PagedRows::store(Context& ctx, const dyn::Tensor& cache, const dyn::Tensor& numbers, const dyn::Tensor& rows) const {
  std::int64_t const count = numbers.levels()[Level::element].size;
  Mapping const row = dyn::axis("Row", page_.size * place_.size);
  rows.reshape(stored_layout(count))
      .scatter(ctx.tdma, "Row", numbers.reshape(dyn::axis("T", count)),
               cache.view_mut().reshape(rows_layout(device_, type_, row, column_)));
}

Work PagedRows::work_of_load(std::int64_t pages) const {
  return {.type = type_, .hbm_bytes = 2 * bytes_of(type_, loaded_layout(pages).size) + 4 * pages};
}
Work PagedRows::work_of_store(std::int64_t rows) const {
  return {.type = type_, .hbm_bytes = 2 * bytes_of(type_, stored_layout(rows).size) + 4 * rows};
}

}  // namespace tcp::kernels
