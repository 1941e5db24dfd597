// The register files TRF and VRF are filled by passes that end in `to_trf` and `to_vrf`.
#include "tcp/rules/register_files.hpp"
#include "helpers/kernels.hpp"
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"

using namespace tcp;

// # trf-element-wrong
// What Row leaves of Time, and then the packet, is the Element of the TRF tensor, in this order and with its padding: flits are
// stored as they come.
//
// Write that Element. `align` can read it in another order; to store it in another order, fetch in another order.
namespace trf_element_wrong {
TCP_AXES(A = 4, N = 8, K = 64);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<N, A, K>>& in) {
  return ctx.sub.begin(in.view())
      .fetch<bf16, m<N, A>, m<K>>()
      .collect<m<N, A, K / 16>, m<K % 16>>()
      // error[trf-element-wrong]: Element m![K, A] is not what Row m![N] leaves of Time m![N, A, K / 16], Packet m![K % 16]; help: write Element = m![A, K]
      .to_trf<m<N>, m<K, A>>(TrfAddress::Full);
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<N, A, K>>& in) {
  return ctx.sub.begin(in.view()).fetch<bf16, m<N, A>, m<K>>().collect<m<N, A, K / 16>, m<K % 16>>().to_trf<m<N>, m<A, K>>(
      TrfAddress::Full);
}
#endif
REFUSED(check_to_trf(target, ScalarType::bf16, Expr(m<N, A, K / 16>{}), K % 16, N, Expr(m<K, A>{}), TrfAddress::Full));
}  // namespace trf_element_wrong

// # trf-padding-not-zero
// Zero padding in the type of a TRF tensor is a promise that contractions rely on. The stream must bring the zeros: padding that
// `collect` adds is zero, padding that the fetch declares as `#` is whatever is in DM after the row.
//
// Write `#z` (`.pad_zero(n)`) in the fetch, or `#` in the TRF tensor.
namespace trf_padding_not_zero {
TCP_AXES(N = 8, K = 12);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<N, K>>& in) {
  return ctx.sub.begin(in.view())
      .fetch<bf16, m<N>, m<K.pad(16)>>()
      .collect<m<N>, m<K.pad(16)>>()
      // error[trf-padding-not-zero]: Row m![N], Element m![K #z 16] promise zeros that Time m![N], Packet m![K # 16] do not bring; help: pad with zeros in the fetch, or declare # instead of #z
      .to_trf<m<N>, m<K.pad_zero(16)>>(TrfAddress::Full);
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<N, K>>& in) {
  return ctx.sub.begin(in.view()).fetch<bf16, m<N>, m<K.pad(16)>>().collect<m<N>, m<K.pad(16)>>().to_trf<m<N>, m<K.pad(16)>>(
      TrfAddress::Full);
}
#endif
REFUSED(check_to_trf(target, ScalarType::bf16, N, K.pad(16), N, K.pad_zero(16), TrfAddress::Full));
}  // namespace trf_padding_not_zero

// # trf-row-not-outermost
// `to_trf` fills one MAC Row after the other, as the flits come. So Row is the outermost part of Time.
//
// Put the axis of Row at the outside of the fetch's Time.
namespace trf_row_not_outermost {
TCP_AXES(A = 4, N = 8, K = 64);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<A, N, K>>& in) {
  return ctx.sub.begin(in.view())
      .fetch<bf16, m<A, N>, m<K>>()
      .collect<m<A, N, K / 16>, m<K % 16>>()
      // error[trf-row-not-outermost]: Row m![N] is not the outermost part of Time m![A, N, K / 16]; help: fetch with Row as the outermost factor of Time
      .to_trf<m<N>, m<A, K>>(TrfAddress::Full);
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<A, N, K>>& in) {
  return ctx.sub.begin(in.view()).fetch<bf16, m<N, A>, m<K>>().collect<m<N, A, K / 16>, m<K % 16>>().to_trf<m<N>, m<A, K>>(
      TrfAddress::Full);
}
#endif
REFUSED(check_to_trf(target, ScalarType::bf16, Expr(m<A, N, K / 16>{}), K % 16, N, Expr(m<A, K>{}), TrfAddress::Full));
}  // namespace trf_row_not_outermost

// # vrf-after-reduce
// The store into the VRF takes the flits of the Vector Engine step by step. An intra-slice reduce puts out a flit when the last step of its axis is
// through, so its results go to DM first.
namespace vrf_after_reduce {
TCP_AXES(N = 4, K = 8);
#if TCP_AT_COMPILE_TIME
auto summed(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<N, K>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<N>, m<K>>()
      .collect<m<N>, m<K>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_split<m<N, K / 4>, m<K % 4>>()
      .vector_intra_slice_reduce<N, m<K / 4>, m<K % 4>>(IntraSliceReduceOpF32::Add)
      .vector_concat<m<1>, m<K>>()
      .vector_final();
}

auto before(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<N, K>>& in) {
  return summed(ctx, in)
      // error[vrf-after-reduce]: to_vrf of a stream that an intra-slice reduce has folded; help: commit the result to DM, and fetch it from there into the VRF in another pass
      .to_vrf<m<K>>(0);
}

auto after(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<N, K>>& in) {
  auto sums = summed(ctx, in).commit<m<K>>(4096);
  return ctx.sub.begin(sums.view()).fetch<f32, m<1>, m<K>>().collect<m<1>, m<K>>().to_vrf<m<K>>(0);
}
#endif
constexpr PassState reduced{.after = StreamStage::Vector, .type = ScalarType::f32, .reduced = true};
// error[vrf-after-reduce]: to_vrf of a stream that an intra-slice reduce has folded; help: commit the result to DM, and fetch it from there into the VRF in another pass
REFUSED(check_follows(target, reduced, StageKind::ToVrf));
}  // namespace vrf_after_reduce

// # vrf-element-wrong
// `to_vrf` stores the flits as they come: Element is Time, and then Packet.
//
// Write that Element, or fetch in the order that you want to store.
namespace vrf_element_wrong {
TCP_AXES(N = 4, K = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<N, K>>& in) {
  return ctx.sub.begin(in.view())
      .fetch<f32, m<N>, m<K>>()
      .collect<m<N>, m<K>>()
      // error[vrf-element-wrong]: Element m![K, N] is not Time m![N] and Packet m![K]; help: write Element = m![N, K]
      .to_vrf<m<K, N>>(0);
}

auto after(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<N, K>>& in) {
  return ctx.sub.begin(in.view()).fetch<f32, m<N>, m<K>>().collect<m<N>, m<K>>().to_vrf<m<N, K>>(0);
}
#endif
REFUSED(check_to_vrf(target, ScalarType::f32, N, K, Expr(m<K, N>{}), Bytes{0}));
}  // namespace vrf_element_wrong

// # vrf-padding-not-zero
// Zero padding in the type of a VRF tensor is a promise. The stream must bring the zeros: padding that `collect` adds is zero,
// padding that the fetch declares as `#` is whatever is in DM after the row.
//
// Write `#z` (`.pad_zero(n)`) in the fetch, or `#` in the VRF tensor.
namespace vrf_padding_not_zero {
TCP_AXES(N = 4, K = 6);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<N, K>>& in) {
  return ctx.sub.begin(in.view())
      .fetch<f32, m<N>, m<K.pad(8)>>()
      .collect<m<N>, m<K.pad(8)>>()
      // error[vrf-padding-not-zero]: Element m![N, K #z 8] promises zeros that Time m![N], Packet m![K # 8] do not bring; help: pad with zeros in the fetch, or declare # instead of #z
      .to_vrf<m<N, K.pad_zero(8)>>(0);
}

auto after(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<N, K>>& in) {
  return ctx.sub.begin(in.view()).fetch<f32, m<N>, m<K.pad(8)>>().collect<m<N>, m<K.pad(8)>>().to_vrf<m<N, K.pad(8)>>(0);
}
#endif
REFUSED(check_to_vrf(target, ScalarType::f32, N, K.pad(8), Expr(m<N, K.pad_zero(8)>{}), Bytes{0}));
}  // namespace vrf_padding_not_zero

// # vrf-type
// The Vector Engine computes with `i32` and `f32`, and so the VRF, which holds its operands, has nothing else.
//
// Let the fetch cast: `fetch<f32, …>` of `bf16`, `fetch<i32, …>` of `i8`.
namespace vrf_type {
TCP_AXES(N = 4, K = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<N, K>>& in) {
  return ctx.sub.begin(in.view())
      .fetch<bf16, m<N>, m<K>>()
      .collect<m<N>, m<K>>()
      // error[vrf-type]: the VRF holds operands of the Vector Engine, i32 or f32, not bf16; help: fetch into f32
      .to_vrf<m<N, K>>(0);
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<N, K>>& in) {
  return ctx.sub.begin(in.view()).fetch<f32, m<N>, m<K>>().collect<m<N, K / 8>, m<K % 8>>().to_vrf<m<N, K>>(0);
}
#endif
REFUSED(check_to_vrf(target, ScalarType::bf16, N, K, Expr(m<N, K>{}), Bytes{0}));
}  // namespace vrf_type
