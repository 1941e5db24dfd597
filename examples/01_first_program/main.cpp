// The shortest round trip: a tensor goes up to the chip, once through the Tensor Unit unchanged, and back.
#include <cstdio>
#include <tcp/tcp.hpp>

using namespace tcp;

TCP_AXES(A = 2048);                 // a tensor has named axes; this one has one
using Chip = m<1>;                  // one chip
using Cluster = m<one.pad(2)>;      // the chip has two clusters; the first works, the second idles
using Slice = m<(A / 8).pad(256)>;  // a cluster has 256 slices: A / 8 says which of them holds an element

// A kernel is a function of a context and tensors. It says what the chip is to do; nothing runs until it is launched.
auto copy(Context& ctx, const HbmTensor<i32, Chip, m<A>>& in) -> HbmTensor<i32, Chip, m<A>> {
  auto in_dm = in.to_dm<Cluster, Slice, m<A % 8>>(ctx.tdma, 0);  // from HBM into the slices' own memory, at byte 0 of each
  auto out_dm = ctx.main
                    .begin(in_dm.view())           // one pass through the Tensor Unit of every slice:
                    .fetch<i32, m<1>, m<A % 8>>()  // in 1 step, read a packet of 8 elements
                    .collect<m<1>, m<A % 8>>()     // 8 elements of 4 bytes are one flit, the unit of the pipeline
                    .commit<m<A % 8>>(1 << 12);    // write it to byte 4096
  return out_dm.to_hbm<m<A>>(ctx.tdma, 1 << 28);   // and back to HBM
}

int main() try {
  auto ctx = Context::acquire();  // the device: a simulated one, no chip needed
  Random random(1);
  auto const x = HostTensor<i32, m<A>>::rand(random);

  auto const x_hbm = x.to_hbm<Chip, m<A>>(ctx.pdma, 0);  // over PCIe
  auto const y_hbm = launch(copy, ctx, x_hbm).get();     // runs the kernel and waits for it
  auto const y = y_hbm.to_host<m<A>>(ctx.pdma);

  int wrong = 0;
  for (std::size_t a = 0; a < 2048; ++a) wrong += y[a] != x[a];
  std::printf("x[0] = %d, y[0] = %d\n", x[0].to_int(), y[0].to_int());
  std::printf("%d wrong of %d\n", wrong, 2048);
  return wrong == 0 ? 0 : 1;
} catch (const Refused& refused) {  // a kernel that breaks a rule of the chip is refused, with the reason
  std::puts(refused.what());
  return 1;
}
