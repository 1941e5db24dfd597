// A module that is run with arrays from files: what it wants, what it is given, what it returns.
#pragma once

#include <string>
#include <vector>

#include "tcp/exec/reference/run.hpp"
#include "tcp/exec/reference/value.hpp"
#include "tcp/io/npy.hpp"
#include "tcp/ir/module.hpp"
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

/// What an array for a tensor must be.
struct Wanted {
  std::string name;
  ScalarType type = ScalarType::i32;
  std::vector<reference::Value::Axis> axes;  // outermost level first

  io::Extents shape() const;
};
Wanted wanted_for(const ir::Module& module, ir::TensorId id);

/// `x: i32 (8, 512), A = 8, B = 512`
std::string in_words(const Wanted& wanted);

/// Refused: another shape.
Expected<reference::Value> to_value(const Wanted& wanted, const io::Array& array, const std::string& file);

/// Whole numbers from -8 to 7, of floating-point types their eighths: every type but f4e2m1 holds them exactly, and
/// sums of them do not depend on the order. Random elements; those of f4e2m1 are any of its values.
reference::Value random_value(const Wanted& wanted, std::uint64_t seed);

/// The elements as they lie in memory, ready to be written.
std::vector<std::byte> to_memory(const reference::Value& value);

/// `A = 3, B = 0`: the coordinates of the i-th element.
std::string place_in_words(const reference::Value& value, std::int64_t i);

/// The first few elements; `?` for those that are undefined.
std::string first_elements(const reference::Value& value);

}  // namespace tcp::tool
