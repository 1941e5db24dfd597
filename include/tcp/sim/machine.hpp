// A machine of simulated chips: it runs programs on bytes.
//
//   sim::Machine machine(device, chips);
//   machine.write(program::Memory::Hbm, chip, region.address, bytes);      // what the host fills in
//   machine.submit(std::move(program));
//   machine.run();                                                         // or step(), command by command
//   machine.read(program::Memory::Hbm, chip, region.address, result);
//
// It sees programs and the device, nothing of mappings or of the kernel that a program was made from. Every memory
// holds bytes, and for each half byte whether it was ever written: what is computed from undefined values is undefined,
// and the machine can say which command brought them in. A machine has no state outside of itself; as many as one likes
// run side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tcp/device/device.hpp"
#include "tcp/program/program.hpp"
#include "tcp/program/schedule.hpp"
#include "tcp/support/expected.hpp"
#include "tcp/support/version.hpp"

namespace tcp::sim {

struct Options {
  bool packet_by_packet =
      false;  // the switch moves every packet from router to router, instead of what its routes say at once: the same values, slower
};

/// What a step did.
struct Happened {
  std::int32_t program = 0, command = -1;            // programs count from the first that was submitted
  Cycles start{}, end{};                             // with a schedule
  std::int64_t undefined_in = 0, undefined_out = 0;  // undefined elements: fetched, and written
};

/// Looks on while a machine runs.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void before(const program::Program&, std::int32_t /*command*/) {}
  virtual void after(const program::Program&, const Happened&) {}
};

/// One of a chip's memories of a kind: the slice of a cluster that has a DM and a VRF, or the PE that has an SPM.
struct MemoryUnit {
  std::int64_t cluster = 0;
  std::int64_t number = 0;  // slice or PE
};

/// A half byte of a Row of TRF. With fewer Rows in use, each is longer.
struct TrfPlace {
  std::int64_t row = 0, rows = 1;
  std::int64_t first_half = 0;
};

class Machine {
 public:
  /// The device must outlive the machine.
  Machine(const Device& device, std::int64_t chips, Options options = {});
  ~Machine();
  Machine(Machine&&) noexcept;
  Machine& operator=(Machine&&) noexcept;

  /// A chip has one HBM, and the host one memory: `unit` is not looked at. What is written is defined.
  Verdict write(program::Memory memory, std::int64_t chip, std::int64_t address, std::span<const std::byte> bytes, MemoryUnit unit = {});
  /// What nothing has written reads as zero.
  Verdict read(program::Memory memory, std::int64_t chip, std::int64_t address, std::span<std::byte> bytes, MemoryUnit unit = {}) const;
  /// Whether any of these half bytes, counted from address 0 of the memory, is undefined.
  bool any_undefined(program::Memory memory, std::int64_t chip, std::int64_t first_half, std::int64_t halves, MemoryUnit unit = {}) const;
  /// Elements of a Row of TRF, each of so many half bytes; none: undefined. Those beyond the end of the Row are left
  /// out.
  std::vector<std::optional<std::uint32_t>> read_trf(std::int64_t chip, MemoryUnit unit, TrfPlace first, int halves,
                                                     std::int64_t elements) const;
  /// From here on these half bytes count as never written.
  void undefine(program::Memory memory, std::int64_t chip, std::int64_t first_half, std::int64_t halves, MemoryUnit unit = {});

  /// Puts a program after those that wait. Refused: one that was made for another chip, or whose records contradict one
  /// another.
  Verdict submit(program::Program program);
  /// Submits a program that is to run in the order of a schedule. Refused, when it runs: a command that uses a resource
  /// or bytes that another one still has.
  Verdict submit(program::Program program, program::Schedule schedule);

  bool done() const;
  /// Runs the next command. Where none waits: Happened::command is -1.
  Expected<Happened> step();
  /// Runs all that was submitted. The place in a refusal, of a step too, points into a text that the machine keeps.
  Verdict run();

  /// The observer must outlive the machine, or be taken away again.
  void observe(Observer& observer);
  void forget(Observer& observer);

  /// Which command of the programs submitted so far was the last to write a byte; none: Happened::command is -1.
  Happened last_writer(program::Memory memory, std::int64_t chip, std::int64_t address, MemoryUnit unit = {}) const;
  const program::Program& program(std::int32_t number) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tcp::sim
