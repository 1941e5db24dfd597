// The Stream Adapter of the Contraction Engine: it takes a few flits, transposes each if it is told to, and gives them
// out as packets of the Reducer, shifted and repeated. In front of the flits and after them there are zeros.
#include <algorithm>

#include "sim/engines.hpp"

namespace tcp::sim {

StreamAdapter::StreamAdapter(const PassContext& context, const program::Contraction& c, const Stream& flits)
    : settings_(c.adapter),
      lanes_(context.device.contraction.mac_bytes.value * 8 / scalar_info(c.type).packet_bits),
      collected_(c.adapter.collect_flits * flits.lanes),
      bits_(flits.bits.size()),
      undefined_(flits.undefined) {
  moderate_ = WideCast(c.type, context.numeric).all(flits.bits.data(), bits_.size(), bits_.data());
  std::int64_t const rows = settings_.transpose_rows, columns = settings_.transpose_columns;
  if (rows * columns == 1) return;
  std::vector<std::uint32_t> const bits = bits_;
  for (std::int64_t flit = 0; flit < flits.packets; ++flit)
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      std::size_t const from = flits.at(flit, i % rows * columns + i / rows), to = flits.at(flit, i);
      bits_[to] = bits[from];
      undefined_[to] = flits.undefined[from];
    }
}

void StreamAdapter::packet(std::int64_t step, std::uint32_t* bits, std::uint8_t* undefined) const {
  std::int64_t const round = step / settings_.tiles;
  std::int64_t const first = settings_.initial_shift + round % settings_.shifts * settings_.shift_stride;
  std::int64_t const flits = round / settings_.shifts * collected_;
  std::int64_t const begin = std::clamp(-first, std::int64_t{0}, lanes_), end = std::clamp(collected_ - first, begin, lanes_);
  std::fill_n(bits, lanes_, 0u);
  std::fill_n(undefined, lanes_, std::uint8_t{0});
  std::copy_n(bits_.data() + flits + first + begin, end - begin, bits + begin);
  std::copy_n(undefined_.data() + flits + first + begin, end - begin, undefined + begin);
}

}  // namespace tcp::sim
