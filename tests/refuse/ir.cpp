// A module in the intermediate representation: what the verifier refuses, wherever the module comes from.
#include "helpers/asked.hpp"
#include "helpers/program.hpp"
#include "refuse_test.hpp"
#include "tcp/ir/place.hpp"

using namespace tcp;
using namespace tcp_refuse;

// # ir-argument-list
// Arguments are filled before a module runs: each is a whole tensor and is in the list once, or the second value would take the place of the first.
// run time only: a module is built when a program runs
namespace ir_argument_list {
constexpr const char* before = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
arguments (in, in)
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
constexpr const char* after = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
arguments (in)
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
// error[ir-argument-list]: in is in the list of arguments twice; help: list it once
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_argument_list

// # ir-chips
// A module is for one chip or for several that work in step; Chip of each tensor has one position for each of them.
// run time only: a module is built when a program runs
namespace ir_chips {
constexpr const char* before = R"(
module add_one (chips: 0)
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
constexpr const char* after = R"(
module add_one (chips: 1)
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
// error[ir-chips]: the module is for 0 chips; help: set Module::chips to 1 or more; in a text, module name(chips: 1)
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_chips

// # ir-dangling-reference
// A module names mappings, tensors and tables by their position in its lists. A number that is in none of them comes from a program that built the module by hand,
// or from a list that was cut.
// run time only: a module is built when a program runs
// no kernel: the front ends number what they add; modules made by hand, as the page does, can be wrong
namespace ir_dangling_reference {
// error[ir-dangling-reference]: the module names mapping 99, which it does not have; help: intern mappings with Module::intern, and add tensors before they are used
REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  p.module.tensors[1].element = ir::MapId(99);
  return p.refusal();
}
}  // namespace ir_dangling_reference

// # ir-level-not-in-memory
// Each memory has its own levels: host memory has Element alone, HBM has Chip and Element, DM, SPM (whose Slice is its Dmn) and VRF have Chip, Cluster, Slice and Element, the TRF has a Row
// besides. A factor on a level that the memory does not have would be nowhere.
// run time only: in C++ the tensor types have just the levels of their memory
namespace ir_level_not_in_memory {
constexpr const char* before = R"(
axes A = 2048, B = 8
argument hbm in: i32 Slice[A / 8] Element[A % 8] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
constexpr const char* after = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
// error[ir-level-not-in-memory]: a tensor in HBM has Slice m![A / 8]; help: move the factors of Slice to Element
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
// error[ir-level-not-in-memory]: a tensor in HBM has Slice m![B]; help: move the factors of Slice to Element
REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  p.module.tensors[p.in].slice = p.map("B");
  return p.refusal();
}
}  // namespace ir_level_not_in_memory

// # ir-levels-changed
// Chip, Cluster and Slice of a stream change only where an engine moves data between slices: in the switch and in the inter-slice reduce. Every other stage has to declare
// what came in.
// run time only: a module is built when a program runs
namespace ir_levels_changed {
constexpr const char* before = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect Slice[A % 256]
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
constexpr const char* after = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
// error[ir-levels-changed]: a stage declares Chip m![1], Cluster m![1 # 2], Slice m![A % 256]; the stream has m![1], m![1 # 2], m![A / 8]; help: keep these levels
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_levels_changed

// # ir-memory-full
// Tensors without an address are placed where nothing else lives at the same time. If all that is alive at one command does not fit into the memory together, the kernel has to
// keep less at once: use a tensor for the last time before the next is written, work on tiles, or spread the tensors over more slices. The note lists
// who lives there meanwhile, with sizes, addresses and the commands of their lives.
// run time only: a module is built when a program runs
namespace ir_memory_full {
constexpr const char* before = R"(
axes B = 65536, C = 98304
argument hbm in: i32 Element[B] at 0
argument hbm in2: i32 Element[C] at 1048576
result hbm out: i32 Element[B] at 268435456
dm kept: i32 Cluster[1 # 2] Slice[1 # 256] Element[B]
dm other: i32 Cluster[1 # 2] Slice[1 # 256] Element[C]
move in -> kept
move in2 -> other
move kept -> out
)";
constexpr const char* after = R"(
axes B = 65536, C = 98304
argument hbm in: i32 Element[B] at 0
argument hbm in2: i32 Element[C] at 1048576
result hbm out: i32 Element[B] at 268435456
dm kept: i32 Cluster[1 # 2] Slice[1 # 256] Element[B]
dm other: i32 Cluster[1 # 2] Slice[1 # 256] Element[C]
move in -> kept
move kept -> out
move in2 -> other
)";
// error[ir-memory-full]: no room in DM for other, 393216 bytes, in command 1: others alive then take 262144 of 524288 bytes, and the largest piece left has 262144; help: use a tensor for the last time before the next is written, work on tiles, or spread them over more slices
REFUSED_AT_RUN_TIME { return placed(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return placed(after); }
}  // namespace ir_memory_full

// # ir-not-in-cpp
// `tcp compile --emit cpp` prints a kernel for the typed front end. A few things can be said in text form and with `tcp/dyn.hpp` only: transfers over PCIe inside of a kernel,
// tiles of register files, gathers into a tensor that is there already.
// run time only: a module is printed when a program runs
namespace ir_not_in_cpp {
constexpr const char* before = R"(
axes A = 2048, B = 8
argument host in: i32 Element[A]
hbm moved: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
result hbm out: i32 Element[A] at 268435456
host_move in -> moved
move moved -> x
move x -> out
)";
constexpr const char* after = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
result hbm out: i32 Element[A] at 268435456
move in -> x
move x -> out
)";
// error[ir-not-in-cpp]: a tensor of the host inside a kernel: in; help: stay with the text form (--emit text), or record it with tcp/dyn.hpp
REFUSED_AT_RUN_TIME { return printed_in_cpp(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return printed_in_cpp(after); }
}  // namespace ir_not_in_cpp

// # ir-pass-overwrites-source
// Fetch and commit of one pass run at the same time. If the commit wrote into bytes that the fetch still has to read, the result would depend on which of them is ahead.
// Place the result elsewhere.
// run time only: a module is built when a program runs
namespace ir_pass_overwrites_source {
constexpr const char* before = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
result hbm out: i32 Element[A] at 268435456
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
constexpr const char* after = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
// error[ir-pass-overwrites-source]: a pass commits into bytes of y that it reads from x; help: commit to another address, and copy back in a second pass if you must
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
// error[ir-pass-overwrites-source]: a pass commits into bytes of sum that it reads from dm; help: commit to another address, and copy back in a second pass if you must
REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  p.module.tensors[p.sum].address = 0;
  return p.refusal();
}
}  // namespace ir_pass_overwrites_source

// # ir-pass-register-twice
// A pass may read an operand and write it back with `vector_write_operand`: an operation then reads what earlier time steps have written. Of a branch log and of a filter's count nothing
// says when they can be read, so they are read in a later pass.
// run time only: a module is built when a program runs
namespace ir_pass_register_twice {
constexpr const char* before = R"(
axes A = 256, T = 6, P = 8
dm x: i32 Cluster[1 # 2] Slice[A] Element[T, P] at 0
dm y: i32 Cluster[1 # 2] Slice[A] Element[T, P] at 4096
vrf log: i32 Cluster[1 # 2] Slice[A] Element[T, P] at 0
main.begin(x)
  .fetch i32 Time[T] Packet[P]
  .collect
  .vector_init
  .vector_intra_slice_branch(Comparison(Less(0)))
  .vector_branch_log(log)
  .vector_fxp(AddFxp, log)
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 256, T = 6, P = 8
dm x: i32 Cluster[1 # 2] Slice[A] Element[T, P] at 0
dm y: i32 Cluster[1 # 2] Slice[A] Element[T, P] at 4096
vrf log: i32 Cluster[1 # 2] Slice[A] Element[T, P] at 0
vrf bias: i32 Cluster[1 # 2] Slice[A] Element[T, P] at 4096
main.begin(x)
  .fetch i32 Time[T] Packet[P]
  .collect
  .vector_init
  .vector_intra_slice_branch(Comparison(Less(0)))
  .vector_branch_log(log)
  .vector_fxp(AddFxp, bias)
  .vector_final
  .commit(y)
)";
// error[ir-pass-register-twice]: a pass writes a VRF tensor, by vector_branch_log, vector_filter, vector_write_operand or to_vrf, that it also uses otherwise; help: write another VRF tensor, or read it in another pass
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
constexpr const char* stored_over = R"(
axes A = 2048
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
vrf v: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
sub.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .to_vrf(v)
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, v)
  .vector_final
  .to_vrf(v)
)";
// error[ir-pass-register-twice]: a pass writes a VRF tensor, by vector_branch_log, vector_filter, vector_write_operand or to_vrf, that it also uses otherwise; help: write another VRF tensor, or read it in another pass
REFUSED_AT_RUN_TIME { return checked(stored_over).refusal(); }
}  // namespace ir_pass_register_twice

// # ir-pass-sources
// A fetch reads one tensor of DM, or two of the same type and mappings that take turns along an axis of size 2.
// run time only: a module is built when a program runs
// no kernel: the front ends begin a pass with its sources; modules made by hand, as the page does, can be wrong
namespace ir_pass_sources {
// error[ir-pass-sources]: a pass has 0 sources; help: give one or two DM tensors
REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  p.pass().source.clear();
  return p.refusal();
}
}  // namespace ir_pass_sources

// # ir-pass-without-sink
// What a pass computes has to go somewhere: into DM by a commit, or into a register file by to_trf or to_vrf. A stream without a sink is a mistake of the program,
// not something to be dropped in silence.
// run time only: a module is built when a program runs
namespace ir_pass_without_sink {
constexpr const char* before = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
move y -> out
)";
constexpr const char* after = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
// error[ir-pass-without-sink]: the stream of a pass ends nowhere; help: end the pass with a sink
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_pass_without_sink

// # ir-register-view
// A store into the TRF or the VRF has no sequencer of its own: flits fill a tensor one after the other. A tile of such a tensor can be
// read, by a contraction or as an operand; it cannot be stored into.
// run time only: a module is built when a program runs
namespace ir_register_view {
constexpr const char* before = R"(
axes A = 2048
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
vrf v: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
vrf seen: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] = v.whole
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .to_vrf(seen)
)";
constexpr const char* after = R"(
axes A = 2048
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
vrf v: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .to_vrf(v)
)";
// error[ir-register-view]: a stream is stored into a view of a tensor in VRF, Element m![A % 8]; help: store into the tensor, and look at its parts from the passes that read it
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_register_view

// # ir-sink-differs
// A commit writes elements where the stream has them and as they are. It neither converts them nor takes them to other slices, so the tensor has to agree with the stream
// in type, Chip, Cluster and Slice.
// run time only: a module is built when a program runs
namespace ir_sink_differs {
constexpr const char* before = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: f32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: f32 Element[A] at 268435456
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
constexpr const char* after = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
// error[ir-sink-differs]: a stream of i32 over Slice m![A / 8] ends in a tensor of f32 over Slice m![A / 8]; help: give the tensor the stream's type, Chip, Cluster and Slice
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_sink_differs

// # ir-step-malformed
// A step of the vector engine is a method, an operation of the method's family and an argument mode, kept as small numbers. A program that fills them in by hand
// can combine what does not exist; the functions `step_of` cannot. Branches, reduces, filters, stashes and logs are stages of their own, not operations.
// run time only: a module is built when a program runs
// no kernel: the front ends make steps by functions; modules made by hand, as the page does, can be wrong
namespace ir_step_malformed {
// error[ir-step-malformed]: a vector operation has method 3, family 3, op 99, mode 1, which do not go together; help: make steps by step_of(...), fxp_to_fp_step and fp_to_fxp_step
REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  VectorStep step = step_of(FxpBinaryOp::AddFxp);
  step.op = 99;
  p.stage(3).what = ir::VectorOperation{step, {}};
  return p.refusal();
}
}  // namespace ir_step_malformed

// # ir-stream-changed
// Some stages compute and move nothing: what they declare as Time and Packet has to be what came in.
// run time only: a module is built when a program runs
namespace ir_stream_changed {
constexpr const char* before = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init Time[1 # 2]
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
constexpr const char* after = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
// error[ir-stream-changed]: a stage declares Time m![1 # 2], Packet m![A % 8]; it makes Time m![1], Packet m![A % 8]; help: declare what it makes
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_stream_changed

// # ir-table-entries
// A fetch may replace every element by what a table has for it. The table has an entry for each value that the element's type has: 16 or 256 of them. A text, or a
// program that fills a table in by hand, can give fewer.
// run time only: a module is built when a program runs
namespace ir_table_entries {
constexpr const char* before = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
table gelu: i8 -> i8 (0x00, 0x01, 0x80)
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
constexpr const char* after = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
table half: i4 -> i8 (0, 0, 1, 1, 2, 2, 3, 3, 0xfc, 0xfc, 0xfd, 0xfd, 0xfe, 0xfe, 0xff, 0xff)
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
// error[ir-table-entries]: table 0 has 3 entries for the 256 values of i8; help: give a table of i8 256 entries of i8
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_table_entries

// # ir-tensors-overlap
// Addresses are the author's, and two tensors may share bytes only if they are never alive together: a tensor lives from its first write to its last use, of it or of one
// of its views. Otherwise one of them would destroy the other.
// run time only: a module is built when a program runs
namespace ir_tensors_overlap {
constexpr const char* before = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 4096
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
constexpr const char* after = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 8192
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
// error[ir-tensors-overlap]: out takes bytes 4096 to 12287 of HBM, where in is stored (0 to 8191) and still used; help: place it at 8192 or elsewhere
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }

// In the TRF, and where there is no room after.
constexpr const char* in_trf = R"(
axes A = 2048, B = 8, K = 32
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[B] at 8192
dm z: i8 Cluster[1 # 2] Slice[A / 8] Element[K] at 16384
dm x: i8 Cluster[1 # 2] Slice[A / 8] Element[B, K] at 0
trf a: i8 Cluster[1 # 2] Slice[A / 8] Row[B] Element[K] FirstHalf
trf b: i8 Cluster[1 # 2] Slice[A / 8] Row[B] Element[K]
sub.begin(x)
  .fetch i8 Time[B] Packet[K]
  .collect
  .to_trf(a)
sub.begin(x)
  .fetch i8 Time[B] Packet[K]
  .collect
  .to_trf(b)
main.begin(z)
  .fetch i8 Time[1] Packet[K]
  .collect
  .align(a) Time[1] Packet[K # 64]
  .contract Packet[1]
  .accumulate(Interleaved) Time[1] Packet[B]
  .commit(y)
)";
// error[ir-tensors-overlap]: b takes bytes 0 to 65535 of TRF, where a is stored (0 to 32767) and still used; help: give each a half of the TRF, or use the one for the last time before the other is loaded
REFUSED_AT_RUN_TIME { return checked(in_trf).refusal(); }
constexpr const char* no_room = R"(
axes A = 2048
from_addr dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 524256
from_addr dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 524256
)";
// error[ir-tensors-overlap]: y takes bytes 524256 to 524287 of DM, where x is stored (524256 to 524287) and still used; help: place it elsewhere, or leave its address out: it is then put where there is room
REFUSED_AT_RUN_TIME { return checked(no_room).refusal(); }
}  // namespace ir_tensors_overlap

// # ir-transfer-overwrites-source
// A transfer reads and writes at the same time. Two parts of one tensor may be its source and its destination only if they have no element in common: otherwise it would
// depend on the order of requests what is read.
//
// Move to another tensor first, or between parts that are apart.
// run time only: a module is built when a program runs
namespace ir_transfer_overwrites_source {
constexpr const char* before = R"(
axes A = 2048, T = 16
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[T, A % 8] at 0
dm from: i32 Cluster[1 # 2] Slice[A / 8] Element[T = 8 # 16, A % 8] = x.tile([T], length: 8, start: 0)
dm to: i32 Cluster[1 # 2] Slice[A / 8] Element[T = 8 # 16, A % 8] = x.tile([T], length: 8, start: 4)
move from -> to
)";
constexpr const char* after = R"(
axes A = 2048, T = 16
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[T, A % 8] at 0
dm from: i32 Cluster[1 # 2] Slice[A / 8] Element[T = 8 # 16, A % 8] = x.tile([T], length: 8, start: 0)
dm to: i32 Cluster[1 # 2] Slice[A / 8] Element[T = 8 # 16, A % 8] = x.tile([T], length: 8, start: 8)
move from -> to
)";
// error[ir-transfer-overwrites-source]: a transfer writes elements of x that it reads as well; help: move to another tensor first, or between parts that have no element in common
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }

// Columns of one tensor: their bytes are interleaved.
constexpr const char* columns = R"(
axes A = 2048, T = 16
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[T, A % 8] at 0
dm from: i32 Cluster[1 # 2] Slice[A / 8] Element[T, A % 4 # 8] = x.tile([A % 8], length: 4, start: 0)
dm to: i32 Cluster[1 # 2] Slice[A / 8] Element[T, A % 4 # 8] = x.tile([A % 8], length: 4, start: 4)
move from -> to
)";
ACCEPTED_AT_RUN_TIME { return checked(columns); }
constexpr const char* shared_columns = R"(
axes A = 2048, T = 16
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[T, A % 8] at 0
dm from: i32 Cluster[1 # 2] Slice[A / 8] Element[T, A % 4 # 8] = x.tile([A % 8], length: 4, start: 0)
dm to: i32 Cluster[1 # 2] Slice[A / 8] Element[T, A % 4 # 8] = x.tile([A % 8], length: 4, start: 2)
move from -> to
)";
// error[ir-transfer-overwrites-source]: a transfer writes elements of x that it reads as well; help: move to another tensor first, or between parts that have no element in common
REFUSED_AT_RUN_TIME { return checked(shared_columns).refusal(); }
}  // namespace ir_transfer_overwrites_source

// # ir-transfer-types
// DMA moves bytes and does not look at them. A tensor keeps its type on the way; to convert it, let it pass the Tensor Unit, which converts while fetching and casts
// before the commit.
// run time only: a module is built when a program runs
namespace ir_transfer_types {
constexpr const char* before = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: f32 Element[A] at 268435456
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
constexpr const char* after = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
// error[ir-transfer-types]: a transfer from i32 to f32; help: convert in the Tensor Unit, while fetching or by a cast
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_transfer_types

// # ir-transfer-without-rows
// A gather reads the rows that an index tensor names, a scatter writes them, and chip_slice cuts along a dimension. Without it the transfer does not say what to move.
// run time only: a module is built when a program runs
// no kernel: the front ends ask for the rows; modules made by hand, as the page does, can be wrong
namespace ir_transfer_without_rows {
// error[ir-transfer-without-rows]: a transfer of this kind lacks its index tensor or its dimension; help: set Transfer::rows and row_axis, or dimension and length
REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  std::get<ir::Transfer>(p.module.commands[0].what).kind = ir::Transfer::Kind::gather;
  return p.refusal();
}
}  // namespace ir_transfer_without_rows

// # ir-view-address
// A view is where its tensor is: the address is the tensor's.
// run time only: a module is built when a program runs
namespace ir_view_address {
constexpr const char* before = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
dm seen: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 64 = x.whole
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
constexpr const char* after = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
dm seen: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] = x.whole
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
// error[ir-view-address]: a view has address 64 of its own; help: give the address to the tensor of the view
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_view_address

// # ir-view-differs
// A view is the tensor itself, seen otherwise: it has the tensor's memory and type.
// run time only: a module is built when a program runs
namespace ir_view_differs {
constexpr const char* before = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
dm seen: f32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] = x.whole
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
constexpr const char* after = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
dm seen: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] = x.whole
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
// error[ir-view-differs]: a view of f32 in DM looks at a tensor of i32 in DM; help: give the view the tensor's type and memory
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_view_differs

// # ir-view-element
// A view of all of a tensor shows all of it, as it is; parts are tiles, other indices are reshapes.
// run time only: a module is built when a program runs
namespace ir_view_element {
constexpr const char* before = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
dm seen: i32 Cluster[1 # 2] Slice[A / 8] Element[B] = x.whole
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
constexpr const char* after = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
dm seen: i32 Cluster[1 # 2] Slice[A / 8] Element[B] = x.reshape
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
// error[ir-view-element]: a view of all of a tensor has Element m![B]; the tensor has m![A % 8]; help: make it a tile or a reshape
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_view_element

// # ir-view-inside-byte
// Two 4-bit elements share a byte, and addresses count bytes: a tile begins at an even position.
// run time only: where a tile begins is a value
namespace ir_view_inside_byte {
constexpr const char* before = R"(
axes A = 2048
hbm nibbles: i4 Element[A] at 4096
hbm two: i4 Element[A = 2 # 2048] = nibbles.tile([A], length: 2, start: 1)
)";
constexpr const char* after = R"(
axes A = 2048
hbm nibbles: i4 Element[A] at 4096
hbm two: i4 Element[A = 2 # 2048] = nibbles.tile([A], length: 2, start: 2)
)";
// error[ir-view-inside-byte]: a tile of i4 begins 1 positions into its tensor, inside a byte; help: let the tile begin at an even position
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_view_inside_byte

// # ir-view-levels
// A tile takes steps of the level that counts its dimension, and leaves the other levels as they are; a whole view leaves all of them.
// run time only: a module is built when a program runs
namespace ir_view_levels {
constexpr const char* before = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
dm seen: i32 Cluster[1 # 2] Slice[1 # 256] Element[A % 8] = x.whole
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
constexpr const char* after = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
dm seen: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] = x.whole
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
// error[ir-view-levels]: a view has Slice m![1 # 256]; its tensor has m![A / 8]; help: keep Slice
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_view_levels

// # ir-view-read-only
// A tensor with a plain axis may be read as a window. What is written through such a view would be several elements at one place.
// run time only: a module is built when a program runs
namespace ir_view_read_only {
constexpr const char* before = R"(
axes X = 10, W = 8, F = 3
argument hbm frame: i8 Element[$(W, F)] at 0
result hbm plain: i8 Element[X] at 4096
hbm window: i8 Element[$(W, F)] = plain.reshape
move frame -> window
)";
constexpr const char* after = R"(
axes X = 10, W = 8, F = 3
argument hbm frame: i8 Element[$(W, F)] at 0
result hbm plain: i8 Element[X] at 4096
hbm copied: i8 Element[$(W, F)] at 8192
move frame -> copied
)";
// error[ir-view-read-only]: a view of window is written that shows Element m![X] as m![$(W, F)]; help: write into the tensor of the view
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
// error[ir-view-read-only]: a view of plain is written that shows Element m![X] as m![$(W, F)]; help: write into the tensor of the view
REFUSED_AT_RUN_TIME {
  build::ModuleBuilder p("X = 10, W = 8, F = 3");
  ir::TensorId const frame = p.hbm("frame", ScalarType::i8, "$(W, F)", 0, ir::Role::argument);
  ir::TensorId const plain = p.hbm("plain", ScalarType::i8, "X", 4096, ir::Role::result);
  ir::Tensor view = p.module.tensor(plain);
  view.address.reset();
  view.role = ir::Role::temporary;
  view.view = ir::ViewOf{plain, ir::ViewOf::Kind::reshape, {}, 0, 0};
  view.element = p.map("$(W, F)");
  p.module.tensors.push_back(view);
  p.move(frame, ir::TensorId(p.module.tensors.size() - 1));
  return ir::verify(p.module, rngd).refusal();
}
}  // namespace ir_view_read_only

// # ir-view-units
// A tile of Slice counts its slices from 0, as every view does, while its elements are in later ones. A move has an address for each of
// them. A pass has none: each slice works on what it holds, and would take the tile for what is in the first slices.
// run time only: a module is built when a program runs
namespace ir_view_units {
constexpr const char* before = R"(
axes A = 256, W = 8
argument hbm in: i32 Element[A, W] at 0
result hbm out: i32 Element[A, W] at 268435456
dm x: i32 Cluster[1 # 2] Slice[A] Element[W] at 0
dm y: i32 Cluster[1 # 2] Slice[A = 64 # 256] Element[W] at 4096
dm part: i32 Cluster[1 # 2] Slice[A = 64 # 256] Element[W] = x.tile([A], length: 64, start: 32)
move in -> x
main.begin(part)
  .fetch i32 Time[1] Packet[W]
  .collect
  .commit(y)
move x -> out
)";
constexpr const char* after = R"(
axes A = 256, W = 8
argument hbm in: i32 Element[A, W] at 0
result hbm out: i32 Element[A, W] at 268435456
dm x: i32 Cluster[1 # 2] Slice[A] Element[W] at 0
dm y: i32 Cluster[1 # 2] Slice[A = 64 # 256] Element[W] at 4096
dm part: i32 Cluster[1 # 2] Slice[A = 64 # 256] Element[W] = x.tile([A], length: 64, start: 32)
dm own: i32 Cluster[1 # 2] Slice[A = 64 # 256] Element[W] at 8192
move in -> x
move part -> own
main.begin(own)
  .fetch i32 Time[1] Packet[W]
  .collect
  .commit(y)
move x -> out
)";
// error[ir-view-units]: part, a tile that begins with Slice 32, is used by a pass; help: move the tile to a tensor of its own, or work on all of the tensor
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_view_units

// # ir-write-operand-copies
// `vector_write_operand` keeps what a time step has made for later steps to read: a running sum, say. A bare number in Time stands for copies, steps that hold the same elements;
// with an operand that changes from step to step they would no longer be the same. Count them by an axis.
// run time only: a module is built when a program runs
namespace ir_write_operand_copies {
constexpr const char* before = R"(
axes A = 256, P = 8, F = 32
dm x: i32 Cluster[1 # 2] Slice[A] Element[P] at 0
dm y: i32 Cluster[1 # 2] Slice[A] Element[F] at 4096
vrf kept: i32 Cluster[1 # 2] Slice[A] Element[P] at 0
main.begin(x)
  .fetch i32 Time[4] Packet[P]
  .collect
  .vector_init
  .vector_intra_slice_branch(AxisToggle(P))
  .vector_fxp(AddFxp, kept)
  .vector_write_operand(kept)
  .vector_filter({8}) Time[F / 8] Packet[F % 8]
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 256, P = 8, F = 32, S = 4
dm x: i32 Cluster[1 # 2] Slice[A] Element[P] at 0
dm y: i32 Cluster[1 # 2] Slice[A] Element[F] at 4096
vrf kept: i32 Cluster[1 # 2] Slice[A] Element[P] at 0
main.begin(x)
  .fetch i32 Time[S] Packet[P]
  .collect
  .vector_init
  .vector_intra_slice_branch(AxisToggle(P))
  .vector_fxp(AddFxp, kept)
  .vector_write_operand(kept)
  .vector_filter({8}) Time[F / 8] Packet[F % 8]
  .vector_final
  .commit(y)
)";
// error[ir-write-operand-copies]: an operation reads what vector_write_operand has written in earlier steps, over Time m![4], which holds copies; help: count the steps by an axis of their own
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_write_operand_copies

// # ir-write-operand-reduce
// `vector_write_operand` keeps what a time step has made for later steps to read. A reduce or a filter makes other steps out of those that it takes in, so there is no earlier step
// in which a value could have been written: the operation that reads and the one that writes must be on the same side.
// run time only: a module is built when a program runs
namespace ir_write_operand_reduce {
constexpr const char* before = R"(
axes A = 256, T = 6, P = 4
dm x: i32 Cluster[1 # 2] Slice[A] Element[T, P] at 0
dm y: i32 Cluster[1 # 2] Slice[A] Element[P] at 4096
vrf kept: i32 Cluster[1 # 2] Slice[A] Element[P] at 0
main.begin(x)
  .fetch i32 Time[T] Packet[P # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, kept)
  .vector_trim_way4 Packet[P]
  .vector_intra_slice_reduce(T, AddSat) Time[1] Packet[P]
  .vector_pad_way8 Packet[P # 8]
  .vector_clip(Max, 0)
  .vector_write_operand(kept)
  .vector_final
  .commit(y)
)";
constexpr const char* after = R"(
axes A = 256, T = 6, P = 4
dm x: i32 Cluster[1 # 2] Slice[A] Element[T, P] at 0
dm y: i32 Cluster[1 # 2] Slice[A] Element[P] at 4096
vrf kept: i32 Cluster[1 # 2] Slice[A] Element[P] at 0
main.begin(x)
  .fetch i32 Time[T] Packet[P # 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, kept)
  .vector_write_operand(kept)
  .vector_trim_way4 Packet[P]
  .vector_intra_slice_reduce(T, AddSat) Time[1] Packet[P]
  .vector_pad_way8 Packet[P # 8]
  .vector_clip(Max, 0)
  .vector_final
  .commit(y)
)";
// error[ir-write-operand-reduce]: vector_write_operand and an operation that reads the same VRF tensor are on two sides of a reduce or filter; help: read and write on one side of it
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_write_operand_reduce

// # ir-wrong-tensor
// Each stage reads and writes one kind of memory: fetch and commit DM, align TRF, operands VRF. A tensor of another memory has to be moved first.
// run time only: a module is built when a program runs
namespace ir_wrong_tensor {
constexpr const char* before = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
move in -> x
main.begin(in)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
constexpr const char* after = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
// error[ir-wrong-tensor]: a stage names a tensor that is not in DM; help: name a tensor of DM
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_wrong_tensor

// # ir-wrong-type
// Fetch and cast change a stream's type as they are told, contract widens it, the conversions of the vector engine do what their names say. Every other stage declares
// the type that came in.
// run time only: a module is built when a program runs
namespace ir_wrong_type {
constexpr const char* before = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect f32
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
constexpr const char* after = R"(
axes A = 2048, B = 8
argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 4096
result hbm out: i32 Element[A] at 268435456
move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";
// error[ir-wrong-type]: a stage declares f32; it makes i32; help: declare i32
REFUSED_AT_RUN_TIME { return checked(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return checked(after); }
}  // namespace ir_wrong_type
