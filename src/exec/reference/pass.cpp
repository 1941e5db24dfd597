// A pass: the source goes through the stages one after the other (stages.hpp), whole tensor by whole tensor.
#include <algorithm>

#include "exec/reference/stages.hpp"
#include "tcp/exec/reference/operations.hpp"

namespace tcp::reference {

void PassRun::tell_copies_apart(const Value& operand) {
  Value& one = groups ? groups->group[0] : stream;
  auto const lacks = [&one](const Value::Axis& a) {
    return std::none_of(one.axes().begin(), one.axes().end(), [&a](const Value::Axis& b) { return a.name == b.name; });
  };
  if (std::none_of(operand.axes().begin(), operand.axes().end(), lacks)) return;
  one = spread_over(levels, one);
  if (groups) groups->group[1] = spread_over(levels, groups->group[1]);
}

Value PassRun::operand(ir::TensorId vrf) const { return repeated(module.levels(module.tensor(vrf)), levels, memory.read(vrf)); }

Verdict execute(const ir::Pass& pass, const CommandRun& command) {
  const ir::PassFacts& facts = command.found.as<ir::PassFacts>();
  PassRun run{command.module, command.memory, pass};
  run.stream = run.memory.read(pass.source[0]);
  if (pass.source.size() == 2) run.stream = interleave(run.stream, run.memory.read(pass.source[1]), pass.turns);
  run.levels = run.module.levels(run.module.tensor(pass.source[0]));
  for (std::size_t i = 0; i < pass.stages.size(); ++i) {
    run.stage = &pass.stages[i];
    run.found = &facts.stages[i];
    run.out = run.module.levels(run.found->out);
    if (run.stage->at.known()) run.memory.at = run.stage->at;
    if (std::size_t const last = last_in_time(run.module, pass, i); last != none_in_time) {
      run_in_time(run, i, last);
      i = last;
      run.levels = run.module.levels(facts.stages[i].out);
      continue;
    }
    Verdict const v = std::visit([&run](const auto& what) { return apply(what, run); }, run.stage->what);
    if (!v) return v;
    run.levels = run.out;
  }
  return accept();
}

}  // namespace tcp::reference
