// What a tiling takes: a slice's bytes of DM, and about how many cycles, from the rates of the chip.
#include <algorithm>

#include "kernels/conv/tiling.hpp"
#include "kernels/parts/counts.hpp"
#include "tcp/device/derived.hpp"
#include "tcp/support/round.hpp"

namespace tcp::kernels::conv {
namespace {

constexpr std::int64_t element = element_bytes(ScalarType::bf16), sum_bytes = element_bytes(ScalarType::f32);

/// From DM to DM the engines of DMA read and write in turns, and wait for DMNs; measured, against a transfer from HBM.
constexpr double dm_to_dm_factor = 1.6;

class Cost {
 public:
  Cost(const Device& device, const ConvSizes& s, const ConvTiling& t) : device_(device), s_(s), t_(t) {}

  /// Bytes that a slice loads, which has its share of the channels.
  std::int64_t loaded_bytes() const { return element * t_.part_channels / t_.ring * t_.loaded_rows * t_.loaded_columns; }
  std::int64_t filter_bytes() const { return element * filters() * t_.parts * t_.weights(); }
  /// Bytes that a slice needs while it makes the border: the channels as they come, filled up, and in their border.
  std::int64_t border_bytes() const {
    if (t_.border == ConvBorder::none) return 0;
    std::int64_t const rows = t_.rows.step * ((t_.step_blocks - 1) * t_.block_rows * t_.rows.stride + t_.loaded_rows);
    std::int64_t const channels =
        t_.border == ConvBorder::in_place ? t_.part_channels / t_.ring : Spread(device_, t_, t_.part_channels).together;
    std::int64_t const copies = s_.columns != t_.image_columns ? 3 : goes_straight(device_, s_) ? 0 : 2;
    return element * channels * rows * (2 * t_.loaded_columns + copies * t_.image_columns);
  }
  /// Two of what is loaded and of what is stored, as one is computed with while the other is on its way.
  std::int64_t slice_bytes() const {
    std::int64_t const results = filters() * std::max(t_.block_rows * t_.row_columns, round_up(t_.packets * t_.packet_columns, t_.packet));
    std::int64_t const sums = t_.parts > 1 ? 3 * sum_bytes * results : 0;
    return 2 * loaded_bytes() + border_bytes() + filter_bytes() + sums + 2 * element * results;
  }

  /// Transfers are in one queue; of several steps one is computed while others are on their way.
  double cycles() const {
    double const loading = loading_cycles(), computing = computing_cycles();
    double const storing = moving(element * filters() * t_.block_rows * t_.row_columns * slices(), 1);
    std::int64_t const steps = ceil_div(s_.images, t_.step_images) * ceil_div(t_.blocks, t_.step_blocks);
    double const more = static_cast<double>(steps - 1) * std::max(loading + storing, computing);
    // The first weights come by main, before all else.
    std::int64_t const by_main = element * filters() * t_.weights() / device_.flit.bytes.value;
    return moving(filter_bytes() * slices(), t_.parts) + static_cast<double>(by_main) + loading + computing + storing + more;
  }

 private:
  std::int64_t filters() const { return t_.filters_of_slice(device_); }
  /// That work in a step.
  std::int64_t slices() const { return t_.step_images * t_.step_blocks * t_.groups; }
  double computing_cycles() const {
    std::int64_t const width = t_.columns.reach(t_.packet_columns, s_.filter_columns);
    std::int64_t const flits = std::max<std::int64_t>(ceil_div(width, t_.flit), t_.packet / t_.flit);
    std::int64_t const of_a_row = std::max(flits, t_.reuse * s_.filter_columns / t_.together);
    std::int64_t const rows = t_.walk == ConvWalk::flat ? 1 : t_.block_rows;
    std::int64_t const multiplying = rows * t_.packets * s_.channels * s_.filter_rows * of_a_row;
    // The weights of every other part come by the sub context meanwhile.
    std::int64_t const weights = element * filters() * t_.weights();
    std::int64_t const by_sub = t_.parts > 1 ? t_.parts * weights / device_.fetch.sub_size.value : 0;
    return static_cast<double>(std::max(multiplying, by_sub));
  }
  double loading_cycles() const {
    std::int64_t const loaded = loaded_bytes() * t_.parts * slices();
    std::int64_t const images = element * t_.step_images * s_.channels * s_.rows * t_.image_columns;
    switch (t_.border) {
      case ConvBorder::none: return moving(loaded, t_.parts);
      case ConvBorder::in_place: return moving(images * t_.groups / t_.ring, t_.parts);
      case ConvBorder::apart: return moving(images * t_.step_blocks / t_.blocks, t_.parts) + within(loaded, t_.parts);
    }
    return 0;
  }
  double within(std::int64_t bytes, std::int64_t transfers) const {
    return dm_to_dm_factor * moving(bytes, 0) + static_cast<double>(transfers * device_.dma.startup.value);
  }
  /// Blocks are spread over the slices, the slices of one block are neighbours: a few blocks leave DMNs idle. Of what
  /// HBM could give, more or less two thirds are reached, as rows of images are short.
  double moving(std::int64_t bytes, std::int64_t transfers) const {
    std::int64_t const dmns = device_.levels.clusters_per_chip * device_.levels.dmns_per_cluster;
    std::int64_t const busy = std::min(dmns, t_.step_images * t_.step_blocks * ceil_div(t_.groups, device_.levels.slices_per_dmn));
    double const hbm = static_cast<double>(hbm_mb_per_s(device_)) / static_cast<double>(device_.clocks.core_mhz) * 2 / 3;
    double const rate = std::min(hbm, static_cast<double>(busy * device_.dm.dmn_bytes_per_cycle.value));
    return static_cast<double>(bytes) / rate + static_cast<double>(transfers * device_.dma.startup.value);
  }

  const Device& device_;
  const ConvSizes& s_;
  const ConvTiling& t_;
};

}  // namespace

bool fits(const Device& device, const ConvSizes& s, const ConvTiling& t) {
  return t.step_blocks > 0 && Cost(device, s, t).slice_bytes() <= device.dm.slice_capacity.value;
}

double cycles_of(const Device& device, const ConvSizes& s, const ConvTiling& t) { return Cost(device, s, t).cycles(); }

}  // namespace tcp::kernels::conv
