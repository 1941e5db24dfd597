// Lowering: sound programs that no setting of the engines can carry out.
#include "tcp/lower/lower.hpp"
#include "../module_builder.hpp"
#include "helpers/asked.hpp"
#include "helpers/program.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"

using namespace tcp;
using namespace tcp_refuse;

// # lower-count-too-long
// Which lanes of a flit hold data is held against every time step before the registers of the Valid Count Generator are believed. A stream of so many steps would
// keep the compiler busy; none fits into the memory of a slice.
// run time only: counts are checked by the compiler
namespace lower_count_too_long {
constexpr const char* before = R"(
axes A = 4096, R = 2048, B = 4
from_addr dm x: i32 Element[A, R, B # 8] at 0
dm y: i32 Element[A, B] at 1073741824
main.begin(x)
  .fetch i32 Time[A, R] Packet[B # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_trim_way4 Packet[B]
  .vector_intra_slice_reduce(R, AddSat) Time[A] Packet[B]
  .vector_pad_way8 Packet[B # 8]
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 2048, R = 2048, B = 4
from_addr dm x: i32 Element[A, R, B # 8] at 0
dm y: i32 Element[A, B] at 1073741824
main.begin(x)
  .fetch i32 Time[A, R] Packet[B # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_trim_way4 Packet[B]
  .vector_intra_slice_reduce(R, AddSat) Time[A] Packet[B]
  .vector_pad_way8 Packet[B # 8]
  .vector_final
  .commit(y)
)";
// error[lower-count-too-long]: Time m![A, R] has 8388608 steps; counts are made for at most 4194304; help: reduce or filter in several passes
REFUSED_AT_RUN_TIME { return lowered(before, logical).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after, logical); }
}  // namespace lower_count_too_long

// # lower-lanes-not-counted
// A filter drops what is padding, and knows it by the valid count of each flit: a number of first lanes. Here lanes 0 and 4 hold data, the lanes between them
// none.
// run time only: registers are chosen by the compiler
namespace lower_lanes_not_counted {
constexpr const char* before = R"(
axes A = 2, B = 8, K = 64
from_addr dm x: i32 Element[B, A, 1 # 4] at 0
dm y: i32 Element[K] at 4096
main.begin(x)
  .fetch i32 Time[B] Packet[A, 1 # 4]
  .collect
  .vector_init
  .vector_intra_slice_branch(Comparison(Less(0)))
  .vector_filter({0}) Time[K / 8] Packet[K % 8]
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 2, B = 8, K = 64
from_addr dm x: i32 Element[B, A # 8] at 0
dm y: i32 Element[K] at 4096
main.begin(x)
  .fetch i32 Time[B] Packet[A # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Comparison(Less(0)))
  .vector_filter({0}) Time[K / 8] Packet[K % 8]
  .vector_final
  .commit(y)
)";
// error[lower-lanes-not-counted]: with Time m![B], Packet m![A, 1 # 4], which lanes hold data is not told by any count of first lanes; help: keep the data of a packet together, padding after it
REFUSED_AT_RUN_TIME { return lowered(before, logical).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after, logical); }
}  // namespace lower_lanes_not_counted

// # lower-toggle-by-slice
// `BranchMode::AxisToggle` makes bit 3 of the execution id from counters of the time step and the lane, which are the same in all slices. An axis whose odd
// and even steps are in different slices cannot be told by them.
// run time only: registers are chosen by the compiler
namespace lower_toggle_by_slice {
constexpr const char* before = R"(
axes A = 64, B = 8
from_addr dm x: i32 Slice[A % 2] Element[A / 2, B] at 0
dm y: i32 Slice[A % 2] Element[A / 2, B] at 4096
main.begin(x)
  .fetch i32 Time[A / 2] Packet[B]
  .collect
  .vector_init
  .vector_intra_slice_branch(AxisToggle(A))
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 64, B = 8
from_addr dm x: i32 Slice[A / 32] Element[A % 32, B] at 0
dm y: i32 Slice[A / 32] Element[A % 32, B] at 4096
main.begin(x)
  .fetch i32 Time[A % 32] Packet[B]
  .collect
  .vector_init
  .vector_intra_slice_branch(AxisToggle(A))
  .vector_final
  .commit(y)
)";
// error[lower-toggle-by-slice]: BranchMode::AxisToggle by A, whose odd and even steps are apart in Slice m![A % 2]; help: keep A % 2 in Time or Packet
REFUSED_AT_RUN_TIME { return lowered(before, logical).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after, logical); }
}  // namespace lower_toggle_by_slice

// # lower-transfer-beyond-memory
// The second slice gets 7 of 15 elements, in a row of 8 bytes: the packet reads one byte more than the source has. Here there is no such byte, for the source is
// at the very end of a slice.
// run time only: descriptors are made by the compiler
namespace lower_transfer_beyond_memory {
constexpr const char* before = R"(
axes A = 15
from_addr dm x: i8 Cluster[1 # 2] Slice[1 # 256] Element[A] at 524273
dm y: i8 Cluster[1 # 2] Slice[A # 16 / 8 # 256] Element[A # 16 % 8] at 0
move x -> y
)";
constexpr const char* after = R"(
axes A = 15
from_addr dm x: i8 Cluster[1 # 2] Slice[1 # 256] Element[A] at 524264
dm y: i8 Cluster[1 # 2] Slice[A # 16 / 8 # 256] Element[A # 16 % 8] at 0
move x -> y
)";
// error[lower-transfer-beyond-memory]: this transfer reads up to byte 524289 of DM, which has 524288; help: place the source a row of DM further down, or pad it
REFUSED_AT_RUN_TIME { return lowered(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after); }
}  // namespace lower_transfer_beyond_memory

// # lower-transfer-no-such-unit
// A logical device does not count its slices, so that the book's bare listings run. A program is for a chip, which has as many as it has.
// run time only: descriptors are made by the compiler
namespace lower_transfer_no_such_unit {
constexpr const char* before = R"(
axes A = 512, B = 8
argument hbm x: i8 Element[A, B] at 0
dm y: i8 Slice[A] Element[B] at 0
move x -> y
)";
constexpr const char* after = R"(
axes A = 512, B = 8
argument hbm x: i8 Element[A, B] at 0
dm y: i8 Slice[A / 2] Element[A % 2, B] at 0
move x -> y
)";
// error[lower-transfer-no-such-unit]: this transfer reaches slice 511; there are 256; help: use no more positions than logical has units
REFUSED_AT_RUN_TIME { return lowered(before, logical).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after, logical); }
}  // namespace lower_transfer_no_such_unit

// # lower-transfer-partial-row
// Of 15 elements of a row the second slice gets 7, and DM is written in rows of 8 bytes. In a tensor of its own the eighth byte is padding and may be written; a
// gather does not see the tensor of a view.
// run time only: descriptors are made by the compiler
namespace lower_transfer_partial_row {
constexpr const char* before = R"(
axes V = 4, T = 2, A = 15
argument hbm table: i8 Element[V, A # 16] at 0
argument hbm index: i32 Element[T] at 4096
dm whole: i8 Cluster[1 # 2] Slice[A # 16 / 8 # 256] Element[T, A # 16 % 8] at 0
dm seen: i8 Cluster[1 # 2] Slice[A # 16 / 8 # 256] Element[T, A # 16 % 8] = whole.whole
gather table -> seen (rows: index, axis: V)
)";
constexpr const char* after = R"(
axes V = 4, T = 2, A = 15
argument hbm table: i8 Element[V, A # 16] at 0
argument hbm index: i32 Element[T] at 4096
dm whole: i8 Cluster[1 # 2] Slice[A # 16 / 8 # 256] Element[T, A # 16 % 8] at 0
gather table -> whole (rows: index, axis: V)
)";
// error[lower-transfer-partial-row]: a part of this transfer writes packets of 7 bytes; DM takes multiples of 8 bytes: HBM Element m![V, A # 16] to DM Cluster m![1 # 2] Slice m![A # 16 / 8 # 256] Element m![T, A = 8]; help: move into a tensor of its own that is padded to whole rows, and not into a view
REFUSED_AT_RUN_TIME { return lowered(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after); }
}  // namespace lower_transfer_partial_row

// # lower-transfer-splits-byte
// Two 4-bit elements share a byte, and DMA moves bytes. On a chip the rules refuse such a layout; a logical device lets it pass, so that the interpreters run it.
// run time only: descriptors are made by the compiler
namespace lower_transfer_splits_byte {
constexpr const char* before = R"(
axes A = 4, B = 4
argument hbm x: i4 Element[A, B] at 0
result hbm y: i4 Element[B, A] at 64
move x -> y
)";
constexpr const char* after = R"(
axes A = 4, B = 4
argument hbm x: i4 Element[A, B] at 0
result hbm y: i4 Element[B / 2, A, B % 2] at 64
move x -> y
)";
// error[lower-transfer-splits-byte]: elements of 4 bits would be moved of which others share a byte: HBM Element m![A, B] to HBM Element m![B, A]; help: keep pairs of elements together on both sides, or pad axes of odd size
REFUSED_AT_RUN_TIME { return lowered(before, logical).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after, logical); }
}  // namespace lower_transfer_splits_byte

// # lower-transfer-too-fragmented
// Fifteen axes in the opposite order are fifteen loops over single bytes. An engine has eight; the others would be 16,384 descriptors, each with its start-up.
// run time only: descriptors are made by the compiler
namespace lower_transfer_too_fragmented {
constexpr const char* before = R"(
axes A = 4, B = 4, C = 4, D = 4, E = 4, F = 4, G = 4, H = 4, I = 4, J = 4, K = 4, L = 4, M = 4, N = 4, O = 4
argument hbm x: i8 Element[A, B, C, D, E, F, G, H, I, J, K, L, M, N, O] at 0
result hbm y: i8 Element[O, N, M, L, K, J, I, H, G, F, E, D, C, B, A] at 1073741824
move x -> y
)";
constexpr const char* after = R"(
axes A = 4, B = 4, C = 4, D = 4, E = 4, F = 4, G = 4, H = 4, I = 4, J = 4, K = 4, L = 4, M = 4, N = 4, O = 4
argument hbm x: i8 Element[A, B, C, D, E, F, G, H, I, J, K, L, M, N, O] at 0
result hbm y: i8 Element[H, I, J, K, L, M, N, O, A, B, C, D, E, F, G] at 1073741824
move x -> y
)";
// error[lower-transfer-too-fragmented]: this transfer falls into more than 4096 descriptors: HBM Element m![A, B, C, D, E, F, G, H, I, J, K, L, M, N, O] to HBM Element m![O, N, M, L, K, J, I, H, G, F, E, D, C, B, A]; help: move in two steps, each of which keeps larger blocks together
REFUSED_AT_RUN_TIME { return lowered(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after); }
}  // namespace lower_transfer_too_fragmented

// # lower-valid-count-shared
// The Valid Count Generator counts once, where flits enter a block. Here the inter-slice reduce must leave out the end of R before the intra-slice block, and the
// reduce inside it the end of B, after an operation that identity values would not survive.
// run time only: registers are chosen by the compiler
namespace lower_valid_count_shared {
constexpr const char* before = R"(
axes R = 13, A = 4, B = 5
from_addr dm x: i32 Slice[R # 16 / 4] Element[R # 16 % 4, B # 8, A # 8] at 0
dm y: i32 Slice[1 # 4] Element[R # 16 % 4, A # 8] at 4096
main.begin(x)
  .fetch i32 Time[R # 16 % 4, B # 8] Packet[A # 8]
  .collect
  .vector_init
  .vector_inter_slice_reduce(AddSat) Slice[1 # 4]
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_trim_way4 Packet[A]
  .vector_intra_slice_reduce(B, AddSat) Time[R # 16 % 4] Packet[A]
  .vector_pad_way8 Packet[A # 8]
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes R = 13, A = 4, B = 5
from_addr dm x: i32 Slice[R # 16 / 4] Element[R # 16 % 4, B, A # 8] at 0
dm y: i32 Slice[1 # 4] Element[R # 16 % 4, A # 8] at 4096
main.begin(x)
  .fetch i32 Time[R # 16 % 4, B] Packet[A # 8]
  .collect
  .vector_init
  .vector_inter_slice_reduce(AddSat) Slice[1 # 4]
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_trim_way4 Packet[A]
  .vector_intra_slice_reduce(B, AddSat) Time[R # 16 % 4] Packet[A]
  .vector_pad_way8 Packet[A # 8]
  .vector_final
  .commit(y)
)";
// error[lower-valid-count-shared]: the padding of Time m![R = 4, B # 8], Packet m![A # 8] and what the pass's other stages must leave out cannot be told by one setting of counts; help: reduce or filter in two passes, or choose placements that end at the same steps
REFUSED_AT_RUN_TIME { return lowered(before, logical).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after, logical); }
}  // namespace lower_valid_count_shared

// # lower-zero-lanes-by-slice
// At zero padding of one operand a product is +0.0, whatever the other operand holds there. The Reducer forces that by lanes and time steps, alike in all slices.
// Here A ends inside the last slice only, and the weights after its end are not known to be zero.
// run time only: lanes are masked by the compiler
namespace lower_zero_lanes_by_slice {
constexpr const char* before = R"(
axes A = 120, M = 4
dm w: bf16 Slice[A # 128 / 32] Element[A # 128 % 32] at 0
trf weights: bf16 Slice[A # 128 / 32] Element[A # 128 % 32]
dm x: bf16 Slice[A #z 128 / 32] Element[M, A #z 128 % 32] at 1024
dm y: f32 Slice[A #z 128 / 32] Element[M, 1 # 8] at 2048
sub.begin(w)
  .fetch bf16 Time[A # 128 % 32 / 16] Packet[A # 128 % 16]
  .collect
  .to_trf(weights)
main.begin(x)
  .fetch bf16 Time[M, A #z 128 % 32 / 16] Packet[A #z 128 % 16]
  .collect
  .align(weights) Time[M] Packet[A #z 128 % 32]
  .contract Packet[1]
  .accumulate(Interleaved) Packet[1 # 8]
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 120, M = 4
dm w: bf16 Slice[A #z 128 / 32] Element[A #z 128 % 32] at 0
trf weights: bf16 Slice[A #z 128 / 32] Element[A #z 128 % 32]
dm x: bf16 Slice[A #z 128 / 32] Element[M, A #z 128 % 32] at 1024
dm y: f32 Slice[A #z 128 / 32] Element[M, 1 # 8] at 2048
sub.begin(w)
  .fetch bf16 Time[A #z 128 % 32 / 16] Packet[A #z 128 % 16]
  .collect
  .to_trf(weights)
main.begin(x)
  .fetch bf16 Time[M, A #z 128 % 32 / 16] Packet[A #z 128 % 16]
  .collect
  .align(weights) Time[M] Packet[A #z 128 % 32]
  .contract Packet[1]
  .accumulate(Interleaved) Packet[1 # 8]
  .commit(y)
)";
// error[lower-zero-lanes-by-slice]: axis A ends inside of Time m![M], Packet m![A = 32] in some positions of Slice m![A #z 128 / 32] only, and only one of the operands is zero there; help: give both operands zero padding along A in DM, or split A so that every slice has the same number of elements
REFUSED_AT_RUN_TIME { return lowered(before, logical).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after, logical); }
}  // namespace lower_zero_lanes_by_slice
