// Fits the numbers of a timing model to measured calls: those of Device::planned to the plans of the vendor's
// scheduler, those of Device::calibrated to spans of a chip.
//
// A number is fitted where the calls tell it: at least two of them depend on it, noticeably, and no other number, nor
// several together, would change their times in the same way. All others stay as they are, and Fit says why. What is
// made small is the sum of the squares of log(predicted / measured), by steps of Gauss and Newton with bounds; the same
// calls always give the same numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tcp/device/device.hpp"
#include "tcp/program/program.hpp"
#include "tcp/sched/calibrated.hpp"

namespace tcp::sched {

/// A call of a kernel, all rounds of it, and what it was seen to take.
struct MeasuredCall {
  std::string name, at;
  std::vector<const program::Command*> commands;  // of which it is made
  Cycles cycles{};
};

struct FittedNumber {
  std::string key;  // in its group of a chip file
  std::int64_t before = 0, after = 0;
};
struct NumberLeftAlone {
  std::string key;
  std::string why;    // with the numbers that it cannot be told apart from
  bool used = false;  // whether a call depends on it at all
};
struct FittedCall {
  std::string name, at;
  Cycles measured{}, before{}, after{};
};

struct Fit {
  Device device;  // with the fitted numbers, which count as assumed
  std::vector<FittedNumber> fitted;
  std::vector<NumberLeftAlone> left_alone;
  std::vector<FittedCall> calls;             // the worst first
  double error_before = 0, error_after = 0;  // the mean of |log(predicted / measured)|
};

/// Calls that take no time are not used. Refused: a command that the model refuses.
Expected<Fit> fit(const std::vector<MeasuredCall>& calls, const Device& device, Figures figures);

}  // namespace tcp::sched
