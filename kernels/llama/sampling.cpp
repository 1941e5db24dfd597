// Picks a token by its logits: the likeliest, or at random from the likeliest ones.
#include "kernels/llama/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace tcp::kernels {
namespace {

/// Logits of which one is +inf: that one is certain, as the limit says, and no difference of infinities is asked for.
double weight_of(float logit, float greatest, double temperature) {
  if (std::isinf(greatest)) return logit == greatest ? 1 : 0;
  return std::exp((static_cast<double>(logit) - static_cast<double>(greatest)) / temperature);
}

void scale_to_one(std::vector<Candidate>& all) {
  double sum = 0;
  for (const Candidate& c : all) sum += c.probability;
  for (Candidate& c : all) c.probability /= sum;
}

std::size_t fewest_that_reach(const std::vector<Candidate>& all, double share) {
  double sum = 0;
  for (std::size_t n = 0; n < all.size(); ++n) {
    sum += all[n].probability;
    if (sum >= share) return n + 1;
  }
  return all.size();
}

Refusal bad_option(const char* name, const std::string& value, const char* wanted) {
  return refuse("llama-sampling")
      .what(name, " is ", value, "; it should be ", wanted)
      .why("the next token is drawn from probabilities, and these numbers say from which of them")
      .help("temperature 0 takes the likeliest token; 0.7 with top-p 0.9 is a usual choice");
}

}  // namespace

Verdict check_sampling(const SamplingOptions& o) {
  if (!(o.temperature >= 0) || !std::isfinite(o.temperature))
    return bad_option("the temperature", std::to_string(o.temperature), "0 or more");
  if (o.top_k < 0) return bad_option("top-k", std::to_string(o.top_k), "0 for all, or the number of tokens to choose from");
  if (!(o.top_p > 0 && o.top_p <= 1)) return bad_option("top-p", std::to_string(o.top_p), "above 0 and at most 1");
  return accept();
}

std::vector<Candidate> candidates(std::span<const float> logits, const SamplingOptions& o) {
  std::vector<Candidate> all;
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (!std::isnan(logits[i])) all.push_back({static_cast<std::int64_t>(i), logits[i]});
  if (all.empty()) return all;
  auto const likelier = [](const Candidate& a, const Candidate& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.id < b.id;
  };
  std::size_t keep = all.size();
  if (o.temperature == 0) keep = 1;
  else if (o.top_k > 0) keep = std::min(keep, static_cast<std::size_t>(o.top_k));
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(keep), all.end(), likelier);
  all.resize(keep);
  double const temperature = o.temperature == 0 ? 1 : o.temperature;
  auto const greatest = static_cast<float>(all.front().probability);
  if (greatest == -INFINITY) return {{all.front().id, 1}};  // all are equally impossible
  for (Candidate& c : all) c.probability = weight_of(static_cast<float>(c.probability), greatest, temperature);
  scale_to_one(all);
  all.resize(fewest_that_reach(all, o.top_p));
  scale_to_one(all);
  return all;
}

std::optional<std::int64_t> Sampler::operator()(std::span<const float> logits) {
  std::vector<Candidate> const all = candidates(logits, options_);
  if (all.empty()) return {};
  if (options_.temperature == 0) return all.front().id;
  double left = static_cast<double>(random_.next() >> 11) * 0x1p-53;  // uniform in [0, 1)
  for (const Candidate& c : all) {
    left -= c.probability;
    if (left < 0) return c.id;
  }
  return all.back().id;
}

}  // namespace tcp::kernels
