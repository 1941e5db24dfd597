// Operands that are written back and read in later time steps: guards, the order of reading and writing, what lies between the two, and what is never
// written. Whole modules, against plain loops on the host.
#include <gtest/gtest.h>

#include <cstring>

#include "run_module.hpp"

namespace tcp::build {
namespace {

constexpr std::int64_t steps = 6, lanes = 8;

/// x over A, T, P in DM, T in Time; a VRF tensor `kept` with one word a lane; execution ids by T in a VRF tensor of their own.
struct Running : ModuleBuilder {
  ir::TensorId in, numbers, out, x, y, kept, ids, ids_dm;
  Value data = random_value(ScalarType::i32, {{"A", 256}, {"T", steps}, {"P", lanes}}, 1), by_step = value(ScalarType::i32, {{"T", steps}});

  explicit Running(const char* kept_element = "P") : ModuleBuilder("A = 256, T = 6, P = 8") {
    in = hbm("in", ScalarType::i32, "A, T, P", 0, ir::Role::argument);
    numbers = hbm("numbers", ScalarType::i32, "T # 8", 1 << 20, ir::Role::argument);
    out = hbm("out", ScalarType::i32, "A, T, P", 1 << 24, ir::Role::result);
    x = dm("x", ScalarType::i32, "A", "T, P", 0);
    y = dm("y", ScalarType::i32, "A", "T, P", 4096);
    ids_dm = dm("numbers", ScalarType::i32, "256", "T # 8", 8192);
    ids = vrf("ids", ScalarType::i32, "256", "T # 8", 0);
    kept = vrf("kept", ScalarType::i32, "A", kept_element, 1024);
    move(in, x);
    move(numbers, ids_dm);
    sub(ids_dm).stage(ir::Fetch{}).stage(ir::Collect{}).into(ir::ToVrf{ids});
  }
  /// The pass, up to the branch by the ids.
  PassBuilder pass() {
    PassBuilder p = main(x);
    p.time("T").packet("P").stage(ir::Fetch{}).stage(ir::Collect{}).stage(ir::VectorInit{}).stage(ir::Branch{BranchMode::Vrf, ids});
    return p;
  }
  void finish(PassBuilder& p) {
    p.stage(ir::VectorFinal{}).into(ir::Commit{y, {}, false});
    move(y, out);
  }
  std::vector<Value> arguments() const { return {data, by_step}; }
  std::uint32_t number(std::int64_t a, std::int64_t t, std::int64_t p) const { return data.at(at({{"A", a}, {"T", t}, {"P", p}})).bits; }
};

/// Shows what the VRF tensor holds behind the pass: out = x · 0 + kept.
void show_kept(Running& r) {
  auto const z = r.dm("z", ScalarType::i32, "A", "T, P", 16384);
  r.main(r.x)
      .time("T")
      .packet("P")
      .stage(ir::Fetch{})
      .stage(ir::Collect{})
      .stage(ir::VectorInit{})
      .stage(ir::Branch{})
      .stage(operation(FxpBinaryOp::MulInt, {constant(0)}))
      .stage(operation(FxpBinaryOp::AddFxp, {from_vrf(r.kept)}))
      .stage(ir::VectorFinal{})
      .into(ir::Commit{z, {}, false});
  r.move(z, r.out);
}

// The book's running sum: ids 0 at the first step, 1 between, 2 at the last. It reads for ids 1 and 2 and writes for ids 0 and 1.
TEST(WriteOperand, a_running_sum_by_guards) {
  Running r;
  for (std::int64_t t = 0; t < steps; ++t) r.by_step[t].bits = t == 0 ? 0 : t + 1 < steps ? 1 : 2;
  auto p = r.pass();
  p.stage(operation(FxpBinaryOp::AddFxp, {from_vrf(r.kept, ScalarType::i32, OperandGuard::id(1) | OperandGuard::id(2))}))
      .stage(ir::WriteOperand{r.kept, OperandGuard::id(0) | OperandGuard::id(1)});
  r.finish(p);
  Value const sums = result_of(r, r.arguments());
  for (std::int64_t a = 0; a < 256; ++a)
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      std::uint32_t sum = 0;
      for (std::int64_t t = 0; t < steps; ++t) {
        sum += r.number(a, t, lane);
        ASSERT_EQ(sums.at(at({{"A", a}, {"T", t}, {"P", lane}})).bits, sum) << a << " " << t << " " << lane;
      }
    }
}

TEST(WriteOperand, lanes_whose_guard_does_not_hold_leave_what_was_there) {
  Running r;
  for (std::int64_t t = 0; t < steps; ++t) r.by_step[t].bits = t == 2 ? 5 : 0;
  auto p = r.pass();
  p.stage(ir::WriteOperand{r.kept, OperandGuard::id(5)});
  p.stage(ir::VectorFinal{}).into(ir::Commit{r.y, {}, false});
  show_kept(r);
  Value const shown = result_of(r, r.arguments());
  for (std::int64_t a = 0; a < 256; ++a)
    for (std::int64_t t = 0; t < steps; ++t)
      for (std::int64_t lane = 0; lane < lanes; ++lane)
        ASSERT_EQ(shown.at(at({{"A", a}, {"T", t}, {"P", lane}})).bits, r.number(a, 2, lane));
}

TEST(WriteOperand, without_a_guard_the_last_step_stays) {
  Running r;
  auto p = r.pass();
  p.stage(operation(FxpBinaryOp::AddFxp, {constant(7)})).stage(ir::WriteOperand{r.kept, {}});
  p.stage(ir::VectorFinal{}).into(ir::Commit{r.y, {}, false});
  show_kept(r);
  Value const shown = result_of(r, r.arguments());
  for (std::int64_t a = 0; a < 256; ++a)
    for (std::int64_t lane = 0; lane < lanes; ++lane)
      ASSERT_EQ(shown.at(at({{"A", a}, {"T", 0}, {"P", lane}})).bits, r.number(a, steps - 1, lane) + 7);
}

TEST(WriteOperand, with_time_in_the_tensor_every_step_has_a_place) {
  Running r("T, P");
  auto p = r.pass();
  p.stage(ir::WriteOperand{r.kept, {}});
  p.stage(ir::VectorFinal{}).into(ir::Commit{r.y, {}, false});
  show_kept(r);
  Value const shown = result_of(r, r.arguments());
  for (std::int64_t t = 0; t < steps; ++t)
    for (std::int64_t lane = 0; lane < lanes; ++lane)
      ASSERT_EQ(shown.at(at({{"A", 17}, {"T", t}, {"P", lane}})).bits, r.number(17, t, lane));
}

// A stage behind the writing reads too, and still before it: out[t] = x[t] + x[t - 1].
TEST(WriteOperand, within_a_step_reading_comes_first_wherever_it_stands) {
  Running r;
  for (std::int64_t t = 1; t < steps; ++t) r.by_step[t].bits = 1;
  auto p = r.pass();
  p.stage(ir::WriteOperand{r.kept, {}}).stage(operation(FxpBinaryOp::AddFxp, {from_vrf(r.kept, ScalarType::i32, OperandGuard::id(1))}));
  r.finish(p);
  Value const y = result_of(r, r.arguments());
  for (std::int64_t a = 0; a < 256; ++a)
    for (std::int64_t t = 0; t < steps; ++t)
      for (std::int64_t lane = 0; lane < lanes; ++lane)
        ASSERT_EQ(y.at(at({{"A", a}, {"T", t}, {"P", lane}})).bits, r.number(a, t, lane) + (t == 0 ? 0 : r.number(a, t - 1, lane)));
}

// Two operations read it, one on either side: y = x + w, w := y, out = max(y, w of the step before).
TEST(WriteOperand, several_operations_read_the_same_step) {
  Running r;
  for (std::int64_t t = 1; t < steps; ++t) r.by_step[t].bits = 1;
  auto p = r.pass();
  p.stage(operation(FxpBinaryOp::AddFxp, {from_vrf(r.kept, ScalarType::i32, OperandGuard::id(1))}))
      .stage(ir::WriteOperand{r.kept, {}})
      .stage(operation(ClipBinaryOpI32::Max, {from_vrf(r.kept, ScalarType::i32, OperandGuard::id(1))}));
  r.finish(p);
  Value const y = result_of(r, r.arguments());
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    std::int64_t sum = 0;
    for (std::int64_t t = 0; t < steps; ++t) {
      std::int64_t const before = sum;
      sum += static_cast<std::int32_t>(r.number(3, t, lane));
      ASSERT_EQ(whole(y.at(at({{"A", 3}, {"T", t}, {"P", lane}}))), t == 0 ? sum : std::max(sum, before)) << t;
    }
  }
}

// out = (running sum) · ... the stash between keeps the sum; Clip takes min(sum & 1, sum).
TEST(WriteOperand, a_stash_between_holds_its_own_step) {
  Running r;
  for (std::int64_t t = 1; t < steps; ++t) r.by_step[t].bits = 1;
  auto p = r.pass();
  p.stage(operation(FxpBinaryOp::AddFxp, {from_vrf(r.kept, ScalarType::i32, OperandGuard::id(1))}))
      .stage(ir::Stash{})
      .stage(operation(FxpBinaryOp::MulInt, {constant(3)}))
      .stage(ir::WriteOperand{r.kept, {}})
      .stage(operation(ClipBinaryOpI32::Min, {from_stash()}));
  r.finish(p);
  Value const y = result_of(r, r.arguments());
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    std::int64_t kept = 0;
    for (std::int64_t t = 0; t < steps; ++t) {
      std::int64_t const sum = static_cast<std::int32_t>(r.number(9, t, lane)) + kept;
      kept = 3 * sum;
      ASSERT_EQ(whole(y.at(at({{"A", 9}, {"T", t}, {"P", lane}}))), std::min(sum, kept)) << t;
    }
  }
}

// A tensor without T that is fetched T times counts: 1x, 2x, 3x …
TEST(WriteOperand, a_stream_that_repeats_gets_a_result_for_every_step) {
  ModuleBuilder b("A = 256, T = 6, P = 8");
  auto const in = b.hbm("in", ScalarType::i32, "A, P", 0, ir::Role::argument),
             zero = b.hbm("zero", ScalarType::i32, "A, P", 1 << 20, ir::Role::argument),
             out = b.hbm("out", ScalarType::i32, "A, T, P", 1 << 24, ir::Role::result);
  auto const x = b.dm("x", ScalarType::i32, "A", "P", 0), z = b.dm("z", ScalarType::i32, "A", "P", 512),
             y = b.dm("y", ScalarType::i32, "A", "T, P", 4096);
  auto const kept = b.vrf("kept", ScalarType::i32, "A", "P", 0);
  b.move(in, x);
  b.move(zero, z);
  b.sub(z).stage(ir::Fetch{}).stage(ir::Collect{}).into(ir::ToVrf{kept});
  b.main(x)
      .time("T")
      .packet("P")
      .stage(ir::Fetch{})
      .stage(ir::Collect{})
      .stage(ir::VectorInit{})
      .stage(ir::Branch{})
      .stage(operation(FxpBinaryOp::AddFxp, {from_vrf(kept)}))
      .stage(ir::WriteOperand{kept, {}})
      .stage(ir::VectorFinal{})
      .into(ir::Commit{y, {}, false});
  b.move(y, out);
  Value const data = random_value(ScalarType::i32, {{"A", 256}, {"P", 8}}, 2);
  Value const counted = result_of(b, {data, value(ScalarType::i32, {{"A", 256}, {"P", 8}})});
  for (std::int64_t a = 0; a < 256; ++a)
    for (std::int64_t t = 0; t < 6; ++t)
      for (std::int64_t p = 0; p < 8; ++p)
        ASSERT_EQ(whole(counted.at(at({{"A", a}, {"T", t}, {"P", p}}))), (t + 1) * whole(data.at(at({{"A", a}, {"P", p}}))));
}

TEST(WriteOperand, reading_what_was_never_written_is_reported) {
  Running r;
  auto p = r.pass();
  p.stage(operation(FxpBinaryOp::AddFxp, {from_vrf(r.kept)})).stage(ir::WriteOperand{r.kept, {}});
  r.finish(p);
  r.module.commands[3].at = {"kernel.cpp", 42};
  auto const outcome = tried(r.module, r.arguments());
  ASSERT_FALSE(outcome);
  EXPECT_STREQ(outcome.refusal().code, "exec-undefined-result");
  EXPECT_NE(outcome.refusal().headline.view().find("nothing has written kept"), std::string_view::npos);
  EXPECT_EQ(outcome.refusal().at.line, 42u);
}

TEST(WriteOperand, an_undefined_id_decides_only_through_a_guard) {
  for (bool guarded : {false, true}) {
    Running r;
    r.by_step[3].undefined = 1;  // stands for any origin
    auto p = r.pass();
    p.stage(ir::WriteOperand{r.kept, guarded ? OperandGuard::id(0) : OperandGuard::always()});
    p.stage(ir::VectorFinal{}).into(ir::Commit{r.y, {}, false});
    show_kept(r);
    auto const verified = ir::verify(r.module, rngd);
    ASSERT_TRUE(verified);
    reference::Options options;
    options.check = false;
    auto const outcome = reference::run(*verified, r.arguments(), options);
    ASSERT_TRUE(outcome);
    // A later step with a defined id writes over it.
    EXPECT_EQ(outcome->results[0][0].undefined, 0u);
    r.by_step[5].undefined = 1;
    auto const last = reference::run(*verified, r.arguments(), options);
    EXPECT_EQ(last->results[0][0].undefined, guarded ? 1u : 0u);
  }
}

// What has no order is refused.

TEST(WriteOperand, no_reduce_between_reading_and_writing) {
  ModuleBuilder b("A = 256, T = 6, P = 4");
  auto const x = b.dm("x", ScalarType::i32, "A", "T, P", 0), y = b.dm("y", ScalarType::i32, "A", "P", 4096);
  auto const kept = b.vrf("kept", ScalarType::i32, "A", "P", 0);
  b.main(x)
      .time("T")
      .packet("P")
      .stage(ir::Fetch{})
      .packet("P # 8")
      .stage(ir::Collect{})
      .stage(ir::VectorInit{})
      .stage(ir::Branch{})
      .stage(operation(FxpBinaryOp::AddFxp, {from_vrf(kept)}))
      .packet("P")
      .stage(ir::VectorOperation{step_of(VectorMethod::trim_way4), {}})
      .time("1")
      .stage(ir::IntraSliceReduce{Name("T"), ReduceOp::AddSat})
      .packet("P # 8")
      .stage(ir::VectorOperation{step_of(VectorMethod::pad_way8), {}})
      .stage(operation(ClipBinaryOpI32::Max, {constant(0)}))
      .stage(ir::WriteOperand{kept, {}})
      .stage(ir::VectorFinal{})
      .into(ir::Commit{y, {}, false});
  EXPECT_EQ(code_of(b), "ir-write-operand-reduce");
  auto& stages = std::get<ir::Pass>(b.module.commands[0].what).stages;
  std::get<ir::VectorOperation>(stages[4].what).operands = {constant(1)};
  EXPECT_EQ(code_of(b), "accepted") << "it is not read before the reduce";
  std::get<ir::WriteOperand>(stages[9].what).guard = OperandGuard::id(0);
  EXPECT_EQ(code_of(b), "vector-guard-after-reduce");
}

TEST(WriteOperand, a_log_is_not_read_while_it_is_written) {
  auto const pass_with = [](auto log, auto read) {
    Running r("T, P");
    auto p = r.main(r.x);
    p.time("T").packet("P").stage(ir::Fetch{}).stage(ir::Collect{}).stage(ir::VectorInit{});
    p.stage(ir::Branch{BranchMode::comparing(InputCmp::Less(0)), ir::none}).stage(log(r)).stage(read(r));
    r.finish(p);
    return code_of(r, r.arguments());
  };
  auto const logged = [](Running& r) { return ir::BranchLog{r.kept}; };
  auto const read = [](Running& r) { return operation(FxpBinaryOp::AddFxp, {from_vrf(r.kept)}); };
  auto const written = [](Running& r) { return ir::WriteOperand{r.kept, {}}; };
  auto const one = [](Running&) { return operation(FxpBinaryOp::AddFxp, {constant(1)}); };
  EXPECT_EQ(pass_with(logged, one), "accepted");
  EXPECT_EQ(pass_with(logged, read), "ir-pass-register-twice");
  EXPECT_EQ(pass_with(logged, written), "ir-pass-register-twice");
}

TEST(WriteOperand, ids_are_not_read_from_what_is_written_back) {
  Running r("T, P");
  auto p = r.main(r.x);
  p.time("T").packet("P").stage(ir::Fetch{}).stage(ir::Collect{}).stage(ir::VectorInit{}).stage(ir::Branch{BranchMode::Vrf, r.kept});
  p.stage(ir::WriteOperand{r.kept, {}});
  r.finish(p);
  EXPECT_EQ(code_of(r, r.arguments()), "ir-pass-register-twice");
}

}  // namespace
}  // namespace tcp::build
