// Who runs a recorded kernel: an interpreter, or a compiler with a simulated chip. All give the same tensors.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "tcp/dsl/session.hpp"
#include "tcp/ir/verify.hpp"

namespace tcp {

/// What a backend keeps of a module between two runs of it: a program, a plan.
class Keepsake {
 public:
  virtual ~Keepsake() = default;
};

struct RunOptions {
  bool check = true;                          // refuse results that undefined values decide; without it those are zero
  bool kernel = true;                         // false: an upload or download of the host, whose time belongs to no kernel
  std::unique_ptr<Keepsake>* kept = nullptr;  // of this module and this backend; null: it will not be run again
  std::function<void(std::size_t done, std::size_t of)> on_progress;
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string_view name() const = 0;
  /// The tensors of the module are all placed. Images come and go in the order of its arguments and results.
  virtual Expected<Images> run(const ir::Verified& module, const Images& arguments, const RunOptions& options) = 0;
};

}  // namespace tcp
