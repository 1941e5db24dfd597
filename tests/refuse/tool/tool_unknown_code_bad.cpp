// `tcp explain` prints the page of a diagnostic, and there is none with this code. Codes are the words in brackets of a message,
// `error[mapping-axis-twice]`; the brackets may be given too.
//
// Without a code `tcp explain` lists all of them, by area.
// run time only: the command line is read when the program runs
#include "refuse_test.hpp"
#include "tool/refused_command.hpp"

REFUSED_AT_RUN_TIME { return refused_command({"explain", "device-impossibel"}); }
