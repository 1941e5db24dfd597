// How fast the simulated chip is in the hands of its users: device cycles per second with values, the memory it takes
// beyond what a kernel touches, and how long the schedule of a large product of matrices takes, from the kernel in C++
// on.
#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "pairs.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/runtime/options.hpp"
#include "tcp/sim/machine.hpp"
#include "tcp/tcp.hpp"
#include "tcp/trace/trace.hpp"

using namespace tcp;

namespace {

using Chip = m<1>;
using Cluster = m<one.pad(2)>;

/// The kernel of lesson 06 with more to sum up: 512 x 512 x 512.
namespace lesson {

TCP_AXES(I = 512, J = 512, K = 512);
using Slice = m<I / 32, J / 32>;
using A = HbmTensor<bf16, Chip, m<I, K>>;
using B = HbmTensor<bf16, Chip, m<J, K>>;
using C = HbmTensor<bf16, Chip, m<I, J>>;

C gemm(Context& ctx, const A& a, const B& b) {
  auto a_dm = a.to_dm<Cluster, Slice, m<I % 32, K>>(ctx.tdma, 0);
  auto b_dm = b.to_dm<Cluster, Slice, m<J % 32, K>>(ctx.tdma, 1 << 15);
  auto weights = ctx.sub.begin(b_dm.view())
                     .fetch<bf16, m<J % 8, J / 8 % 4>, m<K>>()
                     .collect<m<J % 8, J / 8 % 4, K / 16>, m<K % 16>>()
                     .to_trf<m<J % 8>, m<J / 8 % 4, K>>(TrfAddress::Full);
  auto c_dm = ctx.main.begin(a_dm.view())
                  .fetch<bf16, m<I % 32, J / 8 % 4>, m<K>>()
                  .collect<m<I % 32, J / 8 % 4, K / 16>, m<K % 16>>()
                  .align<m<I % 32, J / 8 % 4, K / 32>, m<K % 32>>(weights)
                  .contract<m<1>>()
                  .accumulate<m<I % 32, J / 8 % 4>, m<J % 8>>(AccumulationKind::Interleaved)
                  .cast<bf16, m<(J % 8).pad(16)>>()
                  .commit<m<I % 32, J % 32>>(1 << 16);
  return c_dm.to_hbm<m<I, J>>(ctx.tdma, 2 << 28);
}

}  // namespace lesson

/// 4096 x 4096 x 4096: blocks of 512 x 512 of the result, a tile of 32 x 32 a slice, and for each the sum over eight
/// parts of K in place.
namespace large {

TCP_AXES(I = 4096, J = 4096, K = 4096);
using Slice = m<I / 32 % 16, J / 32 % 16>;
using A = HbmTensor<bf16, Chip, m<I, K>>;
using B = HbmTensor<bf16, Chip, m<J, K>>;
using C = HbmTensor<bf16, Chip, m<I, J>>;
using Sums = DmTensor<f32, Chip, Cluster, Slice, m<I % 32, J % 32>>;
constexpr int blocks = 8, parts = 8;

auto products(Context& ctx, const A& a, const B& b, int row, int column, int part) {
  std::int64_t const other = part % 2 * 0x8000;  // two buffers in turns
  auto a_dm = a.tile<m<I / 512>, 1>(row).tile<m<K / 512>, 1>(part).to_dm<Cluster, Slice, m<I % 32, K % 512>>(ctx.tdma, other);
  auto b_dm = b.tile<m<J / 512>, 1>(column).tile<m<K / 512>, 1>(part).to_dm<Cluster, Slice, m<J % 32, K % 512>>(ctx.tdma, 0x10000 + other);
  auto weights = ctx.sub.begin(b_dm.view())
                     .fetch<bf16, m<J % 8, J / 8 % 4>, m<K % 512>>()
                     .collect<m<J % 8, J / 8 % 4, K / 16 % 32>, m<K % 16>>()
                     .to_trf<m<J % 8>, m<J / 8 % 4, K % 512>>(TrfAddress::Full);
  return ctx.main.begin(a_dm.view())
      .fetch<bf16, m<I % 32, J / 8 % 4>, m<K % 512>>()
      .collect<m<I % 32, J / 8 % 4, K / 16 % 32>, m<K % 16>>()
      .align<m<I % 32, J / 8 % 4, K / 32 % 16>, m<K % 32>>(weights)
      .contract<m<1>>()
      .accumulate<m<I % 32, J / 8 % 4>, m<J % 8>>(AccumulationKind::Interleaved);
}
auto add_to(Context& ctx, const Sums& sums, const A& a, const B& b, int row, int column, int part) {
  auto so_far =
      ctx.sub.begin(sums.view()).fetch<f32, m<I % 32>, m<J % 32>>().collect<m<I % 32, J / 8 % 4>, m<J % 8>>().to_vrf<m<I % 32, J % 32>>(0);
  return products(ctx, a, b, row, column, part)
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_clip(ClipBinaryOpF32::Add, so_far)
      .vector_final();
}
C gemm(Context& ctx, const A& a, const B& b) {
  auto c = C::from_addr(2 << 28);
  for (int row = 0; row < blocks; ++row)
    for (int column = 0; column < blocks; ++column) {
      Sums sums = products(ctx, a, b, row, column, 0).commit<m<I % 32, J % 32>>(0x20000);
      for (int part = 1; part < parts - 1; ++part)
        sums = add_to(ctx, sums, a, b, row, column, part).commit<m<I % 32, J % 32>>(0x20000 + part % 2 * 0x1000);
      auto const tile = add_to(ctx, sums, a, b, row, column, parts - 1).cast<bf16, m<(J % 8).pad(16)>>().commit<m<I % 32, J % 32>>(0x22000);
      ctx.tdma.dma(tile.view(), c.view_mut().tile<m<I / 512>, 1>(row).tile<m<J / 512>, 1>(column));
    }
  return c;
}

}  // namespace large

template <class T>
T uploaded(Context& ctx, Address address) {
  Random random(1);
  return HostTensor<bf16, typename T::Element>::rand(random).template to_hbm<Chip, typename T::Element>(ctx.pdma, address);
}

/// Million device cycles per second, values included; compiling and checking are a part of it.
double value_cycles() {
  std::int64_t cycles = 0;
  ContextOptions options;
  options.backend = BackendKind::device;
  options.trace_user = &cycles;
  options.on_trace = [](void* user, const trace::Trace& t) { *static_cast<std::int64_t*>(user) = t.makespan.value; };
  auto ctx = Context::acquire(options);
  auto const a = uploaded<lesson::A>(ctx, 0);
  auto const b = uploaded<lesson::B>(ctx, 1 << 28);
  double const taken = bench::seconds([&] { launch(lesson::gemm, ctx, a, b).wait(); });
  return static_cast<double>(cycles) / taken / 1e6;
}

/// Recorded, verified, placed, lowered and scheduled; it is stopped when the values' turn comes.
double seconds_to_schedule() {
  ContextOptions options;
  options.backend = BackendKind::device;
  options.stop = [](void*) { return true; };
  auto ctx = Context::acquire(options);
  auto const a = uploaded<large::A>(ctx, 0);
  auto const b = uploaded<large::B>(ctx, 1 << 28);
  return bench::seconds([&] {
    try {
      (void)launch(large::gemm, ctx, a, b).get();
    } catch (const Refused& r) {
      if (std::string_view(r.refusal().code) == "runtime-interrupted") return;
      std::fprintf(stderr, "%s\n", r.what());
      std::exit(1);
    }
  });
}

double resident_bytes() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return 1024.0 * static_cast<double>(use.ru_maxrss);
}

/// What the process takes beyond 400 MB when a machine has copied 256 MB inside its HBM, as a multiple of the 512 MB
/// that this touches.
double memory_over_touched() {
  constexpr std::int64_t bytes = std::int64_t{1} << 28, piece = 1 << 20;
  auto const module =
      value_or_throw(ir::parse("module copy\naxes A = 268435456\nargument hbm in: i8 Element[A] at 0\n"
                               "result hbm out: i8 Element[A] at 1073741824\nmove in -> out\n",
                               "copy.tcp"));
  sim::Machine machine(rngd, 1);
  std::vector<std::byte> const some(piece, std::byte{1});
  for (std::int64_t at = 0; at < bytes; at += piece) throw_if_refused(machine.write(program::Memory::Hbm, 0, at, some));
  throw_if_refused(machine.submit(value_or_throw(lower::lower(value_or_throw(ir::verify(module, rngd))))));
  throw_if_refused(machine.run());
  return (resident_bytes() - 400e6) / (2.0 * static_cast<double>(bytes));
}

}  // namespace

int main() {
  std::printf("figure sim_rss_over_touched %.2f times\n", memory_over_touched());  // first: the peak of the process is measured
  std::printf("figure sim_value_cycles_M_s %.3f M/s\n", value_cycles());
  std::printf("figure schedule_gemm_4096_s %.2f s\n", seconds_to_schedule());
}
