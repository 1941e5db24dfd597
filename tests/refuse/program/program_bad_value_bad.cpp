// Every type of a field has one encoding for each of its values (docs/program.md). Here `numeric`, which is 0 or 1, is 9.
//
// run time only: programs are read from files
#include "program/small_program.hpp"
#include "refuse_test.hpp"
#include "tcp/program/encode.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return program::decode(tcp_refuse::sealed({0, 0, 2, 9, 0, 0, 0, 0, 0})).refusal(); }
