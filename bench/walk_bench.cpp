// What the structure of the kernels gains over interpreters that walk element by element: an odometer for the source, one for the destination, and a checked
// load and store for each element. The walk keeps its wheels in vectors, as it must when it learns the shape at run time.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "exec/vector/kernels/contraction.hpp"
#include "exec/vector/kernels/move.hpp"
#include "pairs.hpp"

namespace {

using namespace tcp;
using namespace tcp::vector::kernels;

/// Offsets in the order of nested loops, innermost wheel first.
class Odometer {
 public:
  struct Wheel {
    std::int64_t size, stride;
  };
  explicit Odometer(std::vector<Wheel> wheels) : wheels_(std::move(wheels)), digits_(wheels_.size()) {
    for (Wheel const& w : wheels_) left_ *= w.size;
  }
  bool next(std::int64_t& offset) {
    if (left_-- == 0) return false;
    offset = offset_;
    for (std::size_t i = 0; i < wheels_.size(); ++i) {
      if (digits_[i] + 1 < wheels_[i].size) {
        ++digits_[i];
        offset_ += wheels_[i].stride;
        break;
      }
      offset_ -= digits_[i] * wheels_[i].stride;
      digits_[i] = 0;
    }
    return true;
  }

 private:
  std::vector<Wheel> wheels_;
  std::vector<std::int64_t> digits_;
  std::int64_t offset_ = 0, left_ = 1;
};

using Halves = std::vector<std::uint16_t>;

void walk(const std::vector<MoveLoop>& loops, const Halves& from, Halves& to) {
  std::vector<Odometer::Wheel> read, write;
  for (auto l = loops.rbegin(); l != loops.rend(); ++l) {
    read.push_back({l->size, l->from});
    write.push_back({l->size, l->to});
  }
  Odometer source(read), destination(write);
  std::int64_t f = 0, t = 0;
  while (source.next(f) && destination.next(t)) to.at(static_cast<std::size_t>(t)) = from.at(static_cast<std::size_t>(f));
}

/// `to` has room for a line more, so that it can begin on one, as storage does.
double relayout_ratio(std::vector<MoveLoop> loops, const Halves& from, Halves& to) {
  std::sort(loops.begin(), loops.end(), [](const MoveLoop& a, const MoveLoop& b) { return a.to > b.to; });
  Halves walked(from.size());
  walk(loops, from, walked);
  auto* const start = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(to.data()) + 63) / 64 * 64);
  double const ratio = bench::speed_ratio(
      5, [&] { move(loops, 2, reinterpret_cast<const std::byte*>(from.data()), start); }, [&] { walk(loops, from, walked); });
  return std::memcmp(start, walked.data(), walked.size() * sizeof(walked[0])) == 0 ? ratio : 0;
}

/// Rows of a, columns of b, both [outer][k] of bf16: each product found by odometers, each tree of 32 summed in its order.
void walk_contraction(std::int64_t n, const Halves& a, const Halves& b, std::vector<float>& out) {
  for (std::int64_t row = 0; row < n; ++row)
    for (std::int64_t column = 0; column < n; ++column) {
      Odometer left({{32, 1}, {n / 32, 32}}), right({{32, 1}, {n / 32, 32}});
      std::int64_t i = 0, j = 0;
      float sum = 0, tree[32];
      for (std::int64_t k = 0; left.next(i) && right.next(j); ++k) {
        float const x = std::bit_cast<float>(std::uint32_t{a.at(static_cast<std::size_t>(row * n + i))} << 16);
        float const y = std::bit_cast<float>(std::uint32_t{b.at(static_cast<std::size_t>(column * n + j))} << 16);
        tree[k % 32] = x * y;
        if (k % 32 != 31) continue;
        for (int width = 32; width > 1; width /= 2)
          for (int p = 0; p < width / 2; ++p) tree[p] = tree[2 * p] + tree[2 * p + 1];
        sum = k == 31 ? tree[0] : sum + tree[0];
      }
      out.at(static_cast<std::size_t>(row * n + column)) = sum;
    }
}

double contraction_ratio(std::int64_t n) {
  std::mt19937 random(3);
  auto const count = static_cast<std::size_t>(n * n);
  Halves a(count), b(count);
  for (Halves* const halves : {&a, &b})
    for (std::uint16_t& h : *halves) h = static_cast<std::uint16_t>((random() & 0x807f) | (115 + random() % 25) << 7);
  std::vector<float> walked(count), out(count);
  std::vector<std::int64_t> rows, ks;
  for (std::int64_t i = 0; i < n; ++i) {
    rows.push_back(i * n);
    ks.push_back(i);
  }
  Contraction c;
  c.a = {ScalarType::bf16, reinterpret_cast<const std::byte*>(a.data()), rows.data(), ks.data()};
  c.b = {ScalarType::bf16, reinterpret_cast<const std::byte*>(b.data()), rows.data(), ks.data()};
  c.rows = c.columns = n;
  c.steps = n / 32;
  c.depth = 5;
  c.out = reinterpret_cast<std::uint32_t*>(out.data());
  c.out_row = rows.data();
  c.out_column = ks.data();
  Workspace workspace;
  double const ratio = bench::speed_ratio(5, [&] { contract(c, workspace); }, [&] { walk_contraction(n, a, b, walked); });
  return std::memcmp(out.data(), walked.data(), count * sizeof(float)) == 0 ? ratio : 0;
}

}  // namespace

int main() {
  bench::print_ratio("walk_structure_contraction", contraction_ratio(512));
  constexpr std::int64_t n = 4096;
  Halves from(n * n), to(n * n + 32);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::uint16_t>(i * 2654435761u >> 7);
  double worst = relayout_ratio({{n, n, 1}, {n, 1, n}}, from, to);
  worst = std::min(worst, relayout_ratio({{n / 32, 32 * n, 32 * n}, {32, n, 32}, {n / 32, 32, 1024}, {32, 1, 1}}, from, to));
  worst = std::min(worst, relayout_ratio({{n * n / 16384, 16384, 64}, {256, 64, n * n / 256}, {64, 1, 1}}, from, to));
  bench::print_ratio("walk_structure_relayout", worst);
}
