// What a schedule must not let happen: two commands at once that take one resource, or of which one writes bytes that
// the other touches; and a command that comes before one it must follow.
#pragma once

#include "tcp/device/device.hpp"
#include "tcp/program/schedule.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::sim {

/// The commands of a program in the order in which a schedule starts them, looked at one by one.
class HazardWatch {
 public:
  /// The device must outlive it.
  HazardWatch(const Device& device, const program::Program& program, const program::Schedule& schedule);

  /// By start; of those that start together, in program order.
  const std::vector<std::int32_t>& order() const { return order_; }
  /// Whether a command may start now. Commands must be asked for in their order.
  Verdict start(std::int32_t command);

 private:
  Verdict check_pair(std::int32_t running, std::int32_t command) const;
  bool share_a_resource(std::int32_t running, std::int32_t command) const;

  const Device& device_;
  const program::Program& program_;
  const program::Schedule& schedule_;
  std::vector<std::int32_t> order_;
  std::vector<std::int32_t> running_;  // may have ended
  std::vector<bool> started_;
  std::size_t first_waiting_ = 0;  // all before it, in program order, have started
};

/// Whether two ranges share a byte.
bool overlap(const program::Range& a, const program::Range& b);

}  // namespace tcp::sim
