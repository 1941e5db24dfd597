// Looks for the order of commands that ends first, by branch and bound.
//
// A partial order is extended by every command whose hazards allow it. It is given up if what is left cannot end before
// the best order that is known, or if the same commands in another order leave everything as early or earlier. Times
// are those of put_in_time but for banks of DM and for cluster 1 that lags, without which no order is longer: each
// complete order is timed in full.
#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>

#include "sched/plan.hpp"

namespace tcp::sched {

namespace {

constexpr std::size_t resource_kinds = static_cast<std::size_t>(program::Resource::VectorEngine) + 1;
constexpr std::size_t tensor_dma_kind = static_cast<std::size_t>(program::Resource::TensorDma);
constexpr std::size_t sub_kind = static_cast<std::size_t>(program::Resource::Sub);
/// Orders of the same commands that are remembered, none of which is better than another in all respects.
constexpr std::size_t remembered = 16;

class OrderSearch {
 public:
  OrderSearch(const Plan& plan, Cycles known, std::int64_t nodes, const TimeOrder& in_time)
      : plan_(plan),
        in_time_(in_time),
        best_(known.value),
        nodes_(nodes),
        before_(plan.size(), 0),
        needed_(plan.size(), 0),
        tail_(plan.size()) {
    for (const program::Edge& e : plan.hazards) add_edge(e.from, e.to);
    for (std::int32_t c = 0; c < static_cast<std::int32_t>(plan.size()); ++c)
      if (plan.prepares(c))
        for (std::int32_t user : plan.preparations[index(c)].after) add_edge(user, c);
    for (std::size_t c = plan.size(); c-- > 0;) {
      std::int64_t most = 0;
      for (std::uint64_t later = needed_[c]; later != 0; later &= later - 1)
        most = std::max(most, tail_[static_cast<std::size_t>(std::countr_zero(later))]);
      tail_[c] = most + plan.totals[c].value;
    }
    number_queues();
  }

  BestOrder run() {
    State const first(plan_.size(), queues_);
    std::int64_t const root = least_of_all(first);
    least_ = best_;
    extend(first);
    BestOrder made;
    made.order = std::move(best_order_);
    // Tables are written just before the pass that needs them; written earlier, they might cost less.
    // And cluster 1 may lag behind what is counted here.
    bool const all = looked_at_ < nodes_ && plan_.preparations.empty();
    made.least = Cycles{std::min(all ? least_ : root, best_)};
    return made;
  }

 private:
  struct State {
    State(std::size_t commands, std::size_t queues) : ends(commands, 0), prepared(commands, 0), dma(queues, 0), prepared_dma(queues, 0) {}

    std::uint64_t placed = 0;
    std::vector<std::int64_t> ends;      // of commands that are placed
    std::vector<std::int64_t> prepared;  // when the tables are there that were written for a command; 0: they are not yet
    std::array<std::int64_t, resource_kinds> free{};
    std::vector<std::int64_t> dma, prepared_dma;  // by queue of tensor DMA
    std::int64_t prepared_sub = 0, span = 0;
    std::vector<std::int32_t> order;
  };

  static std::size_t index(std::int32_t c) { return static_cast<std::size_t>(c); }
  static std::uint64_t bit_of(std::size_t c) { return std::uint64_t{1} << c; }
  void add_edge(std::int32_t from, std::int32_t to) {
    before_[index(to)] |= bit_of(index(from));
    needed_[index(from)] |= bit_of(index(to));
  }
  /// Queues that no two commands tell apart are one.
  void number_queues() {
    queue_sets_.resize(plan_.size());
    std::vector<std::uint64_t> seen;  // which commands go through a queue
    for (std::size_t q = 0; q < 64; ++q) {
      std::uint64_t through = 0;
      for (std::size_t c = 0; c < plan_.size(); ++c)
        if ((plan_.dma_queues[c] >> q & 1) != 0) through |= bit_of(c);
      if (through != 0 && std::find(seen.begin(), seen.end(), through) == seen.end()) seen.push_back(through);
    }
    queues_ = seen.size();
    for (std::size_t q = 0; q < queues_; ++q)
      for (std::size_t c = 0; c < plan_.size(); ++c)
        if ((seen[q] & bit_of(c)) != 0) queue_sets_[c].push_back(q);
  }
  bool occupies(std::size_t c, std::size_t resource) const { return (plan_.resources[c] >> resource & 1) != 0; }

  /// When a command could start: hazards, then what it occupies.
  std::int64_t start_of(const State& s, std::size_t c) const {
    std::int64_t start = 0;
    for (std::uint64_t from = before_[c] & s.placed; from != 0; from &= from - 1)
      start = std::max(start, s.ends[static_cast<std::size_t>(std::countr_zero(from))]);
    for (std::size_t r = 0; r < resource_kinds; ++r)
      if (r != tensor_dma_kind && occupies(c, r)) start = std::max(start, s.free[r]);
    if (occupies(c, tensor_dma_kind))
      for (std::size_t q : queue_sets_[c]) start = std::max(start, s.dma[q]);
    return start;
  }

  void place(State& s, std::size_t c) const {
    std::int64_t ready = 0;
    plan_.each_preparation(c, [&](std::int32_t writer) { ready = std::max(ready, prepare(s, index(writer))); });
    std::int64_t const start = start_of(s, c);
    if (!plan_.preparations.empty()) {
      if (occupies(c, sub_kind)) ready = std::max(ready, s.prepared_sub);
      if (occupies(c, tensor_dma_kind))
        for (std::size_t q : queue_sets_[c]) ready = std::max(ready, s.prepared_dma[q]);
    }
    std::int64_t const end = std::max(start + (s.placed == 0 ? plan_.prologue.value : 0), ready) + plan_.totals[c].value;
    for (std::size_t r = 0; r < resource_kinds; ++r)
      if (r != tensor_dma_kind && occupies(c, r)) s.free[r] = end;
    if (occupies(c, tensor_dma_kind))
      for (std::size_t q : queue_sets_[c]) s.dma[q] = end;
    s.ends[c] = end;
    s.span = std::max(s.span, end);
    s.placed |= bit_of(c);
    s.order.push_back(static_cast<std::int32_t>(c));
  }
  std::int64_t prepare(State& s, std::size_t c) const {
    const Preparation& p = plan_.preparations[c];
    if (p.total() == Cycles{0} || s.prepared[c] > 0) return s.prepared[c];
    std::int64_t ready = 0;
    for (std::int32_t user : p.after) ready = std::max(ready, s.ends[index(user)]);
    for (std::size_t q : queue_sets_[c]) ready = std::max({ready, s.dma[q], s.prepared_dma[q]});
    ready += p.dma.value;
    for (std::size_t q : queue_sets_[c]) s.prepared_dma[q] = ready;
    if (p.sub > Cycles{0}) s.prepared_sub = ready = std::max({ready, s.free[sub_kind], s.prepared_sub}) + p.sub.value;
    s.order.push_back(preparation_of(static_cast<std::int32_t>(c)));
    return s.prepared[c] = ready;
  }

  /// What no order that begins like this can be shorter than: chains of what is left, and the work left for each
  /// resource.
  std::int64_t least_of(const State& s) const {
    std::int64_t least = s.span;
    std::vector<std::int64_t> earliest(plan_.size(), 0);
    struct Left {
      std::int64_t begin = -1, sum = 0, tail = -1;  // when the first can start, what all take, and what must follow the last
    };
    std::array<Left, resource_kinds> left{};
    for (std::size_t c = 0; c < plan_.size(); ++c) {
      if ((s.placed & bit_of(c)) != 0) continue;
      std::int64_t start = start_of(s, c);
      for (std::uint64_t from = before_[c] & ~s.placed; from != 0; from &= from - 1) {
        std::size_t const f = static_cast<std::size_t>(std::countr_zero(from));
        start = std::max(start, earliest[f] + plan_.totals[f].value);
      }
      earliest[c] = start;
      least = std::max(least, start + tail_[c]);
      std::int64_t const behind = tail_[c] - plan_.totals[c].value;
      for (std::size_t r = 0; r < resource_kinds; ++r) {
        if (!occupies(c, r) || (r == tensor_dma_kind && queues_ > 1)) continue;
        Left& l = left[r];
        l.begin = l.begin < 0 ? start : std::min(l.begin, start);
        l.tail = l.tail < 0 ? behind : std::min(l.tail, behind);
        l.sum += plan_.totals[c].value;
      }
    }
    for (const Left& l : left)
      if (l.begin >= 0) least = std::max(least, l.begin + l.sum + l.tail);
    return least + plan_.synchronisation.value;
  }

  /// The least of all orders, before anything is placed: what the program takes before its first command belongs to
  /// whichever that is.
  std::int64_t least_of_all(const State& none) const {
    std::int64_t least = best_;
    for (std::size_t c = 0; c < plan_.size(); ++c) {
      if (before_[c] != 0) continue;
      State one = none;
      bool prepares = false;
      plan_.each_preparation(c, [&](std::int32_t) { prepares = true; });
      if (!prepares) place(one, c);
      least = std::min(least, least_of(one));
    }
    return least;
  }

  /// Whether an order of the same commands was seen that leaves everything as early.
  bool seen_better(const State& s) {
    std::vector<std::int64_t> now(s.free.begin(), s.free.end());
    now.insert(now.end(), s.dma.begin(), s.dma.end());
    now.insert(now.end(), s.prepared_dma.begin(), s.prepared_dma.end());
    if (!plan_.tables.empty()) now.insert(now.end(), s.prepared.begin(), s.prepared.end());
    now.push_back(s.prepared_sub);
    now.push_back(s.span);
    for (std::uint64_t c = s.placed; c != 0; c &= c - 1) {
      std::size_t const at = static_cast<std::size_t>(std::countr_zero(c));
      if ((needed_[at] & ~s.placed) != 0) now.push_back(s.ends[at]);
    }
    std::vector<std::vector<std::int64_t>>& known = seen_[s.placed];
    auto const as_early = [](const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
      return std::equal(a.begin(), a.end(), b.begin(), [](std::int64_t x, std::int64_t y) { return x <= y; });
    };
    if (std::any_of(known.begin(), known.end(), [&](const auto& k) { return as_early(k, now); })) return true;
    std::erase_if(known, [&](const auto& k) { return as_early(now, k); });
    if (known.size() < remembered) known.push_back(std::move(now));
    return false;
  }

  void extend(const State& s) {
    if (std::popcount(s.placed) == static_cast<int>(plan_.size())) return finish(s);
    if (looked_at_ >= nodes_) return;
    struct Next {
      std::int64_t start, tail;
      std::size_t command;
    };
    std::vector<Next> next;
    for (std::size_t c = 0; c < plan_.size(); ++c)
      if ((s.placed & bit_of(c)) == 0 && (before_[c] & ~s.placed) == 0) next.push_back({start_of(s, c), tail_[c], c});
    std::sort(next.begin(), next.end(), [](const Next& a, const Next& b) {
      if (a.start != b.start) return a.start < b.start;
      return a.tail != b.tail ? a.tail > b.tail : a.command < b.command;
    });
    for (const Next& n : next) {
      if (++looked_at_ >= nodes_) return;
      State made = s;
      place(made, n.command);
      if (least_of(made) >= best_ || seen_better(made)) continue;
      extend(made);
    }
  }
  void finish(const State& s) {
    std::int64_t const least = s.span + plan_.synchronisation.value;
    least_ = std::min(least_, least);
    std::int64_t const made = in_time_(s.order).value;
    if (made >= best_) return;
    best_ = made;
    best_order_ = s.order;
  }

  const Plan& plan_;
  const TimeOrder& in_time_;
  std::int64_t best_, least_ = 0;
  std::int64_t nodes_, looked_at_ = 0;
  std::vector<std::uint64_t> before_, needed_;        // by command: whom it waits for, and who waits for it
  std::vector<std::int64_t> tail_;                    // from the start of a command to the end of the longest chain
  std::vector<std::vector<std::size_t>> queue_sets_;  // by command
  std::size_t queues_ = 1;
  std::unordered_map<std::uint64_t, std::vector<std::vector<std::int64_t>>> seen_;
  std::vector<std::int32_t> best_order_;
};

/// What the busiest queue and the longest chain of results need, whatever the order.
Cycles least_of_any_order(const Plan& plan) {
  std::array<std::int64_t, resource_kinds> busy{};
  std::array<std::int64_t, 64> dma{};  // by queue
  for (std::size_t c = 0; c < plan.size(); ++c) {
    for (std::size_t r = 0; r < resource_kinds; ++r)
      if (r != tensor_dma_kind && (plan.resources[c] >> r & 1) != 0) busy[r] += plan.totals[c].value;
    if ((plan.resources[c] >> tensor_dma_kind & 1) != 0)
      for (std::uint64_t queues = plan.dma_queues[c]; queues != 0; queues &= queues - 1)
        dma[static_cast<std::size_t>(std::countr_zero(queues))] += plan.totals[c].value;
  }
  std::int64_t const most = std::max(*std::max_element(busy.begin(), busy.end()), *std::max_element(dma.begin(), dma.end()));
  return std::max(Cycles{most}, plan.chain) + plan.synchronisation;
}

}  // namespace

BestOrder best_order(const Plan& plan, Cycles known, std::int64_t nodes, const TimeOrder& in_time) {
  if (plan.size() == 0) return {{}, {}};
  if (plan.size() > most_commands_searched) return {{}, std::min(least_of_any_order(plan), known)};
  return OrderSearch(plan, known, nodes, in_time).run();
}

}  // namespace tcp::sched
