// Runs modules, and reads and writes their arrays.
#include "module_run.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <sstream>
#include <thread>

#include "tcp/exec/reference/image.hpp"
#include "tcp/exec/reference/run.hpp"
#include "tcp/exec/vector/run.hpp"
#include "tcp/runtime/interrupt.hpp"
#include "tcp/runtime/simulate.hpp"
#include "tcp/scalar/cast.hpp"
#include "tcp/support/progress_line.hpp"
#include "tcp/support/random.hpp"
#include "tcp/trace/json.hpp"
#include "write_file.hpp"

namespace tcp::tool {
namespace {

/// An argument or result that has no image: it lies in SPM or in a register file.
std::optional<ir::TensorId> without_image(const ir::Module& module) {
  for (const auto* list : {&module.arguments, &module.results})
    for (ir::TensorId id : *list)
      if (Memory const m = module.tensor(id).memory; m != Memory::Hbm && m != Memory::Dm && m != Memory::Host) return id;
  return {};
}

Levels levels_of(const ir::Module& module, ir::TensorId id) { return module.levels(module.tensor(id)); }

/// Undefined elements as they are told of one by one, in the form in which the reference interpreter returns them.
class Undefined {
 public:
  /// An element as the vector interpreter or the machine describes it.
  void add(const auto& e) {
    if (notes.empty() || notes.back().what != e.what) notes.push_back({e.what, e.at});
    found_.push_back({e.result, e.element, static_cast<reference::Origin>(notes.size())});
  }
  void mark(std::vector<reference::Value>& results) const {
    for (const Found& f : found_) results[f.result].at(f.element) = {0, f.origin};
  }

  std::vector<reference::Note> notes;

 private:
  struct Found {
    std::size_t result;
    Index element;
    reference::Origin origin;
  };
  std::vector<Found> found_;
};

Images images_of(const ir::Module& module, const std::vector<reference::Value>& arguments) {
  Images images;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    images.push_back(std::make_shared<const Image>(reference::to_image(arguments[i], levels_of(module, module.arguments[i]))));
  return images;
}

reference::Outcome outcome_of(const ir::Module& module, const Images& images, Undefined undefined) {
  reference::Outcome outcome;
  for (std::size_t i = 0; i < images.size(); ++i) {
    ir::TensorId const id = module.results[i];
    outcome.results.push_back(reference::from_image(*images[i], module.tensor(id).type, levels_of(module, id)));
  }
  undefined.mark(outcome.results);
  outcome.notes = std::move(undefined.notes);
  return outcome;
}

Expected<reference::Outcome> run_fast(const ir::Verified& module, const std::vector<reference::Value>& arguments, vector::Options options) {
  Undefined undefined;
  options.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  options.on_undefined = [&](const vector::UndefinedElement& e) { undefined.add(e); };
  auto const out = vector::run(module, images_of(module.module(), arguments), options);
  if (!out) return out.refusal();
  return outcome_of(module.module(), *out, std::move(undefined));
}

Verdict write_trace(const trace::Trace& trace, const std::string& path) {
  std::ostringstream text;
  trace::write_json(trace, text);
  return write_file(path, text.view());
}

/// Bytes that a trace has room for: a page of them can still be sent by mail.
constexpr std::int64_t room_for_values = 16 << 20;

/// With a trace to be written, the first Ctrl-C only stops the run, so that the trace has what was done.
Expected<reference::Outcome> run_on_device(const ir::Verified& module, const std::vector<reference::Value>& arguments, const RunHow& how,
                                           SimulateOptions options) {
  Undefined undefined;
  options.check = how.check;
  options.model = how.device.model;
  options.reorder = how.device.reorder;
  options.on_undefined = [&](const UndefinedElement& e) { undefined.add(e); };
  options.on_schedule = [&](const program::Program&, const program::Schedule& s) { *how.device.schedule = s; };
  std::optional<InterruptWatch> watch;
  if (how.device.values) options.values = room_for_values;
  if (!how.device.trace.empty()) {
    watch.emplace();
    options.stop = InterruptWatch::asked;
    options.on_trace = [&](const trace::Trace& t) { return write_trace(t, how.device.trace); };
  }
  auto const out = simulate(module, images_of(module.module(), arguments), options);
  if (!out) return out.refusal();
  return outcome_of(module.module(), *out, std::move(undefined));
}

}  // namespace

Expected<reference::Outcome> run_module(const ir::Verified& verified, std::vector<reference::Value> arguments, const RunHow& how) {
  const ir::Module& module = verified.module();
  ProgressLine line(module.name, module.commands.size(), how.terminal);
  auto const on_progress = [&line](std::size_t done, std::size_t) { line.done(done); };
  auto const unreachable = without_image(module);
  if (how.backend == BackendKind::device) {
    if (unreachable)
      return refuse("tool-device-argument")
          .what(module.tensor(*unreachable).name.substr(0, 60), ", an argument or result of ",
                module.name.empty() ? "the module" : module.name.substr(0, 60), ", is in ", module.tensor(*unreachable).memory)
          .why("only tensors in HBM or DM outlive a kernel")
          .help("move it from or to HBM or DM with a command, or run it with --backend reference");
    SimulateOptions options;
    options.on_progress = on_progress;
    return run_on_device(verified, arguments, how, std::move(options));
  }
  if (how.backend == BackendKind::reference || unreachable) return reference::run(verified, std::move(arguments), {how.check, on_progress});
  vector::Options options;
  options.check = how.check;
  options.on_progress = on_progress;
  if (how.plan != nullptr)
    options.on_plan = [&how](std::size_t command, const std::string& words) { how.plan->push_back({command, words}); };
  return run_fast(verified, arguments, std::move(options));
}

}  // namespace tcp::tool

namespace tcp::tool {
namespace {

std::string number_in_words(ScalarType type, std::uint32_t bits) {
  if (is_integer(type)) return std::to_string(static_cast<std::int32_t>(scalar_cast_bits(type, ScalarType::i32, bits, NumericModel::ieee)));
  float const number = f32::from_bits(scalar_cast_bits(type, ScalarType::f32, bits, NumericModel::ieee)).to_float();
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}

std::uint32_t random_bits(ScalarType type, Random& random) {
  std::int64_t const number = random.between(-8, 7);
  auto const bits = static_cast<std::uint32_t>(number);
  if (type == ScalarType::f4e2m1) return bits & scalar_mask(type);
  if (is_integer(type)) return scalar_cast_bits(ScalarType::i32, type, bits, NumericModel::ieee);
  return scalar_cast_bits(ScalarType::f32, type, f32::from_double(static_cast<double>(number) / 8).bits, NumericModel::ieee);
}

}  // namespace

io::Extents Wanted::shape() const {
  io::Extents out;
  for (const reference::Value::Axis& a : axes) out.push_back(a.size);
  return out;
}

Wanted wanted_for(const ir::Module& module, ir::TensorId id) {
  const ir::Tensor& t = module.tensor(id);
  // A kernel that was recorded gives no names; its text has numbers instead.
  return {t.name.empty() ? "%" + std::to_string(id.number) : t.name, t.type, reference::axes_of(module.levels(t))};
}

std::string in_words(const Wanted& wanted) {
  std::string out = wanted.name + ": " + scalar_info(wanted.type).name + " " + io::shown_shape(wanted.shape());
  for (const reference::Value::Axis& a : wanted.axes) out += std::string(", ") + text(a.name).s + " = " + std::to_string(a.size);
  return out;
}

Expected<reference::Value> to_value(const Wanted& wanted, const io::Array& array, const std::string& file) {
  if (array.shape != wanted.shape())
    return refuse("tool-argument-shape")
        .what(file.substr(0, 80), " has the shape ", io::shown_shape(array.shape), ", and the argument is ",
              in_words(wanted).substr(0, 120))
        .why("an array has the axes of the argument's mapping, each in its size, in the order in which the mapping names them first")
        .help("in Python: reshape or transpose it to ", io::shown_shape(wanted.shape()));
  reference::Value value(wanted.type, wanted.axes);
  for (std::int64_t i = 0; i < value.size(); ++i) value[i].bits = array.bits(i);
  return value;
}

reference::Value random_value(const Wanted& wanted, std::uint64_t seed) {
  Random random(seed);
  reference::Value value(wanted.type, wanted.axes);
  for (std::int64_t i = 0; i < value.size(); ++i) value[i].bits = random_bits(wanted.type, random);
  return value;
}

std::vector<std::byte> to_memory(const reference::Value& value) {
  std::vector<std::byte> memory(static_cast<std::size_t>(io::bytes_to_write(value.type, value.size())));
  for (std::int64_t i = 0; i < value.size(); ++i) store_scalar_bits(memory.data(), value.type, i, value[i].bits);
  return memory;
}

std::string place_in_words(const reference::Value& value, std::int64_t i) {
  Index const index = value.index_of(i);
  std::string out;
  for (const reference::Value::Axis& a : value.axes())
    out += (out.empty() ? "" : ", ") + std::string(text(a.name).s) + " = " + std::to_string(index.get(a.name));
  return out.empty() ? "its only place" : out;
}

std::string first_elements(const reference::Value& value) {
  constexpr std::int64_t most = 8;
  std::string out;
  for (std::int64_t i = 0; i < value.size() && i < most; ++i)
    out += (i > 0 ? ", " : "") + (value[i].undefined != 0 ? "?" : number_in_words(value.type, value[i].bits));
  return out + (value.size() > most ? ", ..." : "");
}

}  // namespace tcp::tool
