// Finds the bank, line and slot of an element of TRF, and loads and stores it there.
#include "sim/register_file.hpp"

namespace tcp::sim {

namespace {
constexpr std::uint8_t unwritten = 0x80;
}

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
  const std::uint8_t* const at = slot_.data() + index(place(row, rows, half_byte));
  Element e{0, false};
  for (int i = 0; i < slots; ++i) {
    e.bits |= (at[i] & 0x1fu) << (slot_bits_ * i);
    e.undefined |= (at[i] & unwritten) != 0;
  }
  return e;
}

void TensorRegisterFile::store(std::int64_t row, std::int64_t rows, std::int64_t half_byte, int slots, const Element& element) {
  std::uint8_t* const at = slot_.data() + index(place(row, rows, half_byte));
  for (int i = 0; i < slots; ++i) {
    auto const part = static_cast<std::uint8_t>(element.bits >> (slot_bits_ * i) & 0x1f);
    at[i] = element.undefined ? static_cast<std::uint8_t>(part | unwritten) : part;
  }
}

}  // namespace tcp::sim
