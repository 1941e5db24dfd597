// The clock of the model `detailed`: it starts commands as their edges allow, moves all that run from cycle to cycle,
// and jumps over cycles in which nothing happens.
#include "tcp/sim/detailed.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "sim/detailed/banks.hpp"
#include "sim/detailed/dma.hpp"
#include "sim/detailed/pass.hpp"
#include "tcp/program/check.hpp"
#include "tcp/sched/bank_runs.hpp"
#include "tcp/sched/book.hpp"
#include "tcp/sched/explain.hpp"
#include "tcp/sched/schedule.hpp"
#include "tcp/support/bug.hpp"

namespace tcp::sim {

namespace {

using program::Edge;
using program::EdgeKind;
using program::Resource;

constexpr std::int64_t looks_per_question = 1 << 14;

/// Commands that take no time, for which the scheduler finds the edges and nothing else.
class NoTime final : public sched::Duration {
 public:
  std::string_view name() const override { return "detailed"; }
  Expected<program::Cost> cost(const program::Command&, std::size_t) const override { return program::Cost{}; }
  bool queue_per_cluster() const override { return true; }
};

/// What commands took.
class Measured final : public sched::Duration {
 public:
  explicit Measured(const program::Schedule& made) : made_(made) {}
  std::string_view name() const override { return "detailed"; }
  Expected<program::Cost> cost(const program::Command&, std::size_t number) const override { return made_.commands[number].cost; }
  bool queue_per_cluster() const override { return true; }

 private:
  const program::Schedule& made_;
};

bool works_in_tensor_unit(const program::Command& c) {
  const auto* dma = std::get_if<program::Dma>(&c.what);
  return dma == nullptr || dma->parallel_copy;
}
/// The contexts whose fetch and commit a command uses.
program::Resources contexts(const program::Command& c) {
  if (!works_in_tensor_unit(c)) return 0;
  const auto* e = std::get_if<program::Exec>(&c.what);
  if (e == nullptr || e->sub) return bit(Resource::Sub);
  return bit(Resource::Main) | (e->dual ? bit(Resource::Sub) : 0u);
}

Refusal context_not_taken(std::size_t command, program::Resources missing) {
  return refuse("detailed-context-not-taken")
      .what("command ", static_cast<std::int64_t>(command), " works in the ", (missing & bit(Resource::Main)) != 0 ? "main" : "sub",
            " context without occupying it")
      .why("each context has one fetch and one commit engine, so that two commands in it would be served as one")
      .help("set its resources, as lowering does");
}

bool meet(const program::Units& a, const program::Units& b) {
  bool chips = false, slices = false;
  for (std::size_t i = 0; i < std::min(a.chips.size(), b.chips.size()); ++i) chips = chips || (a.chips[i] && b.chips[i]);
  for (std::size_t w = 0; w < a.slices.word.size(); ++w) slices = slices || (a.slices.word[w] & b.slices.word[w]) != 0;
  return chips && slices && (a.clusters & b.clusters) != 0;
}
bool share_trf(const program::Command& a, const program::Command& b) {
  const auto *x = std::get_if<program::Exec>(&a.what), *y = std::get_if<program::Exec>(&b.what);
  return x != nullptr && y != nullptr && meet(x->units, y->units);
}
template <class Visit>
void each_dm_range(const program::Command& c, Visit visit) {
  for (const auto* ranges : {&c.reads, &c.writes})
    for (const program::Range& r : *ranges)
      if (r.memory == program::Memory::Dm) visit(r);
}
bool share_a_slice(const program::Command& a, const program::Command& b) {
  bool shared = false;
  each_dm_range(
      a, [&](const program::Range& x) { each_dm_range(b, [&](const program::Range& y) { shared = shared || meet(x.units, y.units); }); });
  return shared;
}

class Runner {
 public:
  Runner(const program::Program& program, const Device& device, const DetailedOptions& options, program::Schedule frame)
      : program_(program),
        device_(device),
        options_(options),
        alone_(device),
        finder_(device),
        banks_(options.collapse ? collapsed_banks(device, program.chips) : live_banks(device, program.chips)),
        media_(device, program.chips, options.hbm_order, *banks_),
        made_(std::move(frame)),
        runs_(program.commands.size()),
        first_edge_(program.commands.size() + 1, 0),
        waits_for_(program.commands.size(), 0),
        waited_by_(program.commands.size()),
        starved_by_(program.commands.size()),
        state_(program.commands.size(), State::waiting) {
    edges_ = std::move(made_.edges);
    made_.edges.clear();
    for (const Edge& e : edges_) {
      ++first_edge_[static_cast<std::size_t>(e.to) + 1];
      ++waits_for_[static_cast<std::size_t>(e.to)];
      waited_by_[static_cast<std::size_t>(e.from)].push_back(e.to);
    }
    for (std::size_t c = 0; c < program.commands.size(); ++c) first_edge_[c + 1] += first_edge_[c];
  }

  Expected<DetailedRun> run() {
    for (std::size_t c = 0; c < size(); ++c)
      if (waits_for_[c] == 0) ready_.push_back(static_cast<std::int32_t>(c));
    bool complete = true;
    while (complete && ended_ < size()) {
      if (!ready_.empty() && look_again_)
        if (Verdict v = start_ready(); !v) return v.refusal();
      if (finish()) continue;
      TCP_BUG_UNLESS(running() > 0, "commands wait for each other");
      cycle();
      if (banks_->trouble) return *banks_->trouble;
      if (media_.trouble) return *media_.trouble;
      if (++looks_ % looks_per_question == 0 && options_.on_progress)
        complete = options_.on_progress({Cycles{now_}, static_cast<std::int64_t>(ended_), static_cast<std::int64_t>(size())});
    }
    if (!complete) cut_off();
    DetailedRun made;
    made.complete = complete;
    made.hbm = media_.channels();
    made.banks = banks_->use();
    if (Verdict v = close(); !v) return v.refusal();
    made.schedule = std::move(made_);
    return made;
  }

 private:
  enum class State : std::uint8_t { waiting, running, ended };

  std::size_t size() const { return program_.commands.size(); }
  std::size_t running() const { return dmas_.size() + (main_ ? 1u : 0u) + (sub_ ? 1u : 0u); }
  program::Scheduled& of(std::int32_t c) { return made_.commands[static_cast<std::size_t>(c)]; }
  const program::Command& command(std::int32_t c) const { return program_.commands[static_cast<std::size_t>(c)]; }

  /// What starves a DMA is looked at again when a command has ended: before, there is only more that runs.
  Verdict start_ready() {
    look_again_ = false;
    std::sort(ready_.begin(), ready_.end());
    std::vector<std::int32_t> blocked;
    std::vector<std::int32_t> const candidates = std::exchange(ready_, {});
    for (std::int32_t c : candidates) {
      if (options_.keep_banks_free && starves(c)) {
        blocked.push_back(c);
        continue;
      }
      if (Verdict v = start(c); !v) return v;
    }
    ready_.insert(ready_.end(), blocked.begin(), blocked.end());
    return accept();
  }

  /// Only a DMA is starved; a command without one beside it is merely delayed by others.
  bool starves(std::int32_t c) {
    sched::BankRuns& own = runs_[static_cast<std::size_t>(c)];
    own = finder_.of(command(c));
    if (own.empty()) return false;
    sched::BankRuns sum = own;
    bool dma = !works_in_tensor_unit(command(c));
    std::vector<std::int32_t> beside;
    for (std::int32_t other : running_) {
      const sched::BankRuns& runs = runs_[static_cast<std::size_t>(other)];
      if (runs.empty() || !share_a_slice(command(c), command(other))) continue;
      beside.push_back(other);
      dma = dma || !works_in_tensor_unit(command(other));
      for (std::size_t b = 0; b < sum.size(); ++b) sum[b] += runs[b];
    }
    if (!dma || beside.empty()) return false;
    for (std::size_t b = 0; b < sum.size(); ++b)
      if (own[b] > 0 && sum[b] >= device_.dm.same_bank_limit) {
        starved_by_[static_cast<std::size_t>(c)] = {std::move(beside), static_cast<std::int64_t>(b), sum[b]};
        return true;
      }
    return false;
  }

  Verdict start(std::int32_t c) {
    program::Scheduled& s = of(c);
    place(c);
    s.start = Cycles{now_};
    state_[static_cast<std::size_t>(c)] = State::running;
    started_.push_back(c);
    running_.push_back(c);
    if (!works_in_tensor_unit(command(c))) {
      dmas_.push_back(std::make_unique<DmaRun>(device_, c, std::get<program::Dma>(command(c).what), media_, now_));
      return accept();
    }
    auto alone = alone_.cost(command(c), static_cast<std::size_t>(c));
    if (!alone) return alone.refusal();
    s.cost = *std::move(alone);
    std::optional<Pass>& context = (contexts(command(c)) & bit(Resource::Main)) != 0 ? main_ : sub_;
    TCP_BUG_UNLESS(!context, "a context has two commands at a time");
    context.emplace(device_, c, command(c), s.cost, now_);
    s.cost.startup = context->fill();
    context->take(*banks_);
    trf_meets_ = main_ && sub_ && share_trf(command(main_->number()), command(sub_->number()));
    return accept();
  }

  /// The edges of a command in the order in which the scheduler looks at them; the one that ends last is binding.
  void place(std::int32_t c) {
    program::Scheduled& s = of(c);
    s.start = Cycles{0};
    s.binding = {};
    std::size_t const at = static_cast<std::size_t>(c);
    for (std::size_t e = first_edge_[at]; e < first_edge_[at + 1]; ++e) wait(s, edges_[e]);
    for (std::int32_t other : starved_by_[at].beside)
      if (state_[static_cast<std::size_t>(other)] == State::ended && of(other).end.value == now_) {
        starvation_.push_back({EdgeKind::Starvation, other, c, {}, program::Memory::Dm, starved_by_[at].bank, starved_by_[at].accesses});
        return wait(s, starvation_.back());
      }
  }
  void wait(program::Scheduled& s, const Edge& e) {
    Cycles const until = of(e.from).end;
    if (until <= s.start) return;
    s.start = until;
    s.binding = e;
  }

  /// One cycle, and those after it in which nothing happens.
  void cycle() {
    for (std::optional<Pass>* p : {&main_, &sub_})
      if (*p && (*p)->end() < 0) (*p)->issue(now_, *banks_);
    for (auto& d : dmas_) d->look(now_);
    if (finish()) return;
    if (!banks_->idle()) {
      banks_->step();
      for (std::uint64_t tag : banks_->answered) media_.route(tag, now_ + 1);
    }
    for (std::optional<Pass>* p : {&main_, &sub_})
      if (*p && (*p)->end() < 0) (*p)->settle(now_, *banks_);
    for_each_trf_writer(
        [this](Pass& writer, Pass* reader) { writer.write_trf(now_, reader != nullptr ? &reader->reading(now_) : nullptr); });
    ++now_;
    if (banks_->idle()) now_ = std::max(now_, next());
    media_.advance(now_);
  }
  /// Shows who writes to the TRF, and who reads weights beside it in slices of its own.
  template <class Visit>
  void for_each_trf_writer(Visit visit) {
    for (auto [writer, reader] : {std::pair(&main_, &sub_), std::pair(&sub_, &main_)})
      if (*writer && (*writer)->writes_trf()) visit(**writer, trf_meets_ && *reader && (*reader)->reads_trf() ? &**reader : nullptr);
  }
  std::int64_t next() {
    std::int64_t at = std::numeric_limits<std::int64_t>::max();
    for_each_trf_writer([&](const Pass& writer, const Pass* reader) {
      if (reader != nullptr) at = std::min(at, writer.next_write(now_));
    });
    for (const std::optional<Pass>* p : {&main_, &sub_})
      if (*p) at = std::min(at, (*p)->next(now_));
    for (const auto& d : dmas_) at = std::min(at, d->next(now_));
    return at;
  }

  /// Whether any command has ended by now.
  bool finish() {
    std::size_t const before = ended_;
    for (std::optional<Pass>* p : {&main_, &sub_}) {
      if (!*p || (*p)->end() < 0 || (*p)->end() > now_) continue;
      program::Scheduled& s = of((*p)->number());
      std::int64_t const more = (*p)->end() - s.start.value - s.cost.total().value;
      std::int64_t const in_trf = std::min(more, (*p)->halted_by_trf());
      if (in_trf > 0) s.cost.stalls.push_back({program::Stall::TrfBank, Cycles{in_trf}});
      if (more > in_trf) s.cost.stalls.push_back({program::Stall::DmBank, Cycles{more - in_trf}});
      (*p)->leave(*banks_);
      std::int32_t const c = (*p)->number();
      p->reset();
      ended(c);
    }
    for (std::size_t i = 0; i < dmas_.size();) {
      if (dmas_[i]->end() < 0 || dmas_[i]->end() > now_) {
        ++i;
        continue;
      }
      std::int32_t const c = dmas_[i]->number();
      of(c).cost = dmas_[i]->cost();
      dmas_.erase(dmas_.begin() + static_cast<std::ptrdiff_t>(i));
      ended(c);
    }
    return ended_ > before;
  }
  void ended(std::int32_t c) {
    program::Scheduled& s = of(c);
    s.end = s.start + s.cost.total();
    TCP_BUG_UNLESS(s.end.value == now_, "the parts of a command's cost are not its cycles");
    state_[static_cast<std::size_t>(c)] = State::ended;
    running_.erase(std::find(running_.begin(), running_.end(), c));
    ++ended_;
    look_again_ = true;
    for (std::int32_t after : waited_by_[static_cast<std::size_t>(c)])
      if (--waits_for_[static_cast<std::size_t>(after)] == 0) ready_.push_back(after);
  }

  /// What runs ends here, and what waits takes no time.
  void cut_off() {
    for (std::int32_t c : running_) {
      of(c).cost = {};
      of(c).cost.streaming = Cycles{now_} - of(c).start;
      of(c).end = Cycles{now_};
    }
    for (std::size_t c = 0; c < size(); ++c) {
      if (state_[c] != State::waiting) continue;
      std::int32_t const number = static_cast<std::int32_t>(c);
      starved_by_[c] = {};
      place(number);
      of(number).end = of(number).start;
      started_.push_back(number);
    }
  }

  Verdict close() {
    for (const program::Scheduled& s : made_.commands) made_.makespan = std::max(made_.makespan, s.end);
    // Program order, unless a command had to wait for a later one that was running.
    bool const in_order = std::none_of(starvation_.begin(), starvation_.end(), [](const Edge& e) { return e.from > e.to; });
    if (!in_order) made_.order = started_;
    std::sort(starvation_.begin(), starvation_.end(), [](const Edge& a, const Edge& b) { return a.to < b.to; });
    for (std::int32_t c : made_.order) {
      std::size_t const at = static_cast<std::size_t>(c);
      made_.edges.insert(made_.edges.end(), edges_.begin() + static_cast<std::ptrdiff_t>(first_edge_[at]),
                         edges_.begin() + static_cast<std::ptrdiff_t>(first_edge_[at + 1]));
      auto const own =
          std::lower_bound(starvation_.begin(), starvation_.end(), c, [](const Edge& e, std::int32_t to) { return e.to < to; });
      if (own != starvation_.end() && own->to == c) made_.edges.push_back(*own);
    }
    auto const measured = sched::schedule(program_, device_, Measured(made_), {.reorder = false, .keep_banks_free = false});
    if (!measured) return measured.refusal();
    made_.bounds.chain = measured->bounds.chain;
    made_.critical_path.clear();
    made_.path = {};
    sched::explain(made_);
    return accept();
  }

  /// Why a command did not start although nothing else was in its way.
  struct Starved {
    std::vector<std::int32_t> beside;
    std::int64_t bank = 0, accesses = 0;
  };

  const program::Program& program_;
  const Device& device_;
  const DetailedOptions& options_;
  sched::BookDuration alone_;
  sched::BankRunFinder finder_;
  std::unique_ptr<Banks> banks_;
  Media media_;
  program::Schedule made_;
  std::vector<sched::BankRuns> runs_;
  std::vector<Edge> edges_, starvation_;
  std::vector<std::size_t> first_edge_;  // of each command, and one past the last
  std::vector<std::int32_t> waits_for_;
  std::vector<std::vector<std::int32_t>> waited_by_;
  std::vector<Starved> starved_by_;
  std::vector<State> state_;
  std::vector<std::int32_t> ready_, running_, started_;
  std::optional<Pass> main_, sub_;
  std::vector<std::unique_ptr<DmaRun>> dmas_;
  std::int64_t now_ = 0, looks_ = 0;
  bool look_again_ = true;
  bool trf_meets_ = false;  // the two contexts work in slices of each other
  std::size_t ended_ = 0;
};

}  // namespace

Expected<DetailedRun> run_detailed(const program::Program& program, const Device& device, const DetailedOptions& options) {
  if (Verdict v = program::check(program, device); !v) return v.refusal();
  for (std::size_t c = 0; c < program.commands.size(); ++c)
    if (program::Resources const missing = contexts(program.commands[c]) & ~program.commands[c].resources; missing != 0)
      return context_not_taken(c, missing);
  auto frame = sched::schedule(program, device, NoTime(), {.reorder = false, .keep_banks_free = options.keep_banks_free});
  if (!frame) return frame.refusal();
  return Runner(program, device, options, *std::move(frame)).run();
}

}  // namespace tcp::sim
