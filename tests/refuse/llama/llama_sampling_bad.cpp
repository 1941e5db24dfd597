// The next token is drawn from the probabilities that the model gives. `temperature` 0 takes the likeliest; above, it flattens or sharpens them. `top_k` keeps so many of the
// likeliest, 0 keeps all. `top_p` keeps the fewest that together have at least this probability, so it is above 0 and at most 1.
//
// run time only: options are values
#include "kernels/llama/sampling.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return kernels::check_sampling({.temperature = 0.7, .top_p = 1.5}).refusal(); }
