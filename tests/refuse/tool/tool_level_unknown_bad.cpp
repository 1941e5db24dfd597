// The levels of the machine have the names that the vendor's book gives them: Chip, Cluster, Slice and Element for a tensor in memory,
// Row between Slice and Element for one in the register file (TRF), Time and Packet for a stream. They are written exactly so, with a
// capital letter.
// run time only: the command line is read when the program runs
#include "refuse_test.hpp"
#include "tool/refused_command.hpp"

REFUSED_AT_RUN_TIME { return refused_command({"layout", "--axes", "I=512,K=64", "--levels", "slice: I / 2; Element: I % 2, K"}); }
