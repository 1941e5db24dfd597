// What only the run of a kernel can show: tensors and streams that are used in the wrong place, and values that do not fit.
#include "helpers/kernel.hpp"
#include "refuse_test.hpp"
#include "tcp/dsl/dynamic.hpp"

using namespace tcp;

// # dsl-host-count
// A host tensor is filled position by position, so that a list of values has as many as the tensor has positions, padding included.
// run time only: how many values there are shows when the program runs
namespace dsl_host_count {
// error[dsl-host-count]: 3 values are given for a host tensor of m![A], which has 2048 positions; help: give 2048 values
REFUSED_AT_RUN_TIME {
  int const values[] = {1, 2, 3};
  return tcp_refuse::refused([&] { HostTensor<i32, m<tcp_refuse::A>>::from(values).size(); });
}
}  // namespace dsl_host_count

// # dsl-host-index
// An index of a host tensor gives every one of its axes a coordinate below the size of the axis.
// run time only: indices are values
namespace dsl_host_index {
// error[dsl-host-index]: a host tensor of m![A] holds no element {A: 2048}; help: write index(A.at(0), B.at(0)), with the tensor's axes
REFUSED_AT_RUN_TIME {
  HostTensor<i32, m<tcp_refuse::A>> const host;
  Index beyond;
  beyond.add(Name("A"), 2048);
  return tcp_refuse::refused([&] { host.at(beyond); });
}
}  // namespace dsl_host_index

// # dsl-host-inside-kernel
// A kernel runs on the device and sees the memory of the device. Host tensors are uploaded before the launch, and results downloaded after it.
// run time only: one function may be called by the host and by a kernel
namespace dsl_host_inside_kernel {
// error[dsl-host-inside-kernel]: a host tensor is uploaded inside a kernel; help: upload it before the launch, and pass the HbmTensor
REFUSED_AT_RUN_TIME {
  auto ctx = Context::acquire(ContextOptions{});
  return tcp_refuse::refused([&] { (void)launch(tcp_refuse::uploads, ctx).get(); });
}
}  // namespace dsl_host_inside_kernel

// # dsl-host-memory
// A host tensor keeps every position in the host's memory. One that does not fit is refused when it is made.
// run time only: how much memory a host has shows when the program runs
namespace dsl_host_memory {
TCP_AXES(X = std::int64_t{1} << 50);
// error[dsl-host-memory]: the host has no room for a tensor of 1125899906842624 elements of 4 bytes; help: use a smaller tensor, or tiles of it
REFUSED_AT_RUN_TIME {
  return tcp_refuse::refused([] { HostTensor<i32, m<X>> const host; });
}
}  // namespace dsl_host_memory

// # dsl-host-type
// A host tensor whose type is a value keeps the bits of that type, and gives its elements as nothing else.
// run time only: the type is a value
namespace dsl_host_type {
// error[dsl-host-type]: elements of a host tensor of bf16 are asked for as f32; help: ask for data<bf16>()
REFUSED_AT_RUN_TIME {
  dyn::HostTensor host(ScalarType::bf16, dyn::axis("A", 16));
  return tcp_refuse::refused([&] { (void)host.data<f32>(); });
}
}  // namespace dsl_host_type

// # dsl-host-value
// Whole numbers go into a host tensor as they are, or not at all: what a type cannot hold is no value of it. Floating-point numbers are rounded.
// run time only: values are met when the program runs
namespace dsl_host_value {
TCP_AXES(V = 2);
// error[dsl-host-value]: a host tensor of i8 is given 300, which is no value of i8; help: round and clamp the values before they are given
REFUSED_AT_RUN_TIME {
  int const values[] = {1, 300};
  return tcp_refuse::refused([&] { HostTensor<i8, m<V>>::from(values).size(); });
}
}  // namespace dsl_host_value

// # dsl-launch-inside-kernel
// A kernel is recorded while its function runs, and only the host launches. A kernel that needs another one calls it as a function, with the same context.
// run time only: who calls a function shows when it is called
namespace dsl_launch_inside_kernel {
// error[dsl-launch-inside-kernel]: a kernel is launched while another one is being recorded; help: call the inner kernel as a function, with the same context
REFUSED_AT_RUN_TIME {
  auto ctx = Context::acquire(ContextOptions{});
  auto const in = tcp_refuse::uploaded(ctx);
  return tcp_refuse::refused([&] { (void)launch(tcp_refuse::launches, ctx, in).get(); });
}
}  // namespace dsl_launch_inside_kernel

// # dsl-outside-kernel
// Transfers by the tensor DMA, passes and views are commands of a kernel: they are written down while the kernel is recorded, and run as one.
// run time only: one function may be called by the host and by a kernel
namespace dsl_outside_kernel {
// error[dsl-outside-kernel]: the device is told to do something outside of a kernel; help: put it into a function and launch it: launch(kernel, ctx, tensors...)
REFUSED_AT_RUN_TIME {
  auto ctx = Context::acquire(ContextOptions{});
  auto const in = tcp_refuse::uploaded(ctx);
  return tcp_refuse::refused([&] { (void)tcp_refuse::keeps_dm(ctx, in); });
}
}  // namespace dsl_outside_kernel

// # dsl-result-not-in-hbm
// DM, SPM and the register files belong to the kernel that runs. What is to outlive it lies in HBM.
// run time only: what a kernel still holds when it returns is seen then
namespace dsl_result_not_in_hbm {
// error[dsl-result-not-in-hbm]: the kernel returns, and a tensor in DM that begins here is still held; help: copy it with to_hbm, and return that
REFUSED_AT_RUN_TIME {
  auto ctx = Context::acquire(ContextOptions{});
  auto const in = tcp_refuse::uploaded(ctx);
  return tcp_refuse::refused([&] { (void)launch(tcp_refuse::keeps_dm, ctx, in).get(); });
}
}  // namespace dsl_result_not_in_hbm

// # dsl-stream-used-twice
// A stream is consumed by its next stage. The types see to it as long as a stream is a temporary; a copy that was kept is found when it is used.
// run time only: C++ cannot tell that a moved value is used again
namespace dsl_stream_used_twice {
// error[dsl-stream-used-twice]: a stream goes on from a stage that it has left already; help: begin another pass over the tensor
REFUSED_AT_RUN_TIME {
  auto ctx = Context::acquire(ContextOptions{});
  auto const in = tcp_refuse::uploaded(ctx);
  return tcp_refuse::refused([&] { (void)launch(tcp_refuse::goes_back, ctx, in).get(); });
}
}  // namespace dsl_stream_used_twice

// # dsl-stream-without-sink
// Every pass ends in a commit, to_trf or to_vrf: what flows out of the last stage must be taken up.
// run time only: a stream that nobody goes on with is found at the next begin, or when the kernel returns
namespace dsl_stream_without_sink {
// error[dsl-stream-without-sink]: the stream that begins here ends nowhere, and the kernel returns; help: end it with a sink
REFUSED_AT_RUN_TIME {
  auto ctx = Context::acquire(ContextOptions{});
  auto const in = tcp_refuse::uploaded(ctx);
  return tcp_refuse::refused([&] { (void)launch(tcp_refuse::leaves_a_stream, ctx, in).get(); });
}
}  // namespace dsl_stream_without_sink

// # dsl-tensor-empty
// A tensor that is declared and not filled names nothing: it becomes one when the result of a transfer, a commit or a store is assigned to it.
// run time only: a variable may be filled on one way and not on another
namespace dsl_tensor_empty {
// error[dsl-tensor-empty]: a tensor is used that has not been made yet; help: give it the result of a transfer, a commit, to_trf, to_vrf or a branch log first
REFUSED_AT_RUN_TIME {
  auto ctx = Context::acquire(ContextOptions{});
  return tcp_refuse::refused([&] { (void)launch(tcp_refuse::takes_nothing, ctx).get(); });
}
}  // namespace dsl_tensor_empty

// # dsl-tensor-of-another-context
// A tensor lies in the memory of the device that it was uploaded to, and that memory is given up with the context.
// run time only: which context made a tensor is no part of its type
namespace dsl_tensor_of_another_context {
// error[dsl-tensor-of-another-context]: a tensor in HBM of one context is used in another; help: download it with to_host before its context ends, and upload it again
REFUSED_AT_RUN_TIME {
  tcp_refuse::InHbm in;
  {
    auto first = Context::acquire(ContextOptions{});
    in = tcp_refuse::uploaded(first);
  }
  auto second = Context::acquire(ContextOptions{});
  return tcp_refuse::refused([&] { (void)launch(tcp_refuse::copies, second, in).get(); });
}
}  // namespace dsl_tensor_of_another_context

// # dsl-tensor-of-another-kernel
// What a kernel makes and does not return is gone when it ends; another kernel cannot use it.
// run time only: a tensor may be smuggled out of a kernel by reference
namespace dsl_tensor_of_another_kernel {
// error[dsl-tensor-of-another-kernel]: a kernel uses a tensor in VRF of another kernel; help: return it from its kernel, as a tensor in HBM
REFUSED_AT_RUN_TIME {
  auto ctx = Context::acquire(ContextOptions{});
  auto const in = tcp_refuse::uploaded(ctx);
  VrfTensor<i32, tcp_refuse::Chip, tcp_refuse::Cluster, tcp_refuse::Slice, m<tcp_refuse::A % 8>> kept;
  auto const stores = [&kept](Context& c, const tcp_refuse::InHbm& x) {
    auto const dm = tcp_refuse::in_dm(c, x);
    kept =
        c.sub.begin(dm.view()).fetch<i32, m<1>, m<tcp_refuse::A % 8>>().collect<m<1>, m<tcp_refuse::A % 8>>().to_vrf<m<tcp_refuse::A % 8>>(
            0);
  };
  auto const uses = [&kept](Context& c, const tcp_refuse::InHbm& x) {
    auto const dm = tcp_refuse::in_dm(c, x);
    return c.main.begin(dm.view())
        .fetch<i32, m<1>, m<tcp_refuse::A % 8>>()
        .collect<m<1>, m<tcp_refuse::A % 8>>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_fxp(FxpBinaryOp::AddFxp, kept)
        .vector_final()
        .commit<m<tcp_refuse::A % 8>>(4096)
        .to_hbm<m<tcp_refuse::A>>(c.tdma, 1 << 20);
  };
  launch(stores, ctx, in).wait();
  return tcp_refuse::refused([&] { (void)launch(uses, ctx, in).get(); });
}
}  // namespace dsl_tensor_of_another_kernel

// # dsl-tensor-overwritten
// Two tensors at the same bytes of HBM: the later one takes the place of the first, which cannot be read any more.
// run time only: addresses are values
namespace dsl_tensor_overwritten {
// error[dsl-tensor-overwritten]: a tensor at HBM bytes 0 to 8191 was overwritten by another one at 4096 to 12287; help: place them apart, or read the first one before the second is made
REFUSED_AT_RUN_TIME {
  auto ctx = Context::acquire(ContextOptions{});
  auto const first = tcp_refuse::uploaded(ctx, 0);
  auto const second = tcp_refuse::uploaded(ctx, 4096);
  return tcp_refuse::refused([&] { (void)first.to_host<m<tcp_refuse::A>>(ctx.pdma); });
}
}  // namespace dsl_tensor_overwritten
