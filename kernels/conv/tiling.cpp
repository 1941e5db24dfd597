// The tiling of a choice: columns over packets, filters over slices, rows over blocks, and how many images or blocks
// are computed at once.
#include "kernels/conv/tiling.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/parts/counts.hpp"
#include "tcp/support/round.hpp"

namespace tcp::kernels::conv {
namespace {

/// `skips`: positions that are not looked at need not be loaded.
ConvTiling::Steps steps_of(std::int64_t size, std::int64_t filter, const ConvSizes& s, bool skips) {
  ConvTiling::Steps t;
  t.results = (size + 2 * s.padding - s.dilation * (filter - 1) - 1) / s.stride + 1;
  t.step = skips ? (filter == 1 ? s.stride : std::gcd(s.stride, s.dilation)) : 1;
  t.stride = s.stride / t.step;
  t.dilation = filter == 1 ? 1 : s.dilation / t.step;
  return t;
}

/// Columns of results over packets, and columns of the image around them.
void lay_out_columns(const ConvSizes& s, ConvTiling& t) {
  bool const slides = t.walk != ConvWalk::pointwise && t.columns.results > 1;
  std::int64_t const most_columns = t.packet / t.columns.stride;
  t.packets = ceil_div(t.columns.results, most_columns);
  t.packet_columns = t.packets == 1 && slides ? t.columns.results : most_columns;
  t.image_columns = round_up(s.columns, t.dm_row);
  t.lead = t.walk == ConvWalk::flat ? 0 : round_up(s.padding, t.dm_row);
  std::int64_t const made = t.packets * t.packet_columns;
  std::int64_t const looked_at = t.walk == ConvWalk::skipping ? made * s.stride : t.columns.reach(made, s.filter_columns);
  t.loaded_columns =
      t.walk == ConvWalk::pointwise ? made : round_up(std::max(t.lead + t.image_columns, t.lead - s.padding + looked_at), t.dm_row);
}

/// The rows of a block as one long row. The border at the end of a row is that of the next one, too: a row takes no
/// more columns than it has, and one border.
void flatten(const ConvSizes& s, std::int64_t whole, ConvTiling& t) {
  t.row_columns = t.loaded_columns = round_up(round_up(std::max(s.columns + s.padding, t.columns.results), t.dm_row), whole);
  std::int64_t const places = t.block_rows * t.row_columns;
  t.packets = ceil_div(places, t.packet);
  t.packet_columns = std::min(places, t.packet);
  t.ahead = 1;
  std::int64_t const below = s.dilation * ((s.filter_rows - 1) * t.loaded_columns + s.filter_columns - 1);
  std::int64_t const looked_at = t.packets * t.packet_columns + below;
  t.loaded_rows = std::max(t.loaded_rows + t.ahead, ceil_div(t.loaded_columns - s.padding + looked_at, t.loaded_columns));
}

/// Rows of the result over blocks; as many columns that what a slice writes is whole units of HBM.
void lay_out_rows(const Device& device, const ConvSizes& s, ConvTiling& t) {
  t.blocks = t.rows.results / t.block_rows;
  t.loaded_rows = t.rows.reach(t.block_rows, s.filter_rows);
  std::int64_t const unit = elements_of_unit(device, ScalarType::bf16);
  std::int64_t const rows_together = t.block_rows * (t.blocks == 1 ? t.filters_of_slice(device) : 1);
  std::int64_t const whole = unit / std::gcd(unit, rows_together);
  if (t.walk == ConvWalk::flat) flatten(s, whole, t);
  else t.row_columns = round_up(round_up(t.packets * t.packet_columns, t.lanes), whole);
}

ConvBorder border_of(const ConvSizes& s, const ConvTiling& t) {
  bool const edged = t.walk != ConvWalk::pointwise && (s.padding > 0 || s.columns != t.image_columns);
  if (!edged) return ConvBorder::none;
  return t.blocks == 1 && t.rows.step == 1 ? ConvBorder::in_place : ConvBorder::apart;
}

/// As many images at once as are allowed, or as many blocks of one; equally many each time.
void choose_step(const Device& device, const ConvSizes& s, std::int64_t most_images, std::int64_t most_blocks, ConvTiling& t) {
  std::int64_t const clusters = device.levels.clusters_per_chip, rounds = ceil_div(s.images, most_images);
  t.step_images = rounds == 1 ? s.images : round_up(ceil_div(s.images, rounds), std::min(clusters, most_images));
  t.step_blocks = t.step_images > 1 ? t.blocks : std::min(t.blocks, most_blocks);
  if (t.step_blocks < t.blocks) t.step_blocks -= t.step_blocks % clusters;  // views of some blocks are cut evenly
}

/// All slices have something to do in a step, unless their borders then do not fit. A cluster has whole images, or part
/// of one.
void choose_largest_step(const Device& device, const ConvSizes& s, ConvTiling& t) {
  std::int64_t const clusters = device.levels.clusters_per_chip, places = device.levels.slices_per_cluster / t.groups;
  choose_step(device, s, std::max<std::int64_t>(places / power_of_two_from(t.blocks) * clusters, 1), clusters * places, t);
  while (t.border != ConvBorder::none && t.step_blocks > 0 && !fits(device, s, t) && (t.step_images > 1 || t.step_blocks > clusters))
    choose_step(device, s, ceil_div(t.step_images, 2), t.step_images > 1 ? clusters * places : t.step_blocks / 2, t);
}

}  // namespace

std::int64_t groups_of(const Device& device, const ConvSizes& s, std::int64_t reuse) {
  return power_of_two_from(ceil_div(s.filters, device.levels.rows_per_slice * reuse));
}

bool goes_straight(const Device& device, const ConvSizes& s) {
  return s.columns % elements_of_dm_row(device, ScalarType::bf16) == 0 && s.columns >= elements_of_unit(device, ScalarType::bf16);
}

ConvTiling common_tiling(const Device& device, const ConvSizes& s) {
  ConvTiling t;
  t.packet = elements_of_packet(device, ScalarType::bf16);
  t.flit = elements_of_flit(device, ScalarType::bf16);
  t.dm_row = elements_of_dm_row(device, ScalarType::bf16);
  t.lanes = device.vector.lanes;
  t.rows = steps_of(s.rows, s.filter_rows, s, true);
  t.columns = steps_of(s.columns, s.filter_columns, s, false);
  bool const pairs = t.columns.stride == 2 && s.filter_columns % 2 == 0 && t.columns.dilation == 1;
  t.together = pairs ? 2 : 1;
  t.spacing = pairs ? 1 : t.columns.stride;
  t.taps = s.filter_rows * s.filter_columns;
  return t;
}

ConvTiling tiling_of(const Device& device, const ConvSizes& s, const Choice& choice) {
  ConvTiling t = common_tiling(device, s);
  t.walk = choice.walk;
  t.reuse = choice.reuse;
  t.groups = groups_of(device, s, choice.reuse);
  t.ring = choice.ring;
  t.part_channels = choice.part_channels;
  t.parts = ceil_div(s.channels, choice.part_channels);
  t.block_rows = choice.block_rows;
  lay_out_columns(s, t);
  lay_out_rows(device, s, t);
  t.border = border_of(s, t);
  choose_largest_step(device, s, t);
  return t;
}

Spread::Spread(const Device& device, const ConvTiling& t, std::int64_t all) : channels(all) {
  std::int64_t const clusters = device.levels.clusters_per_chip, share = all / t.ring;
  by_image = t.step_images > 1;
  by_channel = !by_image && all % clusters == 0;
  if (by_image) images = ceil_div(t.step_images, clusters);
  if (by_channel) channels = all / clusters;
  std::int64_t const places = device.levels.slices_per_cluster / power_of_two_from(images);
  auto const possible = [&](std::int64_t n) {  // blocks of channels go from slice to slice whole
    return channels % n == 0 && channels / n <= places && (n % share == 0 || share % n == 0);
  };
  while (!possible(together) && together < channels) ++together;
}

}  // namespace tcp::kernels::conv
