// Fetch, switch, collect, cast, transpose and commit that do not compile.
#include <tcp/tcp.hpp>

using namespace tcp;

namespace {

TCP_AXES(A = 2048, B = 512, C = 45, I = 2, X = 3, Y = 5, S = 256, M = 16, N = 8, E = 4);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<(A / 8).pad(256)>;
using Idle = m<one.pad(256)>;
using Words = DmTensor<i32, Chip, Cluster, Slice, m<A % 8>>;
using Halves16 = DmTensor<bf16, Chip, Cluster, Idle, m<A>>;
using Bytes8 = DmTensor<i8, Chip, Cluster, Idle, m<B>>;
using Floats = DmTensor<f32, Chip, Cluster, Idle, m<B>>;

[[maybe_unused]] auto packet_of_five_bytes(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<Y>>& in) {
  // error[fetch-packet-not-aligned]: Packet m![Y] of i8 is 5 bytes; a fetch makes packets of a multiple of 8 bytes; help: pad it: Y # 8
  return ctx.main.begin(in.view()).fetch<i8, m<1>, m<Y>>();
}
[[maybe_unused]] auto other_blocks(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<C % 5, C / 5>>& in) {
  // error[fetch-packet-not-aligned]: Packet m![C % 3, C / 3] of i8 is 45 bytes; a fetch makes packets of a multiple of 8 bytes; help: pad it: [C % 3, C / 3] # 48
  return ctx.main.begin(in.view()).fetch<i8, m<1>, m<C % 3, C / 3>>();
}
[[maybe_unused]] auto steps_that_the_slice_does_not_have(Context& ctx, const Words& in) {
  // error[levels-axis-twice]: axis A is counted by Slice = m![A / 8] and by Time = m![A / 16] at once; help: split the axis: A / n on one level, A % n on the other
  return ctx.main.begin(in.view()).fetch<i32, m<A / 16>, m<A % 16>>();
}
[[maybe_unused]] auto cast_that_the_adapter_lacks(Context& ctx, const Words& in) {
  // error[fetch-no-such-cast]: the fetch adapter has no cast from i32 to bf16; help: fetch i32 as i32
  return ctx.main.begin(in.view()).fetch<bf16, m<1>, m<A % 8>>();
}
[[maybe_unused]] auto narrowing_in_the_sub_context(Context& ctx, const Floats& in) {
  // error[fetch-no-such-cast]: the fetch adapter has no cast from f32 to f8e4m3; help: fetch f32 as f32 or bf16
  return ctx.sub.begin(in.view()).fetch<f8e4m3, m<1>, m<B>>();
}
[[maybe_unused]] auto table_in_the_sub_context(Context& ctx, const Bytes8& in, const LookupTable<i8, i8>& table) {
  // error[fetch-table-in-sub]: the sub context has no lookup table; help: fetch with the table in the main context
  return ctx.sub.begin(in.view()).fetch_with_table<i8, m<1>, m<B>>(table);
}
[[maybe_unused]] auto table_of_another_type(Context& ctx, const Words& in, const LookupTable<i8, i8>& table) {
  // error[fetch-table-index]: a table from i8 to i8 cannot be indexed by i32; help: use a table made for a type of at most 8 bits
  return ctx.main.begin(in.view()).fetch_with_table<i8, m<1>, m<A % 8>>(table);
}
[[maybe_unused]] auto zero_point_of_a_float(Context& ctx, const Halves16& in) {
  // error[scalar-zero-point-type]: a zero point is subtracted from i4, i8 or i16, not from bf16; help: drop the zero point, or store the tensor as i4, i8 or i16
  return ctx.main.begin(in.view()).fetch_with_zero_point<bf16, m<1>, m<A>>(3);
}
[[maybe_unused]] auto two_zero_points_of_one_tensor(Context& ctx, const Bytes8& in) {
  // error[fetch-zero-points-not-interleaved]: 2 zero points for one tensor; help: use fetch_with_zero_point, or begin_interleaved and a zero point for each of the two
  return ctx.main.begin(in.view()).fetch_with_zero_points<i9, m<1>, m<B>>({1, 2});
}
[[maybe_unused]] auto three_take_turns(Context& ctx, const Words& a, const Words& b) {
  // error[fetch-interleave-axis]: axis X has 3 steps; a fetch interleaves exactly 2 tensors; help: declare X = 2; combine further tensors in a second pass
  return ctx.main.begin_interleaved<X>(a.view(), b.view());
}
[[maybe_unused]] auto turns_of_two_types(Context& ctx, const Bytes8& a, const DmTensor<i16, Chip, Cluster, Idle, m<B>>& b) {
  // error[fetch-interleave-differs]: a tensor of i8 is interleaved with one of i16; help: cast one of them first
  return ctx.main.begin_interleaved<I>(a.view(), b.view());
}
[[maybe_unused]] auto turns_of_two_shapes(Context& ctx, const Bytes8& a, const DmTensor<i8, Chip, Cluster, Idle, m<B / 2>>& b) {
  // error[fetch-interleave-differs]: a tensor with Element = m![B] is interleaved with one with Element = m![B / 2]; help: bring both into one layout first
  return ctx.main.begin_interleaved<I>(a.view(), b.view());
}
[[maybe_unused]] auto turns_left_out(Context& ctx, const Bytes8& a, const Bytes8& b) {
  // error[fetch-interleave-not-in-time]: the tensors are told apart by axis I, which must be a whole factor of Time; Time is m![1], Packet m![B]; help: put I into Time, innermost for packets that alternate
  return ctx.main.begin_interleaved<I>(a.view(), b.view()).fetch<i8, m<1>, m<B>>();
}
[[maybe_unused]] auto turns_in_the_packet(Context& ctx, const Bytes8& a, const Bytes8& b) {
  // error[fetch-interleave-not-in-time]: the tensors are told apart by axis I, which must be a whole factor of Time; Time is m![1], Packet m![B, I]; help: put I into Time, innermost for packets that alternate
  return ctx.main.begin_interleaved<I>(a.view(), b.view()).fetch<i8, m<1>, m<B, I>>();
}
[[maybe_unused]] auto begin_in_hbm(Context& ctx, const HbmTensor<i32, Chip, m<A>>& in) {
  // static assertion: a pass begins with a tensor in DM
  return ctx.main.begin(in.view());
}

// HEL-26: the collect packet of the printed GEMV has 64 bytes.
[[maybe_unused]] auto hel_26(Context& ctx, const Halves16& in) {
  // error[collect-packet-not-one-flit]: Packet m![A % 32] of bf16 is 64 bytes; collect makes flits of 32 bytes; help: write Packet = m![A % 16], Time = m![A / 16]
  return ctx.main.begin(in.view()).fetch<bf16, m<A / 32>, m<A % 32>>().collect<m<A / 32>, m<A % 32>>();
}
[[maybe_unused]] auto flit_of_another_packet(Context& ctx, const Words& in) {
  // error[collect-packet-not-one-flit]: Packet m![A % 4] of i32 is 16 bytes; collect makes flits of 32 bytes; help: write Packet = m![A % 8], Time = m![1]
  return ctx.main.begin(in.view()).fetch<i32, m<1>, m<A % 8>>().collect<m<1>, m<A % 4>>();
}
[[maybe_unused]] auto time_is_lost(Context& ctx, const Halves16& in) {
  // error[collect-wrong-time]: Time m![1] is not what collect makes of Time m![1] and Packet m![A] of bf16; help: write Time = m![A / 16]
  return ctx.main.begin(in.view()).fetch<bf16, m<1>, m<A>>().collect<m<1>, m<A % 16>>();
}
[[maybe_unused]] auto no_collect_before_the_vector_engine(Context& ctx, const Words& in) {
  // error[stage-missing]: vector_init cannot follow fetch: .collect() is missing; help: write .collect() before it
  return ctx.main.begin(in.view()).fetch<i32, m<1>, m<A % 8>>().vector_init();
}
[[maybe_unused]] auto no_fetch(Context& ctx, const Words& in) {
  // error[stage-missing]: collect cannot follow begin: .fetch() is missing; help: write .fetch() before it
  return ctx.main.begin(in.view()).collect<m<1>, m<A % 8>>();
}
[[maybe_unused]] auto fetched_twice(Context& ctx, const Words& in) {
  // error[stage-order]: fetch cannot follow fetch; help: the order is fetch, switch_to, collect, align to accumulate, vector_init to vector_final, cast, transpose, commit; begin another pass
  return ctx.main.begin(in.view()).fetch<i32, m<1>, m<A % 8>>().fetch<i32, m<1>, m<A % 8>>();
}
[[maybe_unused]] auto collected_twice(Context& ctx, const Words& in) {
  // error[stage-order]: collect cannot follow collect; help: the order is fetch, switch_to, collect, align to accumulate, vector_init to vector_final, cast, transpose, commit; begin another pass
  return ctx.main.begin(in.view()).fetch<i32, m<1>, m<A % 8>>().collect<m<1>, m<A % 8>>().collect<m<1>, m<A % 8>>();
}
[[maybe_unused]] auto switch_behind_collect(Context& ctx, const Words& in) {
  // error[stage-order]: switch_to cannot follow collect; help: the order is fetch, switch_to, collect, align to accumulate, vector_init to vector_final, cast, transpose, commit; begin another pass
  return ctx.main.begin(in.view()).fetch<i32, m<1>, m<A % 8>>().collect<m<1>, m<A % 8>>().switch_to<SwitchConfig{}, Slice, m<1>>();
}
[[maybe_unused]] auto trf_without_collect(Context& ctx, const Halves16& in) {
  // error[stage-missing]: to_trf cannot follow fetch: .collect() is missing; help: write .collect() before it
  return ctx.sub.begin(in.view()).fetch<bf16, m<1>, m<A>>().to_trf<m<1>, m<A>>(TrfAddress::Full);
}
[[maybe_unused]] auto commit_of_a_fetch_in_main(Context& ctx, const Words& in) {
  // error[stage-missing]: commit cannot follow fetch: .collect() is missing; help: write .collect() before it
  return ctx.main.begin(in.view()).fetch<i32, m<1>, m<A % 8>>().commit<m<A % 8>>(0);
}
[[maybe_unused]] auto kept_stream(Context& ctx, const Words& in) {
  auto stream = ctx.main.begin(in.view()).fetch<i32, m<1>, m<A % 8>>();
  // an rvalue is needed
  return stream.collect<m<1>, m<A % 8>>();
}

[[maybe_unused]] auto cast_of_bytes(Context& ctx, const Bytes8& in) {
  // error[cast-no-such-cast]: the Cast Engine has no cast from i8; help: cast i32 or f32, which is what the engines before it make; leave the cast out if nothing is to be narrowed
  return ctx.main.begin(in.view()).fetch<i8, m<B / 32>, m<B % 32>>().collect<m<B / 32>, m<B % 32>>().cast<bf16, m<B % 32>>();
}
[[maybe_unused]] auto cast_into_another_packet(Context& ctx, const Floats& in) {
  // error[cast-wrong-packet]: Packet m![B % 16] is not what the cast from f32 to bf16 makes of Packet m![B % 8]; help: write Packet = m![B % 8 #z 16]
  return ctx.main.begin(in.view()).fetch<f32, m<B / 8>, m<B % 8>>().collect<m<B / 8>, m<B % 8>>().cast<bf16, m<B % 16>>();
}
[[maybe_unused]] auto cast_twice(Context& ctx, const Floats& in) {
  return ctx.main.begin(in.view())
      .fetch<f32, m<B / 8>, m<B % 8>>()
      .collect<m<B / 8>, m<B % 8>>()
      .cast<bf16, m<(B % 8).pad(16)>>()
      // error[stage-order]: cast cannot follow cast; help: the order is fetch, switch_to, collect, align to accumulate, vector_init to vector_final, cast, transpose, commit; begin another pass
      .cast<f8e4m3, m<(B % 8).pad(32)>>();
}
[[maybe_unused]] auto transpose_of_too_many_rows(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<S, N>>& in) {
  // error[transpose-result-not-one-flit]: the declared Packet m![S] of i8 has 256 elements; the Transpose Engine makes flits of 32 bytes, which is 32; help: pad it to 32
  return ctx.main.begin(in.view()).fetch<i8, m<S>, m<N>>().collect<m<S>, m<N.pad(32)>>().transpose<m<N>, m<S>>();
}
[[maybe_unused]] auto transpose_declared_wrongly(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<M, N>>& in) {
  // error[transpose-rows-not-in-time]: the declared Packet m![N # 32] is not made of factors of Time m![M]; help: put factors of Time into Packet, and those of Packet m![N #z 32] into Time
  return ctx.main.begin(in.view()).fetch<i8, m<M>, m<N>>().collect<m<M>, m<N.pad(32)>>().transpose<m<M>, m<N.pad(32)>>();
}
[[maybe_unused]] auto transposed_twice(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<E, N>>& in) {
  return ctx.main.begin(in.view())
      .fetch<i8, m<E>, m<N>>()
      .collect<m<E>, m<N.pad(32)>>()
      .transpose<m<N>, m<E.pad(32)>>()
      // error[stage-order]: transpose cannot follow transpose; help: the order is fetch, switch_to, collect, align to accumulate, vector_init to vector_final, cast, transpose, commit; begin another pass
      .transpose<m<E>, m<N.pad(32)>>();
}
// HEL-27: two bytes cannot be written.
[[maybe_unused]] auto hel_27(Context& ctx, const DmTensor<bf16, Chip, Cluster, Slice, m<E>>& in) {
  // error[sequence-write-broadcast]: the stream counts axis E, which is not in m![1]: a write would put elements that differ in E into one position; help: add axis E to it, or reduce over E before the write
  return ctx.main.begin(in.view()).fetch<bf16, m<1>, m<E>>().collect<m<1>, m<E.pad(16)>>().commit<m<E / 4>>(0);
}
[[maybe_unused]] auto commit_that_drops_time(Context& ctx, const Floats& in) {
  // error[commit-drops-time]: Element m![B % 8] has no room for all steps of Time m![B / 8]; help: give Element all of Time, or fetch only the part that is wanted
  return ctx.main.begin(in.view()).fetch<f32, m<B / 8>, m<B % 8>>().collect<m<B / 8>, m<B % 8>>().commit<m<B % 8>>(0);
}
[[maybe_unused]] auto commit_of_another_order(Context& ctx, const Floats& in) {
  // error[sequence-access-size]: packets of 8 elements of f32 are in runs of 1, so one access would move 32 bits; possible are 8, 16, 24, 32 bytes; help: put neighbouring elements of the packet next to each other in memory
  return ctx.main.begin(in.view()).fetch<f32, m<B / 8>, m<B % 8>>().collect<m<B / 8>, m<B % 8>>().commit<m<B % 8, B / 8>>(0);
}
[[maybe_unused]] auto commit_into_another_type(Context& ctx, const Floats& in, DmTensor<i32, Chip, Cluster, Idle, m<B>>& to) {
  // error[ir-sink-differs]: a stream of f32 over Slice m![1 # 256] ends in a tensor of i32 over Slice m![1 # 256]; help: give the tensor the stream's type, Chip, Cluster and Slice
  ctx.main.begin(in.view()).fetch<f32, m<B / 8>, m<B % 8>>().collect<m<B / 8>, m<B % 8>>().commit_view(to.view_mut());
}
[[maybe_unused]] auto commit_into_what_is_only_read(Context& ctx, const Words& in, const Words& to) {
  // a tensor that is const has no view_mut
  ctx.main.begin(in.view()).fetch<i32, m<1>, m<A % 8>>().collect<m<1>, m<A % 8>>().commit_view(to.view_mut());
}
[[maybe_unused]] auto packed_in_main(Context& ctx, const Words& in) {
  // error[commit-valid-count-in-main]: valid-count packing in the main context; help: name the elements in the mapping: Element N = 8 keeps the leading 8 of each packet
  return ctx.main.begin(in.view()).fetch<i32, m<1>, m<A % 8>>().collect<m<1>, m<A % 8>>().commit_packed<m<A % 8>>(0);
}
[[maybe_unused]] auto nothing_after_a_commit(Context& ctx, const Words& in) {
  return ctx.main.begin(in.view())
      .fetch<i32, m<1>, m<A % 8>>()
      .collect<m<1>, m<A % 8>>()
      .commit<m<A % 8>>(4096)
      // no member named vector_init in DmTensor
      .vector_init();
}

}  // namespace
