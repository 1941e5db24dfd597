// Reads and writes bytes across pages, and keeps the shadow that marks half bytes as undefined.
#include "sim/memory.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "tcp/support/round.hpp"

namespace tcp::sim {

namespace {

constexpr std::uint64_t all_bits = ~std::uint64_t{0};

/// Calls visit(word, mask) for the bits from `first` on.
template <class Visit>
void each_word(std::int64_t first, std::int64_t count, Visit visit) {
  while (count > 0) {
    std::int64_t const bit = first % 64, here = std::min(count, 64 - bit);
    visit(static_cast<std::size_t>(first / 64), (here == 64 ? all_bits : (std::uint64_t{1} << here) - 1) << bit);
    first += here;
    count -= here;
  }
}

/// Cuts a stretch at the borders of pages: visit(page, begin in the page, length). Pages before address 0 are never
/// written.
template <class Visit>
void each_page(std::int64_t begin, std::int64_t length, std::int64_t page, Visit visit) {
  while (length > 0) {
    std::int64_t const number = floor_div(begin, page);
    std::int64_t const inside = begin - number * page, here = std::min(length, page - inside);
    visit(number, inside, here);
    begin += here;
    length -= here;
  }
}

}  // namespace

const SparseMemory::Page* SparseMemory::find(std::int64_t number) const {
  if (number == last_number_) return last_;
  auto const found = pages_.find(number);
  if (found == pages_.end()) return nullptr;
  last_number_ = number;
  last_ = found->second.get();
  return last_;
}

SparseMemory::Page& SparseMemory::make(std::int64_t number) {
  if (number == last_number_) return *last_;
  std::unique_ptr<Page>& page = pages_[number];
  if (!page) {
    page = std::make_unique<Page>();
    page->shadow = std::make_unique<Shadow>();
    page->shadow->word.fill(all_bits);
    page->shadow->undefined = 2 * page_bytes;
  }
  last_number_ = number;
  last_ = page.get();
  return *page;
}

void SparseMemory::define(Page& page, std::int64_t first_half, std::int64_t halves) {
  if (!page.shadow) return;
  Shadow& s = *page.shadow;
  each_word(first_half, halves, [&s](std::size_t w, std::uint64_t mask) {
    std::uint64_t const marked = s.word[w] & mask;
    if (marked == 0) return;  // as where a tensor is written again
    s.undefined -= std::popcount(marked);
    s.word[w] &= ~mask;
  });
  if (s.undefined == 0) page.shadow.reset();
}

bool SparseMemory::read(std::int64_t address, std::int64_t bytes, std::byte* to) const {
  bool defined = true;
  each_page(address, bytes, page_bytes, [&](std::int64_t number, std::int64_t inside, std::int64_t here) {
    const Page* const page = find(number);
    if (page == nullptr) {
      std::memset(to, 0, static_cast<std::size_t>(here));
      defined = false;
    } else {
      std::memcpy(to, page->data.data() + inside, static_cast<std::size_t>(here));
      if (page->shadow)
        each_word(2 * inside, 2 * here, [&](std::size_t w, std::uint64_t mask) { defined &= (page->shadow->word[w] & mask) == 0; });
    }
    to += here;
  });
  return defined;
}

void SparseMemory::write(std::int64_t address, std::int64_t bytes, const std::byte* from) {
  each_page(address, bytes, page_bytes, [&](std::int64_t number, std::int64_t inside, std::int64_t here) {
    Page& page = make(number);
    std::memcpy(page.data.data() + inside, from, static_cast<std::size_t>(here));
    define(page, 2 * inside, 2 * here);
    from += here;
  });
}

void SparseMemory::undefine(std::int64_t first_half, std::int64_t halves) {
  each_page(first_half, halves, 2 * page_bytes, [&](std::int64_t number, std::int64_t inside, std::int64_t here) {
    if (find(number) == nullptr) return;
    Page& page = make(number);
    if (!page.shadow) page.shadow = std::make_unique<Shadow>();
    Shadow& s = *page.shadow;
    each_word(inside, here, [&s](std::size_t w, std::uint64_t mask) {
      s.undefined += std::popcount(~s.word[w] & mask);
      s.word[w] |= mask;
    });
  });
}

void SparseMemory::mark_undefined(std::int64_t address, std::int64_t bytes, std::int64_t each, std::uint8_t* marks) const {
  std::int64_t const halves = 2 * each;
  bool const whole = address % each == 0;  // no element lies in two pages, or in two words of a shadow
  if (!whole) {
    for (std::int64_t e = 0; e < bytes / each; ++e) marks[e] = any_undefined(2 * (address + e * each), halves);
    return;
  }
  each_page(address, bytes, page_bytes, [&](std::int64_t number, std::int64_t inside, std::int64_t here) {
    const Page* const page = find(number);
    std::int64_t const elements = here / each;
    if (page == nullptr || !page->shadow) {
      std::memset(marks, page == nullptr ? 1 : 0, static_cast<std::size_t>(elements));
    } else {
      std::uint64_t const mask = (std::uint64_t{1} << halves) - 1;
      for (std::int64_t e = 0; e < elements; ++e) {
        std::int64_t const bit = 2 * inside + e * halves;
        marks[e] = (page->shadow->word[static_cast<std::size_t>(bit / 64)] >> (bit % 64) & mask) != 0;
      }
    }
    marks += elements;
  });
}

bool SparseMemory::any_undefined(std::int64_t first_half, std::int64_t halves) const {
  bool any = false;
  each_page(first_half, halves, 2 * page_bytes, [&](std::int64_t number, std::int64_t inside, std::int64_t here) {
    const Page* const page = find(number);
    if (page == nullptr) any = true;
    else if (page->shadow) each_word(inside, here, [&](std::size_t w, std::uint64_t mask) { any |= (page->shadow->word[w] & mask) != 0; });
  });
  return any;
}

}  // namespace tcp::sim
