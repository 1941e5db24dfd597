// Few rows of bf16 times many columns, as in a decode step: the columns are read once, where they lie, and nothing is
// packed. To pack a column would cost more than to multiply it.
//
// A vector of 32-bit words holds two neighbouring k per lane, so the first level of the tree is a sum of two products
// within each lane. From then on a level joins two vectors into one: sums of neighbouring lanes of the one, then of the
// other. After all levels the vector has the sums of as many packets as it has lanes, in their order. The packets are
// neighbours in one column, so that memory is read from one end to the other; their sums are added up afterwards, for
// several columns at a time. Where k is shared out among several products, as among slices, a column is read for all of
// them before the next one.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>

#include "exec/vector/contraction/kept.hpp"
#include "exec/vector/contraction/panels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exec/vector/contraction/few_rows.cpp"
#include <hwy/foreach_target.h>
// Highway wants to come second.
#include <hwy/highway.h>

#include "exec/vector/kernels/lanes_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tcp::vector::kernels::HWY_NAMESPACE {
namespace {

constexpr int packet = 32, held = static_cast<int>(hn::MaxLanes(F()));  // by a vector

template <int rows>
struct Sums {
  VF of[rows];
};

/// Sums of neighbouring lanes, of `low` and then of `high`.
HWY_INLINE VF neighbours_of(VF low, VF high) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Add(low, high);
#else
  F const d;
  return hn::Add(hn::ConcatEven(d, high, low), hn::ConcatOdd(d, high, low));
#endif
}
template <int rows>
HWY_INLINE Sums<rows> neighbours_of(const Sums<rows>& low, const Sums<rows>& high) {
  Sums<rows> sums;
  for (int r = 0; r < rows; ++r) sums.of[r] = neighbours_of(low.of[r], high.of[r]);
  return sums;
}

/// The lanes from `first` on of a packet, joined until they are one vector. `a`: the first of the rows.
template <int rows, int lanes>
HWY_INLINE Sums<rows> packet_sums(const float* a, std::int64_t row_stride, const std::byte* packet_at, int first) {
  F const d;
  I const words;
  Sums<rows> sums;
  if constexpr (lanes > held) {
    Sums<rows> const low = packet_sums<rows, lanes / 2>(a, row_stride, packet_at, first);
    return neighbours_of(low, packet_sums<rows, lanes / 2>(a, row_stride, packet_at, first + lanes / 2));
  } else {
    VI const pairs = hn::LoadU(words, reinterpret_cast<const std::int32_t*>(packet_at) + first);
    VF const even = hn::BitCast(d, hn::ShiftLeft<16>(pairs)), odd = hn::BitCast(d, hn::And(pairs, hn::Set(words, ~0xffff)));
    for (int r = 0; r < rows; ++r) {
      const float* const row = a + r * row_stride + first;
      sums.of[r] = hn::Add(hn::Mul(even, hn::Load(d, row)), hn::Mul(odd, hn::Load(d, row + packet / 2)));
    }
  }
  return sums;
}

/// Packets from `first` on, joined until they are one vector: `each` of a column, and then those of the next one.
template <int rows, int each, int packets>
HWY_INLINE Sums<rows> joined_packets(const FewColumns& in, const std::byte* const* column, const float* a, const std::int64_t* offset,
                                     int first) {
  if constexpr (packets == 1) {
    std::int64_t const at = offset[first % each];
    __builtin_prefetch(column[first / each + in.ahead] + at, 0, 2);  // the first-level cache is full of the rows
    return packet_sums<rows, packet / 2>(a + first % each * packet, in.row_stride, column[first / each] + at, 0);
  } else {
    Sums<rows> const low = joined_packets<rows, each, packets / 2>(in, column, a, offset, first);
    return neighbours_of(low, joined_packets<rows, each, packets / 2>(in, column, a, offset, first + packets / 2));
  }
}

template <int rows, int each>
void sum_packets(const FewColumns& in) {
  F const d;
  constexpr int columns = held / each;
  for (int column = 0; column < columns_at_once; column += columns)
    for (std::int64_t at = 0; at < in.packets; at += each) {
      Sums<rows> const some = joined_packets<rows, each, held>(in, in.column + column, in.rows + at * packet, in.offset + at, 0);
      for (int r = 0; r < rows; ++r) hn::Store(some.of[r], d, in.sums + r * in.sums_stride + at * columns_at_once + column * each);
    }
}
template <int each>
PacketsKernel kernel_of_each(int rows) {
  return rows == 1 ? sum_packets<1, each> : sum_packets<2, each>;
}

}  // namespace

int packets_in_vector() { return held; }

PacketsKernel packets_kernel_of(int rows, [[maybe_unused]] int each) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (held >= 16)
    if (each == 16) return kernel_of_each<16>(rows);
  if constexpr (held >= 8)
    if (each == 8) return kernel_of_each<8>(rows);
  if (each == 4) return kernel_of_each<4>(rows);
  if (each == 2) return kernel_of_each<2>(rows);
#endif
  return kernel_of_each<1>(rows);
}

}  // namespace tcp::vector::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tcp::vector::kernels {

HWY_EXPORT(packets_in_vector);
HWY_EXPORT(packets_kernel_of);

namespace {

constexpr int packet = 32, depth = 5;
/// Packets that stay in the first-level cache with the rows'.
constexpr std::int64_t packets_at_once = 64;
/// Packets take as long to come from memory as so many others to be multiplied.
constexpr std::int64_t packets_ahead = 128;

/// How many packets of a column a vector holds beside those of others: a divisor of their number.
int packets_side_by_side(std::int64_t packets) {
  return static_cast<int>(std::min<std::int64_t>(HWY_DYNAMIC_DISPATCH(packets_in_vector)(), packets & -packets));
}

/// Whether each packet of a factor lies side by side in memory.
bool has_whole_packets(const Factor& factor, std::int64_t steps) {
  for (std::int64_t k = 0; k < steps * packet; ++k)
    if (factor.inner[k] != factor.inner[k / packet * packet] + k % packet) return false;
  return true;
}

/// Adds up some packets, in their order, to the sums of so many columns. They lie `each` at a time side by side, of all
/// columns.
void add_up(const float* packets, int each, std::int64_t first, std::int64_t end, float* sums) {
  constexpr int some = 8;
  static_assert(columns_at_once % some == 0);
  for (int column = 0; column < columns_at_once; column += some) {
    float sum[some];
    std::copy_n(sums + column, some, sum);
    for (std::int64_t at = first; at < end; ++at) {
      const float* const here = packets + at / each * each * columns_at_once + column * each + at % each;
#pragma GCC unroll 8
      for (int i = 0; i < some; ++i) sum[i] += here[i * each];
    }
    std::copy_n(sum, some, sums + column);
  }
}

/// Products that suit, their packets one after the other.
class FewRows {
 public:
  FewRows(const Contraction& c, std::span<const Apart> products, Workspace& workspace)
      : c_(c),
        products_(products),
        packets_(std::ssize(products) * c.steps),
        kept_(kept_columns(c, products)),
        each_(packets_side_by_side(packets_)),
        ahead_(static_cast<int>(std::min<std::int64_t>(ceil_div(packets_ahead, packets_), columns_at_once))),
        one_(HWY_DYNAMIC_DISPATCH(packets_kernel_of)(1, each_)),
        two_(HWY_DYNAMIC_DISPATCH(packets_kernel_of)(2, each_)) {
    auto const floats = [&](int which, std::int64_t count) {
      return reinterpret_cast<float*>(workspace.buffer(which, static_cast<std::size_t>(count) * sizeof(float)));
    };
    rows_ = floats(0, c.rows * packets_ * packet);
    offset_ = reinterpret_cast<std::int64_t*>(workspace.buffer(1, static_cast<std::size_t>(packets_) * sizeof(std::int64_t)));
    sums_count_ = std::ssize(products) * c.rows * columns_at_once;
    sums_ = floats(2, sums_count_ + c.rows * columns_at_once * packets_at_once);
    of_packets_ = sums_ + sums_count_;
    for (std::int64_t r = 0; r < c.rows; ++r) widen(r);
    for (std::int64_t i = 0; i < packets_; ++i) offset_[i] = 2 * (kept_ ? i * packet : product_of(i).b + c.b.inner[i % c.steps * packet]);
  }

  void run() {
    // After the last column comes the last again, whose sums nobody looks at.
    const std::byte* column[2 * columns_at_once];
    for (std::int64_t first = 0; first < c_.columns; first += columns_at_once) {
      for (std::int64_t i = 0; i < 2 * columns_at_once; ++i) column[i] = column_at(std::min(first + i, c_.columns - 1));
      std::int64_t const here = std::min<std::int64_t>(columns_at_once, c_.columns - first);
      std::fill_n(sums_, sums_count_, -0.0f);
      for (std::int64_t at = 0; at < packets_; at += packets_at_once) {
        sum_packets(column, at);
        add_up_from(at, std::min(packets_at_once, packets_ - at));
      }
      auto* const results = reinterpret_cast<std::uint32_t*>(sums_);
      finish_line(TileKernels::Finish::canonical_nan, results, 0, results, sums_count_);
      const std::uint32_t* line = results;
      for (const Apart& product : products_)
        for (std::int64_t r = 0; r < c_.rows; ++r, line += columns_at_once)
          for (std::int64_t i = 0; i < here; ++i) c_.out[product.out + c_.out_row[r] + c_.out_column[first + i]] = line[i];
    }
  }

 private:
  const std::byte* column_at(std::int64_t i) const {
    return kept_ ? kept_.get() + 2 * i * packets_ * packet : c_.b.cells + 2 * c_.b.outer[i];
  }
  const Apart& product_of(std::int64_t packet_number) const { return products_[static_cast<std::size_t>(packet_number / c_.steps)]; }

  /// A row as numbers, packet by packet the even k and then the odd.
  void widen(std::int64_t row) {
    float* out = rows_ + row * packets_ * packet;
    for (std::int64_t i = 0; i < packets_; ++i) {
      const std::byte* const from = c_.a.cells + 2 * (c_.a.outer[row] + product_of(i).a);
      const std::int64_t* const inner = c_.a.inner + i % c_.steps * packet;
      for (int half = 0; half < 2; ++half)
        for (int k = half; k < packet; k += 2) {
          std::uint16_t bits;
          std::memcpy(&bits, from + 2 * inner[k], sizeof bits);
          *out++ = std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
        }
    }
  }

  void sum_packets(const std::byte* const* column, std::int64_t at) const {
    FewColumns in{.packets = std::min(packets_at_once, packets_ - at),
                  .row_stride = packets_ * packet,
                  .offset = offset_ + at,
                  .column = column,
                  .ahead = ahead_,
                  .sums_stride = columns_at_once * packets_at_once};
    for (std::int64_t r = 0; r < c_.rows; r += 2) {
      in.rows = rows_ + r * in.row_stride + at * packet;
      in.sums = of_packets_ + r * in.sums_stride;
      (c_.rows - r == 1 ? one_ : two_)(in);
    }
  }
  /// Some packets, each to its product's sums.
  void add_up_from(std::int64_t first, std::int64_t count) const {
    for (std::int64_t at = first; at < first + count;) {
      std::int64_t const product = at / c_.steps, end = std::min(first + count, (product + 1) * c_.steps);
      for (std::int64_t r = 0; r < c_.rows; ++r)
        add_up(of_packets_ + r * columns_at_once * packets_at_once, each_, at - first, end - first,
               sums_ + (product * c_.rows + r) * columns_at_once);
      at = end;
    }
  }

  const Contraction& c_;
  std::span<const Apart> products_;
  std::int64_t packets_;  // of all products
  std::shared_ptr<const std::byte> kept_;
  int each_, ahead_;  // packets of a column in a vector; columns
  PacketsKernel one_, two_;
  float *rows_ = nullptr, *sums_ = nullptr, *of_packets_ = nullptr;  // sums: [product][row][column]
  std::int64_t sums_count_ = 0;
  std::int64_t* offset_ = nullptr;
};

}  // namespace

bool suits_few_rows(const Contraction& c) {
  return c.rows >= 1 && c.rows <= most_rows_at_once && c.columns >= 8 && c.join == Join::add && c.depth == depth && c.leaves == nullptr &&
         c.a.type == ScalarType::bf16 && c.b.type == ScalarType::bf16 && has_whole_packets(c.b, c.steps);
}

void contract_few_rows(const Contraction& c, std::span<const Apart> products, Workspace& workspace) {
  FewRows(c, products, workspace).run();
}

}  // namespace tcp::vector::kernels

#endif
