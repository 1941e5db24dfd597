// A record goes on behind the end of the program, although length and checksum are right: whoever wrote the file wrote less than a program.
//
// run time only: programs are read from files
#include "program/small_program.hpp"
#include "refuse_test.hpp"
#include "tcp/program/encode.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  return program::decode(tcp_refuse::sealed({0, 0})).refusal();  // name and chip, and then nothing
}
