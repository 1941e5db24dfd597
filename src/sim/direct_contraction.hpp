// Passes whose flits go from DM straight into the Contraction Engine: the numbers are taken where they lie, and what a
// sequencer reads again and again is read and widened once. The way through fetch.cpp, collect.cpp and contraction.cpp
// gives the same bits, and is what remains where a number is special.
#pragma once

#include <optional>

#include "sim/chip.hpp"
#include "sim/engines.hpp"
#include "sim/plain_steps.hpp"
#include "sim/weights.hpp"

namespace tcp::sim {

/// Serves one slice after the other.
class DirectContraction {
 public:
  /// None if the settings of the pass ask for more.
  static std::optional<DirectContraction> of(const PassContext& context, const program::Exec& exec, const FetchAdapter& adapter,
                                             const ContractionWalk* walk);

  /// Fetch, collect and contraction. False: the slice holds what needs the long way, and nothing has happened.
  bool run(Slice& slice, std::int64_t offset, Stream& out, std::int64_t& undefined_in);

 private:
  DirectContraction(const PassContext& context, const program::Exec& exec, const ContractionWalk& walk);

  bool read(const SparseMemory& dm, std::int64_t base);
  void put_out(Stream& out) const;

  const program::Contraction& c_;
  ScalarType type_;
  std::int64_t base_, each_, run_bytes_, lanes_, flit_lanes_;
  WideCast wide_;
  Weights weights_;
  std::vector<std::int64_t> address_;  // of the runs that differ
  std::vector<std::uint32_t> which_;   // of these each run of the stream is
  PlainChains chains_;
  std::vector<std::byte> stored_;
  std::vector<std::uint32_t> narrow_, data_, sums_;
  std::vector<std::uint8_t> marks_, undefined_;  // of data_, and of sums_
  bool any_marks_ = false;
};

}  // namespace tcp::sim
