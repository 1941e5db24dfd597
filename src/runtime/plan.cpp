// Chooses the timing model by its name, lets sched or sim work out the times, and has timeline make the trace.
#include "tcp/runtime/plan.hpp"

#include <algorithm>

#include "tcp/sched/explain.hpp"
#include "tcp/sched/schedule.hpp"
#include "tcp/support/version.hpp"
#include "tcp/timeline/timeline.hpp"
#include "tcp/trace/source_text.hpp"

namespace tcp {

namespace {

constexpr std::string_view side_by_side = "detailed";

Expected<Plan> run_side_by_side(const program::Program& program, const Device& device, const PlanOptions& options) {
  if (options.reorder || options.order == sched::Order::ready)
    return refuse("runtime-detailed-reorder")
        .what("the timing model detailed cannot reorder commands")
        .why("it finds out how long they take while they run, and a better order needs that beforehand")
        .help("leave reorder out, or choose the model book, planned or calibrated");
  sim::DetailedOptions how;
  if (options.go_on)
    how.on_progress = [&options](const sim::DetailedProgress& p) {
      return options.go_on(static_cast<std::size_t>(p.ended), static_cast<std::size_t>(p.commands));
    };
  return sim::run_detailed(program, device, how);
}

/// What a transfer takes in the model `detailed` when nothing runs beside it.
std::optional<Cycles> detailed_transfer(const program::Program& of, const Device& device, const program::Dma& transfer) {
  program::Program alone;
  alone.chip = of.chip;
  alone.chips = of.chips;
  alone.commands.emplace_back();
  alone.commands[0].what = transfer;
  alone.commands[0].resources = bit(transfer.pcie ? program::Resource::PcieDma : program::Resource::TensorDma);
  auto const run = sim::run_detailed(alone, device);
  if (!run) return std::nullopt;
  return run->schedule.makespan;
}

}  // namespace

Expected<Plan> plan(const program::Program& program, const Device& device, const PlanOptions& options) {
  if (options.model == side_by_side) return run_side_by_side(program, device, options);
  auto const duration = sched::duration_named(options.model, device);
  if (!duration) return duration.refusal();
  auto schedule = sched::schedule(program, device, **duration, {.reorder = options.reorder, .order = options.order});
  if (!schedule) return schedule.refusal();
  Plan made;
  made.schedule = *std::move(schedule);
  return made;
}

void cut_short(Plan& plan, const std::vector<bool>& ran) {
  program::Schedule& s = plan.schedule;
  plan.complete = false;
  for (std::size_t i = 0; i < ran.size(); ++i)
    if (!ran[i]) {
      program::Resources const occupied = s.commands[i].resources;
      s.commands[i] = {};
      s.commands[i].resources = occupied;
    }
  // Edges stand in the order in which commands were taken, so that where one comes from is settled by then.
  for (const program::Edge& e : s.edges) {
    program::Scheduled& to = s.commands[static_cast<std::size_t>(e.to)];
    Cycles const ready = s.commands[static_cast<std::size_t>(e.from)].end;
    if (ran[static_cast<std::size_t>(e.to)] || ready <= to.start) continue;
    to.start = to.end = ready;
    to.binding = e;
  }
  s.makespan = {};
  for (const program::Scheduled& c : s.commands) s.makespan = std::max(s.makespan, c.end);
  s.critical_path.clear();
  s.path = {};
  sched::explain(s);
}

trace::Trace trace_of(const program::Program& program, const Plan& plan, const Device& device) {
  trace::SourceText text;
  timeline::TraceOptions options;
  options.tool = std::string("tcp ") + library_version();
  options.source_line = [&text](const std::string& file, std::int64_t line) { return text.line(file, line); };
  bool const measured = plan.schedule.model == side_by_side;
  options.queue_per_cluster = measured;
  options.kept_banks_free = !measured;  // banks are found free or taken while commands run, not beforehand
  if (measured) options.transfer_alone = [&](const program::Dma& transfer) { return detailed_transfer(program, device, transfer); };
  trace::Trace made = timeline::make_trace(program, plan.schedule, device, options);
  made.complete = plan.complete;
  if (measured) sim::add_measured(plan, device, made);
  return made;
}

}  // namespace tcp
