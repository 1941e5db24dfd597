// A chip file describes a device; `load_device` and `tcp_target_chip` read it. It must be a regular file of at most 1 MiB that may be
// read.
//
// The chips we ship are `rngd.json`, `rngd_s.json` and `logical.json`; copy one of them to describe another chip.
// run time only: a chip file is read when a program runs, or when tcp_target_chip makes a header of it
#include "refuse_test.hpp"
#include "tcp/device/load.hpp"

using namespace tcp;

REFUSED_AT_RUN_TIME { return load_device("my_chips/no_such_chip.json").refusal(); }
