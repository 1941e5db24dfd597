// What only the run of a kernel can show: tensors and streams that are used in the wrong place, and values that do not fit.
#include "helpers/asked.hpp"
#include "helpers/kernels.hpp"
#include "refuse_test.hpp"
#include "tcp/dsl/dynamic.hpp"

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

// For the rules: what a kernel, or a program that is given a context and a tensor, is refused with.
template <class Program>
Verdict called(Program program) {
  return outcome([&] {
    auto ctx = Context::acquire(ContextOptions{});
    (void)program(ctx, uploaded(ctx));
  });
}
template <class Kernel>
Verdict launched(Kernel kernel) {
  return called([&](Context& ctx, const InHbm& in) { (void)launch(kernel, ctx, in).get(); });
}
}  // namespace

// # dsl-declared-only
// `ctx.declared<...>()` gives a tensor in HBM that has a place and no values: an argument for `record`, which plans a kernel without running it. What runs needs values.
// run time only: whether a tensor holds anything shows when the program runs
namespace dsl_declared_only {
auto before(Context& ctx) { return ctx.declared<InHbm>().to_host<m<A>>(ctx.pdma); }
auto after(Context& ctx) { return uploaded(ctx).to_host<m<A>>(ctx.pdma); }
// error[dsl-declared-only]: a tensor that was declared without values is used; help: upload a host tensor instead
REFUSED_AT_RUN_TIME {
  return called([](Context& ctx, const InHbm&) { return before(ctx); }).refusal();
}
ACCEPTED_AT_RUN_TIME {
  return called([](Context& ctx, const InHbm&) { return after(ctx); });
}
}  // namespace dsl_declared_only

// # dsl-host-count
// A host tensor is filled position by position, so that a list of values has as many as the tensor has positions, padding included.
// run time only: how many values there are shows when the program runs
namespace dsl_host_count {
TCP_AXES(V = 3);
auto before() {
  int const values[] = {1, 2, 3};
  return HostTensor<i32, m<A>>::from(values);
}
auto after() {
  int const values[] = {1, 2, 3};
  return HostTensor<i32, m<V>>::from(values);
}
// error[dsl-host-count]: 3 values are given for a host tensor of m![A], which has 2048 positions; help: give 2048 values
REFUSED_AT_RUN_TIME { return outcome(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return outcome(after); }
}  // namespace dsl_host_count

// # dsl-host-index
// An index of a host tensor gives every one of its axes a coordinate below the size of the axis.
// run time only: indices are values
namespace dsl_host_index {
auto before(const HostTensor<i32, m<A>>& host) {
  Index beyond;
  beyond.add(Name("A"), 2048);
  return host.at(beyond);
}
auto after(const HostTensor<i32, m<A>>& host) { return host.at(index(A.at(2047))); }
// error[dsl-host-index]: a host tensor of m![A] holds no element {A: 2048}; help: write index(A.at(0), B.at(0)), with the tensor's axes
REFUSED_AT_RUN_TIME {
  return outcome([] { before(HostTensor<i32, m<A>>()); }).refusal();
}
ACCEPTED_AT_RUN_TIME {
  return outcome([] { after(HostTensor<i32, m<A>>()); });
}
}  // namespace dsl_host_index

// # dsl-host-inside-kernel
// A kernel runs on the device and sees the memory of the device. Host tensors are uploaded before the launch, and results downloaded after it.
// run time only: one function may be called by the host and by a kernel
namespace dsl_host_inside_kernel {
auto before(Context& ctx) { return HostTensor<i32, m<A>>().to_hbm<Chip, m<A>>(ctx.pdma, 0); }

auto after(Context& ctx, const InHbm& in) { return copied(ctx, in); }
// error[dsl-host-inside-kernel]: a host tensor is uploaded inside a kernel; help: upload it before the launch, and pass the HbmTensor
REFUSED_AT_RUN_TIME {
  return outcome([] {
           auto ctx = Context::acquire(ContextOptions{});
           (void)launch(before, ctx).get();
         })
      .refusal();
}
ACCEPTED_AT_RUN_TIME { return launched(after); }
}  // namespace dsl_host_inside_kernel

// # dsl-host-memory
// A host tensor keeps every position in the host's memory. One that does not fit is refused when it is made.
// run time only: how much memory a host has shows when the program runs
namespace dsl_host_memory {
TCP_AXES(X = std::int64_t{1} << 50, Y = 1 << 20);
auto before() { return HostTensor<i32, m<X>>(); }
auto after() { return HostTensor<i32, m<Y>>(); }
// error[dsl-host-memory]: the host has no room for a tensor of 1125899906842624 elements of 4 bytes; help: use a smaller tensor, or tiles of it
REFUSED_AT_RUN_TIME { return outcome(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return outcome(after); }
}  // namespace dsl_host_memory

// # dsl-host-position
// `tensor[n]` is the element at position n, padding included, and there are as many positions as Element has. `at(index(...))` names axes instead.
// run time only: positions are values
namespace dsl_host_position {
auto before(const HostTensor<i32, m<A>>& host) { return host[2048]; }
auto after(const HostTensor<i32, m<A>>& host) { return host[2047]; }
// error[dsl-host-position]: a host tensor of m![A] has 2048 positions, and position 2048 is asked for; help: use a position below 2048, or at(index(...)), which names axes
REFUSED_AT_RUN_TIME {
  return outcome([] { before(HostTensor<i32, m<A>>()); }).refusal();
}
ACCEPTED_AT_RUN_TIME {
  return outcome([] { after(HostTensor<i32, m<A>>()); });
}
// error[dsl-host-position]: a host tensor of m![A] has 2048 positions, and position -1 is asked for; help: use a position below 2048, or at(index(...)), which names axes
REFUSED_AT_RUN_TIME {
  return outcome([] { (void)HostTensor<i32, m<A>>()[-1]; }).refusal();
}
}  // namespace dsl_host_position

// # dsl-host-type
// A host tensor whose type is a value keeps the bits of that type, and gives its elements as nothing else.
// run time only: the type is a value
namespace dsl_host_type {
auto before(const dyn::HostTensor& weights) { return weights.data<f32>()[0]; }
auto after(const dyn::HostTensor& weights) { return weights.data<bf16>()[0]; }
// error[dsl-host-type]: elements of a host tensor of bf16 are asked for as f32; help: ask for data<bf16>()
REFUSED_AT_RUN_TIME {
  return outcome([] { (void)before(dyn::HostTensor(ScalarType::bf16, dyn::axis("A", 16))); }).refusal();
}
ACCEPTED_AT_RUN_TIME {
  return outcome([] { (void)after(dyn::HostTensor(ScalarType::bf16, dyn::axis("A", 16))); });
}
}  // namespace dsl_host_type

// # dsl-host-value
// Whole numbers go into a host tensor as they are, or not at all: what a type cannot hold is not a value of it. Floating-point numbers are rounded.
// run time only: values are met when the program runs
namespace dsl_host_value {
TCP_AXES(V = 2);
auto before() {
  int const values[] = {1, 300};
  return HostTensor<i8, m<V>>::from(values);
}
auto after() {
  int const values[] = {1, 127};
  return HostTensor<i8, m<V>>::from(values);
}
// error[dsl-host-value]: a tensor of i8 is given 300, which is not a value of i8; help: round and clamp the values before they are given
REFUSED_AT_RUN_TIME { return outcome(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return outcome(after); }
// error[dsl-host-value]: a tensor of i8 is given 300, which is not a value of i8; help: round and clamp the values before they are given
REFUSED_AT_RUN_TIME {
  return launched([](Context& ctx, const InHbm& in) {
           auto const filled = ctx.sub.memset<DmTensor<i8, Chip, Cluster, Slice, m<A % 8>>>(300);
           return copied(ctx, in);
         })
      .refusal();
}
}  // namespace dsl_host_value

// # dsl-launch-inside-kernel
// A kernel is recorded while its function runs, and only the host launches. A kernel that needs another one calls it as a function, with the same context.
// run time only: who calls a function shows when it is called
namespace dsl_launch_inside_kernel {
InHbm before(Context& ctx, const InHbm& in) { return launch(copied, ctx, in).get(); }
InHbm after(Context& ctx, const InHbm& in) { return copied(ctx, in); }
// error[dsl-launch-inside-kernel]: a kernel is launched while another one is being recorded; help: call the inner kernel as a function, with the same context
REFUSED_AT_RUN_TIME { return launched(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return launched(after); }
}  // namespace dsl_launch_inside_kernel

// # dsl-outside-kernel
// Transfers by the tensor DMA, passes and views are commands of a kernel: they are written down while the kernel is recorded, and run as one.
// run time only: one function may be called by the host and by a kernel
namespace dsl_outside_kernel {
InHbm before(Context& ctx, const InHbm& in) { return copied(ctx, in); }
InHbm after(Context& ctx, const InHbm& in) { return launch(copied, ctx, in).get(); }
// error[dsl-outside-kernel]: the device is told to do something outside of a kernel; help: put it into a function and launch it: launch(kernel, ctx, tensors...)
REFUSED_AT_RUN_TIME { return called(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return called(after); }
}  // namespace dsl_outside_kernel

// # dsl-result-does-not-live-on
// SPM and the register files belong to the kernel that runs. What is to outlive it must be in HBM or DM, and is a whole tensor.
// run time only: what a kernel still holds when it returns is seen then
namespace dsl_result_does_not_live_on {
auto before(Context& ctx, const InHbm& in) {
  auto const dm = in_dm(ctx, in);
  return ctx.sub.begin(dm.view()).fetch<i32, m<1>, m<A % 8>>().collect<m<1>, m<A % 8>>().to_vrf<m<A % 8>>(0);
}
auto after(Context& ctx, const InHbm& in) { return in_dm(ctx, in); }
// error[dsl-result-does-not-live-on]: the kernel returns, and a tensor in VRF that begins here is still held; help: commit it or copy it with to_hbm, and return that
REFUSED_AT_RUN_TIME { return launched(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return launched(after); }
}  // namespace dsl_result_does_not_live_on

// # dsl-stream-overtaken
// Passes may overlap in the source: each runs when its stream comes to its sink. What an open stream reads must not be written before that, or it would
// not read what the line says that begins it.
// run time only: which streams are open is seen while the kernel is recorded
namespace dsl_stream_overtaken {
void before(Context& ctx, const InHbm& in) {
  auto dm = in_dm(ctx, in);
  auto stream = ctx.main.begin(dm.view()).fetch<i32, m<1>, m<A % 8>>();
  ctx.tdma.dma(in, dm.view_mut());
  (void)std::move(stream).collect<m<1>, m<A % 8>>().commit<m<A % 8>>(4096);
}
void after(Context& ctx, const InHbm& in) {
  auto dm = in_dm(ctx, in);
  (void)ctx.main.begin(dm.view()).fetch<i32, m<1>, m<A % 8>>().collect<m<1>, m<A % 8>>().commit<m<A % 8>>(4096);
  ctx.tdma.dma(in, dm.view_mut());
}
// error[dsl-stream-overtaken]: a tensor is written here that a stream still has to read; help: end the stream before, or begin it after this
REFUSED_AT_RUN_TIME { return launched(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return launched(after); }
}  // namespace dsl_stream_overtaken

// # dsl-stream-used-twice
// A stream is consumed by its next stage. The types see to it as long as a stream is a temporary; a copy that was kept is found when it is used.
// run time only: C++ cannot tell that a moved value is used again
namespace dsl_stream_used_twice {
void before(Context& ctx, const InHbm& in) {
  auto const dm = in_dm(ctx, in);
  auto fetched = ctx.main.begin(dm.view()).fetch<i32, m<1>, m<A % 8>>();
  auto again = fetched;
  (void)std::move(fetched).collect<m<1>, m<A % 8>>().commit<m<A % 8>>(4096);
  (void)std::move(again).collect<m<1>, m<A % 8>>().commit<m<A % 8>>(8192);
}
void after(Context& ctx, const InHbm& in) {
  auto const dm = in_dm(ctx, in);
  (void)ctx.main.begin(dm.view()).fetch<i32, m<1>, m<A % 8>>().collect<m<1>, m<A % 8>>().commit<m<A % 8>>(4096);
  (void)ctx.main.begin(dm.view()).fetch<i32, m<1>, m<A % 8>>().collect<m<1>, m<A % 8>>().commit<m<A % 8>>(8192);
}
// error[dsl-stream-used-twice]: a stream goes on from a stage that it has left already; help: begin another pass over the tensor
REFUSED_AT_RUN_TIME { return launched(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return launched(after); }
}  // namespace dsl_stream_used_twice

// # dsl-stream-without-sink
// Every pass ends in a commit, to_trf or to_vrf: what flows out of the last stage must be taken up.
// run time only: a stream that is not continued is found when the kernel returns
namespace dsl_stream_without_sink {
void before(Context& ctx, const InHbm& in) {
  auto const dm = in_dm(ctx, in);
  (void)ctx.main.begin(dm.view()).fetch<i32, m<1>, m<A % 8>>();
}
void after(Context& ctx, const InHbm& in) {
  auto const dm = in_dm(ctx, in);
  (void)ctx.main.begin(dm.view()).fetch<i32, m<1>, m<A % 8>>().collect<m<1>, m<A % 8>>().commit<m<A % 8>>(4096);
}
// error[dsl-stream-without-sink]: the stream that begins here ends nowhere, and the kernel returns; help: end it with a sink
REFUSED_AT_RUN_TIME { return launched(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return launched(after); }
}  // namespace dsl_stream_without_sink

// # dsl-tensor-empty
// A tensor that is declared and not filled names nothing: it becomes one when the result of a transfer, a commit or a store is assigned to it.
// run time only: a variable may be filled on one way and not on another
namespace dsl_tensor_empty {
auto before(Context& ctx, const InHbm&) {
  InHbm none;
  return copied(ctx, none);
}
auto after(Context& ctx, const InHbm& in) { return copied(ctx, in); }
// error[dsl-tensor-empty]: a tensor is used that has not been made yet; help: give it the result of a transfer, a commit, to_trf, to_vrf or a branch log first
REFUSED_AT_RUN_TIME { return launched(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return launched(after); }
}  // namespace dsl_tensor_empty

// # dsl-tensor-of-another-context
// A tensor is in the memory of the device that it was uploaded to, and that memory is given up with the context.
// run time only: which context made a tensor is no part of its type
namespace dsl_tensor_of_another_context {
void before() {
  InHbm in;
  {
    auto first = Context::acquire(ContextOptions{});
    in = uploaded(first);
  }
  auto second = Context::acquire(ContextOptions{});
  (void)launch(copied, second, in).get();
}
void after() {
  auto ctx = Context::acquire(ContextOptions{});
  InHbm const in = uploaded(ctx);
  (void)launch(copied, ctx, in).get();
}
// error[dsl-tensor-of-another-context]: a tensor in HBM of one context is used in another; help: download it with to_host before its context ends, and upload it again
REFUSED_AT_RUN_TIME { return outcome(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return outcome(after); }
}  // namespace dsl_tensor_of_another_context

// # dsl-tensor-of-another-kernel
// What a kernel makes and does not return is gone when it ends; another kernel cannot use it.
// run time only: a tensor may be smuggled out of a kernel by reference
namespace dsl_tensor_of_another_kernel {
using Kept = VrfTensor<i32, Chip, Cluster, Slice, m<A % 8>>;
auto stored(Context& ctx, const InHbm& in) {
  auto const dm = in_dm(ctx, in);
  return ctx.sub.begin(dm.view()).fetch<i32, m<1>, m<A % 8>>().collect<m<1>, m<A % 8>>().to_vrf<m<A % 8>>(0);
}
auto added(Context& ctx, const InHbm& in, const Kept& kept) {
  auto const dm = in_dm(ctx, in, 4096);
  return ctx.main.begin(dm.view())
      .fetch<i32, m<1>, m<A % 8>>()
      .collect<m<1>, m<A % 8>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_fxp(FxpBinaryOp::AddFxp, kept)
      .vector_final()
      .commit<m<A % 8>>(8192)
      .to_hbm<m<A>>(ctx.tdma, 1 << 20);
}
void before(Context& ctx, const InHbm& in) {
  Kept kept;
  launch([&](Context& c, const InHbm& x) { kept = stored(c, x); }, ctx, in).wait();
  (void)launch([&](Context& c, const InHbm& x) { return added(c, x, kept); }, ctx, in).get();
}
void after(Context& ctx, const InHbm& in) {
  (void)launch([](Context& c, const InHbm& x) { return added(c, x, stored(c, x)); }, ctx, in).get();
}
// error[dsl-tensor-of-another-kernel]: a kernel uses a tensor in VRF of another kernel; help: return it from its kernel, as a tensor in HBM
REFUSED_AT_RUN_TIME { return called(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return called(after); }
}  // namespace dsl_tensor_of_another_kernel

// # dsl-tensor-overwritten
// Two tensors at the same bytes of HBM: the later one takes the place of the first, which cannot be read any more.
// run time only: addresses are values
namespace dsl_tensor_overwritten {
auto before(Context& ctx, const HostTensor<i32, m<A>>& values) {
  auto const first = values.to_hbm<Chip, m<A>>(ctx.pdma, 0);
  auto const second = values.to_hbm<Chip, m<A>>(ctx.pdma, 4096);
  return first.to_host<m<A>>(ctx.pdma);
}
auto after(Context& ctx, const HostTensor<i32, m<A>>& values) {
  auto const first = values.to_hbm<Chip, m<A>>(ctx.pdma, 0);
  auto const second = values.to_hbm<Chip, m<A>>(ctx.pdma, 8192);
  return first.to_host<m<A>>(ctx.pdma);
}
// error[dsl-tensor-overwritten]: a tensor at HBM bytes 0 to 8191 was overwritten by another one at 4096 to 12287; help: place them apart, or read the first one before the second is made
REFUSED_AT_RUN_TIME {
  return outcome([] {
           auto ctx = Context::acquire(ContextOptions{});
           (void)before(ctx, HostTensor<i32, m<A>>());
         })
      .refusal();
}
ACCEPTED_AT_RUN_TIME {
  return outcome([] {
    auto ctx = Context::acquire(ContextOptions{});
    (void)after(ctx, HostTensor<i32, m<A>>());
  });
}
}  // namespace dsl_tensor_overwritten
