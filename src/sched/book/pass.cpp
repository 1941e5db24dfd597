// A pass through the Tensor Unit: the slowest engine, and the fill.
#include "sched/book/saturating.hpp"
#include "tcp/scalar/packing.hpp"

namespace tcp::sched::book {

namespace {

using program::Engine;

/// Follows the stream through its engines.
class Pipeline {
 public:
  Pipeline(const Device& device, const program::Exec& e, const LiteralBook& literal) : device_(device), e_(e), literal_(literal) {}

  program::Cost run() {
    fetch();
    switch_and_collect();
    if (e_.contraction) contract(*e_.contraction);
    if (e_.vector) vector(*e_.vector);
    if (e_.cast) add(Engine::Cast, Cycles{flits_});
    if (e_.transpose) add(Engine::Transpose, transpose_cycles(*e_.transpose));
    std::visit([this](const auto& sink) { end(sink); }, e_.sink);
    return finish();
  }

 private:
  void add(Engine engine, Cycles cycles) { cost_.engines.push_back({engine, cycles}); }

  void fetch() {
    cost_.streaming = fetch_cycles(device_, e_.fetch, e_.dual, literal_);
    cost_.startup = fetch_fill(device_, e_.fetch);
    add(Engine::Fetch, cost_.streaming);
  }
  void switch_and_collect() {
    std::int64_t const packets = bounded(e_.fetch.read.packets);
    std::int64_t const bytes = quotient_up(times(e_.fetch.packet_elements, scalar_info(e_.fetch.type).packet_bits), 8);
    std::int64_t const a_packet = flits(device_, bytes, e_.dual);
    std::int64_t arriving = packets;
    if (e_.switching) {
      add(Engine::Switch, switch_cycles(e_.switching->ring_size, packets, a_packet));
      arriving = bounded(e_.switching->time_out);
    }
    flits_ = times(arriving, a_packet);
    if (e_.collect) {
      add(Engine::Collect, Cycles{flits_});
      flits_ = times(arriving, e_.collect->flits_per_packet);
    }
  }
  void contract(const program::Contraction& c) {
    add(Engine::Contraction, contraction_cycles(device_, c, literal_));
    flits_ = reducer_flits(device_, c);
    add(Engine::Reducer, Cycles{flits_});
    if (!literal_.tree_not_pipelined) cost_.startup += tree_latency(device_, c.type);
  }
  void vector(const program::Vector& v) {
    add(Engine::Vector, vector_cycles(v, flits_));
    cost_.startup += vector_fill(device_, v);
    if (!v.steps.empty()) flits_ = bounded(v.steps.back().time_out);
  }
  void end(const program::Commit& c) { add(Engine::Commit, commit_cycles(c)); }
  void end(const program::TrfStore&) { add(Engine::TrfStore, Cycles{flits_}); }
  void end(const program::VrfStore&) { add(Engine::VrfStore, Cycles{flits_}); }

  program::Cost finish() {
    Cycles most{0};
    for (const program::EngineCycles& each : cost_.engines) {
      if (each.cycles <= most) continue;
      most = each.cycles;
      cost_.slowest = each.engine;
    }
    if (most > cost_.streaming) cost_.stalls.push_back({program::Stall::Engine, most - cost_.streaming});
    return std::move(cost_);
  }

  const Device& device_;
  const program::Exec& e_;
  const LiteralBook& literal_;
  program::Cost cost_;
  std::int64_t flits_ = 0;  // that leave the engine at hand
};

}  // namespace

program::Cost pass_cost(const Device& device, const program::Exec& e, const LiteralBook& literal) {
  return Pipeline(device, e, literal).run();
}

}  // namespace tcp::sched::book
