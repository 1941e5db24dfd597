// The loop around a language model: a prompt in, token after token out, until something says stop. It knows two steps
// and nothing of how they are computed:
//
//   prefill   all tokens of the prompt at once, which fills the caches: the logits after the last
//   decode    one token more: the logits after it
//
// Run time only.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/llama/sampling.hpp"

namespace tcp::kernels {

using Logits = std::vector<float>;

struct LanguageModel {
  std::int64_t vocabulary = 0;
  std::int64_t context = 0;  // s_max: tokens that it can look back at, the prompt's included
  std::function<Logits(std::span<const std::int64_t>)> prefill;
  std::function<Logits(std::int64_t)> decode;
};

struct GenerationOptions {
  std::int64_t most = 16;                // new tokens
  std::vector<std::int64_t> stop_ids{};  // the first of them ends the answer, and belongs to it
  SamplingOptions sampling{};
  std::function<bool(std::int64_t id)> on_token{};  // of each new one, as it comes; `false` ends it
};

enum class StopReason : std::uint8_t { most, stop_id, context, asked };
std::string_view in_words(StopReason reason);

struct Generated {
  std::vector<std::int64_t> ids;  // without the prompt
  StopReason reason = StopReason::most;
};

/// Refused: ids that are no words of so many.
Verdict check_ids(std::span<const std::int64_t> ids, std::int64_t vocabulary, const char* of = "the prompt");

/// Refused: a prompt that is empty, too long, or has ids that are no words; options that mean nothing. Worth asking
/// before weights are loaded.
Verdict check_generation(std::int64_t vocabulary, std::int64_t context, std::span<const std::int64_t> prompt,
                         const GenerationOptions& options);

/// After so many tokens no logit is a number.
Refusal no_number(std::int64_t tokens);

/// Refused: what `check_generation` refuses, and logits of which none is a number.
Expected<Generated> generate(const LanguageModel& model, std::span<const std::int64_t> prompt, const GenerationOptions& options);

}  // namespace tcp::kernels
