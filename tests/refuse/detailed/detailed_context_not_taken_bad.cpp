// The main and the sub context have a fetch and a commit engine each. A command that works in a context also occupies it; lowering sees to that. Of a program that was
// written by other means the model `detailed` asks for it, because two commands in one context could not be told apart.
// run time only: what a command occupies is known when it was lowered
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/sim/detailed.hpp"

using namespace tcp;

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
