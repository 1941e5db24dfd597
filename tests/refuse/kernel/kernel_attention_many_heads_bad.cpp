// Every head of queries has slices of its own; both the kv heads and the heads that share one are rounded up to powers of two, so that slices
// fall into equal rings.
//
// run time only: sizes are values
#include "kernels/attention/attention.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return kernels::check_attention(rngd, {.q_heads = 495, .kv_heads = 33, .head_dim = 64, .capacity = 100}).refusal(); }
