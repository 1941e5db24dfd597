// The loop over steps: requests that wait take free places, those that have begun add a token each, those that end make
// room.
#include "kernels/llama/batch.hpp"

#include <algorithm>
#include <optional>

namespace tcp::kernels {
namespace {

/// A request that has a place.
struct Running {
  std::size_t request;
  std::int64_t sequence;
  Sampler sampler;
  std::int64_t tokens = 0;  // that the model has of it
};

/// Why it ends after this token; none: it goes on.
std::optional<StopReason> end_of(const BatchModel& model, const GenerationOptions& o, const Running& r, const Generated& so_far) {
  std::int64_t const id = so_far.ids.back();
  if (o.on_token && !o.on_token(id)) return StopReason::asked;
  if (std::find(o.stop_ids.begin(), o.stop_ids.end(), id) != o.stop_ids.end()) return StopReason::stop_id;
  if (static_cast<std::int64_t>(so_far.ids.size()) >= o.most) return StopReason::most;
  if (r.tokens >= model.context) return StopReason::context;
  return {};
}

}  // namespace

Expected<std::vector<Generated>> generate_each(const BatchModel& model, std::span<const TextRequest> requests) {
  for (const TextRequest& r : requests)
    if (auto v = check_generation(model.vocabulary, model.context, r.prompt, r.options); !v) return v.refusal();
  std::vector<Generated> out(requests.size());
  std::vector<Running> running;
  std::vector<std::int64_t> free;
  for (std::int64_t i = model.sequences; i-- > 0;) free.push_back(i);
  std::size_t next = 0;
  while (next < requests.size() || !running.empty()) {
    for (; next < requests.size() && !free.empty(); ++next) {
      running.push_back({next, free.back(), Sampler(requests[next].options.sampling)});
      free.pop_back();
    }
    std::vector<SequenceTokens> step;
    for (const Running& r : running)
      step.push_back({r.sequence, r.tokens == 0 ? requests[r.request].prompt : std::vector{out[r.request].ids.back()}});
    auto const logits = model.append(step);
    for (std::size_t i = 0; i < running.size(); ++i) {
      Running& r = running[i];
      r.tokens += static_cast<std::int64_t>(step[i].ids.size());
      auto const id = r.sampler(logits[i]);
      if (!id) return no_number(r.tokens);
      out[r.request].ids.push_back(*id);
    }
    std::erase_if(running, [&](const Running& r) {
      auto const reason = end_of(model, requests[r.request].options, r, out[r.request]);
      if (!reason) return false;
      out[r.request].reason = *reason;
      model.forget(r.sequence);
      free.push_back(r.sequence);
      return true;
    });
  }
  return out;
}

}  // namespace tcp::kernels
