// Aligned buffers that a contraction uses again from call to call.
#include <cstdlib>
#include <new>

#include "exec/vector/contraction/products.hpp"

namespace tcp::vector::kernels {

struct Workspace::Buffers {
  static constexpr int count = 4;
  static constexpr std::align_val_t alignment{64};

  std::byte* at[count]{};
  std::size_t bytes[count]{};

  ~Buffers() {
    for (std::byte* p : at) ::operator delete(p, alignment);
  }
};

Workspace::Workspace() : buffers_(std::make_unique<Buffers>()) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

std::byte* Workspace::buffer(int which, std::size_t bytes) {
  std::byte*& at = buffers_->at[which];
  if (bytes > buffers_->bytes[which]) {
    ::operator delete(at, Buffers::alignment);
    at = nullptr;
    buffers_->bytes[which] = 0;
    at = static_cast<std::byte*>(::operator new(bytes, Buffers::alignment));
    buffers_->bytes[which] = bytes;
  }
  return at;
}

}  // namespace tcp::vector::kernels
