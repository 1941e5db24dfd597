// A gather reads the rows that an index tensor names, a scatter writes them, and chip_slice cuts along a dimension. Without it the transfer does not say what to move.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  std::get<ir::Transfer>(p.module.commands[0].what).kind = ir::Transfer::Kind::gather;
  return p.refusal();
}
