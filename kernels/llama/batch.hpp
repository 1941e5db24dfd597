// Many texts at the same time: a model that computes some sequences side by side, and requests that take a place as one
// becomes free, and give it up when their text ends.
//
//   kernels::Llama llama(ctx, rngd, config, weights, {.context = 512, .sequences = 4});
//   auto const answers = value_or_throw(kernels::generate_each(llama.batch_steps(), requests));
//
// A step takes one token more of each sequence that has begun, and the whole prompt of each that begins: every weight
// is read once for all of them. Run time only.
#pragma once

#include <functional>
#include <vector>

#include "kernels/llama/generation.hpp"

namespace tcp::kernels {

/// New tokens of one sequence.
struct SequenceTokens {
  std::int64_t sequence = 0;  // its place, from 0 on
  std::vector<std::int64_t> ids;
};

struct BatchModel {
  std::int64_t vocabulary = 0;
  std::int64_t context = 0;    // tokens of a sequence
  std::int64_t sequences = 1;  // at the same time
  /// The logits after the last token of each.
  std::function<std::vector<Logits>(std::span<const SequenceTokens>)> append;
  /// A place becomes free.
  std::function<void(std::int64_t)> forget;
};

struct TextRequest {
  std::vector<std::int64_t> prompt;
  GenerationOptions options{};
};

/// The answers, in the order of the requests. Each is what it would be by itself, up to the rounding of bf16. Refused:
/// what `generate` refuses of any of them, before anything is computed.
Expected<std::vector<Generated>> generate_each(const BatchModel& model, std::span<const TextRequest> requests);

}  // namespace tcp::kernels
