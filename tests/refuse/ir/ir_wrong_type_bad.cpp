// Fetch and cast change a stream's type as they are told, contract widens it, the conversions of the vector engine do what their names say. Every other stage declares
// the type that came in.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  p.stage(1).out.type = ScalarType::f32;
  return p.refusal();
}
