// Segmentation: rounds that are meant, as boxes.
//
// Steps of one axis are its digits, and a bound is a number of that system: below 15 = 1·8 + 7 means all of the first
// block and seven of the second. So a bound cuts each step in at most three places, and only the round between them has
// to look at finer steps. That holds for any number of bounds at once, and costs as much as there are boxes.
#include <algorithm>
#include <numeric>

#include "lower/transfer/transfer.hpp"
#include "tcp/support/round.hpp"

namespace tcp::lower::transfer {

namespace {

class Segmentation {
 public:
  Segmentation(const Move& move, const std::vector<Bound>& bounds, const std::vector<std::int64_t>& sizes, std::size_t limit)
      : sizes_(sizes), limit_(limit), box_(move.steps.size()), order_(move.steps.size()), of_step_(move.steps.size()) {
    for (std::size_t i = 0; i < box_.size(); ++i) box_[i] = {0, sizes[i]};
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(),
              [&](std::size_t a, std::size_t b) { return std::pair(-move.steps[a].weight, a) < std::pair(-move.steps[b].weight, b); });
    std::vector<std::size_t> rank(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) rank[order_[i]] = i;
    for (std::size_t b = 0; b < bounds.size(); ++b) {
      State s{bounds[b].low, bounds[b].high, 0, false};
      std::vector<Bound::Term> terms = bounds[b].terms;
      std::sort(terms.begin(), terms.end(), [&](const auto& x, const auto& y) { return rank[x.step] > rank[y.step]; });
      for (const Bound::Term& t : terms) {  // the innermost first
        of_step_[t.step].push_back({b, t.weight, s.inside});
        s.inside += t.weight * (sizes[t.step] - 1);
      }
      s.met = s.low <= 0 && s.inside < s.high;
      state_.push_back(s);
    }
  }

  std::optional<std::vector<Box>> boxes() {
    if (!go(0)) return std::nullopt;
    return std::move(made_);
  }

 private:
  struct State {
    std::int64_t low, high;
    std::int64_t inside;  // the sum can still grow by so much
    bool met;
  };
  struct Part {
    std::size_t bound;
    std::int64_t weight, inside;
  };
  enum class Fate { none, all, depends };

  Fate fate(const Part& p, std::int64_t round) const {
    const State& s = state_[p.bound];
    std::int64_t const least = round * p.weight, most = least + p.inside;
    if (s.met) return Fate::all;
    if (least >= s.high || most < s.low) return Fate::none;
    return least >= s.low && most < s.high ? Fate::all : Fate::depends;
  }

  bool go(std::size_t k) {
    if (k == order_.size()) {
      if (made_.size() == limit_) return false;
      made_.push_back(box_);
      return true;
    }
    std::size_t const step = order_[k];
    std::vector<std::int64_t> cuts{0, sizes_[step]};
    for (const Part& p : of_step_[step]) {
      const State& s = state_[p.bound];
      if (s.met) continue;
      for (std::int64_t at : {ceil_div(s.low - p.inside, p.weight), ceil_div(s.low, p.weight),
                              floor_div(s.high - 1 - p.inside, p.weight) + 1, ceil_div(s.high, p.weight)})
        if (at > 0 && at < sizes_[step]) cuts.push_back(at);
    }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    for (std::size_t c = 0; c + 1 < cuts.size(); ++c)
      if (!rounds(k, cuts[c], cuts[c + 1])) return false;
    box_[step] = {0, sizes_[step]};
    return true;
  }

  /// The rounds from begin to end have one fate; where it depends, each goes its own way.
  bool rounds(std::size_t k, std::int64_t begin, std::int64_t end) {
    std::size_t const step = order_[k];
    Fate all = Fate::all;
    for (const Part& p : of_step_[step]) {
      Fate const f = fate(p, begin);
      if (f == Fate::none) return true;
      if (f == Fate::depends) all = f;
    }
    std::int64_t const each = all == Fate::depends ? 1 : end - begin;
    for (std::int64_t at = begin; at < end; at += each) {
      std::vector<State> const before = state_;
      for (const Part& p : of_step_[step]) {
        State& s = state_[p.bound];
        if (s.met) continue;
        s.met = fate(p, at) == Fate::all;
        s.low -= at * p.weight;
        s.high -= at * p.weight;
      }
      box_[step] = {at, each};
      bool const room = go(k + 1);
      state_ = before;
      if (!room) return false;
    }
    return true;
  }

  const std::vector<std::int64_t>& sizes_;
  std::size_t limit_;
  Box box_;
  std::vector<std::size_t> order_;
  std::vector<std::vector<Part>> of_step_;
  std::vector<State> state_;
  std::vector<Box> made_;
};

std::int64_t rounds_of(const Move& move, std::size_t i, Latitude latitude) {
  const Step& s = move.steps[i];
  bool const inner = latitude == Latitude::runs && move.in_run[i] && i != move.run_end;
  bool const all = (latitude == Latitude::whole_runs || latitude == Latitude::runs_beyond) && move.in_run[i];
  return inner || all ? s.reach : s.size;
}

}  // namespace

std::optional<std::vector<Box>> segments(const Move& move, const std::vector<Bound>& bounds, Latitude latitude, std::size_t limit) {
  std::vector<std::int64_t> sizes(move.steps.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = rounds_of(move, i, latitude);
  return Segmentation(move, bounds, sizes, limit).boxes();
}

}  // namespace tcp::lower::transfer
