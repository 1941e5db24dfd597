// Runs the modules of module_builder.hpp in the reference interpreter, demands the same of the vector interpreter, and has the small things that such tests need: numbers, indices, operands.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "module_builder.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/exec/reference/image.hpp"
#include "tcp/exec/reference/run.hpp"
#include "tcp/exec/vector/run.hpp"
#include "tcp/mapping/view.hpp"
#include "tcp/scalar/scalar.hpp"
#include "tcp/support/random.hpp"
#include "tcp/support/render.hpp"

// The vector interpreter on what a test has just run in the reference interpreter: every test of a module is a test of both.

namespace tcp::build {

namespace detail {

inline bool has_image(const ir::Module& module, ir::TensorId id) {
  Memory const memory = module.tensor(id).memory;
  return memory == Memory::Hbm || memory == Memory::Dm || memory == Memory::Host;
}

inline std::string difference(const Expected<reference::Outcome>& wanted, const Images& wanted_images, const Expected<Images>& images) {
  if (!wanted || !images) {
    std::string const want = wanted ? "accepted" : render(wanted.refusal()), got = images ? "accepted" : render(images.refusal());
    return want == got ? "" : "the vector interpreter says:\n" + got + "\nthe reference interpreter:\n" + want;
  }
  for (std::size_t r = 0; r < images->size(); ++r) {
    const Image &image = *wanted_images[r], &found = *(*images)[r];
    if (image.size() != found.size()) return "an image of another size";
    if (image == found) continue;
    for (std::size_t i = 0; i < image.size(); ++i)
      if (image[i] != found[i]) {
        std::ostringstream says;
        says << "byte " << i << " of result " << r << " is " << std::to_integer<int>(found[i]) << " in the vector interpreter, "
             << std::to_integer<int>(image[i]) << " in the reference interpreter";
        return says.str();
      }
  }
  return {};
}

}  // namespace detail

/// What goes into a module and what the reference interpreter makes of it, as bytes. None if a tensor among them lies where nobody brings bytes.
struct RunImages {
  Images arguments, results;

  static std::optional<RunImages> of(const ir::Module& module, const std::vector<reference::Value>& arguments,
                                     const Expected<reference::Outcome>& wanted) {
    for (const auto* list : {&module.arguments, &module.results})
      for (ir::TensorId id : *list)
        if (!detail::has_image(module, id)) return {};
    auto const image = [&](const reference::Value& v, ir::TensorId id) {
      return std::make_shared<const Image>(reference::to_image(v, module.levels(module.tensor(id))));
    };
    RunImages made;
    for (std::size_t i = 0; i < arguments.size(); ++i) made.arguments.push_back(image(arguments[i], module.arguments[i]));
    for (std::size_t i = 0; wanted && i < wanted->results.size(); ++i) made.results.push_back(image(wanted->results[i], module.results[i]));
    return made;
  }
};

/// Empty if the vector interpreter gives the same bits, or the same refusal, with one and with two threads, by the best instructions and by plain ones.
inline std::string difference_from_vector(const ir::Verified& verified, const RunImages& images, const Expected<reference::Outcome>& wanted,
                                          bool check) {
  for (int way = 0; way < 3; ++way) {
    vector::Options options;
    options.check = check;
    options.threads = way == 1 ? 2 : 1;
    options.portable = way == 2;
    std::string const says = detail::difference(wanted, images.results, vector::run(verified, images.arguments, options));
    if (!says.empty()) return says;
  }
  return {};
}

using reference::Value;

/// Who else looks at what was run: every_path.cpp, if it is linked in. Throws if it disagrees. Without images nobody else but the reference interpreter has run it.
inline void (*looked_at_by)(const ir::Verified&, const RunImages* images, const Expected<reference::Outcome>& wanted, bool check) = nullptr;

/// Verifies for a device and runs. Throws if the two interpreters disagree.
inline Expected<reference::Outcome> tried(const ir::Module& module, std::vector<Value> arguments, const Device& device = rngd,
                                          const reference::Options& options = {}) {
  auto const verified = ir::verify(module, device);
  if (!verified) return verified.refusal();
  auto outcome = reference::run(*verified, arguments, options);
  auto const images = RunImages::of(module, arguments, outcome);
  if (images) {
    std::string const differs = difference_from_vector(*verified, *images, outcome, options.check);
    if (!differs.empty()) throw std::runtime_error(differs);
  }
  if (looked_at_by != nullptr) looked_at_by(*verified, images ? &*images : nullptr, outcome, options.check);
  return outcome;
}
/// The results of a module that must run.
inline std::vector<Value> results_of(const ir::Module& module, std::vector<Value> arguments, const Device& device = rngd) {
  auto const outcome = tried(module, std::move(arguments), device);
  if (!outcome) throw std::runtime_error(render(outcome.refusal()));
  return outcome->results;
}
inline Value result_of(const ModuleBuilder& b, std::vector<Value> arguments, const Device& device = rngd) {
  return results_of(b.module, std::move(arguments), device).at(0);
}
/// The code of the refusal of a module that must not verify, or run.
inline std::string code_of(const ModuleBuilder& b, std::vector<Value> arguments = {}) {
  auto const outcome = tried(b.module, std::move(arguments));
  return outcome ? "accepted" : outcome.refusal().code;
}

/// {{"A", 3}, {"B", 4}}
inline Index at(std::initializer_list<std::pair<std::string_view, std::int64_t>> coordinates) {
  Index index;
  for (const auto& [axis, c] : coordinates) index.add(Name(axis), c);
  return index;
}
inline Value value(ScalarType type, std::initializer_list<std::pair<std::string_view, std::int64_t>> axes) {
  std::vector<Value::Axis> all;
  for (const auto& [axis, size] : axes) all.push_back({Name(axis), size});
  return Value(type, std::move(all));
}
/// Small whole numbers (and quarters of them, of floating-point types), so that sums of many are exact in any order.
inline Value random_value(ScalarType type, std::initializer_list<std::pair<std::string_view, std::int64_t>> axes, std::uint64_t seed) {
  Value v = value(type, axes);
  Random random(seed);
  for (std::int64_t i = 0; i < v.size(); ++i) {
    std::int64_t const n = random.between(-8, 8);
    float const quarters = static_cast<float>(n) / 4;
    v[i].bits = type == ScalarType::f32    ? f32::from_float(quarters).bits
                : type == ScalarType::bf16 ? bf16::from_float(quarters).bits
                                           : static_cast<std::uint32_t>(n) & scalar_mask(type);
  }
  return v;
}
inline std::int64_t whole(const reference::Element& e) { return static_cast<std::int32_t>(e.bits); }
inline std::int64_t byte(const reference::Element& e) { return static_cast<std::int8_t>(e.bits); }
inline float real(const reference::Element& e) { return f32::from_bits(e.bits).to_float(); }
inline float half(const reference::Element& e) { return bf16::from_bits(static_cast<std::uint16_t>(e.bits)).to_float(); }

inline ir::Operand constant(std::int32_t v, OperandGuard guard = {}) {
  return {{OperandKind::immediate, ScalarType::i32, guard, true, i32::from_int(v).bits}, ir::none};
}
inline ir::Operand constant(float v, OperandGuard guard = {}) {
  return {{OperandKind::immediate, ScalarType::f32, guard, true, f32::from_float(v).bits}, ir::none};
}
inline ir::Operand from_vrf(ir::TensorId id, ScalarType type = ScalarType::i32, OperandGuard guard = {}) {
  return {{OperandKind::vrf, type, guard, false, 0}, id};
}
inline ir::Operand from_stash(ScalarType type = ScalarType::i32) { return {{OperandKind::stash, type, {}, false, 0}, ir::none}; }
template <class Op>
ir::VectorOperation operation(Op op, std::vector<ir::Operand> operands = {}) {
  return {step_of(op), std::move(operands)};
}

/// `length` steps of a factor of a tensor's Element from `start` on, seen in place.
inline ir::TensorId tile_of(ModuleBuilder& b, ir::TensorId of, std::string_view dimension, std::int64_t length, std::int64_t start) {
  ir::Tensor t = b.module.tensor(of);
  ir::MapId const along = b.map(dimension);
  auto const seen = tile(b.module.map(t.element), b.module.map(along), length, start);
  if (!seen) throw std::invalid_argument(render(seen.refusal()));
  t.name += " tile";
  t.element = b.module.intern(seen->mapping);
  t.address.reset();
  t.role = ir::Role::temporary;
  t.view = ir::ViewOf{of, ir::ViewOf::Kind::tile, along, length, start};
  b.module.tensors.push_back(std::move(t));
  return ir::TensorId(b.module.tensors.size() - 1);
}

/// Lets two tensors take turns as the source of the last pass.
inline void interleave(ModuleBuilder& b, ir::TensorId second, std::string_view axis) {
  ir::Pass& p = std::get<ir::Pass>(b.module.commands.back().what);
  p.source.push_back(second);
  p.turns = Name(axis);
}

}  // namespace tcp::build
