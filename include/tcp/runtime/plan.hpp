// When each command of a program runs, by a timing model that is chosen by its name, and the trace of that.
//
// `book`, `planned` and `calibrated` know how long a command takes by itself, and the scheduler does the rest;
// `detailed` runs commands side by side, request by request. A caller of plan() need not know which is which.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "tcp/sched/schedule.hpp"
#include "tcp/sim/detailed.hpp"
#include "tcp/trace/trace.hpp"

namespace tcp {

inline constexpr std::string_view timing_models[] = {"book", "planned", "calibrated", "detailed"};

struct PlanOptions {
  std::string_view model = "book";
  bool reorder =
      false;  // commands may be taken in another order that keeps every hazard; not with `detailed`, which runs them as they come
  /// Asked now and then by a model that takes its time; `false` ends it, and the plan is not complete.
  std::function<bool(std::size_t ended, std::size_t of)> go_on{};
  /// What commands are taken by before any reordering; `detailed` knows program order alone.
  sched::Order order = sched::Order::of_model;
};

/// Models other than `detailed` leave channels and banks empty.
using Plan = sim::DetailedRun;

/// Refused: a model that there is not, and what the model refuses.
Expected<Plan> plan(const program::Program& program, const Device& device, const PlanOptions& options = {});

/// Makes the plan one that was given up when only these commands had run: the others take no time.
void cut_short(Plan& plan, const std::vector<bool>& ran);

/// With the text of the source lines, as far as their files are at hand.
trace::Trace trace_of(const program::Program& program, const Plan& plan, const Device& device);

}  // namespace tcp
