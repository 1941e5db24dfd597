// Bytes that tensors share. A tensor is a view of a storage, so a move costs nothing; who writes into a storage that
// others see takes a copy first.
#pragma once

#include <cstdint>
#include <memory>

#include "tcp/support/image.hpp"

namespace tcp::vector {

class Storage {
 public:
  /// A storage of so many bytes, not initialised.
  static std::shared_ptr<Storage> make(std::int64_t bytes);
  /// A storage of shared bytes, which are only read.
  static std::shared_ptr<Storage> of(std::shared_ptr<const Image> bytes);
  /// Bytes that can be handed out as they are: what `held_image` asks for at the end.
  static std::shared_ptr<Storage> of(Image own);

  const std::byte* data() const { return theirs_ ? theirs_->data() : own_.data(); }
  /// Needs: writable().
  std::byte* writable_data() { return own_.data(); }
  bool writable() const { return !theirs_; }
  std::int64_t size() const { return static_cast<std::int64_t>(theirs_ ? theirs_->size() : own_.size()); }
  /// The bytes that were made to be handed out, which leaves the storage empty; null for others.
  Image* held_image() { return is_image_ ? &own_ : nullptr; }
  /// The bytes if another owns them; null for others.
  const std::shared_ptr<const Image>& argument() const { return theirs_; }

 private:
  Storage() = default;

  Image own_;
  std::shared_ptr<const Image> theirs_;
  bool is_image_ = false;
};

}  // namespace tcp::vector
