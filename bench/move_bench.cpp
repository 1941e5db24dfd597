// Moves against a memcpy of as many bytes, one thread, 64 MB: the worst of a group of layouts counts.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "exec/vector/kernels/move.hpp"
#include "pairs.hpp"

namespace {

using namespace tcp::vector::kernels;

constexpr std::int64_t total_bytes = std::int64_t{64} << 20;

struct Buffer {
  std::byte* bytes = static_cast<std::byte*>(::operator new(total_bytes + 4096, std::align_val_t{4096}));
  explicit Buffer(int value) { std::memset(bytes, value, total_bytes + 4096); }
  ~Buffer() { ::operator delete(bytes, std::align_val_t{4096}); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
};

/// The axes of the source in its order, permuted: `order` names them in the destination's.
std::vector<MoveLoop> permutation(const std::vector<std::int64_t>& sizes, const std::vector<std::size_t>& order) {
  std::vector<MoveLoop> loops(sizes.size());
  std::int64_t stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0; stride *= sizes[i]) loops[i] = {sizes[i], stride, 0};
  stride = 1;
  for (std::size_t i = order.size(); i-- > 0; stride *= sizes[order[i]]) loops[order[i]].to = stride;
  return loops;
}

double ratio(const char* what, const std::vector<MoveLoop>& loops, int bytes, const Buffer& from, const Buffer& to) {
  double const r = bench::speed_ratio(
      9, [&] { move(loops, bytes, from.bytes, to.bytes); },
      [&] { std::memcpy(to.bytes, from.bytes, static_cast<std::size_t>(total_bytes)); });
  std::printf("# %s of %d-byte elements: %.2f\n", what, bytes, r);
  return r;
}

}  // namespace

int main() {
  Buffer const from(1), to(2);
  double runs[2] = {1e9, 1e9}, transposes[2] = {1e9, 1e9};  // of one byte; of more
  for (int const bytes : {1, 2, 4}) {
    std::int64_t const n = total_bytes / bytes, high = 4096, wide = n / high, packet = 32 / bytes;
    auto const runs_of = [&](const char* what, const std::vector<MoveLoop>& loops) {
      double& worst = runs[bytes > 1 ? 1 : 0];
      worst = std::min(worst, ratio(what, loops, bytes, from, to));
    };
    auto const transposes_of = [&](const char* what, const std::vector<MoveLoop>& loops) {
      double& worst = transposes[bytes > 1 ? 1 : 0];
      worst = std::min(worst, ratio(what, loops, bytes, from, to));
    };
    runs_of("copy", {{n, 1, 1}});
    runs_of("tiles of 32 x 32", permutation({high / 32, 32, wide / 32, 32}, {0, 2, 1, 3}));
    runs_of("rows of 64 exchanged", permutation({n / (256 * 64), 256, 64}, {1, 0, 2}));
    runs_of("packets of 32 bytes scattered over slices", permutation({n / (256 * 128 * packet), 8, 256, 16, packet}, {2, 0, 1, 3, 4}));
    transposes_of("transpose", permutation({high, wide}, {1, 0}));
    transposes_of("transposes of 64 x 256", permutation({n / (64 * 256), 64, 256}, {0, 2, 1}));
  }
  bench::print_ratio("move_runs_ge32_1b_vs_memcpy", runs[0]);
  bench::print_ratio("move_runs_ge32_vs_memcpy", runs[1]);
  bench::print_ratio("transpose_1b_vs_memcpy", transposes[0]);
  bench::print_ratio("transpose_vs_memcpy", transposes[1]);
}
