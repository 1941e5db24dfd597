// The TRF of a slice: 8 bank rows of 2 bank columns, each of 128 lines of 64 slots of 5 bits.
//
// A Row of the Reducer reads a bank row of its own. With fewer Rows in use, the banks of the others lengthen theirs:
// neighbouring lines of a Row then lie in neighbouring bank rows, so that the lower half of every bank is the first
// half of the TRF however many Rows there are. An element takes a slot for each 4 bits of its room in a packet; i5 and
// i9 need the fifth.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
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
  /// Neighbouring elements, as many as lie in one line from `half_byte` on, `most` at most: how many these are. Calls
  /// visit(i, element) for each.
  template <class Visit>
  std::int64_t load_line(std::int64_t row, std::int64_t rows, std::int64_t half_byte, int slots, std::int64_t most, Visit visit) const {
    Place const first = place(row, rows, half_byte);
    const std::uint8_t* at = slot_.data() + index(first);
    std::int64_t const count = std::min(most, (slots_ - first.slot) / slots);
    for (std::int64_t i = 0; i < count; ++i, at += slots) visit(i, held(at, slots));
    return count;
  }
  /// Stores neighbouring elements as load_line loads them; `of(i)` gives them.
  template <class Of>
  std::int64_t store_line(std::int64_t row, std::int64_t rows, std::int64_t half_byte, int slots, std::int64_t most, Of of) {
    Place const first = place(row, rows, half_byte);
    std::uint8_t* at = slot_.data() + index(first);
    std::int64_t const count = std::min(most, (slots_ - first.slot) / slots);
    for (std::int64_t i = 0; i < count; ++i, at += slots) hold(at, slots, of(i));
    return count;
  }
  /// Neighbouring elements as they are held, a byte for each slot, its top bit set where nothing has written it: as
  /// many as lie in one line from `half_byte` on, `most` at most. All Rows have as many at the same half byte.
  struct Run {
    const std::uint8_t* at = nullptr;
    std::int64_t elements = 0;
  };
  Run run(std::int64_t row, std::int64_t rows, std::int64_t half_byte, int slots, std::int64_t most) const {
    Place const first = place(row, rows, half_byte);
    return {slot_.data() + index(first), std::min(most, (slots_ - first.slot) / slots)};
  }
  /// How far apart the same half byte of neighbouring Rows lies when each Row has a bank row of its own.
  std::int64_t apart() const { return columns_ * lines_ * slots_; }
  std::int64_t bank_rows() const { return bank_rows_; }
  /// A run to write defined elements to.
  std::uint8_t* writable(const Run& run) { return slot_.data() + (run.at - slot_.data()); }
  int slot_bits() const { return slot_bits_; }
  /// Half bytes of a Row.
  std::int64_t row_halves(std::int64_t rows) const { return bank_rows_ / rows * lines_ * columns_ * slots_; }

  /// Where a half byte of a Row lies.
  struct Place {
    std::int64_t bank_row = 0, bank_column = 0, line = 0, slot = 0;
    bool operator==(const Place&) const = default;
  };
  Place place(std::int64_t row, std::int64_t rows, std::int64_t half_byte) const;

 private:
  static constexpr std::uint8_t unwritten = 0x80;

  Element held(const std::uint8_t* at, int slots) const {
    Element e{0, false};
    if (slots == 4) {  // as most elements have
      std::uint32_t all;
      std::memcpy(&all, at, sizeof all);
      e.undefined = (all & (unwritten * 0x01010101u)) != 0;
      for (int i = 0; i < 4; ++i) e.bits |= (all >> (8 * i) & 0x1fu) << (slot_bits_ * i);
      return e;
    }
    for (int i = 0; i < slots; ++i) {
      e.bits |= (at[i] & 0x1fu) << (slot_bits_ * i);
      e.undefined |= (at[i] & unwritten) != 0;
    }
    return e;
  }
  void hold(std::uint8_t* at, int slots, const Element& element) const {
    if (slots == 4) {
      std::uint32_t const all = spread(element.bits) | (element.undefined ? unwritten * 0x01010101u : 0);
      std::memcpy(at, &all, sizeof all);
      return;
    }
    for (int i = 0; i < slots; ++i) {
      auto const part = static_cast<std::uint8_t>(element.bits >> (slot_bits_ * i) & 0x1f);
      at[i] = element.undefined ? static_cast<std::uint8_t>(part | unwritten) : part;
    }
  }
  /// An element of four slots, each in a byte.
  std::uint32_t spread(std::uint32_t bits) const {
    return (bits & 0x1f) | (bits >> slot_bits_ & 0x1f) << 8 | (bits >> 2 * slot_bits_ & 0x1f) << 16 | (bits >> 3 * slot_bits_ & 0x1f) << 24;
  }
  std::size_t index(const Place& p) const {
    return static_cast<std::size_t>(((p.bank_row * columns_ + p.bank_column) * lines_ + p.line) * slots_ + p.slot);
  }

  std::int64_t bank_rows_, columns_, lines_, slots_;
  int slot_bits_;
  std::vector<std::uint8_t> slot_;  // bank after bank; the top bit: nothing has written it
};

}  // namespace tcp::sim
