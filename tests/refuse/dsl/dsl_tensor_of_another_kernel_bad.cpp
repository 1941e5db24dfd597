// What a kernel makes and does not return is gone when it ends; another kernel cannot use it.
//
// run time only: a tensor may be smuggled out of a kernel by reference
#include "dsl/kernel.hpp"
#include "refuse_test.hpp"
using namespace tcp;

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
