// Contexts and launches: what the machine at hand cannot give, and options that contradict each other.
#include <cstdlib>
#include <optional>
#include <stdexcept>

#include "helpers/asked.hpp"
#include "helpers/kernels.hpp"
#include "refuse_test.hpp"
#include "tcp/runtime/prepare.hpp"
#include "tcp/runtime/record.hpp"

using namespace tcp;
using namespace tcp_refuse;

// For the kernels of this page:
namespace {
TCP_AXES(A = 2048);
using Slice = m<A / 8>;
using InHbm = HbmTensor<i32, Chip, m<A>>;
using InDm = DmTensor<i32, Chip, Cluster, Slice, m<A % 8>>;

InDm in_dm(Context& ctx, const InHbm& in, Address address = 0) { return in.to_dm<Cluster, Slice, m<A % 8>>(ctx.tdma, address); }
InHbm copied(Context& ctx, const InHbm& in) { return in_dm(ctx, in).to_hbm<m<A>>(ctx.tdma, 1 << 20); }
InHbm uploaded(Context& ctx) { return HostTensor<i32, m<A>>().to_hbm<Chip, m<A>>(ctx.pdma, 0); }

}  // namespace

// # runtime-detailed-reorder
// Reordering asks for every command how long it takes, and looks for an order in which they wait less. The model `detailed` knows that only when they have run.
// run time only: models are chosen when the program runs
namespace runtime_detailed_reorder {
void before() {
  ContextOptions options;
  options.backend = BackendKind::device;
  options.model = "detailed";
  options.reorder = true;
  auto ctx = Context::acquire(options);
  (void)launch(copied, ctx, uploaded(ctx)).get();
}
void after() {
  ContextOptions options;
  options.backend = BackendKind::device;
  options.model = "calibrated";
  options.reorder = true;
  auto ctx = Context::acquire(options);
  (void)launch(copied, ctx, uploaded(ctx)).get();
}
// error[runtime-detailed-reorder]: the timing model detailed cannot reorder commands; help: leave reorder out, or choose the model book, planned or calibrated
REFUSED_AT_RUN_TIME { return outcome(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return outcome(after); }
}  // namespace runtime_detailed_reorder

// # runtime-device-in-use
// A context has the device for itself from acquire to its end. Another one waits for it, or is refused if it does not want to wait; a thread that has the device
// would wait for itself.
// run time only: who has the device shows when it is asked for
namespace runtime_device_in_use {
void before() {
  auto first = Context::acquire(ContextOptions{});
  ContextOptions options;
  options.wait = false;
  auto second = Context::acquire(options);
}
void after() {
  {
    auto first = Context::acquire(ContextOptions{});
  }
  ContextOptions options;
  options.wait = false;
  auto second = Context::acquire(options);
}
// error[runtime-device-in-use]: the device is in use by another context; help: acquire with ContextOptions::wait, or let the other context go first
REFUSED_AT_RUN_TIME { return outcome(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return outcome(after); }
}  // namespace runtime_device_in_use

// # runtime-dump-not-written
// ContextOptions::dump, and TCP_DUMP, name a file that takes the text of every kernel that is launched. A file that cannot be written is said at the first launch.
// run time only: files are met when the program runs
namespace runtime_dump_not_written {
void before() {
  ContextOptions options;
  options.dump = "/nowhere/kernels.tcp";
  auto ctx = Context::acquire(options);
  (void)launch(copied, ctx, uploaded(ctx)).get();
}
void after() {
  ContextOptions options;
  options.dump = "/dev/null";
  auto ctx = Context::acquire(options);
  (void)launch(copied, ctx, uploaded(ctx)).get();
}
// error[runtime-dump-not-written]: '/nowhere/kernels.tcp', which was to take the text of every kernel, cannot be written; help: name a file in a folder that exists, or none
REFUSED_AT_RUN_TIME { return outcome(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return outcome(after); }
}  // namespace runtime_dump_not_written

// # runtime-environment
// The environment gives the defaults of Context::acquire(); docs/environment.md lists the variables and their values.
// run time only: the environment is read when the device is acquired
namespace runtime_environment {
constexpr const char* before = R"(
TCP_CHIPS=many ./gemm
)";
constexpr const char* after = R"(
TCP_CHIPS=4 ./gemm
)";
Verdict with_chips(const char* chips) {
  setenv("TCP_CHIPS", chips, 1);
  Verdict const v = verdict(options_from_environment());
  unsetenv("TCP_CHIPS");
  return v;
}
// error[runtime-environment]: TCP_CHIPS is 'many'; help: set it to the number of chips, from 1 to 4096, or unset it
REFUSED_AT_RUN_TIME { return with_chips("many").refusal(); }
ACCEPTED_AT_RUN_TIME { return with_chips("4"); }
}  // namespace runtime_environment

// # runtime-interrupted
// A kernel on the simulated chip was stopped: by ContextOptions::stop, or, where the environment asked for a trace, by Ctrl-C. Its results hold nothing; the trace, if one
// was asked for, has what was done, and says that it is not complete.
// run time only: it is a matter of patience
namespace runtime_interrupted {
void before() {
  ContextOptions options;
  options.backend = BackendKind::device;
  options.stop = [](void*) { return true; };
  auto ctx = Context::acquire(options);
  (void)launch(copied, ctx, uploaded(ctx)).get();
}
void after() {
  ContextOptions options;
  options.backend = BackendKind::device;
  options.stop = [](void*) { return false; };
  auto ctx = Context::acquire(options);
  (void)launch(copied, ctx, uploaded(ctx)).get();
}
// error[runtime-interrupted]: interrupted after 0 of 2 commands; help: run it again to the end; if a trace was asked for, it has what was done
REFUSED_AT_RUN_TIME { return outcome(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return outcome(after); }
}  // namespace runtime_interrupted

// # runtime-kernel-threw
// A kernel that throws is not run. Its exception comes out of get(); tensors that it had made and that are still held have no contents.
// run time only: exceptions are thrown when the program runs
namespace runtime_kernel_threw {
InHbm throws(Context& ctx, const InHbm& in, InHbm& kept) {
  kept = copied(ctx, in);
  throw std::runtime_error("out of luck");
}
void before() {
  auto ctx = Context::acquire(ContextOptions{});
  InHbm kept;
  launch(throws, ctx, uploaded(ctx), kept).wait();
  (void)kept.to_host<m<A>>(ctx.pdma);
}
void after() {
  auto ctx = Context::acquire(ContextOptions{});
  InHbm const kept = launch(copied, ctx, uploaded(ctx)).get();
  (void)kept.to_host<m<A>>(ctx.pdma);
}
// error[runtime-kernel-threw]: the kernel that was to make this tensor threw out of luck; help: catch the exception where the kernel is launched
REFUSED_AT_RUN_TIME { return outcome(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return outcome(after); }
}  // namespace runtime_kernel_threw

// # runtime-prepared-argument
// prepare() calls a kernel once and keeps its commands. A later launch takes other tensors of the same types and layouts; a number is part of the commands, and a
// tensor that stood for two arguments must do so again.
// run time only: tensors and numbers come with the launch
namespace runtime_prepared_argument {
InHbm some_copied(Context& ctx, const InHbm& in, int times) { return times == 1 ? copied(ctx, in) : copied(ctx, copied(ctx, in)); }
void before() {
  auto ctx = Context::acquire(ContextOptions{});
  auto const in = uploaded(ctx);
  auto const once = prepare(some_copied, ctx, in, 1);
  (void)once.launch(in, 2).get();
}
void after() {
  auto ctx = Context::acquire(ContextOptions{});
  auto const in = uploaded(ctx);
  auto const once = prepare(some_copied, ctx, in, 1);
  (void)once.launch(in, 1).get();
}
// error[runtime-prepared-argument]: argument 1 of a prepared launch is another number than the kernel was prepared with; help: prepare the kernel for this number too, or launch it by launch(kernel, ctx, ...)
REFUSED_AT_RUN_TIME { return outcome(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return outcome(after); }
}  // namespace runtime_prepared_argument

// # runtime-prepared-context
// A prepared kernel was recorded, checked and placed for the device that its context had, and can be launched for as long as the context has it.
// run time only: who has the device shows when it is asked for
namespace runtime_prepared_context {
void before() {
  std::optional<Prepared<InHbm, InHbm>> ready;
  std::optional<InHbm> in;
  {
    auto ctx = Context::acquire(ContextOptions{});
    in = uploaded(ctx);
    ready = prepare(copied, ctx, *in);
  }
  (void)ready->launch(*in).get();
}
void after() {
  auto ctx = Context::acquire(ContextOptions{});
  auto const in = uploaded(ctx);
  auto const ready = prepare(copied, ctx, in);
  (void)ready.launch(in).get();
}
// error[runtime-prepared-context]: a prepared kernel is launched after its context has gone; help: keep the context for as long as the kernel is launched, or prepare it again in another one
REFUSED_AT_RUN_TIME { return outcome(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return outcome(after); }
}  // namespace runtime_prepared_context

// # runtime-recorded-only
// `record` gives the commands of a kernel and the cycles they take, and runs nothing. Tensors that the kernel would have made hold no values.
// run time only: kernels are recorded when the program runs
// no kernel: a way of running is chosen outside of the kernel
namespace runtime_recorded_only {
// error[runtime-recorded-only]: the kernel that was to make this tensor was recorded, and not run; help: launch the kernel
REFUSED_AT_RUN_TIME {
  return outcome([] {
           auto ctx = Context::acquire(ContextOptions{});
           InHbm kept;
           (void)record([&kept](Context& c, const InHbm& in) { return kept = copied(c, in); }, ctx, ctx.declared<InHbm>());
           (void)kept.to_host<m<A>>(ctx.pdma);
         })
      .refusal();
}
}  // namespace runtime_recorded_only

// # runtime-too-few-chips
// The number of chips belongs to the kernel: launch<4>(kernel, ctx, ...). All of them run at the same time, so the machine needs as many.
// run time only: how many chips a machine has shows when the program runs
namespace runtime_too_few_chips {
void before() {
  ContextOptions options;
  options.chips = 2;
  auto ctx = Context::acquire(options);
  (void)launch<4>(copied, ctx, uploaded(ctx)).get();
}
void after() {
  ContextOptions options;
  options.chips = 2;
  auto ctx = Context::acquire(options);
  (void)launch(copied, ctx, uploaded(ctx)).get();
}
// error[runtime-too-few-chips]: a kernel for 4 chips is launched on a machine that has 2; help: launch it for at most 2 chips, or acquire a machine with more
REFUSED_AT_RUN_TIME { return outcome(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return outcome(after); }
}  // namespace runtime_too_few_chips

// # runtime-trace-not-written
// ContextOptions::trace, and TCP_TRACE, name a file that takes the trace of a launch; the next launches go to files beside it. One that cannot be written is said when
// the kernel has run.
// run time only: files are met when the program runs
namespace runtime_trace_not_written {
void before() {
  ContextOptions options;
  options.backend = BackendKind::device;
  options.trace = "/nowhere/copies.json";
  auto ctx = Context::acquire(options);
  (void)launch(copied, ctx, uploaded(ctx)).get();
}
void after() {
  ContextOptions options;
  options.backend = BackendKind::device;
  options.trace = "/dev/null";
  auto ctx = Context::acquire(options);
  (void)launch(copied, ctx, uploaded(ctx)).get();
}
// error[runtime-trace-not-written]: '/nowhere/copies.json', which was to take the trace of a kernel, cannot be written; help: name a file in a folder that exists, or none
REFUSED_AT_RUN_TIME { return outcome(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return outcome(after); }
}  // namespace runtime_trace_not_written

// # runtime-trace-without-device
// A trace says when each command ran. The interpreters compute values and know no time; the simulated chip does.
// run time only: options are met when the device is acquired
namespace runtime_trace_without_device {
void before() {
  ContextOptions options;
  options.trace = "copies.json";
  auto const ctx = Context::acquire(options);
}
void after() {
  ContextOptions options;
  options.backend = BackendKind::device;
  options.trace = "copies.json";
  auto const ctx = Context::acquire(options);
}
// error[runtime-trace-without-device]: a trace is asked for, and the backend is vector; help: choose BackendKind::device, or set TCP_BACKEND=device; or ask for no trace
REFUSED_AT_RUN_TIME { return outcome(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return outcome(after); }
}  // namespace runtime_trace_without_device
