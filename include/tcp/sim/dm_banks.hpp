// Who gets which bank of DM in which cycle: the 64 slices of one PE, with its pair of DMNs and one DMA engine.
//
// A bank serves one access per cycle. The fetch and commit engines of the two contexts access a few banks of a slice at
// once: such an access is served when all of its banks are free, and an engine has no second one in a slice before
// that. DMA has the lowest priority. Its requests wait in two entries per slice and pass through the data path of the
// DMN, which works on one beat of 128 bytes at a time, the oldest first: a beat takes its banks as they become free,
// and one that gets all of them at once takes one cycle. That a DMN stays with a beat is what the book's bound on runs
// of accesses counts (2 beats x N accesses x 32 slices < 4096); it prints no more about the path.
//
// A request of DMA without an answer after `response_timeout` cycles is what resets a cluster of the chip. Here it is a
// refusal that names the command that waited and the one that held the bank. Engines of the Tensor Unit wait for each
// other as long as it takes.
//
// Time passes in `step` only, one core cycle each. What is issued before a step competes in it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tcp/device/device.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::sim {

/// Highest priority first.
enum class DmClient : std::uint8_t { main_fetch, main_commit, sub_fetch, sub_commit, dma };
inline constexpr int dm_clients = 5;

struct DmAccess {
  std::int64_t slice = 0;  // of the PE: those of its first DMN, then those of its second
  Bytes address{};         // in the slice
  Bytes size{};            // of an engine: each bank at most once; of DMA: at most a request
  DmClient client = DmClient::main_fetch;
  std::int64_t command = 0;  // its number in the program, for messages
  std::uint64_t tag = 0;     // the requester's own; comes back when the access is served
};

class DmObserver {
 public:
  virtual ~DmObserver() = default;
  /// `at` is the end of the cycle that served the rest of the access.
  virtual void served(const DmAccess& access, Cycles at) = 0;
  /// Whether it is told of a client's accesses.
  virtual bool hears(DmClient) const { return true; }
};

struct DmClientStats {
  std::int64_t served = 0;  // accesses
  Cycles waited{};          // cycles in which an access was there and not served: of DMA, the request that a DMN worked on

  constexpr bool operator==(const DmClientStats&) const = default;
};

/// How long the engines together held one bank without a break, at most: the cycles that DMA could not have had it.
struct DmHold {
  std::int64_t accesses = 0;
  std::int64_t slice = 0;
  std::int64_t bank = 0;

  constexpr bool operator==(const DmHold&) const = default;
};

struct DmStats {
  DmClientStats client[dm_clients];
  std::vector<std::int64_t> bank_accesses;  // slice by slice, bank by bank
  std::vector<Cycles> dmn_busy;             // cycles that moved data of DMA, a DMN each
  DmHold longest_hold{};

  const DmClientStats& of(DmClient c) const { return client[static_cast<int>(c)]; }
  bool operator==(const DmStats&) const = default;
};

class DmBanks {
 public:
  /// `d` is a device that check_device accepts; the observer, if any, outlives the model.
  explicit DmBanks(const Device& d, DmObserver* observer = nullptr);
  DmBanks(DmBanks&&) noexcept;
  DmBanks& operator=(DmBanks&&) noexcept;
  ~DmBanks();

  /// False where there is no room: an engine has an access waiting in the slice, or the DMA entries of the slice are
  /// full. Try again after a step.
  Expected<bool> issue(const DmAccess& access);
  /// Issues an access of an engine in each of these slices, whatever access.slice says. False: one is waiting in any of
  /// them, and nothing has happened.
  Expected<bool> issue(const DmAccess& access, std::span<const std::int64_t> slices);

  /// One cycle. Refused when a request of DMA has waited too long; a chip would have been reset, so nothing sensible
  /// follows.
  Verdict step();
  /// Steps until nothing waits.
  Verdict drain();

  Cycles now() const;
  bool idle() const;
  /// Slices in which an access of an engine waits.
  std::int64_t waiting(DmClient client) const;
  const DmStats& stats() const;
  /// stats().of(client), without counting banks.
  const DmClientStats& stats_of(DmClient client) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tcp::sim
