// Axes that do not depend on the walk, and how images, blocks and filters are spread over clusters and slices.
#include "kernels/conv/axes.hpp"

#include "kernels/conv/walk.hpp"
#include "kernels/parts/counts.hpp"
#include "kernels/parts/views.hpp"
#include "tcp/support/round.hpp"

namespace tcp::kernels::conv {

using dyn::map;

Axes::Axes(const Device& device, const ConvSizes& s, const ConvTiling& t, const Walk& walk, std::int64_t channels)
    : sizes(s),
      tiling(t),
      image(dyn::axis("Im", t.step_images)),
      block(dyn::axis("Bk", t.step_blocks)),
      in_ring(axis_of("Ring", t.ring)),
      channel(dyn::axis("Ki", channels)),
      group(map(axis_of("Beside", t.groups / t.ring), in_ring)),
      mine(dyn::axis("C", t.filters_of_slice(device))),
      filter(map(group, mine)),
      made_by(mine % device.levels.rows_per_slice),
      again(mine / device.levels.rows_per_slice),
      block_row(dyn::axis("Hi", t.block_rows)),
      filter_row(dyn::axis("Fh", s.filter_rows)),
      filter_column(dyn::axis("Fw", s.filter_columns)),
      loaded_row(dyn::axis("R", t.loaded_rows)),
      loaded_column(dyn::axis("Fx", t.loaded_columns)),
      weights(map(map(channel, filter_row, filter_column).pad(t.weights() / t.spacing), dyn::one.pad_zero(t.spacing))),
      weight(dyn::axis("P", t.weights() / t.spacing)),
      dense(map(weight, dyn::one.pad_zero(t.spacing))),
      share(channels / t.ring) {
  spread_over_slices(device);
  walk.name_axes(*this);
}

Mapping Axes::column_out() const { return tiling.one_packet() ? column.pad(round_up(column.size, tiling.lanes)) : column; }

Mapping Axes::shares() const { return map(place, axis_of("Beside", tiling.groups / tiling.ring), channel / share); }

/// Images and blocks that leave slices idle leave them everywhere, so that all DMA engines take part; they begin at
/// powers of two, for engines that serve so many slices.
void Axes::spread_over_slices(const Device& device) {
  const ConvTiling& t = tiling;
  std::int64_t const clusters = device.levels.clusters_per_chip;
  std::int64_t const places = device.levels.slices_per_cluster / t.groups;
  bool const by_image = t.step_images > 1;
  std::int64_t const here = ceil_div(by_image ? t.step_images : t.step_blocks, clusters);
  Mapping const all = (by_image ? image : block).pad(clusters * here);
  Mapping const in_cluster = (all % here).pad(power_of_two_from(here));
  Mapping const used = by_image ? map(in_cluster, block.pad(power_of_two_from(t.blocks))) : in_cluster;
  cluster = all / here;
  place = map(used, dyn::one.pad(places / used.size));
  slice = map(place, group);
}

}  // namespace tcp::kernels::conv
