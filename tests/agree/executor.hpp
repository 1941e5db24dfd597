// Whoever can run a program of the corpus. The corpus is run once through each of them, and each is compared with the oracle; the next one to come is a
// class like `Reference` and a line in `executors()`.
#pragma once

#include <memory>
#include <string>

#include "program.hpp"
#include "tcp/ir/verify.hpp"

namespace tcp::agree {

class Executor {
 public:
  virtual ~Executor() = default;
  virtual const char* name() const = 0;
  /// False of a program that says nothing about this executor.
  virtual bool wants(const Program&) const { return true; }
  /// Runs a program that ir::verify accepted as `verified`. `check`: an undefined value that decides a live result is refused, else it counts as zero.
  virtual Ran run(const Program& program, const ir::Verified& verified, bool check) const = 0;
  /// False of a machine that knows bytes: where a relabelling names padding, it may find a value instead of nothing.
  virtual bool knows_names() const { return true; }
  /// More about an element that differs, for the search for the reason.
  virtual std::string explain(const Program&, std::size_t /*result*/, const Index&) const { return {}; }
};

std::vector<std::unique_ptr<Executor>> executors();

/// Empty if all is well, or if lowering names a limit of the hardware; else what is wrong.
std::string encoding_fault(const Program& program);

}  // namespace tcp::agree
