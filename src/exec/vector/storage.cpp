#include "storage.hpp"

#include <bit>
#include <map>
#include <mutex>
#include <new>

namespace tcp::vector {
namespace {

/// Blocks that are free again, by size. Sizes are rounded up to eighths of a power of two, so that tensors of about one size share blocks.
class Pool {
 public:
  static constexpr std::int64_t kept_at_most = std::int64_t{128} << 20;
  static constexpr std::align_val_t alignment{64};

  ~Pool() {
    for (auto& [size, blocks] : free_)
      for (std::byte* block : blocks) ::operator delete(block, alignment);
  }

  static std::int64_t rounded(std::int64_t bytes) {
    if (bytes <= 4096) return 4096;
    std::int64_t const step = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(bytes))) / 8;
    return (bytes + step - 1) / step * step;
  }
  std::byte* take(std::int64_t size) {
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
    return static_cast<std::byte*>(::operator new(static_cast<std::size_t>(size), alignment));
  }
  void give_back(std::byte* block, std::int64_t size) noexcept {
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
  std::mutex mutex_;
  std::map<std::int64_t, std::vector<std::byte*>> free_;
  std::int64_t kept_ = 0;
};

Pool& pool() {
  static Pool all;
  return all;
}

}  // namespace

std::shared_ptr<Storage> Storage::make(std::int64_t bytes) {
  std::shared_ptr<Storage> s(new Storage);
  s->size_ = Pool::rounded(bytes);
  s->data_ = pool().take(s->size_);
  return s;
}

std::shared_ptr<Storage> Storage::of(std::shared_ptr<const Bytes> bytes) {
  std::shared_ptr<Storage> s(new Storage);
  s->size_ = static_cast<std::int64_t>(bytes->size());
  s->data_ = const_cast<std::byte*>(bytes->data());  // never written: writable() says no
  s->theirs_ = std::move(bytes);
  return s;
}

std::shared_ptr<Storage> Storage::image(std::int64_t bytes) {
  std::shared_ptr<Storage> s(new Storage);
  s->image_ = std::make_unique<Bytes>(static_cast<std::size_t>(bytes));
  s->size_ = bytes;
  s->data_ = s->image_->data();
  return s;
}

Storage::~Storage() {
  if (data_ != nullptr && !theirs_ && !image_) pool().give_back(data_, size_);
}

}  // namespace tcp::vector
