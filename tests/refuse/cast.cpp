// The Cast Engine narrows the elements of a flit, once in a pass, before the transpose.
#include "tcp/rules/cast.hpp"
#include "helpers/asked.hpp"
#include "helpers/kernels.hpp"
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"

using namespace tcp;
using namespace tcp_refuse;

// # cast-no-such-cast
// The Cast Engine narrows what the engines before it make: `i32` to `i4`, `i8` and `i16`, `f32` to `f8e5m2`, `f8e4m3`, `f16` and `bf16`. It never
// widens, and it does not change integers into floating-point numbers; the Vector Engine's `vector_fp_to_fxp` does.
namespace cast_no_such_cast {
TCP_AXES(A = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<A>>& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<1>, m<A>>()
      .collect<m<1>, m<A>>()
      // error[cast-no-such-cast]: the Cast Engine has no cast from f32 to i8; help: cast f32 to f8e4m3, f8e5m2, f16, bf16
      .cast<i8, m<A.pad(32)>>();
}

auto after(Context& ctx, const DmTensor<f32, Chip, Cluster, Idle, m<A>>& in) {
  return ctx.main.begin(in.view()).fetch<f32, m<1>, m<A>>().collect<m<1>, m<A>>().cast<bf16, m<A.pad(16)>>();
}
#endif
REFUSED(check_cast(target, ScalarType::f32, ScalarType::i8, A, A.pad(32)));
}  // namespace cast_no_such_cast

// # cast-packet-not-one-flit
// The Cast Engine takes one flit of 32 bytes at a time, eight elements of 32 bits. Collect makes every packet one flit.
// no kernel: whatever comes before a cast gives flits; a compiler that asks the rule by itself meets it
namespace cast_packet_not_one_flit {
TCP_AXES(A = 4);
// error[cast-packet-not-one-flit]: Packet m![A] of i32 has 4 elements; the Cast Engine takes flits of 32 bytes, which is 8; help: pad it to 8
REFUSED(check_cast(target, ScalarType::i32, ScalarType::i8, A, A.pad(32)));
}  // namespace cast_packet_not_one_flit

// # cast-wrong-packet
// A cast makes each element smaller and pads the flit to 32 bytes again. Elements keep their places, Time stays as it is, and flits are not joined: eight
// elements of `i8` are followed by 24 bytes of zeros. Commit packs them.
namespace cast_wrong_packet {
TCP_AXES(A = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i32, Chip, Cluster, Idle, m<A>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<1>, m<A>>()
      .collect<m<1>, m<A>>()
      // error[cast-wrong-packet]: Packet m![A # 16] is not what the cast from i32 to i8 makes of Packet m![A]; help: write Packet = m![A #z 32]
      .cast<i8, m<A.pad(16)>>();
}

auto after(Context& ctx, const DmTensor<i32, Chip, Cluster, Idle, m<A>>& in) {
  return ctx.main.begin(in.view()).fetch<i32, m<1>, m<A>>().collect<m<1>, m<A>>().cast<i8, m<A.pad(32)>>();
}
#endif
REFUSED(check_cast(target, ScalarType::i32, ScalarType::i8, A, A.pad(16)));
}  // namespace cast_wrong_packet
