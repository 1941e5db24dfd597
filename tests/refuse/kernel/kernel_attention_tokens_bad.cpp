// The keys and values of all tokens lie in the cache before anyone attends to them.
//
// run time only: sizes are values
#include "kernels/attention/flash.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return kernels::check_tokens({.q_heads = 8, .kv_heads = 2, .head_dim = 64, .capacity = 100}, 60, 50).refusal(); }
