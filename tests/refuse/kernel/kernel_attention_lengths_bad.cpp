// A decode step adds one token to each sequence of the cache; the length that it is given counts that token.
//
// run time only: sizes are values
#include "kernels/attention/decode.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  return kernels::check_lengths({.q_heads = 8, .kv_heads = 2, .head_dim = 64, .capacity = 100, .sequences = 2}, {100, 101}).refusal();
}
