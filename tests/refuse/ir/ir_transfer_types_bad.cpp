// DMA moves bytes and does not look at them. A tensor keeps its type on the way; to convert it, let it pass the Tensor Unit, which converts while fetching and casts
// before the commit.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  p.module.tensors[static_cast<std::size_t>(p.out)].type = ScalarType::f32;
  return p.refusal();
}
