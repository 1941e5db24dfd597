// Transfers and views that do not compile.
#include <tcp/tcp.hpp>

using namespace tcp;

namespace {

TCP_AXES(A = 2048, B = 512, N = 4, C = 3, H = 8, W = 8, K = 2048, J = 512, I = 512, P = 61, Q = 8, T = 16);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<(A / 8).pad(256)>;
using Idle = m<one.pad(256)>;

// INTRO-03: eight chips are not one, clusters and slices are missing, and A is counted twice.
[[maybe_unused]] auto intro_03(Context& ctx, const HbmTensor<i8, m<Q>, m<B>>& in) {
  // error[memory-cluster-size]: Cluster must have 2 positions, one for each cluster; m![1] has 1; help: pad it: 1 # 2
  return in.to_dm<m<1>, m<Q>, m<B>>(ctx.tdma, 0);
}
[[maybe_unused]] auto one_cluster(Context& ctx, const HbmTensor<i32, Chip, m<A>>& in) {
  // error[memory-cluster-size]: Cluster must have 2 positions, one for each cluster; m![1] has 1; help: pad it: 1 # 2
  return in.to_dm<m<1>, Slice, m<A % 8>>(ctx.tdma, 0);
}
[[maybe_unused]] auto sixteen_slices(Context& ctx, const HbmTensor<i32, Chip, m<A>>& in) {
  // error[memory-slice-size]: Slice must have 256 positions, one for each slice; m![A / 128] has 16; help: pad it: A / 128 # 256
  return in.to_dm<Cluster, m<A / 128>, m<A % 128>>(ctx.tdma, 0);
}
[[maybe_unused]] auto axis_in_two_levels(Context& ctx, const HbmTensor<i32, Chip, m<A>>& in) {
  // error[levels-axis-twice]: axis A is counted by Slice = m![A / 8] and by Element = m![A % 16] at once; help: split the axis: A / n on one level, A % n on the other
  return in.to_dm<Cluster, Slice, m<A % 16>>(ctx.tdma, 0);
}
[[maybe_unused]] auto steps_are_lost(Context& ctx, const HbmTensor<i32, Chip, m<A>>& in) {
  // error[dma-drops-data]: the source has A / 8 on Element, and the destination does not hold all of it: DM Cluster m![1 # 2] Slice m![1 # 256] Element m![A % 8]; help: give axis A a place in the destination, or move a tile of the source
  return in.to_dm<Cluster, Idle, m<A % 8>>(ctx.tdma, 0);
}
[[maybe_unused]] auto more_than_there_is(Context& ctx, const HbmTensor<i32, Chip, m<A % 8>>& in) {
  // error[dma-insufficient-source]: the destination has A / 8 in 256 steps on Slice; the source lacks them: HBM Element m![A % 8]; help: move more of axis A into the source, or leave it out of the destination
  return in.to_dm<Cluster, Slice, m<A % 8>>(ctx.tdma, 0);
}
// HEL-32: columns of a row-major matrix are runs of two bytes.
[[maybe_unused]] auto hel_32(Context& ctx, const HbmTensor<bf16, Chip, m<K, J>>& in) {
  // error[dma-packet-misaligned]: from HBM Element m![K, J] to DM Cluster m![1 # 2] Slice m![J / 2] Element m![J % 2, K] runs of 2 bytes of bf16 would be written; DM takes multiples of 8 bytes; help: keep at least 4 neighbouring elements together on both sides
  return in.to_dm<Cluster, m<J / 2>, m<J % 2, K>>(ctx.tdma, 0);
}
// DMA-05: channels last.
[[maybe_unused]] auto dma_05(Context& ctx, const HbmTensor<i8, Chip, m<N, C, H, W>>& in) {
  // error[dma-packet-misaligned]: from HBM Element m![N, C, H, W] to DM Cluster m![1 # 2] Slice m![1 # 256] Element m![N, H, W, C] runs of 1 bytes of i8 would be written; DM takes multiples of 8 bytes; help: keep at least 8 neighbouring elements together on both sides
  return in.to_dm<Cluster, Idle, m<N, H, W, C>>(ctx.tdma, 0);
}
[[maybe_unused]] auto too_large_for_a_slice(Context& ctx, const HbmTensor<bf16, Chip, m<A, B>>& in) {
  // error[memory-dm-too-large]: a slice of DM holds 524288 bytes; Element m![A, B] of bf16 takes 2097152 bytes; help: spread more of the tensor over Slice, or work on a tile of it
  return in.to_dm<Cluster, Idle, m<A, B>>(ctx.tdma, 0);
}
[[maybe_unused]] auto zeros_from_nowhere(Context& ctx, const HbmTensor<i32, Chip, m<P.pad(64)>>& in) {
  // error[dma-zero-padding]: Element of the destination promises zero padding of P, and the source has no zeros there: HBM Element m![P # 64]; help: write # instead of #z, or pad the source with zeros
  return in.to_dm<Cluster, Idle, m<P.pad_zero(64)>>(ctx.tdma, 0);
}
[[maybe_unused]] auto into_registers_only_through_the_pipeline(Context& ctx, const DmTensor<i32, Chip, Cluster, Slice, m<A % 8>>& in) {
  // no member named to_trf in DmTensor
  return in.to_trf<m<1>, m<A % 8>>(TrfAddress::Full);
}
[[maybe_unused]] auto rows_of_no_axis(Context& ctx, const HbmTensor<bf16, Chip, m<A, B>>& table, const HbmTensor<i32, Chip, m<T>>& rows) {
  // error[gather-rows-not-whole]: rows are counted by axis J, which the table does not hold as one whole factor of Slice or Element: HBM Element m![A, B]; help: name an axis of the table; a table of one row has no axis for it, and its row is moved by a plain transfer
  return table.gather_to_hbm<J, m<T, B>>(ctx.tdma, rows, 0);
}
[[maybe_unused]] auto rows_by_halves(Context& ctx, const HbmTensor<bf16, Chip, m<A, B>>& table, const HbmTensor<bf16, Chip, m<T>>& rows) {
  // error[gather-index-type]: row numbers are i32; the index tensor is bf16; help: use an index tensor of i32
  return table.gather_to_hbm<A, m<T, B>>(ctx.tdma, rows, 0);
}
[[maybe_unused]] auto rows_that_lose_columns(Context& ctx, const HbmTensor<bf16, Chip, m<A, B>>& table,
                                             const HbmTensor<i32, Chip, m<T>>& rows) {
  // error[dma-drops-data]: the source has B on Element, and the destination does not hold all of it: HBM Element m![T, B / 2]; help: give axis B a place in the destination, or move a tile of the source
  return table.gather_to_hbm<A, m<T, B / 2>>(ctx.tdma, rows, 0);
}
[[maybe_unused]] auto tile_of_another_axis(const HbmTensor<bf16, Chip, m<A, B>>& in) {
  // error[tile-not-in-source]: the tile dimension m![K] is no factor of m![A, B]; help: tile along an axis of the tensor, or a block of one: B, B / 32
  return in.view().tile<m<K>, 2>(0);
}
[[maybe_unused]] auto tile_declared_wrongly(const HbmTensor<bf16, Chip, m<A, B>>& in) {
  // error[tile-wrong-result]: a tile of 2 steps along m![B / 32] of m![A, B] is m![A, B = 64 # 512], not m![A, B % 64]; help: write m![A, B = 64 # 512]
  return in.view().tile<m<B / 32>, 2, m<A, (B / 32).resize(2), B % 32>>(0);
}
[[maybe_unused]] auto tile_longer_than_its_axis(const HbmTensor<bf16, Chip, m<A, B>>& in) {
  // error[tile-out-of-range]: a tile of 513 steps at 0 does not fit into the 512 steps of m![B]; help: let a tile have 1 to 512 steps
  return in.view().tile<m<B>, 513>(0);
}
[[maybe_unused]] auto slice_beyond_the_end(const HbmTensor<bf16, Chip, m<A, B>>& in) {
  // error[tile-out-of-range]: a tile of 512 steps at 256 does not fit into the 512 steps of m![B]; help: let start run from 0 to 0
  return in.view().slice<B, 256, 768>();
}
[[maybe_unused]] auto reshape_to_another_size(const HbmTensor<bf16, Chip, m<A, B>>& in) {
  // error[reshape-size]: a reshape of Element m![A, B] with 1048576 positions into m![A] with 2048; help: give Element 1048576 positions
  return in.view().reshape<m<A>>();
}
[[maybe_unused]] auto reshape_of_padding(const HbmTensor<bf16, Chip, m<P.pad(64)>>& in) {
  // error[reshape-padding]: a reshape of Element m![P # 64] into m![B / 8], which has its padding elsewhere; help: pad both alike, move the elements by a transfer, or relabel: that forgets elements, and names padding as undefined ones
  return in.view().reshape<m<B / 8>>();
}
[[maybe_unused]] auto scratchpad_of_another_shape(Context& ctx, const HbmTensor<i32, Chip, m<A>>& in) {
  // error[spm-pe-size]: Pe must have 4 positions, one for each PE of a cluster; m![Q % 2] has 2; help: pad it: Q % 2 # 4
  return in.to_spm<Cluster, m<Q.resize(2)>, m<A>>(ctx.tdma, 0);
}
[[maybe_unused]] auto memset_of_hbm(Context& ctx) {
  // error[commit-memset-memory]: memset of a tensor in HBM; only DM has a command for it; help: upload a constant from the host, or copy one
  return ctx.sub.memset<HbmTensor<i32, Chip, m<Q>>>(0, 0);
}
[[maybe_unused]] auto main_has_no_memset(Context& ctx) {
  // no member named memset in MainContext
  return ctx.main.memset<DmTensor<i32, Chip, Cluster, Idle, m<Q>>>(0, 0);
}
[[maybe_unused]] auto shape_of_the_stream(Context& ctx, const HbmTensor<i8, Chip, m<N, H, W>>& in, HbmTensor<i8, Chip, m<H, N, W>>& out) {
  // error[dma-packet-not-contiguous]: Packet m![H, W] is not in one piece in the destination; help: move the outer part of Packet to Time
  ctx.tdma.dma<m<N>, m<H, W>>(in.view(), out.view_mut());
}
[[maybe_unused]] auto upload_that_loses(Context& ctx, const HostTensor<i32, m<A>>& in) {
  // error[dma-drops-data]: the source has A on Element, and the destination does not hold all of it: HBM Element m![A / 2]; help: give axis A a place in the destination, or move a tile of the source
  return in.to_hbm<Chip, m<A / 2>>(ctx.pdma, 0);
}
[[maybe_unused]] auto download_of_what_is_not_there(Context& ctx, const HbmTensor<i32, Chip, m<A / 2>>& in) {
  // error[dma-incompatible-blocks]: the destination has A in 2048 steps on Element; the source is HBM Element m![A / 2]; help: use the same blocks of A on both sides, or move in two steps
  return in.to_host<m<A>>(ctx.pdma);
}
HbmTensor<i32, Chip, m<A>> copied(Context& ctx, const HbmTensor<i32, Chip, m<A>>& in) {
  return in.to_dm<Cluster, Slice, m<A % 8>>(ctx.tdma).to_hbm<m<A>>(ctx.tdma);
}
[[maybe_unused]] void a_launch_is_not_its_result(Context& ctx, const HbmTensor<i32, Chip, m<A>>& in) {
  // static assertion: a launch is not its result yet: write launch(...).get()
  HbmTensor<i32, Chip, m<A>> const out = launch(copied, ctx, in);
}
[[maybe_unused]] void a_kernel_of_other_arguments(Context& ctx) {
  // static assertion: the kernel does not take these arguments
  launch(copied, ctx, 3).wait();
}
[[maybe_unused]] auto memset_of_what_is_no_number(Context& ctx) {
  // static assertion: memset takes a number, or an element of the tensor's type
  return ctx.sub.memset<DmTensor<i32, Chip, Cluster, Idle, m<Q>>>(f32{1}, 0);
}
[[maybe_unused]] auto dm_has_no_way_to_the_host(Context& ctx, const DmTensor<i32, Chip, Cluster, Slice, m<A % 8>>& in) {
  // no member named to_host in DmTensor
  return in.to_host<m<A>>(ctx.pdma);
}

}  // namespace
