// A program ends with its last record. Bytes behind it, inside the length that the header tells, belong to nothing.
//
// run time only: programs are read from files
#include "program/small_program.hpp"
#include "refuse_test.hpp"
#include "tcp/program/encode.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return program::decode(tcp_refuse::sealed({0, 0, 2, 0, 0, 0, 0, 0, 0, 7})).refusal(); }
