// What chips took. Of whole kernels only the plan is known, not the program; of reads the lengths of the runs.
#include "references.hpp"
#include "tcp/sched/calibrated.hpp"
#include "unit/sched/records.hpp"

namespace tcp::accuracy {

namespace {

constexpr std::int64_t slice_stride = 4 << 20, dmn_stride = 32 * slice_stride, an_engine = 1 << 20;

/// 1 MB for each engine of so many clusters, in runs of this length.
program::Dma reads(std::int64_t run, std::int32_t clusters) {
  program::Dma d;
  for (std::int32_t e = 0; e < 4 * clusters; ++e)
    d.descriptors.push_back(sched::descriptor(e, sched::hbm(e * an_engine), sched::dm(e / 4, 64 * (e % 4), 0),
                                              {{an_engine / 64 / run, 64 * run, run}, {32, 2 * run, slice_stride}, {2, run, dmn_stride}},
                                              run));
  return d;
}
program::Cost cost_by(const Device& device, const program::Dma& d, Model model) {
  if (model == Model::Book) return sched::book::dma_cost(device, d);
  return sched::calibrated::dma_cost(device, d, model == Model::Planned ? sched::Figures::Planned : sched::Figures::Seen);
}

program::Cost pass_by(const Device& device, const program::Exec& e, Model model) {
  if (model == Model::Book) return sched::book::pass_cost(device, e);
  return sched::calibrated::pass_cost(device, e, model == Model::Planned ? sched::Figures::Planned : sched::Figures::Seen);
}

Reference read_rate(std::string name, double figure, std::int64_t run, std::int32_t clusters) {
  auto const ours = [run, clusters](const Device& device, Model model) {
    if (model == Model::Detailed) return 0.0;
    program::Cost const cost = cost_by(device, reads(run, clusters), model);
    return static_cast<double>(4 * clusters * an_engine) / static_cast<double>((cost.total() - cost.startup).value);
  };
  return {Kind::Seen, std::move(name), figure, Use::Taken, {}, ours};
}
/// There and back: a store and a load of the same bytes, both clusters.
Reference through_hbm(std::string name, double figure) {
  auto const ours = [](const Device& device, Model model) {
    if (model == Model::Detailed) return 0.0;
    program::Dma const load = reads(2048, 2);
    program::Dma store = load;
    for (program::DmaDescriptor& d : store.descriptors) {
      std::swap(d.read, d.write);
      for (program::DmaLoop& l : d.loops) std::swap(l.read_stride, l.write_stride);
    }
    Cycles const both = cost_by(device, load, model).total() + cost_by(device, store, model).total();
    return static_cast<double>(8 * an_engine) / static_cast<double>(both.value);
  };
  return {Kind::Seen, std::move(name), figure, Use::HeldOut, {}, ours};
}
/// Every slice of a ring of 256 gets what all have.
Reference through_the_switch(std::string name, double figure) {
  auto const ours = [](const Device& device, Model model) {
    if (model == Model::Detailed) return 0.0;
    program::Exec e = sched::copy_pass(64);
    e.switching.emplace();
    e.switching->topology = program::Topology::CustomBroadcast;
    e.switching->ring_size = 256;
    e.switching->time_out = 64 * 256;
    program::Cost const cost = pass_by(device, e, model);
    return 64.0 * 32 * 256 / static_cast<double>((cost.total() - cost.startup).value);
  };
  return {Kind::Seen, std::move(name), figure, Use::Taken, {}, ours};
}
Reference table_lookup(std::string name, double figure) {
  auto const ours = [](const Device& device, Model model) {
    if (model == Model::Detailed) return 0.0;
    program::Exec e = sched::copy_pass(1024);
    e.fetch.table = 0;
    program::Cost const cost = pass_by(device, e, model);
    return 1024.0 * 32 / static_cast<double>((cost.total() - cost.startup).value);
  };
  return {Kind::Seen, std::move(name), figure, Use::Taken, {}, ours};
}
/// What a store takes longer that begins within a unit of HBM.
Reference misaligned_write(std::string name, double figure) {
  auto const ours = [](const Device& device, Model model) {
    auto const store = [&](std::int64_t at) {
      program::Dma const d{false, false, {sched::descriptor(0, sched::dm(0, 0, 0), sched::hbm(at), {}, 1024)}};
      return cost_by(device, d, model).total().value;
    };
    return model == Model::Calibrated ? static_cast<double>(store(64) - store(0)) : 0;
  };
  return {Kind::Seen, std::move(name), figure, Use::Taken, {}, ours};
}

Reference kernel(std::string name, double plan, double figure) {
  auto const ours = [plan](const Device& device, Model model) {
    if (model == Model::Planned) return plan;
    return model == Model::Calibrated ? plan * static_cast<double>(device.calibrated.seen_percent) / 100 : 0;
  };
  return {Kind::Seen, std::move(name), figure, Use::Taken, {}, ours};
}

}  // namespace

std::vector<Reference> seen_figures() {
  return {
      read_rate("HBM reads, runs of 128 B, B/cycle", 319, 128, 2),
      read_rate("runs of 256 B", 618, 256, 2),
      read_rate("runs of 512 B", 595, 512, 2),
      read_rate("runs of 1 KB", 557, 1024, 2),
      read_rate("runs of 2 KB", 547, 2048, 2),
      read_rate("one cluster alone (262 to 305), B/cycle", 283.5, 2048, 1),
      misaligned_write("cycles lost by a write that is not aligned", 831),
      through_the_switch("redistribution through the switch, B/cycle", 27),
      through_hbm("redistribution through HBM, B/cycle", 335),
      table_lookup("table lookup, elements/cycle", 12.5),
      kernel("a kernel planned at 116,583", 116583, 250514),
      kernel("a kernel planned at 194,020", 194020, 404633),
      kernel("a kernel planned at 1,693,200", 1693200, 3703473),
  };
}

}  // namespace tcp::accuracy
