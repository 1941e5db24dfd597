// A program in binary form begins with eight bytes that no other file has. Two of them are line ends: a transfer as text, which changes those, is noticed here.
//
// run time only: programs are read from files
#include "program/small_program.hpp"
#include "refuse_test.hpp"
#include "tcp/program/encode.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  auto bytes = program::encode(tcp_refuse::small_program());
  bytes[5] = std::byte{10};  // a line end became another
  return program::decode(bytes).refusal();
}
