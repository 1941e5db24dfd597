// Every chip runs the same commands on a part of the same size; this file says which part that is.
#include "kernels/gemm/gemm_on_chips.hpp"

#include <algorithm>

#include "tcp/support/refused.hpp"

namespace tcp::kernels {
namespace {

using dyn::map;

Gemm part_of(const Device& device, ScalarType type, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t chips, GemmSplit over,
             Where at) {
  std::int64_t& divided = over == GemmSplit::m ? m : over == GemmSplit::n ? n : k;
  divided = value_or_throw(part_on_chips(divided, chips, over, at));
  return Gemm(device, type, m, n, k, at);
}

}  // namespace

Expected<std::int64_t> part_on_chips(std::int64_t size, std::int64_t chips, GemmSplit over, Where at) {
  const char* const name = over == GemmSplit::m ? "M" : over == GemmSplit::n ? "N" : "K";
  if (chips >= 1 && size % chips == 0) return size / chips;
  return refuse("kernel-gemm-chips", at)
      .what("a product whose ", name, " of ", size, " is spread over ", chips, " chips")
      .why("every chip runs the same commands, on a part of the same size")
      .help("pad ", name, " to a multiple of the number of chips, or spread another size over them");
}

GemmOnChips::GemmOnChips(const Device& device, ScalarType type, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t chips,
                         GemmSplit over, Where at)
    : over_(over), chip_(dyn::axis("Chip", std::max<std::int64_t>(chips, 1))), each_(part_of(device, type, m, n, k, chips, over, at)) {}

Mapping GemmOnChips::host_a() const {
  Mapping const m = each_.m(), k = each_.k();
  return over_ == GemmSplit::m ? map(chip_, m, k) : over_ == GemmSplit::k ? map(m, chip_, k) : map(m, k);
}
Mapping GemmOnChips::host_b() const {
  Mapping const n = each_.n(), k = each_.k();
  return over_ == GemmSplit::n ? map(chip_, n, k) : over_ == GemmSplit::k ? map(n, chip_, k) : map(n, k);
}
Mapping GemmOnChips::host_c() const {
  Mapping const m = each_.m(), n = each_.n();
  return over_ == GemmSplit::n ? map(m, chip_, n) : map(chip_, m, n);
}

}  // namespace tcp::kernels
