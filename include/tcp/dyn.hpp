// The prelude for kernels whose sizes are known when the program runs: tcp/tcp.hpp, tcp::dyn and record(). It reaches
// the standard library's containers, which kernels with typed tensors do without.
//
// Names of both front ends are told apart by `dyn::`, as dyn::one and dyn::HostTensor are: there is no
// `using namespace tcp::dyn`.
#pragma once

#include "tcp/dsl/dynamic.hpp"     // IWYU pragma: export
#include "tcp/runtime/record.hpp"  // IWYU pragma: export
#include "tcp/tcp.hpp"             // IWYU pragma: export
