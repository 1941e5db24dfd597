// Runs modules on every path. Whatever tests run by run_module.hpp goes through the compiler and the machine as well; whatever they lower by lower_module.hpp is run.
#include "every_path.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "lower_module.hpp"
#include "run_module.hpp"
#include "tcp/exec/reference/image.hpp"
#include "tcp/exec/reference/run.hpp"
#include "tcp/ir/place.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/runtime/simulate.hpp"
#include "walker/walker.hpp"

namespace tcp::paths {
namespace {

struct RefusedModule : std::runtime_error {
  explicit RefusedModule(const Refusal& r) : std::runtime_error(render(r)), code(r.code) {}
  std::string code;
};

/// Beyond so many places a test of another thing would take long.
constexpr std::int64_t most_places = std::int64_t{1} << 24;

void walk(const ir::Verified& placed, const program::Program& program) {
  if (walker::work(placed) > most_places) return;
  walker::Walked const walked = walker::walk(placed, program);
  if (!walked.says.empty()) throw std::runtime_error("the walker disagrees with lowering: " + walked.says);
  note(Path::lowering);
}

/// Which bits of an image belong to elements: padding is whatever the chip leaves there.
Image live_bits(const reference::Value& like, const Levels& levels) {
  reference::Value all = like;
  for (std::int64_t i = 0; i < all.size(); ++i) all[i] = {scalar_mask(all.type), 0};
  return reference::to_image(all, levels);
}

void compare(const ir::Module& module, const reference::Outcome& outcome, const Images& wanted, const Images& found) {
  for (std::size_t r = 0; r < found.size(); ++r) {
    Image const live = live_bits(outcome.results[r], module.levels(module.tensor(module.results[r])));
    const Image &got = *found[r], &want = *wanted[r];
    for (std::size_t i = 0; i < want.size(); ++i)
      if ((got[i] & live[i]) != (want[i] & live[i]))
        throw std::runtime_error("byte " + std::to_string(i) + " of result " + std::to_string(r) + " is " +
                                 std::to_string(std::to_integer<int>(got[i])) + " on the machine, " +
                                 std::to_string(std::to_integer<int>(want[i])) + " in the reference interpreter");
  }
}

void run_on_machine(const ir::Verified& placed, const program::Program& program, const build::RunImages& images,
                    const Expected<reference::Outcome>& wanted, bool check) {
  const ir::Module& module = placed.module();
  SimulateOptions options;
  options.check = check;
  auto const found = simulate(module, placed.device(), program, images.arguments, options);
  if (!wanted || !found) {
    std::string const want = wanted ? "accepted" : wanted.refusal().code, got = found ? "accepted" : found.refusal().code;
    if (want != got) throw std::runtime_error("the machine says " + got + ", the reference interpreter " + want);
  } else {
    compare(module, *wanted, images.results, *found);
  }
  note(Path::machine);
}

void follow(const ir::Verified& verified, const build::RunImages* images, const Expected<reference::Outcome>& wanted, bool check) {
  note(Path::rules);
  note(Path::reference);
  if (images != nullptr) note(Path::vector);  // run_module.hpp has compared it
  auto const placed = ir::placed(verified);
  if (!placed) return;
  auto const program = lower::lower(*placed);
  if (!program) return;
  walk(*placed, *program);
  if (images != nullptr) run_on_machine(*placed, *program, *images, wanted, check);
}

std::vector<reference::Value::Axis> axes_of(const Levels& levels) {
  std::vector<reference::Value::Axis> axes;
  for (Level l : {Level::chip, Level::cluster, Level::slice, Level::element})
    for (int a = 0; a < levels[l].axes; ++a) {
      const auto& axis = levels[l].axis[a];
      bool const known = std::any_of(axes.begin(), axes.end(), [&](const auto& each) { return each.name == axis.name; });
      if (!known) axes.push_back({axis.name, axis.extent});
    }
  return axes;
}

}  // namespace

reference::Value numbered(const ir::Module& module, ir::TensorId id) {
  const ir::Tensor& t = module.tensor(id);
  Levels const levels = module.levels(t);
  reference::Value v(t.type, axes_of(levels));
  int const bits = scalar_info(t.type).bits;
  for (std::int64_t i = 0; i < v.size(); ++i) {
    std::int64_t const n = 1 + i % (bits <= 4 ? 7 : bits < 16 ? 100 : 200);
    auto const real = static_cast<float>(n);
    switch (t.type) {
      case ScalarType::f32: v[i].bits = f32::from_float(real).bits; break;
      case ScalarType::bf16: v[i].bits = bf16::from_float(real).bits; break;
      case ScalarType::f16: v[i].bits = f16::from_float(real).bits; break;
      default: v[i].bits = static_cast<std::uint32_t>(n) & scalar_mask(t.type); break;
    }
  }
  return v;
}

std::vector<reference::Value> on_every_path(const ir::Module& module, const Device& device) {
  // A test may ask for one module many times.
  static std::map<std::string, std::pair<std::vector<reference::Value>, std::set<Path>>> done;
  auto& [results, paths] = done[ir::print(module) + std::string(device.name.view())];
  for (Path p : paths) note(p);
  if (!paths.empty()) return results;
  std::vector<reference::Value> arguments;
  for (ir::TensorId id : module.arguments) arguments.push_back(numbered(module, id));
  auto const outcome = build::tried(module, std::move(arguments), device);
  if (!outcome) throw RefusedModule(outcome.refusal());
  results = outcome->results;
  paths = noted();
  return results;
}

namespace {

/// How many elements the tensors have.
std::int64_t elements(const ir::Module& module, const std::vector<ir::TensorId>& ids) {
  std::int64_t all = 0;
  for (ir::TensorId id : ids) {
    std::int64_t each = 1;
    for (const auto& axis : axes_of(module.levels(module.tensor(id)))) each *= axis.size;
    all += each;
  }
  return all;
}

}  // namespace

std::optional<ir::Module> as_a_whole(const ir::Module& as_it_stands) {
  ir::Module module = as_it_stands;
  auto const lasts = [](const ir::Tensor& t) { return t.memory == Memory::Dm || t.memory == Memory::Hbm; };
  std::set<ir::TensorId> written;
  for (const ir::Command& c : module.commands) {
    for (ir::TensorId id : ir::read_by(c)) {
      ir::TensorId const root = module.root_of(id);
      ir::Tensor& t = module.tensors[root];
      if (written.contains(root) || t.role == ir::Role::argument) continue;
      if (!lasts(t)) return {};
      t.role = ir::Role::argument;
      module.arguments.push_back(root);
    }
    for (ir::TensorId id : ir::written_by(c)) written.insert(module.root_of(id));
  }
  for (ir::TensorId id : written) {
    ir::Tensor& t = module.tensors[id];
    if (!lasts(t) || t.role == ir::Role::argument || t.role == ir::Role::result) continue;
    t.role = ir::Role::result;
    module.results.push_back(id);
  }
  return module;
}

namespace {

/// Large modules, and those with a part of a result that nothing writes, are of no use as a whole, and are left alone.
void on_every_path_as_it_stands(const ir::Module& as_it_stands, const Device& device) {
  auto const whole = as_a_whole(as_it_stands);
  if (!whole) return;
  const ir::Module& module = *whole;
  constexpr std::int64_t most = std::int64_t{1} << 18;
  if (module.results.empty() || elements(module, module.arguments) + elements(module, module.results) > most) return;
  try {
    on_every_path(module, device);
  } catch (const RefusedModule& r) {
    if (r.code != "exec-undefined-result") throw;
  }
}

const bool installed = (build::looked_at_by = &follow, build::run_by = &on_every_path_as_it_stands, true);

}  // namespace

}  // namespace tcp::paths
