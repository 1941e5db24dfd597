// What the files of these folders share: a small tensor, and what a program was refused with.
#pragma once

#include <stdexcept>

#include "tcp/tcp.hpp"

namespace tcp_refuse {

TCP_AXES(A = 2048);
using Chip = tcp::m<1>;
using Cluster = tcp::m<tcp::one.pad(2)>;
using Slice = tcp::m<(A / 8).pad(256)>;
using InHbm = tcp::HbmTensor<tcp::i32, Chip, tcp::m<A>>;
using InDm = tcp::DmTensor<tcp::i32, Chip, Cluster, Slice, tcp::m<A % 8>>;

inline InHbm uploaded(tcp::Context& ctx, tcp::Address address = 0) {
  return tcp::HostTensor<tcp::i32, tcp::m<A>>().to_hbm<Chip, tcp::m<A>>(ctx.pdma, address);
}
inline InDm in_dm(tcp::Context& ctx, const InHbm& in, tcp::Address address = 0) {
  return in.to_dm<Cluster, Slice, tcp::m<A % 8>>(ctx.tdma, address);
}

// Kernels that are wrong, each in one way.

inline InHbm uploads(tcp::Context& ctx) { return uploaded(ctx); }
inline InHbm launches(tcp::Context& ctx, const InHbm& in) { return tcp::launch(launches, ctx, in).get(); }
inline InDm keeps_dm(tcp::Context& ctx, const InHbm& in) { return in_dm(ctx, in); }
inline void leaves_a_stream(tcp::Context& ctx, const InHbm& in) {
  auto const dm = in_dm(ctx, in);
  (void)ctx.main.begin(dm.view()).fetch<tcp::i32, tcp::m<1>, tcp::m<A % 8>>();
}
inline void goes_back(tcp::Context& ctx, const InHbm& in) {
  auto const dm = in_dm(ctx, in);
  auto fetched = ctx.main.begin(dm.view()).fetch<tcp::i32, tcp::m<1>, tcp::m<A % 8>>();
  auto again = fetched;
  (void)std::move(fetched).collect<tcp::m<1>, tcp::m<A % 8>>().commit<tcp::m<A % 8>>(4096);
  (void)std::move(again).collect<tcp::m<1>, tcp::m<A % 8>>();
}
inline InHbm copies(tcp::Context& ctx, const InHbm& in) { return in_dm(ctx, in).to_hbm<tcp::m<A>>(ctx.tdma, 1 << 20); }
inline InHbm takes_nothing(tcp::Context& ctx) { return in_dm(ctx, InHbm()).to_hbm<tcp::m<A>>(ctx.tdma, 1 << 20); }
inline InHbm throws(tcp::Context& ctx, const InHbm& in, InHbm& kept) {
  kept = copies(ctx, in);
  throw std::runtime_error("out of luck");
}

template <class Program>
tcp::Refusal refused(Program&& program) {
  try {
    program();
  } catch (const tcp::Refused& r) {
    return r.refusal();
  }
  throw std::logic_error("it was not refused");
}

}  // namespace tcp_refuse
