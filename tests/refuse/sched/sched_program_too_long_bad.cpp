// The commands of a program add up. Where their sum is beyond 64 bits, no start or end could be told.
//
// run time only: it depends on the program
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/sched/schedule.hpp"
using namespace tcp;

struct Endless : sched::Duration {
  std::string_view name() const override { return "endless"; }
  Expected<program::Cost> cost(const program::Command&) const override {
    program::Cost c;
    c.streaming = Cycles{std::int64_t{1} << 62};
    return c;
  }
};

REFUSED_AT_RUN_TIME {
  program::Program p;
  p.commands.resize(2);
  for (program::Command& c : p.commands) c.resources = bit(program::Resource::Main);
  return sched::schedule(p, rngd, Endless()).refusal();
}
