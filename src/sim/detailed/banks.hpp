// The DM of all chips, as the model `detailed` needs it: who gets which bank in which cycle.
//
// A command of the Tensor Unit does the same in all of its slices. An engine's next access comes when the one before it
// has been served everywhere, so slices in which the same engines work behave alike, whatever DMA does: it has the
// lowest priority. CollapsedBanks follows one slice of each such group, and DMA where it is; LiveBanks asks the model
// of dm_banks.hpp for every slice.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tcp/program/program.hpp"
#include "tcp/sim/detailed.hpp"
#include "tcp/sim/dm_banks.hpp"

namespace tcp::sim {

inline constexpr int tensor_clients = dm_clients - 1;

/// A request of DMA, to one slice. Slices count through clusters and chips.
struct DmaRequest {
  std::int64_t slice = 0;
  std::int64_t address = 0, bytes = 0;  // in the slice
  std::int32_t command = 0;
  std::uint64_t tag = 0;
};

class Banks {
 public:
  virtual ~Banks() = default;

  /// Whose accesses a client makes from here on, and where.
  virtual void take(DmClient client, std::int32_t command, const program::Units& units) = 0;
  virtual void leave(DmClient client) = 0;

  /// An access in all slices of the client, which has none waiting.
  virtual void issue(DmClient client, std::int64_t address, std::int64_t bytes) = 0;
  /// Whether it has been served everywhere.
  virtual bool served(DmClient client) const = 0;

  /// False where there is no room.
  virtual bool ask(const DmaRequest& request) = 0;
  /// Whether banks that others held kept the DMNs next to this slice from working in the last cycle.
  virtual bool starved(std::int64_t slice) const = 0;

  virtual void step() = 0;
  virtual bool idle() const = 0;
  virtual std::vector<DmBankUse> use() const = 0;

  /// Requests of DMA that the last step answered.
  std::vector<std::uint64_t> answered;
  /// Why nothing sensible follows. Looked at once a cycle, as every call is made for each of them.
  std::optional<Refusal> trouble;
};

std::unique_ptr<Banks> collapsed_banks(const Device& device, std::int64_t chips);
std::unique_ptr<Banks> live_banks(const Device& device, std::int64_t chips);

}  // namespace tcp::sim
