// A number of a chip file is one that no chip can have, or two numbers contradict each other. Counts and sizes are at least 1; where an
// address is taken apart by bits they are powers of two; a capacity is the product of its banks, rows and bytes; what goes into a flit
// is no larger than a flit. The geometry of HBM must be RNGD's, because its address bits are published for that one only.
//
// Change the parts and the whole together.
// run time only: a chip file is read when a program runs, or when tcp_target_chip makes a header of it
#include <string>
#include "refuse_test.hpp"

#include "tcp/device/chips.hpp"
#include "tcp/device/load.hpp"

using namespace tcp;

REFUSED_AT_RUN_TIME {
  std::string my_chip = to_chip_file(rngd);
  std::string const rows = "\"rows_per_bank\": {\"value\": 4096";
  my_chip.replace(my_chip.find(rows), rows.size(), "\"rows_per_bank\": {\"value\": 2048");
  return parse_device(my_chip, "my_chip.json").refusal();
}
