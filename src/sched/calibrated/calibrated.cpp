// The models `planned` and `calibrated`: which form a command has.
#include "sched/calibrated/calibrated.hpp"

#include <variant>

namespace tcp::sched {

namespace {

struct CostOf {
  const Device& device;
  Figures figures;

  program::Cost operator()(const program::Exec& e) const { return calibrated::pass_cost(device, e, figures); }
  program::Cost operator()(const program::Dma& d) const { return calibrated::dma_cost(device, d, figures); }
  /// So many bytes per cycle in each slice.
  program::Cost operator()(const program::Itos& i) const {
    const chip::Observed& c = calibrated::observed(device, figures);
    program::Cost cost;
    cost.startup = c.memset;
    cost.streaming = Cycles{book::quotient_up(book::times(book::times(program::walk_of(i).packets, i.bytes), 100), c.memset_bytes)};
    cost.slowest = program::Engine::Itos;
    cost.engines = {{program::Engine::Itos, cost.streaming}};
    return cost;
  }
};

}  // namespace

Expected<program::Cost> CalibratedDuration::cost(const program::Command& command, std::size_t) const {
  program::Cost const made = std::visit(CostOf{device_, figures_}, command.what);
  Cycles const whole = made.total() + lag(command);
  if (whole < longest_command) return made;
  return command_too_long(whole);
}

Cycles CalibratedDuration::lag(const program::Command& command) const {
  const auto* dma = std::get_if<program::Dma>(&command.what);
  return dma == nullptr || numbers().second_cluster_percent >= 100 ? Cycles{0} : calibrated::dma_lag(device_, *dma, figures_);
}

}  // namespace tcp::sched
