// Chip, Cluster and Slice of a stream change only where an engine moves data between slices: in the switch and in the inter-slice reduce. Every other stage has to declare
// what came in.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  p.stage(1).out.slice = p.map("A % 256");
  return p.refusal();
}
