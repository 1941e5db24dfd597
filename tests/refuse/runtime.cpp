// Contexts and launches: what the machine at hand cannot give, and options that contradict each other.
#include <cstdlib>

#include "helpers/kernel.hpp"
#include "refuse_test.hpp"

using namespace tcp;

// # runtime-detailed-reorder
// Reordering asks for every command how long it takes, and looks for an order in which they wait less. The model `detailed` knows that only when they have run.
// run time only: models are chosen when the program runs
namespace runtime_detailed_reorder {
// error[runtime-detailed-reorder]: the timing model detailed cannot reorder commands; help: leave reorder out, or choose the model book or calibrated
REFUSED_AT_RUN_TIME {
  ContextOptions options;
  options.backend = BackendKind::device;
  options.model = "detailed";
  options.reorder = true;
  auto ctx = Context::acquire(options);
  auto const in = tcp_refuse::uploaded(ctx);
  return tcp_refuse::refused([&] { (void)launch(tcp_refuse::copies, ctx, in).get(); });
}
}  // namespace runtime_detailed_reorder

// # runtime-device-in-use
// A context has the device for itself from acquire to its end. Another one waits for it, or is refused if it does not want to wait; a thread that has the device
// would wait for itself.
// run time only: who has the device shows when it is asked for
namespace runtime_device_in_use {
// error[runtime-device-in-use]: the device is in use by another context; help: acquire with ContextOptions::wait, or let the other context go first
REFUSED_AT_RUN_TIME {
  auto first = Context::acquire(ContextOptions{});
  ContextOptions options;
  options.wait = false;
  return tcp_refuse::refused([&] { (void)Context::acquire(options); });
}
}  // namespace runtime_device_in_use

// # runtime-dump-not-written
// ContextOptions::dump, and TCP_DUMP, name a file that takes the text of every kernel that is launched. A file that cannot be written is said at the first launch.
// run time only: files are met when the program runs
namespace runtime_dump_not_written {
// error[runtime-dump-not-written]: '/nowhere/kernels.tcp', which was to take the text of every kernel, cannot be written; help: name a file in a folder that exists, or none
REFUSED_AT_RUN_TIME {
  ContextOptions options;
  options.dump = "/nowhere/kernels.tcp";
  auto ctx = Context::acquire(options);
  auto const in = tcp_refuse::uploaded(ctx);
  return tcp_refuse::refused([&] { (void)launch(tcp_refuse::copies, ctx, in).get(); });
}
}  // namespace runtime_dump_not_written

// # runtime-environment
// The environment gives the defaults of Context::acquire(); docs/environment.md lists the variables and their values.
// run time only: the environment is read when the device is acquired
namespace runtime_environment {
// error[runtime-environment]: TCP_CHIPS is 'many'; help: set it to the number of chips, from 1 to 4096, or unset it
REFUSED_AT_RUN_TIME {
  setenv("TCP_CHIPS", "many", 1);
  Refusal const r = options_from_environment().refusal();
  unsetenv("TCP_CHIPS");
  return r;
}
}  // namespace runtime_environment

// # runtime-interrupted
// A kernel on the simulated chip was stopped: by ContextOptions::stop, or, where the environment asked for a trace, by Ctrl-C. Its results hold nothing; the trace, if one
// was asked for, has what was done, and says that it is not complete.
// run time only: it is a matter of patience
namespace runtime_interrupted {
// error[runtime-interrupted]: interrupted after 0 of 2 commands; help: run it again to the end; if a trace was asked for, it has what was done
REFUSED_AT_RUN_TIME {
  ContextOptions options;
  options.backend = BackendKind::device;
  options.stop = [](void*) { return true; };
  auto ctx = Context::acquire(options);
  auto const in = tcp_refuse::uploaded(ctx);
  return tcp_refuse::refused([&] { (void)launch(tcp_refuse::copies, ctx, in).get(); });
}
}  // namespace runtime_interrupted

// # runtime-kernel-threw
// A kernel that throws is not run. Its exception comes out of get(); tensors that it had made and that somebody still holds have no contents.
// run time only: exceptions are thrown when the program runs
namespace runtime_kernel_threw {
// error[runtime-kernel-threw]: the kernel that was to make this tensor threw out of luck; help: catch the exception where the kernel is launched
REFUSED_AT_RUN_TIME {
  auto ctx = Context::acquire(ContextOptions{});
  auto const in = tcp_refuse::uploaded(ctx);
  tcp_refuse::InHbm kept;
  launch(tcp_refuse::throws, ctx, in, kept).wait();
  return tcp_refuse::refused([&] { (void)kept.to_host<m<tcp_refuse::A>>(ctx.pdma); });
}
}  // namespace runtime_kernel_threw

// # runtime-too-few-chips
// The number of chips belongs to the kernel: launch<4>(kernel, ctx, ...). All of them run at the same time, so the machine needs as many.
// run time only: how many chips a machine has shows when the program runs
namespace runtime_too_few_chips {
// error[runtime-too-few-chips]: a kernel for 4 chips is launched on a machine that has 2; help: launch it for at most 2 chips, or acquire a machine with more
REFUSED_AT_RUN_TIME {
  ContextOptions options;
  options.chips = 2;
  auto ctx = Context::acquire(options);
  auto const in = tcp_refuse::uploaded(ctx);
  return tcp_refuse::refused([&] { (void)launch<4>(tcp_refuse::copies, ctx, in).get(); });
}
}  // namespace runtime_too_few_chips

// # runtime-trace-not-written
// ContextOptions::trace, and TCP_TRACE, name a file that takes the trace of a launch; the next launches go to files beside it. One that cannot be written is said when
// the kernel has run.
// run time only: files are met when the program runs
namespace runtime_trace_not_written {
// error[runtime-trace-not-written]: '/nowhere/copies.json', which was to take the trace of a kernel, cannot be written; help: name a file in a folder that exists, or none
REFUSED_AT_RUN_TIME {
  ContextOptions options;
  options.backend = BackendKind::device;
  options.trace = "/nowhere/copies.json";
  auto ctx = Context::acquire(options);
  auto const in = tcp_refuse::uploaded(ctx);
  return tcp_refuse::refused([&] { (void)launch(tcp_refuse::copies, ctx, in).get(); });
}
}  // namespace runtime_trace_not_written

// # runtime-trace-without-device
// A trace says when each command ran. The interpreters compute values and know no time; the simulated chip does.
// run time only: options are met when the device is acquired
namespace runtime_trace_without_device {
// error[runtime-trace-without-device]: a trace is asked for, and the backend is vector; help: choose BackendKind::device, or set TCP_BACKEND=device; or ask for no trace
REFUSED_AT_RUN_TIME {
  ContextOptions options;
  options.trace = "copies.json";
  return tcp_refuse::refused([&] { auto const ctx = Context::acquire(options); });
}
}  // namespace runtime_trace_without_device
