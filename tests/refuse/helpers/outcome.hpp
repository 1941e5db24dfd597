// What a program is refused with, where the front end throws.
#pragma once

#include "tcp/tcp.hpp"

namespace tcp_refuse {

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
