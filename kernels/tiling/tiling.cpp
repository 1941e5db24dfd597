#include "kernels/tiling/tiling.hpp"

#include <algorithm>
#include <bit>

namespace tcp::kernels {
namespace {

constexpr std::int64_t largest = 16384;
constexpr std::int64_t few = 16;  // rows

std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
std::int64_t power_of_two_from(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1))));
}

/// Columns of C in a slice. A packet of A arrives as two flits, in two cycles: a second product of each is free, if there is one. But where rows are few B is
/// what takes the time, and more slices take it up faster.
std::int64_t columns_of(const Device& device, const GemmTiling& t, std::int64_t n) {
  std::int64_t const rows = device.levels.rows_per_slice;
  return t.few_rows || n <= rows ? rows : rows * (device.contraction.mac_bytes.value / device.flit.bytes.value);
}

/// Two buffers for A and for B, two for sums and one for what they add up to.
std::int64_t dm_bytes(const GemmTiling& t, std::int64_t element) {
  std::int64_t const sums = t.ring * t.rows * t.columns * 4;
  return 2 * t.rows * t.k * element + 2 * t.columns * t.k * element + 3 * sums;
}

}  // namespace

Expected<GemmTiling> tile_gemm(const Device& device, ScalarType type, std::int64_t m, std::int64_t n, std::int64_t k, Where at) {
  for (std::int64_t size : {m, n, k})
    if (size < 1 || size > largest)
      return refuse("kernel-gemm-size", at)
          .what("a product of ", m, " x ", k, " by ", k, " x ", n)
          .why("M, N and K are 1 to ", largest)
          .help("cut the product into parts of at most ", largest, ", and add up those along K");
  bool const known = type == ScalarType::bf16 || type == ScalarType::f8e4m3 || type == ScalarType::f8e5m2 || type == ScalarType::i8;
  if (!known)
    return refuse("kernel-gemm-type", at)
        .what("a product of ", type, " matrices")
        .why(
            "the Contraction Engine multiplies floating-point numbers of at most 16 bits and integers of at most 9; of these bf16, f8 and "
            "i8 lie in memory as they are")
        .help("convert the matrices to bf16, f8e4m3, f8e5m2 or i8");
  GemmTiling t;
  t.type = type;
  t.m = m;
  t.few_rows = m <= few;
  t.n = columns_at_once(device, t, n);
  std::int64_t const element = scalar_info(type).packet_bits / 8;
  std::int64_t const packet = device.contraction.mac_bytes.value / element;
  t.k = device.trf.slice_capacity.value / device.trf.halves / (columns_of(device, t, n) * element);
  t.k = std::min(t.k, quotient_up(k, packet) * packet);
  GemmTiling all = tile_of(device, t, t.m, t.n);
  while (all.dm_bytes > device.dm.slice_capacity.value / 2) {
    t.m = quotient_up(t.m, 2);
    all = tile_of(device, t, t.m, t.n);
  }
  return all;
}

std::int64_t columns_at_once(const Device& device, const GemmTiling& tiling, std::int64_t n) {
  std::int64_t const least = device.levels.clusters_per_chip * columns_of(device, tiling, n),
                     most = least * device.levels.slices_per_cluster;
  if (n < least) return n;
  return std::min(most, least * static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n / least))));
}

GemmTiling tile_of(const Device& device, const GemmTiling& whole, std::int64_t m, std::int64_t n) {
  std::int64_t const element = scalar_info(whole.type).packet_bits / 8;
  GemmTiling t = whole;
  t.m = m;
  t.n = n;
  t.packet = device.contraction.mac_bytes.value / element;
  t.flit = device.flit.bytes.value / element;
  t.columns = columns_of(device, t, n);
  t.reuse = t.columns / device.levels.rows_per_slice;
  t.trf_bytes = t.columns * t.k * element;
  std::int64_t const slices = device.levels.slices_per_cluster;
  t.across_n = power_of_two_from(quotient_up(n, device.levels.clusters_per_chip * t.columns));
  t.across_m = slices / t.across_n;
  std::int64_t const group = quotient_up(m, t.across_m);  // rows of A that one group of slices needs
  t.ring = std::min(t.across_n, power_of_two_from(group));
  t.rows = quotient_up(group, t.ring);
  t.dm_bytes = dm_bytes(t, element);
  return t;
}

std::string text_of(const GemmTiling& t) {
  auto const n = [](std::int64_t v) { return std::to_string(v); };
  return "tile " + n(t.m) + " x " + n(t.n) + " x " + n(t.k) + "\n" +                                          //
         "slices of a cluster: " + n(t.across_m) + " along M, " + n(t.across_n) + " along N\n" +              //
         "columns of C in a slice: " + n(t.columns) + ", a packet of A is used " + n(t.reuse) + " times\n" +  //
         "rows of A in a slice: " + n(t.rows) + ", handed round rings of " + n(t.ring) + "\n" +               //
         "DM of a slice: " + n(t.dm_bytes) + " bytes; half of its TRF: " + n(t.trf_bytes) + " bytes\n";
}

}  // namespace tcp::kernels
