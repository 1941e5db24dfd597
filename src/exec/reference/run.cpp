// Runs a module command by command (commands.hpp), and looks at the results.
#include "tcp/exec/reference/run.hpp"

#include "exec/reference/stages.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/support/room.hpp"

namespace tcp::reference {
namespace {

/// The first element of a result that is undefined, -1 if none is. An index between two steps of a tensor is no element
/// of it.
std::int64_t first_undefined(const Levels& levels, const Value& value) {
  std::vector<std::vector<bool>> live;
  for (const Value::Axis& a : value.axes()) live.push_back(live_coordinates(levels, a.name));
  for (std::int64_t i = 0; i < value.size(); ++i) {
    if (value[i].undefined == 0) continue;
    Index const index = value.index_of(i);
    bool held = true;
    for (std::size_t a = 0; a < live.size(); ++a) held &= live[a][static_cast<std::size_t>(index.get(value.axes()[a].name))];
    if (held) return i;
  }
  return -1;
}

Refusal undefined_result(const ir::Module& module, ir::TensorId id, const Value& value, std::int64_t i, const std::vector<Note>& notes) {
  const Note& note = notes[value[i].undefined - 1];
  Index const index = value.index_of(i);
  std::vector<ir::CoordinateOf> element;
  for (const Value::Axis& a : value.axes()) element.push_back({a.name, index.get(a.name)});
  return ir::undefined_result(module, id, element, note.what, note.at);
}

}  // namespace

namespace {

/// The value with just the axes that its tensor counts, in their order: along one that it lacks, all elements are the
/// same.
Value as_declared(const Levels& levels, const Value& value) {
  Value out(value.type, axes_of(levels));
  for (std::int64_t i = 0; i < out.size(); ++i)
    if (Index const index = out.index_of(i); value.holds(index)) out[i] = value.at(index);
  return out;
}

Expected<Outcome> run_commands(const ir::Verified& verified, std::vector<Value> arguments, const Options& options) {
  const ir::Module& module = verified.module();
  const ir::Facts& facts = verified.facts();
  TCP_BUG_UNLESS(arguments.size() == module.arguments.size(), "a module was run with another number of arguments than it has");
  Memory memory(module);
  for (std::size_t i = 0; i < arguments.size(); ++i) memory.set(module.arguments[i], std::move(arguments[i]));
  for (std::size_t i = 0; i < module.commands.size(); ++i) {
    memory.at = module.commands[i].at;
    CommandRun const command{module, memory, facts.commands[i]};
    Verdict const v = std::visit([&command](const auto& what) { return execute(what, command); }, module.commands[i].what);
    if (!v) return v.refusal();
    if (options.on_progress) options.on_progress(i + 1, module.commands.size());
  }
  Outcome outcome;
  for (ir::TensorId id : module.results) {
    Value const value = memory.read(id);
    if (options.check)
      if (std::int64_t const i = first_undefined(module.levels(module.tensor(id)), value); i >= 0)
        return undefined_result(module, id, value, i, memory.notes());
    outcome.results.push_back(as_declared(module.levels(module.tensor(id)), value));
  }
  outcome.notes = memory.notes();
  return outcome;
}

}  // namespace

Expected<Outcome> run(const ir::Verified& verified, std::vector<Value> arguments, const Options& options) {
  return within_memory([&] { return run_commands(verified, std::move(arguments), options); });
}

}  // namespace tcp::reference
