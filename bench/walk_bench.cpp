// Whole kernels in the vector interpreter against loops that walk a tensor element by element, as an interpreter of
// mappings does that knows nothing better: an odometer over (size, stride) wheels gives the offset of each element,
// which is loaded and stored on its own, bounds checked; a second one says where in the destination it is live.
#include <cstdint>
#include <cstdio>
#include <optional>
#include <tcp/tcp.hpp>
#include <utility>
#include <vector>

#include "pairs.hpp"

using namespace tcp;

namespace {

TCP_AXES(I = 512, J = 512, K = 512);
TCP_AXES(H = 4096, W = 4096);
using Chip = m<1>;

class Odometer {
 public:
  /// Size and stride of each wheel, the fastest first.
  explicit Odometer(std::vector<std::pair<std::size_t, std::size_t>> wheels) : wheels_(std::move(wheels)), at_(wheels_.size(), 0) {}
  std::size_t next() {
    std::size_t const here = offset_;
    for (std::size_t i = 0; i < wheels_.size(); ++i) {
      if (at_[i] + 1 < wheels_[i].first) {
        ++at_[i];
        offset_ += wheels_[i].second;
        break;
      }
      offset_ -= at_[i] * wheels_[i].second;
      at_[i] = 0;
    }
    return here;
  }

 private:
  std::vector<std::pair<std::size_t, std::size_t>> wheels_;
  std::vector<std::size_t> at_;
  std::size_t offset_ = 0;
};

/// The position of each element in the destination, none where it is padding: a row at a time, and an odometer over the
/// rows.
class LivePositions {
 public:
  /// Sizes, the fastest first.
  explicit LivePositions(std::vector<std::size_t> sizes) : sizes_(std::move(sizes)), at_(sizes_.size(), 0), row_(0) {}
  std::optional<std::size_t> next() {
    std::optional<std::size_t> const here = row_ ? std::optional(*row_ + in_row_) : std::nullopt;
    if (++in_row_ == sizes_[0]) next_row();
    return here;
  }

 private:
  void next_row() {
    in_row_ = 0;
    std::size_t step = sizes_[0];
    for (std::size_t i = 1; i < sizes_.size(); ++i) {
      if (at_[i] + 1 < sizes_[i]) {
        ++at_[i];
        begin_ += step;
        row_ = begin_;
        return;
      }
      begin_ -= at_[i] * step;
      at_[i] = 0;
      step *= sizes_[i];
    }
    row_.reset();
  }

  std::vector<std::size_t> sizes_, at_;
  std::size_t in_row_ = 0, begin_ = 0;
  std::optional<std::size_t> row_;
};

auto gemm(Context& ctx, const HbmTensor<bf16, Chip, m<I, K>>& a, const HbmTensor<bf16, Chip, m<J, K>>& b)
    -> HbmTensor<bf16, Chip, m<I, J>> {
  using Cluster = m<J / 256>;
  using Slice = m<I / 32, J / 16 % 16>;
  auto a_dm = a.to_dm<Cluster, Slice, m<I % 32, K>>(ctx.tdma, 0);
  auto b_dm = b.to_dm<Cluster, Slice, m<J % 16, K>>(ctx.tdma, 1 << 17);
  auto weights = ctx.sub.begin(b_dm.view())
                     .fetch<bf16, m<J % 8, J / 8 % 2, K / 16>, m<K % 16>>()
                     .collect<m<J % 8, J / 8 % 2, K / 16>, m<K % 16>>()
                     .to_trf<m<J % 8>, m<J / 8 % 2, K>>(TrfAddress::Full);
  auto c_dm = ctx.main.begin(a_dm.view())
                  .fetch<bf16, m<I % 32, J / 8 % 2, K / 16>, m<K % 16>>()
                  .collect<m<I % 32, J / 8 % 2, K / 16>, m<K % 16>>()
                  .align<m<I % 32, J / 8 % 2, K / 32>, m<K % 32>>(weights)
                  .contract<m<1>>()
                  .accumulate<m<I % 32, J / 8 % 2>, m<J % 8>>(AccumulationKind::Interleaved)
                  .cast<bf16, m<(J % 8).pad(16)>>()
                  .commit<m<I % 32, J % 16>>(1 << 18);
  return c_dm.to_hbm<m<I, J>>(ctx.tdma, 2 << 28);
}

auto tiles(Context& ctx, const HbmTensor<i8, Chip, m<H, W>>& in) -> HbmTensor<i8, Chip, m<H / 32, W / 32, H % 32, W % 32>> {
  auto dm = in.to_dm<m<one.pad(2)>, m<H / 16>, m<H % 16, W>>(ctx.tdma, 0);
  return dm.to_hbm<m<H / 32, W / 32, H % 32, W % 32>>(ctx.tdma, 1 << 28);
}

/// The products of the kernel, one by one, each operand found by an odometer of its own.
void walk_products(const std::vector<bf16>& a, const std::vector<bf16>& b, std::vector<bf16>& c) {
  Odometer in_a({{32, 1}, {16, 32}, {512, 0}, {512, 512}}), in_b({{32, 1}, {16, 32}, {512, 512}, {512, 0}});
  for (std::size_t out = 0; out < c.size(); ++out) {
    float total = 0;
    for (std::size_t step = 0; step < 16; ++step) {
      float tree[32];
      for (float& leaf : tree) leaf = a.at(in_a.next()).to_float() * b.at(in_b.next()).to_float();
      for (std::size_t width = 32; width > 1; width /= 2)
        for (std::size_t k = 0; k < width / 2; ++k) tree[k] = tree[2 * k] + tree[2 * k + 1];
      total = step == 0 ? tree[0] : total + tree[0];
    }
    c.at(out) = bf16::from_float(total);
  }
}

void walk_tiles(const std::vector<i8>& in, std::vector<i8>& out) {
  Odometer from({{32, 1}, {32, 4096}, {128, 32}, {128, 32 * 4096}});
  LivePositions to({32, 32, 128, 128});
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::size_t const source = from.next();
    if (auto const position = to.next()) out.at(*position) = in.at(source);
  }
}

template <class T>
std::vector<T> numbers(const T* from, std::size_t count) {
  return std::vector<T>(from, from + count);
}

}  // namespace

int main() try {
  ContextOptions options;
  options.backend = BackendKind::vector;
  options.threads = 1;
  auto ctx = Context::acquire(options);
  Random random(6);
  {
    auto const a = HostTensor<bf16, m<I, K>>::rand(random);
    auto const b = HostTensor<bf16, m<J, K>>::rand(random);
    auto const a_hbm = a.to_hbm<Chip, m<I, K>>(ctx.pdma, 0);
    auto const b_hbm = b.to_hbm<Chip, m<J, K>>(ctx.pdma, 1 << 28);
    auto const walked_a = numbers(a.data(), 512 * 512), walked_b = numbers(b.data(), 512 * 512);
    std::vector<bf16> walked(512 * 512);
    bench::print_ratio(
        "walk_structure_contraction",
        bench::speed_ratio(5, [&] { (void)launch(gemm, ctx, a_hbm, b_hbm).get(); }, [&] { walk_products(walked_a, walked_b, walked); }));
    auto const c = launch(gemm, ctx, a_hbm, b_hbm).get().to_host<m<I, J>>(ctx.pdma);
    for (std::size_t i = 0; i < walked.size(); ++i)
      if (c[i].bits != walked[i].bits) return std::puts("the products differ"), 1;
  }
  auto const x = HostTensor<i8, m<H, W>>::rand(random);
  auto const x_hbm = x.to_hbm<Chip, m<H, W>>(ctx.pdma, 0);
  auto const walked_x = numbers(x.data(), std::size_t{4096} * 4096);
  std::vector<i8> walked(walked_x.size());
  bench::print_ratio("walk_structure_relayout",
                     bench::speed_ratio(9, [&] { (void)launch(tiles, ctx, x_hbm).get(); }, [&] { walk_tiles(walked_x, walked); }));
  auto const y = launch(tiles, ctx, x_hbm).get().to_host<m<H / 32, W / 32, H % 32, W % 32>>(ctx.pdma);
  for (std::size_t i = 0; i < walked.size(); ++i)
    if (y[i].bits != walked[i].bits) return std::puts("the tiles differ"), 1;
  return 0;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
