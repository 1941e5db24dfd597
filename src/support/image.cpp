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
    return static_cast<std::byte*>(::operator new(size, alignment));
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
    ::operator delete(block, alignment);
  }

 private:
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
Image::Image(std::size_t bytes) : Image(not_initialised(bytes)) { std::memset(data_, 0, size_); }
Image::Image(const Image& other) : Image(not_initialised(other.size_)) {
  if (size_ > 0) std::memcpy(data_, other.data_, size_);
}
Image::~Image() {
  if (data_ != nullptr) pool().give_back(data_, size_);
}

bool operator==(const Image& a, const Image& b) {
  return a.size_ == b.size_ && (a.size_ == 0 || std::memcmp(a.data_, b.data_, a.size_) == 0);
}

}  // namespace tcp
