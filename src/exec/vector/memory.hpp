// The tensors of a module while it runs: what each holds, and what views show of it.
#pragma once

#include <optional>
#include <string>

#include "exec/vector/chain.hpp"
#include "tcp/ir/module.hpp"

namespace tcp::vector {

/// Where an undefined value came from.
struct Note {
  std::string what;
  Where at{};
};

class Memory {
 public:
  Memory(const ir::Module& module, const How& how);

  /// Notes are made at the place of the command or stage at hand.
  Where at{};
  std::vector<Note> notes;
  Origin note(std::string what);

  /// What comes from outside.
  void fill(ir::TensorId id, Tensor t);
  Tensor read(ir::TensorId id);
  /// What is there, with every axis, as a copy of the caller's own.
  Tensor read_to_change(ir::TensorId id);
  void write(ir::TensorId id, Chain chain);
  void write(ir::TensorId id, const Tensor& t) { write(id, Chain(t)); }

  const std::vector<AxisSize>& axes(ir::TensorId id);
  const Levels& levels(ir::TensorId id);

 private:
  struct Known {
    Levels levels{};
    std::vector<AxisSize> axes;
    std::optional<View> view;
  };
  struct Held {
    std::optional<Tensor> tensor;
    bool own = false;  // each element at a place of its own, with every axis: fit to be written in part
  };

  const Known& known(ir::TensorId id);
  const View& view(ir::TensorId id);
  Tensor& held(ir::TensorId id);
  Tensor& held_to_change(ir::TensorId id);
  std::optional<Tensor> place_of(ir::TensorId id);
  Tensor shown(ir::TensorId id, const Tensor& behind);
  std::vector<std::vector<Stretch>> places_of(ir::TensorId id, const Tensor& to, const Chain& from);
  void write_shown(ir::TensorId id, Tensor to, const Chain& chain);

  const ir::Module& module_;
  How how_;
  Indexed<Held, ir::TensorId> held_;  // by tensor; views hold nothing
  Indexed<std::unique_ptr<Known>, ir::TensorId> known_;
};

}  // namespace tcp::vector
