// The model has computed NaN for every word of its vocabulary: no next token can be chosen. A NaN spreads: one in a weight or an activation reaches all words of the tokens
// behind it. Numbers beyond the range of bf16 become infinite, and the difference of two infinities is NaN.
//
// run time only: values are values
#include <cmath>

#include "kernels/llama/generation.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  auto const broken = [](auto) { return kernels::Logits(8, NAN); };
  kernels::LanguageModel const model{.vocabulary = 8, .context = 16, .prefill = broken, .decode = broken};
  return kernels::generate(model, std::vector<std::int64_t>{3}, {}).refusal();
}
