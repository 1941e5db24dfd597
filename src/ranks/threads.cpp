// Messages in a map, and an agreement for which each waits until all are there.
#include "tcp/ranks/threads.hpp"

#include <algorithm>

#include "tcp/support/bug.hpp"

namespace tcp::ranks {

void ThreadRanks::send(int from, int to, std::span<const std::byte> bytes) {
  std::lock_guard const lock(mutex_);
  messages_[{from, to}].emplace_back(bytes.begin(), bytes.end());
  changed_.notify_all();
}

void ThreadRanks::receive(int from, int to, std::span<std::byte> bytes) {
  std::unique_lock lock(mutex_);
  auto& waiting = messages_[{from, to}];
  changed_.wait(lock, [&] { return !waiting.empty(); });
  TCP_BUG_UNLESS(waiting.front().size() == bytes.size(), "a rank got a message of another size than it waits for");
  std::copy(waiting.front().begin(), waiting.front().end(), bytes.begin());
  waiting.erase(waiting.begin());
}

void ThreadRanks::largest(std::span<std::uint64_t> numbers) {
  std::unique_lock lock(mutex_);
  if (there_ == 0) largest_.assign(numbers.size(), 0);
  for (std::size_t i = 0; i < numbers.size(); ++i) largest_[i] = std::max(largest_[i], numbers[i]);
  std::uint64_t const round = rounds_;
  if (++there_ == size_) {
    agreed_ = largest_;
    there_ = 0;
    ++rounds_;
    changed_.notify_all();
  } else {
    changed_.wait(lock, [&] { return rounds_ != round; });
  }
  std::copy(agreed_.begin(), agreed_.end(), numbers.begin());
}

void ThreadWire::exchange(std::span<const Outgoing> out, std::span<const Incoming> in) {
  for (const Outgoing& o : out) all_.send(rank_, o.to, o.bytes);
  for (const Incoming& i : in) all_.receive(i.from, rank_, i.bytes);
}

}  // namespace tcp::ranks
