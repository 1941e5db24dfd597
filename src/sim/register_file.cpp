// Finds the bank, line and slot of an element of TRF, and loads and stores it there.
#include "sim/register_file.hpp"

namespace tcp::sim {

TensorRegisterFile::TensorRegisterFile(const Device& device)
    : bank_rows_(device.levels.rows_per_slice),
      columns_(device.trf.bank_columns),
      lines_(device.trf.lines_per_bank),
      slots_(device.trf.slots_per_line),
      slot_bits_(static_cast<int>(device.trf.slot_bits)),
      slot_(static_cast<std::size_t>(bank_rows_ * columns_ * lines_ * slots_), unwritten) {}

TensorRegisterFile::Place TensorRegisterFile::place(std::int64_t row, std::int64_t rows, std::int64_t half_byte) const {
  std::int64_t const joined = bank_rows_ / rows;  // bank rows that are one Row
  std::int64_t const line = half_byte / (slots_ * columns_);
  return {row * joined + line % joined, half_byte / slots_ % columns_, line / joined, half_byte % slots_};
}

TensorRegisterFile::Element TensorRegisterFile::load(std::int64_t row, std::int64_t rows, std::int64_t half_byte, int slots) const {
  // An element never crosses a line: both are powers of two.
  return held(slot_.data() + index(place(row, rows, half_byte)), slots);
}

void TensorRegisterFile::store(std::int64_t row, std::int64_t rows, std::int64_t half_byte, int slots, const Element& element) {
  hold(slot_.data() + index(place(row, rows, half_byte)), slots, element);
}

}  // namespace tcp::sim
