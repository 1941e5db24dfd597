// The same key stands twice in one object of a chip file. Many readers of JSON would silently take the last; a chip whose numbers
// depend on the reader is no chip, so we take neither.
//
// Delete one of the two.
// run time only: a chip file is read when a program runs, or when tcp_target_chip makes a header of it
#include "refuse_test.hpp"
#include "tcp/device/load.hpp"

using namespace tcp;

static const char my_chip[] = R"({
  "chip": "my_chip",
  "chip": "your_chip"
}
)";

REFUSED_AT_RUN_TIME { return parse_device(my_chip, "my_chip.json").refusal(); }
