// A tensor's bytes outside a kernel: chip after chip, each as its memory holds them. Padding is zero.
//
// The bytes come out of a pool, and go back: the first touch of fresh pages costs more than most moves into them.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace tcp {

class Image {
 public:
  Image() = default;
  /// Zeros.
  explicit Image(std::size_t bytes);
  /// For a caller that writes every byte.
  static Image not_initialised(std::size_t bytes);

  Image(const Image& other);
  Image(Image&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Image& operator=(Image other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Image();

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::byte& operator[](std::size_t i) { return data_[i]; }
  const std::byte& operator[](std::size_t i) const { return data_[i]; }

  friend bool operator==(const Image& a, const Image& b);

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The tensors that a module takes or gives. What only goes through it unchanged is the same image on both sides.
using Images = std::vector<std::shared_ptr<const Image>>;

}  // namespace tcp
