// A pass is a way through the engines of the Tensor Unit, in one order: fetch, switch, collect, contraction, vector, cast, transpose, and a sink.
#include "helpers/kernels.hpp"
#include "helpers/program.hpp"
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/rules/pass_state.hpp"

using namespace tcp;

// # stage-missing
// Engines may be left out where the pipeline has a way around them; this one has none. The error names every call that is missing between the two, in order.
namespace stage_missing {
TCP_AXES(A = 2048);
using Slice = m<A / 8>;
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, Slice, m<A % 8>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<1>, m<A % 8>>()
      // error[stage-missing]: vector_init cannot follow fetch: .collect() is missing; help: write .collect() before it
      .vector_init();
}

auto after(Context& ctx, const DmTensor<i32, Chip, Cluster, Slice, m<A % 8>>& in) {
  return ctx.main.begin(in.view()).fetch<i32, m<1>, m<A % 8>>().collect<m<1>, m<A % 8>>().vector_init();
}
#endif
constexpr PassState fetched{Tu::Main, false, StreamStage::Fetch};
// error[stage-missing]: vector_init cannot follow fetch: .collect() is missing; help: write .collect() before it
REFUSED(check_follows(target, fetched, StageKind::VectorInit));
}  // namespace stage_missing

// # stage-order
// A stream passes the engines in their order, each at most once: fetch, switch_to, collect, align to accumulate, vector_init to vector_final, cast, transpose,
// commit. Engines may be left out, never gone back to. What needs another order takes another pass.
namespace stage_order {
TCP_AXES(A = 2048);
using Slice = m<A / 8>;
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, Slice, m<A % 8>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<1>, m<A % 8>>()
      .collect<m<1>, m<A % 8>>()
      // error[stage-order]: switch_to cannot follow collect; help: the order is fetch, switch_to, collect, align to accumulate, vector_init to vector_final, cast, transpose, commit; begin another pass
      .switch_to<SwitchConfig::Forwarding{}, Slice, m<1>>();
}

auto after(Context& ctx, const DmTensor<i32, Chip, Cluster, Slice, m<A % 8>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<1>, m<A % 8>>()
      .switch_to<SwitchConfig::Forwarding{}, Slice, m<1>>()
      .collect<m<1>, m<A % 8>>();
}
#endif
constexpr PassState collected{Tu::Main, false, StreamStage::Collect};
// error[stage-order]: switch_to cannot follow collect; help: the order is fetch, switch_to, collect, align to accumulate, vector_init to vector_final, cast, transpose, commit; begin another pass
REFUSED(check_follows(target, collected, StageKind::Switch));
}  // namespace stage_order

// # stage-not-in-context
// The main context has all engines. The sub context fills TRF, VRF and DM while the main context computes: it does not contract, looks nothing up and
// does not transpose. What the Vector Engine computes for it goes to DM; only main stores that in the VRF.
namespace stage_not_in_context {
TCP_AXES(A = 2048);
using Slice = m<A / 8>;
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, Slice, m<A % 8>>& in) {
  return ctx.sub.begin(in.view())
      .fetch<i32, m<1>, m<A % 8>>()
      .collect<m<1>, m<A % 8>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_fxp(FxpBinaryOp::AddFxp, 1)
      .vector_final()
      // error[stage-not-in-context]: to_vrf cannot follow vector_final in the sub context; help: begin the pass with ctx.main
      .to_vrf<m<A % 8>>(0);
}

auto after(Context& ctx, const DmTensor<i32, Chip, Cluster, Slice, m<A % 8>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<1>, m<A % 8>>()
      .collect<m<1>, m<A % 8>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_fxp(FxpBinaryOp::AddFxp, 1)
      .vector_final()
      .to_vrf<m<A % 8>>(0);
}
#endif
constexpr PassState collected{Tu::Sub, false, StreamStage::Collect, ScalarType::bf16};
// error[stage-not-in-context]: align cannot follow collect in the sub context; help: begin the pass with ctx.main
REFUSED(check_follows(target, collected, StageKind::Align));
}  // namespace stage_not_in_context

// # stage-after-sink
// commit, to_trf and to_vrf take the stream up: what was computed is in a tensor then, and another pass can fetch it.
// run time only: in the front ends a sink gives a tensor, which has no stages
// no kernel: in the front ends a sink gives a tensor, which has no stages
namespace stage_after_sink {
// error[stage-after-sink]: cast follows the sink of its pass; help: begin another pass
REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  p.pass().stages.push_back({ir::Cast{}, p.pass().stages.back().out, {}});
  return p.refusal();
}
}  // namespace stage_after_sink
