// The pool of blocks that images come from, and images themselves.
#include "tcp/support/image.hpp"
#include "tcp/support/round.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TCP_ADDRESS_SANITIZER
#endif
#endif

namespace tcp {
namespace {

#ifdef TCP_ADDRESS_SANITIZER
constexpr bool exact = true;  // a block of its own for every image, so that the sanitizer sees its end and its life
#else
constexpr bool exact = false;
#endif

/// Blocks that are free again, by size. Sizes are rounded up to eighths of a power of two, so that tensors of about one
/// size share blocks.
class Pool {
 public:
  static constexpr std::size_t kept_at_most = exact ? 0 : std::size_t{128} << 20;
  static constexpr std::align_val_t alignment{64};

  std::byte* take(std::size_t bytes) {
    std::size_t const size = rounded(bytes);
    {
      std::lock_guard const lock(mutex_);
      auto const found = free_.find(size);
      if (found != free_.end() && !found->second.empty()) {
        std::byte* const block = found->second.back();
        found->second.pop_back();
        kept_ -= size;
        return block;
      }
    }
    if (size < 2 * huge_page) return static_cast<std::byte*>(::operator new(size, alignment));
    auto* const block = static_cast<std::byte*>(::operator new(size, std::align_val_t{huge_page}));
    ask_for_huge_pages(block, size);
    return block;
  }
  void give_back(std::byte* block, std::size_t bytes) noexcept {
    std::size_t const size = rounded(bytes);
    {
      std::lock_guard const lock(mutex_);
      if (kept_ + size <= kept_at_most) {
        try {
          free_[size].push_back(block);
          kept_ += size;
          return;
        } catch (const std::bad_alloc&) {  // then it is not kept
        }
      }
    }
    ::operator delete(block, size < 2 * huge_page ? alignment : std::align_val_t{huge_page});
  }

 private:
  static constexpr std::size_t huge_page = std::size_t{2} << 20;

  /// The first touch of a large block is then one fault in 2 MB, and not one in 4 KB.
  static void ask_for_huge_pages([[maybe_unused]] std::byte* block, [[maybe_unused]] std::size_t size) {
#if defined(__linux__)
    (void)madvise(block, size / huge_page * huge_page, MADV_HUGEPAGE);
#endif
  }

  static std::size_t rounded(std::size_t bytes) {
    if (exact) return bytes + (bytes == 0);
    if (bytes <= 4096) return 4096;
    std::size_t const step = std::bit_floor(bytes) / 8;
    return static_cast<std::size_t>(round_up(static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(step)));
  }

  std::mutex mutex_;
  std::map<std::size_t, std::vector<std::byte*>> free_;
  std::size_t kept_ = 0;
};

/// Never destroyed: an image in a static variable may go after everything else.
Pool& pool() {
  static Pool& all = *new Pool;
  return all;
}

}  // namespace

Image Image::not_initialised(std::size_t bytes) {
  Image image;
  image.data_ = pool().take(bytes);
  image.size_ = bytes;
  return image;
}
Image Image::of(std::shared_ptr<const void> owner, const std::byte* bytes, std::size_t size) {
  Image image;
  image.data_ = const_cast<std::byte*>(bytes);  // data() hands it out for reading alone
  image.size_ = size;
  image.owner_ = std::move(owner);
  return image;
}
Image Image::of(std::shared_ptr<const Later> later, std::size_t size) {
  Image image;
  image.size_ = size;
  image.later_ = std::move(later);
  return image;
}
Image::Image(std::size_t bytes) : Image(not_initialised(bytes)) { std::memset(data_, 0, size_); }
Image::Image(const Image& other) : Image(not_initialised(other.size_)) {
  if (size_ > 0) std::memcpy(data_, other.data(), size_);
}
Image::~Image() {
  if (data_ != nullptr && !owner_) pool().give_back(data_, size_);
}

/// Images that two threads look at are made once; who comes second waits.
const std::byte* Image::made() const {
  static std::mutex making;
  std::lock_guard const lock(making);
  if (data_ == nullptr) {
    std::byte* const block = pool().take(size_);
    try {
      later_->write(block);
    } catch (...) {
      pool().give_back(block, size_);
      throw;
    }
    data_.store(block, std::memory_order_release);
  }
  return data_;
}
void Image::become_own() {
  if (owner_) {
    Image copy(*this);
    std::swap(owner_, copy.owner_);
    data_ = copy.data_.exchange(data_);
  }
  if (data_ == nullptr && later_) made();
  later_.reset();
}

bool operator==(const Image& a, const Image& b) {
  return a.size_ == b.size_ && (a.size_ == 0 || std::memcmp(a.data(), b.data(), a.size_) == 0);
}

}  // namespace tcp
