// How ranks talk to each other: all call the same functions in the same order, and each waits for those that it hears
// from. World (world.hpp) has one over MPI; threads.hpp has one between the threads of a process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tcp::ranks {

/// A message to another rank. Of one exchange, a rank sends at most one to each.
struct Outgoing {
  int to = 0;
  std::span<const std::byte> bytes;
};
/// Room for a message from another rank: as many bytes as that one sends.
struct Incoming {
  int from = 0;
  std::span<std::byte> bytes;
};

class Wire {
 public:
  virtual ~Wire() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Returns when everything has arrived, and what was sent may be changed again.
  virtual void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) = 0;
  /// Puts in the place of each number the largest that any rank has there.
  virtual void largest(std::span<std::uint64_t> numbers) = 0;
};

}  // namespace tcp::ranks
