// Keeps what a machine's memories hold after each command, for the trace: the bytes of the ranges that the command
// writes, as long as there is room, a digest of all of them, and the first number that is not finite.
//
// It reads bytes at addresses that the program names, and knows nothing of mappings; which element a byte belongs to is
// worked out by those who show the trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tcp/program/program.hpp"
#include "tcp/sim/machine.hpp"
#include "tcp/trace/trace.hpp"

namespace tcp {

class ValueRecorder {
 public:
  /// `room`: bytes that are kept in all.
  ValueRecorder(const sim::Machine& machine, std::int64_t room) : machine_(machine), room_(room) {}

  /// Before the first command.
  void arguments(const program::Program& program);
  void after(const program::Program& program, std::size_t command);
  const std::vector<trace::Values>& all() const { return all_; }

 private:
  /// One memory with the bytes that are looked at.
  struct Place {
    program::Memory memory = program::Memory::Hbm;
    std::int64_t chip = 0;
    sim::MemoryUnit unit{};
    std::int32_t row = -1, rows = 1;  // of TRF
    std::int64_t begin = 0, end = 0;
  };
  struct Contents {
    std::vector<std::byte> bytes;
    std::vector<bool> undefined;  // by half byte; empty: none is
  };

  Contents read(const Place& place, const ScalarType* type) const;
  void look_at(const Place& place, const ScalarType* type);
  void keep(const Place& place, const Contents& contents);
  void finish(std::int32_t command);

  const sim::Machine& machine_;
  std::int64_t room_;
  std::vector<trace::Values> all_;
  trace::Values now_;
  std::uint64_t digest_ = 0;
};

}  // namespace tcp
