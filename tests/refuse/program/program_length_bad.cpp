// The header of a program says how many bytes follow it. A file that was cut, or to which something was added, has another number.
//
// run time only: programs are read from files
#include "program/small_program.hpp"
#include "refuse_test.hpp"
#include "tcp/program/encode.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  auto bytes = program::encode(tcp_refuse::small_program());
  bytes.pop_back();
  return program::decode(bytes).refusal();
}
