// Schedules, which say when each command begins and ends, and the simulated machine: programs that no compiler would have written.
// no kernels: programs and schedules are made by the compiler, or by hand as the page does
#include "refuse_test.hpp"
#include "sim_programs.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/sched/book.hpp"
#include "tcp/sched/schedule.hpp"

using namespace tcp;

// # sim-dma-outside
// In the addresses that DMA sees, the slices of a cluster are one after the other, with gaps: a slice holds less than the distance to the next. A descriptor that
// writes into a gap writes nowhere.
// run time only: it depends on the program
namespace sim_dma_outside {
// error[sim-dma-outside]: a descriptor writes 64 bytes at address 524256 of DM, unit 0, where there is no memory; help: lower the program again for the chip it runs on
REFUSED_AT_RUN_TIME {
  program::DmaDescriptor d;
  d.write.memory = program::Memory::Dm;
  d.write.address = rngd.dm.slice_capacity.value - 32;
  d.packet_bytes = 64;
  program::Program p = sim_programs::of({});
  p.commands[0] = {};
  p.commands[0].what = program::Dma{false, false, {d}};
  p.commands[0].resources = bit(program::Resource::TensorDma);
  sim::Machine machine(rngd, 1);
  (void)machine.submit(p);
  return machine.run().refusal();
}
}  // namespace sim_dma_outside

// # sim-flow
// Every engine of a pass is told what its stream looks like. Here the fetch brings one packet, and the commit waits for two: such a program was not made by
// lowering, or it was damaged.
// run time only: it depends on the program
namespace sim_flow {
// error[sim-flow]: command 0, commit: packets do not agree with what comes in, 2 against 1; help: lower the program again
REFUSED_AT_RUN_TIME {
  program::Exec e = sim_programs::copy_flit(0, 4096);
  auto& commit = std::get<program::Commit>(e.sink);
  commit.write.packets = 2;
  commit.write.loops = {{2, 32}};
  sim::Machine machine(rngd, 1);
  return machine.submit(sim_programs::of(e)).refusal();
}
}  // namespace sim_flow

// # sim-hazard
// Nothing on the chip keeps a command from reading what another one has not written yet: the schedule must. The machine looks at every pair of commands that
// run at the same time, or that run in another order than the program has them, and compares the bytes they touch.
// run time only: it depends on the schedule
namespace sim_hazard {
// error[sim-hazard]: command 1 starts at cycle 5 and reads what the other still has to write: command 0, from 0 to 10, DM bytes 4096 to 4128; help: schedule the program again; if that gives the same, send us the program
REFUSED_AT_RUN_TIME {
  program::Program const p = sim_programs::chain(true);
  sim::Machine machine(rngd, 1);
  (void)machine.submit(p, sim_programs::starting_at(p, {0, 5}));
  return machine.run().refusal();
}
}  // namespace sim_hazard

// # sim-no-such-memory
// The host fills and reads memories of a machine by address. An address that the chip does not have is a mistake of the program around the machine.
// run time only: it depends on the machine
namespace sim_no_such_memory {
// error[sim-no-such-memory]: the host asks for 4 bytes at address 524288 of chip 0; the machine has 1 chips, and this memory 524288 bytes; help: ask for bytes that are there
REFUSED_AT_RUN_TIME {
  sim::Machine machine(rngd, 1);
  std::byte word[4]{};
  return machine.write(program::Memory::Dm, 0, rngd.dm.slice_capacity.value, word).refusal();
}
}  // namespace sim_no_such_memory

// # sim-other-schedule
// A schedule names the commands of a program by their numbers. With another program it means nothing.
// run time only: it depends on the program
namespace sim_other_schedule {
// error[sim-other-schedule]: a schedule of 0 commands comes with a program of 2; help: schedule this program
REFUSED_AT_RUN_TIME {
  program::Program const p = sim_programs::chain();
  sim::Machine machine(rngd, 1);
  return machine.submit(p, program::Schedule{}).refusal();
}
}  // namespace sim_other_schedule

// # sim-packet-not-snooped
// Each slice has a router on the ring of the switch. It takes the packets of the slices that its bitmap names, and no others; a route that leads to another slice
// was not made for this bitmap.
// run time only: it depends on the program
namespace sim_packet_not_snooped {
// error[sim-packet-not-snooped]: slice 1 puts out a packet of slice 1, which its router does not take; help: lower the program again: its bitmaps and routes do not belong together
REFUSED_AT_RUN_TIME {
  program::Exec e = sim_programs::copy_flit(0, 4096, 2);
  program::Switch s;
  s.topology = program::Topology::CustomBroadcast;
  s.ring_size = 2;
  s.of_slice = {{2, 1, 0, 2}};
  s.snoop.resize(2);
  s.snoop[0].insert(0);  // slice 1 takes nothing
  e.switching = s;
  sim::Machine machine(rngd, 1);
  (void)machine.submit(sim_programs::of(e));
  return machine.run().refusal();
}
}  // namespace sim_packet_not_snooped

// # sim-resource-twice
// The main context, the sub context, the tensor-DMA queue, the PCIe DMA and the Vector Engine do one thing at a time.
// run time only: it depends on the schedule
namespace sim_resource_twice {
// error[sim-resource-twice]: command 1 starts at cycle 5 on a resource that command 0 has until 10; help: schedule the program again
REFUSED_AT_RUN_TIME {
  program::Program p = sim_programs::chain();
  p.commands[1].reads.clear();  // and no hazard would keep them apart
  sim::Machine machine(rngd, 1);
  (void)machine.submit(p, sim_programs::starting_at(p, {0, 5}));
  return machine.run().refusal();
}
}  // namespace sim_resource_twice

// # sim-too-few-chips
// All chips of a program run at the same time, so a machine must have as many as the program was made for.
// run time only: the number of chips belongs to the program
namespace sim_too_few_chips {
// error[sim-too-few-chips]: a program for 4 chips is submitted to a machine that has 2; help: make a machine with 4 chips
REFUSED_AT_RUN_TIME {
  program::Program p = sim_programs::of(sim_programs::copy_flit(0, 4096));
  p.chips = 4;
  sim::Machine machine(rngd, 2);
  return machine.submit(p).refusal();
}
}  // namespace sim_too_few_chips

// # sim-trf-full
// The chip `logical` is not held to sizes, so that short listings run. The simulated register file still has as many banks as a chip, and no more.
// run time only: it depends on the program
namespace sim_trf_full {
// error[sim-trf-full]: a store fills each of 1 Rows of the TRF up to byte 65568; a Row has 65536; help: store fewer weights at a time
REFUSED_AT_RUN_TIME {
  program::Exec e = sim_programs::copy_flit(0, 4096);
  program::TrfStore store;
  store.row_base = 1 << 16;
  store.row_bytes = 32;
  e.fetch.stored = e.fetch.type = ScalarType::bf16;
  e.fetch.packet_elements = 16;
  e.sink = store;
  program::Program p = sim_programs::of(e);
  p.chip = logical.name.s;
  sim::Machine machine(logical, 1);
  (void)machine.submit(p);
  return machine.run().refusal();
}
}  // namespace sim_trf_full

// # sched-command-too-long
// Sizes of a configuration multiply. A chip would work for days on what is refused here; more likely a size is wrong.
// run time only: it depends on the program
namespace sched_command_too_long {
// error[sched-command-too-long]: a command takes 4503599627370496 cycles or more; the schedule counts commands of fewer than 17592186044416; help: divide the command, or look for a loop whose size is wrong
REFUSED_AT_RUN_TIME {
  program::Exec e;
  e.fetch.read.packets = std::int64_t{1} << 40;
  e.fetch.read.accesses_per_packet = 4096;
  program::Program p;
  p.commands.resize(1);
  p.commands[0].what = e;
  p.commands[0].resources = bit(program::Resource::Main);
  return sched::schedule(p, rngd, sched::BookDuration(rngd)).refusal();
}
}  // namespace sched_command_too_long

// # sched-no-queue
// Every command is queued for a context or a DMA, and runs when its turn comes. One that occupies none of them has no place in a schedule; lowering always gives
// one, so that such a program was written by hand or is damaged.
// run time only: it depends on the program
namespace sched_no_queue {
// error[sched-no-queue]: command 0 occupies neither a context nor a DMA queue; help: set its resources, as lowering does
REFUSED_AT_RUN_TIME {
  program::Program p;
  p.commands.resize(1);
  return sched::schedule(p, rngd, sched::BookDuration(rngd)).refusal();
}
}  // namespace sched_no_queue

// # sched-program-too-long
// The commands of a program add up. Where their sum is beyond 64 bits, no start or end could be told.
// run time only: it depends on the program
namespace sched_program_too_long {
struct Endless : sched::Duration {
  std::string_view name() const override { return "endless"; }
  Expected<program::Cost> cost(const program::Command&, std::size_t) const override {
    program::Cost c;
    c.streaming = Cycles{std::int64_t{1} << 62};
    return c;
  }
};
// error[sched-program-too-long]: the 2 commands together take more cycles than a schedule counts; help: divide the program
REFUSED_AT_RUN_TIME {
  program::Program p;
  p.commands.resize(2);
  for (program::Command& c : p.commands) c.resources = bit(program::Resource::Main);
  return sched::schedule(p, rngd, Endless()).refusal();
}
}  // namespace sched_program_too_long

// # sched-unknown-model
// A timing model has a name. `book` is the closed forms of the book, `calibrated` those with what chips showed, `planned` with what the vendor's planner expects; models that advance memories cycle by cycle belong to the simulator.
// run time only: the name is text that a user gives
namespace sched_unknown_model {
// error[sched-unknown-model]: there is no timing model 'exact'; help: write book, calibrated or planned
REFUSED_AT_RUN_TIME { return sched::duration_named("exact", rngd).refusal(); }
}  // namespace sched_unknown_model
