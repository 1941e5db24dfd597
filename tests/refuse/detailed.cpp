// The timing model `detailed` runs a program request by request; these are the programs it cannot run.
#include "tcp/sim/detailed.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"

using namespace tcp;

// # detailed-context-not-taken
// The main and the sub context have a fetch and a commit engine each. A command that works in a context also occupies it; lowering sees to that. Of a program that was
// written by other means the model `detailed` asks for it, because two commands in one context could not be told apart.
// run time only: what a command occupies is known when it was lowered
namespace detailed_context_not_taken {
// error[detailed-context-not-taken]: command 0 works in the sub context without occupying it; help: set its resources, as lowering does
REFUSED_AT_RUN_TIME {
  program::Itos word;
  word.units.chips = {true};
  program::Program p;
  p.chip = "rngd";
  p.commands.resize(1);
  p.commands[0].what = word;
  p.commands[0].resources = bit(program::Resource::Main);
  return sim::run_detailed(p, rngd).refusal();
}
}  // namespace detailed_context_not_taken
