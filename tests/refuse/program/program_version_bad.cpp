// Every change of the records counts up the version of the encoding, in the header of the binary form and as `tcp_program` in JSON. A reader takes its own version only.
//
// run time only: programs are read from files
#include "program/small_program.hpp"
#include "refuse_test.hpp"
#include "tcp/program/encode.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  auto bytes = program::encode(tcp_refuse::small_program());
  bytes[8] = std::byte{99};
  return program::decode(bytes).refusal();
}
