// The system has no room for what the command was to hold. `tcp run` keeps every array as a whole, with a note for each element on whether it is defined, so that a
// program for 48 GB of HBM may take several times as much here.
//
// Try it with smaller tensors first: sizes are numbers in the text of the program. `tcp compile` takes the large one as it is.
// run time only: memory is asked for when the program runs
#include "refuse_test.hpp"
#include "tool/refused_command.hpp"

REFUSED_AT_RUN_TIME {
  return refused_command({"run", TCP_SOURCE_DIR "/tests/refuse/tool/large.tcp", "--chip", "logical", "--random", "1"});
}
