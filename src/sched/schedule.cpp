// The scheduler's table of contents: costs, what each command occupies, hazards, times, and what they mean.
#include "tcp/sched/schedule.hpp"

#include <algorithm>
#include <optional>

#include "sched/plan.hpp"
#include "tcp/device/fields.hpp"
#include "tcp/sched/bank_runs.hpp"
#include "tcp/sched/book.hpp"
#include "tcp/sched/calibrated.hpp"
#include "tcp/sched/explain.hpp"
#include "tcp/support/checked.hpp"

namespace tcp::sched {

namespace {

using program::Resource;

Refusal occupies_nothing(std::size_t command) {
  return refuse("sched-no-queue")
      .what("command ", static_cast<std::int64_t>(command), " occupies neither a context nor a DMA queue")
      .why("main, sub, tensor DMA and PCIe DMA are what commands are queued for")
      .help("set its resources, as lowering does");
}
Refusal too_long(std::size_t commands) {
  return refuse("sched-program-too-long")
      .what("the ", static_cast<std::int64_t>(commands), " commands together take more cycles than a schedule counts")
      .why("start and end of a command are 64-bit numbers")
      .help("divide the program");
}

/// Which tables are in the chip: those of the last custom switch and of the last lookup.
class TablesInChip {
 public:
  TablesInChip(const program::Program& program, const Duration::Tables& cost) : program_(program), cost_(cost) {}

  /// What is done before a pass that needs other tables than there are.
  Preparation before(const program::Exec& e, std::int32_t command) {
    Preparation p;
    needed_ = {};
    if (is_custom(e)) {
      if (!(switch_ != nullptr && switch_->snoop == e.switching->snoop)) {
        p.dma += cost_.switch_dma;
        overwrite(p, switched_);
        switch_ = &*e.switching;
        switch_writer_ = command;
      }
      needed_.of_switch = switch_writer_;
      switched_.push_back(command);
    }
    if (e.fetch.table >= 0) {
      if (!(lookup_ >= 0 && program_.tables[index(lookup_)] == program_.tables[index(e.fetch.table)])) {
        p.dma += cost_.lookup_dma;
        p.sub += cost_.lookup_sub;
        overwrite(p, looked_up_);
        lookup_ = e.fetch.table;
        lookup_writer_ = command;
      }
      needed_.of_lookup = lookup_writer_;
      looked_up_.push_back(command);
    }
    return p;
  }
  /// Tables that the last pass needs.
  Tables needed() const { return needed_; }
  static bool is_custom(const program::Exec& e) { return e.switching && e.switching->topology == program::Topology::CustomBroadcast; }

 private:
  static std::size_t index(std::int32_t table) { return static_cast<std::size_t>(table); }
  static void overwrite(Preparation& p, std::vector<std::int32_t>& users) {
    p.after.insert(p.after.end(), users.begin(), users.end());
    users.clear();
  }

  const program::Program& program_;
  Duration::Tables cost_;
  const program::Switch* switch_ = nullptr;
  std::int32_t lookup_ = -1, switch_writer_ = -1, lookup_writer_ = -1;
  std::vector<std::int32_t> switched_, looked_up_;  // who needs the tables that are there
  Tables needed_;
};

/// What it takes to enter the loops that begin between a command and the barrier before it.
std::vector<Cycles> loop_entries(const program::Program& program, Cycles each) {
  if (program.loops.empty() || each == Cycles{0}) return {};
  std::vector<Cycles> entries(program.commands.size());
  std::size_t barrier = 0, loop = 0;
  Cycles sum{};
  for (std::size_t c = 0; c < entries.size(); ++c) {
    auto const number = static_cast<std::int32_t>(c);
    if (barrier < program.barriers.size() && program.barriers[barrier] == number) {
      ++barrier;
      sum = Cycles{0};
    }
    for (; loop < program.loops.size() && program.loops[loop] == number; ++loop) sum += each;
    entries[c] = sum;
  }
  return entries;
}

/// Where nobody lags, nothing is kept.
void add_lags(Plan& plan, const Duration& duration) {
  if (plan.device.levels.clusters_per_chip != 2) return;
  Cycles most{};
  for (const program::Command& command : plan.program.commands) {
    plan.lags.push_back(duration.lag(command));
    plan.clusters.push_back(queues_by_cluster(plan.device, command));
    most = std::max(most, plan.lags.back());
  }
  if (most > Cycles{0}) return;
  plan.lags.clear();
  plan.clusters.clear();
}

/// Costs, and what commands occupy beyond what lowering said.
Verdict add_costs(Plan& plan, const Duration& duration, bool keep_banks_free) {
  BankRunFinder finder(plan.device);
  std::optional<TablesInChip> tables;
  if (auto const cost = duration.tables()) tables.emplace(plan.program, *cost);
  plan.prologue = duration.prologue();
  plan.synchronisation = duration.synchronisation();
  plan.behind_pass = duration.behind_pass();
  if (duration.keeps_loops()) plan.enters = loop_entries(plan.program, duration.loop_entry());
  Checked sum = Checked(plan.prologue.value) + Checked(plan.synchronisation.value);
  constexpr program::Resources any_queue = (1u << queues) - 1;
  for (std::size_t c = 0; c < plan.program.commands.size(); ++c) {
    const program::Command& command = plan.program.commands[c];
    if ((command.resources & any_queue) == 0) return occupies_nothing(c);
    auto alone = duration.cost(command, c);
    if (!alone) return alone.refusal();
    program::Cost cost = *std::move(alone);
    plan.totals.push_back(cost.total());
    sum = sum + Checked(cost.total().value);
    plan.costs.push_back(std::move(cost));
    program::Resources resources = command.resources;
    if (const auto* e = std::get_if<program::Exec>(&command.what); e != nullptr && tables) {
      plan.preparations.resize(c + 1);
      plan.tables.resize(c + 1);
      plan.preparations[c] = tables->before(*e, static_cast<std::int32_t>(c));
      plan.tables[c] = tables->needed();
      if (TablesInChip::is_custom(*e)) resources &= ~(bit(Resource::Sub) | bit(Resource::TensorDma));
      sum = sum + Checked((plan.preparations[c].dma + plan.preparations[c].sub).value);
    }
    plan.runs.push_back(keep_banks_free ? finder.of(command) : BankRuns{});
    for (std::int64_t run : plan.runs.back())
      if (run >= plan.device.dm.same_bank_limit) resources |= bit(Resource::TensorDma);
    plan.resources.push_back(resources);
    plan.dma_queues.push_back(duration.queue_per_cluster() ? queues_by_cluster(plan.device, command) : 1);
  }
  if (tables) {
    plan.preparations.resize(plan.program.commands.size());
    plan.tables.resize(plan.program.commands.size());
  }
  add_lags(plan, duration);
  for (Cycles lag : plan.lags) sum = sum + Checked(lag.value);
  return sum.fits ? accept() : Verdict(too_long(plan.program.commands.size()));
}

/// What loops add to any order of the commands: nothing runs while one is entered, but for tables that are written.
Cycles entering(const Plan& plan, const Duration& duration) {
  if (plan.enters.empty()) return {};
  Cycles sum{static_cast<std::int64_t>(plan.program.loops.size()) * duration.loop_entry().value};
  for (const Preparation& p : plan.preparations) sum = std::max(sum - p.total(), Cycles{0});
  return sum;
}

std::vector<std::int32_t> program_order(const Plan& plan) {
  std::vector<std::int32_t> order;
  for (std::int32_t c = 0; c < static_cast<std::int32_t>(plan.size()); ++c) {
    if (plan.prepares(c)) order.push_back(preparation_of(c));
    order.push_back(c);
  }
  return order;
}

}  // namespace

std::uint64_t queues_by_cluster(const Device& device, const program::Command& command) {
  std::int64_t const engines = std::max<std::int64_t>(device.dma.engines_per_chip / device.levels.clusters_per_chip, 1);
  std::uint64_t set = 0;
  auto const add = [&](std::int64_t queue) { set |= std::uint64_t{1} << std::min<std::int64_t>(queue, 63); };
  if (const auto* dma = std::get_if<program::Dma>(&command.what))
    for (const program::DmaDescriptor& d : dma->descriptors) add(d.engine / engines);
  if (const auto* e = std::get_if<program::Exec>(&command.what))
    for (std::size_t chip = 0; chip < e->units.chips.size(); ++chip)
      for (std::int64_t cluster = 0; cluster < device.levels.clusters_per_chip; ++cluster)
        if (e->units.chips[chip] && (e->units.clusters >> cluster & 1) != 0)
          add(static_cast<std::int64_t>(chip) * device.levels.clusters_per_chip + cluster);
  return set == 0 ? ~std::uint64_t{0} : set;
}

Refusal command_too_long(Cycles total) {
  return refuse("sched-command-too-long")
      .what("a command takes ", total.value, " cycles or more; the schedule counts commands of fewer than ", longest_command.value)
      .why("its sizes multiply to more steps than a chip would finish in days")
      .help("divide the command, or look for a loop whose size is wrong");
}

namespace {

/// The edges over barriers. Of the commands before one, those that nothing before it waits for end last; of the
/// commands behind it, those that wait for nothing behind it start first: edges between these hold all of them.
class Barriers {
 public:
  explicit Barriers(const program::Program& program) : barriers_(program.barriers), is_waited_for_(program.commands.size(), false) {}

  /// The command's edges, with those over the barrier before it. Every command is to be shown, in program order.
  void add(std::int32_t command, std::vector<program::Edge>& edges) {
    if (next_ < barriers_.size() && barriers_[next_] == command) {
      before_.clear();
      for (std::int32_t c = first_; c < command; ++c)
        if (!is_waited_for_[static_cast<std::size_t>(c)]) before_.push_back(c);
      first_ = command;
      ++next_;
    }
    bool waits = false;
    for (const program::Edge& e : edges)
      if (e.from >= first_) {
        is_waited_for_[static_cast<std::size_t>(e.from)] = true;
        waits = true;
      }
    if (waits) return;
    for (std::int32_t c : before_)
      if (std::none_of(edges.begin(), edges.end(), [c](const program::Edge& e) { return e.from == c; }))
        edges.push_back({program::EdgeKind::Barrier, c, command, {}, {}, 0, 0});
  }

 private:
  const std::vector<std::int32_t>& barriers_;
  std::vector<bool> is_waited_for_;
  std::vector<std::int32_t> before_;  // what ends last before the barrier
  std::size_t next_ = 0;
  std::int32_t first_ = 0;  // behind the barrier
};

}  // namespace

void find_hazards(Plan& plan, Kept kept, const Duration& duration) {
  plan.hazards.clear();
  plan.first_hazard.assign(1, 0);
  bool const keeps_loops = duration.keeps_loops() && !plan.program.barriers.empty();
  Hazards hazards(plan.program, plan.resources, keeps_loops ? Kept::all : kept, duration.waits_for_whole_buffers());
  Barriers barriers(plan.program);
  std::vector<Cycles> chain_end(plan.size());
  for (std::size_t c = 0; c < plan.size(); ++c) {
    std::vector<program::Edge> edges = hazards.next();
    if (keeps_loops) barriers.add(static_cast<std::int32_t>(c), edges);
    plan.hazards.insert(plan.hazards.end(), edges.begin(), edges.end());
    plan.first_hazard.push_back(plan.hazards.size());
    for (std::int32_t from : hazards.producers()) chain_end[c] = std::max(chain_end[c], chain_end[static_cast<std::size_t>(from)]);
    chain_end[c] += plan.totals[c];
    plan.chain = std::max(plan.chain, chain_end[c]);
  }
}

Expected<program::Schedule> schedule(const program::Program& program, const Device& device, const Duration& duration,
                                     const Options& options) {
  Plan plan{program, device, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
  if (auto v = add_costs(plan, duration, options.keep_banks_free); !v) return v.refusal();
  // Where clusters have queues of their own, the last DMA need not be the one that ends last.
  bool const ready_first = options.order == Order::of_model ? duration.takes_what_is_ready() : options.order == Order::ready;
  Kept const kept = duration.queue_per_cluster() || ready_first ? Kept::all : Kept::last_of_queue;
  find_hazards(plan, kept, duration);
  program::Schedule made =
      put_in_time(plan, ready_first ? list_order(plan, First::earliest) : program_order(plan), options.keep_banks_free);
  made.order_by = ready_first ? program::OrderKind::Ready : program::OrderKind::Program;
  Cycles least{};
  if (options.reorder) {
    find_hazards(plan, Kept::all, duration);
    Cycles const before = made.makespan;
    auto const take = [&](const std::vector<std::int32_t>& order) {
      program::Schedule other = put_in_time(plan, order, options.keep_banks_free);
      if (other.makespan < made.makespan) {
        made = std::move(other);
        made.order_by = program::OrderKind::Shorter;
      }
      return made.makespan;
    };
    take(list_order(plan, First::longest_way));
    least = best_order(plan, made.makespan, options.orders, [&](const std::vector<std::int32_t>& order) {
              Cycles const now = made.makespan;
              Cycles const then = put_in_time(plan, order, options.keep_banks_free).makespan;
              return then < now ? take(order) : then;
            }).least;
    made.gained = before - made.makespan;
  } else if (ready_first) {
    least = best_order(plan, made.makespan, 0, [&](const std::vector<std::int32_t>&) { return made.makespan; }).least;
  }
  if (least > Cycles{0}) least = std::min(least + entering(plan, duration), made.makespan);
  made.model = duration.name();
  made.chip = device.name.view();
  made.assumptions = assumption_count(device, duration.name());
  made.bounds = rate_bounds(program, device);
  made.bounds.chain = plan.chain;
  made.bounds.order = least;
  explain(made);
  return made;
}

Expected<std::unique_ptr<Duration>> duration_named(std::string_view name, const Device& device) {
  if (name == "book") return std::unique_ptr<Duration>(std::make_unique<BookDuration>(device));
  if (name == "calibrated") return std::unique_ptr<Duration>(std::make_unique<CalibratedDuration>(device));
  if (name == "planned") return std::unique_ptr<Duration>(std::make_unique<CalibratedDuration>(device, Figures::Planned));
  return refuse("sched-unknown-model")
      .what("there is no timing model '", name, "'")
      .why("a model is chosen by its name; book, calibrated and planned are closed forms of a command")
      .help("write book, calibrated or planned");
}

}  // namespace tcp::sched
