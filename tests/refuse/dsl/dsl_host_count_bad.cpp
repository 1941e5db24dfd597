// A host tensor is filled position by position, so that a list of values has as many as the tensor has positions, padding included.
//
// run time only: how many values there are shows when the program runs
#include "dsl/kernel.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  int const values[] = {1, 2, 3};
  return tcp_refuse::refused([&] { HostTensor<i32, m<tcp_refuse::A>>::from(values).size(); });
}
