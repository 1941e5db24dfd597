// A cache is made for a number of sequences and positions, and a token needs one of them.
//
// run time only: sizes are values
#include "kernels/attention/attention.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return kernels::check_attention(rngd, {.q_heads = 8, .kv_heads = 2, .head_dim = 64, .capacity = 0}).refusal(); }
