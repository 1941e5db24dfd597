// The text holds no command: no move, and no pass. `tcp run` and `tcp compile` would have nothing to do and nothing to say, which looks like success; mostly the wrong
// file was named, or the file was cut. `tcp fmt` takes it: it may be the beginning of a program.
//
// Add the commands, or give the file that has them.
// run time only: files are read when the program runs
#include "refuse_test.hpp"
#include "tool/refused_command.hpp"

REFUSED_AT_RUN_TIME { return refused_command({"run", TCP_SOURCE_DIR "/tests/refuse/tool/empty.tcp"}); }
