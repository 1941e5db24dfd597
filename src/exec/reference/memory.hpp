// The memories of a run: each tensor's value, and what views see of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tcp/exec/reference/run.hpp"

namespace tcp::reference {

class Memory {
 public:
  explicit Memory(const ir::Module& module) : module_(module), held_(module.tensors.size()) {}

  Value read(ir::TensorId id);
  /// What a tensor holds, with every axis that it counts: to be changed in part.
  Value read_to_change(ir::TensorId id);
  void write(ir::TensorId id, const Value& value);
  /// Writes a tensor that is no view, as it is.
  void set(ir::TensorId id, Value value) { held_[id] = std::move(value); }

  /// Notes that a value is undefined, and why; elements carry the number of the note.
  Origin note(std::string what);
  const std::vector<Note>& notes() const { return notes_; }

  Where at{};  // the line of the kernel that is being run

 private:
  Value read_view(const ir::Tensor& t);

  const ir::Module& module_;
  Indexed<std::optional<Value>, ir::TensorId> held_;  // by tensor; views hold nothing
  std::vector<Note> notes_;
};

}  // namespace tcp::reference
