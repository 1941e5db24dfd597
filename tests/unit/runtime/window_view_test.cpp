// Tensors with plain axes, read as windows and with names for their zeros, on every backend; against the numbers that the host put there.
#include <gtest/gtest.h>

#include <functional>

#include "tcp/dsl/dynamic.hpp"
#include "tcp/runtime/launch.hpp"
#include "tcp/support/refused.hpp"

namespace tcp {
namespace {

using dyn::map;
using Kernel = std::function<dyn::Tensor(Context&, const dyn::Tensor&)>;

/// The number at a place of [K, X]: distinct ones.
dyn::HostTensor numbered(const Mapping& element) {
  dyn::HostTensor t(ScalarType::i32, element);
  for (std::size_t i = 0; i < t.size(); ++i) t.data<i32>()[i] = i32::from_bits(static_cast<std::uint32_t>(i + 1));
  return t;
}
Mapping window(const Mapping& outer, std::int64_t step, const Mapping& inner, std::int64_t inner_step = 1) {
  Slide const members[] = {{outer, step}, {inner, inner_step}};
  return slide_over(members);
}

/// What a kernel makes of [K, X] on a backend, as [K, W, F] of the host.
dyn::HostTensor made(BackendKind backend, const Mapping& plain, const Mapping& in_hbm, const Kernel& kernel, const Mapping& host) {
  ContextOptions options;
  options.backend = backend;
  auto ctx = Context::acquire(options);
  auto const x = numbered(plain).to_hbm(ctx.pdma, dyn::one, in_hbm);
  return launch(kernel, ctx, x).get().to_host(ctx.pdma, host);
}
constexpr BackendKind backends[] = {BackendKind::vector, BackendKind::reference, BackendKind::device};

Mapping const k = dyn::axis("K", 3), x = dyn::axis("X", 16), w = dyn::axis("W", 5), f = dyn::axis("F", 4);
Mapping const sliding = window(w, 3, f), idle = dyn::one.pad(2), slices = k.pad(256);  // 3 * 4 + 3 + 1 = 16 places

int wrong_in(const dyn::HostTensor& y) {
  int wrong = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j)
      for (int l = 0; l < 4; ++l) wrong += static_cast<int>(y.data<i32>()[(i * 5 + j) * 4 + l].bits) != i * 16 + 3 * j + l + 1;
  return wrong;
}

TEST(WindowView, is_unfolded_by_a_transfer) {
  for (BackendKind b : backends) {
    auto const from_hbm = [](Context& c, const dyn::Tensor& t) { return t.reshape(map(k, sliding)).to_hbm(c.tdma, map(w, k, f)); };
    EXPECT_EQ(wrong_in(made(b, map(k, x), map(k, x), from_hbm, map(k, w, f))), 0) << name_of(b);
    auto const from_dm = [](Context& c, const dyn::Tensor& t) {
      return t.to_dm(c.tdma, idle, slices, x).reshape(sliding).to_dm(c.tdma, idle, w.pad(256), map(k, f)).to_hbm(c.tdma, map(w, k, f));
    };
    EXPECT_EQ(wrong_in(made(b, map(k, x), map(k, x), from_dm, map(k, w, f))), 0) << name_of(b);
  }
}
TEST(WindowView, is_moved_as_it_is_and_unfolded_by_the_host) {
  for (BackendKind b : backends) {
    auto const kernel = [](Context& c, const dyn::Tensor& t) { return t.reshape(map(k, sliding)).to_hbm(c.tdma, map(k, sliding)); };
    EXPECT_EQ(wrong_in(made(b, map(k, x), map(k, x), kernel, map(k, w, f))), 0) << name_of(b);
  }
}
TEST(WindowView, is_fetched_by_a_pass) {
  for (BackendKind b : backends) {
    auto const kernel = [](Context& c, const dyn::Tensor& t) {
      return dyn::main(c)
          .begin(t.to_dm(c.tdma, idle, slices, x).reshape(sliding))
          .fetch(ScalarType::i32, w, f)
          .collect(w, f.pad(8))
          .commit(map(w, f))
          .to_hbm(c.tdma, map(k, w, f));
    };
    EXPECT_EQ(wrong_in(made(b, map(k, x), map(k, x), kernel, map(k, w, f))), 0) << name_of(b);
  }
}
/// Steps that leave places out, and one that begins in the middle of the tensor.
TEST(WindowView, of_a_tile) {
  Mapping const two = dyn::axis("T", 2), three = dyn::axis("U", 3);
  for (BackendKind b : backends) {
    auto const kernel = [&](Context& c, const dyn::Tensor& t) {
      return t.tile(x, 10, 5).reshape(map(k, window(two, 5, three, 2).pad(16))).to_hbm(c.tdma, map(k, two, three));
    };
    dyn::HostTensor const y = made(b, map(k, x), map(k, x), kernel, map(k, two, three));
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 2; ++j)
        for (int l = 0; l < 3; ++l)
          EXPECT_EQ(static_cast<int>(y.data<i32>()[(i * 2 + j) * 3 + l].bits), i * 16 + 5 + 5 * j + 2 * l + 1) << name_of(b);
  }
}
TEST(NamedZeros, are_read_as_elements) {
  Mapping const five = dyn::axis("V", 5), eight = dyn::axis("E", 8);
  for (BackendKind b : backends) {
    auto const kernel = [&](Context& c, const dyn::Tensor& t) {
      return t.to_dm(c.tdma, idle, slices, five.pad_zero(8)).reshape(eight).to_hbm(c.tdma, map(k, eight));
    };
    dyn::HostTensor const y = made(b, map(k, five), map(k, five.pad_zero(8)), kernel, map(k, eight));
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 8; ++j) EXPECT_EQ(static_cast<int>(y.data<i32>()[i * 8 + j].bits), j < 5 ? i * 5 + j + 1 : 0) << name_of(b);
  }
}

std::string code_of(const Kernel& kernel) {
  try {
    (void)made(BackendKind::vector, map(k, x), map(k, x), kernel, map(k, x));
  } catch (const Refused& r) {
    return r.refusal().code;
  }
  return "accepted";
}
TEST(WindowView, is_not_written) {
  auto const by_transfer = [](Context& c, const dyn::Tensor& t) {
    auto const to = dyn::Tensor::hbm(c, ScalarType::i32, dyn::one, map(k, x));
    dyn::dma(c.tdma, t.reshape(map(k, sliding)), to.reshape(map(k, sliding)));
    return to;
  };
  EXPECT_EQ(code_of(by_transfer), "ir-view-read-only");
  auto const by_commit = [](Context& c, const dyn::Tensor& t) {
    auto const in = t.to_dm(c.tdma, idle, slices, x), to = dyn::Tensor::dm(c, ScalarType::i32, dyn::one, idle, slices, x);
    dyn::main(c).begin(in.reshape(sliding)).fetch(ScalarType::i32, w, f).collect(w, f.pad(8)).commit_view(to.reshape(sliding));
    return to.to_hbm(c.tdma, map(k, x));
  };
  EXPECT_EQ(code_of(by_commit), "sequence-write-window");
  auto const by_memset = [](Context& c, const dyn::Tensor& t) {
    auto const in = t.to_dm(c.tdma, idle, slices, x);
    dyn::memset(c, in.reshape(sliding), 0);
    return in.to_hbm(c.tdma, map(k, x));
  };
  EXPECT_EQ(code_of(by_memset), "ir-view-read-only");
}

}  // namespace
}  // namespace tcp
