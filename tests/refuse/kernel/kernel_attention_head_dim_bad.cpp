// Columns of a head are treated by eights: the Transpose Engine takes so many of a packet. Zeros that are added to queries and keys change no score.
//
// run time only: sizes are values
#include "kernels/attention/attention.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return kernels::check_attention(rngd, {.q_heads = 8, .kv_heads = 2, .head_dim = 100, .capacity = 100}).refusal(); }
