// The names that the kernels of tests/refuse, and so the pages made from them, share; and what a kernel is refused with where
// the front end throws.
#pragma once

#include "tcp/tcp.hpp"

using Chip = tcp::m<1>;
using Cluster = tcp::m<tcp::one.pad(2)>;
using Idle = tcp::m<tcp::one.pad(256)>;

namespace tcp_refuse {

/// What a program is refused with.
template <class Program>
tcp::Verdict outcome(Program program) {
  try {
    (void)program();
  } catch (const tcp::Refused& r) {
    return r.refusal();
  }
  return tcp::accept();
}

}  // namespace tcp_refuse
