// Kernels that are recorded and not run: commands and cycles, no values.
#include "tcp/runtime/record.hpp"

#include <gtest/gtest.h>

#include "recorder.hpp"
#include "tcp/dyn.hpp"
#include "tcp/trace/trace.hpp"

namespace tcp {
namespace {

using build::code_of;

TCP_AXES(A = 2048);
using Hbm = HbmTensor<i32, m<1>, m<A>>;

Hbm copied(Context& ctx, const Hbm& in) { return in.to_dm<m<one.pad(2)>, m<A / 8>, m<A % 8>>(ctx.tdma).to_hbm<m<A>>(ctx.tdma); }

TEST(Record, gives_the_cycles_that_a_launch_takes) {
  ContextOptions options;
  options.backend = BackendKind::device;
  std::int64_t launched = 0;
  options.trace_user = &launched;
  options.on_trace = [](void* user, const trace::Trace& t) { *static_cast<std::int64_t*>(user) = t.makespan.value; };
  for (const char* model : {"book", "planned", "calibrated", "detailed"}) {
    options.model = model;
    auto ctx = Context::acquire(options);
    Recorded const recorded = record(copied, ctx, ctx.declared<Hbm>());
    EXPECT_EQ(recorded.module().commands.size(), 2u);
    (void)launch(copied, ctx, HostTensor<i32, m<A>>().to_hbm<m<1>, m<A>>(ctx.pdma)).get();
    EXPECT_EQ(recorded.cycles(model).value, launched) << model;
  }
  auto ctx = Context::acquire(options);
  EXPECT_EQ(code_of([&] { (void)record(copied, ctx, ctx.declared<Hbm>()).cycles("exact"); }), "sched-unknown-model");
}

TEST(Record, gives_the_trace_of_a_plan) {
  auto ctx = Context::acquire(ContextOptions{});
  Recorded const recorded = record(copied, ctx, ctx.declared<Hbm>());
  trace::Trace const planned = recorded.trace({.model = "planned"});
  EXPECT_EQ(planned.makespan, recorded.cycles("planned"));
  EXPECT_EQ(planned.model, "planned");
  EXPECT_EQ(planned.order_by, "ready");
  EXPECT_EQ(planned.ticks_per_cycle, 2);
  EXPECT_EQ(recorded.trace({.model = "planned", .order = sched::Order::program}).order_by, "program");
}

/// A program that launches kernels on the backend `plan` gets their traces and zeros, and no value is computed.
TEST(PlanBackend, traces_launches_and_leaves_zeros) {
  ContextOptions options;
  options.backend = BackendKind::plan;
  options.model = "calibrated";
  std::int64_t planned = 0;
  options.trace_user = &planned;
  options.on_trace = [](void* user, const trace::Trace& t) { *static_cast<std::int64_t*>(user) = t.makespan.value; };
  auto ctx = Context::acquire(options);
  HostTensor<i32, m<A>> in;
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = i32::from_int(static_cast<std::int64_t>(i) + 1);
  auto const out = launch(copied, ctx, in.to_hbm<m<1>, m<A>>(ctx.pdma)).get().to_host<m<A>>(ctx.pdma);
  EXPECT_GT(planned, 0);
  EXPECT_EQ(record(copied, ctx, ctx.declared<Hbm>()).cycles("calibrated").value, planned);
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i].to_int(), 0) << i;
}

TEST(Record, needs_no_values_and_makes_none) {
  auto ctx = Context::acquire(ContextOptions{});
  Hbm const in = ctx.declared<Hbm>();
  Hbm kept;
  (void)record([&kept](Context& c, const Hbm& x) { return kept = copied(c, x); }, ctx, in);
  EXPECT_EQ(code_of([&] { (void)kept.to_host<m<A>>(ctx.pdma); }), "runtime-recorded-only");
  EXPECT_EQ(code_of([&] { (void)launch(copied, ctx, in).get(); }), "dsl-declared-only");
  kept = {};
  auto const x = HostTensor<i32, m<A>>::full(i32{7}).to_hbm<m<1>, m<A>>(ctx.pdma);
  EXPECT_EQ((launch(copied, ctx, x).get().to_host<m<A>>(ctx.pdma)[2047]), i32{7}) << "the context goes on";
}

TEST(Record, refuses_what_a_launch_refuses) {
  auto ctx = Context::acquire(ContextOptions{});
  auto const in = ctx.declared<Hbm>();
  auto const leaves_dm = [](Context& c, const Hbm& x) { return x.to_dm<m<one.pad(2)>, m<A / 8>, m<A % 8>>(c.tdma, 4); };
  EXPECT_NE(code_of([&] { (void)record(leaves_dm, ctx, in); }), "accepted");
  EXPECT_EQ(code_of([&] { (void)record<9>(copied, ctx, in); }), "runtime-too-few-chips");
  EXPECT_EQ(record(copied, ctx, in).module().commands.size(), 2u);
}

TEST(Record, plans_a_large_product_of_any_size_at_once) {
  auto ctx = Context::acquire(ContextOptions{});
  Mapping const a = dyn::axis("A", std::int64_t{1} << 30);
  auto const in = dyn::Tensor::declared(ctx, ScalarType::bf16, dyn::one, a);
  auto const kernel = [&](Context& c, const dyn::Tensor& x) {
    return x.tile(a, 2048, 4096).to_hbm(c.tdma, dyn::axis("A", std::int64_t{1} << 30).resize(2048));
  };
  EXPECT_GT(record(kernel, ctx, in).cycles().value, 0);
}

TEST(Launch, errors_name_the_variables_of_the_kernel) {
  auto ctx = Context::acquire(ContextOptions{});
  auto const kernel = [](Context& c, const Hbm& x) {
    auto first = x.to_dm<m<one.pad(2)>, m<A / 8>, m<A % 8>>(c.tdma, 0);
    auto second = x.to_dm<m<one.pad(2)>, m<A / 8>, m<A % 8>>(c.tdma, 0);
    auto const out = first.to_hbm<m<A>>(c.tdma);
    return std::pair(second.to_hbm<m<A>>(c.tdma), out);
  };
  try {
    (void)record(kernel, ctx, ctx.declared<Hbm>());
    FAIL() << "the two overlap";
  } catch (const Refused& r) {
    EXPECT_STREQ(r.refusal().code, "ir-tensors-overlap");
    EXPECT_NE(r.refusal().headline.view().find("second takes bytes"), std::string_view::npos) << r.refusal().headline.view();
    EXPECT_NE(r.refusal().headline.view().find("where first lies"), std::string_view::npos) << r.refusal().headline.view();
  }
}

}  // namespace
}  // namespace tcp
