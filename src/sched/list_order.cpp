// Another order of the same commands: a clock runs from end to end, and whatever is free takes, of the commands that
// could start, the one that has most behind it.
#include <algorithm>
#include <map>
#include <queue>

#include "sched/plan.hpp"

namespace tcp::sched {

namespace {

class ListOrder {
 public:
  explicit ListOrder(const Plan& plan) : plan_(plan), behind_(plan.size()), waits_for_(plan.size(), 0), waited_by_(plan.size()) {
    for (const program::Edge& e : plan.hazards) {
      ++waits_for_[static_cast<std::size_t>(e.to)];
      waited_by_[static_cast<std::size_t>(e.from)].push_back(e.to);
    }
    // Hazards point forward in program order, so that backwards every successor is known.
    for (std::size_t c = plan.size(); c-- > 0;) {
      Cycles most{0};
      for (std::int32_t after : waited_by_[c]) most = std::max(most, behind_[static_cast<std::size_t>(after)]);
      behind_[c] = most + plan.totals[c];
    }
  }

  std::vector<std::int32_t> run() {
    for (std::size_t c = 0; c < plan_.size(); ++c)
      if (waits_for_[c] == 0) make_ready(static_cast<std::int32_t>(c));
    for (;;) {
      start_what_can();
      if (running_.empty()) return std::move(order_);
      end_the_next();
    }
  }

 private:
  struct Ready {
    Cycles behind;
    std::int32_t command;
    bool operator<(const Ready& o) const { return behind != o.behind ? behind < o.behind : command > o.command; }
  };
  struct Running {
    Cycles end;
    std::int32_t command;
    bool operator>(const Running& o) const { return end != o.end ? end > o.end : command > o.command; }
  };

  program::Resources resources(std::int32_t c) const { return plan_.resources[static_cast<std::size_t>(c)]; }
  void make_ready(std::int32_t c) { ready_[resources(c)].push({behind_[static_cast<std::size_t>(c)], c}); }

  void start_what_can() {
    for (;;) {
      const Ready* best = nullptr;
      for (const auto& [needed, waiting] : ready_)
        if ((needed & busy_) == 0 && !waiting.empty() && (best == nullptr || *best < waiting.top())) best = &waiting.top();
      if (best == nullptr) return;
      std::int32_t const c = best->command;
      ready_[resources(c)].pop();
      busy_ |= resources(c);
      order_.push_back(c);
      running_.push({now_ + plan_.totals[static_cast<std::size_t>(c)], c});
    }
  }
  void end_the_next() {
    Running const r = running_.top();
    running_.pop();
    now_ = r.end;
    busy_ &= ~resources(r.command);
    for (std::int32_t after : waited_by_[static_cast<std::size_t>(r.command)])
      if (--waits_for_[static_cast<std::size_t>(after)] == 0) make_ready(after);
  }

  const Plan& plan_;
  std::vector<Cycles> behind_;  // from its start to the end of the longest chain
  std::vector<std::int32_t> waits_for_;
  std::vector<std::vector<std::int32_t>> waited_by_;
  std::map<program::Resources, std::priority_queue<Ready>> ready_;  // by what they occupy: there are few kinds
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
  program::Resources busy_ = 0;
  Cycles now_{0};
  std::vector<std::int32_t> order_;
};

}  // namespace

std::vector<std::int32_t> list_order(const Plan& plan) { return ListOrder(plan).run(); }

}  // namespace tcp::sched
