// Places commands one after the other: each at the latest end of what it must wait for, and later where a bank of DM
// would be held for too long.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "sched/plan.hpp"

namespace tcp::sched {

namespace {

using program::Edge;
using program::EdgeKind;
using program::Resource;

constexpr std::size_t resource_count = static_cast<std::size_t>(Resource::VectorEngine) + 1;
constexpr std::size_t tensor_dma = static_cast<std::size_t>(Resource::TensorDma), sub = static_cast<std::size_t>(Resource::Sub);

/// Commands that touch DM, by queue, each queue in the order of time: who runs beside whom.
class BankWatch {
 public:
  explicit BankWatch(const Plan& plan) : plan_(plan), sets_of_(plan.size()) {
    for (std::size_t c = 0; c < plan.size(); ++c)
      for (const auto* ranges : {&plan.program.commands[c].reads, &plan.program.commands[c].writes})
        for (const program::Range& r : *ranges)
          if (r.memory == program::Memory::Dm) add_set(c, sets_.number(r.memory, r.units));
  }

  /// Whom a command that would run in [start, start + length) must wait for.
  std::optional<Edge> in_the_way(std::size_t command, Cycles start, const std::vector<program::Scheduled>& placed) const {
    const BankRuns& own = plan_.runs[command];
    Cycles const end = start + plan_.totals[command];
    if (own.empty() || start == end) return std::nullopt;
    std::vector<std::size_t> beside;
    for (const auto& [which, queue] : queues_) gather(queue, command, start, end, placed, beside);
    // Sums change only where one of them begins.
    std::vector<Cycles> moments{start};
    for (std::size_t other : beside) moments.push_back(std::max(start, placed[other].start));
    std::sort(moments.begin(), moments.end());
    for (Cycles moment : moments)
      if (auto edge = too_long_at(command, moment, beside, placed)) return edge;
    return std::nullopt;
  }
  void enter(std::size_t command) {
    if (plan_.runs[command].empty()) return;
    std::size_t const queue = queue_of(plan_.resources[command]);
    queues_[{queue, queue == tensor_dma ? plan_.dma_queues[command] : 0}].push_back(command);
  }

 private:
  void add_set(std::size_t command, std::size_t set) {
    std::vector<std::size_t>& sets = sets_of_[command];
    if (std::find(sets.begin(), sets.end(), set) == sets.end()) sets.push_back(set);
  }
  bool share_a_slice(std::size_t a, std::size_t b) const {
    for (std::size_t x : sets_of_[a])
      for (std::size_t y : sets_of_[b])
        if (sets_.meet(x, y)) return true;
    return false;
  }
  void gather(const std::vector<std::size_t>& queue, std::size_t command, Cycles start, Cycles end,
              const std::vector<program::Scheduled>& placed, std::vector<std::size_t>& beside) const {
    auto at = std::partition_point(queue.begin(), queue.end(), [&](std::size_t c) { return placed[c].end <= start; });
    for (; at != queue.end() && placed[*at].start < end; ++at)
      if (share_a_slice(*at, command)) beside.push_back(*at);
  }
  bool is_dma(std::size_t command) const {
    const auto* dma = std::get_if<program::Dma>(&plan_.program.commands[command].what);
    return dma != nullptr && !dma->parallel_copy;
  }

  /// Only a DMA is starved; a command without one beside it is merely delayed by others.
  std::optional<Edge> too_long_at(std::size_t command, Cycles moment, const std::vector<std::size_t>& beside,
                                  const std::vector<program::Scheduled>& placed) const {
    BankRuns sum = plan_.runs[command];
    bool dma = is_dma(command);
    std::optional<std::size_t> first;  // to end
    for (std::size_t other : beside) {
      if (placed[other].start > moment || placed[other].end <= moment) continue;
      dma = dma || is_dma(other);
      if (!first || placed[other].end < placed[*first].end) first = other;
      for (std::size_t b = 0; b < sum.size(); ++b) sum[b] += plan_.runs[other][b];
    }
    if (!dma || !first) return std::nullopt;
    for (std::size_t b = 0; b < sum.size(); ++b)
      if (plan_.runs[command][b] > 0 && sum[b] >= plan_.device.dm.same_bank_limit)
        return Edge{EdgeKind::Starvation,
                    static_cast<std::int32_t>(*first),
                    static_cast<std::int32_t>(command),
                    {},
                    program::Memory::Dm,
                    static_cast<std::int64_t>(b),
                    sum[b]};
    return std::nullopt;
  }

  const Plan& plan_;
  UnitSets sets_;
  std::vector<std::vector<std::size_t>> sets_of_;
  std::map<std::pair<std::size_t, std::uint64_t>, std::vector<std::size_t>> queues_;
};

class Placing {
 public:
  Placing(const Plan& plan, bool keep_banks_free) : plan_(plan) {
    if (keep_banks_free) watch_.emplace(plan);
    made_.commands.resize(plan.size());
    if (!plan.lags.empty()) second_end_.resize(plan.size());
  }

  program::Schedule run(std::vector<std::int32_t> order) {
    for (std::int32_t c : order) {
      if (c < 0) prepare(static_cast<std::size_t>(preparation_of(c)));
      else one(static_cast<std::size_t>(c));
    }
    std::erase_if(order, [](std::int32_t c) { return c < 0; });
    end_with(order);
    made_.order = std::move(order);
    return std::move(made_);
  }

 private:
  /// The clusters meet after the command that ends last: whichever lags is waited for.
  void end_with(const std::vector<std::int32_t>& order) {
    if (order.empty()) return;
    auto const ends_before = [this](std::int32_t a, std::int32_t b) { return end_of(a) < end_of(b); };
    program::Scheduled& last = made_.commands[static_cast<std::size_t>(*std::max_element(order.begin(), order.end(), ends_before))];
    Cycles lag{};
    for (Cycles end : second_end_) lag = std::max(lag, end - last.end);
    if (lag > Cycles{0}) last.cost.stalls.push_back({program::Stall::Lag, lag});
    last.cost.startup += plan_.synchronisation;
    last.cost.of_program += plan_.synchronisation;
    last.end += lag + plan_.synchronisation;
    made_.makespan = std::max(made_.makespan, last.end);
  }
  void one(std::size_t command) {
    plan_.each_preparation(command, [&](std::int32_t writer) { prepare(static_cast<std::size_t>(writer)); });
    program::Scheduled& s = made_.commands[command];
    s.cost = plan_.costs[command];
    Cycles const prologue = std::exchange(prologue_, Cycles{0});
    s.cost.of_program += prologue;
    s.cost.startup += prologue;
    s.resources = plan_.resources[command];
    Cycles at_once = plan_.enters.empty() ? Cycles{0} : plan_.enters[command];  // a loop that the program begins with
    for (const Edge& e : plan_.hazards_of(command)) {
      wait(s, e);
      at_once = std::max(at_once, end_of(e.from) + lag(e));
    }
    Second second = second_of(command);
    for_each_queue(command, [&](std::size_t r, std::int32_t& last) {
      wait_for_resource(s, r, last, command);
      Cycles& waits = second.meets ? second.both : second.begin;
      waits = std::max(waits, second_end_of(last));
    });
    if (watch_)
      while (auto const edge = watch_->in_the_way(command, s.start, made_.commands)) wait(s, *edge);
    if (at_once > s.start) {
      s.cost.startup += at_once - s.start;
      s.cost.of_program += at_once - s.start;
    }
    Cycles begins = std::max(at_once, s.start) + prologue;         // tables may be written before the program begins
    if (Cycles const ready = prepared(command); ready > begins) {  // what could not be done before
      s.cost.stalls.push_back({program::Stall::Table, ready - begins});
      begins = ready;
    }
    if (Cycles const behind = second.alone ? std::max(second.begin, second.both) : second.both; behind > begins) {
      s.cost.stalls.push_back({program::Stall::Lag, behind - begins});
      begins = behind;
    }
    s.end = s.start + s.cost.total();
    if (!second_end_.empty())
      second_end_[command] =
          s.end + plan_.lags[command] + (second.takes_part && !second.alone ? std::max(second.begin - begins, Cycles{0}) : Cycles{0});
    made_.makespan = std::max(made_.makespan, s.end);
    for_each_queue(command, [&](std::size_t, std::int32_t& last) { last = static_cast<std::int32_t>(command); });
    if (watch_) watch_->enter(command);
  }
  /// What cluster 1 has of a command.
  struct Second {
    Cycles begin{};           // when it can begin with it
    Cycles both{};            // when it has ended what the whole command waits for
    bool meets = false;       // the command waits for something of both: then for all that its queues have before it
    bool takes_part = false;  // else cluster 0 has it alone
    bool alone = false;
  };
  /// By the hazards. What is in HBM is there when both clusters have written it; a slice of DM belongs to one cluster.
  Second second_of(std::size_t command) const {
    Second made;
    if (second_end_.empty()) return made;
    constexpr std::uint64_t seconds = 0xAAAA'AAAA'AAAA'AAAA;  // every chip has two clusters
    made.takes_part = (plan_.clusters[command] & seconds) != 0;
    made.alone = made.takes_part && (plan_.clusters[command] & ~seconds) == 0;
    bool const crosses = is_within_dm(command);
    for (const Edge& e : plan_.hazards_of(command)) {
      Cycles const end = second_end_of(e.from);
      bool const of_both = crosses || e.kind == EdgeKind::Barrier || e.memory == program::Memory::Hbm || e.memory == program::Memory::Host;
      made.meets = made.meets || of_both;
      Cycles& waits = of_both ? made.both : made.begin;
      waits = std::max(waits, end + lag(e));
    }
    return made;
  }
  /// A DMA within DM may go from one cluster to the other.
  bool is_within_dm(std::size_t command) const {
    const auto* dma = std::get_if<program::Dma>(&plan_.program.commands[command].what);
    return dma != nullptr && std::all_of(dma->descriptors.begin(), dma->descriptors.end(), [](const program::DmaDescriptor& d) {
             return d.read.memory == program::Memory::Dm && d.write.memory == program::Memory::Dm;
           });
  }
  Cycles second_end_of(std::int32_t c) const { return second_end_.empty() || c < 0 ? Cycles{0} : second_end_[static_cast<std::size_t>(c)]; }

  /// From the end of a command to the moment when one that waits for it begins.
  Cycles lag(const Edge& edge) const {
    auto const to = static_cast<std::size_t>(edge.to);
    if (edge.kind == EdgeKind::Barrier) return plan_.enters.empty() ? Cycles{0} : plan_.enters[to];
    if (plan_.behind_pass == Cycles{0} || edge.kind != EdgeKind::Raw) return Cycles{0};
    const auto& commands = plan_.program.commands;
    const auto* pass = std::get_if<program::Exec>(&commands[to].what);
    bool const stores = pass != nullptr && pass->sub && !std::holds_alternative<program::Commit>(pass->sink);
    bool const behind = stores && std::holds_alternative<program::Exec>(commands[static_cast<std::size_t>(edge.from)].what);
    return behind ? plan_.behind_pass : Cycles{0};
  }
  /// Tables are written once, as soon as the queues are free and the last ones are no longer needed.
  void prepare(std::size_t command) {
    const Preparation& p = plan_.preparations[command];
    if (p.total() == Cycles{0} || prepared_[command] > Cycles{0}) return;
    Cycles ready{};
    for (std::int32_t user : p.after) ready = std::max(ready, end_of(user));
    for_each_dma_queue(command, [&](std::size_t q) { ready = std::max({ready, end_of(last_dma_[q]), prepared_dma_[q]}); });
    ready += p.dma;
    for_each_dma_queue(command, [&](std::size_t q) { prepared_dma_[q] = ready; });
    if (p.sub > Cycles{0}) prepared_sub_ = ready = std::max({ready, end_of(last_[sub]), prepared_sub_}) + p.sub;
    prepared_[command] = ready;
  }
  /// When its tables are there, and those of others that come before it in its queues.
  Cycles prepared(std::size_t command) {
    if (plan_.preparations.empty()) return {};
    Cycles ready{};
    plan_.each_preparation(command, [&](std::int32_t writer) { ready = std::max(ready, prepared_[static_cast<std::size_t>(writer)]); });
    if ((plan_.resources[command] >> sub & 1) != 0) ready = std::max(ready, prepared_sub_);
    if ((plan_.resources[command] >> tensor_dma & 1) != 0)
      for_each_dma_queue(command, [&](std::size_t q) { ready = std::max(ready, prepared_dma_[q]); });
    return ready;
  }
  Cycles end_of(std::int32_t c) const { return c < 0 ? Cycles{0} : made_.commands[static_cast<std::size_t>(c)].end; }
  template <class Visit>
  void for_each_dma_queue(std::size_t command, const Visit& visit) {
    for (std::size_t q = 0; q < last_dma_.size(); ++q)
      if ((plan_.dma_queues[command] >> q & 1) != 0) visit(q);
  }
  /// Shows who was the last in each queue that a command goes through.
  template <class Visit>
  void for_each_queue(std::size_t command, const Visit& visit) {
    for (std::size_t r = 0; r < resource_count; ++r) {
      if ((plan_.resources[command] >> r & 1) == 0) continue;
      if (r != tensor_dma) {
        visit(r, last_[r]);
        continue;
      }
      for_each_dma_queue(command, [&](std::size_t q) { visit(r, last_dma_[q]); });
    }
  }
  void wait_for_resource(program::Scheduled& s, std::size_t r, std::int32_t last, std::size_t command) {
    if (last < 0) return;
    // Two commands that share several resources need one edge.
    for (auto e = made_.edges.rbegin(); e != made_.edges.rend() && e->to == static_cast<std::int32_t>(command); ++e)
      if (e->kind == EdgeKind::Resource && e->from == last) return;
    wait(s, {EdgeKind::Resource, last, static_cast<std::int32_t>(command), static_cast<Resource>(r), {}, 0, 0});
  }
  /// Hazards come first: where a resource is free at the same moment, the data are the reason.
  void wait(program::Scheduled& s, const Edge& edge) {
    made_.edges.push_back(edge);
    Cycles const until = made_.commands[static_cast<std::size_t>(edge.from)].end;
    if (until <= s.start) return;
    s.start = until;
    s.binding = edge;
  }

  const Plan& plan_;
  std::optional<BankWatch> watch_;
  program::Schedule made_;
  std::array<std::int32_t, resource_count> last_{-1, -1, -1, -1, -1};
  std::vector<std::int32_t> last_dma_ = std::vector<std::int32_t>(64, -1);
  std::vector<Cycles> prepared_dma_ = std::vector<Cycles>(64);
  Cycles prepared_sub_{};
  Cycles prologue_ = plan_.prologue;                                  // until the first command has had it
  std::vector<Cycles> second_end_;                                    // by command: when cluster 1 has ended it; empty if no command lags
  std::vector<Cycles> prepared_ = std::vector<Cycles>(plan_.size());  // by command
};

}  // namespace

program::Schedule put_in_time(const Plan& plan, std::vector<std::int32_t> order, bool keep_banks_free) {
  return Placing(plan, keep_banks_free).run(std::move(order));
}

}  // namespace tcp::sched
