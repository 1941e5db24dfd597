// The kernel as its users see it: sizes, layouts in HBM, the tiling. How a product is computed is in run.cpp (the
// tiles, and the order of commands) and tile.cpp (the commands of one tile).
#include "kernels/gemm/gemm.hpp"

#include <algorithm>

#include "kernels/gemm/run.hpp"
#include "kernels/parts/counts.hpp"
#include "kernels/parts/views.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::kernels {

using dyn::map;

Gemm::Gemm(const Device& device, ScalarType type, std::int64_t m, std::int64_t n, std::int64_t k, Where at)
    : device_(device),
      tiling_(value_or_throw(tile_gemm(device, type, m, n, k, at))),
      m_(dyn::axis("M", m)),
      n_(dyn::axis("N", n)),
      k_(dyn::axis("K", k)) {}

Verdict check_batch(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k, Where at) {
  if (batch >= 1 && batch <= largest_batch) return accept();
  return refuse("kernel-gemm-batch", at)
      .what("a batch of ", batch, " products of ", m, " x ", k, " by ", k, " x ", n)
      .why("each product has commands of its own, and a program of more than ", largest_batch,
           " products would take too long to check and to schedule")
      .help("give a batch 1 to ", largest_batch, " products; with one B for all of them, write one product with more rows");
}
Gemm Gemm::batched(const Device& device, ScalarType type, std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k, Where at) {
  throw_if_refused(check_batch(batch, m, n, k, at));
  Gemm made(device, type, m, n, k, at);
  made.batch_ = axis_of("G", batch);
  made.tiling_ = value_or_throw(tile_gemm(device, type, m, n, k, at, batch));
  return made;
}

Mapping Gemm::b_layout_of(const Mapping& matrices) const {
  Mapping const columns = map(axis_of("Copy", copies_of_b(device_, type(), n_.size)), n_);
  std::int64_t const block = block_of_k(device_, type(), k_.size);
  if (block < k_.size) return map(matrices, k_ / block, columns, k_ % block);
  return map(matrices, columns, k_.pad(padded_columns(device_, type(), k_.size)));
}
Mapping Gemm::b_layout() const { return b_layout_of(batch_); }
Mapping Gemm::table_layout(std::int64_t count) const { return b_layout_of(axis_of("Of", count)); }

Work Gemm::work() const {
  std::int64_t const element = element_bytes(type()), of_c = element_bytes(c_type());
  Work w;
  w.type = type();
  w.multiply_adds = batch_.size * m_.size * n_.size * k_.size;
  w.hbm_bytes = batch_.size * ((m_.size + n_.size) * k_.size * element + m_.size * n_.size * of_c);
  w.dm_bytes = w.hbm_bytes;
  return w;
}

GemmTiling Gemm::tile_at(std::int64_t column) const {
  std::int64_t first = 0, n = columns_at_once(device_, tiling_, tiling_.width);
  while (first + n <= std::min(column, tiling_.width - 1)) {
    first += n;
    n = columns_at_once(device_, tiling_, tiling_.width - first);
  }
  return tile_of(device_, tiling_, tiling_.m, n);
}

dyn::Tensor Gemm::operator()(Context& ctx, const dyn::Tensor& a, const dyn::Tensor& b) const { return product(ctx, a, b, batch_, {}); }
dyn::Tensor Gemm::chosen(Context& ctx, const dyn::Tensor& a, const dyn::Tensor& table, const dyn::Tensor& which) const {
  std::int64_t const count = table.levels()[Level::element].size / table_layout(1).size;
  return product(ctx, a, table, axis_of("Of", count), which.reshape(batch_));
}
dyn::Tensor Gemm::product(Context& ctx, const dyn::Tensor& a, const dyn::Tensor& b, const Mapping& matrices,
                          const dyn::Tensor& which) const {
  bool const whole = tiling_.width == n_.size;
  Mapping const of_b = dyn::axis("Nb", copies_of_b(device_, type(), n_.size) * n_.size), of_c = dyn::axis("Nc", tiling_.width);
  dyn::Tensor const c = dyn::Tensor::hbm(ctx, c_type(), a.levels()[Level::chip], whole ? c_layout() : map(batch_, m_, of_c));
  gemm::record(ctx, device_, *this, {a, b, c.reshape(map(batch_, m_, of_c)), of_b, of_c, matrices, which});
  if (whole) return c;
  Mapping const padded = map(batch_, m_, n_.pad(tiling_.width));
  return c.tile(of_c, n_.size, 0).reshape(padded).to_hbm(ctx.tdma, c_layout());
}

}  // namespace tcp::kernels
