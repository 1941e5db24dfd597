// Experts are compared with each other eight at a time, and what a token chose is one flit of eight.
//
// run time only: sizes are values
#include "kernels/moe/topk.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/support/refused.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  try {
    kernels::TopK(rngd, 16, 12, 2);
  } catch (const Refused& refused) {
    return refused.refusal();
  }
  return {};
}
