// A host tensor keeps every position in the host's memory. One that does not fit is refused when it is made.
//
// run time only: how much memory a host has shows when the program runs
#include "dsl/kernel.hpp"
#include "refuse_test.hpp"
using namespace tcp;

namespace {
TCP_AXES(X = std::int64_t{1} << 50);
}

REFUSED_AT_RUN_TIME {
  return tcp_refuse::refused([] { HostTensor<i32, m<X>> const host; });
}
