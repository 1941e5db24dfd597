// A command of the Tensor Unit in the model `detailed`: when it fetches and when it commits.
//
// The engines between fetch and commit are one server with the pace of the slowest: the accesses of the fetch share its
// cycles evenly, and so do those of the commit. The fill is a delay behind the server. All times are those of the
// pass's own clock, which stands still while the pass is halted.
//
// A contraction reads its weights as the server works, a time step after the other; flits on their way to the TRF are
// written as the server is through with them, and one that finds its bank occupied by the reads of the other context
// waits. When the next flit, or the end, comes meanwhile, the pass halts.
//
// Law: if every access is served at once, the pass takes fill + the cycles of its slowest engine, as in the model
// `book`. What is fetched in a cycle is committed in the next at the earliest: a fill of nothing counts as one cycle.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "sim/detailed/banks.hpp"
#include "sim/detailed/walk.hpp"
#include "tcp/program/schedule.hpp"
#include "tcp/sim/trf_banks.hpp"

namespace tcp::sim {

/// Parts of a cycle without rounding: steps of cycles / parts, summed up.
class Pace {
 public:
  Pace() = default;
  Pace(std::int64_t cycles, std::int64_t parts) : parts_(parts), quotient_(cycles / parts), remainder_(cycles % parts) {}

  void not_before(std::int64_t cycle) {
    if (cycle <= whole_) return;
    whole_ = cycle;
    rest_ = 0;
  }
  void step() {
    whole_ += quotient_;
    rest_ += remainder_;
    if (rest_ < parts_) return;
    rest_ -= parts_;
    ++whole_;
  }
  std::int64_t down() const { return whole_; }
  std::int64_t up() const { return whole_ + (rest_ > 0); }

 private:
  std::int64_t parts_ = 1, quotient_ = 0, remainder_ = 0;
  std::int64_t whole_ = 0, rest_ = 0;
};

class Pass {
 public:
  /// `cost` is what the command takes alone.
  Pass(const Device& device, std::int32_t number, const program::Command& command, const program::Cost& cost, std::int64_t start);

  void take(Banks& banks) const;
  void leave(Banks& banks) const;

  /// Sends what is due at cycle `now`.
  void issue(std::int64_t now, Banks& banks);
  /// Sees what the step of cycle `now` served.
  void settle(std::int64_t now, const Banks& banks);

  /// The first cycle from `now` on in which it has something to do.
  std::int64_t next(std::int64_t now) const;
  /// -1 while it is not known.
  std::int64_t end() const { return end_; }
  std::int32_t number() const { return number_; }
  Cycles fill() const { return Cycles{fill_}; }

  bool reads_trf() const { return reads_.has_value(); }
  bool writes_trf() const { return writes_.has_value(); }
  /// Banks of the TRF that its reads occupy in cycle `now`. To be asked for cycles in their order, each once.
  const TrfBankSet& reading(std::int64_t now);
  /// Writes what has come to the TRF by cycle `now`. `occupied`: by the other context; none if it reads no weights.
  void write_trf(std::int64_t now, const TrfBankSet* occupied);
  /// The first cycle from `now` on in which it writes to the TRF.
  std::int64_t next_write(std::int64_t now) const;
  /// For how long flits on their way to the TRF have halted it.
  std::int64_t halted_by_trf() const { return halted_by_trf_; }

 private:
  /// What one sequencer does to DM.
  struct Stream {
    DmClient client{};
    program::Units units;
    Odometer<1> walk;
    std::int64_t base = 0, bytes = 0;
    std::int64_t count = 0, sent = 0, done = 0;  // accesses, or pairs of them
    bool waiting() const { return sent > done; }
  };
  /// A part of the server's work, and how many commits come of it.
  struct Batch {
    std::int64_t begin = 0, end = 0, commits = 0;
  };

  void set_up(const program::Exec& e);
  void set_up(const program::Itos& i);
  void set_up_copy(const program::Dma& d, const std::vector<program::Range>& writes);
  void set_up_trf(const program::Exec& e, const program::Cost& cost);
  Stream stream(DmClient client, const program::Sequencer& s, const program::Units& units) const;
  void fetched(std::int64_t at);
  /// Where several commits come of an access, they do as the server works on it; where several accesses make a commit,
  /// it comes after the last.
  void to_next_commit(Pace& pace) const;
  void find_due();
  std::int64_t fetch_at() const;
  void issue_fetch(Banks& banks);

  const Device& device_;
  std::int32_t number_;
  std::int64_t start_, fill_, slowest_, halted_ = 0, end_ = -1;
  Stream fetch_, commit_;
  bool pairs_ = false;  // both channels joined: the second access of a pair is the sub context's
  std::int64_t accesses_per_packet_ = 1, in_packet_ = 0;
  bool paired_ = false;  // the access that waits is a pair
  Pace server_, commits_;
  Pace share_;                      // commits that so many accesses of the fetch are enough for
  std::int64_t server_before_ = 0;  // when the server was through with the access before the last
  std::int64_t fetch_free_ = 0, commit_free_ = 0;
  std::deque<Batch> batches_;
  std::int64_t due_ = -1;  // of the next commit; -1: not known

  std::optional<TrfReads> reads_;
  std::optional<TrfWrites> writes_;
  Pace trf_steps_;                    // time steps, or flits, that so many accesses of the fetch are enough for
  std::deque<std::int64_t> trf_due_;  // of those that have not been read, or written
  std::int64_t unwatched_ = 0;        // time steps that are over and were not asked for
  TrfBankSet occupied_;               // what `reading` gives
  bool flit_waits_ = false;
  std::int64_t halted_by_trf_ = 0;
};

}  // namespace tcp::sim
