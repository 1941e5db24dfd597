// Whoever can run a program of the corpus. The corpus is run once through each of them, and each is compared with the oracle; the next one to come is a
// class like `Reference` and a line in `executors()`.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "program.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/program/program.hpp"
#include "tcp/support/expected.hpp"
#include "tcp/support/image.hpp"

namespace tcp::agree {

/// A program that was accepted, and what its executors have in common: made when it is first asked for, and once.
class Task {
 public:
  Task(const Program& asked, const ir::Verified& accepted) : program(asked), verified(accepted) {}

  const Images& arguments() const;
  const Expected<program::Program>& lowered() const;
  /// The numbers of an image of a result; one with the bytes of the last image is not read again.
  const Numbers& read(std::size_t result, const std::shared_ptr<const Image>& image) const;

  const Program& program;
  const ir::Verified& verified;

 private:
  struct Read {
    std::shared_ptr<const Image> image;
    Numbers numbers;
  };

  mutable std::optional<Images> arguments_;
  mutable std::optional<Expected<program::Program>> lowered_;
  mutable std::vector<Read> read_;
};

class Executor {
 public:
  virtual ~Executor() = default;
  virtual const char* name() const = 0;
  /// False of a program that says nothing about this executor.
  virtual bool wants(const Program&) const { return true; }
  /// `check`: an undefined value that decides a live result is refused, else it counts as zero.
  virtual Ran run(const Task& task, bool check) const = 0;
  /// False of a machine that knows bytes: where a relabelling names padding, it may find a value instead of nothing.
  virtual bool knows_names() const { return true; }
  /// More about an element that differs, for the search for the reason.
  virtual std::string explain(const Program&, std::size_t /*result*/, const Index&) const { return {}; }
};

std::vector<std::unique_ptr<Executor>> executors();

/// Empty if all is well, or if lowering names a limit of the hardware; else what is wrong.
std::string encoding_fault(const Task& task);

}  // namespace tcp::agree
