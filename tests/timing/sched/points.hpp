// What others saw of programs that tests/timing/points has: lengths of commands and of kernels, planned and on chips, and the sign of changes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tcp/device/device.hpp"
#include "tcp/program/program.hpp"

namespace tcp::accuracy {

enum class Seen { Plan, Chip };

/// Figures of one program, by one mechanism. Programs that were measured several times have the median.
struct Point {
  std::string mechanism, program, what;
  bool makespan = false;  // else of its last command
  std::map<Seen, std::vector<double>> figures;

  std::optional<double> figure(Seen seen) const;
};
struct Change {
  std::string mechanism, before, after, what;  // programs
  bool command = false;                        // their last ones are compared, else the whole programs
  Seen seen = Seen::Plan;
  double cycles = 0;  // from before to after
};

const std::vector<Point>& points();
const std::vector<Change>& changes();

/// What our model of plans, or of chips, makes of a point.
double ours(const Point& point, Seen seen, const Device& device);
/// The length of what changes, before and after.
std::pair<double, double> ours(const Change& change, const Device& device);

/// Whether the models agree with a change: in its sign; of one below 1 % of its program, that they say less than 2 %.
bool agrees(const Change& change, const Device& device);

/// The mean of |log(ours / theirs)|, and the share of changes that agree.
double mean_error(Seen seen, const Device& device);
/// The mean error of predictions: each mechanism's rows by numbers that were fitted to the rows of all others, from the device's own on. A number that no other row
/// tells stays what its source says.
double mean_error_without_mechanism(Seen seen, const Device& device);
double changes_right(Seen seen, const Device& device);

}  // namespace tcp::accuracy
