// A list is its length and then its items. A length that the rest of the file cannot hold is refused before room is made for it.
//
// run time only: programs are read from files
#include "program/small_program.hpp"
#include "refuse_test.hpp"
#include "tcp/program/encode.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  return program::decode(tcp_refuse::sealed({0, 0, 2, 0, 0, 100, 0, 0})).refusal();  // 100 commands in two bytes
}
