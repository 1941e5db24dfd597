// The timing model `detailed`: the commands of a program side by side, request by request and access by access.
//
// Commands advance along the scheduler's own edges: one starts when all that it must wait for have ended. While they
// run,
//   - a DMA engine starts a descriptor up, then asks for one request per cycle and writes what has come, in order;
//     reads and writes of one medium take turns. HBM answers by the model of hbm.hpp, DM by that of dm_banks.hpp. An
//     engine has no more requests under way than the queues of HBM hold for it; the next descriptor is started up when
//     the last request of the one before it has been sent;
//   - a pass fetches and commits, at most one access per cycle each, at the pace of its slowest engine. Its fetch is at
//     most one access ahead of that engine, and when a commit has not got its banks by the time the next one comes, the
//     whole pass halts;
//   - weights are read from the TRF as a contraction goes on, by the model of trf_banks.hpp, and flits that the other
//     context stores there wait for the banks that such reads occupy;
//   - an access that does not get its bank tries again in the next cycle.
// Alone, a pass takes what `book` says (one more cycle where it has no fill), and a DMA that much and the way of its
// data: opening a row, the last unit of HBM, the last beat of a DMN. Beyond that HBM is slower than the book's rate
// where units follow each other in one bank group.
//
// Accesses of the Tensor Unit never wait for DMA. So slices in which the same engines work behave alike, and one stands
// for all; DMA is followed in each slice. With `collapse` off every slice is followed on its own: the same result,
// slower.
//
// Not followed: banks of the VRF, and the tables of row numbers. Which rows a table names is not known
// without values: they are taken to be all rows, in order, as in `book`. Where chips have bases of their own, the first
// that takes part stands for all.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tcp/device/device.hpp"
#include "tcp/program/schedule.hpp"
#include "tcp/sim/hbm.hpp"
#include "tcp/support/expected.hpp"
#include "tcp/trace/trace.hpp"

namespace tcp::sim {

/// How far a run has come.
struct DetailedProgress {
  Cycles now{};
  std::int64_t ended = 0, commands = 0;
};

struct DetailedOptions {
  /// The 64-access rule: a command waits while it would, together with those that run, starve a DMA. Without it a DMA
  /// that gets no answer in time is refused.
  bool keep_banks_free = true;
  bool collapse = true;
  HbmOrder hbm_order = HbmOrder::fr_fcfs;
  /// Asked every few thousand cycles that were simulated; `false` ends the run.
  std::function<bool(const DetailedProgress&)> on_progress{};
};

/// What one bank of DM did, in all slices together.
struct DmBankUse {
  std::int64_t accesses = 0;
  std::int64_t lost = 0;  // cycles in which an access waited for it; counted with `collapse` only

  bool operator==(const DmBankUse&) const = default;
};

struct DetailedRun {
  program::Schedule schedule;
  /// False: it was ended. What ran then ends with the makespan, and what had not started takes no time.
  bool complete = true;
  std::vector<std::vector<HbmChannelStats>> hbm;  // by chip, channel by channel; empty for a chip whose HBM was not used
  std::vector<DmBankUse> banks;
};

/// Refused: what program::check refuses, a command that works in a context without occupying it, and a DMA that is
/// starved.
Expected<DetailedRun> run_detailed(const program::Program& program, const Device& device, const DetailedOptions& options = {});

/// Adds to the trace of the run's schedule what each channel of HBM and each bank of DM did.
void add_measured(const DetailedRun& run, const Device& device, trace::Trace& made);

}  // namespace tcp::sim
