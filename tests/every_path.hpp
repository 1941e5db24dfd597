// One claim, every path: a module is verified, run by both interpreters, lowered, followed by the walker and run on the simulated chip, and all must agree. What the
// running test has checked this way is written down under the ids in its name, for scripts/claims.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "tcp/device/device.hpp"
#include "tcp/exec/reference/run.hpp"
#include "tcp/ir/module.hpp"

namespace tcp::paths {

/// Where a claim can be false by itself. `rules`: the verifier and the type checker, which ask the same rules.
enum class Path { rules, reference, vector, lowering, machine, cycles };
const char* name_of(Path path);

/// The running test checks its row on this path.
void note(Path path);
/// The paths that it has noted.
const std::set<Path>& noted();

/// The vector interpreter, the walker and the machine on what the reference interpreter has just run. Throws std::runtime_error where one disagrees. A program that
/// does not lower is left to those who test the limits.
void follow(const ir::Verified& verified, const std::vector<reference::Value>& arguments, const Expected<reference::Outcome>& wanted,
            bool check);

/// Verifies and runs everywhere, with numbers of its own for the arguments: 1, 2, 3, ... of each type, in the order of the tensor's axes. Returns the results. Throws if it is refused,
/// and where two disagree. A program that does not lower is left to those who test the limits.
std::vector<reference::Value> on_every_path(const ir::Module& module, const Device& device);

/// Numbers for an argument: 1, 2, 3, ... as far as its type has them; then from the beginning.
reference::Value numbered(const ir::Module& module, ir::TensorId id);

/// A module of commands alone as a program: what is read before it is written is an argument, what is left written a result. Nothing if it reads registers that no
/// command fills.
std::optional<ir::Module> as_a_whole(const ir::Module& as_it_stands);

}  // namespace tcp::paths
