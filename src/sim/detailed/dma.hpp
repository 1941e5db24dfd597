// A DMA in the model `detailed`: its engines side by side, each with its descriptors in order, request by request.
//
// An engine asks for a request a cycle and writes what has come in the order in which it asked. Each of its cycles goes
// into one account, by what its next write waits for: so the accounts of the engine that ends last are the cost of the
// command.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sim/detailed/banks.hpp"
#include "sim/detailed/walk.hpp"
#include "tcp/program/schedule.hpp"
#include "tcp/sim/hbm.hpp"

namespace tcp::sim {

/// Memories and ways that all DMAs share, and how answers find back to the engine that asked.
class Media : private HbmObserver {
 public:
  Media(const Device& device, std::int64_t chips, HbmOrder order, Banks& banks);
  Media(const Media&) = delete;
  Media& operator=(const Media&) = delete;

  /// Hears when a request has been served; `at` is never before the next look of the engine at the time.
  class Engine {
   public:
    virtual void answered(std::uint64_t request, bool write, std::int64_t at) = 0;

   protected:
    ~Engine() = default;
  };
  std::uint64_t enter(Engine& engine);
  void leave(std::uint64_t number);

  Hbm& hbm(std::int32_t chip);
  Banks& banks() { return banks_; }
  /// When the way out of a chip, or a PE to its SPM, is free again.
  std::int64_t& way_out(std::int32_t chip) { return way_out_[chip]; }
  std::int64_t& spm(std::int64_t pe) { return spm_[pe]; }

  static std::uint64_t tag(std::uint64_t engine, std::uint64_t request, bool write) {
    return engine << 41 | request << 1 | (write ? 1u : 0u);
  }
  void route(std::uint64_t tag, std::int64_t at);

  void asked_hbm(std::int64_t units) { open_ += units; }
  bool hbm_works() const { return open_ > 0; }
  /// Settles what HBM starts before `now`, every few cycles: no unit ends unheard.
  void advance(std::int64_t now);
  std::int64_t next_advance() const { return next_; }

  std::vector<std::vector<HbmChannelStats>> channels() const;

  std::optional<Refusal> trouble;  // as that of Banks

 private:
  void done(std::uint64_t tag, Cycles at) override;

  const Device& device_;
  HbmOrder order_;
  Banks& banks_;
  std::vector<std::optional<Hbm>> hbm_;
  std::map<std::int32_t, std::int64_t> way_out_;
  std::map<std::int64_t, std::int64_t> spm_;
  std::vector<Engine*> engines_;
  std::vector<std::uint64_t> free_;
  std::int64_t open_ = 0;  // requests to HBM without an answer: units
  std::int64_t every_, next_ = 0;
};

class DmaRun {
 public:
  DmaRun(const Device& device, std::int32_t number, const program::Dma& dma, Media& media, std::int64_t start);
  ~DmaRun();
  DmaRun(const DmaRun&) = delete;
  DmaRun& operator=(const DmaRun&) = delete;

  void look(std::int64_t now);
  std::int64_t next(std::int64_t now) const;
  std::int64_t end() const { return end_; }
  std::int32_t number() const { return number_; }
  /// Once it has ended.
  program::Cost cost() const;

 private:
  class Engine;

  std::vector<HbmChannelStats> channel_sums() const;

  const Device& device_;
  std::int32_t number_;
  Media& media_;
  std::int64_t start_, end_ = -1;
  std::vector<std::unique_ptr<Engine>> engines_;
  std::vector<std::int32_t> hbm_chips_;
  std::vector<HbmChannelStats> before_;  // of the channels of those chips
};

}  // namespace tcp::sim
