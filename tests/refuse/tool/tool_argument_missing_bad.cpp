// `tcp run` needs values for every tensor that the program declares as `argument`. Their type and shape stand in the message: an array has the axes of the tensor's
// mapping, in the order in which the mapping names them.
//
// In Python: `np.save("x.npy", x)`. To see whether a program runs at all, `--random 1` fills what is missing with small numbers.
// run time only: the command line is read when the program runs
#include "refuse_test.hpp"
#include "tool/add_one.hpp"
#include "tool/refused_command.hpp"

REFUSED_AT_RUN_TIME { return refused_command({"run", add_one}); }
