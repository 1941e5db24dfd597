// A chip file is one JSON object (RFC 8259): keys and texts in double quotes, no comments, no comma after the last entry of an object.
// The message names the line and shows what was read last; the mistake is there or just before. The same code refuses a text that is
// JSON but can be no chip file, because it is nested too deeply or has too many entries.
//
// Remarks belong into the `note` of an entry.
// run time only: a chip file is read when a program runs, or when tcp_target_chip makes a header of it
#include "refuse_test.hpp"
#include "tcp/device/load.hpp"

using namespace tcp;

static const char my_chip[] = R"({
  "chip": "my_chip",
}
)";

REFUSED_AT_RUN_TIME { return parse_device(my_chip, "my_chip.json").refusal(); }
