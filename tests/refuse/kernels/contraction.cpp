// Register files and contractions that do not compile.
#include <tcp/tcp.hpp>

using namespace tcp;

namespace {

TCP_AXES(I = 512, J = 512, K = 64, L = 2048, P = 61, A = 2048, R = 16, Q = 8, F = 3, W = 64);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<I / 32, J / 32>;
using Idle = m<one.pad(256)>;
using Weights = TrfTensor<bf16, Chip, Cluster, Slice, m<J % 8>, m<J / 8 % 4, K>>;
using Data = DmTensor<bf16, Chip, Cluster, Slice, m<I % 32, K>>;
using Vector = DmTensor<bf16, Chip, Cluster, Idle, m<A>>;
using VectorWeights = TrfTensor<bf16, Chip, Cluster, Idle, m<1>, m<A>>;

auto collected(Context& ctx, const Data& in) {
  return ctx.main.begin(in.view()).fetch<bf16, m<I % 32, J / 8 % 4>, m<K>>().collect<m<I % 32, J / 8 % 4, K / 16>, m<K % 16>>();
}
auto vector_collected(Context& ctx, const Vector& in) {
  return ctx.main.begin(in.view()).fetch<bf16, m<1>, m<A>>().collect<m<A / 16>, m<A % 16>>();
}

// HEL-31: sixteen kilobytes do not fit a row of the TRF.
[[maybe_unused]] auto hel_31(Context& ctx, const DmTensor<bf16, Chip, Cluster, Slice, m<J % 32, L>>& in) {
  return ctx.sub.begin(in.view())
      .fetch<bf16, m<J % 8, J / 8 % 4>, m<L>>()
      .collect<m<J % 8, J / 8 % 4, L / 16>, m<L % 16>>()
      // error[memory-trf-too-large]: the TRF of a slice holds 65536 bytes; 8 rows of Element m![J / 8 % 4, L] of bf16 take 131072 bytes; help: spread more of the tensor over Slice, or work on a tile of it
      .to_trf<m<J % 8>, m<J / 8 % 4, L>>(TrfAddress::Full);
}
[[maybe_unused]] auto row_inside(Context& ctx, const DmTensor<bf16, Chip, Cluster, Slice, m<J % 32, K>>& in) {
  return ctx.sub.begin(in.view())
      .fetch<bf16, m<J / 8 % 4, J % 8>, m<K>>()
      .collect<m<J / 8 % 4, J % 8, K / 16>, m<K % 16>>()
      // error[trf-row-not-outermost]: Row m![J % 8] is not the outermost part of Time m![J % 32, K / 16]; help: fetch with Row as the outermost factor of Time
      .to_trf<m<J % 8>, m<J / 8 % 4, K>>(TrfAddress::Full);
}
[[maybe_unused]] auto sixteen_rows(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<R, K>>& in) {
  return ctx.sub.begin(in.view())
      .fetch<bf16, m<R>, m<K>>()
      .collect<m<R, K / 16>, m<K % 16>>()
      // error[memory-trf-rows]: Row m![R] has 16 positions; the TRF is read by 1, 2, 4, 8 rows; help: pad Row to the next of these, or move a part of it to Element
      .to_trf<m<R>, m<K>>(TrfAddress::Full);
}
[[maybe_unused]] auto element_of_another_order(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<Q, K>>& in) {
  return ctx.sub.begin(in.view())
      .fetch<bf16, m<Q>, m<K>>()
      .collect<m<Q, K / 16>, m<K % 16>>()
      // error[trf-element-wrong]: Element m![K % 16, K / 16] is not what Row m![Q] leaves of Time m![Q, K / 16], Packet m![K % 16]; help: write Element = m![K]
      .to_trf<m<Q>, m<K % 16, K / 16>>(TrfAddress::Full);
}
[[maybe_unused]] auto weights_of_i16(Context& ctx, const DmTensor<i16, Chip, Cluster, Idle, m<Q, K>>& in) {
  return ctx.sub.begin(in.view())
      .fetch<i16, m<Q>, m<K>>()
      .collect<m<Q, K / 16>, m<K % 16>>()
      // error[contraction-operand-type]: i16 cannot be multiplied in a contraction; i4, i5, i8, i9, f8e4m3, f8e5m2 and bf16 can; help: use i8, or multiply in the Vector Engine
      .to_trf<m<Q>, m<K>>(TrfAddress::Full);
}
[[maybe_unused]] auto zeros_that_are_not_there(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<Q, P.pad(64)>>& in) {
  return ctx.sub.begin(in.view())
      .fetch<bf16, m<Q>, m<P.pad(64)>>()
      .collect<m<Q, P.pad(64) / 16>, m<P.pad(64) % 16>>()
      // error[trf-padding-not-zero]: Row m![Q], Element m![P #z 64] promise zeros that Time m![Q, P # 64 / 16], Packet m![P = 16] do not bring; help: pad with zeros in the fetch, or declare # instead of #z
      .to_trf<m<Q>, m<P.pad_zero(64)>>(TrfAddress::Full);
}
[[maybe_unused]] auto operands_of_bf16(Context& ctx, const Vector& in) {
  return ctx.sub.begin(in.view())
      .fetch<bf16, m<A / 16>, m<A % 16>>()
      .collect<m<A / 16>, m<A % 16>>()
      // error[vrf-type]: the VRF holds operands of the Vector Engine, i32 or f32, not bf16; help: fetch into f32
      .to_vrf<m<A>>(0);
}
[[maybe_unused]] auto operands_too_many(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<A, Q>>& in) {
  return ctx.sub.begin(in.view())
      .fetch<f32, m<A>, m<Q>>()
      .collect<m<A>, m<Q>>()
      // error[memory-vrf-too-large]: the VRF of a slice holds 8192 bytes; Element m![A, Q] of f32 takes 65536 bytes; help: spread more of the tensor over Slice, or work on a tile of it
      .to_vrf<m<A, Q>>(0);
}
[[maybe_unused]] auto operands_in_another_order(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<R, Q>>& in) {
  return ctx.sub.begin(in.view())
      .fetch<f32, m<R>, m<Q>>()
      .collect<m<R>, m<Q>>()
      // error[vrf-element-wrong]: Element m![Q, R] is not Time m![R] and Packet m![Q]; help: write Element = m![R, Q]
      .to_vrf<m<Q, R>>(0);
}

[[maybe_unused]] auto contraction_in_the_sub_context(Context& ctx, const Vector& in, const VectorWeights& trf) {
  return ctx.sub.begin(in.view())
      .fetch<bf16, m<1>, m<A>>()
      .collect<m<A / 16>, m<A % 16>>()
      // error[stage-not-in-context]: align cannot follow collect in the sub context; help: begin the pass with ctx.main
      .align<m<A / 32>, m<A % 32>>(trf);
}
[[maybe_unused]] auto weights_of_other_slices(Context& ctx, const Data& in, const TrfTensor<bf16, Chip, Cluster, Idle, m<1>, m<K>>& trf) {
  return collected(ctx, in)
      // error[contraction-other-slices]: the stream has Slice m![I / 32, J / 32], the TRF tensor m![1 # 256]; help: load the TRF from a tensor with Slice = m![I / 32, J / 32]
      .align<m<I % 32, J / 8 % 4, K / 32>, m<K % 32>>(trf);
}
[[maybe_unused]] auto weights_of_another_type(Context& ctx, const Vector& in,
                                              const TrfTensor<f8e4m3, Chip, Cluster, Idle, m<1>, m<A>>& trf) {
  return vector_collected(ctx, in)
      // error[contraction-mixed-types]: a stream of bf16 cannot be multiplied with weights of f8e4m3; help: fetch one of them into the other's type
      .align<m<A / 32>, m<A % 32>>(trf);
}
[[maybe_unused]] auto packet_of_one_flit_and_a_half(Context& ctx, const Vector& in, const VectorWeights& trf) {
  return vector_collected(ctx, in)
      // error[contraction-packet-size]: Packet m![A % 64] of bf16 is 128 bytes; the Reducer takes 64 bytes, or 32 bytes and zeros; help: write Time = m![A / 32], inside of it what only the TRF has, and Packet = m![A % 32]
      .align<m<A / 64>, m<A % 64>>(trf);
}
[[maybe_unused]] auto weights_without_the_axis(Context& ctx, const Vector& in,
                                               const TrfTensor<bf16, Chip, Cluster, Idle, m<1>, m<L>>& trf) {
  return vector_collected(ctx, in)
      // error[contraction-packet-wrong]: Packet m![L % 32] of bf16 is not what the stream adapter makes of Time m![A / 16], Packet m![A % 16]; help: write Time = m![A / 32], inside of it what only the TRF has, and Packet = m![A % 32]
      .align<m<L / 32>, m<L % 32>>(trf);
}
[[maybe_unused]] auto columns_that_the_tree_does_not_leave(Context& ctx, const Vector& in, const VectorWeights& trf) {
  return vector_collected(ctx, in)
      .align<m<A / 32>, m<A % 32>>(trf)
      // error[contraction-columns-wrong]: Packet m![A % 8] is not what a tree leaves of m![A % 32]; help: write m![A / 4 % 8], or bring the axes to be added to the inside of the packet
      .contract<m<A % 8>>();
}
[[maybe_unused]] auto maximum_of_eight_rows(Context& ctx, const Data& in, const Weights& trf) {
  return collected(ctx, in)
      .align<m<I % 32, J / 8 % 4, K / 32>, m<K % 32>>(trf)
      // error[contraction-max-rows]: contract_max with Row m![J % 8] of 8 rows; only one row finds a maximum; help: store the TRF tensor with Row m![1], and its rows in Element
      .contract_max<m<1>>();
}
[[maybe_unused]] auto sum_over_undefined_padding(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<P.pad(64)>>& in,
                                                 const TrfTensor<bf16, Chip, Cluster, Idle, m<1>, m<P.pad(64)>>& trf) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<1>, m<P.pad(64)>>()
      .collect<m<P.pad(64) / 16>, m<P.pad(64) % 16>>()
      .align<m<P.pad(64) / 32>, m<P.pad(64) % 32>>(trf)
      // error[contraction-undefined-padding]: the sum over m![P = 32] would take in padding of axis P that is undefined in the stream and in the TRF; help: pad with zeros in the fetch of one of them: #z, .pad_zero(n)
      .contract<m<1>>();
}
[[maybe_unused]] auto accumulated_into_another_order(Context& ctx, const Data& in, const Weights& trf) {
  return collected(ctx, in)
      .align<m<I % 32, J / 8 % 4, K / 32>, m<K % 32>>(trf)
      .contract<m<1>>()
      // error[contraction-accumulate-order]: Time m![J / 8 % 4, I % 32] is not m![I % 32, J / 8 % 4, K / 32] with some axes left out; help: keep the order of Time here; rearrange in the fetch, or when the result is committed
      .accumulate<m<J / 8 % 4, I % 32>, m<J % 8>>(AccumulationKind::Interleaved);
}
[[maybe_unused]] auto rows_left_out(Context& ctx, const Data& in, const Weights& trf) {
  return collected(ctx, in)
      .align<m<I % 32, J / 8 % 4, K / 32>, m<K % 32>>(trf)
      .contract<m<1>>()
      // error[contraction-accumulate-packet]: Packet m![1 # 8] is not what Interleaved puts out: a value of each Row, m![J % 8]; help: write Packet = m![J % 8]
      .accumulate<m<I % 32, J / 8 % 4>, m<one.pad(8)>>(AccumulationKind::Interleaved);
}
[[maybe_unused]] auto contract_without_align(Context& ctx, const Vector& in) {
  // error[stage-missing]: contract cannot follow collect: .align() is missing; help: write .align() before it
  return vector_collected(ctx, in).contract<m<1>>();
}
[[maybe_unused]] auto accumulate_without_contract(Context& ctx, const Vector& in, const VectorWeights& trf) {
  return vector_collected(ctx, in)
      .align<m<A / 32>, m<A % 32>>(trf)
      // error[stage-missing]: accumulate cannot follow align: .contract() is missing; help: write .contract() before it
      .accumulate<m<1>, m<one.pad(8)>>(AccumulationKind::Interleaved);
}
[[maybe_unused]] auto cast_without_accumulate(Context& ctx, const Vector& in, const VectorWeights& trf) {
  return vector_collected(ctx, in)
      .align<m<A / 32>, m<A % 32>>(trf)
      .contract<m<1>>()
      // error[stage-missing]: cast cannot follow contract: .accumulate() is missing; help: write .accumulate() before it
      .cast<bf16, m<one.pad(16)>>();
}
[[maybe_unused]] auto commit_of_an_open_sum(Context& ctx, const Vector& in, const VectorWeights& trf) {
  return vector_collected(ctx, in)
      .align<m<A / 32>, m<A % 32>>(trf)
      .contract<m<1>>()
      // error[stage-missing]: commit cannot follow contract: .accumulate() is missing; help: write .accumulate() before it
      .commit<m<1>>(0);
}
[[maybe_unused]] auto aligned_with_dm(Context& ctx, const Vector& in) {
  return vector_collected(ctx, in)
      // align takes a TRF tensor
      .align<m<A / 32>, m<A % 32>>(in);
}

}  // namespace
