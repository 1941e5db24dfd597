// A chip file has a key that means nothing to us. It may be misspelt, or stand in the wrong group. It is refused, because a key that
// nobody reads would look as if it had an effect.
//
// Every key that there is stands in `data/chips/rngd.json`. An entry has `value`, `source`, for a size or a time `unit`, and if you
// like a `note`.
// run time only: a chip file is read when a program runs, or when tcp_target_chip makes a header of it
#include "refuse_test.hpp"
#include "tcp/device/load.hpp"

using namespace tcp;

static const char my_chip[] = R"({
  "chip": "my_chip",
  "dm": {
    "bank_per_slice": {"value": 16, "source": "MEM-02"}
  }
}
)";

REFUSED_AT_RUN_TIME { return parse_device(my_chip, "my_chip.json").refusal(); }
