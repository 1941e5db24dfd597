// Another order of the same commands: a clock runs from end to end, and whatever is free takes, of the commands that
// could start, the one that has most behind it, or that the program has first.
#include <algorithm>
#include <map>
#include <queue>

#include "sched/plan.hpp"

namespace tcp::sched {

namespace {

/// Steps are the commands, by their numbers, and after them what is done before those that need it.
class ListOrder {
 public:
  ListOrder(const Plan& plan, First first) : plan_(plan) {
    for (std::size_t c = 0; c < plan.size(); ++c) steps_.push_back({static_cast<std::int32_t>(c), plan.resources[c], plan.totals[c]});
    waits_for_.resize(plan.size(), 0);
    waited_by_.resize(plan.size());
    for (const program::Edge& e : plan.hazards) add_edge(e.from, e.to);
    for (std::int32_t c = 0; c < static_cast<std::int32_t>(plan.size()); ++c)
      if (plan.prepares(c)) add_preparation(c);
    for (std::size_t c = 0; c < plan.size(); ++c)
      plan.each_preparation(c, [&](std::int32_t writer) {
        if (auto const s = step_of_.find(writer); s != step_of_.end()) add_edge(s->second, static_cast<std::int32_t>(c));
      });
    find_behind();
    if (first == First::earliest) std::fill(behind_.begin(), behind_.end(), Cycles{0});  // then the number decides
  }

  std::vector<std::int32_t> run() {
    for (std::size_t s = 0; s < steps_.size(); ++s)
      if (waits_for_[s] == 0) make_ready(static_cast<std::int32_t>(s));
    for (;;) {
      start_what_can();
      if (running_.empty()) return std::move(order_);
      end_the_next();
    }
  }

 private:
  struct Step {
    std::int32_t command;  // that it is, or is done for
    program::Resources resources = 0;
    Cycles total{};
  };
  struct Ready {
    Cycles behind;
    std::int32_t command;  // of the step, or before which it is wanted
    bool prepares;
    std::int32_t step;
    bool operator<(const Ready& o) const {
      if (behind != o.behind) return behind < o.behind;
      if (command != o.command) return command > o.command;
      return !prepares && o.prepares;
    }
  };
  struct Running {
    Cycles end;
    std::int32_t step;
    bool operator>(const Running& o) const { return end != o.end ? end > o.end : step > o.step; }
  };

  void add_edge(std::int32_t from, std::int32_t to) {
    ++waits_for_[static_cast<std::size_t>(to)];
    waited_by_[static_cast<std::size_t>(from)].push_back(to);
  }
  void add_preparation(std::int32_t c) {
    const Preparation& p = plan_.preparations[static_cast<std::size_t>(c)];
    auto const step = static_cast<std::int32_t>(steps_.size());
    program::Resources const taken = bit(program::Resource::TensorDma) | (p.sub > Cycles{0} ? bit(program::Resource::Sub) : 0);
    steps_.push_back({c, taken, p.total()});
    waits_for_.push_back(0);
    waited_by_.emplace_back();
    for (std::int32_t user : p.after) add_edge(user, step);
    step_of_.emplace(c, step);
  }
  /// A table is written before the first load of the pass that needs it, so that no other load holds it up.
  std::int32_t rank_of(std::int32_t s) const {
    std::int32_t first = step(s).command;
    if (!prepares(s)) return first;
    for (const program::Edge& e : plan_.hazards_of(static_cast<std::size_t>(first))) {
      bool const load = std::holds_alternative<program::Dma>(plan_.program.commands[static_cast<std::size_t>(e.from)].what);
      if (load && e.kind == program::EdgeKind::Raw) first = std::min(first, e.from);
    }
    return first;
  }
  /// From the start of a step to the end of the longest chain. Commands wait for earlier ones alone, and for what is
  /// done before them; that waits for earlier commands.
  void find_behind() {
    behind_.resize(steps_.size());
    std::vector<std::int32_t> preparation(plan_.size(), -1);
    for (std::size_t s = plan_.size(); s < steps_.size(); ++s)
      preparation[static_cast<std::size_t>(steps_[s].command)] = static_cast<std::int32_t>(s);
    auto const find = [this](std::size_t s) {
      Cycles most{0};
      for (std::int32_t after : waited_by_[s]) most = std::max(most, behind_[static_cast<std::size_t>(after)]);
      behind_[s] = most + steps_[s].total;
    };
    for (std::size_t c = plan_.size(); c-- > 0;) {
      find(c);
      if (preparation[c] >= 0) find(static_cast<std::size_t>(preparation[c]));
    }
  }

  const Step& step(std::int32_t s) const { return steps_[static_cast<std::size_t>(s)]; }
  bool prepares(std::int32_t s) const { return static_cast<std::size_t>(s) >= plan_.size(); }
  void make_ready(std::int32_t s) { ready_[step(s).resources].push({behind_[static_cast<std::size_t>(s)], rank_of(s), prepares(s), s}); }

  void start_what_can() {
    for (;;) {
      const Ready* best = nullptr;
      for (const auto& [needed, waiting] : ready_)
        if ((needed & busy_) == 0 && !waiting.empty() && (best == nullptr || *best < waiting.top())) best = &waiting.top();
      if (best == nullptr) return;
      std::int32_t const s = best->step;
      ready_[step(s).resources].pop();
      busy_ |= step(s).resources;
      order_.push_back(prepares(s) ? preparation_of(step(s).command) : s);
      running_.push({now_ + step(s).total, s});
    }
  }
  void end_the_next() {
    Running const r = running_.top();
    running_.pop();
    now_ = r.end;
    busy_ &= ~step(r.step).resources;
    for (std::int32_t after : waited_by_[static_cast<std::size_t>(r.step)])
      if (--waits_for_[static_cast<std::size_t>(after)] == 0) make_ready(after);
  }

  const Plan& plan_;
  std::vector<Step> steps_;
  std::map<std::int32_t, std::int32_t> step_of_;  // of what is done before a command
  std::vector<Cycles> behind_;
  std::vector<std::int32_t> waits_for_;
  std::vector<std::vector<std::int32_t>> waited_by_;
  std::map<program::Resources, std::priority_queue<Ready>> ready_;  // by what they occupy: there are few kinds
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
  program::Resources busy_ = 0;
  Cycles now_{0};
  std::vector<std::int32_t> order_;
};

}  // namespace

std::vector<std::int32_t> list_order(const Plan& plan, First first) { return ListOrder(plan, first).run(); }

}  // namespace tcp::sched
