// Ranks that are threads of one process: to try a program over several ranks without starting any.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "tcp/ranks/wire.hpp"

namespace tcp::ranks {

/// Where such ranks leave their messages.
class ThreadRanks {
 public:
  explicit ThreadRanks(int size) : size_(size) {}

  int size() const { return size_; }
  void send(int from, int to, std::span<const std::byte> bytes);
  void receive(int from, int to, std::span<std::byte> bytes);
  void largest(std::span<std::uint64_t> numbers);

 private:
  int size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<int, int>, std::vector<std::vector<std::byte>>> messages_;
  std::vector<std::uint64_t> largest_, agreed_;
  int there_ = 0;             // at the agreement at hand
  std::uint64_t rounds_ = 0;  // agreements that are over
};

/// One of them. `all` must outlive it.
class ThreadWire : public Wire {
 public:
  ThreadWire(ThreadRanks& all, int rank) : all_(all), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return all_.size(); }
  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) override;
  void largest(std::span<std::uint64_t> numbers) override { all_.largest(numbers); }

 private:
  ThreadRanks& all_;
  int rank_;
};

}  // namespace tcp::ranks
