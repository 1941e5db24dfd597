// What a chip is given: engine configurations as plain records, nothing symbolic left.
//
// A Program is a list of commands. Each says which resources it takes, which bytes it reads and writes, and how its
// engines are set. All slices of a command have one configuration; chips, clusters and slices that take no part are
// left out by bitmaps. Executors (sched, sim) see this header and the device, never a mapping: names, mappings and
// source lines are records of the debug section, which no executor reads.
//
// Conventions (docs/program.md): loops outermost first; sizes are rounds; strides and addresses are bytes, signed where
// a walk goes back. A stream is a list of packets, one a time step. Elements of a packet are counted from its first
// byte; 4-bit elements from the low half of a byte.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tcp/device/memory.hpp"
#include "tcp/device/tensor_unit.hpp"
#include "tcp/scalar/format.hpp"
#include "tcp/scalar/numeric_model.hpp"
#include "tcp/support/interval.hpp"
#include "tcp/support/version.hpp"

namespace tcp::program {

inline constexpr std::int32_t version = 7;

// The chip's own words.
using tcp::Compare, tcp::Memory, tcp::TimeLoop, tcp::Topology;

/// What a command occupies while it runs.
enum class Resource : std::uint8_t { Main, Sub, TensorDma, PcieDma, VectorEngine };
using Resources = std::uint32_t;  // bit by Resource
constexpr Resources bit(Resource r) { return 1u << static_cast<int>(r); }

/// One bit a slice.
struct SliceSet {
  std::array<std::uint64_t, 4> word{};

  bool contains(std::int64_t s) const { return (word[static_cast<std::size_t>(s / 64)] >> (s % 64) & 1) != 0; }
  void insert(std::int64_t s) { word[static_cast<std::size_t>(s / 64)] |= std::uint64_t{1} << (s % 64); }
  bool operator==(const SliceSet&) const = default;
};

/// Who takes part.
struct Units {
  std::vector<bool> chips;     // one a chip of the program
  std::uint32_t clusters = 0;  // one bit per cluster
  SliceSet slices;

  bool operator==(const Units&) const = default;
};

struct Loop {
  std::int64_t size = 1, stride = 0;

  bool operator==(const Loop&) const = default;
};

/// A walk through memory, `access_bytes` at a time. The innermost contiguous run is folded into the access and, if it
/// is longer, a last loop over accesses.
struct Sequencer {
  std::vector<Loop> loops;
  std::int64_t base = 0;          // address of the first access
  std::int64_t access_bytes = 0;  // the book's fetch_size and commit_size
  std::int64_t accesses_per_packet = 1;
  std::int64_t packets = 1;      // time steps
  std::int64_t repeat_bits = 0;  // not 0: an access is one element of so many bits, repeated to fill it

  bool operator==(const Sequencer&) const = default;
};

/// Elements of a fetch that are replaced. `loops` are the rounds that the numbers below count in, outermost first, the
/// last one over elements: the walk as the book prints it, before accesses are folded.
struct Mask {
  std::vector<std::int64_t> loops;
  std::int32_t last_dim = 0;
  std::int64_t left_pad = 0;
  std::int32_t valid_count_dim = -1;  // -1: valid_count[0] always
  std::vector<std::int64_t> valid_count;
  std::uint32_t pad_value = 0;  // bits of the stored type

  bool operator==(const Mask&) const = default;
};

/// How far each unit begins after the base of a walk, for one factor of its number: unit / inside % size times stride.
struct UnitOffset {
  enum class Of : std::uint8_t { Chip, Cluster, Slice };

  Of of = Of::Slice;
  std::int64_t inside = 1, size = 1, stride = 0;

  bool operator==(const UnitOffset&) const = default;
};

struct Fetch {
  Sequencer read;
  std::vector<UnitOffset> offsets;  // added up, for each unit; a table that a DMA brings. Empty: all begin at the base
  ScalarType stored = ScalarType::i32, type = ScalarType::i32;  // before and after the adapter
  std::optional<Mask> mask;
  std::int32_t table = -1;  // into Program::tables
  std::vector<std::int64_t> zero_points;
  std::int32_t turn_loop = -1;       // the loop of `read` that changes from one interleaved tensor to the other
  std::int64_t packet_elements = 0;  // of the stream

  bool operator==(const Fetch&) const = default;
};

/// How far after the base of its walk a unit begins.
inline std::int64_t offset_of(const Fetch& fetch, std::int64_t chip, std::int64_t cluster, std::int64_t slice) {
  std::int64_t sum = 0;
  for (const UnitOffset& o : fetch.offsets) {
    std::int64_t const unit = o.of == UnitOffset::Of::Chip ? chip : o.of == UnitOffset::Of::Cluster ? cluster : slice;
    sum += unit / o.inside % o.size * o.stride;
  }
  return sum;
}

/// A step of a route: `size` rounds, each moves on by so many input slices and input time steps. Rounds from `held` on
/// are not filled.
struct RouteStep {
  std::int64_t size = 1, slice = 0, time = 0, held = 1;

  bool operator==(const RouteStep&) const = default;
};

struct Switch {
  Topology topology = Topology::Forwarding;
  std::int64_t slice1 = 1, slice0 = 1, time0 = 1;
  std::int64_t ring_size = 1;
  std::int64_t time_out = 1;                 // packets that each slice gets
  std::vector<SliceSet> snoop;               // by slice: from whom it takes packets; empty: Forwarding
  std::vector<RouteStep> of_slice, of_time;  // the packet of slice s at step t comes from the sum of both routes, outermost first

  bool operator==(const Switch&) const = default;
};

/// Packets into flits: each becomes `flits_per_packet`, zeros after its end.
struct Collect {
  std::int64_t packet_bytes = 0, flits_per_packet = 1;

  bool operator==(const Collect&) const = default;
};

/// The stream adapter of the Contraction Engine. Rounds inside out: tiles, shifts, pops.
struct StreamAdapter {
  std::int64_t collect_flits = 1;
  std::int64_t transpose_rows = 1, transpose_columns = 1;  // in-flit transpose
  std::int64_t initial_shift = 0, shift_stride = 0;        // elements
  std::int64_t tiles = 1, shifts = 1, pops = 1;

  bool operator==(const StreamAdapter&) const = default;
};

/// Lanes whose products are +0.0, in the time steps that the rounds select: step t is meant iff each round's counter (t
/// / inside % size) is at or beyond `from` and below `to`.
struct LaneMask {
  struct Round {
    std::int64_t inside = 1, size = 1, from = 0, to = 1;
    bool operator==(const Round&) const = default;
  };
  std::vector<Round> rounds;
  std::array<std::uint64_t, 2> lanes{};

  bool operator==(const LaneMask&) const = default;
};

struct Contraction {
  ScalarType type = ScalarType::bf16, weights = ScalarType::bf16;
  StreamAdapter adapter;
  // The TRF, row by row alike.
  std::int32_t rows = 1;
  std::int64_t trf_row_base = 0;  // of the tensor, in bytes of a row
  std::vector<Loop> trf_loops;    // over time steps
  std::int64_t trf_first = 0;     // from the tensor's begin; below 0 with padding in front
  std::int64_t trf_read_bytes = 0, trf_repeats = 1;
  // The Reducer.
  bool maximum = false;
  std::int32_t tree_depth = 0;
  std::int64_t steps = 1;  // time steps that go in
  std::vector<LaneMask> zero_lanes;
  bool sequential = false;      // else interleaved
  std::vector<TimeLoop> loops;  // outermost first
  std::int64_t columns = 1, groups = 1, slots = 0;

  bool operator==(const Contraction&) const = default;
};

/// Where flits of the Collect Engine go.
struct TrfStore {
  std::int32_t rows = 1;
  std::int64_t row_base = 0, row_bytes = 0;
  bool short_command = false;  // StoTRF, which needs no Tensor Unit stage

  bool operator==(const TrfStore&) const = default;
};
struct VrfStore {
  std::int64_t address = 0, bytes = 0;

  bool operator==(const VrfStore&) const = default;
};

/// The Valid Count Generator: count(slice, t) = packet count(t) times each gate(slice, t). It counts the lanes of a
/// flit that hold data, from the first on; the others take no part in reduces, filters and operands that are written
/// back.
///
/// Counters turn t into an index along each dimension, sum of t / (limits before) % limit times stride. Packet count:
/// packet_valid less its index, at least 0 and at most the stride of the fastest counter that serves it (`lanes` if
/// none does). A gate sees slice & mask: below match open, at it open while its index is below valid, above it closed,
/// or, transposed, as at it.
///
/// Split gives the first half min(n, 4) and the second the rest; Trim keeps at most 4, Concat adds, Pad keeps. After a
/// reduce all lanes count.
struct ValidCount {
  struct Counter {
    std::int64_t limit = 1, stride = 0;
    std::int32_t serves = -1;  // -1 nothing, 0 the packet, 1 + g gate g
    bool operator==(const Counter&) const = default;
  };
  struct Gate {
    std::uint64_t mask = 0, match = 1;
    std::int64_t valid = 0;
    bool transposed = false;
    bool operator==(const Gate&) const = default;
  };
  std::vector<Counter> counters;  // the fastest first
  std::vector<Gate> gates;
  std::int64_t packet_valid = 8, lanes = 8;

  bool operator==(const ValidCount&) const = default;
};

/// How a VRF operand is read: for every lane of every time step, `lane` walks the packet inside `loops`.
struct VrfWalk {
  std::int64_t address = 0;
  std::vector<Loop> loops;  // over time steps and lanes together, bytes; the last rounds are the lanes

  bool operator==(const VrfWalk&) const = default;
};

/// An argument that an operation does not look at.
struct NoOperand {
  bool operator==(const NoOperand&) const = default;
};
/// An operand with one value, given by its bits, for every element.
struct Immediate {
  std::uint32_t bits = 0;

  bool operator==(const Immediate&) const = default;
};
/// The element that a StashStep kept.
struct Stashed {
  bool operator==(const Stashed&) const = default;
};
/// One source of an argument, and the execution ids that take it.
struct OperandSlot {
  std::variant<NoOperand, Immediate, VrfWalk, Stashed> source;
  std::uint16_t ids = 0xffff;

  bool operator==(const OperandSlot&) const = default;
};

/// Which bit 3 an element gets from its place: the parity of `start` and the sum of counters i % within / inside % size
/// · weight, i = t · lanes + lane.
struct Toggle {
  struct Counter {
    std::int64_t within = 0, inside = 1, size = 1, weight = 1;  // within 0: of i itself
    bool operator==(const Counter&) const = default;
  };
  std::vector<Counter> counters;
  std::int64_t start = 0;

  bool operator==(const Toggle&) const = default;
};

struct Comparison {
  Compare kind = Compare::False;
  std::uint32_t boundary = 0;

  bool operator==(const Comparison&) const = default;
};

// How a BranchStep gives an element its execution id, beside Toggle (bit 3 from its position) and VrfWalk (the id that
// a BranchLogStep wrote there).

/// Every element gets id 0.
struct Unconditional {
  bool operator==(const Unconditional&) const = default;
};
/// Lanes that hold data get id 1, the others id 0.
struct ByValidCount {
  bool operator==(const ByValidCount&) const = default;
};
/// Bit i of the id says whether comparison i holds.
struct Comparisons {
  std::array<Comparison, 4> each{};

  bool operator==(const Comparisons&) const = default;
};

// The steps of the Vector Engine's programme. Codes are those of docs/program.md (the order of the book's tables).

/// Gives every element its execution id.
struct BranchStep {
  std::variant<Unconditional, Toggle, ByValidCount, Comparisons, VrfWalk> by;

  bool operator==(const BranchStep&) const = default;
};
/// Writes the execution ids to the VRF.
struct BranchLogStep {
  VrfWalk to;

  bool operator==(const BranchLogStep&) const = default;
};
/// An operation of an ALU on every element.
struct OperateStep {
  enum class Family : std::uint8_t { LogicI32, LogicF32, Fxp, FpUnary, FpBinary, FpTernary, FpDiv, ClipI32, ClipF32 };
  enum class Group : std::uint8_t { Both, Zero, One, Zip };

  Family family = Family::LogicI32;
  std::uint8_t op = 0, mode = 0;
  std::uint8_t alu = 0;
  Group group = Group::Both;
  std::vector<OperandSlot> operands;  // in the order in which they are tried; of a ternary operation in pairs

  bool operator==(const OperateStep&) const = default;
};
/// Fixed point to f32, or back.
struct ConvertStep {
  bool to_float = false;
  std::int32_t int_width = 31;

  bool operator==(const ConvertStep&) const = default;
};
/// Bits of i32 that the steps after it take for f32, or the reverse.
struct ReinterpretStep {
  bool to_float = false;

  bool operator==(const ReinterpretStep&) const = default;
};
/// Flits of 8 lanes become flits of 4 (Split, Trim), or the reverse (Concat, Pad).
struct ReshapeStep {
  enum class Width : std::uint8_t { Split, Trim, Concat, Pad };

  Width width = Width::Split;

  bool operator==(const ReshapeStep&) const = default;
};
/// Keeps the stream as an operand of a later operation.
struct StashStep {
  bool operator==(const StashStep&) const = default;
};
/// Writes elements to the VRF, to be read at a later time step.
struct WriteOperandStep {
  std::uint16_t ids = 0xffff;  // execution ids whose elements are written
  VrfWalk to;

  bool operator==(const WriteOperandStep&) const = default;
};
/// Two groups of packets that take turns, `alternate` packets each.
struct UnzipStep {
  std::int64_t alternate = 1;

  bool operator==(const UnzipStep&) const = default;
};
/// Drops elements and closes the gaps.
struct FilterStep {
  std::uint16_t ids = 0xffff;       // execution ids whose elements are kept
  std::optional<VrfWalk> count_to;  // where the number of kept elements is written

  bool operator==(const FilterStep&) const = default;
};
/// Folds over time, and over the lanes of a packet, inside each slice.
struct IntraSliceReduceStep {
  std::uint8_t op = 0;
  std::int64_t slots = 1;
  std::vector<TimeLoop> loops;            // over time steps, outermost first: folded, or kept
  bool tree = false;                      // lanes of a packet are folded, too
  std::optional<std::uint32_t> identity;  // what padding was filled with instead of being counted out

  bool operator==(const IntraSliceReduceStep&) const = default;
};
/// Folds slices s / group_slices together, those of `folded` only, in their order. At time step t after it, slice s
/// puts out the result of the step that `from_step` walks to: rounds over the slices of a group outside, over time
/// steps inside.
struct InterSliceReduceStep {
  std::uint8_t op = 0;
  std::int64_t group_slices = 1, broadcast = 1, promoted = 1;
  SliceSet folded;
  std::vector<Loop> from_step;
  std::optional<std::uint32_t> identity;  // what padding was filled with instead of being counted out

  bool operator==(const InterSliceReduceStep&) const = default;
};

/// One step of the Vector Engine's programme.
struct VectorStep {
  std::variant<BranchStep, BranchLogStep, OperateStep, ConvertStep, ReshapeStep, StashStep, WriteOperandStep, UnzipStep, FilterStep,
               IntraSliceReduceStep, InterSliceReduceStep, ReinterpretStep>
      what;
  std::int64_t time_out = 1;  // packets after the step

  bool operator==(const VectorStep&) const = default;
};

struct Vector {
  bool floating = false;  // f32 at the entry, else i32
  std::optional<ValidCount> valid_count;
  std::int32_t counted_before = 0;  // the step before which flits get their counts; earlier all lanes count
  std::vector<VectorStep> steps;
  bool floating_out = false;

  bool operator==(const Vector&) const = default;
};

struct Cast {
  ScalarType from = ScalarType::f32, to = ScalarType::bf16;

  bool operator==(const Cast&) const = default;
};

struct Transpose {
  std::int64_t in_rows = 1, in_columns = 1, packets_per_column = 1, elements_per_packet = 1;
  std::int64_t kept_packets = 1, kept_elements = 1, matrices = 1;
  bool double_buffered = false;

  bool operator==(const Transpose&) const = default;
};

/// A cast on the way into DM, with the Cast Engine's conversions.
struct CommitCast {
  ScalarType from = ScalarType::f32, to = ScalarType::bf16;
  bool relu = false;  // what is negative becomes 0 before it

  bool operator==(const CommitCast&) const = default;
};

struct Commit {
  ScalarType type = ScalarType::i32;
  Sequencer write;
  std::int64_t commit_in_size = 0;  // leading bytes of each flit that are written
  bool pack_valid = false;
  std::optional<CommitCast> cast;  // to `type`

  bool operator==(const Commit&) const = default;
};

/// One way through the Tensor Unit. A stage that is not used is absent.
struct Exec {
  bool sub = false, dual = false;
  Units units;
  Fetch fetch;
  std::optional<Switch> switching;
  std::optional<Collect> collect;
  std::optional<Contraction> contraction;
  std::optional<Vector> vector;
  std::optional<Cast> cast;
  std::optional<Transpose> transpose;
  std::variant<Commit, TrfStore, VrfStore> sink;
  SliceSet writing;  // the slices of `units` whose sink writes

  bool operator==(const Exec&) const = default;
};

/// A loop that both sides of a DMA share, and the table of row numbers if there is one.
struct DmaLoop {
  std::int64_t size = 1, read_stride = 0, write_stride = 0, index_stride = 0;

  bool operator==(const DmaLoop&) const = default;
};
/// An address of a memory as DMA sees it. In DM the slices of a cluster lie one after the other, dma_slice_stride
/// apart, so that a stride may lead from slice to slice; `address` counts in slice `unit`. In SPM so do the PEs,
/// dma_pe_stride apart, and `unit` is a PE.
struct DmaSide {
  Memory memory = Memory::Hbm;
  std::int32_t chip = 0, cluster = 0, unit = 0;
  std::int64_t address = 0;

  bool operator==(const DmaSide&) const = default;
};
/// Rows by number: each packet's address on one side moves on by `row_stride` for each `key_step` of the i32 that is
/// at `table`, moved on by the loops' index strides.
struct DmaIndex {
  DmaSide table;
  bool scatter = false;  // the written address moves, else the read one
  std::int64_t row_stride = 0;
  std::int64_t rows = 0;      // of the table: a number that names none of them is refused
  std::int64_t key_step = 1;  // 1: numbers of rows; more: offsets in bytes

  bool operator==(const DmaIndex&) const = default;
};
/// Packets from `read` to `write`: packet_bytes at the sum of the loops' strides, on both sides.
struct DmaDescriptor {
  std::int32_t engine = 0;  // that works on it: those of chip 0 first, in each those of cluster 0
  DmaSide read, write;
  std::vector<DmaLoop> loops;
  std::int64_t packet_bytes = 0;
  std::optional<DmaIndex> index;

  bool operator==(const DmaDescriptor&) const = default;
};
/// Descriptors of one engine run in their order, those of different engines at the same time. Host memory below the
/// packet limit holds zeros.
struct Dma {
  bool pcie = false;
  bool parallel_copy = false;  // the sub context copies DM to DM, each slice for itself, and no DMA engine works
  std::vector<DmaDescriptor> descriptors;

  bool operator==(const Dma&) const = default;
};

/// Immediate to SRAM: one word to DM, at every address of a walk, in all slices. A write may be a part of the word:
/// byte a of DM gets byte a % 4 of it, lowest first.
struct Itos {
  Units units;
  std::int64_t address = 0;  // of the first write
  std::uint32_t word = 0;
  std::int64_t bytes = 4;   // of each write: 1, 2 or 4
  std::vector<Loop> loops;  // over writes

  bool operator==(const Itos&) const = default;
};

/// The writes of an Itos as a walk, each of them a packet.
inline Sequencer walk_of(const Itos& fill) {
  Sequencer walk{fill.loops, fill.address, fill.bytes, 1, 1, 0};
  for (const Loop& loop : fill.loops) walk.packets *= loop.size;
  return walk;
}

/// Bytes of a memory that a command touches, the same in all its units; begin <= touched < end. Those of TRF count all
/// rows: row bytes times rows.
struct Range {
  Memory memory = Memory::Dm;
  Units units;
  std::int64_t begin = 0, end = 0;
  std::int64_t buffer_begin = 0, buffer_end = 0;  // of the tensor in DM that they belong to; 0, 0: of none

  Interval bytes() const { return {Bytes{begin}, Bytes{end}}; }
  bool operator==(const Range&) const = default;
};

struct Command {
  std::variant<Exec, Dma, Itos> what;
  Resources resources = 0;
  std::vector<Range> reads, writes;
  std::int32_t debug = -1;  // into Debug::commands

  bool operator==(const Command&) const = default;
};

struct Table {
  ScalarType from = ScalarType::i8, to = ScalarType::i8;
  std::vector<std::uint32_t> bits;

  bool operator==(const Table&) const = default;
};

/// What is there before the program runs, or is read after it: the same address on every chip.
struct Region {
  Memory memory = Memory::Hbm;  // in DM: of each slice of each cluster
  std::int64_t address = 0, bytes = 0;
  std::int32_t debug = -1;  // into Debug::tensors

  bool operator==(const Region&) const = default;
};

// The debug section: names, mappings and source lines, for people. No executor reads it.

/// Where something was written in the kernel.
struct SourceLine {
  std::string file, function;
  std::uint32_t line = 0, column = 0;

  bool operator==(const SourceLine&) const = default;
};
/// The mapping of one level of a tensor, as the text form has it between its brackets.
struct DebugLevel {
  std::string level, mapping;

  bool operator==(const DebugLevel&) const = default;
};
struct DebugTensor {
  std::string name;  // empty: the kernel gave it none, and its source line tells none
  ScalarType type = ScalarType::i32;
  Memory memory = Memory::Hbm;
  std::vector<DebugLevel> levels;  // Element, and the others that have more than one position
  std::int64_t bytes = 0;          // of one chip's HBM, one slice's DM, and so on
  std::int32_t at = -1;            // into Debug::lines

  bool operator==(const DebugTensor&) const = default;
};
struct DebugAxis {
  std::string name;
  std::int64_t size = 1;

  bool operator==(const DebugAxis&) const = default;
};
/// One iteration of a region that the kernel names.
struct DebugRegion {
  std::string name;
  std::int64_t index = 0;

  bool operator==(const DebugRegion&) const = default;
};
struct DebugStage {
  std::string name;      // as the text form of the IR names it
  std::string shape;     // of the stream after it
  std::int32_t at = -1;  // into Debug::lines

  bool operator==(const DebugStage&) const = default;
};
/// What a command is in the kernel. Numbers count in Debug::tensors, regions and lines.
struct DebugCommand {
  std::string name;
  std::int32_t at = -1;
  std::vector<std::int32_t> sources;
  std::optional<std::int32_t> destination, rows;  // rows: the index tensor of a gather or scatter
  std::optional<std::int32_t> region;
  std::vector<DebugStage> stages;  // of a pass, in the order of settings_of (print.hpp)

  bool operator==(const DebugCommand&) const = default;
};
struct Debug {
  std::vector<SourceLine> lines;
  std::vector<DebugTensor> tensors;
  std::vector<DebugAxis> axes;
  std::vector<DebugRegion> regions;
  std::vector<DebugCommand> commands;

  bool operator==(const Debug&) const = default;
};

struct Program {
  std::string name;
  std::string chip;  // the device that it was made for
  std::int32_t chips = 1;
  NumericModel numeric = NumericModel::rngd;
  std::vector<Table> tables;
  std::vector<Command> commands;
  std::vector<std::int32_t> barriers;  // commands before which a loop that is kept begins, goes on or ends, ascending
  std::vector<std::int32_t> loops;     // commands before which such a loop is entered, ascending; once for each loop
  std::vector<Region> arguments, results;
  Debug debug;

  bool operator==(const Program&) const = default;
};

}  // namespace tcp::program
