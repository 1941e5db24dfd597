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
  /// One write per cycle, after what any pass needs first.
  program::Cost operator()(const program::Itos& i) const {
    program::Cost cost;
    cost.startup = calibrated::observed(device, figures).move_pass;
    cost.streaming = Cycles{program::walk_of(i).packets};
    cost.slowest = program::Engine::Itos;
    cost.engines = {{program::Engine::Itos, cost.streaming}};
    return cost;
  }
};

}  // namespace

Expected<program::Cost> CalibratedDuration::cost(const program::Command& command, std::size_t) const {
  program::Cost const made = std::visit(CostOf{device_, figures_}, command.what);
  if (made.total() < longest_command) return made;
  return command_too_long(made.total());
}

}  // namespace tcp::sched
