// The Transpose Engine exchanges a part of Time with the packet.
#include "tcp/rules/transpose.hpp"
#include "helpers/asked.hpp"
#include "helpers/kernels.hpp"
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"

using namespace tcp;
using namespace tcp_refuse;

// # transpose-columns
// A row of the matrix comes as one, two or four packets: 8, 16 or 32 columns (16 or 32 of 4-bit elements). With up to 16 columns the engine takes in the
// next matrix while it gives out this one; 32 columns need both buffers.
namespace transpose_columns {
TCP_AXES(A = 8, B = 8, D = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, D, B>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<A, D>, m<B>>()
      .collect<m<A, D>, m<B.pad(32)>>()
      // error[transpose-columns]: the matrix has 8 packets of 8 elements in each row, 64 columns; of i8 the Transpose Engine has 8, 16, 32; help: move factors of Time to the outside of the rows
      .transpose<m<D, B>, m<A.pad(32)>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, D, B>>& in) {
  return ctx.main.begin(in.view()).fetch<i8, m<A, D>, m<B>>().collect<m<A, D>, m<B.pad(32)>>().transpose<m<A, B>, m<D.pad(32)>>();
}
#endif
REFUSED(check_transpose(target, StreamStage::Collect, ScalarType::i8, group(A, D), B.pad(32), group(D, B), A.pad(32)));
}  // namespace transpose_columns

// # transpose-contraction-width
// From the Contraction Engine the Transpose Engine takes eight elements of 32 bits per cycle, and nothing narrower.
// no kernel: accumulate gives 32 bits; after a cast the stream comes from the Cast Engine
namespace transpose_contraction_width {
TCP_AXES(A = 8, B = 8);
// error[transpose-contraction-width]: the Contraction Engine feeds the Transpose Engine with 32-bit elements; the stream is i8; help: transpose before the cast, or go through the Vector Engine
REFUSED(check_transpose(target, StreamStage::Contraction, ScalarType::i8, A, B.pad(32), B, A.pad(32)));
}  // namespace transpose_contraction_width

// # transpose-packet-not-one-flit
// Packets that enter the Transpose Engine are flits of 32 bytes, of which it uses the first 8 elements (16 of 4 bits). The rest is padding.
// no kernel: whatever comes before a transpose gives flits; a compiler that asks the rule by itself meets it
namespace transpose_packet_not_one_flit {
TCP_AXES(A = 8, B = 8);
// error[transpose-packet-not-one-flit]: Packet m![B] of i8 has 8 elements; the Transpose Engine takes flits of 32 bytes, which is 32; help: collect first, or pad the packet to 32
REFUSED(check_transpose(target, StreamStage::Collect, ScalarType::i8, A, B, B, A.pad(32)));
}  // namespace transpose_packet_not_one_flit

// # transpose-packet-too-full
// The buffers of the Transpose Engine take 8 elements of a packet, or 16 of 4, 8 or 16 bits, however many fit into its 32 bytes. The elements beyond must be
// padding, because they would be lost.
namespace transpose_packet_too_full {
TCP_AXES(A = 8, B = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, B>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<A>, m<B>>()
      .collect<m<A>, m<B>>()
      // error[transpose-packet-too-full]: Packet m![B] of i8 has elements beyond the first 16, which is all that the Transpose Engine takes of a packet; help: keep the others in Time: fetch packets of 16 elements
      .transpose<m<B>, m<A.pad(32)>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, B>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<A, B / 16>, m<B % 16>>()
      .collect<m<A, B / 16>, m<(B % 16).pad(32)>>()
      .transpose<m<B>, m<A.pad(32)>>();
}
#endif
// error[transpose-packet-too-full]: Packet m![B] of i8 has elements beyond the first 16, which is all that the Transpose Engine takes of a packet; help: keep the others in Time: fetch packets of 16 elements
REFUSED(check_transpose(target, StreamStage::Collect, ScalarType::i8, A, B, B, A.pad(32)));
}  // namespace transpose_packet_too_full

// # transpose-result-not-one-flit
// Every row that comes out of the Transpose Engine is padded to a flit of 32 bytes: the declared packet is the rows of the matrix, `# 32` for 8-bit
// elements, `# 16` for 16-bit and `# 8` for 32-bit ones.
namespace transpose_result_not_one_flit {
TCP_AXES(A = 8, B = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, B>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<A>, m<B>>()
      .collect<m<A>, m<B.pad(32)>>()
      // error[transpose-result-not-one-flit]: the declared Packet m![A] of i8 has 8 elements; the Transpose Engine makes flits of 32 bytes, which is 32; help: pad it to 32
      .transpose<m<B>, m<A>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, B>>& in) {
  return ctx.main.begin(in.view()).fetch<i8, m<A>, m<B>>().collect<m<A>, m<B.pad(32)>>().transpose<m<B>, m<A.pad(32)>>();
}
#endif
REFUSED(check_transpose(target, StreamStage::Collect, ScalarType::i8, A, B.pad(32), B, A));
}  // namespace transpose_result_not_one_flit

// # transpose-rows-not-in-time
// A transpose swaps rows, which come one after the other in Time, with the elements of a packet. So the packet that comes out is made of factors of
// Time, and nothing else.
namespace transpose_rows_not_in_time {
TCP_AXES(A = 8, B = 8, D = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, B>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<A>, m<B>>()
      .collect<m<A>, m<B.pad(32)>>()
      // error[transpose-rows-not-in-time]: the declared Packet m![D # 32] is not made of factors of Time m![A]; help: put factors of Time into Packet, and those of Packet m![B #z 32] into Time
      .transpose<m<B>, m<D.pad(32)>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, B>>& in) {
  return ctx.main.begin(in.view()).fetch<i8, m<A>, m<B>>().collect<m<A>, m<B.pad(32)>>().transpose<m<B>, m<A.pad(32)>>();
}
#endif
// error[transpose-rows-not-in-time]: the declared Packet m![D # 32] is not made of factors of Time m![A]; help: put factors of Time into Packet, and those of Packet m![B # 32] into Time
REFUSED(check_transpose(target, StreamStage::Collect, ScalarType::i8, A, B.pad(32), B, D.pad(32)));
}  // namespace transpose_rows_not_in_time

// # transpose-too-many-out-rows
// A matrix of 8 columns gives 8 rows, one of 16 packed columns 16. Rows of padding can be left out, but none can be added.
namespace transpose_too_many_out_rows {
TCP_AXES(A = 8, B = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, B>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<A>, m<B>>()
      .collect<m<A>, m<B.pad(32)>>()
      // error[transpose-too-many-out-rows]: Time m![B # 32] has 32 steps; the matrices of Time m![A] have 8 columns in all; help: write Time = m![B]
      .transpose<m<B.pad(32)>, m<A.pad(32)>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, B>>& in) {
  return ctx.main.begin(in.view()).fetch<i8, m<A>, m<B>>().collect<m<A>, m<B.pad(32)>>().transpose<m<B>, m<A.pad(32)>>();
}
#endif
REFUSED(check_transpose(target, StreamStage::Collect, ScalarType::i8, A, B.pad(32), B.pad(32), A.pad(32)));
}  // namespace transpose_too_many_out_rows

// # transpose-too-many-rows
// The buffers of the Transpose Engine are 8 bytes high: 16 rows of 4-bit elements, 8 of 8 bits, 4 of 16 bits, 2 of 32 bits. Transpose so many rows at a
// time: keep the outer part of the axis outside in Time, `A / 8`, and let `A % 8` be the rows.
namespace transpose_too_many_rows {
TCP_AXES(A = 16, B = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, B>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<A>, m<B>>()
      .collect<m<A>, m<B.pad(32)>>()
      // error[transpose-too-many-rows]: Packet m![A # 32] makes 16 rows of Time m![A]; of i8 the Transpose Engine holds 8; help: transpose 8 rows at a time and leave the others in Time
      .transpose<m<B>, m<A.pad(32)>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, B>>& in) {
  return ctx.main.begin(in.view()).fetch<i8, m<A>, m<B>>().collect<m<A>, m<B.pad(32)>>().transpose<m<A / 8, B>, m<(A % 8).pad(32)>>();
}
#endif
REFUSED(check_transpose(target, StreamStage::Collect, ScalarType::i8, A, B.pad(32), B, A.pad(32)));
}  // namespace transpose_too_many_rows

// # transpose-trims-elements
// After the transpose, padding elements of the packets are whole rows of padding, and the engine can leave them out. Rows that hold elements cannot be
// left out: nothing is dropped unless a commit says so.
namespace transpose_trims_elements {
TCP_AXES(A = 8, B = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, B>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<A>, m<B>>()
      .collect<m<A>, m<B.pad(32)>>()
      // error[transpose-trims-elements]: Time m![B = 6] has 6 steps, but 8 rows of the result hold elements; help: write Time = m![B]
      .transpose<m<B.resize(6)>, m<A.pad(32)>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, B>>& in) {
  return ctx.main.begin(in.view()).fetch<i8, m<A>, m<B>>().collect<m<A>, m<B.pad(32)>>().transpose<m<B>, m<A.pad(32)>>();
}
#endif
REFUSED(check_transpose(target, StreamStage::Collect, ScalarType::i8, A, B.pad(32), B.resize(6), A.pad(32)));
}  // namespace transpose_trims_elements

// # transpose-wrong-packet
// The packet that comes out holds the rows in the order in which they came in, padded at the end to a flit.
namespace transpose_wrong_packet {
TCP_AXES(A = 4, B = 2, E = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, B, E>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<A, B>, m<E>>()
      .collect<m<A, B>, m<E.pad(32)>>()
      // error[transpose-wrong-packet]: the declared Packet m![B # 8, A] does not hold the 8 rows of Time m![A, B] as they come; help: write Packet = m![A # 16, B]
      .transpose<m<E>, m<group(B, A).pad(32)>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<A, B, E>>& in) {
  return ctx.main.begin(in.view()).fetch<i8, m<A, B>, m<E>>().collect<m<A, B>, m<E.pad(32)>>().transpose<m<E>, m<group(A, B).pad(32)>>();
}
#endif
REFUSED(check_transpose(target, StreamStage::Collect, ScalarType::i8, group(A, B), E.pad(32), E, group(B, A).pad(32)));
}  // namespace transpose_wrong_packet

// # transpose-wrong-time
// Time after a transpose is fixed: the outer steps as before, then the packets of a row, then the elements of a packet. The declared mapping is compared
// with that; the help line has the mapping to write.
namespace transpose_wrong_time {
TCP_AXES(A = 8, B = 2, D = 4, E = 8);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<B, A, D, E>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<B, A, D>, m<E>>()
      .collect<m<B, A, D>, m<E.pad(32)>>()
      // error[transpose-wrong-time]: Time m![D, B, E] is not what the Transpose Engine makes of Time m![B, A, D] and Packet m![E #z 32]; help: write Time = m![B, D, E]
      .transpose<m<D, B, E>, m<A.pad(32)>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<B, A, D, E>>& in) {
  return ctx.main.begin(in.view()).fetch<i8, m<B, A, D>, m<E>>().collect<m<B, A, D>, m<E.pad(32)>>().transpose<m<B, D, E>, m<A.pad(32)>>();
}
#endif
// error[transpose-wrong-time]: Time m![D, B, E] is not what the Transpose Engine makes of Time m![B, A, D] and Packet m![E # 32]; help: write Time = m![B, D, E]
REFUSED(check_transpose(target, StreamStage::Collect, ScalarType::i8, group(B, A, D), E.pad(32), group(D, B, E), A.pad(32)));
}  // namespace transpose_wrong_time
