// A sequencer walks memory in at most eight nested loops; these are the walks it cannot make.
#include "helpers/asked.hpp"
#include "helpers/kernels.hpp"
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;
using namespace tcp_refuse;

// # sequence-access-size
// One access moves 1, 2, 4, 8, 16 or 32 neighbouring bytes. Two elements of i4 share a byte; if the elements of a packet are not side by side in memory, an
// access would have to move half a byte.
//
// Put the elements that follow each other in the packet next to each other in memory.
namespace sequence_access_size {
TCP_AXES(A = 16, B = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i4, Chip, Cluster, Idle, m<A, B>>& in) {
  return ctx.main
      .begin(in.view())
      // error[sequence-access-size]: packets of 16 elements of i4 are in runs of 1, so one access would move 4 bits; possible are 1, 2, 4, 8, 16, 32 bytes; help: put neighbouring elements of the packet next to each other in memory
      .fetch<i4, m<B>, m<A>>();
}

auto after(Context& ctx, const DmTensor<i4, Chip, Cluster, Idle, m<A, B>>& in) { return ctx.main.begin(in.view()).fetch<i4, m<A>, m<B>>(); }
#endif
template <class Buf, class Time, class Packet>
constexpr Verdict read() {
  return verdict(sequence(target, ScalarType::i4, Buf{}, Time{}, Packet{}));
}
REFUSED(read<m<A, B>, m<B>, m<A>>());
}  // namespace sequence_access_size

// # sequence-axis-two-sizes
// Axes are told apart by their names alone. A buffer whose axis A has 8 positions and a stream whose axis A has 9 cannot speak of the same tensor; most often two
// kernels declared an axis of one name, each for itself.
namespace sequence_axis_two_sizes {
TCP_AXES(A = 8, B = 64);
namespace other {
TCP_AXES(A = 9);
}
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<A, B>>& in) {
  return ctx.main
      .begin(in.view())
      // error[sequence-axis-two-sizes]: axis A has size 8 in the buffer and size 9 in the stream; help: rename one of them
      .fetch<bf16, m<other::A>, m<B>>();
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<A, B>>& in) {
  return ctx.main.begin(in.view()).fetch<bf16, m<A>, m<B>>();
}
#endif
template <class Buf, class Time, class Packet>
constexpr Verdict read() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}));
}
REFUSED(read<m<A, B>, m<other::A>, m<B>>());
}  // namespace sequence_axis_two_sizes

// # sequence-below-memory
// Padding before an axis is read from what is before the tensor, so the walk begins that much earlier. A tensor at address 0 has nothing before it.
namespace sequence_below_memory {
constexpr const char* before = R"(
axes B = 90
dm x: i8 Cluster[1 # 2] Slice[1 # 256] Element[B # 96] at 0
dm y: i8 Cluster[1 # 2] Slice[1 # 256] Element[B #< 2 #z 96] at 4096
main.begin(x)
  .fetch i8 Time[B #< 2 #z 96 / 32] Packet[B #< 2 #z 96 % 32]
  .collect
  .commit(y)
)";
constexpr const char* after = R"(
axes B = 90
dm x: i8 Cluster[1 # 2] Slice[1 # 256] Element[B # 96] at 64
dm y: i8 Cluster[1 # 2] Slice[1 # 256] Element[B #< 2 #z 96] at 4096
main.begin(x)
  .fetch i8 Time[B #< 2 #z 96 / 32] Packet[B #< 2 #z 96 % 32]
  .collect
  .commit(y)
)";
// error[sequence-below-memory]: with padding in front the walk begins 2 elements before address 0, which is before the memory; help: place the tensor at 2 or above
REFUSED_AT_RUN_TIME { return lowered(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after); }
TCP_AXES(B = 90);

template <class Buf, class Time, class Packet>
constexpr Verdict reach(std::int64_t address) {
  auto const s = sequence(target, ScalarType::i8, Buf{}, Time{}, Packet{});
  return check_reach(ScalarType::i8, s->loops, Bytes{address}, target.dm.slice_capacity);
}
REFUSED(reach<m<B.pad(96)>, m<B.pad_left(2).pad_zero(96) / 32>, m<B.pad_left(2).pad_zero(96) % 32>>(0));
}  // namespace sequence_below_memory

// # sequence-beyond-memory
// A read may run over the end of its tensor, and brings arbitrary values from there; the padding of a packet that is longer than a row does so. It may not run over
// the end of the memory. Here the last packet of a tensor of 512 bytes at the very end of the slice reads 24 bytes too far.
namespace sequence_beyond_memory {
constexpr const char* before = R"(
axes A = 8, B = 8, C = 4
dm x: i8 Cluster[1 # 2] Slice[1 # 256] Element[A, B, C # 8] at 523776
dm y: i8 Cluster[1 # 2] Slice[1 # 256] Element[A, B, C # 32] at 4096
main.begin(x)
  .fetch i8 Time[A, B] Packet[C # 32]
  .collect
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 8, B = 8, C = 4
dm x: i8 Cluster[1 # 2] Slice[1 # 256] Element[A, B, C # 8] at 523744
dm y: i8 Cluster[1 # 2] Slice[1 # 256] Element[A, B, C # 32] at 4096
main.begin(x)
  .fetch i8 Time[A, B] Packet[C # 32]
  .collect
  .commit(y)
)";
// error[sequence-beyond-memory]: the walk reaches byte 524311 of a memory of 524288 bytes; help: place the tensor at 523752 or below
REFUSED_AT_RUN_TIME { return lowered(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after); }
TCP_AXES(A = 8, B = 8, C = 4);

template <class Buf, class Time, class Packet>
constexpr Verdict reach(std::int64_t address) {
  auto const s = sequence(target, ScalarType::i8, Buf{}, Time{}, Packet{});
  return check_reach(ScalarType::i8, s->loops, Bytes{address}, target.dm.slice_capacity);
}
REFUSED(reach<m<A, B, C.pad(8)>, m<A, B>, m<C.pad(32)>>(524288 - 512));
}  // namespace sequence_beyond_memory

// # sequence-incompatible-shapes
// A sequencer is a nest of loops, each with one fixed stride. To walk a buffer in the order of a stream, the blocks in which both count an axis must divide
// each other: `A / 4` walks a buffer of `A / 2, A % 2`, because a block of four is two blocks of two. Blocks of five and blocks of three have no common block
// but the single element, so the addresses jump unevenly and no loop nest visits them, although both sides hold the same 15 elements.
//
// Use the same block sizes on both sides, or move in two steps by way of a buffer in which the axis is whole.
namespace sequence_incompatible_shapes {
TCP_AXES(A = 15);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<A % 5, A / 5>>& in) {
  return ctx.main
      .begin(in.view())
      // error[sequence-incompatible-shapes]: the stream asks for 5 steps of A / 3, which m![A % 5, A / 5] counts in blocks that do not fit them; help: use the same block sizes on both sides, or move in two steps
      .fetch<bf16, m<A % 3>, m<(A / 3).pad(8)>>();
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<A % 5, A / 5>>& in) {
  return ctx.main.begin(in.view()).fetch<bf16, m<A % 5>, m<(A / 5).pad(4)>>();
}
#endif
template <class Buf, class Time, class Packet>
constexpr Verdict read() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}));
}
REFUSED(read<m<A % 5, A / 5>, m<1>, m<A % 3, A / 3>>());
}  // namespace sequence_incompatible_shapes

// # sequence-indirect-rows
// An indirect loop takes its rows from an index tensor: round i moves to row `table[i]` instead of row i. For that the buffer must hold the row axis as one whole
// factor, so that a row number times one stride is an address; V cut into blocks has no such stride. And the stream must count the index axis whole and unpadded,
// one round for each entry of the table.
// no kernel: gather and scatter have rules of their own, which come first
namespace sequence_indirect_rows {
TCP_AXES(V = 100, D = 16, I = 8);

template <class Buf, class Time, class Packet>
constexpr Verdict lookup() {
  Buffer const buffer{Buf{}};
  Mapping const terms[] = {Time{}, Packet{}};
  Indirect const rows{.over = Name("I"), .rows = Name("V")};
  return verdict(sequence(target, ScalarType::bf16, &buffer, 1, terms, 2, 1, {.indirect = &rows}));
}
// error[sequence-indirect-rows]: rows of V cannot be picked by I: the buffer must hold V as one whole factor, and the stream I whole, unpadded, and in its place; help: keep the row axis whole in the buffer and out of the stream
REFUSED(lookup<m<V % 4, V / 4, D>, m<I>, m<D>>());
}  // namespace sequence_indirect_rows

// # sequence-insufficient-input
// A sequencer can only bring elements that the buffer holds. Here the buffer holds a quarter of N, the first 512 elements, and the stream asks for all
// four quarters. Such a read is refused rather than repeated four times, because the missing digit is far more often forgotten than meant.
//
// An axis that the buffer lacks *wholly* is another matter: it is a broadcast, and is read again and again with stride 0. (The book's newer reading treats both
// alike; `Absent::broadcast` selects it.)
namespace sequence_insufficient_input {
TCP_AXES(N = 2048);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<N % 512>>& in) {
  return ctx.main
      .begin(in.view())
      // error[sequence-insufficient-input]: the stream asks for 2048 steps of N, which m![N % 512] does not hold; help: move more of axis N into the buffer, or stream what it holds
      .fetch<bf16, m<N / 512>, m<N % 512>>();
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<N % 512>>& in) {
  return ctx.main.begin(in.view()).fetch<bf16, m<1>, m<N % 512>>();
}
#endif
template <class Buf, class Time, class Packet>
constexpr Verdict read() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}));
}
REFUSED(read<m<N % 512>, m<N / 512>, m<N % 512>>());
}  // namespace sequence_insufficient_input

// # sequence-loop-too-long
// One loop of a sequencer counts to 65,536 and no further. A longer loop is made into two, one inside the other, if its number of rounds has a divisor that
// allows it; 65,537 is a prime, so it has none.
//
// Padding the axis to a size with small factors costs a few elements and makes the loop possible.
namespace sequence_loop_too_long {
TCP_AXES(A = 8, N = 65537);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<N, A>>& in) {
  return ctx.main
      .begin(in.view())
      // error[sequence-loop-too-long]: a loop of 65537 rounds; a sequencer counts to 65536; help: pad the axis to a size that divides
      .fetch<i8, m<N>, m<A>>();
}

auto after(Context& ctx, const DmTensor<i8, Chip, Cluster, Idle, m<N.pad(65540), A>>& in) {
  return ctx.main.begin(in.view()).fetch<i8, m<N.pad(65540)>, m<A>>();
}
#endif
template <class Buf, class Time, class Packet>
constexpr Verdict read() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}));
}
REFUSED(read<m<N, A>, m<A>, m<N>>());
}  // namespace sequence_loop_too_long

// # sequence-nest-too-deep
// Before loops are merged and counted against the sequencer's eight, the derivation keeps up to 48 of them. More are needed only if a stream counts several axes
// whole which the buffer holds digit by digit in the opposite order, as here: three axes of sixteen binary digits, and one of two.
// no kernel: no kernel has so many factors; the page makes them by a loop
namespace sequence_nest_too_deep {
TCP_AXES(A = 65536, B = 65536, C = 65536, D = 4);

constexpr Mapping bits_reversed(const Mapping& axis) {
  Mapping all = axis % 2;
  for (std::int64_t k = 2; k < axis.size; k *= 2) all = pair(all, axis / k % 2);
  return all;
}
constexpr Verdict read() {
  Buffer const buffers[] = {{bits_reversed(A)}, {bits_reversed(B)}, {bits_reversed(C)}, {bits_reversed(D)}};
  Mapping const terms[] = {m<A, B, C, D>{}, m<1>{}};
  return verdict(sequence(target, ScalarType::bf16, buffers, 4, terms, 2, 1));
}
// error[sequence-nest-too-deep]: the walk needs more loops or axes than are kept (48); help: split the move, or choose mappings that share blocks
REFUSED(read());
}  // namespace sequence_nest_too_deep

// # sequence-packet-overflow
// Sizes are 64-bit numbers, counted in bits. A packet of 2^62 elements has more bits than that.
// no kernel: every memory is smaller
namespace sequence_packet_overflow {
constexpr Loops endless() {
  Loops loops;
  loops.packet = std::int64_t{1} << 62;
  return loops;
}
// error[sequence-packet-overflow]: a packet of 4611686018427387904 elements of f32 exceeds 64 bits; help: use a smaller packet
REFUSED(access_size(target.sequencer.base_packets, ScalarType::f32, endless()));
}  // namespace sequence_packet_overflow

// # sequence-skewed
// A skewed axis wraps around, each time from another place: B = (B' + A) mod 4. A sequencer steps evenly and cannot wrap. Only `chip_slice` makes and understands
// skewed mappings.
namespace sequence_skewed {
constexpr const char* before = R"(
module turned (chips: 4)
axes A = 4, B = 4, E = 32
dm x: i8 Chip[A] Cluster[1 # 2] Slice[1 # 256] Element[skew(B, A), E] at 0
dm y: i8 Chip[A] Cluster[1 # 2] Slice[1 # 256] Element[B, E] at 4096
main.begin(x)
  .fetch i8 Time[B] Packet[E]
  .collect
  .commit(y)
)";
constexpr const char* after = R"(
module turned (chips: 4)
axes A = 4, B = 4, E = 32
dm x: i8 Chip[A] Cluster[1 # 2] Slice[1 # 256] Element[B, E] at 0
dm y: i8 Chip[A] Cluster[1 # 2] Slice[1 # 256] Element[B, E] at 4096
main.begin(x)
  .fetch i8 Time[B] Packet[E]
  .collect
  .commit(y)
)";
// error[sequence-skewed]: m![skew(B, A), E] is skewed; a sequencer steps evenly; help: move the skewed tensor with chip_slice, or give it a plain mapping first
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
TCP_AXES(A = 4, B = 4);
// error[sequence-skewed]: m![A, skew(B, A)] is skewed; a sequencer steps evenly; help: move the skewed tensor with chip_slice, or give it a plain mapping first
REFUSED(sequence(target, ScalarType::bf16, pair(A, skew(B, A)), A, B));
}  // namespace sequence_skewed

// # sequence-start-inside-block
// A stream that starts somewhere inside an axis is a walk that begins at another address: one number, the base. That works as long as the walk crosses no border of
// a block. Here the buffer holds A in blocks of four that are 4 positions apart, element by element; starting at A = 2 the first block ends after two
// elements, and the walk would have to carry into the next one.
//
// Start at a whole block, or keep the axis whole in the buffer.
namespace sequence_start_inside_block {
TCP_AXES(A = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<A % 4, A / 4>>& in) {
  return ctx.main
      .begin(in.view())
      // error[sequence-start-inside-block]: axis A starts at 2, inside a block of 4 of the buffer; help: start at a multiple of the block, or keep axis A whole in the buffer
      .fetch<bf16, m<1>, m<A.from(2).resize(4)>>();
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<A>>& in) {
  return ctx.main.begin(in.view()).fetch<bf16, m<1>, m<A.from(2).resize(4)>>();
}
#endif
template <class Buf, class Time, class Packet>
constexpr Verdict read() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}));
}
REFUSED(read<m<A % 4, A / 4>, m<1>, m<A.from(2).resize(4)>>());
}  // namespace sequence_start_inside_block

// # sequence-stream-too-long
// Positions are counted with 64-bit numbers. Time and Packet together have more, which only padding can bring about.
namespace sequence_stream_too_long {
constexpr const char* before = R"(
axes A = 8
dm x: bf16 Element[A] at 0
dm y: bf16 Element[A # 16] at 4096
main.begin(x)
  .fetch bf16 Time[1 # 1099511627776] Packet[A # 1099511627776]
  .collect
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 8
dm x: bf16 Element[A] at 0
dm y: bf16 Element[A # 16] at 4096
main.begin(x)
  .fetch bf16 Time[1] Packet[A # 16]
  .collect
  .commit(y)
)";
// error[sequence-stream-too-long]: the stream has more positions than 64 bits can count; help: pad less
REFUSED_AT_RUN_TIME { return checked(before, logical).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after, logical); }
TCP_AXES(A = 8);

template <class Buf, class Time, class Packet>
constexpr Verdict read() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}));
}
REFUSED(read<m<A>, m<one.pad(std::int64_t{1} << 40)>, m<A.pad(std::int64_t{1} << 40)>>());
}  // namespace sequence_stream_too_long

// # sequence-tail-not-contiguous
// `[A, B] # 16` for A of 3 and B of 5 pads a group to a size that is not a multiple of its inner factor, so its 16 positions are not "so many rows of five". A
// sequencer walks such a group as one run of 16 elements, which is right only if its 15 live elements are in the buffer one after another. Here each row of B is
// padded to 8 in the buffer.
//
// Pad the outer axis inside the group instead, `A # 4, B`, or keep the group together in the buffer.
namespace sequence_tail_not_contiguous {
TCP_AXES(A = 3, B = 5);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<A, B.pad(8)>>& in) {
  return ctx.main
      .begin(in.view())
      // error[sequence-tail-not-contiguous]: the stream pads a group to 16 positions, which is no whole number of its outer steps, in m![[A, B] # 16]; help: pad the group's outermost axis instead, or keep the group together in the buffer
      .fetch<bf16, m<1>, m<group(A, B).pad(16)>>();
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<A, B>>& in) {
  return ctx.main.begin(in.view()).fetch<bf16, m<1>, m<group(A, B).pad(16)>>();
}
#endif
template <class Buf, class Time, class Packet>
constexpr Verdict read() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}));
}
REFUSED(read<m<A, B.pad(8)>, m<1>, m<group(A, B).pad(16)>>());
}  // namespace sequence_tail_not_contiguous

// # sequence-too-many-entries
// A sequencer has a fixed number of loops, eight on RNGD. Every factor of the stream takes one, and one more for each place at which the buffer cuts it.
// Neighbouring loops are merged where the outer one continues the inner one, that is, where they are neighbours in memory in the same order; what is left here is
// nine loops, because the stream walks the buffer exactly backwards.
//
// Keep factors that follow each other in memory together in the stream, or rearrange in two moves.
namespace sequence_too_many_entries {
TCP_AXES(A = 2, B = 2, C = 2, D = 2, E = 2, F = 2, G = 2, H = 2, I = 2, K = 32);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<A, B, C, D, E, F, G, H, I, K>>& in) {
  return ctx.main
      .begin(in.view())
      // error[sequence-too-many-entries]: the walk [2 : 32, 2 : 64, 2 : 128, 2 : 256, 2 : 512, 2 : 1024, 2 : 2048, 2 : 4096, 2 : 8192, 32 : 1] : 32 needs 10 loops; a sequencer has 8; help: rearrange in two steps, or keep more factors in the order they have in memory
      .fetch<bf16, m<I, H, G, F, E, D, C, B, A>, m<K>>();
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<A, B, C, D, E, F, G, H, I, K>>& in) {
  return ctx.main.begin(in.view()).fetch<bf16, m<A, B, C, D, E, F, G, H, I>, m<K>>();
}
#endif
template <class Buf, class Time, class Packet>
constexpr Verdict read() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}));
}
// error[sequence-too-many-entries]: the walk [2 : 1, 2 : 2, 2 : 4, 2 : 8, 2 : 16, 2 : 32, 2 : 64, 2 : 128, 2 : 256] : 2 needs 9 loops; a sequencer has 8; help: rearrange in two steps, or keep more factors in the order they have in memory
REFUSED(read<m<A, B, C, D, E, F, G, H, I>, m<I, H, G, F, E, D, C, B>, m<A>>());
}  // namespace sequence_too_many_entries

// # sequence-window-not-in-buffer
// A window `$(H:2, F)` in a stream is read from a buffer that holds the same window: its places are stored once, and those that overlap are read several times. The
// members must move in the buffer by the same measure as in the stream. Here the buffer's window moves one place for each H, the stream's two.
namespace sequence_window_not_in_buffer {
TCP_AXES(H = 5, F = 3);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<slide(H, F)>>& in) {
  return ctx.main
      .begin(in.view())
      // error[sequence-window-not-in-buffer]: the stream asks for 5 steps of H, which m![$(H, F)] does not hold as such a window; help: keep $(...) in the buffer's mapping; its positions are stored once
      .fetch<bf16, m<1>, m<slide(H.by(2), F).pad(12)>>();
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<slide(H, F)>>& in) {
  return ctx.main.begin(in.view()).fetch<bf16, m<1>, m<slide(H, F).pad(8)>>();
}
#endif
template <class Buf, class Time, class Packet>
constexpr Verdict read() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}));
}
REFUSED(read<m<slide(H, F)>, m<1>, m<slide(H.by(2), F)>>());
}  // namespace sequence_window_not_in_buffer

// # sequence-write-beyond-tensor
// A read may run over the end of a row: `C # 32` reads three elements of C and then 29 positions of whatever is after them, which no one looks at. A write of
// the same packet would destroy what is after. So the padding of a written stream must fall into padding of the tensor itself, here five positions a row.
namespace sequence_write_beyond_tensor {
TCP_AXES(A = 8, C = 3, S = 256);
#if TCP_AT_COMPILE_TIME
void before(Context& ctx, const DmTensor<bf16, Chip, Cluster, m<S>, m<A, C.pad(8)>>& in, HbmTensor<bf16, Chip, m<S, A, C.pad(4)>>& out) {
  // error[sequence-write-beyond-tensor]: the stream's padding of 8 positions would be written outside the padding of m![1] and m![S, A, C # 4]; help: trim the stream to the buffer's own padding
  ctx.tdma.dma<m<A>, m<C.pad(8)>>(in.view(), out.view_mut());
}

void after(Context& ctx, const DmTensor<bf16, Chip, Cluster, m<S>, m<A, C.pad(8)>>& in, HbmTensor<bf16, Chip, m<S, A, C.pad(4)>>& out) {
  ctx.tdma.dma<m<A>, m<C.pad(4)>>(in.view(), out.view_mut());
}
#endif

template <class Buf, class Time, class Packet>
constexpr Verdict write() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}, {.access = Access::write}));
}
// error[sequence-write-beyond-tensor]: the stream's padding of 32 positions would be written outside the padding of m![A, C # 8]; help: trim the stream to the buffer's own padding
REFUSED(write<m<A, C.pad(8)>, m<A>, m<C.pad(32)>>());
}  // namespace sequence_write_beyond_tensor

// # sequence-write-broadcast
// A read may repeat elements: an axis that the buffer does not have is read with stride 0. Backwards this has no meaning. A stream that brings every element
// four times, or counts an axis that the buffer lacks, would write several values into one position, and which of them stays would depend on the order of the walk.
//
// Drop a repeated factor from the stream; give the buffer an axis that it lacks, or reduce over it before the write.
namespace sequence_write_broadcast {
TCP_AXES(A = 8, T = 4, E = 4);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<E>>& in) {
  return ctx.main.begin(in.view())
      .fetch<bf16, m<1>, m<E>>()
      .collect<m<1>, m<E.pad(16)>>()
      // error[sequence-write-broadcast]: the stream counts axis E, which is not in m![1]: a write would put elements that differ in E into one position; help: add axis E to it, or reduce over E before the write
      .commit<m<E / 4>>(4096);
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<E>>& in) {
  return ctx.main.begin(in.view()).fetch<bf16, m<1>, m<E>>().collect<m<1>, m<E.pad(16)>>().commit<m<E>>(4096);
}
#endif
template <class Buf, class Time, class Packet>
constexpr Verdict write() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}, {.access = Access::write}));
}
// error[sequence-write-broadcast]: the stream counts axis T, which is not in m![A]: a write would put elements that differ in T into one position; help: add axis T to it, or reduce over T before the write
REFUSED(write<m<A>, m<T, A>, m<1>>());
// error[sequence-write-broadcast]: the stream repeats its elements (4 copies), and a write would put several of them into one position; help: drop the repeated factor from Time and Packet
REFUSED(write<m<A>, m<4, A>, m<1>>());
}  // namespace sequence_write_broadcast

// # sequence-write-incomplete
// A write gives every live position of its tensor exactly one element; afterwards the tensor holds what its type says. Here the stream brings the first three of
// four blocks of A, and the last block would keep what was there before.
//
// To write a part of a tensor, take a view of that part (`tile`) and write into the view.
namespace sequence_write_incomplete {
TCP_AXES(A = 16, B = 64);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<B>>& in, DmTensor<bf16, Chip, Cluster, Idle, m<B>>& out) {
  ctx.main.begin(in.view())
      .fetch<bf16, m<(B / 16).resize(3)>, m<B % 16>>()
      .collect<m<(B / 16).resize(3)>, m<B % 16>>()
      // error[sequence-write-incomplete]: the stream leaves live positions of m![B] unwritten: of axis B it brings 48 of 64 steps; help: write into a view of the part that the stream brings
      .commit_view(out.view_mut());
  ;
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<B>>& in, DmTensor<bf16, Chip, Cluster, Idle, m<B>>& out) {
  ctx.main.begin(in.view()).fetch<bf16, m<B / 16>, m<B % 16>>().collect<m<B / 16>, m<B % 16>>().commit_view(out.view_mut());
  ;
}
#endif
template <class Buf, class Time, class Packet>
constexpr Verdict write() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}, {.access = Access::write}));
}
// error[sequence-write-incomplete]: the stream leaves live positions of m![A] unwritten: of axis A it brings 12 of 16 steps; help: write into a view of the part that the stream brings
REFUSED(write<m<A>, m<(A / 4).resize(3)>, m<A % 4>>());
}  // namespace sequence_write_incomplete

// # sequence-write-window
// A window `$(H:2, F)` stores the elements of several windows once, so one position belongs to several elements: position 2 is H = 1, F = 0 as well as H = 0, F = 2. To
// read it is what windows are for. To write it would ask which of these elements shall stay.
//
// Write the tensor by the axis that it has in memory, and read it as a window afterwards.
namespace sequence_write_window {
TCP_AXES(H = 5, F = 3, E = 16);
#if TCP_AT_COMPILE_TIME
auto before(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<H, F, E>>& in,
            DmTensor<bf16, Chip, Cluster, Idle, m<slide(H.by(2), F), E>>& out) {
  ctx.main.begin(in.view())
      .fetch<bf16, m<H, F>, m<E>>()
      .collect<m<H, F>, m<E>>()
      // error[sequence-write-window]: a window cannot be written: m![$(H:2, F), E]; help: write a tensor with a plain axis of as many places, and reshape that to read it as a window
      .commit_view(out.view_mut());
  ;
}

auto after(Context& ctx, const DmTensor<bf16, Chip, Cluster, Idle, m<H, F, E>>& in, DmTensor<bf16, Chip, Cluster, Idle, m<H, F, E>>& out) {
  ctx.main.begin(in.view()).fetch<bf16, m<H, F>, m<E>>().collect<m<H, F>, m<E>>().commit_view(out.view_mut());
  ;
}
#endif
template <class Buf, class Time, class Packet>
constexpr Verdict write() {
  return verdict(sequence(target, ScalarType::bf16, Buf{}, Time{}, Packet{}, {.access = Access::write}));
}
// error[sequence-write-window]: a window cannot be written: m![$(H:2, F)]; help: write a tensor with a plain axis of as many places, and reshape that to read it as a window
REFUSED(write<m<slide(H.by(2), F)>, m<H>, m<F>>());
}  // namespace sequence_write_window
