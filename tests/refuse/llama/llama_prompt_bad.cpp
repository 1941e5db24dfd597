// A prompt is a list of token ids. Each is the number of a word of the model's vocabulary, there is at least one, and no more than the model can look back at. The same
// holds for the ids that end an answer, and at least one new token is asked for.
//
// run time only: prompts are values
#include "kernels/llama/generation.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  kernels::LanguageModel const model{.vocabulary = 8, .context = 16, .prefill = {}, .decode = {}};
  return kernels::generate(model, std::vector<std::int64_t>{3, 8}, {}).refusal();
}
