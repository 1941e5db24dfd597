// Makes storages: fresh, of an image that is shared, or of one that is the tensor's own.
#include "exec/vector/storage.hpp"

namespace tcp::vector {

std::shared_ptr<Storage> Storage::make(std::int64_t bytes) {
  std::shared_ptr<Storage> s(new Storage);
  s->own_ = Image::not_initialised(static_cast<std::size_t>(bytes));
  return s;
}

std::shared_ptr<Storage> Storage::of(std::shared_ptr<const Image> bytes) {
  std::shared_ptr<Storage> s(new Storage);
  s->theirs_ = std::move(bytes);
  return s;
}

std::shared_ptr<Storage> Storage::of(Image own) {
  std::shared_ptr<Storage> s(new Storage);
  s->own_ = std::move(own);
  s->is_image_ = true;
  return s;
}

}  // namespace tcp::vector
