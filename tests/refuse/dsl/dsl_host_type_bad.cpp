// A host tensor whose type is a value keeps the bits of that type, and gives its elements as nothing else.
//
// run time only: the type is a value
#include "dsl/kernel.hpp"
#include "refuse_test.hpp"
#include "tcp/dsl/dynamic.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  dyn::HostTensor host(ScalarType::bf16, dyn::axis("A", 16));
  return tcp_refuse::refused([&] { (void)host.data<f32>(); });
}
