// Whole numbers go into a host tensor as they are, or not at all: what a type cannot hold is no value of it. Floating-point numbers are rounded.
//
// run time only: values are met when the program runs
#include "dsl/kernel.hpp"
#include "refuse_test.hpp"
using namespace tcp;

namespace {
TCP_AXES(V = 2);
}

REFUSED_AT_RUN_TIME {
  int const values[] = {1, 300};
  return tcp_refuse::refused([&] { HostTensor<i8, m<V>>::from(values).size(); });
}
