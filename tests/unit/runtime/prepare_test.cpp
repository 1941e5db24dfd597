// Kernels that are recorded once: launched many times, or looked at without a launch.
#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "recorder.hpp"
#include "runtime/device/kept.hpp"
#include "tcp/dyn.hpp"
#include "tcp/ir/module.hpp"
#include "tcp/runtime/prepare.hpp"
#include "tcp/runtime/record.hpp"
#include "tcp/trace/trace.hpp"

namespace tcp {
namespace {

using build::code_of;

TCP_AXES(A = 2048);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<A / 8>;
using Eight = m<A % 8>;
using Hbm = HbmTensor<i32, Chip, m<A>>;
using Dm = DmTensor<i32, Chip, Cluster, Slice, Eight>;
using Host = HostTensor<i32, m<A>>;

int calls = 0;  // of the kernels below

Dm in_dm(Context& ctx, const Hbm& in, int n) {
  ++calls;
  auto const dm = in.to_dm<Cluster, Slice, Eight>(ctx.tdma);
  return ctx.main.begin(dm.view())
      .fetch<i32, m<1>, Eight>()
      .collect<m<1>, Eight>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_fxp(FxpBinaryOp::AddFxp, n)
      .vector_final()
      .commit<Eight>();
}
Hbm plus(Context& ctx, const Hbm& in, int n) { return in_dm(ctx, in, n).to_hbm<m<A>>(ctx.tdma); }

struct Both {
  Hbm more;
  Hbm same;
  int n;
};
Both more_and_same(Context& ctx, const Hbm& in) { return {plus(ctx, in, 1), in, 7}; }

Host counted(int from = 0) {
  Host t;
  for (std::size_t i = 0; i < t.size(); ++i) t[i] = i32::from_int(from + static_cast<std::int64_t>(i));
  return t;
}
Hbm uploaded(Context& ctx, int from) { return counted(from).to_hbm<Chip, m<A>>(ctx.pdma); }
int first_of(Context& ctx, const Hbm& t) {
  Host const host = t.to_host<m<A>>(ctx.pdma);
  for (std::size_t i = 0; i < host.size(); ++i) EXPECT_EQ(host[i].to_int(), host[0].to_int() + static_cast<int>(i));
  return host[0].to_int();
}
Context context(BackendKind backend = BackendKind::vector) {
  ContextOptions options;
  options.backend = backend;
  return Context::acquire(options);
}

TEST(Prepare, records_once_and_runs_on_whatever_comes) {
  for (BackendKind backend : {BackendKind::vector, BackendKind::reference, BackendKind::device}) {
    auto ctx = context(backend);
    auto const x = uploaded(ctx, 0), y = uploaded(ctx, 1000);
    calls = 0;
    auto const ready = prepare(plus, ctx, x, 5);
    std::vector<Hbm> kept;
    for (int i = 0; i < 3; ++i) {
      kept.push_back(ready.launch(x, 5).get());
      kept.push_back(ready.launch(y, 5).get());
      kept.push_back(ready.launch(kept.back(), 5).get());
    }
    EXPECT_EQ(calls, 1);
    for (std::size_t i = 0; i < kept.size(); i += 3) {  // results that live on have places of their own
      EXPECT_EQ(first_of(ctx, kept[i]), 5);
      EXPECT_EQ(first_of(ctx, kept[i + 1]), 1005);
      EXPECT_EQ(first_of(ctx, kept[i + 2]), 1010);
    }
  }
}
TEST(Prepare, puts_new_tensors_into_the_structure_of_the_result) {
  auto ctx = context();
  auto const x = uploaded(ctx, 0);
  auto const ready = prepare(more_and_same, ctx, x);
  auto const y = uploaded(ctx, 300);
  Both const first = ready.launch(x).get(), second = ready.launch(y).get();
  EXPECT_EQ(first_of(ctx, first.more), 1);
  EXPECT_EQ(first_of(ctx, first.same), 0);
  EXPECT_EQ(first_of(ctx, second.more), 301);
  EXPECT_EQ(first_of(ctx, second.same), 300);
  EXPECT_EQ(second.n, 7);
}
TEST(Prepare, sees_tensors_in_structures_of_arguments) {
  auto ctx = context();
  auto const kernel = [](Context& c, const std::tuple<Hbm, std::vector<Hbm>>& in) { return plus(c, std::get<1>(in)[1], 2); };
  auto const of = [&](int a, int b, int d) { return std::tuple(uploaded(ctx, a), std::vector<Hbm>{uploaded(ctx, b), uploaded(ctx, d)}); };
  auto const ready = prepare(kernel, ctx, of(1, 2, 3));
  EXPECT_EQ(first_of(ctx, ready.launch(of(10, 20, 30)).get()), 32);
}
TEST(Prepare, keeps_a_tensor_that_the_kernel_has_from_elsewhere) {
  auto ctx = context();
  auto const ready = [&] {
    auto const hidden = uploaded(ctx, 50);
    return prepare([hidden](Context& c, const Hbm& in) { return std::pair(plus(c, in, 1), plus(c, hidden, 1)); }, ctx, uploaded(ctx, 0));
  }();
  auto const [a, b] = ready.launch(uploaded(ctx, 8)).get();
  EXPECT_EQ(first_of(ctx, a), 9);
  EXPECT_EQ(first_of(ctx, b), 51);
}
TEST(Prepare, writes_into_arguments_of_the_launch) {
  auto ctx = context();
  auto const into = [](Context& c, const Hbm& from, Hbm to) { c.tdma.dma(plus(c, from, 1).view(), to.view_mut()); };
  auto const x = uploaded(ctx, 0), y = uploaded(ctx, 100), z = uploaded(ctx, 200);
  auto const ready = prepare(into, ctx, x, y);
  ready.launch(x, z).get();
  EXPECT_EQ(first_of(ctx, y), 100);
  EXPECT_EQ(first_of(ctx, z), 1);
}
TEST(Prepare, returns_tensors_in_dm) {
  auto ctx = context();
  auto const ready = prepare(in_dm, ctx, uploaded(ctx, 0), 4);
  auto const dm = ready.launch(uploaded(ctx, 30), 4).get();
  EXPECT_EQ(first_of(ctx, launch([](Context& c, const Dm& in) { return in.to_hbm<m<A>>(c.tdma); }, ctx, dm).get()), 34);
}
TEST(Prepare, refuses_what_it_was_not_prepared_for) {
  auto ctx = context();
  auto const x = uploaded(ctx, 0), y = uploaded(ctx, 1);
  auto const ready = prepare(plus, ctx, x, 5);
  EXPECT_EQ(code_of([&] { (void)ready.launch(x, 6); }), "runtime-prepared-argument");

  auto const twice = prepare([](Context& c, const Hbm& a, const Hbm& b) { return std::pair(plus(c, a, 1), plus(c, b, 1)); }, ctx, x, x);
  EXPECT_EQ(code_of([&] { (void)twice.launch(x, y); }), "runtime-prepared-argument");

  Mapping const a = dyn::axis("A", 2048), b = dyn::axis("A", 1024);
  auto const moved = [](Context& c, const dyn::Tensor& in) { return in.to_hbm(c.tdma, in.levels()[Level::element]); };
  dyn::HostTensor const long_one(ScalarType::i32, a), short_one(ScalarType::i32, b);
  auto const p = prepare(moved, ctx, long_one.to_hbm(ctx.pdma, dyn::one, a));
  EXPECT_EQ(code_of([&] { (void)p.launch(short_one.to_hbm(ctx.pdma, dyn::one, b)); }), "runtime-prepared-argument");
  auto const many =
      prepare([](Context& c, const std::vector<dyn::Tensor>& in) { return in[0].to_hbm(c.tdma, in[0].levels()[Level::element]); }, ctx,
              std::vector{long_one.to_hbm(ctx.pdma, dyn::one, a)});
  EXPECT_EQ(code_of([&] { (void)many.launch({}); }), "runtime-prepared-argument");
}
TEST(Prepare, refuses_tensors_without_values_and_a_context_that_has_gone) {
  std::optional<Prepared<Hbm, Hbm, int>> ready;
  std::optional<Hbm> x;
  {
    auto ctx = context();
    x = uploaded(ctx, 0);
    ready = prepare(plus, ctx, *x, 5);
    auto const at = [](Context& c, const Hbm& in) { return in_dm(c, in, 1).to_hbm<m<A>>(c.tdma, 1 << 20); };
    auto const first = launch(at, ctx, *x).get(), second = launch(at, ctx, *x).get();  // takes the place of the first
    EXPECT_EQ(code_of([&] { (void)ready->launch(first, 5).get(); }), "dsl-tensor-overwritten");
    EXPECT_EQ(first_of(ctx, ready->launch(second, 5).get()), 6);
  }
  EXPECT_EQ(code_of([&] { (void)ready->launch(*x, 5).get(); }), "runtime-prepared-context");
}
TEST(Prepare, refuses_a_kernel_that_is_refused) {
  auto ctx = context();
  auto const x = uploaded(ctx, 0);
  EXPECT_EQ(code_of([&] {
              (void)prepare([](Context& c, const Hbm& in) { (void)c.main.begin(in_dm(c, in, 1).view()).fetch<i32, m<1>, Eight>(); }, ctx,
                            x);
            }),
            "dsl-stream-without-sink");
  EXPECT_EQ(first_of(ctx, launch(plus, ctx, x, 3).get()), 3);  // the context goes on
}

TEST(KeptModules, launches_agree_with_those_of_a_fresh_context) {
  for (BackendKind backend : {BackendKind::vector, BackendKind::device}) {
    auto ctx = context(backend);
    std::vector<Hbm> alive;
    for (int i = 0; i < 12; ++i) {
      auto const x = uploaded(ctx, 100 * i);
      auto const y = launch(plus, ctx, x, i % 3).get();  // three modules, found again
      if (i % 2 == 0) alive.push_back(y);                // half of the results keep their bytes
      EXPECT_EQ(first_of(ctx, y), 100 * i + i % 3);
    }
    for (std::size_t i = 0; i < alive.size(); ++i)
      EXPECT_EQ(first_of(ctx, alive[i]), 200 * static_cast<int>(i) + static_cast<int>(2 * i % 3));
  }
}

ir::Module recorded(Context& ctx, const Hbm& x, int n) { return record(plus, ctx, x, n).module(); }

TEST(KeptModules, a_recording_is_the_same_wherever_its_arguments_are) {
  auto ctx = context();
  auto const x = uploaded(ctx, 0), y = uploaded(ctx, 0);
  ir::Module const at_x = recorded(ctx, x, 1), at_y = recorded(ctx, y, 1), other = recorded(ctx, x, 2);
  ASSERT_NE(at_x.tensor(at_x.arguments[0]).address, at_y.tensor(at_y.arguments[0]).address);
  EXPECT_TRUE(ir::same_recording(at_x, at_y));
  EXPECT_EQ(ir::recording_hash(at_x), ir::recording_hash(at_y));
  EXPECT_FALSE(ir::same_recording(at_x, other));  // another number in a command
  ir::Module elsewhere = at_x;
  elsewhere.commands[0].at.line += 1;
  EXPECT_FALSE(ir::same_recording(at_x, elsewhere));  // errors would name another line
  ir::Module placed = at_x;
  for (ir::Tensor& t : placed.tensors)
    if (t.role != ir::Role::argument && t.address) *t.address += 256;
  EXPECT_FALSE(ir::same_recording(at_x, placed));
}
TEST(KeptModules, finds_what_was_added_and_forgets_what_was_not_used_for_long) {
  auto ctx = context();
  auto const x = uploaded(ctx, 0);
  ir::Module const first = recorded(ctx, x, 0);
  detail::KeptModules kept;
  auto const add = [&](int n) {
    ir::Module m = first;
    m.name = "kernel " + std::to_string(n);
    m.commands.resize(4000, first.commands[0]);
    return kept.add(std::move(m));
  };
  auto const oldest = add(0);
  EXPECT_EQ(kept.find(oldest->recorded()), oldest);
  EXPECT_EQ(kept.find(first), nullptr);
  std::shared_ptr<detail::KeptModule> newest;
  for (int n = 1; n < 300; ++n) newest = add(n);
  EXPECT_EQ(kept.find(newest->recorded()), newest);
  EXPECT_EQ(kept.find(oldest->recorded()), nullptr);
}

// Kernels that are recorded and not run: commands and cycles, no values.

namespace looked_at {

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
    EXPECT_NE(r.refusal().headline.view().find("where first is stored"), std::string_view::npos) << r.refusal().headline.view();
  }
}

}  // namespace looked_at

}  // namespace
}  // namespace tcp
