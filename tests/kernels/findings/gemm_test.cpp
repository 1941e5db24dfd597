// The library's matrix product keeps the multipliers busy for nearly nine tenths of its time: there is little to
// promise.
#include "kernels/gemm/gemm.hpp"

#include <gtest/gtest.h>

#include "kernels/findings/planned.hpp"
#include "kernels/lowered.hpp"
#include "recorder.hpp"

namespace tcp::findings_test {
namespace {

program::Program product_of_4096() {
  kernels::Gemm const gemm(rngd, ScalarType::bf16, 4096, 4096, 4096);
  return build::lowered(build::module_of([&](Context& ctx) {
    (void)gemm(ctx, dyn::Tensor::hbm_at(0, ScalarType::bf16, dyn::one, gemm.a_layout()),
               dyn::Tensor::hbm_at(std::int64_t{1} << 28, ScalarType::bf16, dyn::one, gemm.b_layout()));
  }));
}

/// All multipliers have data in nearly all cycles. The contraction is slower than the fetch, which is no loss.
TEST(FindingsOfGemm, promise_no_more_than_the_multiplications_leave) {
  program::Program const program = product_of_4096();
  for (const char* model : {"book", "calibrated"}) {
    trace::Trace const t = planned(program, model);
    Cycles bound{};
    for (const trace::Part& b : t.bounds)
      if (b.name == "multiply-adds") bound = b.cycles;
    EXPECT_EQ(bound, Cycles{524288});
    EXPECT_LT(t.makespan.value, 1.2 * 524288) << model;
    for (const trace::Finding& f : trace::find(t)) {
      EXPECT_LE(f.gain, t.makespan - bound) << model << " " << f.rule;
      EXPECT_NE(f.rule, "slower-engine") << model << ": a pass at peak rate is no stall";
      EXPECT_EQ(f.gain, std::min(gain_by_scheduler(program, model, f.changes), t.makespan - bound)) << model << " " << f.rule;
    }
  }
}

}  // namespace
}  // namespace tcp::findings_test
