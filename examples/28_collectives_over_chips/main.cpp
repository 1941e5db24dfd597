// Sums over 2, 4 and 8 chips, of matrices whose sizes are known when the program runs: what crosses PCIe, how long that takes, and in which order chips add.
#include <tcp/kernels/collectives/collectives.hpp>

#include <cstdio>
#include <tcp/mapping/draw.hpp>
#include <tcp/tcp.hpp>
#include <tcp/trace/trace.hpp>

using namespace tcp;

// Every chip has a matrix of its own: the axis Chips is spread over the chips, and is summed away.
dyn::HostTensor drawn(std::int64_t chips, std::int64_t rows, std::int64_t columns) {
  Random random(28);
  dyn::HostTensor x(ScalarType::bf16, dyn::map(dyn::axis("Chips", chips), dyn::axis("R", rows), dyn::axis("C", columns)));
  for (std::size_t i = 0; i < x.size(); ++i) x.data<bf16>()[i] = bf16::from_double(static_cast<double>(random.between(-1000, 1000)) / 64);
  return x;
}

dyn::Tensor run(const kernels::AllReduce& reduce, Context& ctx, const dyn::Tensor& x) {
  switch (reduce.parts().chips()) {  // how many chips a launch is for is known while this program compiles
    case 2: return launch<2>(reduce, ctx, x).get();
    case 4: return launch<4>(reduce, ctx, x).get();
    default: return launch<8>(reduce, ctx, x).get();
  }
}

struct Summed {
  long long cycles = 0;
  dyn::HostTensor y;
};
Summed summed(const kernels::AllReduce& reduce, const dyn::HostTensor& x, std::int64_t rows, std::int64_t columns) {
  long long cycles = 0;
  ContextOptions options = value_or_throw(options_from_environment());  // TCP_DUMP, TCP_MODEL, ...
  options.backend = BackendKind::device;
  options.trace_user = &cycles;
  options.on_trace = [](void* user, const trace::Trace& t) { *static_cast<long long*>(user) = t.makespan.value; };
  auto ctx = Context::acquire(options);
  std::int64_t const n = reduce.parts().chips();
  auto const on_chips = x.to_hbm(ctx.pdma, dyn::axis("Chips", n),
                                 kernels::rows_layout(rngd, ScalarType::bf16, dyn::axis("R", rows), dyn::axis("C", columns)));
  auto y = run(reduce, ctx, on_chips).to_host(ctx.pdma, dyn::map(n, dyn::axis("Row", rows), dyn::axis("Col", columns)));
  return {cycles, std::move(y)};
}

// The sum as chip `first` begins it: first, first + 1, ..., rounded once.
bf16 sum_from(const dyn::HostTensor& x, std::int64_t chips, std::int64_t size, std::int64_t at, std::int64_t first) {
  float sum = 0;
  for (std::int64_t k = 0; k < chips; ++k) {
    float const part = x.data<bf16>()[(first + k) % chips * size + at].to_float();
    sum = k == 0 ? part : sum + part;
  }
  return bf16::from_float(sum);
}

int all_reduce(std::int64_t chips, std::int64_t rows, std::int64_t columns) {
  auto const x = drawn(chips, rows, columns);
  kernels::AllReduce const at_once(rngd, ScalarType::bf16, chips, rows, columns);
  kernels::AllReduce const rotations(rngd, ScalarType::bf16, chips, rows, columns, kernels::Moves::rotations);
  auto const once = summed(at_once, x, rows, columns), turned = summed(rotations, x, rows, columns);
  std::int64_t const size = rows * columns, part = columns / chips;
  int wrong = 0;
  for (std::int64_t at = 0; at < size; ++at) {
    bf16 const sum = sum_from(x, chips, size, at, 0), book = sum_from(x, chips, size, at, at % columns / part);
    for (std::int64_t c = 0; c < chips; ++c) {
      wrong += once.y.data<bf16>()[c * size + at] != sum;
      wrong += turned.y.data<bf16>()[c * size + at] != book;
    }
  }
  auto const bound = static_cast<long long>(kernels::cycles_of(at_once.work(), rngd).pcie.value);
  std::printf("%lld chips, %2lld x %lld: PCIe alone %6lld cycles; at once %6lld, in rotations %6lld; %d wrong of %lld\n",
              static_cast<long long>(chips), static_cast<long long>(rows), static_cast<long long>(columns), bound, once.cycles,
              turned.cycles, wrong, static_cast<long long>(2 * chips * size));
  return wrong;
}

int main() try {
  int wrong = 0;
  for (std::int64_t chips : {2, 4, 8}) {
    wrong += all_reduce(chips, 1, 4096);
    wrong += all_reduce(chips, 32, 4096);
  }

  // Parts, where the sizes divide by nothing: which rows chips end up with.
  kernels::ReduceScatter const scatter(rngd, ScalarType::bf16, 4, 10, 300, kernels::Split::rows);
  std::printf("10 x 300 on 4 chips: Chip %s, Element %s\n", text_of(scatter.parts().part_chip()).c_str(),
              text_of(scatter.parts().part()).c_str());
  return wrong == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
