// Builds modules for tests from the book's notation: b.dm("a", ScalarType::bf16, "I / 32, J / 32", "I % 32, K", 0).
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "tcp/ir/module.hpp"
#include "tcp/mapping/parse.hpp"

namespace tcp::build {

class ModuleBuilder {
 public:
  explicit ModuleBuilder(std::string_view axes, std::int64_t chips = 1) : axes_(*parse_axes(axes)) { module.chips = chips; }

  ir::Module module;
  std::string cluster = "1 # 2", chip = "1";

  ir::MapId map(std::string_view text) {
    auto const m = parse(text, axes_);
    if (!m) throw std::invalid_argument(std::string(m.refusal().sentence().view()));
    return module.intern(*m);
  }

  ir::TensorId hbm(std::string name, ScalarType type, std::string_view element, std::int64_t address, ir::Role role = ir::Role::temporary) {
    ir::Tensor t = tensor(std::move(name), Memory::Hbm, type, element, address, role);
    if (role == ir::Role::argument) module.arguments.push_back(next());
    if (role == ir::Role::result) module.results.push_back(next());
    return add(std::move(t));
  }
  ir::TensorId dm(std::string name, ScalarType type, std::string_view slice, std::string_view element, std::int64_t address) {
    return add(in_slices(tensor(std::move(name), Memory::Dm, type, element, address, ir::Role::temporary), slice));
  }
  ir::TensorId vrf(std::string name, ScalarType type, std::string_view slice, std::string_view element, std::int64_t address) {
    return add(in_slices(tensor(std::move(name), Memory::Vrf, type, element, address, ir::Role::temporary), slice));
  }
  ir::TensorId trf(std::string name, ScalarType type, std::string_view slice, std::string_view row, std::string_view element,
                   TrfAddress where = TrfAddress::Full) {
    ir::Tensor t = in_slices(tensor(std::move(name), Memory::Trf, type, element, 0, ir::Role::temporary), slice);
    t.address.reset();
    t.row = map(row);
    t.trf = where;
    return add(std::move(t));
  }

  void move(ir::TensorId from, ir::TensorId to) {
    ir::Transfer t;
    t.source = from;
    t.destination = to;
    module.commands.emplace_back().what = std::move(t);
  }

  /// A pass over one DM tensor; stages are added to what it returns.
  class PassBuilder {
   public:
    PassBuilder(ModuleBuilder& builder, Tu context, ir::TensorId source) : builder_(builder) {
      const ir::Tensor& t = builder.module.tensor(source);
      pass_.context = context;
      pass_.source = {source};
      shape_ = {t.type, t.chip, t.cluster, t.slice, {}, {}, t.element};
    }
    template <class What>
    PassBuilder& stage(What what) {
      pass_.stages.push_back({std::move(what), shape_, {}});
      return *this;
    }
    /// The stream behind the next stages.
    PassBuilder& time(std::string_view t) { return shape_.time = builder_.map(t), *this; }
    PassBuilder& packet(std::string_view p) { return shape_.packet = builder_.map(p), *this; }
    PassBuilder& slice(std::string_view s) { return shape_.slice = builder_.map(s), *this; }
    PassBuilder& type(ScalarType t) { return shape_.type = t, *this; }
    ir::MapId map(std::string_view text) { return builder_.map(text); }
    template <class Sink>
    void into(Sink sink) {
      stage(std::move(sink));
      builder_.module.commands.push_back({std::move(pass_), {}, ir::none});
    }

   private:
    ModuleBuilder& builder_;
    ir::Pass pass_;
    ir::Shape shape_;
  };
  PassBuilder main(ir::TensorId source) { return {*this, Tu::Main, source}; }
  PassBuilder sub(ir::TensorId source) { return {*this, Tu::Sub, source}; }

 private:
  ir::TensorId next() const { return module.tensors.next(); }
  ir::TensorId add(ir::Tensor t) { return module.tensors.add(std::move(t)); }
  ir::Tensor tensor(std::string name, Memory memory, ScalarType type, std::string_view element, std::int64_t address, ir::Role role) {
    ir::Tensor t;
    t.name = std::move(name);
    t.memory = memory;
    t.type = type;
    t.chip = map(chip);
    t.element = map(element);
    t.address = address;
    t.role = role;
    return t;
  }
  ir::Tensor in_slices(ir::Tensor t, std::string_view slice) {
    t.cluster = map(cluster);
    t.slice = map(slice);
    return t;
  }

  Axes axes_;
};

}  // namespace tcp::build
