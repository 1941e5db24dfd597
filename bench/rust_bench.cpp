// How long a check of kernels in Rust takes: a crate of 50 kernels with helpers, macros and loops, read, verified,
// placed and lowered; and one kernel of it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "pairs.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/ir/place.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/rust/crate.hpp"
#include "tcp/support/render.hpp"

using namespace tcp;

namespace {

/// Products with a loop over tiles of their result, in the manner of real crates.
std::string crate(int kernels) {
  std::string text = R"(use vendor_std::prelude::*;
axes![I = 512, J = 512, K = 64];
type Chip = m![1];
type Cluster = m![1 # 2];
type Slice = m![I / 32, J / 32];
type Weights = TrfTensor<bf16, Chip, Cluster, Slice, m![J % 8], m![J / 8 % 4, K]>;
type Product = DmTensor<bf16, Chip, Cluster, Slice, m![I % 32, J % 32]>;
macro_rules! load { ($ctx:ident, $x:expr, $axis:ident) => { $x.to_dm::<Cluster, Slice, m![$axis % 32, K]>(&mut $ctx.tdma) } }
fn weights(ctx: &mut Context, b: &HbmTensor<bf16, Chip, m![J, K]>) -> Weights {
  let b = load!(ctx, b, J);
  ctx.sub.begin(b.view()).fetch::<m![J % 8, J / 8 % 4], m![K]>().collect::<m![J % 8, J / 8 % 4, K / 16], m![K % 16]>().to_trf()
}
fn product<S: M>(ctx: &mut Context, a: &DmTensor<bf16, Chip, Cluster, S, m![I % 32, K]>, b: &Weights) -> Product {
  ctx.main.begin(a.view()).fetch::<m![I % 32, J / 8 % 4], m![K]>().collect::<m![I % 32, J / 8 % 4, K / 16], m![K % 16]>()
    .contract_outer::<m![I % 32, J / 8 % 4, K / 32], m![K % 32], _, _, _>(b).contract_packet::<m![1]>().contract_time::<m![I % 32, J / 8 % 4]>()
    .contract_lane::<m![I % 32, J / 8 % 4], m![J % 8]>(LaneMode::Interleaved).cast::<bf16, m![J % 8 # 16]>().commit()
}
)";
  for (int i = 0; i < kernels; ++i)
    text +=
        "#[device(chip = 1)]\nfn gemm" + std::to_string(i) +
        R"((ctx: &mut Context, a: &HbmTensor<bf16, Chip, m![I, K]>, b: &HbmTensor<bf16, Chip, m![J, K]>, out: &mut HbmTensor<bf16, Chip, m![I, J]>) {
  let a = load!(ctx, a, I);
  for _ in 0..4 {
    let w = weights(ctx, b);
    let c = product(ctx, &a, &w);
    c.view().to_hbm_view(&mut ctx.tdma, out.view_mut());
  }
}
)";
  return text;
}

double seconds_to_check(const std::string& text) {
  double const start = bench::now(1);
  rust::Crate const read = rust::Crate::of_text("crate.rs", text);
  for (const rust::Kernel& kernel : read.kernels()) {
    auto const reading = read.read(kernel, rngd);
    if (!reading.module) {
      std::fprintf(stderr, "%s\n", render(reading.errors.at(0).refusal).c_str());
      std::exit(1);
    }
    auto verified = ir::verify(*reading.module, rngd);
    if (verified) verified = ir::placed(*std::move(verified));
    Verdict const v = verified ? verdict(lower::lower(*verified)) : Verdict(verified.refusal());
    if (!v) {
      std::fprintf(stderr, "%s\n", render(v.refusal()).c_str());
      std::exit(1);
    }
  }
  return bench::now(1) - start;
}

}  // namespace

int main() {
  std::string const all = crate(50), one = crate(1);
  double whole = 1e9, single = 1e9;
  for (int round = 0; round < 5; ++round) {
    whole = std::min(whole, seconds_to_check(all));
    single = std::min(single, seconds_to_check(one));
  }
  std::printf("figure rust_check_ms %.1f ms\n", whole * 1e3);
  std::printf("figure rust_kernel_ms %.2f ms\n", single * 1e3);
}
