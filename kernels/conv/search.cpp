// The search: a list of choices, a tiling of each, and of those that fit the one with the fewest cycles.
#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/conv/tiling.hpp"
#include "kernels/parts/counts.hpp"
#include "tcp/support/round.hpp"

namespace tcp::kernels {
namespace conv {
namespace {

constexpr std::int64_t largest = 65'536;
/// Rows of a filter. The chip does not ask for it; larger filters are not tested.
constexpr std::int64_t most_filter_rows = 16;

/// What the accumulators hold of full packets of all Rows.
std::int64_t most_reuse(const Device& device) {
  return device.contraction.accumulator_slots / (device.levels.rows_per_slice * device.contraction.columns);
}
/// Columns that the stream adapter holds: a packet, and what a row of the filter reaches beyond it.
std::int64_t adapter_columns(const Device& device) { return device.contraction.flit_buffer.value / element_bytes(ScalarType::bf16); }
std::int64_t widest_reach(const Device& device) { return adapter_columns(device) - elements_of_packet(device, ScalarType::bf16) + 1; }

std::vector<std::int64_t> divisors_of(std::int64_t n) {
  std::vector<std::int64_t> all;
  for (std::int64_t d = 1; d <= n; ++d)
    if (n % d == 0) all.push_back(d);
  return all;
}

/// Weights that a Row holds: all of them stay in the TRF, or while one half of it is used, the other is filled.
std::int64_t most_weights(const Device& device, bool in_parts) {
  std::int64_t const of_row = device.trf.slice_capacity.value / device.levels.rows_per_slice / element_bytes(ScalarType::bf16);
  return in_parts ? of_row / device.trf.halves : of_row;
}

/// Channels that a ring can share out evenly, in every part, and whose weights have room in the TRF.
bool can_be_parts(const Device& device, const ConvSizes& s, const Choice& c) {
  ConvTiling t = common_tiling(device, s);
  t.part_channels = c.part_channels;
  t.parts = ceil_div(s.channels, c.part_channels);
  if (c.part_channels > s.channels || t.last_channels(s) % c.ring != 0) return false;
  if (c.walk == ConvWalk::pointwise && t.parts > 1) return false;  // it adds all channels at once
  return c.reuse * t.weights() <= most_weights(device, t.parts > 1);
}

std::vector<Choice> choices_of(const Device& device, const ConvSizes& s, ConvWalk walk) {
  std::vector<std::int64_t> const block_rows = divisors_of(common_tiling(device, s).rows.results);
  std::vector<Choice> all;
  for (std::int64_t reuse = 1; reuse <= most_reuse(device); reuse *= 2) {
    std::int64_t const groups = groups_of(device, s, reuse);
    if (groups > device.levels.slices_per_cluster) continue;
    for (std::int64_t ring = 1; ring <= groups && ring <= s.channels; ring *= 2)
      for (std::int64_t parts = 1; parts <= s.channels; parts *= 2) {
        Choice const c{walk, reuse, ring, round_up(ceil_div(s.channels, parts), ring), 1};
        if (!can_be_parts(device, s, c)) continue;
        for (std::int64_t rows : block_rows) all.push_back({c.walk, c.reuse, c.ring, c.part_channels, rows});
      }
  }
  return all;
}

/// The walks that are possible, in groups: a later group is tried only if nothing of the earlier ones fits.
std::vector<std::vector<ConvWalk>> walks_of(const ConvSizes& s) {
  ConvWalk const by_row = s.filter_columns == 1 && s.stride > 1 ? ConvWalk::skipping : ConvWalk::sliding;
  // A single column fills no row of DM that could be committed by itself.
  bool const pointwise = s.filter_rows == 1 && s.filter_columns == 1 && s.stride == 1 && s.padding == 0 && s.columns > 1;
  if (pointwise) return {{ConvWalk::pointwise}, {by_row}};
  if (s.stride == 1 && s.padding > 0) return {{by_row, ConvWalk::flat}};
  return {{by_row}};
}

/// The fastest choice; the earlier one of two that take the same time.
std::optional<ConvTiling> fastest(const Device& device, const ConvSizes& s, const std::vector<ConvWalk>& walks) {
  std::optional<ConvTiling> best;
  double least = 0;
  for (ConvWalk walk : walks)
    for (const Choice& choice : choices_of(device, s, walk)) {
      ConvTiling const t = tiling_of(device, s, choice);
      if (!fits(device, s, t)) continue;
      double const cycles = cycles_of(device, s, t);
      if (best && cycles >= least) continue;
      best = t;
      least = cycles;
    }
  return best;
}

Verdict check_sizes(const Device& device, const ConvSizes& s, Where at) {
  std::int64_t const least = std::min({s.images, s.channels, s.filters, s.rows, s.columns, s.filter_rows, s.filter_columns});
  std::int64_t const most = std::max({s.images, s.channels, s.filters, s.rows, s.columns, s.filter_rows, s.filter_columns, s.padding});
  auto const too_small = [&](std::int64_t size, std::int64_t filter) { return size + 2 * s.padding < s.dilation * (filter - 1) + 1; };
  if (least < 1 || most > largest || s.padding < 0 || s.dilation < 0 || s.dilation > largest || too_small(s.rows, s.filter_rows) ||
      too_small(s.columns, s.filter_columns))
    return refuse("kernel-conv-size", at)
        .what(s.images, " images of ", s.channels, " x ", s.rows, " x ", s.columns, ", padding ", s.padding, ", and ", s.filters,
              " filters of ", s.filter_rows, " x ", s.filter_columns)
        .why("there is at least one of everything and at most ", largest,
             "; the filter fits into the padded image: it reaches over dilation * (size - 1) + 1 positions")
        .help("pad the image more, or use a smaller filter");
  std::int64_t const across = s.dilation * (s.filter_columns - 1) + 1;
  bool const steps = s.stride >= 1 && s.stride <= 2 && s.dilation >= 1 && s.dilation <= 2;
  if (!steps || across > widest_reach(device) || s.filter_rows > most_filter_rows)
    return refuse("kernel-conv-filter", at)
        .what("a filter of ", s.filter_rows, " x ", s.filter_columns, " with stride ", s.stride, " and dilation ", s.dilation)
        .why("stride and dilation are 1 or 2; the stream adapter holds ", adapter_columns(device), " columns, of which a packet takes ",
             elements_of_packet(device, ScalarType::bf16), ", so a row of the filter reaches over at most ", widest_reach(device),
             "; rows are at most ", most_filter_rows)
        .help(steps ? "make a large filter of several small ones, and add up their results" : "use a stride and a dilation of 1 or 2");
  return accept();
}

}  // namespace
}  // namespace conv

Expected<ConvTiling> tile_conv(const Device& device, const ConvSizes& s, Where at) {
  if (auto const verdict = conv::check_sizes(device, s, at); !verdict.ok()) return verdict.refusal();
  for (const auto& walks : conv::walks_of(s))
    if (auto const found = conv::fastest(device, s, walks)) return *found;
  return refuse("kernel-conv-weights", at)
      .what(s.filters, " filters of ", s.channels, " x ", s.filter_rows, " x ", s.filter_columns, " over rows of ", s.columns, " columns")
      .why("a slice makes up to ", conv::most_reuse(device) * device.levels.rows_per_slice,
           " channels of the result, and all that belong to one place are made at once; it holds all weights for them in its DM, together "
           "with "
           "a row of each channel")
      .help("cut the channels into parts and add up the results, or the filters");
}

}  // namespace tcp::kernels
