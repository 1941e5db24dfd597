// A tensor's bytes outside a kernel: chip after chip, each as its memory holds them. Padding is zero.
//
// The bytes come out of a pool, and go back: the first touch of fresh pages costs more than most moves into them. They
// may also belong to another owner, a mapped file for example, or be worked out when they are first looked at.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace tcp {

class Image {
 public:
  /// What an image is made of once its bytes are looked at.
  class Later {
   public:
    virtual ~Later() = default;
    /// All bytes of the image.
    virtual void write(std::byte* to) const = 0;
  };

  Image() = default;
  /// Zeros.
  explicit Image(std::size_t bytes);
  /// For a caller that writes every byte.
  static Image not_initialised(std::size_t bytes);
  /// Bytes that `owner` keeps and that do not change. They are only read: a write into the image goes into a copy.
  static Image of(std::shared_ptr<const void> owner, const std::byte* bytes, std::size_t size);
  static Image of(std::shared_ptr<const Later> later, std::size_t size);

  Image(const Image& other);
  Image(Image&& other) noexcept
      : data_(other.data_.exchange(nullptr)),
        size_(std::exchange(other.size_, 0)),
        owner_(std::move(other.owner_)),
        later_(std::move(other.later_)) {}
  Image& operator=(Image other) noexcept {
    data_ = other.data_.exchange(data_);
    std::swap(size_, other.size_);
    std::swap(owner_, other.owner_);
    std::swap(later_, other.later_);
    return *this;
  }
  ~Image();

  std::byte* data() {
    if (owner_ || later_) become_own();
    return data_.load(std::memory_order_relaxed);
  }
  const std::byte* data() const {
    const std::byte* const there = data_.load(std::memory_order_acquire);
    return there == nullptr && later_ ? made() : there;
  }
  std::size_t size() const { return size_; }
  std::byte& operator[](std::size_t i) { return data()[i]; }
  const std::byte& operator[](std::size_t i) const { return data()[i]; }
  /// Who keeps the bytes, and keeps them as they are; null for bytes of the image's own.
  const std::shared_ptr<const void>& owner() const { return owner_; }
  /// What the bytes are made of; null for bytes that were there from the beginning.
  const Later* later() const { return later_.get(); }

  friend bool operator==(const Image& a, const Image& b);

 private:
  const std::byte* made() const;
  void become_own();

  mutable std::atomic<std::byte*> data_ = nullptr;
  std::size_t size_ = 0;
  std::shared_ptr<const void> owner_{};  // of bytes that are not ours
  std::shared_ptr<const Later> later_{};
};

/// The tensors that a module takes or gives. What only goes through it unchanged is the same image on both sides.
using Images = std::vector<std::shared_ptr<const Image>>;

}  // namespace tcp
