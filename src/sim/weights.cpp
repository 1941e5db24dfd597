// Reads what the sequencer of a contraction reaches in a TRF. Whole lines of bf16, which most weights are, are turned
// together; everything else goes element by element.
#include "sim/weights.hpp"

namespace tcp::sim {

Weights::Weights(const PassContext& context, const program::Contraction& c)
    : c_(c), wide_(c.weights, context.numeric), rows_(static_cast<std::size_t>(c.rows)) {
  std::int64_t low = 0, high = 0;
  for (const program::Loop& loop : c.trf_loops) (loop.stride < 0 ? low : high) += (loop.size - 1) * loop.stride;
  std::int64_t const bits = scalar_info(c.weights).packet_bits;
  slots_ = bits / 4;
  read_elements_ = static_cast<std::size_t>(c.trf_read_bytes * 8 / bits);
  begin_ = 2 * (c.trf_row_base + c.trf_first + low);
  each_ = (high - low + c.trf_read_bytes) * 8 / bits;
  value_.resize(static_cast<std::size_t>(each_) * rows_);
}

void Weights::load(const TensorRegisterFile& trf) {
  any_undefined_ = false;
  moderate_ = load_plain(trf);
  if (moderate_) return;
  std::int64_t const room = trf.row_halves(c_.rows);
  undefined_.assign(value_.size(), 0);
  for (std::int64_t row = 0; row < c_.rows; ++row)
    for (std::int64_t e = 0; e < each_;) {
      std::int64_t const half = begin_ + e * slots_;
      auto const to = [&](std::int64_t i) { return static_cast<std::size_t>((e + i) * c_.rows + row); };
      if (half < 0 || half + slots_ > room) {  // in front of the TRF, or after it, there is nothing
        undefined_[to(0)] = 1;
        value_[to(0)] = 0;
        ++e;
        continue;
      }
      std::int64_t const there = std::min(each_ - e, (room - half) / slots_);
      e += trf.load_line(row, c_.rows, half, static_cast<int>(slots_), there, [&](std::int64_t i, const TensorRegisterFile::Element& held) {
        undefined_[to(i)] = held.undefined;
        value_[to(i)] = wide_(held.bits);
      });
    }
}

bool Weights::load_plain(const TensorRegisterFile& trf) {
  if (c_.weights != ScalarType::bf16 || c_.rows != plain_rows || trf.bank_rows() != plain_rows || begin_ < 0 ||
      begin_ + each_ * slots_ > trf.row_halves(c_.rows))
    return false;
  for (std::int64_t e = 0; e < each_;) {
    auto const line = trf.run(0, c_.rows, begin_ + e * slots_, static_cast<int>(slots_), each_ - e);
    const std::uint8_t* of_row[plain_rows];
    for (std::int64_t row = 0; row < plain_rows; ++row) of_row[row] = line.at + row * trf.apart();
    bool marked = false;
    if (!turn_bf16_slots(of_row, line.elements, trf.slot_bits(), value_.data() + e * plain_rows, marked)) return false;
    if (marked) mark(of_row, e, line.elements);
    e += line.elements;
  }
  return true;
}

/// Notes what of a line nothing has written.
void Weights::mark(const std::uint8_t* const (&rows)[plain_rows], std::int64_t first, std::int64_t count) {
  if (!any_undefined_) undefined_.assign(value_.size(), 0);
  any_undefined_ = true;
  std::uint8_t* const to = undefined_.data() + first * plain_rows;
  for (std::int64_t row = 0; row < plain_rows; ++row)
    for (std::int64_t e = 0; e < count; ++e) {
      std::uint32_t slots;
      std::memcpy(&slots, rows[row] + 4 * e, sizeof slots);
      to[e * plain_rows + row] = (slots & 0x80808080) != 0;
    }
}

}  // namespace tcp::sim
