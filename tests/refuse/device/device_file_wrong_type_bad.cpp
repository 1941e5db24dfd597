// A value of a chip file is of another type than it must be: a text where a number belongs, a number with a fraction, a number that
// does not fit 64 bits, or a bare value where an object belongs.
//
// An entry has the form `{"value": 512, "unit": "KiB", "source": "MEM-02"}`; counts and flags have no `unit`. Numbers are whole and
// written without quotes.
// run time only: a chip file is read when a program runs, or when tcp_target_chip makes a header of it
#include "refuse_test.hpp"
#include "tcp/device/load.hpp"

using namespace tcp;

static const char my_chip[] = R"({
  "chip": "my_chip",
  "vrf": {
    "slice_capacity": 8192
  }
}
)";

REFUSED_AT_RUN_TIME { return parse_device(my_chip, "my_chip.json").refusal(); }
