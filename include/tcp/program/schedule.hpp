// When each command of a program runs, what it waited for, and what its cycles went into.
//
// A Schedule belongs to one Program and speaks of its commands by their number. It is a record: the scheduler makes it,
// the machine and the reports read it, and with the edges and the costs alone it can be worked out again. Cycles are
// those of the core clock, from the start of the program; a command runs in [start, end). An edge says that `to` may
// start when `from` has ended, and why.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tcp/program/program.hpp"
#include "tcp/support/units.hpp"

namespace tcp::program {

/// The parts of the chip whose cycles are counted one by one.
enum class Engine : std::uint8_t {
  Fetch,
  Switch,
  Collect,
  Contraction,  // flits and TRF rows in
  Reducer,      // accumulators out
  Vector,
  Cast,
  Transpose,
  Commit,
  TrfStore,
  VrfStore,
  Dma,  // the slowest DMA engine
  Hbm,  // the slowest channel
  Pcie,
  Itos
};

/// Why a command that runs does not stream at the rate of its source.
enum class Stall : std::uint8_t {
  Engine,        // a later engine of the pass is slower than the fetch: Cost::slowest
  TrfBank,       // a TRF read and a store meet in a bank
  DmBank,        // accesses meet in a bank of DM
  Dmn,           // one DMN has half the rate of a DMA engine
  HbmChannel,    // too few channels take part
  HbmRow,        // rows are switched
  PartialWrite,  // HBM units are read, changed and written
  SharedMedium,  // reads and writes take turns
  Pcie,          // the way between chips and to the host
  Broadcast,     // engines that read the same bytes of HBM wait for each other
  Starvation,    // others took the banks
  Table,         // a lookup table, or that of a custom switch, is written first
  Lag            // cluster 1 has not ended what the command reads
};

struct EngineCycles {
  Engine engine = Engine::Fetch;
  Cycles cycles{};

  bool operator==(const EngineCycles&) const = default;
};
struct StallCycles {
  Stall cause = Stall::Engine;
  Cycles cycles{};

  bool operator==(const StallCycles&) const = default;
};

/// What a command takes by itself. Law: total() is how long it runs; every stall is more than 0 and no cause is
/// twice.
struct Cost {
  Cycles startup{};    // before the first data moves, and the fill of the pipeline
  Cycles streaming{};  // what its source alone would take
  std::vector<StallCycles> stalls;
  std::vector<EngineCycles> engines;  // of each engine that takes part, were it alone
  Engine slowest = Engine::Fetch;     // the one that sets the pace
  Cycles of_program{};                // of the start-up: what the program takes before its first command and after its last

  Cycles total() const {
    Cycles sum = startup + streaming;
    for (const StallCycles& s : stalls) sum += s.cycles;
    return sum;
  }
  bool operator==(const Cost&) const = default;
};

enum class EdgeKind : std::uint8_t {
  None,        // of a binding edge: the command starts with the program
  Resource,    // both occupy it, one at a time
  Raw,         // reads what was written
  War,         // writes what was read
  Waw,         // writes what was written
  Starvation,  // together they would hold a DM bank for too long
  Barrier      // a loop that is not unrolled is between them
};

struct Edge {
  EdgeKind kind = EdgeKind::None;
  std::int32_t from = -1, to = -1;
  Resource resource = Resource::Main;  // Resource
  Memory memory = Memory::Dm;          // Raw, War, Waw: a stretch of bytes that both touch; Starvation: DM
  std::int64_t begin = 0, end = 0;     // Starvation: the bank, and the accesses in a row

  bool operator==(const Edge&) const = default;
};

/// Law: start is the end of binding.from, or 0 without one; end - start = cost.total(). Slack is by how much the end
/// may move, all edges kept, before the makespan does.
struct Scheduled {
  Cycles start{}, end{};
  Cost cost;
  Resources resources = 0;  // what it occupies: those of the command, and TensorDma if it would starve DMA
  Edge binding;
  Cycles slack{};

  bool operator==(const Scheduled&) const = default;
};

/// What no schedule of the same commands can be shorter than.
struct Bounds {
  Cycles hbm{};         // bytes of HBM at its full rate
  Cycles dm{};          // bytes of DM, slice by slice
  Cycles multiplies{};  // multiply-adds at the full rate of the Contraction Engine
  Cycles chain{};       // the longest chain of data dependences
  Cycles order{};       // any order of the commands, where it is the scheduler's choice

  bool operator==(const Bounds&) const = default;
};

/// Where the cycles of the critical path went. Law: the parts sum up to the makespan.
struct PathTotals {
  Cycles startup{}, streaming{};
  std::vector<StallCycles> stalls;

  bool operator==(const PathTotals&) const = default;
};

/// In which order commands were taken.
enum class OrderKind : std::uint8_t {
  Program,  // as they are written
  Ready,    // as they became ready; among those that were, as they are written
  Shorter   // another one that the scheduler found, and that is shorter
};

struct Schedule {
  std::string model;  // "book", "planned", "calibrated", "detailed"
  std::string chip;
  std::int32_t assumptions = 0;     // numbers without a published source that the costs rest on
  std::vector<Scheduled> commands;  // by number
  OrderKind order_by = OrderKind::Program;
  std::vector<std::int32_t> order;  // in which they were taken
  std::vector<Edge> edges;  // by `to` in the order in which they were taken; every one that must hold, none that follows from others
  Cycles makespan{};
  std::vector<std::int32_t> critical_path;  // first to last; each but the first is bound by the one before
  PathTotals path;
  Bounds bounds;
  Cycles gained{};  // by reordering, against program order

  bool operator==(const Schedule&) const = default;
};

}  // namespace tcp::program
