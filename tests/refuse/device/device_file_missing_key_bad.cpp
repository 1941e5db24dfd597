// Every number of a device stands in its chip file, with its unit and its source. Nothing has a default: a number that is not there
// would be a guess that no report could name.
//
// Copy the entry from `data/chips/rngd.json`; the message shows RNGD's value.
// run time only: a chip file is read when a program runs, or when tcp_target_chip makes a header of it
#include "refuse_test.hpp"
#include "tcp/device/load.hpp"

using namespace tcp;

static const char my_chip[] = R"({
  "chip": "my_chip",
  "levels": {
  }
}
)";

REFUSED_AT_RUN_TIME { return parse_device(my_chip, "my_chip.json").refusal(); }
