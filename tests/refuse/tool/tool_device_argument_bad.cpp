// An interpreter takes arguments wherever they lie. A chip is reached through its HBM alone, and so is the simulated one.
//
// run time only: programs in text form are read when the tool runs
#include "refuse_test.hpp"
#include "tool/refused_command.hpp"

REFUSED_AT_RUN_TIME {
  return refused_command({"run", TCP_SOURCE_DIR "/tests/refuse/tool/in_dm.tcp", "--random", "1", "--backend", "device"});
}
