// The header of a program has a CRC-32 of all that follows. A bit that flipped on the way would be another setting of some register.
//
// run time only: programs are read from files
#include "program/small_program.hpp"
#include "refuse_test.hpp"
#include "tcp/program/encode.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  auto bytes = program::encode(tcp_refuse::small_program());
  bytes.back() ^= std::byte{1};
  return program::decode(bytes).refusal();
}
