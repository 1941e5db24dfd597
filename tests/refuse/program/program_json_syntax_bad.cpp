// The JSON twin of a program is one JSON text, nested no deeper than programs are.
//
// run time only: programs are read from files
#include "program/small_program.hpp"
#include "refuse_test.hpp"
#include "tcp/program/json.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return program::from_json("{\n  \"tcp_program\": 2,\n  // a comment\n}").refusal(); }
