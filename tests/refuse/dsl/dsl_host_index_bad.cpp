// An index of a host tensor gives every one of its axes a coordinate below the size of the axis.
//
// run time only: indices are values
#include "dsl/kernel.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  HostTensor<i32, m<tcp_refuse::A>> const host;
  Index beyond;
  beyond.add(Name("A"), 2048);
  return tcp_refuse::refused([&] { host.at(beyond); });
}
