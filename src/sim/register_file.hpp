// The TRF of a slice: 8 bank rows of 2 bank columns, each of 128 lines of 64 slots of 5 bits.
//
// A Row of the Reducer reads a bank row of its own. With fewer Rows in use, the banks of the others lengthen theirs:
// neighbouring lines of a Row then lie in neighbouring bank rows, so that the lower half of every bank is the first
// half of the TRF however many Rows there are. An element takes a slot for each 4 bits of its room in a packet; i5 and
// i9 need the fifth.
#pragma once

#include <cstdint>
#include <vector>

#include "tcp/device/device.hpp"

namespace tcp::sim {

class TensorRegisterFile {
 public:
  explicit TensorRegisterFile(const Device& device);

  struct Element {
    std::uint32_t bits = 0;
    bool undefined = true;
  };
  /// `byte` counts the bytes of one Row as packets have them; `rows` are in use.
  Element load(std::int64_t row, std::int64_t rows, std::int64_t half_byte, int slots) const;
  void store(std::int64_t row, std::int64_t rows, std::int64_t half_byte, int slots, const Element& element);
  /// Half bytes of a Row.
  std::int64_t row_halves(std::int64_t rows) const { return bank_rows_ / rows * lines_ * columns_ * slots_; }

  /// Where a half byte of a Row lies.
  struct Place {
    std::int64_t bank_row = 0, bank_column = 0, line = 0, slot = 0;
    bool operator==(const Place&) const = default;
  };
  Place place(std::int64_t row, std::int64_t rows, std::int64_t half_byte) const;

 private:
  std::size_t index(const Place& p) const {
    return static_cast<std::size_t>(((p.bank_row * columns_ + p.bank_column) * lines_ + p.line) * slots_ + p.slot);
  }

  std::int64_t bank_rows_, columns_, lines_, slots_;
  int slot_bits_;
  std::vector<std::uint8_t> slot_;  // bank after bank; the top bit: nothing has written it
};

}  // namespace tcp::sim
