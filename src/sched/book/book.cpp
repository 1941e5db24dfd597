// The model `book`: which closed form a command has.
#include "sched/book/saturating.hpp"

namespace tcp::sched {

namespace {

struct CostOf {
  const Device& device;
  const LiteralBook& literal;

  program::Cost operator()(const program::Exec& e) const { return book::pass_cost(device, e, literal); }
  program::Cost operator()(const program::Dma& d) const { return book::dma_cost(device, d, literal); }
  /// One write per cycle.
  program::Cost operator()(const program::Itos& i) const {
    program::Cost cost;
    cost.streaming = Cycles{program::walk_of(i).packets};
    cost.slowest = program::Engine::Itos;
    cost.engines = {{program::Engine::Itos, cost.streaming}};
    return cost;
  }
};

}  // namespace

Expected<program::Cost> BookDuration::cost(const program::Command& command, std::size_t) const {
  program::Cost const made = std::visit(CostOf{device_, literal_}, command.what);
  if (made.total() < longest_command) return made;
  return command_too_long(made.total());
}

}  // namespace tcp::sched
