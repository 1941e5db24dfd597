// Bytes that tensors share. A tensor is a view of a storage, so a move costs nothing; who writes into a storage that others see takes a copy first.
//
// Storages come out of a pool: the first touch of a fresh page costs more than most moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tcp::vector {

using Bytes = std::vector<std::byte>;

class Storage {
 public:
  /// Of so many bytes, not initialised.
  static std::shared_ptr<Storage> make(std::int64_t bytes);
  /// Somebody else's bytes, which nobody writes.
  static std::shared_ptr<Storage> of(std::shared_ptr<const Bytes> bytes);
  /// Zeros that can be handed out as they are: what `image` asks for at the end.
  static std::shared_ptr<Storage> image(std::int64_t bytes);

  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  const std::byte* data() const { return data_; }
  /// Needs: writable().
  std::byte* writable_data() { return data_; }
  bool writable() const { return !theirs_; }
  std::int64_t size() const { return size_; }
  /// The bytes of a storage made by `image`, which is empty afterwards; null for others.
  Bytes* held_image() { return image_.get(); }

 private:
  Storage() = default;

  std::byte* data_ = nullptr;
  std::int64_t size_ = 0;
  std::shared_ptr<const Bytes> theirs_;
  std::unique_ptr<Bytes> image_;
};

}  // namespace tcp::vector
