// Sums over chips against host loops that add in the same order.
#include "kernels/collectives/collectives.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/lowered.hpp"
#include "kernels/nightly.hpp"
#include "recorder.hpp"
#include "tcp/runtime/launch.hpp"
#include "tcp/runtime/plan.hpp"
#include "tcp/support/random.hpp"

namespace tcp {
namespace {

using kernels::AllGather;
using kernels::AllReduce;
using kernels::Moves;
using kernels::ReduceScatter;
using kernels::Split;

constexpr BackendKind backends[] = {BackendKind::reference, BackendKind::vector, BackendKind::device};
constexpr ScalarType types[] = {ScalarType::bf16, ScalarType::f32, ScalarType::i32};

struct Size {
  std::int64_t rows, columns;
};

Context context_on(BackendKind backend) {
  ContextOptions options;
  options.backend = backend;
  return Context::acquire(options);
}
/// A kernel on as many chips as it is for.
template <class Kernel, class... Args>
dyn::Tensor run(const Kernel& kernel, Context& ctx, const Args&... args) {
  switch (kernel.parts().chips()) {
    case 2: return launch<2>(kernel, ctx, args...).get();
    case 4: return launch<4>(kernel, ctx, args...).get();
    default: return launch<8>(kernel, ctx, args...).get();
  }
}

// Elements as 32-bit words; formats by hand, for the oracle shares no code with the library.

std::uint32_t word_at(const dyn::HostTensor& t, std::int64_t at) {
  if (t.type() == ScalarType::bf16) return t.data<bf16>()[at].bits;
  return t.type() == ScalarType::f32 ? t.data<f32>()[at].bits : t.data<i32>()[at].bits;
}
void set_word(dyn::HostTensor& t, std::int64_t at, std::uint32_t word) {
  if (t.type() == ScalarType::bf16) t.data<bf16>()[at] = bf16::from_bits(word & 0xffff);
  else if (t.type() == ScalarType::f32) t.data<f32>()[at] = f32::from_bits(word);
  else t.data<i32>()[at] = i32::from_bits(word);
}
/// The chip has no subnormals: zeros of their sign are in their place, of operands and of results.
float flushed(float f) { return std::fpclassify(f) == FP_SUBNORMAL ? std::copysign(0.0f, f) : f; }
float number(ScalarType type, std::uint32_t word) {
  if (type == ScalarType::bf16) word <<= 16;
  float f;
  std::memcpy(&f, &word, sizeof f);
  return flushed(f);
}
std::uint32_t word_of(ScalarType type, float f) {
  std::uint32_t w;
  std::memcpy(&w, &f, sizeof w);
  if (std::isnan(f)) return type == ScalarType::bf16 ? 0x7fc0 : 0x7fc00000;
  if (type == ScalarType::f32) return w;
  std::uint32_t const rounded = (w + 0x7fff + ((w >> 16) & 1)) >> 16;
  return (rounded & 0x7f80) == 0 ? rounded & 0x8000 : rounded;
}
/// The words added one after the other.
std::uint32_t sum_of(ScalarType type, const std::vector<std::uint32_t>& words) {
  if (type == ScalarType::i32) {
    std::uint32_t sum = 0;
    for (std::uint32_t w : words) sum += w;
    return sum;
  }
  float sum = number(type, words[0]);
  for (std::size_t i = 1; i < words.size(); ++i) sum = flushed(sum + number(type, words[i]));
  return word_of(type, sum);
}

enum class Numbers { near_one, at_the_edges };

/// A matrix for every chip: numbers of size 1/8 to 16, or any integers; or any bits at all.
dyn::HostTensor matrices(Random& random, ScalarType type, std::int64_t chips, const Size& s, Numbers numbers = Numbers::near_one) {
  dyn::HostTensor t(type, dyn::map(dyn::axis("Chips", chips), dyn::axis("R", s.rows), dyn::axis("C", s.columns)));
  for (std::size_t at = 0; at < t.size(); ++at) {
    auto const bits = static_cast<std::uint32_t>(random.next());
    if (numbers == Numbers::at_the_edges) {  // often a zero, a subnormal, the largest, an infinity or a NaN
      constexpr std::uint32_t edges[] = {0, 1, 0x7fffff, 0x800000, 0x7f7f0000, 0x7f7fffff, 0x7f800000, 0x7fa50000};
      std::uint32_t const word = random.below(3) == 0 ? bits : (bits & 0x80000000) | edges[random.below(8)];
      set_word(t, static_cast<std::int64_t>(at), type == ScalarType::bf16 ? word >> 16 : word);
      continue;
    }
    std::uint32_t const near_one = (bits & 0x807fffff) | (124 + (bits >> 23) % 7) << 23;
    set_word(t, static_cast<std::int64_t>(at), type == ScalarType::i32 ? bits : type == ScalarType::f32 ? near_one : near_one >> 16);
  }
  return t;
}
dyn::Tensor uploaded(Context& ctx, const dyn::HostTensor& t, std::int64_t chips, const Size& s) {
  return t.to_hbm(ctx.pdma, dyn::axis("Chips", chips),
                  kernels::rows_layout(rngd, t.type(), dyn::axis("R", s.rows), dyn::axis("C", s.columns)));
}
/// The sum at a place of the matrix, as the chip that adds it up adds.
std::uint32_t expected_sum(const dyn::HostTensor& x, std::int64_t chips, std::int64_t size, std::int64_t at, std::int64_t adder,
                           Moves moves) {
  std::vector<std::uint32_t> words;
  for (std::int64_t k = 0; k < chips; ++k) words.push_back(word_at(x, (moves == Moves::at_once ? k : (adder + k) % chips) * size + at));
  return sum_of(x.type(), words);
}
/// Which chip has an element, by the sizes alone: equal parts, of whole units of HBM where they are columns.
std::int64_t owner(const kernels::Parts& parts, const Size& s, std::int64_t at) {
  std::int64_t const unit = parts.type() == ScalarType::bf16 ? 128 : 64, n = parts.chips();
  std::int64_t const units = (s.columns + unit - 1) / unit;
  if (parts.split() == Split::rows) return at / s.columns / ((s.rows + n - 1) / n);
  return at % s.columns / ((units + n - 1) / n * unit);
}

void expect_all_reduced(BackendKind backend, ScalarType type, std::int64_t chips, const Size& s, Moves moves = Moves::at_once,
                        Numbers numbers = Numbers::near_one) {
  SCOPED_TRACE(testing::Message() << s.rows << " x " << s.columns << " " << scalar_info(type).name << " on " << chips << " chips, "
                                  << name_of(backend));
  try {
    auto ctx = context_on(backend);
    Random random(static_cast<std::uint64_t>(s.rows * 1009 + s.columns));
    AllReduce const reduce(rngd, type, chips, s.rows, s.columns, moves);
    auto const x = matrices(random, type, chips, s, numbers);
    auto const y = run(reduce, ctx, uploaded(ctx, x, chips, s))
                       .to_host(ctx.pdma, dyn::map(chips, dyn::axis("Row", s.rows), dyn::axis("Col", s.columns)));
    std::int64_t const size = s.rows * s.columns;
    int wrong = 0;
    for (std::int64_t at = 0; at < size; ++at) {
      std::uint32_t const sum = expected_sum(x, chips, size, at, owner(reduce.parts(), s, at), moves);
      for (std::int64_t c = 0; c < chips; ++c) wrong += word_at(y, c * size + at) != sum;
    }
    EXPECT_EQ(wrong, 0);
  } catch (const Refused& r) {
    ADD_FAILURE() << r.what();
  }
}
/// The parts as chips have them, and all of them on each chip again.
void expect_scattered_and_gathered(BackendKind backend, ScalarType type, std::int64_t chips, const Size& s, Split split,
                                   Moves moves = Moves::at_once, const Device& device = rngd) {
  SCOPED_TRACE(testing::Message() << s.rows << " x " << s.columns << " " << scalar_info(type).name << " on " << chips << " chips, "
                                  << name_of(backend));
  try {
    auto ctx = context_on(backend);
    Random random(static_cast<std::uint64_t>(s.rows * 1009 + s.columns));
    ReduceScatter const reduce(device, type, chips, s.rows, s.columns, split, moves);
    AllGather const gather(device, type, chips, s.rows, s.columns, split);
    auto const x = matrices(random, type, chips, s);
    auto const parts = run(reduce, ctx, uploaded(ctx, x, chips, s));
    Mapping const row = dyn::axis("Row", s.rows), column = dyn::axis("Col", s.columns);
    auto const scattered = parts.to_host(ctx.pdma, dyn::map(row, column));
    auto const gathered = run(gather, ctx, parts).to_host(ctx.pdma, dyn::map(chips, row, column));
    std::int64_t const size = s.rows * s.columns;
    int wrong = 0;
    for (std::int64_t at = 0; at < size; ++at) {
      std::uint32_t const sum = expected_sum(x, chips, size, at, owner(reduce.parts(), s, at), moves);
      wrong += word_at(scattered, at) != sum;
      for (std::int64_t c = 0; c < chips; ++c) wrong += word_at(gathered, c * size + at) != sum;
    }
    EXPECT_EQ(wrong, 0);
  } catch (const Refused& r) {
    ADD_FAILURE() << r.what();
  }
}

TEST(Collectives, all_reduce_on_every_backend) {
  for (BackendKind backend : backends)
    for (ScalarType type : types) {
      expect_all_reduced(backend, type, 2, {3, 300});
      expect_all_reduced(backend, type, 4, {1, 1024});
      expect_all_reduced(backend, type, 8, {20, 130});
    }
}
TEST(Collectives, sizes_of_one_and_sizes_that_divide_by_nothing) {
  for (ScalarType type : types)
    for (std::int64_t chips : {2, 4, 8})
      for (Size s : {Size{1, 1}, {1, 8}, {9, 2}, {13, 129}, {1, 1031}}) expect_all_reduced(BackendKind::vector, type, chips, s);
  expect_all_reduced(BackendKind::device, ScalarType::bf16, 8, {1, 1});
}
TEST(Collectives, random_sizes) {
  Random random(28);
  for (int i = 0; i < nightly::cases(20); ++i) {
    auto const any = [&] { return random.between(1, std::int64_t{1} << random.between(0, 7)); };
    Size const s{any(), any()};
    expect_all_reduced(BackendKind::vector, types[i % 3], std::int64_t{2} << random.between(0, 2), s);
    expect_scattered_and_gathered(BackendKind::vector, types[i % 3], std::int64_t{2} << random.between(0, 2), s,
                                  i % 2 == 0 ? Split::rows : Split::columns);
  }
}
/// A kernel for a chip with little memory cuts early; the chip that it runs on has more.
TEST(Collectives, several_tiles) {
  Device little = rngd;
  little.dm.slice_capacity = Bytes{4096};
  for (Split split : {Split::rows, Split::columns}) {
    EXPECT_GT(ReduceScatter(little, ScalarType::bf16, 4, 600, 384, split).parts().tiles().size(), 1u);
    expect_scattered_and_gathered(BackendKind::vector, ScalarType::bf16, 4, {600, 384}, split, Moves::at_once, little);
    expect_scattered_and_gathered(BackendKind::vector, ScalarType::i32, 2, {300, 256}, split, Moves::rotations, little);
  }
}
TEST(Collectives, parts_on_every_backend) {
  for (BackendKind backend : backends)
    for (Split split : {Split::rows, Split::columns}) {
      expect_scattered_and_gathered(backend, ScalarType::bf16, 4, {6, 520}, split);
      expect_scattered_and_gathered(backend, ScalarType::i32, 8, {16, 70}, split);
      expect_scattered_and_gathered(backend, ScalarType::f32, 2, {5, 100}, split);
    }
}
/// The book's way: slices, shuffles, and the adder's own part first.
TEST(Collectives, rotations_on_every_backend) {
  for (BackendKind backend : backends)
    for (ScalarType type : types) {
      expect_scattered_and_gathered(backend, type, 4, {3, 512}, Split::columns, Moves::rotations);
      expect_scattered_and_gathered(backend, type, 2, {6, 70}, Split::rows, Moves::rotations);
      expect_all_reduced(backend, type, 8, {8, 40}, Moves::rotations);
    }
}
TEST(Collectives, infinities_and_NaN_stay) {
  auto ctx = context_on(BackendKind::vector);
  dyn::HostTensor x(ScalarType::bf16, dyn::map(dyn::axis("Chips", 2), dyn::axis("R", 1), dyn::axis("C", 4)));
  std::uint32_t const words[] = {0x7f80, 0x7f80, 0x7fff, 0x8000, 0x3f80, 0xff80, 0x3f80, 0x8000};  // inf, inf, NaN, -0; 1, -inf, 1, -0
  for (std::int64_t i = 0; i < 8; ++i) set_word(x, i, words[i]);
  AllReduce const reduce(rngd, ScalarType::bf16, 2, 1, 4);
  auto const y = run(reduce, ctx, uploaded(ctx, x, 2, {1, 4})).to_host(ctx.pdma, dyn::map(2, dyn::axis("Row", 1), dyn::axis("Col", 4)));
  std::uint32_t const sums[] = {0x7f80, 0x7fc0, 0x7fc0, 0x8000};
  for (std::int64_t i = 0; i < 8; ++i) EXPECT_EQ(word_at(y, i), sums[i % 4]) << i;
}
TEST(Collectives, numbers_at_the_edges_of_their_formats) {
  for (BackendKind backend : backends)
    for (ScalarType type : types)
      for (std::int64_t chips : {2, 4, 8})
        for (Moves moves : {Moves::at_once, Moves::rotations})
          expect_all_reduced(backend, type, chips, {8, 24}, moves, Numbers::at_the_edges);
}
/// What is gathered is moved, not computed: every bit arrives, whatever it means.
TEST(Collectives, all_gather_keeps_every_bit) {
  for (BackendKind backend : backends)
    for (ScalarType type : types)
      for (std::int64_t chips : {2, 4, 8})
        for (Split split : {Split::rows, Split::columns}) {
          auto ctx = context_on(backend);
          Random random(5);
          Size const s{9, 300};
          AllGather const gather(rngd, type, chips, s.rows, s.columns, split);
          Mapping const row = dyn::axis("Row", s.rows), column = dyn::axis("Col", s.columns);
          auto const any = matrices(random, type, 1, s, Numbers::at_the_edges);
          dyn::HostTensor whole(type, dyn::map(row, column));
          for (std::int64_t at = 0; at < s.rows * s.columns; ++at) set_word(whole, at, word_at(any, at));
          auto const parts = whole.to_hbm(ctx.pdma, gather.parts().part_chip(), gather.parts().part());
          auto const y = run(gather, ctx, parts).to_host(ctx.pdma, dyn::map(chips, row, column));
          int wrong = 0;
          for (std::int64_t at = 0; at < chips * s.rows * s.columns; ++at)
            wrong += word_at(y, at) != word_at(any, at % (s.rows * s.columns));
          EXPECT_EQ(wrong, 0) << chips << " chips on " << name_of(backend);
        }
}
TEST(Collectives, what_is_refused) {
  EXPECT_EQ(build::code_of([] { AllReduce(rngd, ScalarType::bf16, 3, 4, 4); }), "kernel-collective-chips");
  EXPECT_EQ(build::code_of([] { AllGather(rngd, ScalarType::i8, 2, 4, 4); }), "kernel-collective-type");
  EXPECT_EQ(build::code_of([] { ReduceScatter(rngd, ScalarType::bf16, 2, 0, 4); }), "kernel-collective-size");
  EXPECT_EQ(build::code_of([] { ReduceScatter(rngd, ScalarType::bf16, 2, std::int64_t{1} << 40, 1 << 20); }), "kernel-collective-size");
  EXPECT_EQ(build::code_of([] { AllReduce(rngd, ScalarType::bf16, 2, 1, 1 << 26); }), "kernel-collective-size");
  EXPECT_EQ(build::code_of([] { AllReduce(rngd, ScalarType::bf16, 2, 1, 1 << 22); }), "accepted");
  EXPECT_EQ(build::code_of([] { AllReduce(rngd, ScalarType::bf16, 4, 3, 130, Moves::rotations); }), "kernel-collective-rotations");
}

/// Bound / cycles in `book`.
template <class Kernel>
double share_of_bound(const Kernel& kernel, const Mapping& chip, const Mapping& element) {
  auto const& parts = kernel.parts();
  ir::Module module =
      build::module_of([&](Context& ctx) { return kernel(ctx, dyn::Tensor::hbm_at(0, parts.type(), chip, element)); }, parts.chips());
  auto const timed = value_or_throw(plan(build::lowered(std::move(module)), rngd));
  return static_cast<double>(cycles_of(kernel.work(), rngd).bound().value) / static_cast<double>(timed.schedule.makespan.value);
}
TEST(Collectives, are_near_the_time_of_PCIe) {
  for (std::int64_t n : {2, 4, 8})
    for (Moves moves : {Moves::at_once, Moves::rotations}) {
      AllReduce const reduce(rngd, ScalarType::bf16, n, 4096, 8192, moves);
      EXPECT_GE(share_of_bound(reduce, dyn::axis("Chips", n), reduce.layout()), 0.9) << n;
      ReduceScatter const scatter(rngd, ScalarType::bf16, n, 4096, 8192, Split::columns, moves);
      EXPECT_GE(share_of_bound(scatter, dyn::axis("Chips", n), scatter.parts().whole()), 0.85) << n;
    }
  for (std::int64_t n : {2, 4, 8}) {
    AllGather const gather(rngd, ScalarType::bf16, n, 4096, 8192);
    EXPECT_GE(share_of_bound(gather, gather.parts().part_chip(), gather.parts().part()), 0.93) << n;
  }
}
TEST(Collectives, work_is_what_must_cross) {
  EXPECT_EQ(AllReduce(rngd, ScalarType::bf16, 4, 10, 16).work().pcie_bytes, 2 * 320 * 3 / 4);
  EXPECT_EQ(ReduceScatter(rngd, ScalarType::f32, 8, 10, 16).work().pcie_bytes, 640 * 7 / 8);
  EXPECT_EQ(AllGather(rngd, ScalarType::i32, 2, 10, 16).work().pcie_bytes, 320);
}

}  // namespace
}  // namespace tcp
