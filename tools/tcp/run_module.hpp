// A module run on values by one of the interpreters or on the simulated chip: the same elements, the same ones
// undefined.
#pragma once

#include <string>
#include <vector>

#include "tcp/exec/reference/run.hpp"
#include "tcp/program/schedule.hpp"
#include "tcp/runtime/options.hpp"

namespace tcp::tool {

struct PlanLine {
  std::size_t command = 0;  // as many as there are commands: at the end
  std::string words;
};

/// How the simulated chip is to run it, and what it leaves beside the values.
struct DeviceHow {
  const Device* device = nullptr;
  std::string model = "book";
  bool reorder = false;
  std::string trace;    // a file; empty: none
  bool values = false;  // that commands write go into the trace, as far as there is room
  program::Schedule* schedule = nullptr;
};

struct RunHow {
  bool check = true;
  BackendKind backend = BackendKind::vector;  // where arguments or results lie outside HBM and the host, `reference` stands in for `vector`
  int terminal = -1;                          // takes the progress of long runs
  std::vector<PlanLine>* plan = nullptr;
  DeviceHow device;
};

Expected<reference::Outcome> run_module(const ir::Verified& module, std::vector<reference::Value> arguments, const RunHow& how);

}  // namespace tcp::tool
