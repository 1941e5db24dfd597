// What is kept, by where it was read from. One list for the process: models share the machine's memory.
#include "exec/vector/contraction/kept.hpp"

#if defined(__unix__)
#include <unistd.h>
#endif

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "tcp/support/image.hpp"

namespace tcp::vector::kernels {
namespace {

constexpr std::int64_t packet = 32, packet_bytes = 64;
/// Pieces from this size on come at nearly the full speed of memory.
constexpr std::int64_t long_piece = 4096;

std::size_t room() {
#if defined(__unix__)
  auto const pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) return static_cast<std::size_t>(pages) / 4 * static_cast<std::size_t>(page);
#endif
  return 0;
}

/// Bytes that lie side by side in a column, at its beginning.
std::int64_t first_piece(const std::vector<std::int64_t>& packets) {
  std::size_t i = 1;
  while (i < packets.size() && packets[i] == packets[i - 1] + packet) ++i;
  return static_cast<std::int64_t>(i) * packet_bytes;
}

struct Kept {
  std::weak_ptr<const void> owner;
  std::vector<std::int64_t> columns, packets;  // where they began, in cells
  std::shared_ptr<const Image> image;          // null: read once so far
};

class List {
 public:
  std::shared_ptr<const std::byte> find(const Contraction& c, std::span<const Apart> products) {
    const std::shared_ptr<const void>& owner = *c.b.never_changes;
    std::vector<std::int64_t> packets;
    for (const Apart& product : products)
      for (std::int64_t step = 0; step < c.steps; ++step) packets.push_back(product.b + c.b.inner[step * packet]);
    if (c.columns < 2 || first_piece(packets) >= long_piece) return {};
    std::lock_guard const lock(mutex_);
    auto const [first, end] = all_.equal_range(c.b.cells);
    for (auto at = first; at != end; ++at) {
      Kept& k = at->second;
      bool const same_owner = !k.owner.owner_before(owner) && !owner.owner_before(k.owner);
      if (same_owner && k.packets == packets && std::equal(k.columns.begin(), k.columns.end(), c.b.outer, c.b.outer + c.columns))
        return looked_up(k, c.b.cells);
    }
    drop_orphans();
    all_.emplace(c.b.cells, Kept{owner, {c.b.outer, c.b.outer + c.columns}, std::move(packets), nullptr});
    return {};
  }

 private:
  std::shared_ptr<const std::byte> looked_up(Kept& k, const std::byte* cells) {
    if (!k.image) {
      std::size_t const bytes = k.columns.size() * k.packets.size() * packet_bytes;
      if (bytes > room_ - used_) return {};
      Image image = Image::not_initialised(bytes);
      std::byte* to = image.data();
      for (std::int64_t column : k.columns)
        for (std::int64_t at : k.packets) {
          std::memcpy(to, cells + 2 * (column + at), packet_bytes);
          to += packet_bytes;
        }
      used_ += bytes;
      k.image = std::make_shared<const Image>(std::move(image));
    }
    return {k.image, std::as_const(*k.image).data()};
  }
  void drop_orphans() {
    for (auto at = all_.begin(); at != all_.end();) {
      bool const gone = at->second.owner.expired();
      if (gone && at->second.image) used_ -= at->second.image->size();
      at = gone ? all_.erase(at) : std::next(at);
    }
  }

  std::mutex mutex_;
  std::multimap<const std::byte*, Kept> all_;
  std::size_t room_ = room(), used_ = 0;
};

}  // namespace

std::shared_ptr<const std::byte> kept_columns(const Contraction& c, std::span<const Apart> products) {
  if (c.b.never_changes == nullptr || !*c.b.never_changes) return {};
  static List& all = *new List;  // never destroyed: a launch may outlive static variables
  return all.find(c, products);
}

}  // namespace tcp::vector::kernels
