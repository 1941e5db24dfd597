// Heads of queries share heads of keys and values in equal groups: head h reads kv head h / group. Seven heads cannot be shared out among two.
//
// run time only: sizes are values
#include "kernels/attention/attention.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return kernels::check_attention(rngd, {.q_heads = 7, .kv_heads = 2, .head_dim = 64, .capacity = 100}).refusal(); }
