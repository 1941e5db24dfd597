// A run or a plan of a program, as the report, the comparison and the viewer need it, with no other file at hand.
//
// A Trace is plain records. What many commands share (source lines, settings of the engines, sets of slices) is in
// a list once, and is spoken of by its number, `none` for nothing; commands, too, go by their number in program order.
// Cycles are those of the core clock from the start of the program; a command runs in [start, end). With the edges and
// the length of each command the schedule can be worked out again (replay). docs/trace.md describes the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tcp/support/units.hpp"

namespace tcp::trace {

/// Counts up whenever a reader of the former version would not understand it.
inline constexpr std::int64_t version = 4;
inline constexpr const char* format = "tcp-trace";
inline constexpr std::int32_t none = -1;

/// A line of the kernel.
struct Source {
  std::string file, function;
  std::int64_t line = 0, column = 0;
  std::string text;  // the line itself; empty if the file was not at hand

  bool operator==(const Source&) const = default;
};

/// An iteration that the kernel marked: `ctx.region("tile", 3)`.
struct Region {
  std::string name;
  std::int64_t index = 0;

  bool operator==(const Region&) const = default;
};

/// What a memory holds: `bytes` in each of `units` of a chip.
struct Capacity {
  std::string memory;
  Bytes bytes{};
  std::int64_t units = 1;

  bool operator==(const Capacity&) const = default;
};

/// An axis that mappings name.
struct Axis {
  std::string name;
  std::int64_t size = 1;

  bool operator==(const Axis&) const = default;
};

/// How the chip is made, as far as a picture of it or another schedule asks for it.
struct Geometry {
  std::int64_t clusters = 1, slices = 1;  // of a chip, of a cluster
  std::int64_t dma_engines = 0;           // of a chip
  std::int64_t dm_banks = 0;              // of a slice; neighbouring rows lie in neighbouring banks
  Bytes dm_row{};
  std::int64_t bank_limit = 0;  // accesses in a row to one bank of DM that commands side by side stay below; 0: no limit
  std::int64_t channels = 0;    // of HBM
  std::vector<std::int64_t>
      channel_bits;               // by bit of an address: the channel of the address that has this bit alone; others by exclusive or
  std::int64_t rows = 0;          // of the Contraction Engine of a slice; 0: unknown
  std::int64_t hbm_mb_per_s = 0;  // that all channels of a chip move together; 0: unknown

  bool operator==(const Geometry&) const = default;
};

/// The accesses in a row that a command makes to each bank of DM.
struct BankRuns {
  std::vector<std::int64_t> runs;

  bool operator==(const BankRuns&) const = default;
};

/// Who takes part, as sets of numbers: "0-63,128".
struct Units {
  std::string chips, clusters, slices;

  bool operator==(const Units&) const = default;
};

/// How one engine is set, and why; or another fact that has a name.
struct Setting {
  std::string name, text, why;
  std::int32_t source = none;  // of a stage: the line that calls it, where the kernel is at hand

  bool operator==(const Setting&) const = default;
};

/// Born with the start of the first command that touches it, gone with the end of the last; arguments and results live
/// throughout.
struct Tensor {
  std::string name, memory;
  std::string mapping;  // with the type, as people write it
  std::string role;     // "argument", "result", or nothing
  std::int64_t begin = 0, end = 0;
  std::int32_t units = none, source = none;
  std::int32_t first = none, last = none;
  Cycles born{}, gone{};
  std::vector<Setting> details{};  // of an imported trace: what else its file says of the tensor

  bool operator==(const Tensor&) const = default;
};

/// How the engines of a command are set; commands that are set alike share it. Stages have the mapping of the stream
/// after each.
struct Configuration {
  std::vector<Setting> stages, settings;

  bool operator==(const Configuration&) const = default;
};

/// Cycles by engine or by cause.
struct Part {
  std::string name;
  Cycles cycles{};

  bool operator==(const Part&) const = default;
};

/// The command may start when `from` has ended. Kinds: "resource", "raw", "war", "waw", "starvation", "barrier".
struct Edge {
  std::string kind;
  std::int32_t from = none;
  std::string on;                   // the resource, or the memory
  std::int64_t begin = 0, end = 0;  // the bytes that both touch; "starvation": the bank, and the accesses in a row

  bool operator==(const Edge&) const = default;
};

/// Bytes of a memory that a command touches.
struct Range {
  std::string memory;
  std::int64_t begin = 0, end = 0;
  std::int32_t units = none, tensor = none;

  bool operator==(const Range&) const = default;
};

/// What a transfer asks of the memories, for the rules of findings.hpp. `x_of` is how many of x the chip has.
struct DmaFacts {
  Bytes bytes{};
  Bytes run{};     // bytes in a row at a time
  Bytes unit{};    // that HBM moves at a time; 0: it takes no part
  Cycles ideal{};  // were all engines and channels at their full rate
  std::int64_t descriptors = 0;
  std::int64_t engines = 0, engines_of = 0;
  std::int64_t stacks = 0, stacks_of = 0;
  std::int64_t channels = 0, channels_of = 0;
  std::int64_t requests = 0, row_switches = 0, partial_writes = 0;  // of HBM
  std::string engine_set{};                                         // which engines, counted through chips: "0-3"
  std::int64_t copies = 1;                                          // how often each byte is moved
  Cycles one_copy{};                                                // if it moved one copy and a pass made the others; 0: it would not help
  Cycles in_order{};       // if HBM were walked in the order of its addresses; 0: unknown, or it would not help
  Cycles both_dmns{};      // if both DMNs of each pair took part; 0: unknown, or it would not help
  Cycles both_clusters{};  // if the other cluster moved as much at the same time; 0: unknown, or it would take no longer
  Cycles dealt{};          // of streaming, if rows of one unit were dealt out over slices; 0: they are, or it would not help

  bool operator==(const DmaFacts&) const = default;
};

/// How much of the Tensor Unit a pass uses.
struct PassFacts {
  std::int64_t clusters = 0, clusters_of = 0;
  std::int64_t slices = 0, slices_of = 0;
  std::int64_t rows = 0, rows_of = 0;    // of the Contraction Engine; 0: it takes no part
  Bytes packet_bytes{}, flit_bytes{};    // of a packet what is data, and what the flits carry
  std::int64_t lanes = 0, lanes_of = 0;  // of a Row, what is multiplied at a time
  std::int64_t longest_bank_run = 0;     // accesses in a row to one bank of DM
  Cycles ideal{};                        // were all flits full and had all multipliers data
  std::int64_t outputs = 0;              // packets that each slice writes
  std::int64_t table = 0;                // entries of the table that its fetch looks values up in
  bool computable = false;               // what the table holds could be computed: the fetch has a cast for it
  Cycles computed{};                     // that the Vector Engine would take for it; 0: the cast is enough
  bool moves = false;                    // it computes nothing: values only change their place
  std::int64_t multiply_adds = 0;        // of all its slices, clusters and chips together

  bool operator==(const PassFacts&) const = default;
};

/// Law: end - start = startup + streaming + all stalls.
struct Command {
  std::string name;
  std::vector<std::int32_t> resources;  // its own queue first
  std::string queues{};                 // of those that the tensor DMA has, a set; empty: there is one
  std::int32_t configuration = none, source = none, region = none;
  std::int32_t bank_runs = none;  // none: it leaves DM alone, or there is no limit
  /// The column of its call, where it is another than that of its source; where the last call of its chain is written.
  std::int64_t column = 0, last_line = 0, last_column = 0;
  std::string index{};          // of an imported trace: what its file calls the command, beside its name
  std::int32_t cluster = none;  // of an imported trace: the one that was watched
  Cycles start{}, end{};
  Cycles startup{}, streaming{};
  Cycles of_program{};        // of the start-up: what the program takes before its first command and after its last
  std::vector<Part> stalls;   // by cause
  std::vector<Part> engines;  // what each would take alone
  std::string slowest;        // engine
  std::vector<Edge> after;
  std::int32_t binding = none;  // into `after`: the edge that set the start
  Cycles slack{};               // by how much the end may move before the makespan does
  bool critical = false;
  std::vector<Range> reads, writes;
  std::optional<DmaFacts> dma;
  std::optional<PassFacts> pass;

  Cycles length() const { return end - start; }
  bool operator==(const Command&) const = default;
};

/// What one of many like units did: an HBM channel, a DM bank.
struct Usage {
  std::string group, name;
  Cycles busy{};
  Bytes bytes{};
  std::int64_t requests = 0, conflicts = 0;  // conflicts: row switches of a channel, lost arbitrations of a bank

  bool operator==(const Usage&) const = default;
};

/// A number without a published source that the cycles rest on.
struct Assumption {
  std::string name, value, source;

  bool operator==(const Assumption&) const = default;
};

/// A tensor that the host moved over PCIe after the kernel before and before this one. Its time is no part of the
/// makespan.
struct HostTransfer {
  std::string direction;  // "upload" or "download"
  std::string tensor;     // its name; empty if it has none
  Bytes bytes{};
  Cycles cycles{};
  std::int32_t source = none;

  bool operator==(const HostTransfer&) const = default;
};

/// Bytes that one memory, or several that hold the same, had after a command.
struct HeldBytes {
  std::string memory;
  std::int64_t chip = 0, cluster = 0;
  std::string slices;       // a set; of SPM, PEs; empty: HBM and the host have none
  std::int32_t row = none;  // of TRF: the Row, whose bytes count from 0
  std::int64_t begin = 0;
  std::string data;       // base64
  std::string undefined;  // base64, a bit for each half byte, the lowest first; empty: all of it is defined

  bool operator==(const HeldBytes&) const = default;
};

/// The first number of a command that is infinite or none at all.
struct NotFinite {
  std::string text;  // "NaN", "infinity" or "-infinity"
  std::string memory;
  std::int64_t chip = 0, cluster = 0, slice = 0;
  std::int32_t row = none;
  std::int64_t byte = 0;   // its address
  std::int64_t count = 0;  // how many the command wrote

  bool operator==(const NotFinite&) const = default;
};

/// What memories held after a command, in the ranges that it writes.
struct Values {
  std::int32_t command = none;   // none: before the first, of the arguments
  std::string digest;            // of all bytes: equal contents have equal ones
  std::int64_t left_out = 0;     // bytes that were too many to keep
  std::vector<HeldBytes> parts;  // what was kept
  std::optional<NotFinite> not_finite;

  bool operator==(const Values&) const = default;
};

/// One of several kernels that ran one after the other. Its commands and tensors are those from here to the next.
struct Launch {
  std::string name, hash;       // of the program
  std::int32_t command = none;  // takes no time, and is over when the launch begins
  std::int32_t tensor = 0;
  Cycles cycles{};
  Cycles transfer_cycles{};  // of the host's transfers before it
  Bytes transfer_bytes{};
  std::vector<Axis> axes;  // another launch may call others by the same names

  bool operator==(const Launch&) const = default;
};

struct Trace {
  std::string tool;     // that wrote it, with its version
  std::string program;  // name of the kernel
  std::string hash;     // of what the chip is given: equal programs have equal ones
  std::string chip, model;
  std::int64_t chips = 1, core_mhz = 0;
  std::int64_t ticks_per_cycle = 0;  // of the counter that chips are measured with; 0: unknown
  std::string imported;              // what it was imported from: "schedule", "spans"; empty: it is our own
  std::vector<Setting> facts;        // of an imported trace: what else its file says, and what was left out
  bool complete = true;              // false: the run was interrupted, and this is what was done
  Cycles makespan{};
  Cycles gained{};           // by reordering, against program order
  std::vector<Part> bounds;  // what no schedule of the same commands can be shorter than
  std::vector<Part> path;    // where the cycles of the critical path went
  std::vector<Assumption> assumptions;
  std::vector<Capacity> capacities;
  std::optional<Geometry> geometry;
  std::vector<Axis> axes;
  std::vector<std::string> resources;
  std::vector<Source> sources;
  std::vector<Region> regions;
  std::vector<Units> units;
  std::vector<Tensor> tensors;
  std::vector<Configuration> configurations;
  std::vector<BankRuns> bank_runs;
  std::vector<Usage> usage;
  std::vector<HostTransfer> host_transfers;  // in the order of the host's calls, one after the other
  std::string order_by;                      // what commands were taken by: "program", "ready", "shorter"; empty: it is not said
  std::vector<std::int32_t> order;           // in which commands were taken; empty: program order
  std::vector<std::int32_t> critical_path;
  std::vector<Values> values;    // in the order in which commands ran; empty: they were not asked for
  std::vector<Launch> launches;  // of several kernels; empty: there is one
  std::vector<Command> commands;

  bool operator==(const Trace&) const = default;
};

}  // namespace tcp::trace
