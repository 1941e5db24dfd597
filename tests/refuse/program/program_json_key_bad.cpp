// Every field of a record is a key of its object, once, and nothing else is. Here `chip` is missing.
//
// run time only: programs are read from files
#include "program/small_program.hpp"
#include "refuse_test.hpp"
#include "tcp/program/json.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return program::from_json(R"({"tcp_program": 2, "name": "x"})").refusal(); }
