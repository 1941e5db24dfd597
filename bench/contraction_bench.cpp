// The contraction in the chip's order against OpenBLAS's sgemm of the same shape, one thread each. OpenBLAS sums in the
// order that suits it.
#include <cblas.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "exec/vector/contraction/products.hpp"
#include "exec/vector/kernels/target.hpp"
#include "openblas.hpp"
#include "pairs.hpp"

namespace {

using namespace tcp;
using namespace tcp::vector::kernels;

std::vector<std::int64_t> steps_of(std::int64_t count, std::int64_t stride) {
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i < count; ++i) offsets.push_back(i * stride);
  return offsets;
}

/// A square problem: a[m][k], b[n][k] as the chip holds them, and the same numbers in f32.
struct Square {
  std::int64_t n;
  ScalarType type;
  std::vector<std::uint8_t> a, b;
  std::vector<float> a32, b32, c32;
  std::vector<std::uint32_t> out;
  std::vector<std::int64_t> rows, ks;
  Workspace workspace{};

  /// bf16 exponents from `least` on, 25 of them.
  Square(std::int64_t size, ScalarType t, std::uint32_t least) : n(size), type(t), rows(steps_of(size, size)), ks(steps_of(size, 1)) {
    std::mt19937 random(7);
    auto const count = static_cast<std::size_t>(n * n);
    for (auto [cells, floats] : {std::pair{&a, &a32}, std::pair{&b, &b32}})
      for (std::size_t i = 0; i < count; ++i) {
        auto const r = static_cast<std::uint32_t>(random());
        std::uint32_t const bits = type == ScalarType::bf16 ? (r & 0x807f) | (least + (r >> 8) % 25) << 7 : r & 0xff;
        for (int byte = 0; byte < cell_bytes(type); ++byte) cells->push_back(static_cast<std::uint8_t>(bits >> 8 * byte));
        // OpenBLAS always has ordinary numbers: it would pay for subnormal ones.
        floats->push_back(std::bit_cast<float>((r & 0x807f0000) | (115 + (r >> 8) % 25) << 23));
      }
    c32.resize(count);
    out.resize(count);
  }

  void ours(int threads) {
    Contraction c;
    c.a = {type, reinterpret_cast<const std::byte*>(a.data()), rows.data(), ks.data()};
    c.b = {type, reinterpret_cast<const std::byte*>(b.data()), rows.data(), ks.data()};
    c.rows = c.columns = n;
    c.depth = type == ScalarType::bf16 ? 5 : 6;
    c.steps = n >> c.depth;
    c.out = out.data();
    c.out_row = rows.data();
    c.out_column = ks.data();
    if (threads == 1) contract(c, workspace);
    else contract(c, threads);
  }
  void theirs() {
    int const size = static_cast<int>(n);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, size, size, size, 1, a32.data(), size, b32.data(), size, 0, c32.data(), size);
  }
  double ratio(int pairs, int threads = 1) {
    openblas_set_num_threads(threads);
    ours(threads);
    theirs();
    return bench::speed_ratio(pairs, [&] { ours(threads); }, [&] { theirs(); }, threads);
  }
};

}  // namespace

int main(int count, char** arguments) {
  bench::with_best_openblas(arguments);
  std::int64_t const largest = count > 1 ? std::atoll(arguments[1]) : 4096;
  for (std::int64_t const n : {1024, 2048, 4096})
    if (n <= largest)
      bench::print_ratio(("contraction_bf16_vs_openblas_" + std::to_string(n)).c_str(),
                         Square(n, ScalarType::bf16, 115).ratio(n < 4096 ? 9 : 5));
  std::int64_t const n = largest < 2048 ? largest : 2048;
  // Exponents as low as these let products fall below the smallest normal number.
  bench::print_ratio("contraction_bf16_unguarded_vs_openblas_2048", Square(n, ScalarType::bf16, 45).ratio(9));
  std::fprintf(stderr, "products of i8 by %s\n", usable_amx() ? "AMX" : "vectors");
  bench::print_ratio("contraction_i8_vs_openblas_2048", Square(n, ScalarType::i8, 0).ratio(9));
  bench::print_ratio("contraction_bf16_2_threads_vs_openblas_2048", Square(n, ScalarType::bf16, 115).ratio(9, 2));
}
