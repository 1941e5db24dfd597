// A commit writes elements where the stream has them and as they are. It neither converts them nor takes them to other slices, so the tensor has to agree with the stream
// in type, Chip, Cluster and Slice.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  p.module.tensors[static_cast<std::size_t>(p.sum)].type = ScalarType::f32;
  return p.refusal();
}
