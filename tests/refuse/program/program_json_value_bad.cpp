// Every field takes values of its type: whole numbers that fit into it, words of its list, printable ASCII, sets of slices such as `0-15,32`.
//
// run time only: programs are read from files
#include "program/small_program.hpp"
#include "refuse_test.hpp"
#include "tcp/program/json.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return program::from_json(R"({"tcp_program": 2, "name": "x", "chip": 7})").refusal(); }
