// The loop over tokens: the prompt at once, then one token after the other, until one of them ends the text.
#include "kernels/llama/generation.hpp"

#include <algorithm>

namespace tcp::kernels {
namespace {

Refusal bad_prompt(const std::string& what, const std::string& help) {
  return refuse("llama-prompt")
      .what(what)
      .why("a prompt is a list of numbers of words, at least one and at most what the model can look back at")
      .help(help);
}

}  // namespace

Verdict check_ids(std::span<const std::int64_t> ids, std::int64_t vocabulary, const char* of) {
  for (std::int64_t id : ids)
    if (id < 0 || id >= vocabulary)
      return bad_prompt(std::string(of) + " has the id " + std::to_string(id) + "; the model has " + std::to_string(vocabulary) + " words",
                        "use ids from 0 to " + std::to_string(vocabulary - 1));
  return accept();
}

Verdict check_generation(std::int64_t vocabulary, std::int64_t context, std::span<const std::int64_t> prompt, const GenerationOptions& o) {
  if (auto v = check_sampling(o.sampling); !v) return v;
  if (prompt.empty()) return bad_prompt("the prompt is empty", "begin with the id that stands for the beginning of a text: bos_token_id");
  if (static_cast<std::int64_t>(prompt.size()) > context)
    return bad_prompt("the prompt has " + std::to_string(prompt.size()) + " tokens, and the model looks back at " + std::to_string(context),
                      "shorten the prompt, or ask for a longer context");
  if (o.most < 1) return bad_prompt(std::to_string(o.most) + " new tokens are asked for", "ask for at least one");
  if (auto v = check_ids(prompt, vocabulary); !v) return v;
  return check_ids(o.stop_ids, vocabulary, "the list of stops");
}

std::string_view in_words(StopReason reason) {
  constexpr std::string_view words[] = {"as many as asked for", "a stop id", "the context is full", "asked to stop"};
  return words[static_cast<int>(reason)];
}

Refusal no_number(std::int64_t tokens) {
  return refuse("llama-logits")
      .what("after token ", tokens, " no logit is a number")
      .why("a NaN in a weight, or an overflow on the way, has reached every word")
      .help("see that the weights are finite; values beyond the range of bf16 cannot be computed");
}

Expected<Generated> generate(const LanguageModel& model, std::span<const std::int64_t> prompt, const GenerationOptions& o) {
  if (auto v = check_generation(model.vocabulary, model.context, prompt, o); !v) return v.refusal();
  Sampler sampler(o.sampling);
  Generated out;
  auto s = static_cast<std::int64_t>(prompt.size());
  for (Logits logits = model.prefill(prompt);; logits = model.decode(out.ids.back()), ++s) {
    auto const next = sampler(logits);
    if (!next) return no_number(s);
    out.ids.push_back(*next);
    if (o.on_token && !o.on_token(*next)) out.reason = StopReason::asked;
    else if (std::find(o.stop_ids.begin(), o.stop_ids.end(), *next) != o.stop_ids.end()) out.reason = StopReason::stop_id;
    else if (static_cast<std::int64_t>(out.ids.size()) >= o.most) out.reason = StopReason::most;
    else if (s >= model.context) out.reason = StopReason::context;
    else continue;
    return out;
  }
}

}  // namespace tcp::kernels
