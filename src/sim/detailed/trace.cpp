// What the model `detailed` saw of channels and banks, for the trace.
#include <string>

#include "tcp/device/derived.hpp"
#include "tcp/sim/detailed.hpp"

namespace tcp::sim {

namespace {

Cycles in_core(const Device& device, HbmCycles c) {
  Ratio const r = in_core_cycles(device, c);
  return Cycles{r.num / r.den};
}

void add_channels(const Device& device, const DetailedRun& run, std::vector<trace::Usage>& all) {
  for (std::size_t chip = 0; chip < run.hbm.size(); ++chip)
    for (std::size_t c = 0; c < run.hbm[chip].size(); ++c) {
      const HbmChannelStats& s = run.hbm[chip][c];
      std::int64_t const at = static_cast<std::int64_t>(c), per_stack = device.hbm.channels_per_stack, units = s.reads + s.writes;
      all.push_back({"HBM channels" + (run.hbm.size() > 1 ? " of chip " + std::to_string(chip) : std::string()),
                     std::to_string(at / per_stack) + "." + std::to_string(at % per_stack), in_core(device, s.busy),
                     device.hbm.access_bytes * units, units, s.row_conflicts});
    }
}

/// Busy is the mean of all slices.
void add_banks(const Device& device, const DetailedRun& run, std::vector<trace::Usage>& all) {
  std::int64_t const chips = static_cast<std::int64_t>(run.hbm.size());
  std::int64_t const slices = chips * device.levels.clusters_per_chip * device.levels.slices_per_cluster;
  for (std::size_t b = 0; b < run.banks.size(); ++b) {
    const DmBankUse& u = run.banks[b];
    all.push_back({"DM banks", std::to_string(b), Cycles{slices > 0 ? u.accesses / slices : 0}, device.dm.row_bytes * u.accesses,
                   u.accesses, u.lost});
  }
}

}  // namespace

void add_measured(const DetailedRun& run, const Device& device, trace::Trace& made) {
  made.complete = run.complete;
  made.usage.clear();
  add_channels(device, run, made.usage);
  add_banks(device, run, made.usage);
}

}  // namespace tcp::sim
