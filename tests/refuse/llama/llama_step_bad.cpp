// A step of a model appends tokens to what its caches of keys and values hold. There is at least one, and room for all of them; prompts are computed one by one, since
// they differ in length, while several sequences that go on by a token each are computed together; and over several chips each has as many heads, and as many
// columns of the feed-forward layer, as any other.
//
// run time only: sizes are values
#include "kernels/llama/layer.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return kernels::check_step(kernels::llama_3_8b(), {.tokens = 600, .past = 100, .capacity = 512}).refusal(); }
