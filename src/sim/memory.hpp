// Bytes of a memory, page by page as they are touched, and which of them nothing has written.
//
// What is undefined is kept for half bytes, because two 4-bit elements share a byte. A page that was never written is
// not there; one that is defined all over has no shadow. So a memory costs what is touched of it, whatever its size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace tcp::sim {

class SparseMemory {
 public:
  static constexpr std::int64_t page_bytes = 4096;

  /// What was never written reads as zero. True if all of it is defined.
  bool read(std::int64_t address, std::int64_t bytes, std::byte* to) const;
  /// What is written is defined.
  void write(std::int64_t address, std::int64_t bytes, const std::byte* from);
  /// From here on these half bytes, counted from address 0, count as never written.
  void undefine(std::int64_t first_half, std::int64_t halves);
  bool any_undefined(std::int64_t first_half, std::int64_t halves) const;
  /// A mark for each element of `each` bytes (1, 2 or 4) from an address on: whether any of it is undefined.
  void mark_undefined(std::int64_t address, std::int64_t bytes, std::int64_t each, std::uint8_t* marks) const;

  /// Pages that are held.
  std::int64_t pages() const { return static_cast<std::int64_t>(pages_.size()); }

 private:
  /// One bit a half byte, set where it is undefined.
  struct Shadow {
    static constexpr std::int64_t words = 2 * page_bytes / 64;
    std::array<std::uint64_t, words> word{};
    std::int64_t undefined = 0;  // bits that are set
  };
  struct Page {
    std::array<std::byte, page_bytes> data{};
    std::unique_ptr<Shadow> shadow;  // none: all is defined
  };

  const Page* find(std::int64_t number) const;
  Page& make(std::int64_t number);
  static void define(Page& page, std::int64_t first_half, std::int64_t halves);

  std::unordered_map<std::int64_t, std::unique_ptr<Page>> pages_;
  // Accesses come in runs; a page never moves once it is there.
  mutable std::int64_t last_number_ = INT64_MIN;
  mutable Page* last_ = nullptr;
};

}  // namespace tcp::sim
