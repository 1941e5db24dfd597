// A timing model has a name. `book` is the closed forms of the book, `calibrated` those with what chips showed, `planned` with what the vendor's planner expects; models that advance memories cycle by cycle belong to the simulator.
//
// run time only: the name is text that a user gives
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/sched/schedule.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return sched::duration_named("exact", rngd).refusal(); }
