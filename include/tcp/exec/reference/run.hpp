// The meaning of a kernel: runs a module command by command, over whole tensors.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tcp/exec/reference/value.hpp"
#include "tcp/ir/verify.hpp"

namespace tcp::reference {

struct Options {
  bool check = true;  // say when undefined values decide a live result; without it they are zero
  std::function<void(std::size_t done, std::size_t of)> on_progress;
};

/// Where an undefined value came from.
struct Note {
  std::string what;
  Where at{};
};

struct Outcome {
  std::vector<Value> results;  // in the order of Module::results
  std::vector<Note> notes;     // what Element::undefined − 1 counts
};

/// `arguments` come in the order of Module::arguments.
/// Refused, if `options.check`: a result that holds an element decided by an undefined value.
Expected<Outcome> run(const ir::Verified& module, std::vector<Value> arguments, const Options& options = {});

}  // namespace tcp::reference
