// The valid-count generator tells the Vector Engine which lanes hold data, and which are padding.
#include "tcp/rules/valid_count.hpp"
#include "helpers/asked.hpp"
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"

using namespace tcp;
using namespace tcp_refuse;

// # valid-count-across-clusters
// All clusters and chips run one program with one setting of the Valid Count Generator. If a reduced axis is spread over them and padded, the
// data ends at another step in each, and one setting cannot say so. Keep the axis inside a cluster, or pad with the identity of the reduce.
namespace valid_count_across_clusters {
constexpr const char* before = R"(
axes R = 13
dm x: i32 Cluster[R # 16 / 8] Slice[1 # 256] Element[R # 16 % 8, 1 # 8] at 0
dm y: i32 Cluster[R # 16 / 8] Slice[1 # 256] Element[1 # 8] at 65536
main.begin(x)
  .fetch i32 Time[R # 16 % 8] Packet[1 # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_trim_way4 Packet[1 # 4]
  .vector_intra_slice_reduce(R, Max) Time[1] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes R = 13
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[R # 16, 1 # 8] at 0
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[1 # 8] at 65536
main.begin(x)
  .fetch i32 Time[R # 16] Packet[1 # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_trim_way4 Packet[1 # 4]
  .vector_intra_slice_reduce(R, Max) Time[1] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
// error[valid-count-across-clusters]: Cluster m![R # 16 / 8] counts R, and the data ends at another step in each of them; help: pad with the identity of the reduce, or keep R inside a cluster
REFUSED_AT_RUN_TIME { return lowered(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after); }
TCP_AXES(R = 13);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, R.pad(16) % 8).set(Level::packet, one.pad(8));
  l.set(Level::cluster, R.pad(16) / 8);
  return l;
}
REFUSED(plan_valid_count(target, stream(), ValidCountAsk{Name("R")}));
}  // namespace valid_count_across_clusters

// # valid-count-axis-in-group
// The counters of the Valid Count Generator step along factors of Time. An axis inside a group that is padded as a whole, `[A, R] # 16`, or inside
// a window, has no factor of its own that a counter could follow. Pad the axis itself.
namespace valid_count_axis_in_group {
constexpr const char* before = R"(
axes R = 5, X = 3
dm x: i32 Cluster[1 # 2] Slice[[R # 8 / 2, X] # 256] Element[R # 8 % 2, 1 # 8] at 0
dm y: i32 Cluster[1 # 2] Slice[[R # 8 / 2, X] # 256] Element[1 # 8] at 65536
main.begin(x)
  .fetch i32 Time[R # 8 % 2] Packet[1 # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_trim_way4 Packet[1 # 4]
  .vector_intra_slice_reduce(R, Max) Time[1] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes R = 5, X = 3
dm x: i32 Cluster[1 # 2] Slice[R # 8 / 2, X # 64] Element[R # 8 % 2, 1 # 8] at 0
dm y: i32 Cluster[1 # 2] Slice[R # 8 / 2, X # 64] Element[1 # 8] at 65536
main.begin(x)
  .fetch i32 Time[R # 8 % 2] Packet[1 # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_trim_way4 Packet[1 # 4]
  .vector_intra_slice_reduce(R, Max) Time[1] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
// error[valid-count-axis-in-group]: Slice m![[R # 6 / 2, X] # 256] holds R inside a padded group or a window, where its steps cannot be counted; help: pad R itself instead of the group
REFUSED_AT_RUN_TIME { return lowered(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after); }
TCP_AXES(A = 3, R = 5);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, group(A, R).pad(16)).set(Level::packet, one.pad(8));
  return l;
}
// error[valid-count-axis-in-group]: Time m![[A, R] # 16] holds R inside a padded group or a window, where its steps cannot be counted; help: pad R itself instead of the group
REFUSED(plan_valid_count(target, stream(), ValidCountAsk{Name("R")}));
}  // namespace valid_count_axis_in_group

// # valid-count-front-padding
// A valid count is the number of lanes from the first on, and a gate is open from its first step on. Padding before the data (`R #< 2`) is the
// opposite, and cannot be counted. Put the padding after the data, or fill it with the identity of the reduce.
namespace valid_count_front_padding {
constexpr const char* before = R"(
axes R = 13
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[R #< 2 # 16, 1 # 8] at 0
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[1 # 8] at 65536
main.begin(x)
  .fetch i32 Time[R #< 2 # 16] Packet[1 # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_trim_way4 Packet[1 # 4]
  .vector_intra_slice_reduce(R, Max) Time[1] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes R = 13
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[R # 16, 1 # 8] at 0
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[1 # 8] at 65536
main.begin(x)
  .fetch i32 Time[R # 16] Packet[1 # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_trim_way4 Packet[1 # 4]
  .vector_intra_slice_reduce(R, Max) Time[1] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
// error[valid-count-front-padding]: axis R has 2 positions of padding in front; valid counts are prefixes; help: put the padding after the data
REFUSED_AT_RUN_TIME { return lowered(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after); }
TCP_AXES(R = 13);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, R.pad_left(2).pad(16)).set(Level::packet, one.pad(8));
  return l;
}
REFUSED(plan_valid_count(target, stream(), ValidCountAsk{Name("R")}));
}  // namespace valid_count_front_padding

// # valid-count-not-a-prefix
// The valid lanes of a flit are its first ones: a count cannot say "lanes 0, 1, 4 and 5". So in Packet the data of a counted axis must be together
// at the front, with all padding after it.
namespace valid_count_not_a_prefix {
constexpr const char* before = R"(
axes A = 2, R = 7
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[R # 8 / 2, A, R # 8 % 2 # 4] at 0
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[A, 1 # 8] at 65536
main.begin(x)
  .fetch i32 Time[R # 8 / 2] Packet[A, R # 8 % 2 # 4]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_split Time[R # 8 / 2, A] Packet[R # 8 % 2 # 4]
  .vector_intra_slice_reduce(R, Max) Time[A] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 2, R = 7
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[A, R # 8 / 8, R # 8] at 0
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[A, 1 # 8] at 65536
main.begin(x)
  .fetch i32 Time[A, R # 8 / 8] Packet[R # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_split Time[A, R # 8 / 4] Packet[R # 8 % 4]
  .vector_intra_slice_reduce(R, Max) Time[A] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
// error[valid-count-not-a-prefix]: in Packet m![A, R = 2 # 4] lanes without data are between lanes of R; help: keep the lanes of R together, padding after them
REFUSED_AT_RUN_TIME { return lowered(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after); }
TCP_AXES(A = 2, R = 7);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, R.pad(8) / 2).set(Level::packet, group(A, (R.pad(8) % 2).pad(4)));
  return l;
}
REFUSED(plan_valid_count(target, stream(), ValidCountAsk{Name("R")}));
}  // namespace valid_count_not_a_prefix

// # valid-count-over-padded
// With the inner part of an axis in Slice and the outer part in Time, slices before the boundary are open at every step of Time. So Time may not have
// more steps than those slices hold: pad the axis to no more than the next multiple of its part in Slice.
namespace valid_count_over_padded {
constexpr const char* before = R"(
axes R = 14, X = 64
dm x: i32 Cluster[1 # 2] Slice[X, R # 20 % 4] Element[R # 20 / 4, 1 # 8] at 0
dm y: i32 Cluster[1 # 2] Slice[X, R # 20 % 4] Element[1 # 8] at 65536
main.begin(x)
  .fetch i32 Time[R # 20 / 4] Packet[1 # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_trim_way4 Packet[1 # 4]
  .vector_intra_slice_reduce(R, Max) Time[1] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes R = 14, X = 64
dm x: i32 Cluster[1 # 2] Slice[X, R # 16 % 4] Element[R # 16 / 4, 1 # 8] at 0
dm y: i32 Cluster[1 # 2] Slice[X, R # 16 % 4] Element[1 # 8] at 65536
main.begin(x)
  .fetch i32 Time[R # 16 / 4] Packet[1 # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_trim_way4 Packet[1 # 4]
  .vector_intra_slice_reduce(R, Max) Time[1] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
// error[valid-count-over-padded]: Time m![R # 16 / 4 # 5] has 5 steps of R, of which at most 4 hold data; slices in which all of those do would count 5; help: pad R to 16
REFUSED_AT_RUN_TIME { return lowered(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after); }
TCP_AXES(R = 14, X = 64);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, group(X, R.pad(20) % 4)).set(Level::time, R.pad(20) / 4).set(Level::packet, one.pad(8));
  return l;
}
REFUSED(plan_valid_count(target, stream(), ValidCountAsk{Name("R")}));
}  // namespace valid_count_over_padded

// # valid-count-packet-not-flit
// The Valid Count Generator tags the flits that enter the Vector Engine: eight lanes. What happens to the tag when a flit is narrowed follows from
// it. So valid counts are asked for with the packet of eight lanes, padding included.
// no kernel: counts are planned where a stream enters the engine, in flits
namespace valid_count_packet_not_flit {
TCP_AXES(R = 7);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, R.pad(8) / 4).set(Level::packet, R.pad(8) % 4);
  return l;
}
// error[valid-count-packet-not-flit]: Packet m![R = 4] has 4 lanes; valid counts are those of flits of 8; help: ask for the stream that enters the Vector Engine, before it is narrowed
REFUSED(plan_valid_count(target, stream(), ValidCountAsk{Name("R")}));
}  // namespace valid_count_packet_not_flit

// # valid-count-packet-not-innermost
// The packet dimension counts how many elements are left from the flit's first lane on, so neighbouring lanes must be neighbours along the axis: Packet
// holds the innermost part, `R % 8`, and Time the outer one. The other way round every flit would need a count of its own.
namespace valid_count_packet_not_innermost {
constexpr const char* before = R"(
axes R = 19
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[R # 24 % 8, R # 24 / 8 # 8] at 0
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[1 # 8] at 65536
main.begin(x)
  .fetch i32 Time[R # 24 % 8] Packet[R # 24 / 8 # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_trim_way4 Packet[R # 24 / 8 # 4]
  .vector_intra_slice_reduce(R, Max) Time[1] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes R = 19
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[R # 24 / 8, R # 24 % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[1 # 8] at 65536
main.begin(x)
  .fetch i32 Time[R # 24 / 8] Packet[R # 24 % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_split Time[R # 24 / 4] Packet[R # 24 % 4]
  .vector_intra_slice_reduce(R, Max) Time[1] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
// error[valid-count-packet-not-innermost]: Packet m![R # 24 / 8 # 8] holds an outer part of R, which ends inside a packet; help: put the innermost part, R % n, into Packet and the outer part into Time
REFUSED_AT_RUN_TIME { return lowered(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after); }
TCP_AXES(R = 19);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, R.pad(24) % 8).set(Level::packet, (R.pad(24) / 8).pad(8));
  return l;
}
REFUSED(plan_valid_count(target, stream(), ValidCountAsk{Name("R")}));
}  // namespace valid_count_packet_not_innermost

// # valid-count-packet-shared
// A valid count is a prefix of the lanes. When the data of an axis ends inside a packet that holds another axis too, the prefix would leave out
// data of the other axis. Let the axis have the packet alone, or move it to Time, where whole flits are left out.
namespace valid_count_packet_shared {
constexpr const char* before = R"(
axes A = 4, R = 19
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[R # 24 / 2, R # 24 % 2, A] at 0
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[A] at 65536
main.begin(x)
  .fetch i32 Time[R # 24 / 2] Packet[R # 24 % 2, A]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_split Time[R # 24] Packet[A]
  .vector_intra_slice_reduce(R, Max) Time[1] Packet[A]
  .vector_pad_way8 Packet[A # 8]
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 4, R = 19
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[R # 24, A # 8] at 0
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[A] at 65536
main.begin(x)
  .fetch i32 Time[R # 24] Packet[A # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_trim_way4 Packet[A]
  .vector_intra_slice_reduce(R, Max) Time[1] Packet[A]
  .vector_pad_way8 Packet[A # 8]
  .vector_final
  .commit(y)
)";
// error[valid-count-packet-shared]: Packet m![R = 2, A] holds R together with other factors, and R ends inside a packet; help: let R have the packet alone, or move it to Time
REFUSED_AT_RUN_TIME { return lowered(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after); }
TCP_AXES(A = 4, R = 19);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, R.pad(24) / 2).set(Level::packet, group(R.pad(24) % 2, A));
  return l;
}
REFUSED(plan_valid_count(target, stream(), ValidCountAsk{Name("R")}));
}  // namespace valid_count_packet_shared

// # valid-count-padding-inside
// An axis may be padded at its end, and a gate tells where that is. Padding inside the axis, as in `R / 4, R % 4 # 6`, is left out by a gate of its own;
// but both at once need the padding inside as a factor of its own, which it is only if its live steps divide it: `R % 4 # 8`.
namespace valid_count_padding_inside {
constexpr const char* before = R"(
axes R = 15
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[R # 16 / 4, R # 16 % 4 # 6, 1 # 8] at 0
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[1 # 8] at 65536
main.begin(x)
  .fetch i32 Time[R # 16 / 4, R # 16 % 4 # 6] Packet[1 # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_trim_way4 Packet[1 # 4]
  .vector_intra_slice_reduce(R, Max) Time[1] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes R = 15
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[R # 16, 1 # 8] at 0
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[1 # 8] at 65536
main.begin(x)
  .fetch i32 Time[R # 16] Packet[1 # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_trim_way4 Packet[1 # 4]
  .vector_intra_slice_reduce(R, Max) Time[1] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
// error[valid-count-padding-inside]: Time m![R # 16 / 4, R = 4 # 6] pads R inside the axis, 4 steps to 6, and again at its end; help: pad to a multiple of 4, or at the end of R only
REFUSED_AT_RUN_TIME { return lowered(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after); }
TCP_AXES(R = 15);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, group(R.pad(16) / 4, (R.pad(16) % 4).pad(6))).set(Level::packet, one.pad(8));
  return l;
}
REFUSED(plan_valid_count(target, stream(), ValidCountAsk{Name("R")}));
}  // namespace valid_count_padding_inside

// # valid-count-several-boundaries
// A gate has one boundary: slices before it are open at every step, the boundary itself up to some step, and those after it are closed, or all like the
// boundary. With the middle part of an axis in Slice and the rest in Time, several slices run out of data at different steps. Give the outer part
// of the axis to Slice and the inner part to Time.
namespace valid_count_several_boundaries {
constexpr const char* before = R"(
axes R = 13, X = 64
dm x: i32 Cluster[1 # 2] Slice[X, R # 16 / 2 % 4] Element[R # 16 / 8, R # 16 % 2, 1 # 8] at 0
dm y: i32 Cluster[1 # 2] Slice[X, R # 16 / 2 % 4] Element[1 # 8] at 65536
main.begin(x)
  .fetch i32 Time[R # 16 / 8, R # 16 % 2] Packet[1 # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_trim_way4 Packet[1 # 4]
  .vector_intra_slice_reduce(R, Max) Time[1] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes R = 13, X = 64
dm x: i32 Cluster[1 # 2] Slice[X, R # 16 / 4] Element[R # 16 % 4, 1 # 8] at 0
dm y: i32 Cluster[1 # 2] Slice[X, R # 16 / 4] Element[1 # 8] at 65536
main.begin(x)
  .fetch i32 Time[R # 16 % 4] Packet[1 # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_trim_way4 Packet[1 # 4]
  .vector_intra_slice_reduce(R, Max) Time[1] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
// error[valid-count-several-boundaries]: with Slice m![X, R = 8 / 2] and Time m![R # 16 / 8, R = 2] the data of R ends in several slices, after 3 steps in one and 2 in another; help: give the outer part of R to Slice and the inner part to Time
REFUSED_AT_RUN_TIME { return lowered(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after); }
TCP_AXES(R = 13, X = 64);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, group(X, R.pad(16) / 2 % 4)).set(Level::time, group(R.pad(16) / 8, R.pad(16) % 2)).set(Level::packet, one.pad(8));
  return l;
}
REFUSED(plan_valid_count(target, stream(), ValidCountAsk{Name("R")}));
}  // namespace valid_count_several_boundaries

// # valid-count-slice-not-bits
// A gate sees some bits of the slice's number. So a factor of the axis in Slice must take whole bits: its size is a power of two, and so is the number
// of slices that one of its steps moves on.
namespace valid_count_slice_not_bits {
constexpr const char* before = R"(
axes R = 5, X = 3
dm x: i32 Slice[R # 8 / 2, X] Element[R # 8 % 2, 1 # 8] at 0
dm y: i32 Slice[R # 8 / 2, X] Element[1 # 8] at 65536
main.begin(x)
  .fetch i32 Time[R # 8 % 2] Packet[1 # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_trim_way4 Packet[1 # 4]
  .vector_intra_slice_reduce(R, Max) Time[1] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes R = 5, X = 3
dm x: i32 Slice[R # 8 / 2, X # 4] Element[R # 8 % 2, 1 # 8] at 0
dm y: i32 Slice[R # 8 / 2, X # 4] Element[1 # 8] at 65536
main.begin(x)
  .fetch i32 Time[R # 8 % 2] Packet[1 # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_trim_way4 Packet[1 # 4]
  .vector_intra_slice_reduce(R, Max) Time[1] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
// error[valid-count-slice-not-bits]: in Slice m![R # 6 / 2 # 4, X] a factor of R takes 4 positions, 3 slices apart; both must be powers of two; help: pad the factors of Slice to powers of two
REFUSED_AT_RUN_TIME { return lowered(before, logical).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after, logical); }
TCP_AXES(R = 5, X = 3);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, group(R.pad(8) / 2, X)).set(Level::time, R.pad(8) % 2).set(Level::packet, one.pad(8));
  return l;
}
REFUSED(plan_valid_count(target, stream(), ValidCountAsk{Name("R")}));
}  // namespace valid_count_slice_not_bits

// # valid-count-slice-order
// A gate opens all slices up to a boundary, by the number that the bits of the axis make. If the factors of the axis are in Slice in another order
// than along the axis, the slices do not run out of data in that order. Write the coarsest factor outermost: `R # 16 / 8, R # 16 / 2 % 4`.
namespace valid_count_slice_order {
constexpr const char* before = R"(
axes R = 13, X = 32
dm x: i32 Cluster[1 # 2] Slice[X, R # 16 / 2 % 4, R # 16 / 8] Element[R # 16 % 2, 1 # 8] at 0
dm y: i32 Cluster[1 # 2] Slice[X, R # 16 / 2 % 4, R # 16 / 8] Element[1 # 8] at 65536
main.begin(x)
  .fetch i32 Time[R # 16 % 2] Packet[1 # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_trim_way4 Packet[1 # 4]
  .vector_intra_slice_reduce(R, Max) Time[1] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes R = 13, X = 32
dm x: i32 Cluster[1 # 2] Slice[X, R # 16 / 2] Element[R # 16 % 2, 1 # 8] at 0
dm y: i32 Cluster[1 # 2] Slice[X, R # 16 / 2] Element[1 # 8] at 65536
main.begin(x)
  .fetch i32 Time[R # 16 % 2] Packet[1 # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_trim_way4 Packet[1 # 4]
  .vector_intra_slice_reduce(R, Max) Time[1] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
// error[valid-count-slice-order]: the data of R does not end in the order of the slices, m![X, R = 8 / 2, R # 16 / 8]; help: order the factors of R in Slice from the coarsest to the finest
REFUSED_AT_RUN_TIME { return lowered(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after); }
TCP_AXES(R = 13, X = 32);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, group(X, R.pad(16) / 2 % 4, R.pad(16) / 8)).set(Level::time, R.pad(16) % 2).set(Level::packet, one.pad(8));
  return l;
}
REFUSED(plan_valid_count(target, stream(), ValidCountAsk{Name("R")}));
}  // namespace valid_count_slice_order

// # valid-count-too-many-axes
// The Valid Count Generator has one count and three gates. Each padded axis takes one of them, and so does mere padding in Time that is folded. Axes
// without padding are free.
namespace valid_count_too_many_axes {
constexpr const char* before = R"(
axes A = 3, B = 3, D = 3, E = 3, R = 13
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[A # 4, B # 4, D # 4, E # 4, R # 16] at 0
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[A # 4, B # 4, D # 4, E # 4, R # 16] at 262144
main.begin(x)
  .fetch i32 Time[A # 4, B # 4, D # 4, E # 4, R # 16 / 8] Packet[R # 16 % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(ValidCount)
  .vector_fxp(AddFxp, 1 when {0..7})
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 3, B = 3, D = 3, E = 3, R = 13
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[A, B, D, E, R # 16] at 0
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[A, B, D, E, R # 16] at 262144
main.begin(x)
  .fetch i32 Time[A, B, D, E, R # 16 / 8] Packet[R # 16 % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(ValidCount)
  .vector_fxp(AddFxp, 1 when {0..7})
  .vector_final
  .commit(y)
)";
// error[valid-count-too-many-axes]: the padding of Slice m![1 # 256], Time m![A # 4, B # 4, D # 4, E # 4, R # 16 / 8], Packet m![R = 8] needs more than one count and 3 gates; help: pad fewer axes, or join axes that are padded together
REFUSED_AT_RUN_TIME { return lowered(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after); }
TCP_AXES(A = 3, B = 3, D = 3, E = 3, R = 13);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, group(A.pad(4), B.pad(4), D.pad(4), E.pad(4), R.pad(16) / 8)).set(Level::packet, R.pad(16) % 8);
  return l;
}
static constexpr ValidCountAsk all_axes() {
  ValidCountAsk ask;
  for (const char* name : {"A", "B", "D", "E", "R"}) ask.axis[ask.axes++] = Name(name);
  return ask;
}
// error[valid-count-too-many-axes]: the padding of Slice m![1], Time m![A # 4, B # 4, D # 4, E # 4, R # 16 / 8], Packet m![R = 8] needs more than one count and 3 gates; help: pad fewer axes, or join axes that are padded together
REFUSED(plan_valid_count(target, stream(), all_axes()));
}  // namespace valid_count_too_many_axes

// # valid-count-too-many-counters
// The time step of a flit is taken apart by eight counters. Each factor of a padded axis in Time takes one, and so does every run of other factors
// between them. Keep the factors of the axis next to each other.
namespace valid_count_too_many_counters {
constexpr const char* before = R"(
axes A = 2, B = 2, D = 2, E = 2, R = 500
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[R # 512 / 128, A, R # 512 / 32 % 4, B, R # 512 / 8 % 4, D, R # 512 / 2 % 4, E, R # 512 % 2] at 0
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[R # 512 / 128, A, R # 512 / 32 % 4, B, R # 512 / 8 % 4, D, R # 512 / 2 % 4, E, R # 512 % 2, 1 # 8] at 65536
main.begin(x)
  .fetch i32 Time[R # 512 / 128, A, R # 512 / 32 % 4, B, R # 512 / 8 % 4, D, R # 512 / 2 % 4, E, R # 512 % 2] Packet[1 # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(ValidCount)
  .vector_fxp(AddFxp, 1 when {0..7})
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 2, B = 2, D = 2, E = 2, R = 500
dm x: i32 Cluster[1 # 2] Slice[1 # 256] Element[A, B, D, E, R # 512] at 0
dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[A, B, D, E, R # 512] at 65536
main.begin(x)
  .fetch i32 Time[A, B, D, E, R # 512 / 8] Packet[R # 512 % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(ValidCount)
  .vector_fxp(AddFxp, 1 when {0..7})
  .vector_final
  .commit(y)
)";
// error[valid-count-too-many-counters]: Time m![R # 512 / 128, A, R = 128 / 32, B, R = 32 / 8, D, R / 2 = 4, E, R % 2] needs more than 8 counters to tell its padding; help: keep the factors of a padded axis next to each other in Time
REFUSED_AT_RUN_TIME { return lowered(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after); }
TCP_AXES(A = 2, B = 2, D = 2, E = 2, R = 500);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one)
      .set(Level::time, group(R.pad(512) / 128, A, R.pad(512) / 32 % 4, B, R.pad(512) / 8 % 4, D, R.pad(512) / 2 % 4, E, R.pad(512) % 2))
      .set(Level::packet, one.pad(8));
  return l;
}
// error[valid-count-too-many-counters]: Time m![R # 512 / 128, A, R = 128 / 32, B, R = 32 / 8, D, R / 2 = 4, E, R % 2] needs more than 8 counters to tell its padding; help: keep the factors of a padded axis next to each other in Time
REFUSED(plan_valid_count(target, stream(), ValidCountAsk{Name("R")}));
}  // namespace valid_count_too_many_counters

// # valid-count-trimmed
// Trimming a flit to its lower four lanes leaves its valid count as it is, so no flit may have more than four valid lanes. `vector_split` keeps
// all of them: the upper four lanes become a time step of their own.
// no kernel: lanes that may hold data are not trimmed: `vector-trim-live-lanes`
namespace valid_count_trimmed {
TCP_AXES(R = 19);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, one).set(Level::time, R.pad(24) / 8).set(Level::packet, R.pad(24) % 8);
  return l;
}
// error[valid-count-trimmed]: flits have up to 8 valid lanes; trimming keeps 4; help: use vector_split, which gives the upper lanes a time step of their own
REFUSED(check_trimmed_count(target, plan_valid_count(target, stream(), ValidCountAsk{Name("R")})->config));
}  // namespace valid_count_trimmed

// # valid-count-varies-by-slice
// The count of a flit depends on its time step alone: all slices get the same, or are switched off. When an axis is in Slice and in Packet and
// ends inside a packet, its last slice would need a smaller count than the others. Move the innermost part from Packet to Time: whole flits
// can be left out slice by slice. Where nothing but moves is between fetch and reduce, the padding is filled with the identity instead.
namespace valid_count_varies_by_slice {
constexpr const char* before = R"(
axes R = 2045
dm x: i32 Cluster[1 # 2] Slice[R # 2048 / 8] Element[R # 2048 % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[R # 2048 / 8] Element[1 # 8] at 65536
main.begin(x)
  .fetch i32 Time[1] Packet[R # 2048 % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_split Time[R # 2048 / 4 % 2] Packet[R # 2048 % 4]
  .vector_intra_slice_reduce(R, Max) Time[1] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes R = 2045
dm x: i32 Cluster[1 # 2] Slice[R # 2048 / 8] Element[R # 2048 % 8, 1 # 8] at 0
dm y: i32 Cluster[1 # 2] Slice[R # 2048 / 8] Element[1 # 8] at 65536
main.begin(x)
  .fetch i32 Time[R # 2048 % 8] Packet[1 # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_trim_way4 Packet[1 # 4]
  .vector_intra_slice_reduce(R, Max) Time[1] Packet[1 # 4]
  .vector_pad_way8 Packet[1 # 8]
  .vector_final
  .commit(y)
)";
// error[valid-count-varies-by-slice]: Slice m![R # 2048 / 8] and Packet m![R = 8] both hold R, which ends inside a packet: its last slice needs a count of 5, others of 8; help: move the innermost part of R from Packet to Time, or pad with the identity of the reduce
REFUSED_AT_RUN_TIME { return lowered(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return lowered(after); }
TCP_AXES(R = 2045);

static constexpr Levels stream() {
  Levels l;
  l.set(Level::slice, R.pad(2048) / 8).set(Level::time, one).set(Level::packet, R.pad(2048) % 8);
  return l;
}
REFUSED(plan_valid_count(target, stream(), ValidCountAsk{Name("R")}));
}  // namespace valid_count_varies_by_slice
